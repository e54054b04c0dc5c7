#pragma once
// A file that takes its name once it is complete: a full disk, a fault or an interrupt leaves what was there before,
// and nothing half-written beside it.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace loopscope {

class WholeFile {
  public:
    /// Behind a link, what it leads to; a device or a pipe is written to as it is. Throws Error, as do all below.
    explicit WholeFile(std::string path);
    /// Without finish() nothing is left.
    ~WholeFile();
    WholeFile(const WholeFile &) = delete;
    WholeFile &operator=(const WholeFile &) = delete;

    void write(std::string_view bytes);
    void write(std::span<const std::byte> bytes) {
        write(std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
    }
    void finish();

  private:
    void flush();
    void discard();
    [[noreturn]] void fail(int problem);

    std::string m_path;
    std::string m_target; // where the path leads
    std::string m_beside; // empty: the target itself is written
    std::string m_buffer;
    int m_fd = -1;
};

void writeWholeFile(const std::string &path, std::string_view bytes);

} // namespace loopscope
