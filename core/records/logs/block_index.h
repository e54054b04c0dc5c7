#pragma once
// The index of a block of whole lines of a log. Blocks are indexed by several threads, knowing nothing of each other:
// what a block refers to (tasks, structures, reasons) is numbered within it, in order of appearance, and LogIndex
// renumbers it.

#include "records/logs/line_facts.h"
#include "records/logs/log_row.h"
#include "records/record/record.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loopscope {

/// Reasons that have numbers of their own; all others share one.
constexpr size_t kMaxReasons = UINT16_MAX - 1;
constexpr std::string_view kOtherReasons = "other reasons";

struct BlockIndex {
    uint64_t begin = 0; // in the text of the log
    uint64_t end = 0;
    uint32_t lines = 0;
    std::vector<LogRow> rows; // `line` counts from 1 within the block
    std::vector<LogTask> tasks;
    std::vector<uint64_t> structures; // hashes
    std::vector<std::string> reasons; // patterns
    std::vector<SkippedLine> unreadable;
    size_t unreadableLines = 0;
    size_t comments = 0;
    size_t emptyLines = 0;
    bool beginsWithRecord =
        false; // its first line that is no comment is one: comments of the block before belong to it
    bool commentsOnly = true;
    uint64_t pending = 0; // where the comments at its end begin that belong to the next record; `end` without any
};

/// Of one thread; goes from block to block, and remembers the tasks it met.
class BlockIndexer {
  public:
    explicit BlockIndexer(std::string path) : m_path(std::move(path)) {}
    /// A control character or the end of a string stands behind `text`, which begins at `begin`, with a line. When
    /// `cutOff`, its last line has no newline since the log ends there. Behind it stands a line of `longLine` bytes (0:
    /// none), newline included, that is too long to be looked at.
    BlockIndex index(std::string_view text, uint64_t begin, bool cutOff = false, uint64_t longLine = 0);
    /// How many lines parseRecord read, which takes twenty times as long.
    [[nodiscard]] size_t parsedLines() const { return m_parsed; }

  private:
    /// A task array as it is spelled.
    struct KnownTask {
        std::string spelling;
        LogTask task;
        uint8_t elements = 6;
        uint64_t block = 0;  // the last one it appeared in
        uint32_t number = 0; // there
    };
    struct Numbers {
        std::unordered_map<uint64_t, uint32_t> structures;
        std::unordered_map<std::string, uint16_t> reasons;
        std::unordered_map<std::string, uint32_t> tasks; // by taskIdentity
    };
    void indexLine(std::string_view line, uint64_t offset, bool cutOff);
    bool takeFast(std::string_view line, LogRow &row);
    void takeRecord(const Record &record, std::string_view line, LogRow &row);
    void takeFacts(const LineFacts &facts, LogRow &row);
    uint32_t numberOf(const LogTask &task);
    void takeComments(std::string_view comments, LogRow &row);
    void takeUnreadable(std::string sentence, bool cutOff);

    std::string m_path;
    std::string_view m_text; // of the block
    BlockIndex m_block;
    Numbers m_numbers;
    size_t m_parsed = 0;
    uint64_t m_blocks = 0;
    std::unordered_map<std::string_view, std::unique_ptr<KnownTask>> m_known; // by spelling
    KnownTask *m_last = nullptr;
    std::vector<uint64_t> m_comments; // where those in front of the next record begin
};

/// Two records are of one task when this text is the same.
std::string taskIdentity(const LogTask &task);
LogTask taskOf(const Record &record);

/// What comment lines say of the record behind them; the last 64 of them count.
void readComments(std::string_view comments, Record &record);
struct CommentFacts {
    std::string reason; // pattern
    bool unstable = false;
    bool ofNetwork = false;
};
CommentFacts readComments(std::string_view comments, TrialError error);

} // namespace loopscope
