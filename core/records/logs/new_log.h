#pragma once
// A log that is made of others. It is written beside its place and takes it when it is whole, so that nothing is left
// of one that fails, and what stood there before stays until then.

#include "records/logs/log_document.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

class NewLog {
  public:
    /// Throws Error when the path is that of an input, a log that is being written, a folder or a device, or when
    /// nothing can be written there.
    NewLog(std::string path, const std::vector<const LogDocument *> &inputs);
    NewLog(const NewLog &) = delete;
    NewLog &operator=(const NewLog &) = delete;
    ~NewLog();

    /// A record with the comment lines that belong to it.
    void add(const LogDocument &from, size_t record);
    void add(std::string_view comments, std::string_view line);
    /// Takes the place. Throws Error.
    void finish();

    [[nodiscard]] size_t records() const { return m_records; }
    [[nodiscard]] uint64_t bytes() const { return m_bytes; }
    [[nodiscard]] const std::string &path() const { return m_path; }

  private:
    void flush();
    std::string m_path;
    std::string m_written; // where it grows
    std::string m_buffer;
    int m_fd = -1;
    size_t m_records = 0;
    uint64_t m_bytes = 0;
};

} // namespace loopscope
