#pragma once
// A file in memory: a copy that nobody else changes, or where it takes too much of the memory, mapped. Whoever cuts a
// mapped file short while it is open ends neither this process nor its work without a word: what is gone reads as zeros
// from then on, and the work that read it fails with a sentence.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace loopscope {

class MappedFile {
  public:
    /// Read-only. Throws Error when the file cannot be opened or mapped. What has more bytes than `maxCopied` is
    /// mapped.
    static std::shared_ptr<const MappedFile> open(const std::string &path, size_t maxCopied = maxBytesCopied());
    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    /// Throws Error once bytes were read that the file had lost.
    [[nodiscard]] std::span<const std::byte> bytes() const;
    [[nodiscard]] const std::string &path() const { return m_path; }
    /// "w.bin: became shorter while it was open; open it again" of a mapped file of which that is so; else empty.
    [[nodiscard]] static std::string shortened();
    struct Range; // of addresses

  private:
    MappedFile(std::string path, const std::byte *data, size_t size, bool copied);
    static size_t maxBytesCopied();
    std::string m_path;
    const std::byte *m_data = nullptr;
    size_t m_size = 0;
    Range *m_range = nullptr; // of a file that is mapped
};

/// Of work that may read mapped files, here in this process.
class LossWatch {
  public:
    LossWatch();
    /// Throws Error where bytes were read since it was made that a mapped file had lost.
    void check() const;

  private:
    uint64_t m_before;
};

} // namespace loopscope
