#include "codegen/runtime/cpu_runner.h"

#include "codegen/runtime/kernel_arguments.h"

#include <chrono>

namespace loopscope {

namespace {

class CpuCall : public KernelCall {
  public:
    /// `pointers`: for `calls` calls that take turns, to `args` arguments each.
    CpuCall(const LoadedKernel &kernel, void *const *pointers, size_t args, size_t calls)
        : m_kernel(kernel), m_pointers(pointers), m_args(args), m_end(args * calls) {}

    void run() override {
        const CallerStays staysThere;
        m_kernel(m_pointers);
    }

    double time(int64_t calls) override {
        using Clock = std::chrono::steady_clock;
        const CallerStays staysThere;
        const Clock::time_point before = Clock::now();
        for (int64_t i = 0; i < calls; ++i) {
            m_kernel(m_pointers + m_next);
            m_next += m_args;
            if (m_next == m_end) m_next = 0;
        }
        return std::chrono::duration<double>(Clock::now() - before).count();
    }

    std::byte *data(size_t arg) override { return static_cast<std::byte *>(m_pointers[arg]); }

  private:
    const LoadedKernel &m_kernel;
    void *const *m_pointers;
    size_t m_args;
    size_t m_end;
    size_t m_next = 0; // the pointers of the next timed call
};

std::vector<const std::byte *> allOf(KernelCall &call, size_t args) {
    std::vector<const std::byte *> all;
    for (size_t i = 0; i < args; ++i) all.push_back(call.data(i));
    return all;
}

// The memory is a base so that it is there before the call that points to it.
class PlainCall final : TimingArguments, public CpuCall {
  public:
    PlainCall(const LoadedKernel &kernel, const std::vector<KernelArg> &args, const ArgumentData &data)
        : TimingArguments(args, data), CpuCall(kernel, pointers(), args.size(), TimingArguments::calls()) {}
};

class GuardedCall final : GuardedArguments, public CpuCall {
  public:
    GuardedCall(const LoadedKernel &kernel, const std::vector<KernelArg> &args, KernelCall &source, GuardSide side)
        : GuardedArguments(args, allOf(source, args.size()), side), CpuCall(kernel, pointers(), args.size(), 1) {}

    [[nodiscard]] std::span<const GuardRange> guards() const override { return GuardedArguments::guards(); }
    [[nodiscard]] std::string trespass() override { return GuardedArguments::trespass(); }
};

} // namespace

CpuRunner::CpuRunner(const BuiltKernel &kernel)
    : m_kernel(kernel.object, kernel.launch.entry), m_args(kernel.launch.args) {}

void CpuRunner::prepare(int threads) {
    setKernelThreads(threads);
    // The pool starts with its first loop; later it would not be there to be watched.
    kernelRuntime().parallelFor([](int64_t, int64_t, void *) {}, threads, nullptr);
}

std::unique_ptr<KernelCall> CpuRunner::bind(const ArgumentData &data) {
    return std::make_unique<PlainCall>(m_kernel, m_args, data);
}

std::unique_ptr<KernelCall> CpuRunner::bindGuarded(KernelCall &source, GuardSide side) {
    return std::make_unique<GuardedCall>(m_kernel, m_args, source, side);
}

} // namespace loopscope
