#include "interleaved_timing.h"

#include "base/check.h"
#include "base/outcome.h"
#include "codegen/code_generator.h"
#include "codegen/lower/lower.h"
#include "codegen/runtime/kernel_arguments.h"
#include "codegen/runtime/runner.h"
#include "measure/answer/answer_check.h"
#include "measure/answer/reference_data.h"
#include "measure/argument_data.h"
#include "measure/baselines/baseline_process.h"
#include "measure/baselines/recognise.h"
#include "measure/timing/machine_use.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <thread>
#include <unistd.h>

namespace loopscope {

namespace {

/// OpenMP's idle threads poll for some milliseconds after a call.
constexpr double kPoolRestSeconds = 0.02;

/// The task's own arguments, as the workload lays them out.
std::vector<KernelArg> plainArgs(const ReferenceView &reference) {
    std::vector<KernelArg> args;
    for (const auto &tensor : reference.tensors())
        args.push_back({tensor.name, tensor.output, tensor.dtype, tensor.elements(), tensor.shape, {}});
    return args;
}

struct BuiltSchedule {
    std::vector<KernelArg> args;
    std::unique_ptr<Runner> runner;
    std::unique_ptr<KernelCall> call;
};

} // namespace

double TimedWay::median() const {
    if (seconds.empty()) return std::numeric_limits<double>::infinity();
    auto sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
}

struct InterleavedTiming::Impl {
    explicit Impl(const Task &task, uint64_t seed) : fd(makeAnonymousFile()), threads(task.target.hardware.numCores) {
        const auto use = MachineUse::begin(MachineUse::Kind::Work);
        fillReferenceFile(fd, *task.dag, seed, static_cast<int>(std::thread::hardware_concurrency()));
        reference = std::make_unique<ReferenceView>(fd);
        args = plainArgs(*reference);
    }
    ~Impl() { close(fd); }
    int fd;
    int threads;
    std::unique_ptr<ReferenceView> reference;
    std::vector<KernelArg> args;
    std::vector<std::unique_ptr<BuiltSchedule>> built;
    std::vector<std::unique_ptr<BaselineProcess>> baselines;
    std::vector<std::vector<float>> results; // of the libraries
    /// Runs a way once; its outputs in argument order.
    std::vector<std::function<Outcome<std::vector<const std::byte *>>()>> compute;
};

InterleavedTiming::InterleavedTiming(const Task &task, uint64_t seed)
    : m_task(task), m_impl(std::make_unique<Impl>(task, seed)) {}
InterleavedTiming::~InterleavedTiming() = default;

void InterleavedTiming::addSchedule(const std::string &name, const std::string &implementation, const LoopState &state,
                                    int layoutRewrite) {
    const auto use = MachineUse::begin(MachineUse::Kind::Work);
    LowerOptions options;
    options.layoutRewrite = layoutRewrite;
    auto program = lower(state, m_task.target, options);
    if (!program) throw Error(fmt::format("{}: {}", name, program.why()));
    auto generator = makeCodeGenerator(m_task.target);
    if (!generator) throw Error(fmt::format("{}: {}", name, generator.why()));
    auto code = (*generator)->compile(*program);
    if (!code) throw Error(fmt::format("{}: {}", name, code.why()));
    auto runner = makeRunner(code->kernel);
    if (!runner) throw Error(fmt::format("{}: {}", name, runner.why()));
    auto built = std::make_unique<BuiltSchedule>();
    built->args = code->kernel.launch.args;
    built->runner = std::move(runner).value();
    built->runner->prepare(m_impl->threads);
    built->call = built->runner->bind(argumentData(built->args, *m_impl->reference));
    BuiltSchedule *own = built.get();
    m_impl->built.push_back(std::move(built));
    m_impl->compute.emplace_back([own]() -> Outcome<std::vector<const std::byte *>> {
        own->call->run();
        std::vector<const std::byte *> out;
        for (size_t i = 0; i < own->args.size(); ++i)
            if (own->args[i].output) out.push_back(own->call->data(i));
        return out;
    });
    TimedWay way;
    way.name = name;
    way.implementation = implementation;
    way.restSeconds = m_impl->threads > 1 ? kPoolRestSeconds : 0;
    way.time = [own](int64_t calls) -> Outcome<double> {
        own->call->run(); // wakes its threads and warms the caches after the others
        return own->call->time(calls);
    };
    m_ways.push_back(std::move(way));
}

void InterleavedTiming::addBaseline(const std::string &name) {
    TimedWay way;
    way.name = name;
    const auto refuse = [&](const std::string &why) {
        way.refusal = why;
        m_ways.push_back(way);
        m_impl->compute.emplace_back([] { return std::vector<const std::byte *>(); });
    };
    const auto kind = baselineFromName(name);
    LOOPSCOPE_CHECK(kind.has_value(), name);
    if (m_task.target.isGpu())
        return refuse("it computes on the processor, the schedules on the GPU; a ratio of their times would compare "
                      "machines, not kernels");
    auto baseline = BaselineProcess::start(*kind);
    if (!baseline) return refuse(baseline.why());
    const auto recognised = recognise(*m_task.dag);
    if (!recognised) return refuse(recognised.why());

    const TimingArguments memory(m_impl->args, argumentData(m_impl->args, *m_impl->reference));
    const auto place = [&](const Tensor *tensor) -> float * {
        if (!tensor) return nullptr;
        const auto &args = m_task.dag->args();
        const auto found = std::find(args.begin(), args.end(), tensor);
        LOOPSCOPE_CHECK(found != args.end(), tensor->name + " is not an argument");
        return static_cast<float *>(memory.pointers()[found - args.begin()]);
    };
    const BaselineBuffers buffers{place(recognised->data),    place(recognised->weights), place(recognised->bias),
                                  place(recognised->scale),   place(recognised->offset),  place(recognised->out),
                                  place(recognised->residual)};
    const auto prepared = (*baseline)->prepare(recognised->problem, buffers, m_impl->threads);
    if (!prepared) return refuse(prepared.why());
    BaselineProcess *own = baseline->get();
    m_impl->baselines.push_back(std::move(baseline).value());
    std::vector<float> result(bufferSizes(recognised->problem).out);
    float *out = result.data();
    m_impl->results.push_back(std::move(result));
    m_impl->compute.emplace_back([own, out]() -> Outcome<std::vector<const std::byte *>> {
        if (const auto done = own->compute(out); !done) return done.refusal();
        return std::vector<const std::byte *>{reinterpret_cast<const std::byte *>(out)};
    });
    way.implementation = own->name() + ", " + *prepared;
    way.restSeconds = m_impl->threads > 1 ? own->restSeconds() : 0;
    way.time = [own](int64_t calls) { return own->time(calls); };
    m_ways.push_back(std::move(way));
}

/// Compares the answer of one run with the reference.
void InterleavedTiming::check(size_t index) {
    TimedWay &way = m_ways[index];
    const auto outputs = m_impl->compute[index]();
    if (!outputs) {
        way.refusal = outputs.why();
        return;
    }
    size_t tensor = 0;
    for (const std::byte *got : *outputs) {
        while (!m_impl->reference->tensors()[tensor].output) ++tensor;
        const ReferenceTensor &expected = m_impl->reference->tensors()[tensor++];
        const AnswerCheck check =
            checkAnswer(expected, m_impl->reference->data(expected), m_impl->reference->bounds(expected), got);
        way.maxError = std::max(way.maxError, check.maxError);
        if (!check.problem.empty()) way.refusal = "wrong answer: " + check.problem;
    }
}

void InterleavedTiming::run(int rounds) {
    std::vector<int64_t> calls(m_ways.size(), 1);
    /// Nothing when it can go on no longer.
    const auto timed = [](TimedWay &way, int64_t count) -> std::optional<double> {
        const auto seconds = way.time(count);
        if (!seconds) way.refusal = seconds.why();
        if (way.restSeconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(way.restSeconds));
        return seconds ? std::optional(*seconds) : std::nullopt;
    };
    for (size_t i = 0; i < m_ways.size(); ++i) {
        TimedWay &way = m_ways[i];
        if (way.refusal.empty()) check(i);
        if (!way.refusal.empty()) continue;
        const auto use = MachineUse::begin(MachineUse::Kind::Timing);
        constexpr double kSampleSeconds = 0.01;
        if (const auto once = timed(way, 1))
            calls[i] = std::max<int64_t>(1, static_cast<int64_t>(std::ceil(kSampleSeconds / std::max(*once, 1e-7))));
    }
    for (int round = 0; round < rounds; ++round) {
        const auto use = MachineUse::begin(MachineUse::Kind::Timing); // the others of the machine between two rounds
        for (size_t i = 0; i < m_ways.size(); ++i) {
            TimedWay &way = m_ways[i];
            if (!way.refusal.empty()) continue;
            if (const auto seconds = timed(way, calls[i]))
                way.seconds.push_back(*seconds / static_cast<double>(calls[i]));
        }
    }
}

} // namespace loopscope
