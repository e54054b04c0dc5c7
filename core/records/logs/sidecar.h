#pragma once
// What people note about records of a log, in a file beside it, `LOG.notes.json`, never in the log: that belongs to
// whoever writes it. Records are known by their names (recordName), so that notes hold wherever a line stands.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

struct RecordNote {
    std::string text;
    std::vector<std::string> tags; // each once, in the order they were given
    bool pinned = false;
    uint32_t line = 0; // where the record stood when it was noted: a place to look first; 0: not known
    [[nodiscard]] bool empty() const { return text.empty() && tags.empty() && !pinned; }
    /// Wherever it stood.
    bool operator==(const RecordNote &other) const {
        return text == other.text && tags == other.tags && pinned == other.pinned;
    }
};

struct LogNotes {
    std::map<std::string, RecordNote> records; // by recordName
    bool operator==(const LogNotes &) const = default;
    /// Of a record that nobody noted: an empty one.
    [[nodiscard]] const RecordNote &of(const std::string &name) const;
    void set(const std::string &name, RecordNote note); // an empty one is taken away
};

std::string notesPath(const std::string &log);

/// Empty when there is no such file. Throws Error when it cannot be read, is no such file or is damaged, or was written
/// by a newer Loopscope, whose notes this one would lose.
LogNotes loadLogNotes(const std::string &log);
/// Replaces the file at once, as a whole; without any notes it goes. Throws Error when it cannot be written, and when
/// what stands there could not be loaded.
void saveLogNotes(const std::string &log, const LogNotes &notes);

} // namespace loopscope
