// How a network comes from its file, and what becomes of it: the only file of the window that calls these parts of
// core.

#include "base/outcome.h"
#include "deploy/network/prepare.h"
#include "deploy/plan/memory_plan.h"
#include "networks/onnx/import.h"
#include "networks/strategy/compatible_strategies.h"
#include "networks/strategy/usual_strategies.h"
#include "views/session/network_kernels.h"
#include "views/session/text.h"

#include <optional>

namespace loopscope {

namespace {

/// Keeps what each pass that changed something handed back. Functions share what is the same.
PassWatch keepForms(std::vector<NetworkForm> &forms, const std::atomic<bool> &cancelled) {
    return [&forms, &cancelled](const PassInfo &info, const Module & /*before*/, const Module &after) -> PassVerdict {
        const FunctionPtr main = after.find("main");
        if (main && main != forms.back().function) forms.push_back({qt(info.name), main});
        return {cancelled.load()};
    };
}

StrategyRequest strategiesOf(const KernelChoice &choice) {
    const bool compatible = choice.rule == ImplementationRule::Compatible;
    StrategyRequest request{compatible ? compatibleStrategies() : usualStrategies(), strategyTarget("llvm"), {}};
    NetworkStrategyOptions &options = request.options;
    options.settings.measured = choice.rule == ImplementationRule::Measured;
    options.settings.guards = !compatible;
    options.settings.worst = choice.worst;
    options.pins = choice.pins;
    options.fusion = choice.fusion;
    if (options.settings.measured && !choice.logs.empty()) {
        options.logs = choice.logs;
        options.measuredOn = parseTarget("llvm");
    }
    return request;
}

std::optional<NetworkLayoutRequest> layoutsOf(const KernelChoice &choice, const std::atomic<bool> &cancelled) {
    if (choice.layouts == DataLayoutRule::Keep) return std::nullopt;
    NetworkLayoutRequest request;
    if (choice.layouts == DataLayoutRule::Last) request.everywhere = DataLayout::ChannelsLast;
    request.timed = choice.layouts == DataLayoutRule::Measured;
    request.target = parseTarget("llvm");
    request.logs = choice.logs;
    request.fusion = choice.fusion;
    request.cancelled = &cancelled;
    return request;
}

/// Of the function as it is run: what is pinned has no other form, and what lies otherwise only those it has so.
void tryForms(NetworkKernels &kernels, const KernelChoice &choice, ThreadPool &pool) {
    auto found = alternativeTasks(*kernels.function, strategiesOf(choice), pool);
    if (!found) throw Error(found.why());
    addAlternatives(kernels, std::move(found).value());
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
    NetworkChoice how;
    how.fusion = choice.fusion;
    how.level = usualLevel(choice.fusion);
    how.strategies = strategiesOf(choice);
    if (choice.rule == ImplementationRule::Level && choice.pins.empty()) how.mostDecided = kMaxDecided;
    how.layouts = layoutsOf(choice, cancelled);
    if (choice.confirmed)
        how.confirmed =
            FusionRequest{.target = parseTarget("llvm"), .logs = choice.logs, .timing = {.cancelled = &cancelled}};
    how.watch = keepForms(kernels->forms, cancelled);
    how.cancelled = &cancelled;
    how.threads = 1;
    PreparedNetwork prepared = prepareNetwork({contents.module, {}}, how);
    if (cancelled) return nullptr;
    kernels->function = prepared.optimised.find("main");
    if (kernels->forms.back().function != kernels->function) kernels->forms.push_back({QString(), kernels->function});
    kernels->report = std::move(prepared.report);
    kernels->decisions = std::move(prepared.decisions);
    kernels->layouts = std::move(prepared.layouts);
    kernels->logNotes = std::move(prepared.notes);
    kernels->partition = std::move(prepared.partition);
    kernels->tasks = std::move(prepared.tasks);
    if (auto memory = planMemory(*kernels->function, kernels->partition))
        kernels->memory = std::move(memory).value();
    else
        kernels->memoryProblem = qt(memory.why());
    findUses(*kernels);
    if (choice.rule == ImplementationRule::Tried) {
        if (const std::string open = openDims(*kernels->function); !open.empty()) throw Error(open);
        ThreadPool pool(1);
        tryForms(*kernels, choice, pool);
    }
    return kernels;
}

} // namespace loopscope
