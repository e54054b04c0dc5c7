// `net modules`: what a network, a plan or a shared library is made of.

#include "choice.h"
#include "deploy/inspect/kernel_text.h"
#include "deploy/inspect/module_tree.h"
#include "deploy/plan/plan_file.h"
#include "net_parts.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

/// What was asked for, and whatever of it can be printed.
struct Inspected {
    ModuleTree tree;
    std::optional<ExecutionPlan> plan;
    std::vector<KernelTask> tasks; // kernel by kernel; none of a plan that was read
    Target target;
};

Inspected inspect(const NetModulesOptions &options) {
    const std::string suffix = std::filesystem::path(options.file).extension();
    Inspected made;
    if (suffix == ".plan") {
        made.plan = readPlan(options.file);
        made.target = parseTarget(made.plan->target);
        made.tree = modulesOf(*made.plan);
    } else if (suffix == ".onnx" || suffix == ".net") {
        NetworkPlan built = planOf(options, networkChoice(options));
        auto tasks = kernelTasks(built.network.optimised.main(), built.network.partition, built.target);
        if (!tasks) throw Error(options.file, 0, 0, tasks.why());
        made.tasks = std::move(tasks).value();
        made.plan = std::move(built.built.plan);
        made.target = built.target;
        made.tree = modulesOf(*made.plan);
    } else {
        auto tree = modulesOfLibrary(options.file);
        if (!tree) throw Error(tree.why());
        made.tree = std::move(tree).value();
        made.target = parseTarget("llvm");
    }
    return made;
}

std::string functionText(const NetModulesOptions &options, const Inspected &of) {
    const auto refuse = [&](const std::string &why) { return Error(options.file, 0, 0, why); };
    const InspectedFunction *found = nullptr;
    std::vector<std::string> names;
    for (const InspectedModule &module : of.tree.modules) {
        if (found == nullptr) found = module.find(options.function);
        for (const InspectedFunction &function : module.functions) names.push_back(function.name);
    }
    if (found == nullptr) {
        constexpr size_t kTold = 12;
        const std::string more = names.size() > kTold ? fmt::format(" and {} more", names.size() - kTold) : "";
        names.resize(std::min(names.size(), kTold));
        throw refuse(fmt::format("--function {}: there is none of that name; there are {}{}", options.function,
                                 fmt::join(names, ", "), more));
    }
    if (!of.plan) {
        if (options.as != "text" && options.as != "disassembly")
            throw refuse(fmt::format("--as {}: of a library there is the disassembly alone", options.as));
        auto text = libraryFunctionText(options.file, found->name, of.target);
        if (!text) throw refuse(text.why());
        return std::move(text).value();
    }
    if (!found->kernel) return planText(*of.plan);
    const Task *task = of.tasks.empty() ? nullptr : &of.tasks[*found->kernel].task;
    const KernelForm form = options.as != "text" ? *kernelFormFromName(options.as)
                            : task != nullptr    ? KernelForm::Loops
                                                 : KernelForm::Disassembly;
    auto text = kernelText(of.plan->kernels[*found->kernel], task, of.target, form);
    if (!text) throw refuse(text.why());
    return std::move(text).value();
}

} // namespace

int netModules(const NetModulesOptions &options) {
    if (options.function.empty() && options.as != "text")
        throw UsageError("--as says how --function NAME is printed, and there is none");
    const Inspected made = inspect(options);
    if (options.function.empty()) {
        writeResult(options, made.tree.json(), made.tree.text());
        return 0;
    }
    const std::string text = functionText(options, made);
    writeResult(options, {{"function", options.function}, {"text", text}}, text);
    return 0;
}

} // namespace loopscope
