#pragma once
// The memory a kernel runs on. Three arrangements of the same arguments: two between guard pages, against its end and
// against its start, for checking; and one for timing, where no two buffers begin at the same offset in a page (equal
// offsets make loads wait for unrelated stores) as they would if each had pages of its own.

#include "answer/reference_data.h"
#include "measure/messages.h"
#include "runtime/loaded_kernel.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

/// Bytes of an argument as the kernel sees it.
size_t argBytes(const KernelArg &arg);

/// Lays an input out in the order the kernel reads it; places outside the tensor become zero.
void packElements(const KernelArg &arg, const std::byte *from, std::byte *to);

class TimingArguments {
  public:
    TimingArguments(const std::vector<KernelArg> &args, const ReferenceView &reference,
                    InputSet set = InputSet::Random);
    ~TimingArguments();
    TimingArguments(const TimingArguments &) = delete;
    TimingArguments &operator=(const TimingArguments &) = delete;

    [[nodiscard]] void *const *pointers() const { return m_pointers.data(); }
    [[nodiscard]] const std::byte *bytes(size_t arg) const { return static_cast<const std::byte *>(m_pointers[arg]); }

  private:
    void *m_map = nullptr;
    size_t m_mapBytes = 0;
    std::vector<void *> m_pointers;
};

enum class GuardSide : uint8_t { End, Start };

/// An inaccessible page beside an argument; for naming the argument when a kernel runs into it.
struct GuardRange {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    bool afterBuffer = true;
};

class GuardedArguments {
  public:
    /// Inputs are copied from `source`, outputs poisoned.
    GuardedArguments(const std::vector<KernelArg> &args, const TimingArguments &source, GuardSide side);

    [[nodiscard]] void *const *pointers() const { return m_pointers.data(); }
    [[nodiscard]] const std::byte *bytes(size_t arg) const { return static_cast<const std::byte *>(m_pointers[arg]); }
    /// Two per argument.
    [[nodiscard]] std::span<const GuardRange> guards() const { return m_guards; }
    /// After a run: what besides its outputs the kernel changed; empty when nothing.
    [[nodiscard]] std::string trespass(const TimingArguments &source) const;

  private:
    const std::vector<KernelArg> *m_args;
    std::vector<GuardedBuffer> m_buffers;
    std::vector<void *> m_pointers;
    std::vector<size_t> m_slack; // bytes between an argument's last and the guard page
    std::vector<GuardRange> m_guards;
};

} // namespace loopscope
