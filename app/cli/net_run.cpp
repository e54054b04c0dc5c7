// `net build`, `net run`, `net verify`, `net profile`: a network that computes.

#include "base/input_file.h"
#include "base/isolate/field_wire.h"
#include "base/whole_file.h"
#include "choice.h"
#include "deploy/network/compiled_kernels.h"
#include "deploy/network/verify.h"
#include "deploy/network/verify_draws.h"
#include "deploy/network/weights.h"
#include "deploy/plan/chrome_trace.h"
#include "deploy/plan/plan_file.h"
#include "deploy/plan/profile.h"
#include "deploy/plan_worker/protected_run.h"
#include "deploy/vm/machine.h"
#include "deploy/vm/outline.h"
#include "language/tensor/npy_file.h"
#include "measure/timing/machine_use.h"
#include "net_parts.h"
#include "networks/graph/function_builder.h"
#include "networks/graph/statement.h"
#include "output.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

bool isPlan(const std::string &path) { return std::filesystem::path(path).extension() == ".plan"; }

std::string planText(const NetworkPlan &plan) {
    const ExecutionPlan &built = plan.built.plan;
    size_t weights = 0;
    for (const PackedConstant &packed : built.packed) weights += packed.bytes;
    size_t recorded = 0;
    for (const PlanKernel &kernel : built.kernels) recorded += kernel.schedule.starts_with("record") ? 1 : 0;
    return fmt::format(
        "{} calls of {} kernels, {} of them with a schedule from a log; {:.1f} MiB of tensors in one arena "
        "({:.3f} times what lives at once), {:.1f} MiB of weights\n",
        built.calls.size(), built.kernels.size(), recorded, static_cast<double>(built.arenaBytes) / (1 << 20),
        built.livePeak > 0 ? static_cast<double>(built.arenaBytes) / static_cast<double>(built.livePeak) : 1.0,
        static_cast<double>(weights) / (1 << 20));
}

Json planJson(const ExecutionPlan &plan) {
    return {{"calls", plan.calls.size()},
            {"kernels", plan.kernels.size()},
            {"arena_bytes", plan.arenaBytes},
            {"live_peak_bytes", plan.livePeak},
            {"without_reuse_bytes", plan.withoutReuse}};
}

/// "float32[1, 1000], -1.2 to 3.4, mean 0.01".
std::string tensorSummary(const HostTensor &tensor) {
    const std::vector<double> numbers = tensor.numbers();
    std::string text = typeText({tensor.dtype(), asDims(tensor.dims())});
    if (numbers.empty()) return text;
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    double sum = 0;
    for (const double number : numbers) sum += number;
    return fmt::format("{}, {:.6g} to {:.6g}, mean {:.6g}", text, *least, *most,
                       sum / static_cast<double>(numbers.size()));
}

} // namespace

void tellOutputs(const NetRunOptions &options, const std::vector<NamedOutput> &outputs) {
    std::vector<std::string> names;
    for (const NamedOutput &output : outputs) names.push_back(output.name);
    std::vector<std::string> files(outputs.size());
    for (const std::string &wanted : options.outputs) {
        const size_t sign = wanted.find('=');
        if (sign == std::string::npos || sign + 1 == wanted.size())
            throw UsageError(fmt::format("--output {} is not of the form NAME=FILE.npy", wanted));
        const auto at = std::find(names.begin(), names.end(), wanted.substr(0, sign));
        if (at == names.end())
            throw UsageError(fmt::format("--output {}: the network has no output {}; it has {}", wanted,
                                         wanted.substr(0, sign), fmt::join(names, ", ")));
        files[static_cast<size_t>(at - names.begin())] = wanted.substr(sign + 1);
    }
    Json json = Json::array();
    std::string text;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const HostTensor &tensor = outputs[i].tensor;
        if (!files[i].empty()) writeNpy(files[i], tensor);
        text += fmt::format("{}: {}{}\n", names[i], tensorSummary(tensor), files[i].empty() ? "" : ", to " + files[i]);
        json.push_back({{"name", names[i]},
                        {"type", typeText({tensor.dtype(), asDims(tensor.dims())})},
                        {"file", files[i].empty() ? Json(nullptr) : Json(files[i])}});
    }
    writeResult(options, {{"outputs", json}}, text);
}

namespace {

/// Runs it once.
void tellRun(const NetRunOptions &options, const ExecutionPlan &plan, const std::vector<HostTensor> &inputs,
             int threads) {
    auto values = runPlan(plan, inputs, protectionOf(options, threads));
    if (!values) throw Error(options.file, 0, 0, values.why());
    std::vector<NamedOutput> outputs;
    for (size_t i = 0; i < values->size(); ++i) outputs.push_back({plan.outputs[i].name, std::move((*values)[i])});
    tellOutputs(options, outputs);
}

/// Statements that say what runs.
bool branches(const Module &network) {
    for (const FunctionPtr &function : network.functions)
        for (size_t i = 0; i < function->nodeCount(); ++i)
            if (const auto kind = statementKind(function->node(NodeId(i))); kind && !computesValue(*kind)) return true;
    return false;
}

/// What a run by the virtual machine came to.
struct MachineAnswer {
    std::vector<std::string> notes;
    std::string problem; // empty: it went well
    std::string outputs; // packedTensors
};
LOOPSCOPE_FIELDS(MachineAnswer, notes, problem, outputs)

/// Control flow has no kernels, and a size that only a run knows no plan: the virtual machine runs such a network.
int runOnMachine(const NetRunOptions &options, const ReadNetwork &read, const std::string &why) {
    const GraphFunction &main = read.module.main();
    if (const std::string open = openDims(main); !open.empty()) throw Error(options.file, 0, 0, open);
    sayNotes(read.notes);
    const bool compiles = options.kernels.empty() ? !branches(read.module) : options.kernels == "compiled";
    sayNotes({fmt::format("{}: the virtual machine runs the network, its operators {}", why,
                          compiles ? "compiled" : "by the reference")});
    auto network = compiles ? outlined(read.module) : Outcome<Module>(read.module);
    if (!network) throw Error(options.file, 0, 0, network.why());
    const Program program = programOf(options, *network);
    for (const std::string &path : options.modules) sayCode(options, path, true);
    const std::vector<HostTensor> inputs = inputsOf(options, main);
    const WatchedRun watched;
    const auto work = [&] {
        MachineAnswer answer;
        std::unique_ptr<KernelRunner> kernels;
        CompiledKernels *compiled = nullptr;
        if (compiles) {
            auto made = std::make_unique<CompiledKernels>(networkTarget(options),
                                                          CompiledKernelOptions{.threads = options.threads,
                                                                                .seed = options.seed,
                                                                                .packed = packedFinder(options),
                                                                                .progress = &watched.progress()});
            compiled = made.get();
            kernels = std::move(made);
        } else {
            kernels = std::make_unique<ReferenceKernels>(options.threads, kMaxReferenceElements, packedFinder(options));
        }
        const auto machine = VirtualMachine::make(program, *kernels);
        if (!machine) {
            answer.problem = machine.why();
            return encodeFields(answer);
        }
        const auto values = (*machine)->run(inputs);
        if (compiled != nullptr) {
            answer.notes = compiled->notes();
            answer.notes.push_back(countedText(compiled->compilations(), "function") + " compiled");
        }
        if (!values) {
            answer.problem = values.why();
            return encodeFields(answer);
        }
        std::vector<HostTensor> outputs;
        for (const WideTensor &value : *values) outputs.push_back(value.narrow());
        answer.outputs = packedTensors(outputs);
        return encodeFields(answer);
    };
    // The reference is no code of anybody's.
    ProtectedRunOptions protection = protectionOf(options, options.threads);
    protection.readsFiles = true; // modules and what they need
    const bool runsCode = compiles || !options.modules.empty();
    const auto ended = runsCode ? watched.run(work, nullptr, protection) : Outcome<std::string>(work());
    if (!ended) throw Error(options.file, 0, 0, ended.why());
    const auto answer = decodeFields<MachineAnswer>(*ended);
    sayNotes(answer.notes);
    if (!answer.problem.empty()) throw Error(options.file, 0, 0, answer.problem);
    std::vector<HostTensor> values = tensorsOf(answer.outputs);
    std::vector<NamedOutput> outputs;
    for (size_t i = 0; i < std::min(values.size(), main.results().size()); ++i)
        outputs.push_back({main.value(main.results()[i]).name, std::move(values[i])});
    tellOutputs(options, outputs);
    return 0;
}

/// Of a plan without its network.
std::vector<HostTensor> inputsOfPlan(const NetExecuteOptions &options, const ExecutionPlan &plan) {
    FunctionBuilder builder("main");
    for (const PlanTensor &input : plan.inputs) builder.addParameter(input.name, {input.dtype, asDims(input.dims)});
    const FunctionPtr function = std::move(builder).finish();
    return inputsOf(options, *function);
}

int threadsOf(const NetExecuteOptions &options, const Target &target) {
    return options.threads > 0 ? options.threads : target.hardware.numCores;
}

} // namespace

int netBuild(const NetBuildOptions &options) {
    const NetworkPlan plan = planOf(options, networkChoice(options));
    writePlan(plan.built.plan, options.out);
    Json json = planJson(plan.built.plan);
    json["plan"] = options.out;
    json["notes"] = plan.built.notes;
    json["libraries"] = Json::array();
    for (const LibraryTrial &trial : plan.built.libraries)
        json["libraries"].push_back({{"kernel", trial.kernel},
                                     {"nodes", trial.nodes},
                                     {"library", trial.library},
                                     {"implementation", trial.implementation},
                                     {"problem", trial.problem},
                                     {"seconds", trial.seconds},
                                     {"own_seconds", trial.ownSeconds},
                                     {"chosen", trial.chosen},
                                     {"refusal", trial.refusal.empty() ? Json(nullptr) : Json(trial.refusal)}});
    if (plan.built.secondsUnselected > 0) {
        Json tasks = Json::array();
        for (const SelectionTrial &trial : plan.built.selection)
            tasks.push_back({{"kernel", trial.kernel},
                             {"nodes", trial.nodes},
                             {"kernels", trial.kernels},
                             {"alternatives", trial.alternatives},
                             {"before", trial.before},
                             {"chosen", trial.chosen},
                             {"seconds_before", trial.secondsBefore},
                             {"seconds", trial.seconds},
                             {"refusals", trial.refusals}});
        json["contest"] = {{"seconds_before", plan.built.secondsUnselected},
                           {"seconds", plan.built.secondsSelected},
                           {"tasks", std::move(tasks)}};
    }
    writeResult(options, json,
                planText(plan) + fmt::format("plan: {}, with {}.bin beside it\n", options.out, options.out));
    return 0;
}

int netRun(const NetRunOptions &options) {
    if (!options.dispatch.empty()) return netRunDispatched(options);
    if (!options.traffic.empty()) throw UsageError("--traffic: is of sizes that a table decides about (--dispatch)");
    if (isPlan(options.file)) {
        const ExecutionPlan plan = readPlan(options.file);
        sayCode(options, options.file);
        tellRun(options, plan, inputsOfPlan(options, plan), options.threads);
        return 0;
    }
    ReadNetwork read = readNetwork(networkChoice(options));
    const bool byReference = options.kernels == "reference";
    if (const auto why = whyOnMachine(read.module, !byReference)) return runOnMachine(options, read, *why);
    if (byReference)
        throw UsageError("--kernels reference: is for networks with control flow or operators of the host; of others "
                         "the kernels are compiled, and "
                         "net verify compares them with the reference");
    const NetworkPlan plan = planOf(options, networkChoice(options), std::move(read));
    tellRun(options, plan.built.plan, inputsOf(options, plan.network.optimised.main()),
            threadsOf(options, plan.target));
    return 0;
}

int netProfile(const NetProfileOptions &options) {
    if (!options.dispatch.empty()) return netProfileDispatched(options);
    std::optional<NetworkPlan> network;
    std::optional<ExecutionPlan> read;
    if (isPlan(options.file))
        read = readPlan(options.file);
    else
        network = planOf(options, networkChoice(options));
    const ExecutionPlan &plan = read ? *read : network->built.plan;
    const int threads = threadsOf(options, parseTarget(plan.target));
    if (read) sayCode(options, options.file);
    const std::vector<HostTensor> inputs =
        network ? inputsOf(options, network->network.optimised.main()) : inputsOfPlan(options, plan);
    const auto machine = MachineUse::begin(MachineUse::Kind::Timing, nullptr);
    const auto timed = timePlan(plan, inputs, {.warmups = 2, .runs = options.runs}, protectionOf(options, threads));
    if (!timed) throw Error(options.file, 0, 0, timed.why());
    const PlanProfile &profile = *timed;
    if (!options.trace.empty()) writeWholeFile(options.trace, chromeTrace(profile));
    Json calls = Json::array();
    std::string text;
    for (const CallProfile &call : profile.calls) {
        const double share = profile.whole.median > 0 ? call.time.median / profile.whole.median : 0;
        text += fmt::format("{:>10} {:5.1f} %  {}{}: {}\n", timeText(call.time.median), 100 * share, call.name,
                            speedText(call.flops, call.time.median), fmt::join(call.nodes, ", "));
        calls.push_back({{"name", call.name},
                         {"nodes", call.nodes},
                         {"sources", call.sources},
                         {"key", call.key},
                         {"schedule", call.schedule},
                         {"outputs", call.outputs},
                         {"seconds", call.time.median},
                         {"seconds_least", call.time.least},
                         {"seconds_lower_quartile", call.time.lower},
                         {"seconds_upper_quartile", call.time.upper},
                         {"flops", call.flops},
                         {"bytes_in", call.bytesIn},
                         {"bytes_out", call.bytesOut},
                         {"weight_bytes", call.weightBytes},
                         {"threads", call.threads}});
    }
    text +=
        fmt::format("a run takes {} (fastest {}, quartiles {} and {}); kernels {}, beyond them {}; {}\n",
                    timeText(profile.whole.median), timeText(profile.whole.least), timeText(profile.whole.lower),
                    timeText(profile.whole.upper), timeText(profile.sumOfCalls()),
                    timeText(std::max(profile.overhead(), 0.0)), countedText(static_cast<size_t>(threads), "thread"));
    Json json = {{"network", profile.network},
                 {"threads", threads},
                 {"seconds", profile.whole.median},
                 {"seconds_least", profile.whole.least},
                 {"seconds_of_kernels", profile.sumOfCalls()},
                 {"kernels", calls}};
    if (!options.against.empty()) {
        const std::vector<TracedKernel> ours = tracedKernels(profile);
        const std::vector<TracedKernel> theirs =
            readTrace(readInputFile(options.against, "the profile", size_t{1} << 30), options.against);
        Json pairs = Json::array();
        text += fmt::format("beside {}:\n", options.against);
        for (const auto &[our, their] : alignTraces(ours, theirs)) {
            const auto side = [](const std::vector<TracedKernel> &kernels, const std::optional<size_t> &at) {
                return at ? fmt::format("{} {}", kernels[*at].name, timeText(kernels[*at].time.median)) : "nothing";
            };
            text += fmt::format("  {} | {}\n", side(ours, our), side(theirs, their));
            pairs.push_back({{"ours", our ? Json(ours[*our].name) : Json(nullptr)},
                             {"seconds", our ? Json(ours[*our].time.median) : Json(nullptr)},
                             {"theirs", their ? Json(theirs[*their].name) : Json(nullptr)},
                             {"their_seconds", their ? Json(theirs[*their].time.median) : Json(nullptr)}});
        }
        json["against"] = pairs;
    }
    writeResult(options, json, text);
    return 0;
}

namespace {

std::string undecidedText(const CallVerdict &result) {
    return result.undecided == 0
               ? ""
               : fmt::format("; {} decided by roundings, not looked at", countedText(result.undecided, "element"));
}

std::string verdictsText(const Verification &results) {
    std::string text;
    for (const CallVerdict &result : results.calls)
        text += fmt::format("{}: {}\n", result.value,
                            result.ok
                                ? fmt::format("right, largest error {:.3g} of its largest element, {:.3g} is allowed{}",
                                              result.error, result.tolerance, undecidedText(result))
                                : "WRONG: " + result.sentence);
    return text;
}

Json verdictsJson(const Verification &results) {
    Json outputs = Json::array();
    for (const CallVerdict &result : results.calls)
        outputs.push_back({{"name", result.value},
                           {"error", std::isfinite(result.error) ? Json(result.error) : Json(nullptr)},
                           {"tolerance", result.tolerance},
                           {"undecided", result.undecided},
                           {"ok", result.ok}});
    return outputs;
}

Json kernelsJson(const Verification &kernels) {
    Json json = Json::array();
    for (const CallVerdict &call : kernels.calls)
        json.push_back({{"name", call.name},
                        {"value", call.value},
                        {"nodes", call.nodes},
                        {"error", std::isfinite(call.error) ? Json(call.error) : Json(nullptr)},
                        {"tolerance", call.tolerance},
                        {"ok", call.ok}});
    return json;
}

const CallVerdict *firstWrong(const DrawVerdict &verdict) {
    const auto &kernels = verdict.kernels;
    return kernels && kernels->firstDeviating ? &kernels->calls[*kernels->firstDeviating] : nullptr;
}

std::string kernelsText(const DrawVerdict &verdict) {
    std::string text;
    const Verification &kernels = *verdict.kernels;
    for (const CallVerdict &call : kernels.calls)
        if (!call.ok) text += fmt::format("{} '{}': {}\n", call.name, call.value, call.sentence);
    text += fmt::format(
        "{} of {} kernels are right; the largest error is {:.3g} of what is allowed\n",
        std::count_if(kernels.calls.begin(), kernels.calls.end(), [](const CallVerdict &call) { return call.ok; }),
        kernels.calls.size(), kernels.worstRatio());
    if (const CallVerdict *first = firstWrong(verdict))
        text += fmt::format("the first that deviates: {} '{}'\n", first->name, first->value);
    else if (!verdict.results.ok())
        text += "each kernel computes what passes made of the network, which is not what the file says\n";
    return text;
}

} // namespace

int tellDraws(const NetVerifyOptions &options, const GraphFunction &imported, const NetworkRuns &runs, Json json,
              std::string text) {
    std::vector<InputKind> kinds;
    for (const InputDraw &draw : inputDraws()) {
        const bool named = std::find(options.draws.begin(), options.draws.end(), draw.name) != options.draws.end();
        if (options.draws.empty() ? draw.kind != InputKind::Special : named) kinds.push_back(draw.kind);
    }
    sayLine("computing the reference, in double precision");
    const auto verdicts = verifyDraws(imported, runs, kinds, options.seed, {.threads = options.threads});
    if (!verdicts) throw Error(options.file, 0, 0, verdicts.why());
    if (verdicts->empty())
        throw Error(options.file, 0, 0, "the network has no floats that --draw would draw; it takes uniform");
    Json draws = Json::array();
    bool ok = true;
    for (const DrawVerdict &verdict : *verdicts) {
        ok = ok && verdict.results.ok() && (!verdict.kernels || verdict.kernels->ok());
        const CallVerdict *first = firstWrong(verdict);
        const std::string smaller =
            verdict.scale < 1 ? fmt::format(", times {}, so that no value leaves its type", verdict.scale) : "";
        if (verdicts->size() > 1) text += fmt::format("{}{}:\n", verdict.draw->text, smaller);
        text += verdict.leftOut.empty() ? verdictsText(verdict.results) : "left out: " + verdict.leftOut + "\n";
        if (verdict.kernels) text += kernelsText(verdict);
        draws.push_back({{"name", verdict.draw->name},
                         {"scale", verdict.scale},
                         {"left_out", verdict.leftOut},
                         {"outputs", verdictsJson(verdict.results)},
                         {"kernels", verdict.kernels ? kernelsJson(*verdict.kernels) : Json(nullptr)},
                         {"first_wrong", first ? Json(first->value) : Json(nullptr)}});
    }
    for (const char *key : {"kernels", "outputs", "first_wrong"}) json[key] = draws.front()[key];
    json["draws"] = std::move(draws);
    writeResult(options, json, text);
    return ok ? 0 : 1;
}

int netVerify(const NetVerifyOptions &options) {
    if (!options.dispatch.empty()) return netVerifyDispatched(options);
    if (isPlan(options.file))
        throw UsageError("net verify takes the network: a plan does not hold what it has to compute");
    const NetworkPlan plan = planOf(options, networkChoice(options));
    const ExecutionPlan &built = plan.built.plan;
    const ProtectedRunOptions protection = protectionOf(options, threadsOf(options, plan.target));
    NetworkRuns runs;
    runs.results = [&](std::span<const HostTensor> inputs) {
        auto results = runPlan(built, inputs, protection);
        if (!results) throw Error(options.file, 0, 0, results.why());
        return std::move(results).value();
    };
    runs.kernels = [&](std::span<const HostTensor> inputs, const VerifyPlanOptions &how) -> Outcome<Verification> {
        const auto ran = observePlan(built, inputs, protection);
        if (!ran) return ran.refusal();
        return verifyCalls(
            plan.network.optimised.main(), built, inputs,
            [&](size_t call, size_t output) { return ran->calls.value(call, output); }, how);
    };
    for (const PlanCall &call : built.calls) runs.named.push_back(call.name);
    return tellDraws(options, plan.network.imported.main(), runs, Json::object(), "");
}

} // namespace loopscope
