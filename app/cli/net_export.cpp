// `net export`: a network leaves as sources, as ONNX or as text.

#include "choice.h"
#include "deploy/network/export_sources.h"
#include "deploy/network/exported_name.h"
#include "deploy/network/library_export.h"
#include "deploy/network/verify.h"
#include "deploy/plan_worker/protected_run.h"
#include "net_parts.h"
#include "networks/graph/net_text.h"
#include "networks/onnx/export.h"
#include "networks/op/reference.h"
#include "output.h"

#include <filesystem>
#include <fmt/format.h>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

int exportText(const NetExportOptions &options) {
    if (options.layouts != "keep")
        throw UsageError(fmt::format("--layouts {} is about kernels, which --format c has; {} is the network as it was "
                                     "read",
                                     options.layouts, options.format));
    const ReadNetwork read = readNetwork(networkChoice(options));
    sayNotes(read.notes);
    if (options.format == "net") {
        writeNet(read.module, options.out);
    } else {
        const auto written = writeOnnx(read.module, options.out);
        if (!written) throw Error(options.file, 0, 0, written.why());
    }
    writeResult(options, {{"file", options.out}}, fmt::format("{}\n", options.out));
    return 0;
}

/// Builds the library and calls it; throws when its answer is not right.
Json exportLibrary(const NetExportOptions &options, const SourceExport &request, const std::vector<SourceFile> &files) {
    sayLine("building the library with the C compiler of this machine");
    const auto built = buildLibrary(files, request.plan.network, options.out);
    if (!built) throw Error(built.why());
    // Its code is the compiler's; it is called as carefully as others.
    const WatchedRun watched;
    const auto called = watched.run(
        [&] {
            watched.progress().setName("of " + *built);
            watched.progress().begin(0);
            const auto verdicts = callLibrary(request, *built);
            if (!verdicts) throw Error(verdicts.why());
            Json all = Json::array();
            for (const TensorVerdict &verdict : *verdicts)
                all.push_back({{"ok", verdict.ok}, {"relative", verdict.relative}, {"sentence", verdict.sentence}});
            return all.dump(-1, ' ', false, Json::error_handler_t::replace);
        },
        nullptr, {.readsFiles = true});
    if (!called) throw Error(*built, 0, 0, called.why());
    const Json verdicts = Json::parse(*called);
    Json outputs = Json::array();
    for (size_t i = 0; i < request.plan.outputs.size(); ++i) {
        const Json &verdict = verdicts.at(i);
        const std::string &name = request.plan.outputs[i].name;
        if (!verdict.at("ok").get<bool>())
            throw Error(*built, 0, 0,
                        fmt::format("the library computes something else: {}: {}", name,
                                    verdict.at("sentence").get<std::string>()));
        outputs.push_back({{"name", name}, {"error", verdict.at("relative")}, {"tolerance", request.tolerances[i]}});
    }
    return {{"file", *built}, {"outputs", outputs}};
}

} // namespace

int netExport(const NetExportOptions &options) {
    const bool library = options.format == "library";
    if (options.format != "c" && !library) return exportText(options);
    const NetworkPlan plan = planOf(options, networkChoice(options));
    const GraphFunction &function = plan.network.optimised.main();
    const std::vector<HostTensor> inputs = seededInputs(plan.network.imported.main(), InputKind::Uniform, options.seed);
    sayLine("computing the reference, in double precision");
    const auto reference = runReference(plan.network.imported.main(), inputs);
    if (!reference) throw Error(options.file, 0, 0, reference.why());
    std::vector<HostTensor> expected;
    for (const ValueId result : plan.network.imported.main().results())
        expected.push_back(reference->at(result).narrow());
    const auto outputs = runPlan(plan.built.plan, inputs, {.threads = 1});
    if (!outputs) throw Error(options.file, 0, 0, outputs.why());
    const auto verified = verifyResults(plan.network.imported.main(), plan.built.plan, inputs, *outputs);
    if (!verified) throw Error(options.file, 0, 0, verified.why());
    std::vector<double> tolerances;
    for (const CallVerdict &result : verified->calls) {
        if (!result.ok)
            throw Error(options.file, 0, 0,
                        fmt::format("what would be exported is wrong: {}: {}", result.value, result.sentence));
        tolerances.push_back(result.tolerance);
    }
    const auto tasks = kernelTasks(function, plan.network.partition, plan.target);
    if (!tasks) throw Error(options.file, 0, 0, tasks.why());
    const SourceExport request{plan.built.plan, *tasks, inputs, expected, tolerances};
    const auto files = exportSources(request);
    if (!files) throw Error(options.file, 0, 0, files.why());
    const auto written = writeExport(*files, plan.built.plan.network, options.out);
    if (!written) throw Error(written.why());
    Json names = Json::array();
    for (const SourceFile &file : *files) names.push_back(file.name);
    const std::string name = exportedNetworkName(plan.built.plan.network);
    Json json = {{"folder", options.out}, {"name", name}, {"files", names}};
    if (library) {
        json["library"] = exportLibrary(options, request, *files);
        writeResult(options, json,
                    fmt::format("{0}: {1} files, and lib{2}.so of them, whose answer is right\n"
                                "From Python: python3 {0}/{2}.py\n",
                                options.out, *written, name));
        return 0;
    }
    writeResult(
        options, json,
        fmt::format("{0}: {1} files\nBuild and check it: cmake -S {0} -B {0}/build && cmake --build {0}/build && "
                    "{0}/build/{2}_main 20 {0}\n",
                    options.out, *written, name));
    return 0;
}

} // namespace loopscope
