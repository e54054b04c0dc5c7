#include "contest.h"

#include "check.h"
#include "codegen/kernel_code.h"
#include "lower/lower.h"
#include "measure/answer_check.h"
#include "measure/kernel_arguments.h"
#include "measure/messages.h"
#include "measure/reference_data.h"
#include "outcome.h"
#include "peers/peer.h"
#include "peers/recognise.h"
#include "runtime/loaded_kernel.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <thread>
#include <unistd.h>

namespace loopscope {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

KernelArg argOf(const ProgramArg &arg) {
    KernelArg described;
    described.name = arg.buffer->name;
    described.output = arg.output;
    described.dtype = arg.buffer->dtype;
    described.elements = arg.buffer->elements();
    described.shape = arg.originalShape;
    described.packing = arg.packing;
    return described;
}

/// The task's own arguments, as the workload lays them out.
std::vector<KernelArg> plainArgs(const ReferenceView &reference) {
    std::vector<KernelArg> args;
    for (const auto &tensor : reference.tensors())
        args.push_back({tensor.name, tensor.output, tensor.dtype, tensor.elements(), tensor.shape, {}});
    return args;
}

struct BuiltSchedule {
    std::vector<KernelArg> args;
    std::unique_ptr<LoadedKernel> kernel;
    std::unique_ptr<TimingArguments> memory;
};

} // namespace

double Contestant::median() const {
    if (seconds.empty()) return std::numeric_limits<double>::infinity();
    auto sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
}

struct Contest::Impl {
    explicit Impl(const Task &task, uint64_t seed) : fd(makeAnonymousFile()), threads(task.target.hardware.numCores) {
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
    std::vector<std::unique_ptr<TimingArguments>> peerMemory;
    std::vector<std::unique_ptr<PreparedPeer>> prepared;
    std::vector<std::function<std::vector<const std::byte *>()>> outputs; // of each contestant, in argument order
};

Contest::Contest(const Task &task, uint64_t seed) : m_task(task), m_impl(std::make_unique<Impl>(task, seed)) {
    setKernelThreads(m_impl->threads);
}
Contest::~Contest() = default;

void Contest::addSchedule(const std::string &name, const std::string &implementation, const LoopState &state,
                          int layoutRewrite) {
    LowerOptions options;
    options.layoutRewrite = layoutRewrite;
    auto program = lower(state, m_task.target, options);
    if (!program) throw Error(fmt::format("{}: {}", name, program.why()));
    auto code = LlvmCompiler(m_task.target).compile(*program);
    if (!code) throw Error(fmt::format("{}: {}", name, code.why()));
    auto built = std::make_unique<BuiltSchedule>();
    for (const auto &arg : program->args) built->args.push_back(argOf(arg));
    built->kernel = std::make_unique<LoadedKernel>(code->object);
    built->memory = std::make_unique<TimingArguments>(built->args, *m_impl->reference);
    BuiltSchedule *own = built.get();
    m_impl->built.push_back(std::move(built));
    m_impl->outputs.emplace_back([own] {
        std::vector<const std::byte *> out;
        for (size_t i = 0; i < own->args.size(); ++i)
            if (own->args[i].output) out.push_back(own->memory->bytes(i));
        return out;
    });
    Contestant contestant;
    contestant.name = name;
    contestant.implementation = implementation;
    contestant.run = [own] { (*own->kernel)(own->memory->pointers()); };
    m_contestants.push_back(std::move(contestant));
}

void Contest::addPeer(const std::string &name) {
    Contestant contestant;
    contestant.name = name;
    const auto refuse = [&](const std::string &why) {
        contestant.refusal = why;
        m_contestants.push_back(contestant);
        m_impl->outputs.emplace_back([] { return std::vector<const std::byte *>(); });
    };
    const auto kind = peerFromName(name);
    LOOPSCOPE_CHECK(kind.has_value(), name);
    const auto peer = openPeer(*kind);
    if (!peer) return refuse(peer.why());
    const auto recognised = recognise(*m_task.dag);
    if (!recognised) return refuse(recognised.why());

    auto memory = std::make_unique<TimingArguments>(m_impl->args, *m_impl->reference);
    size_t output = 0;
    const auto place = [&](const Tensor *tensor) -> float * {
        if (!tensor) return nullptr;
        const auto &args = m_task.dag->args();
        const auto found = std::find(args.begin(), args.end(), tensor);
        LOOPSCOPE_CHECK(found != args.end(), tensor->name + " is not an argument");
        return static_cast<float *>(memory->pointers()[found - args.begin()]);
    };
    for (size_t i = 0; i < m_task.dag->args().size(); ++i)
        if (m_task.dag->args()[i] == recognised->out) output = i;
    const PeerBuffers buffers{place(recognised->data),  place(recognised->weights), place(recognised->bias),
                              place(recognised->scale), place(recognised->offset),  place(recognised->out)};
    auto prepared = (*peer)->prepare(recognised->problem, buffers, m_impl->threads);
    if (!prepared) return refuse(prepared.why());
    PreparedPeer *own = prepared->get();
    const std::byte *out = memory->bytes(output);
    m_impl->prepared.push_back(std::move(prepared).value());
    m_impl->peerMemory.push_back(std::move(memory));
    m_impl->outputs.emplace_back([out] { return std::vector<const std::byte *>{out}; });
    contestant.implementation = (*peer)->name() + ", " + own->implementation();
    contestant.restSeconds = m_impl->threads > 1 ? (*peer)->restSeconds() : 0;
    contestant.run = [own] { own->run(); };
    m_contestants.push_back(std::move(contestant));
}

void Contest::run(int rounds) {
    std::vector<int64_t> calls(m_contestants.size(), 1);
    for (size_t i = 0; i < m_contestants.size(); ++i) {
        Contestant &contestant = m_contestants[i];
        if (!contestant.refusal.empty()) continue;
        contestant.run();
        size_t tensor = 0;
        for (const std::byte *got : m_impl->outputs[i]()) {
            while (!m_impl->reference->tensors()[tensor].output) ++tensor;
            const ReferenceTensor &expected = m_impl->reference->tensors()[tensor++];
            const AnswerCheck check = checkAnswer(expected, m_impl->reference->data(expected), got);
            contestant.maxError = std::max(contestant.maxError, check.maxError);
            if (!check.problem.empty()) contestant.refusal = "wrong answer: " + check.problem;
        }
        const double begin = now();
        contestant.run();
        const double once = std::max(now() - begin, 1e-7);
        constexpr double kSampleSeconds = 0.01;
        calls[i] = std::max<int64_t>(1, static_cast<int64_t>(std::ceil(kSampleSeconds / once)));
    }
    for (int round = 0; round < rounds; ++round)
        for (size_t i = 0; i < m_contestants.size(); ++i) {
            Contestant &contestant = m_contestants[i];
            if (!contestant.refusal.empty()) continue;
            contestant.run(); // wakes its threads and warms the caches after the others
            const double begin = now();
            for (int64_t call = 0; call < calls[i]; ++call) contestant.run();
            contestant.seconds.push_back((now() - begin) / static_cast<double>(calls[i]));
            if (contestant.restSeconds > 0)
                std::this_thread::sleep_for(std::chrono::duration<double>(contestant.restSeconds));
        }
}

} // namespace loopscope
