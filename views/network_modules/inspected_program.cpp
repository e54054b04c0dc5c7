#include "views/network_modules/inspected_program.h"

#include "deploy/network/task_records.h"
#include "measure/timing/machine_use.h"
#include "views/session/text.h"

#include <QCoreApplication>

namespace loopscope {

namespace {

QString say(const char *sentence) { return QCoreApplication::translate("NetworkModulesView", sentence); }

} // namespace

InspectedProgramPtr inspectNetwork(NetworkKernelsPtr kernels, const QString &name, const std::vector<std::string> &logs,
                                   JobControl &control) {
    auto made = std::make_shared<InspectedProgram>();
    made->target = parseTarget("llvm");
    const TaskRecords records = recordsOfTasks(kernels->tasks, made->target, logs);
    BuildOptions options;
    options.known = knownSchedules(kernels->tasks, records);
    options.progress = [&](size_t done, size_t of, const KernelTask &) {
        control.progress(static_cast<double>(done) / static_cast<double>(of));
    };
    auto tasks = kernelTasks(*kernels->function, kernels->partition, made->target);
    if (!tasks) throw Error(std8(name), 0, 0, tasks.why());
    made->tasks = std::move(tasks).value();
    const auto work = MachineUse::begin(MachineUse::Kind::Work, &control.cancelFlag());
    if (control.cancelled()) return nullptr;
    auto built = buildPlan(*kernels->function, kernels->partition, made->target, options);
    if (!built) throw Error(std8(name), 0, 0, built.why());
    if (control.cancelled()) return nullptr;
    ExecutionPlan &plan = built->plan;
    plan.network = std8(name);
    made->tree = modulesOf(plan);
    made->calls = qt(planText(plan));
    made->sources.resize(plan.kernels.size());
    for (size_t i = 0; i < made->tasks.size(); ++i)
        for (const size_t kernel : made->tasks[i].kernels)
            made->sources[i].insert(kernels->sources[kernel].begin(), kernels->sources[kernel].end());
    made->kernels = std::move(plan.kernels);
    made->notes = records.notes;
    made->notes.insert(made->notes.end(), built->notes.begin(), built->notes.end());
    made->network = std::move(kernels);
    return made;
}

InspectedProgramPtr inspectLibrary(const QString &path) {
    auto tree = modulesOfLibrary(std8(path));
    if (!tree) throw Error(tree.why());
    auto made = std::make_shared<InspectedProgram>();
    made->library = path;
    made->target = parseTarget("llvm");
    made->tree = std::move(tree).value();
    return made;
}

QString functionText(const InspectedProgram &program, const InspectedModule &module, const InspectedFunction &function,
                     KernelForm form) {
    if (module.kind == ModuleKind::Network) return program.calls;
    if (module.kind == ModuleKind::Wanted)
        return say("%1 is in none of these modules: a library that is opened with this one has it.")
            .arg(qt(function.name));
    const auto text = function.kernel ? kernelText(program.kernels[*function.kernel],
                                                   &program.tasks[*function.kernel].task, program.target, form)
                                      : libraryFunctionText(std8(program.library), function.name, program.target);
    if (!text) throw Error(text.why());
    return qt(*text);
}

} // namespace loopscope
