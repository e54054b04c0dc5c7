#include "net_parts.h"

#include "base/isolate/process_copy.h"
#include "base/nearest_name.h"
#include "choice.h"
#include "deploy/network/further_schedules.h"
#include "deploy/network/weights.h"
#include "language/tensor/npy_file.h"
#include "output.h"

#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace loopscope {

namespace {

/// NAME=VALUE, at the first sign.
std::pair<std::string, std::string> namedValue(const std::string &text, const char *option) {
    const size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
        throw UsageError(fmt::format("{} {} is not of the form NAME=VALUE", option, text));
    return {text.substr(0, sign), text.substr(sign + 1)};
}

} // namespace

NetworkChoice networkChoice(const NetFileOptions &options) {
    NetworkChoice choice;
    choice.path = options.file;
    for (const std::string &dim : options.dims) {
        const auto [name, text] = namedValue(dim, "--dim");
        int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < 1)
            throw UsageError(fmt::format("--dim {}: {} is no whole number from 1 on", dim, text));
        choice.dims[name] = value;
    }
    choice.randomWeights = options.randomWeights;
    return choice;
}

NetworkChoice networkChoice(const NetPlanOptions &options) {
    NetworkChoice choice = networkChoice(static_cast<const NetFileOptions &>(options));
    choice.required = options.require;
    choice.disabled = options.disable;
    choice.fusion = fusionOf(options);
    if (options.fusion == "measured") {
        choice.confirmed = FusionRequest{.target = networkTarget(options), .logs = options.logs};
        choice.confirmed->estimate.seed = options.seed;
    }
    choice.level = options.level.value_or(usualLevel(choice.fusion));
    return choice;
}

NetworkChoice networkChoice(const NetExecuteOptions &options) {
    NetworkChoice choice = networkChoice(static_cast<const NetPlanOptions &>(options));
    std::map<std::string, std::string> arrays;
    for (const std::string &given : options.inputs) arrays.insert(namedValue(given, "--input"));
    if (!arrays.empty() && options.dispatch.empty()) bindDims(arrays, choice);
    return choice;
}

FusionMode fusionOf(const NetPlanOptions &options) {
    return options.fusion == "measured" ? FusionMode::Better : *fusionModeFromName(options.fusion);
}

Target networkTarget(const NetPlanOptions &options) {
    Target target = parseTarget(options.target);
    if (target.isGpu()) throw UsageError("net: networks run on processors; use --target llvm");
    return target;
}

std::optional<NetworkLayoutRequest> layoutsOf(const NetPlanOptions &options) {
    if (options.layouts == "keep") return std::nullopt;
    NetworkLayoutRequest request;
    if (options.layouts == "nhwc") request.everywhere = DataLayout::ChannelsLast;
    request.timed = options.layouts == "measure";
    request.target = networkTarget(options);
    request.logs = options.logs;
    request.fusion = fusionOf(options);
    request.estimate.seed = options.seed;
    return request;
}

void writeResult(const NetFileOptions &options, const nlohmann::ordered_json &json, const std::string &text) {
    writeOutput(options.json ? json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"
                             : text);
}

void sayNotes(const std::vector<std::string> &notes) {
    for (const std::string &note : notes) sayLine(note);
}

PackedFinder packedFinder(const NetExecuteOptions &options) {
    std::vector<PackedLibrary> libraries;
    for (const std::string &path : options.modules) {
        auto library = PackedLibrary::open(path);
        if (!library) throw Error(path, 0, 0, library.why());
        libraries.push_back(std::move(library).value());
    }
    return findIn(std::move(libraries));
}

ProtectedRunOptions protectionOf(const NetExecuteOptions &options, int threads) {
    return {.threads = threads, .timeout = options.timeLimitSeconds, .confined = !options.trust, .cancel = nullptr};
}

void sayCode(const NetExecuteOptions &options, const std::string &path, bool readsFiles) {
    sayNotes({fmt::format("{} is code of whoever made it; it runs {}", path,
                          options.trust ? "with all your rights (--trust)"
                          : readsFiles  ? "in a process that may compute, read files, and nothing else"
                                        : "in a process that may compute and nothing else")});
    if (const std::string why = options.trust ? std::string() : whyNoFilter(); !why.empty()) sayNotes({why});
}

void requireNumbers(const PreparedNetwork &network, const NetFileOptions &options) {
    if (const std::string open = openDims(network.imported.main()); !open.empty())
        throw Error(options.file, 0, 0, open);
}

NetworkPlan planOf(const NetKernelOptions &options, const NetworkChoice &choice) {
    return planOf(options, choice, readNetwork(choice));
}

NetworkPlan planOf(const NetKernelOptions &options, NetworkChoice choice, ReadNetwork read) {
    NetworkPlan plan;
    plan.target = networkTarget(options);
    choice.strategies = strategiesOf(options);
    choice.layouts = layoutsOf(options);
    plan.network = prepareNetwork(std::move(read), choice);
    requireNumbers(plan.network, options);
    sayNotes(plan.network.notes);
    plan.records = recordsOfTasks(plan.network.tasks, plan.target, options.logs);
    sayNotes(plan.records.notes);
    if (!options.logs.empty())
        for (size_t i = 0; i < plan.network.tasks.size(); ++i)
            if (plan.network.tasks[i].searchable && !plan.records.best[i])
                sayLine(fmt::format("{} has a schedule that nobody measured: {}", plan.network.tasks[i].name,
                                    plan.records.whyNot[i]));
    BuildOptions build;
    build.known = knownSchedules(plan.network.tasks, plan.records);
    build.defaults.seed = options.seed;
    build.libraries.names = options.libraries;
    build.libraries.seed = options.seed;
    build.libraries.pinned = librariesOf(plan.network.decisions);
    const bool live = isatty(STDERR_FILENO) != 0;
    if (options.alternatives > 1) {
        build.further = furtherSchedules(plan.network.tasks, plan.records, plan.target, options.logs,
                                         static_cast<size_t>(options.alternatives - 1));
        build.estimated = static_cast<size_t>(options.alternatives);
        build.selection.seed = options.seed;
        if (live)
            build.selection.progress = [](size_t done, size_t of, const std::string &task) {
                sayLive(fmt::format("choosing schedules in the network: {} of {}, {}", done, of, task));
            };
    }
    if (live)
        build.progress = [](size_t done, size_t of, const KernelTask &task) {
            sayLive(fmt::format("building kernels: {} of {}, {}", done, of, task.task.dag->name()));
        };
    auto built = buildPlan(plan.network.optimised.main(), plan.network.partition, plan.target, build);
    sayLive({});
    if (!built) throw Error(options.file, 0, 0, built.why());
    plan.built = std::move(built).value();
    if (plan.built.plan.network.empty() || plan.built.plan.network == "main")
        plan.built.plan.network = plan.network.imported.name;
    sayNotes(plan.built.notes);
    for (const LibraryTrial &trial : plan.built.libraries) sayLine(trial.text());
    for (const SelectionTrial &trial : plan.built.selection) {
        if (trial.alternatives > 1) sayLine(trial.text());
        for (const std::string &refusal : trial.refusals)
            sayLine(fmt::format("{}: takes no part: {}", trial.kernel, refusal));
    }
    if (plan.built.secondsUnselected > 0)
        sayLine(fmt::format("schedules chosen in the network: a run takes {:.4g} ms, {:.4g} ms with {}",
                            plan.built.secondsSelected * 1e3, plan.built.secondsUnselected * 1e3,
                            options.logs.empty() ? "those estimated best" : "the best of the log"));
    return plan;
}

std::vector<HostTensor> inputsOf(const NetExecuteOptions &options, const GraphFunction &function) {
    std::vector<HostTensor> inputs = seededInputs(function, InputKind::Uniform, options.seed);
    std::vector<std::string> names;
    for (const ValueId parameter : function.parameters()) names.push_back(function.value(parameter).name);
    for (const std::string &given : options.inputs) {
        const auto [name, path] = namedValue(given, "--input");
        const auto at = std::find(names.begin(), names.end(), name);
        if (at == names.end())
            throw UsageError(
                fmt::format("--input {}: the network has no input {}; it has {}", given, name, fmt::join(names, ", ")));
        const auto number = static_cast<size_t>(at - names.begin());
        HostTensor tensor = readNpy(path);
        const TensorType &type = function.type(function.parameters()[number]);
        const TensorType has = {tensor.dtype(), asDims(tensor.dims())};
        if (has != type)
            throw Error(path, 0, 0, fmt::format("is {}; the input {} takes {}", typeText(has), name, typeText(type)));
        inputs[number] = std::move(tensor);
    }
    return inputs;
}

} // namespace loopscope
