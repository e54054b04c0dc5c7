#pragma once
// The seam between a built kernel and the machine it runs on: memory for its arguments, launch, time. What is run when,
// what is compared and which times count is decided by the caller (measure/kernel_run.h), the same for all machines.

#include "base/outcome.h"
#include "codegen/kernel_launch.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

/// What the arguments hold before a run.
struct ArgumentData {
    std::vector<const std::byte *> inputs; // in kernel order, as the workload lays them out; null for outputs
    unsigned char poison = 0xff;           // every byte of outputs
    int64_t weightBytes = 0;               // for timing: SamplingOptions::weightBytes
};

/// Where memory that must not be touched begins: after an argument's last byte, or before its first.
enum class GuardSide : uint8_t { End, Start };

/// An inaccessible page beside an argument; for naming the argument when a kernel runs into it.
struct GuardRange {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    bool afterBuffer = true;
};

/// A kernel with arguments of its own to run on. Its runner must outlive it.
class KernelCall {
  public:
    KernelCall() = default;
    virtual ~KernelCall() = default;
    KernelCall(const KernelCall &) = delete;
    KernelCall &operator=(const KernelCall &) = delete;

    /// Once, and waits for its end. Throws Error when the machine says that the kernel failed.
    virtual void run() = 0;
    /// Seconds that so many runs take, one after the other.
    virtual double time(int64_t calls) = 0;
    /// An argument as it is now, in memory of the host.
    virtual std::byte *data(size_t arg) = 0;
    /// Two per argument, before and after it; empty where memory has no such pages.
    [[nodiscard]] virtual std::span<const GuardRange> guards() const { return {}; }
    /// Of a guarded call after a run: what besides its outputs the kernel changed, as a sentence; empty when nothing.
    [[nodiscard]] virtual std::string trespass() { return {}; }
};

/// Where kernels run, and with that what their process needs of the system while they do.
enum class RunsOn : uint8_t {
    Processor, // in the process itself: memory, threads and clocks, and nothing else once it is prepared
    /// Behind a driver in this process. It needs files, memory and threads as long as it works; kernels can ask the
    /// system for nothing anyway. Times are the device's: what the process waited for a processor is not in them.
    Device,
};

/// One kernel, loaded.
class Runner {
  public:
    Runner() = default;
    virtual ~Runner() = default;
    Runner(const Runner &) = delete;
    Runner &operator=(const Runner &) = delete;

    [[nodiscard]] virtual RunsOn runsOn() const { return RunsOn::Processor; }
    /// Gets what kernels of this kind share in a process, at once, because afterwards the process may ask the system
    /// for little else: `threads` threads, a device. Once is enough, more does no harm.
    virtual void prepare(int threads) = 0;
    /// Arguments as a program would have them, for timing.
    virtual std::unique_ptr<KernelCall> bind(const ArgumentData &data) = 0;
    /// Copies of the arguments of `source`, arranged so that it is noticed when the kernel leaves them. `source` is
    /// not run meanwhile and outlives it.
    virtual std::unique_ptr<KernelCall> bindGuarded(KernelCall &source, GuardSide side) = 0;
};

/// The runner of the launch's kind; refuses kinds that have none. Throws Error when the object cannot be loaded.
Outcome<std::unique_ptr<Runner>> makeRunner(const BuiltKernel &kernel);

} // namespace loopscope
