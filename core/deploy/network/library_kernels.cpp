#include "deploy/network/library_kernels.h"

#include "codegen/runtime/kernel_arguments.h"
#include "codegen/runtime/loaded_kernel.h"
#include "deploy/network/build.h"
#include "language/interpret/interpreter.h"
#include "language/tensor/close_tensors.h"
#include "measure/answer/reference_data.h"
#include "measure/baselines/baseline_process.h"
#include "measure/baselines/recognise.h"
#include "measure/timing/machine_use.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <thread>

namespace loopscope {

namespace {

double lowerQuartile(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 4];
}

/// A task's kernel with inputs.
class OwnKernel {
  public:
    OwnKernel(const ComputeDag &dag, const BuiltKernel &code, uint64_t seed)
        : m_kernel(code.object, code.launch.entry) {
        std::vector<std::vector<std::byte>> inputs;
        for (const TensorValue &value : randomInputs(dag, seed)) {
            inputs.emplace_back(value.size() * static_cast<size_t>(dtypeBytes(value.dtype)));
            storeElements(value, inputs.back().data());
        }
        std::vector<KernelArg> plain = code.launch.args;
        for (size_t i = 0; i < plain.size(); ++i) {
            plain[i].packing.clear();
            plain[i].elements = 1;
            for (const int64_t dim : dag.args()[i]->shape) plain[i].elements *= dim;
        }
        size_t input = 0;
        ArgumentData data;
        for (const KernelArg &arg : plain) data.inputs.push_back(arg.output ? nullptr : inputs[input++].data());
        m_arguments = std::make_unique<TimingArguments>(code.launch.args, data);
        m_plain = std::make_unique<TimingArguments>(plain, data);
        for (size_t i = 0; i < plain.size(); ++i)
            if (plain[i].output) m_output = i;
    }
    double time(int64_t calls) const {
        m_kernel(m_arguments->pointers());
        const auto begin = std::chrono::steady_clock::now();
        for (int64_t i = 0; i < calls; ++i) m_kernel(m_arguments->pointers());
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    [[nodiscard]] const float *output() const { return reinterpret_cast<const float *>(m_arguments->bytes(m_output)); }
    /// As the network has it, for others.
    [[nodiscard]] float *plain(int argument) const {
        return argument < 0 ? nullptr : static_cast<float *>(m_plain->pointers()[argument]);
    }

  private:
    LoadedKernel m_kernel;
    std::unique_ptr<TimingArguments> m_arguments;
    std::unique_ptr<TimingArguments> m_plain;
    size_t m_output = 0;
};

LibraryRoutine routineOf(const ComputeDag &dag, const RecognisedProblem &recognised, std::string library) {
    const auto argument = [&](const Tensor *tensor) {
        const auto found = std::find(dag.args().begin(), dag.args().end(), tensor);
        return tensor == nullptr || found == dag.args().end() ? -1 : static_cast<int>(found - dag.args().begin());
    };
    return {std::move(library),           recognised.problem,        argument(recognised.data),
            argument(recognised.weights), argument(recognised.bias), argument(recognised.scale),
            argument(recognised.offset),  argument(recognised.out),  argument(recognised.residual)};
}

/// Libraries may lay out weights, and what a tail adds, before the first run; so these have to be constants, but for
/// the second operand of a product, of which a library can be told.
bool finalBeforeRuns(const ComputeDag &dag, const std::vector<bool> &constants, RecognisedProblem &recognised) {
    const auto isFinal = [&](const Tensor *tensor) {
        const auto found = std::find(dag.args().begin(), dag.args().end(), tensor);
        return tensor == nullptr || constants[static_cast<size_t>(found - dag.args().begin())];
    };
    if (!isFinal(recognised.bias) || !isFinal(recognised.scale) || !isFinal(recognised.offset)) return false;
    auto *matmul = std::get_if<MatmulProblem>(&recognised.problem);
    if (matmul == nullptr) return isFinal(recognised.weights);
    matmul->constantB = isFinal(recognised.weights);
    return true;
}

class LibrarySelection {
  public:
    LibrarySelection(const Target &target, const LibraryOptions &options)
        : m_threads(target.hardware.numCores), m_options(options) {}

    std::vector<LibraryTrial> start() {
        std::vector<LibraryTrial> missing;
        std::vector<std::string> names = m_options.names;
        for (const auto &[node, name] : m_options.pinned)
            if (std::ranges::find(names, name) == names.end()) names.push_back(name);
        for (const std::string &name : names) {
            const auto kind = baselineFromName(name);
            auto process = kind ? BaselineProcess::start(*kind)
                                : Outcome<std::unique_ptr<BaselineProcess>>(Refusal{"there is no such library"});
            if (process) {
                m_processes.push_back(std::move(process).value());
                continue;
            }
            LibraryTrial trial;
            trial.library = name;
            trial.refusal = process.why();
            missing.push_back(std::move(trial));
        }
        return missing;
    }

    /// `pinned`: the library that computes it in any case; empty: whoever is fastest.
    std::vector<LibraryTrial> decide(const KernelTask &task, PlanKernel &kernel, const std::string &pinned) {
        std::vector<LibraryTrial> trials;
        const ComputeDag &dag = *task.task.dag;
        auto recognised = recognise(dag);
        if (!recognised || m_processes.empty() || !finalBeforeRuns(dag, task.constants, *recognised)) return trials;
        const auto machine = MachineUse::begin(MachineUse::Kind::Timing, nullptr);
        const OwnKernel own(dag, kernel.code, m_options.seed);
        const double once = std::max(own.time(1), 1e-7);
        std::optional<LibraryRoutine> best;
        double bestSeconds = 0;
        size_t bestTrial = 0;
        for (const auto &process : m_processes) {
            const std::string name(baselineName(process->kind()));
            const bool competes = std::ranges::find(m_options.names, name) != m_options.names.end();
            if (pinned.empty() ? !competes : name != pinned) continue;
            const LibraryRoutine routine = routineOf(dag, *recognised, name);
            trials.push_back(trial(*process, own, routine, once, dag.flops()));
            LibraryTrial &made = trials.back();
            if (!made.refusal.empty()) continue;
            const bool wins = !pinned.empty() || made.seconds <= m_options.worthIt * made.ownSeconds;
            if (!wins || (best && made.seconds >= bestSeconds)) continue;
            best = routine;
            bestSeconds = made.seconds;
            bestTrial = trials.size() - 1;
        }
        if (best) {
            trials[bestTrial].chosen = true;
            leave(kernel, dag, std::move(*best), trials[bestTrial]);
        }
        return trials;
    }

  private:
    LibraryTrial trial(BaselineProcess &process, const OwnKernel &own, const LibraryRoutine &routine, double once,
                       double flops) const {
        LibraryTrial made;
        made.library = process.name();
        made.problem = describe(routine.problem);
        const auto refuse = [&](const std::string &why) {
            made.refusal = why;
            return made;
        };
        const BaselineBuffers buffers = {
            own.plain(routine.data),   own.plain(routine.weights), own.plain(routine.bias),    own.plain(routine.scale),
            own.plain(routine.offset), own.plain(routine.out),     own.plain(routine.residual)};
        const auto prepared = process.prepare(routine.problem, buffers, m_threads);
        if (!prepared) return refuse(prepared.why());
        made.implementation = *prepared;
        std::vector<float> answer(bufferSizes(routine.problem).out);
        if (const auto computed = process.compute(answer.data()); !computed) return refuse(computed.why());
        if (std::string wrong =
                differenceOf(own.output(), answer.data(), answer.size(), flops / static_cast<double>(answer.size()));
            !wrong.empty())
            return refuse(wrong);
        const auto rest = [&](double seconds) {
            if (m_threads > 1 && seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        };
        constexpr double kPoolRests = 0.02; // OpenMP's idle threads poll for some milliseconds
        const auto first = process.time(1);
        if (!first) return refuse(first.why());
        rest(process.restSeconds());
        const auto callsOf = [&](double seconds) {
            return std::max<int64_t>(1, static_cast<int64_t>(m_options.turnSeconds / std::max(seconds, 1e-7)));
        };
        const int64_t calls = callsOf(once);
        const int64_t theirs = callsOf(*first);
        std::vector<double> ownTimes;
        std::vector<double> times;
        for (int round = 0; round < m_options.rounds; ++round) {
            ownTimes.push_back(own.time(calls) / static_cast<double>(calls));
            rest(kPoolRests);
            const auto seconds = process.time(theirs);
            if (!seconds) return refuse(seconds.why());
            times.push_back(*seconds / static_cast<double>(theirs));
            rest(process.restSeconds());
        }
        made.ownSeconds = lowerQuartile(std::move(ownTimes));
        made.seconds = lowerQuartile(std::move(times));
        return made;
    }

    static void leave(PlanKernel &kernel, const ComputeDag &dag, LibraryRoutine routine, const LibraryTrial &won) {
        kernel.schedule = fmt::format("{}, {}", won.library, won.implementation);
        kernel.steps.clear();
        std::vector<KernelArg> &args = kernel.code.launch.args;
        for (size_t i = 0; i < args.size(); ++i) {
            args[i].packing.clear();
            args[i].elements = 1;
            for (const int64_t dim : dag.args()[i]->shape) args[i].elements *= dim;
        }
        kernel.code.object.clear();
        kernel.code.launch.scratchBytes = 0;
        kernel.routine = std::move(routine);
    }

    int m_threads;
    const LibraryOptions &m_options;
    std::vector<std::unique_ptr<BaselineProcess>> m_processes;
};

} // namespace

std::string LibraryTrial::text() const {
    if (kernel.empty()) return fmt::format("{} is not used: {}", library, refusal);
    const std::string what = fmt::format("{} ({}), {}", kernel, fmt::join(nodes, ", "), problem);
    if (!refusal.empty()) return fmt::format("{}: not by {}: {}", what, library, refusal);
    return fmt::format("{}: {} ({}) {:.4g} us, the kernel {:.4g} us; {}", what, library, implementation, seconds * 1e6,
                       ownSeconds * 1e6, chosen ? "offloaded to the library" : "the kernel stays");
}

Outcome<std::vector<LibraryTrial>> offloadToLibraries(const GraphFunction &function, const Partition &partition,
                                                      const std::vector<KernelTask> &tasks, const Target &target,
                                                      const LibraryOptions &options, std::vector<PlanKernel> &kernels) {
    setKernelThreads(target.hardware.numCores);
    LibrarySelection selection(target, options);
    std::vector<LibraryTrial> all = selection.start();
    for (size_t t = 0; t < tasks.size(); ++t) {
        std::vector<std::string> nodes;
        for (const NodeId node : partition.kernels[tasks[t].kernels.front()].nodes)
            nodes.push_back(function.node(node).name);
        std::string pinnedNode;
        for (const size_t kernel : tasks[t].kernels)
            for (const NodeId node : partition.kernels[kernel].nodes)
                if (options.pinned.contains(function.node(node).name)) pinnedNode = function.node(node).name;
        const std::string pinned = pinnedNode.empty() ? std::string() : options.pinned.at(pinnedNode);
        std::vector<LibraryTrial> trials = selection.decide(tasks[t], kernels[t], pinned);
        if (!pinned.empty() && !kernels[t].routine) {
            std::string why = "it has no routine for what the kernel computes";
            for (const LibraryTrial &missing : all)
                if (missing.kernel.empty() && missing.library == pinned) why = missing.refusal;
            if (!trials.empty()) why = trials.front().refusal;
            return Refusal{
                fmt::format("{} ({}) is to be computed by {}: {}", kernels[t].name, pinnedNode, pinned, why)};
        }
        for (LibraryTrial &trial : trials) {
            trial.kernel = kernels[t].name;
            trial.nodes = nodes;
            all.push_back(std::move(trial));
        }
    }
    return all;
}

} // namespace loopscope
