#include "views/session/network_profile.h"

#include "base/isolate/run_program.h"
#include "deploy/network/build.h"
#include "deploy/network/further_schedules.h"
#include "deploy/network/task_records.h"
#include "deploy/network/weights.h"
#include "deploy/plan/plan_file.h"
#include "deploy/plan_worker/plan_worker.h"
#include "views/session/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <string_view>

namespace loopscope {

namespace {

constexpr double kBuiltShare = 0.5; // of the job, for its progress
constexpr uint64_t kWeightSeed = 1;
constexpr uint64_t kInputSeed = 0;

QString say(const char *text) { return QCoreApplication::translate("NetworkProfile", text); }

void takeVerdicts(NetworkProfile &profile, const ExecutionPlan &plan, const Verification &verification) {
    std::vector<std::optional<CallVerdict>> byCall(plan.calls.size());
    for (const CallVerdict &verdict : verification.calls) {
        auto &kept = byCall[verdict.call];
        if (!kept || (kept->ok && !verdict.ok)) kept = verdict; // of several outputs the wrong one
    }
    for (size_t call = 0; call < plan.calls.size(); ++call)
        if (plan.calls[call].action != KernelAction::Nothing) profile.verdicts.push_back(byCall[call]);
    profile.worst = verification.worstRatio();
    if (verification.firstDeviating) profile.firstWrong = verification.calls[*verification.firstDeviating].sentence;
}

/// A network written by hand has no imported nodes: its own stand for themselves, as everywhere (sourcesOf).
void nameSources(PlanProfile &profile, const GraphFunction &function) {
    std::map<std::string_view, const Node *> nodes;
    for (size_t i = 0; i < function.nodeCount(); ++i)
        nodes.emplace(function.node(NodeId(i)).name, &function.node(NodeId(i)));
    for (CallProfile &call : profile.calls)
        for (const std::string &name : call.nodes) {
            const auto node = nodes.find(name);
            if (node == nodes.end()) continue;
            for (const std::string &source : sourcesOf(*node->second))
                if (std::ranges::find(call.sources, source) == call.sources.end()) call.sources.push_back(source);
        }
}

/// As calls computed them; nothing where a result is no call's.
std::optional<std::vector<HostTensor>> resultsOf(const ExecutionPlan &plan, const CallValues &values) {
    std::vector<HostTensor> results;
    for (const PlanTensor &wanted : plan.outputs) {
        const size_t before = results.size();
        for (size_t call = 0; call < plan.calls.size() && results.size() == before; ++call)
            for (size_t o = 0; o < plan.calls[call].outputs.size(); ++o)
                if (plan.calls[call].outputs[o].name == wanted.name) {
                    results.push_back(values.value(call, o));
                    break;
                }
        if (results.size() == before) return std::nullopt;
    }
    return results;
}

} // namespace

PlanRunRequest planRunRequest(const GraphFunction &function, const std::string &plan, int threads) {
    PlanRunRequest request;
    request.plan = plan;
    request.threads = threads;
    for (const HostTensor &input : seededInputs(function, InputKind::Uniform, kInputSeed)) {
        const HostTensor dense = input.dense();
        request.inputs.emplace_back(reinterpret_cast<const char *>(dense.bytes()), dense.byteSize());
    }
    return request;
}

NetworkProfilePtr profileNetwork(const NetworkContents &contents, NetworkKernelsPtr shown, const KernelChoice &choice,
                                 const QString &name, const ProfileRequest &wanted, JobControl &control) {
    NetworkKernelsPtr kernels = shown;
    const SeededWeights seeded = withSeededWeights(*contents.main, kWeightSeed);
    if (seeded.replaced > 0) {
        NetworkContents random = contents;
        random.main = seeded.function;
        random.module = contents.module.with(seeded.function);
        kernels = kernelsOf(random, choice, control.cancelFlag());
        if (!kernels) return nullptr;
    }
    const Target target = parseTarget("llvm");
    const TaskRecords records = recordsOfTasks(kernels->tasks, target, wanted.logs);
    BuildOptions options;
    options.known = knownSchedules(kernels->tasks, records);
    double share = 0; // further schedules are built after the first of each, and a bar does not go back
    const auto advance = [&](double from, double to, size_t done, size_t of) {
        share = std::max(share, from + (to - from) * static_cast<double>(done) / static_cast<double>(of));
        control.progress(share);
    };
    const double compiledShare = wanted.alternatives > 1 ? kBuiltShare / 3 : kBuiltShare;
    options.progress = [&](size_t done, size_t of, const KernelTask &) { advance(0, compiledShare, done, of); };
    if (wanted.alternatives > 1)
        options.further = furtherSchedules(kernels->tasks, records, target, wanted.logs, wanted.alternatives - 1);
    options.estimated = wanted.alternatives;
    options.selection.cancelled = &control.cancelFlag();
    options.selection.progress = [&](size_t done, size_t of, const std::string &) {
        advance(compiledShare, kBuiltShare, done, of);
    };
    auto built = buildPlan(*kernels->function, kernels->partition, target, options);
    if (control.cancelled()) return nullptr;
    if (!built) throw Error(std8(name), 0, 0, built.why());
    ExecutionPlan &plan = built->plan;
    plan.network = std8(name);

    auto made = std::make_shared<NetworkProfile>();
    made->notes = records.notes;
    made->notes.insert(made->notes.end(), built->notes.begin(), built->notes.end());
    made->recorded = records.found();
    made->secondsUnselected = built->secondsUnselected;
    made->secondsSelected = built->secondsSelected;
    for (const SelectionTrial &trial : built->selection) {
        made->rechosen += trial.chosen != trial.before ? 1 : 0;
        for (const std::string &refusal : trial.refusals)
            made->notes.push_back(trial.kernel + " takes no part: " + refusal);
    }
    made->tasks = kernels->searchable();
    const WorkFolder folder("network");
    PlanRunRequest request = planRunRequest(*kernels->function, folder.file("network.plan"),
                                            wanted.threads > 0 ? wanted.threads : target.hardware.numCores);
    request.runs = wanted.runs;
    if (wanted.check) request.values = folder.file("values");
    writePlan(plan, request.plan);
    auto profile = runPlanInWorker(request, &control.cancelFlag());
    if (control.cancelled()) return nullptr;
    if (!profile) throw Error(std8(name), 0, 0, profile.why());
    made->profile = std::move(*profile);
    nameSources(made->profile, *kernels->function);
    for (const CallProfile &call : made->profile.calls)
        made->sources.emplace_back(call.sources.begin(), call.sources.end());
    if (wanted.check) {
        control.progress(0.8);
        const CallValues values = callValuesIn(plan, request.values);
        const std::vector<HostTensor> inputs = seededInputs(*kernels->function, InputKind::Uniform, kInputSeed);
        const auto verified = verifyCalls(*kernels->function, plan, inputs,
                                          [&](size_t call, size_t output) { return values.value(call, output); });
        if (!verified) throw Error(std8(name), 0, 0, verified.why());
        takeVerdicts(*made, plan, *verified);
        // Kernels that are right may compute what passes made wrong.
        const auto outputs = resultsOf(plan, values);
        if (outputs && made->firstWrong.empty()) {
            std::vector<std::string> named;
            for (const PlanCall &call : plan.calls) named.push_back(call.name);
            const auto results =
                verifyOutputs(seeded.replaced > 0 ? *seeded.function : *contents.main, inputs, *outputs, named);
            if (!results) throw Error(std8(name), 0, 0, results.why());
            if (!results->ok()) made->firstWrong = results->calls[*results->firstDeviating].sentence;
        }
    }
    made->kernels = std::move(shown);
    made->seeded = seeded.replaced;
    return made;
}

QString profileSentence(const NetworkProfile &profile) {
    const PlanProfile &times = profile.profile;
    QString text = say("A run takes %1 on %2")
                       .arg(timeWithinText(times.whole.median, times.whole.lower, times.whole.upper),
                            countedText(static_cast<size_t>(times.threads), "thread"));
    if (!profile.firstWrong.empty())
        text += say("; WRONG: %1").arg(qt(profile.firstWrong));
    else if (profile.checked())
        text +=
            say("; every answer is right, the largest error is %1 of what is allowed").arg(percentText(profile.worst));
    text += say("; %1 of %2 tuned").arg(profile.recorded).arg(countedText(profile.tasks, "task"));
    if (profile.secondsUnselected > 0)
        text += say("; %1 by selection where they run, which took the run from %2 to %3")
                    .arg(countedText(profile.rechosen, "schedule changed", "schedules changed"),
                         timeText(profile.secondsUnselected), timeText(profile.secondsSelected));
    text += say("; %1 between kernels").arg(timeText(std::max(0.0, times.overhead())));
    if (profile.seeded > 0)
        text += say("; %1 of one number replaced by random ones").arg(countedText(profile.seeded, "weight"));
    return text;
}

} // namespace loopscope
