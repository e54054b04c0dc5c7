#pragma once
// A file in memory: a copy that nobody else changes, or where it takes too much of the memory, mapped.

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace loopscope {

class MappedFile {
  public:
    /// Read-only. Throws Error when the file cannot be opened or mapped.
    static std::shared_ptr<const MappedFile> open(const std::string &path);
    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    [[nodiscard]] std::span<const std::byte> bytes() const { return {m_data, m_size}; }
    [[nodiscard]] const std::string &path() const { return m_path; }

  private:
    MappedFile(std::string path, const std::byte *data, size_t size)
        : m_path(std::move(path)), m_data(data), m_size(size) {}
    std::string m_path;
    const std::byte *m_data = nullptr;
    size_t m_size = 0;
};

} // namespace loopscope
