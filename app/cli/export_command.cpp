#include "export_command.h"

#include "base/outcome.h"
#include "measure/measurer.h"
#include "output.h"
#include "records/export/export_schedule.h"
#include "records/export/write_files.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using ExportJson = nlohmann::ordered_json;

std::string printed(const ExportJson &json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int listFormats(bool json) {
    ExportJson list = ExportJson::array();
    std::string text;
    for (const ExportFormatInfo &info : exportFormats()) {
        list.push_back({{"format", info.name},
                        {"title", info.title},
                        {"what", info.what},
                        {"writes", shapeText(info.shape)},
                        {"targets", targetsText(info.targets)},
                        {"suffix", info.suffix}});
        text += fmt::format("{:<11} {}\n{:<11} writes a {}{}, of {}\n", info.name, info.what, "", shapeText(info.shape),
                            info.suffix.empty() ? "" : fmt::format(" ({})", info.suffix), targetsText(info.targets));
    }
    writeOutput(json ? printed(list) : text);
    return 0;
}

/// The schedule, with its times where it has any.
struct ToExport {
    std::string name;
    ExportRequest request;
};

ToExport toExport(const ExportCommandOptions &options, const LoadedTask &loaded) {
    ToExport result{{}, {loaded.task, {}}};
    if (!options.record.log.empty()) {
        ChosenRecord chosen = chooseRecord(options.record, loaded);
        result.name = fmt::format("record {}", chosen.number);
        result.request.steps = chosen.state.steps();
        result.request.layoutRewrite = chosen.record.layoutRewrite;
        if (targetMatches(chosen.record, loaded.task.target)) result.request.measured = std::move(chosen.record.trial);
    } else {
        const ChosenSchedule chosen = chooseSchedule(options.record, loaded, options.workload.json);
        result.name = chosen.name;
        result.request.steps = chosen.state.steps();
        result.request.layoutRewrite = chosen.layoutRewrite;
    }
    if (options.layoutRewrite && *options.layoutRewrite != result.request.layoutRewrite) {
        result.request.layoutRewrite = *options.layoutRewrite;
        result.request.measured.reset(); // as it lies now, nobody has measured it
    }
    result.request.task.layoutRewrite = static_cast<LayoutRewrite>(result.request.layoutRewrite);
    return result;
}

/// What a reproducer is to show has to be known; of a GPU this machine may have none.
void measureNow(ExportRequest &request, const std::string &name) {
    if (request.task.target.isGpu()) {
        sayLine(name + " has no times, and expected.json says so");
        return;
    }
    sayLine(name + " has no times: measuring it");
    const auto measurer = makeWorkerMeasurer(request.task, {});
    measurer->measure({request.steps}, [&](size_t, const Trial &trial) { request.measured = trial; });
    if (!request.measured || !request.measured->valid())
        throw Error(
            fmt::format("{} does not run: {}", name, request.measured ? request.measured->reason : "no result"));
}

} // namespace

std::vector<std::string> exportFormatWords() {
    std::vector<std::string> words;
    for (const ExportFormatInfo &info : exportFormats()) words.emplace_back(info.name);
    words.emplace_back("list");
    return words;
}

int runExport(const ExportCommandOptions &options) {
    if (options.format == "list") return listFormats(options.workload.json);
    if (options.workload.file.empty()) throw UsageError("export of which workload? give its file (.te)");
    if (options.out.empty()) throw UsageError("where to? give --out PATH");
    const ExportFormatInfo *info = exportFormatNamed(options.format);
    if (info == nullptr) throw UsageError(fmt::format("there is no format {}", options.format));
    const LoadedTask loaded = loadTask(options.workload);
    ToExport what = toExport(options, loaded);
    what.request.stem = stemFor(info->format, options.out);
    if (info->format == ExportFormat::Reproducer && !what.request.measured) measureNow(what.request, what.name);
    const auto files = exportSchedule(what.request, info->format);
    if (!files) throw Error(fmt::format("{}: {}", what.name, files.why()));
    const auto written = writeFiles(*files, info->format, options.out);
    if (!written) throw Error(written.why());
    if (options.workload.json) {
        ExportJson list = ExportJson::array();
        for (size_t i = 0; i < written->size(); ++i)
            list.push_back({{"path", (*written)[i]}, {"bytes", (*files)[i].bytes.size()}});
        writeOutput(printed({{"format", info->name},
                             {"schedule", what.name},
                             {"layout_rewrite", what.request.layoutRewrite},
                             {"files", std::move(list)}}));
        return 0;
    }
    std::string text;
    for (size_t i = 0; i < written->size(); ++i)
        text += fmt::format("{}  {} bytes\n", (*written)[i], (*files)[i].bytes.size());
    writeOutput(text);
    return 0;
}

} // namespace loopscope
