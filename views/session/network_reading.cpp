// How a network comes from its file, and what becomes of it: the only file of the window that calls these parts of
// core.

#include "network/prepare.h"
#include "onnx/import.h"
#include "outcome.h"
#include "passes/pass_context.h"
#include "passes/pipeline.h"
#include "plan/memory_plan.h"
#include "strategy/compatible_strategies.h"
#include "strategy/usual_strategies.h"
#include "views/session/network_kernels.h"
#include "views/session/text.h"

#include <algorithm>
#include <chrono>

namespace loopscope {

namespace {

/// Keeps what each pass that changed something handed back. Functions share what is the same.
class KeepForms : public PassInstrument {
  public:
    KeepForms(std::vector<NetworkForm> &forms, const std::atomic<bool> &cancelled)
        : m_forms(forms), m_cancelled(cancelled) {}
    [[nodiscard]] std::string name() const override { return "forms"; }
    Verdict after(const PassInfo &info, const Module & /*before*/, const Module &after) override {
        const FunctionPtr main = after.find("main");
        if (main && main != m_forms.back().function) m_forms.push_back({qt(info.name), main});
        return {m_cancelled.load()};
    }

  private:
    std::vector<NetworkForm> &m_forms;
    const std::atomic<bool> &m_cancelled;
};

const std::string kChoosing = "chooseImplementations";

/// The last of the passes on operators, which reads logs.
void chooseImplementations(NetworkKernels &kernels, const KernelChoice &choice, ThreadPool &pool) {
    const bool asked = choice.rule != ImplementationRule::Level || !choice.pins.empty();
    if (kernels.function->nodeCount() > kMaxDecided && !asked) return;
    const auto begin = std::chrono::steady_clock::now();
    const bool compatible = choice.rule == ImplementationRule::Compatible;
    NetworkStrategyOptions options;
    options.settings.measured = choice.rule == ImplementationRule::Measured;
    options.settings.guards = !compatible;
    options.settings.worst = choice.worst;
    options.pins = choice.pins;
    options.fusion = choice.fusion;
    if (options.settings.measured && !choice.logs.empty()) {
        options.logs = choice.logs;
        options.measuredOn = parseTarget("llvm");
    }
    auto strategies = decideStrategies(*kernels.function, compatible ? compatibleStrategies() : usualStrategies(),
                                       strategyTarget("llvm"), options, pool);
    if (!strategies) throw Error(strategies.why());
    auto written = withStrategies(*kernels.function, *strategies, pool);
    if (!written) throw Error(written.why());
    PassRow row{kChoosing, 1};
    row.nodesBefore = kernels.function->nodeCount();
    row.nodesAfter = (*written)->nodeCount();
    row.bytesBefore = row.bytesAfter = kernels.report.rows.empty() ? 0 : kernels.report.rows.back().bytesAfter;
    if (*written != kernels.function) {
        row.state = PassState::Changed;
        for (const Decision &decision : strategies->decisions) {
            const JudgedImplementation *chosen = decision.find(decision.chosen);
            if (chosen != nullptr && chosen->implementation.rewrite != nullptr)
                kernels.report.events.push_back(
                    {kChoosing, decision.node, decision.node, decision.chosen + ", because " + decision.because});
        }
        kernels.function = std::move(written).value();
        kernels.forms.push_back({qt(kChoosing), kernels.function});
    }
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    kernels.report.rows.push_back(std::move(row));
    kernels.decisions = std::move(strategies.value().decisions);
    kernels.logNotes = std::move(strategies.value().notes);
}

/// Of the function as it is run: what is pinned has no other form, and what lies otherwise only those it has so.
void tryForms(NetworkKernels &kernels, const KernelChoice &choice, ThreadPool &pool) {
    StrategyRequest request{usualStrategies(), strategyTarget("llvm"), {}};
    request.options.settings.worst = choice.worst;
    request.options.settings.measured = false;
    request.options.pins = choice.pins;
    request.options.fusion = choice.fusion;
    auto found = alternativeTasks(*kernels.function, request, pool);
    if (!found) throw Error(found.why());
    addAlternatives(kernels, std::move(found).value());
}

/// Behind implementations: once data lies otherwise, they are not looked for.
void assignLayouts(NetworkKernels &kernels, const Module &optimised, const KernelChoice &choice, ThreadPool &pool,
                   const std::atomic<bool> &cancelled) {
    NetworkLayoutRequest request;
    if (choice.layouts == DataLayoutRule::Last) request.everywhere = DataLayout::ChannelsLast;
    if (!request.everywhere)
        if (const std::string open = openDims(*kernels.function); !open.empty()) throw Error(open);
    request.timed = choice.layouts == DataLayoutRule::Measured;
    request.target = parseTarget("llvm");
    request.logs = choice.logs;
    request.fusion = choice.fusion;
    request.cancelled = &cancelled;
    auto layouts = decideLayouts(kernels.function, request, pool);
    if (cancelled) return;
    if (!layouts) throw Error(layouts.why());
    KeepForms keep(kernels.forms, cancelled);
    GraphPassContext context;
    context.pool = &pool;
    context.instruments = {&keep};
    context.report = std::move(kernels.report);
    const PassResult written = withLayouts(optimised.with(kernels.function), *layouts, context);
    kernels.report = std::move(context.report);
    if (!written.ok()) throw Error(written.refusal->sentence);
    kernels.function = written.module.find("main");
    for (const std::string &note : layouts->notes) kernels.logNotes.push_back(note);
    kernels.layouts = std::move(layouts).value();
}

} // namespace

NetworkContentsPtr readNetwork(const QString &path, const NetworkDims &dims) {
    if (path.endsWith(QLatin1String(".net"))) {
        NetworkChoice choice;
        choice.path = std8(path);
        choice.dims = dims;
        return networkOf(readNetwork(choice).module);
    }
    const auto asProblems = [](const std::vector<OnnxProblem> &list) {
        std::vector<NetworkProblem> problems;
        for (const OnnxProblem &one : list)
            problems.push_back({qt(one.node), qt(one.op), static_cast<int>(one.opset), qt(one.reason)});
        return problems;
    };
    ImportOptions options;
    options.dims = dims;
    ImportResult read = importOnnx(std8(path), options);
    if (read.module) return networkOf(std::move(*read.module), asProblems(read.notes), std::move(read.symbols));
    return networkOf({}, asProblems(read.problems), std::move(read.symbols));
}

NetworkKernelsPtr kernelsOf(const NetworkContents &contents, const KernelChoice &choice,
                            const std::atomic<bool> &cancelled) {
    auto kernels = std::make_shared<NetworkKernels>();
    kernels->forms.push_back({QString(), contents.main});
    ThreadPool pool(1);
    KeepForms keep(kernels->forms, cancelled);
    GraphPassContext context;
    context.level = usualLevel(choice.fusion);
    setPassesFor(choice.fusion, context);
    context.pool = &pool;
    context.instruments = {&keep};
    const PassResult optimised = optimise(contents.module, context);
    if (cancelled) return nullptr;
    if (!optimised.ok()) throw Error(optimised.refusal->sentence);
    kernels->report = std::move(context.report);
    kernels->function = optimised.module.find("main");
    chooseImplementations(*kernels, choice, pool);
    if (choice.layouts != DataLayoutRule::Keep) assignLayouts(*kernels, optimised.module, choice, pool, cancelled);
    if (cancelled) return nullptr;
    if (kernels->forms.back().function != kernels->function) kernels->forms.push_back({QString(), kernels->function});
    kernels->partition = partitionFunction(*kernels->function, choice.fusion);
    if (cancelled) return nullptr;
    kernels->tasks = networkTasks(*kernels->function, kernels->partition);
    if (auto memory = planMemory(*kernels->function, kernels->partition))
        kernels->memory = std::move(memory).value();
    else
        kernels->memoryProblem = qt(memory.why());
    findUses(*kernels);
    if (choice.rule == ImplementationRule::Tried) {
        if (const std::string open = openDims(*kernels->function); !open.empty()) throw Error(open);
        tryForms(*kernels, choice, pool);
    }
    return kernels;
}

} // namespace loopscope
