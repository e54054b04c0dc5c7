// How a network comes from its file, and what becomes of it: the only file of the window that calls these parts of
// core.

#include "network/prepare.h"
#include "onnx/import.h"
#include "outcome.h"
#include "passes/pass_context.h"
#include "passes/pipeline.h"
#include "plan/memory_plan.h"
#include "views/session/network_kernels.h"
#include "views/session/text.h"

#include <algorithm>

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

NetworkKernelsPtr kernelsOf(const NetworkContents &contents, FusionMode fusion, const std::atomic<bool> &cancelled) {
    auto kernels = std::make_shared<NetworkKernels>();
    kernels->forms.push_back({QString(), contents.main});
    ThreadPool pool(1);
    KeepForms keep(kernels->forms, cancelled);
    GraphPassContext context;
    context.level = usualLevel(fusion);
    context.pool = &pool;
    context.instruments = {&keep};
    const PassResult optimised = optimise(contents.module, context);
    if (cancelled) return nullptr;
    if (!optimised.ok()) throw Error(optimised.refusal->sentence);
    kernels->report = std::move(context.report);
    kernels->function = optimised.module.find("main");
    if (kernels->forms.back().function != kernels->function) kernels->forms.push_back({QString(), kernels->function});
    kernels->partition = partitionFunction(*kernels->function, fusion);
    if (cancelled) return nullptr;
    kernels->tasks = networkTasks(*kernels->function, kernels->partition);
    if (auto memory = planMemory(*kernels->function, kernels->partition))
        kernels->memory = std::move(memory).value();
    else
        kernels->memoryProblem = qt(memory.why());
    findUses(*kernels);
    return kernels;
}

} // namespace loopscope
