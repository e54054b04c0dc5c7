#pragma once
// The memory a kernel of a processor runs on. Three arrangements of the same arguments: two between guard pages,
// against its end and against its start, for checking; and one for timing, where no two buffers begin at the same
// offset in a page (equal offsets make loads wait for unrelated stores) as they would if each had pages of its own.
//
// In a network the weights of all other kernels are read before a kernel has its own again. For that, a timing has as
// many copies of them as it takes, and each call the next copy.

#include "codegen/runtime/loaded_kernel.h"
#include "codegen/runtime/runner.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

/// Lays an input out in the order the kernel reads it; places outside the tensor become zero.
void packElements(const KernelArg &arg, const std::byte *from, std::byte *to);

class TimingArguments {
  public:
    TimingArguments(const std::vector<KernelArg> &args, const ArgumentData &data);
    ~TimingArguments();
    TimingArguments(const TimingArguments &) = delete;
    TimingArguments &operator=(const TimingArguments &) = delete;

    /// Those of one call behind those of the other; they differ in the weights.
    [[nodiscard]] void *const *pointers() const { return m_pointers.data(); }
    [[nodiscard]] size_t calls() const { return m_calls; }
    [[nodiscard]] const std::byte *bytes(size_t arg) const { return static_cast<const std::byte *>(m_pointers[arg]); }

  private:
    void *m_memory = nullptr;
    size_t m_calls;
    std::vector<void *> m_pointers;
};

class GuardedArguments {
  public:
    /// Copies of `source`, in kernel order, which must stay as it is.
    GuardedArguments(const std::vector<KernelArg> &args, std::vector<const std::byte *> source, GuardSide side);

    [[nodiscard]] void *const *pointers() const { return m_pointers.data(); }
    [[nodiscard]] const std::byte *bytes(size_t arg) const { return static_cast<const std::byte *>(m_pointers[arg]); }
    /// Two per argument.
    [[nodiscard]] std::span<const GuardRange> guards() const { return m_guards; }
    /// After a run: what besides its outputs the kernel changed; empty when nothing.
    [[nodiscard]] std::string trespass() const;

  private:
    const std::vector<KernelArg> *m_args;
    std::vector<const std::byte *> m_source;
    std::vector<GuardedBuffer> m_buffers;
    std::vector<void *> m_pointers;
    std::vector<size_t> m_slack; // bytes between an argument's last and the guard page
    std::vector<GuardRange> m_guards;
};

} // namespace loopscope
