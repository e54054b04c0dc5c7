#include "deploy/network/build.h"

#include "base/thread_pool.h"
#include "codegen/code_generator.h"
#include "codegen/lower/lower.h"
#include "deploy/network/schedule_selection.h"
#include "networks/op/integer_division.h"
#include "networks/partition/tasks.h"
#include "schedule/loop_state.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <optional>

namespace loopscope {

namespace {

/// Of a kernel's time alone, that a library may take where the two compete in the network all the same.
constexpr double kWorthSelecting = 1.5;

const char *const kDefault = "default";

/// Code for one task, or why there is none.
struct BuiltTask {
    std::optional<PlanKernel> kernel;
    std::string problem;
    std::string note;
};

class TaskBuilder {
  public:
    TaskBuilder(const KernelTask &task, const BuildOptions &options, CodeGenerator &generator)
        : m_task(task), m_options(options), m_generator(generator) {}

    BuiltTask build() {
        const Task &task = m_task.task;
        if (const auto known = m_options.known.find(task.key); known != m_options.known.end()) {
            if (tryTo(known->second.steps, known->second.name)) return std::move(m_built);
            m_built.note = fmt::format("{} is not used for {}: {}", known->second.name, task.dag->name(), m_why);
        }
        const auto schedules = defaultSchedules(task, m_options.defaults);
        if (!schedules) {
            m_built.problem = schedules.why();
            return std::move(m_built);
        }
        for (const Steps &steps : *schedules)
            if (tryTo(steps, kDefault)) return std::move(m_built);
        m_built.problem = fmt::format("no code can be made of {}: {}", task.dag->name(), m_why);
        return std::move(m_built);
    }

    /// With that schedule or not at all.
    std::optional<PlanKernel> buildWith(const KnownSchedule &schedule) {
        if (!tryTo(schedule.steps, schedule.name)) return std::nullopt;
        return std::move(m_built.kernel);
    }

  private:
    bool tryTo(const Steps &steps, const std::string &name) {
        const Task &task = m_task.task;
        const auto state = replay(task.dag, steps);
        if (!state) return refuse(state.why());
        auto program = lower(*state, task.target, {.layoutRewrite = 2, .observer = {}});
        // Weights that only the run knows are laid out by the kernel itself.
        if (program && packsWhatIsUnknown(*program))
            program = lower(*state, task.target, {.layoutRewrite = 1, .observer = {}});
        if (!program) return refuse(program.why());
        auto code = m_generator.compile(*program, {.optLevel = m_options.optLevel});
        if (!code) return refuse(code.why());
        m_built.kernel =
            PlanKernel{task.key, task.dag->name(), steps, name, task.dag->flops(), std::move(code.value().kernel)};
        return true;
    }

    [[nodiscard]] bool packsWhatIsUnknown(const LoopProgram &program) const {
        for (size_t i = 0; i < program.args.size(); ++i)
            if (!program.args[i].packing.empty() && !m_task.constants[i]) return true;
        return false;
    }

    bool refuse(const std::string &why) {
        if (m_why.empty()) m_why = why; // that of the best schedule
        return false;
    }

    const KernelTask &m_task;
    const BuildOptions &m_options;
    CodeGenerator &m_generator;
    BuiltTask m_built;
    std::string m_why;
};

/// One for each thread.
Outcome<std::vector<std::unique_ptr<CodeGenerator>>> generatorsOf(const ThreadPool &pool, const Target &target) {
    std::vector<std::unique_ptr<CodeGenerator>> generators;
    for (int i = 0; i < pool.threads(); ++i) {
        auto made = makeCodeGenerator(target);
        if (!made) return made.refusal();
        generators.push_back(std::move(made).value());
    }
    return generators;
}

Outcome<std::vector<BuiltTask>> buildTasks(const std::vector<KernelTask> &tasks, const Target &target,
                                           const BuildOptions &options) {
    ThreadPool pool(options.threads);
    const auto generators = generatorsOf(pool, target);
    if (!generators) return generators.refusal();
    std::vector<BuiltTask> built(tasks.size());
    std::mutex telling;
    size_t done = 0;
    pool.forEach(tasks.size(), [&](size_t i, int worker) {
        built[i] = TaskBuilder(tasks[i], options, *(*generators)[static_cast<size_t>(worker)]).build();
        const std::lock_guard lock(telling);
        ++done;
        if (options.progress) options.progress(done, tasks.size(), tasks[i]);
    });
    return built;
}

/// By task, for those whose kernel has a schedule that nobody measured: others that are estimated well.
Outcome<std::vector<std::vector<Steps>>> estimatedOnes(const std::vector<KernelTask> &tasks,
                                                       const BuildOptions &options,
                                                       const std::vector<PlanKernel> &kernels, ThreadPool &pool) {
    std::vector<std::vector<Steps>> ones(tasks.size());
    if (options.estimated < 2) return ones;
    std::vector<std::string> problems(tasks.size());
    pool.forEach(tasks.size(), [&](size_t t, int) {
        if (kernels[t].schedule != kDefault) return;
        auto varied = variedSchedules(tasks[t].task, options.defaults, options.estimated);
        if (!varied) {
            problems[t] = varied.why();
            return;
        }
        std::erase(*varied, kernels[t].steps);
        if (varied->size() >= options.estimated) varied->resize(options.estimated - 1);
        ones[t] = std::move(varied).value();
    });
    for (const std::string &problem : problems)
        if (!problem.empty()) return Refusal{problem};
    return ones;
}

/// Behind each kernel those that further schedules of its task make; what cannot be built is left out.
Outcome<std::vector<TaskAlternatives>> withFurther(const std::vector<KernelTask> &tasks, const Target &target,
                                                   const BuildOptions &options,
                                                   const std::vector<PlanKernel> &kernels) {
    struct Wanted {
        size_t task = 0;
        KnownSchedule schedule;
    };
    std::vector<Wanted> wanted;
    ThreadPool pool(options.threads);
    const auto guessed = estimatedOnes(tasks, options, kernels, pool);
    if (!guessed) return guessed.refusal();
    for (size_t t = 0; t < tasks.size(); ++t) {
        if (const auto found = options.further.find(tasks[t].task.key); found != options.further.end())
            for (const KnownSchedule &schedule : found->second)
                if (schedule.name != kernels[t].schedule) wanted.push_back({t, schedule});
        for (const Steps &steps : (*guessed)[t])
            wanted.push_back({t, {steps, fmt::format("default {}", &steps - (*guessed)[t].data() + 2)}});
    }
    const auto generators = generatorsOf(pool, target);
    if (!generators) return generators.refusal();
    std::vector<std::optional<PlanKernel>> built(wanted.size());
    std::mutex telling;
    size_t done = 0;
    pool.forEach(wanted.size(), [&](size_t i, int worker) {
        built[i] = TaskBuilder(tasks[wanted[i].task], options, *(*generators)[static_cast<size_t>(worker)])
                       .buildWith(wanted[i].schedule);
        const std::lock_guard lock(telling);
        ++done;
        if (options.progress) options.progress(done, wanted.size(), tasks[wanted[i].task]);
    });
    std::vector<TaskAlternatives> alternatives;
    for (const PlanKernel &kernel : kernels) alternatives.push_back({kernel});
    for (size_t i = 0; i < wanted.size(); ++i)
        if (built[i]) alternatives[wanted[i].task].push_back(std::move(*built[i]));
    return alternatives;
}

/// Takes what is selected inside the network; a kernel that a library computes is compared with ours, but for those
/// whose library is pinned.
std::optional<Refusal> chooseInContext(const GraphFunction &function, const Partition &partition,
                                       const MemoryPlan &memory, const std::vector<KernelTask> &tasks,
                                       const Target &target, const BuildOptions &options,
                                       std::vector<TaskAlternatives> alternatives, std::vector<PlanKernel> &kernels,
                                       BuiltPlan &result) {
    for (size_t t = 0; t < tasks.size(); ++t) {
        if (!kernels[t].routine) continue;
        const bool pinned = std::ranges::any_of(tasks[t].kernels, [&](size_t kernel) {
            return std::ranges::any_of(partition.kernels[kernel].nodes, [&](NodeId node) {
                return options.libraries.pinned.contains(function.node(node).name);
            });
        });
        if (pinned)
            alternatives[t] = {kernels[t]};
        else
            alternatives[t].push_back(kernels[t]);
    }
    if (std::ranges::none_of(alternatives, [](const TaskAlternatives &some) { return some.size() > 1; })) {
        result.notes.emplace_back("nothing to select inside the network: there is one schedule of each kernel");
        return std::nullopt;
    }
    auto selection = selectSchedules(function, partition, memory, tasks, target, alternatives, options.selection);
    if (!selection) return selection.refusal();
    for (size_t t = 0; t < tasks.size(); ++t) kernels[t] = std::move(alternatives[t][selection->chosen[t]]);
    result.selection = std::move(selection->trials);
    result.secondsUnselected = selection->secondsBefore;
    result.secondsSelected = selection->seconds;
    return std::nullopt;
}

} // namespace

Outcome<std::vector<KernelTask>> kernelTasks(const GraphFunction &function, const Partition &partition,
                                             const Target &target) {
    std::vector<KernelTask> tasks;
    for (const NetworkTask &alike : networkTasks(function, partition)) {
        std::map<std::vector<bool>, size_t> numbers; // by which arguments are constants
        for (const size_t k : alike.kernels) {
            const Kernel &kernel = partition.kernels[k];
            if (!kernel.runs() || isHostKernel(function, kernel)) continue;
            if (alike.dag == nullptr) return Refusal{alike.whyNot};
            std::vector<bool> constants(kernel.inputs.size() + kernel.outputs.size(), false);
            for (size_t i = 0; i < kernel.inputs.size(); ++i) constants[i] = function.isConstant(kernel.inputs[i]);
            const auto [found, fresh] = numbers.try_emplace(constants, tasks.size());
            if (fresh) {
                tasks.push_back({makeTask(alike.dag, target), constants, {}});
                tasks.back().task.layoutRewrite = LayoutRewrite::Pretransformed;
            }
            tasks[found->second].kernels.push_back(k);
        }
    }
    return tasks;
}

Outcome<std::vector<HostKernel>> hostKernels(const GraphFunction &function, const Partition &partition) {
    std::vector<HostKernel> hosts;
    for (size_t k = 0; k < partition.kernels.size(); ++k) {
        const Kernel &kernel = partition.kernels[k];
        if (!isHostKernel(function, kernel)) continue;
        auto routine = hostRoutineOf(function, kernel);
        if (!routine) return routine.refusal();
        PlanKernel code;
        code.name = kernel.name;
        code.schedule = "host";
        code.code.launch.args = hostArguments(function, kernel);
        code.host = std::move(routine).value();
        hosts.push_back({k, std::move(code)});
    }
    return hosts;
}

Outcome<LoopProgram> loopsOf(const PlanKernel &kernel, const Task &task) {
    if (kernel.routine)
        return Refusal{
            fmt::format("the kernel {} is offloaded to the library {}", kernel.name, kernel.routine->library)};
    if (kernel.host)
        return Refusal{
            fmt::format("the kernel {} is computed on the host as the catalogue says, without loops", kernel.name)};
    if (kernel.key != task.key) return Refusal{fmt::format("the kernel {} is of another task", kernel.name)};
    const auto state = replay(task.dag, kernel.steps);
    if (!state) return state.refusal();
    const auto &args = kernel.code.launch.args;
    const bool packed =
        std::any_of(args.begin(), args.end(), [](const KernelArg &arg) { return !arg.packing.empty(); });
    return lower(*state, task.target, {.layoutRewrite = packed ? 2 : 1, .observer = {}});
}

Outcome<std::vector<PlanKernel>> buildKernels(const std::vector<KernelTask> &tasks, const Target &target,
                                              const BuildOptions &options, std::vector<std::string> &notes) {
    auto built = buildTasks(tasks, target, options);
    if (!built) return built.refusal();
    std::vector<PlanKernel> kernels;
    for (BuiltTask &each : *built) {
        if (!each.note.empty()) notes.push_back(std::move(each.note));
        if (!each.kernel) return Refusal{each.problem};
        kernels.push_back(std::move(*each.kernel));
    }
    return kernels;
}

namespace {

/// By a constant with a zero; values of a run are looked at when it comes to them.
std::optional<Refusal> constantDivision(const GraphFunction &function) {
    for (size_t i = 0; i < function.nodeCount(); ++i) {
        const Node &node = function.node(NodeId(i));
        const auto divisor = checkedDivisor(function, node);
        const HostTensor *constant = divisor ? function.constant(*divisor) : nullptr;
        if (constant == nullptr) continue;
        const auto zero = zeroAmong(constant->integerValues(), constant->dims(), function.value(*divisor).name);
        return Refusal{divisionByZeroText(nodeText(node), zero.value_or(""))};
    }
    return std::nullopt;
}

} // namespace

Outcome<BuiltPlan> buildPlan(const GraphFunction &function, const Partition &partition, const Target &target,
                             const BuildOptions &options) {
    if (target.isGpu()) return Refusal{"plans run on processors; the target is `" + target.text() + "`"};
    if (auto wrong = wrongConstantIndex(function)) return *std::move(wrong);
    if (auto refusal = constantDivision(function)) return std::move(*refusal);
    const auto memory = planMemory(function, partition, options.memory);
    if (!memory) return memory.refusal();
    const auto tasks = kernelTasks(function, partition, target);
    if (!tasks) return tasks.refusal();
    auto hosts = hostKernels(function, partition);
    if (!hosts) return hosts.refusal();
    BuiltPlan result;
    auto kernels = buildKernels(*tasks, target, options, result.notes);
    if (!kernels) return kernels.refusal();
    std::vector<TaskAlternatives> alternatives;
    if (!options.further.empty() || options.estimated > 1) {
        auto further = withFurther(*tasks, target, options, *kernels);
        if (!further) return further.refusal();
        alternatives = std::move(further).value();
    }
    if (!options.libraries.names.empty() || !options.libraries.pinned.empty()) {
        LibraryOptions libraries = options.libraries;
        if (!alternatives.empty()) libraries.worthIt = kWorthSelecting;
        auto trials = offloadToLibraries(function, partition, *tasks, target, libraries, *kernels);
        if (!trials) return trials.refusal();
        result.libraries = std::move(trials).value();
    }
    if (!alternatives.empty())
        if (auto refusal = chooseInContext(function, partition, *memory, *tasks, target, options,
                                           std::move(alternatives), *kernels, result))
            return std::move(*refusal);
    std::vector<size_t> kernelOf(partition.kernels.size(), PlanCall::kNoKernel);
    for (size_t t = 0; t < tasks->size(); ++t)
        for (const size_t kernel : (*tasks)[t].kernels) kernelOf[kernel] = t;
    for (HostKernel &host : *hosts) {
        kernelOf[host.kernel] = kernels->size();
        kernels->push_back(std::move(host.code));
    }
    result.plan = makeExecutionPlan(function, partition, *memory, std::move(*kernels), kernelOf);
    result.plan.target = target.text();
    return result;
}

} // namespace loopscope
