#include "layout_command.h"

#include "base/outcome.h"
#include "base/whole_file.h"
#include "codegen/layout/choice.h"
#include "codegen/layout/memory_model.h"
#include "output.h"
#include "schedule/grouping/group_dag.h"
#include "schedule/grouping/grouped_schedule.h"
#include "schedule/grouping/loop_plan.h"
#include "scheduler_options.h"
#include "shared_options.h"
#include "validators.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <system_error>

namespace loopscope {

namespace {

using LayoutJson = nlohmann::ordered_json;

struct ChosenLoops {
    std::string name;
    LoopState state;
};

ChosenLoops loopsOf(const LayoutCommandOptions &options, const LoadedTask &loaded) {
    if (options.by == "grouping") {
        const Grouping grouping =
            groupDag(loaded.task.dag, loaded.task.target, groupingOptionsOf(options.grouping, loaded.task.target));
        auto schedule = groupedSchedule(grouping, planLoops(grouping));
        if (!schedule) throw Error(options.workload.file, 0, 0, "the grouping makes no schedule: " + schedule.why());
        return {"the grouping", std::move(schedule->state)};
    }
    ChosenSchedule chosen = chooseSchedule(options.record, loaded, options.workload.json);
    return {std::move(chosen.name), std::move(chosen.state)};
}

std::string textOf(const Workload &workload) { return printWorkload(workload.name, workload.ops, workload.args); }

/// FOLDER/W_prepack.te of a workload that packs W.
std::vector<std::string> writePrepacks(const std::string &folder, const std::vector<Workload> &prepacks) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) throw Error(folder, 0, 0, fmt::format("no such folder can be made: {}", problem.message()));
    std::vector<std::string> written;
    for (const Workload &prepack : prepacks) {
        written.push_back((std::filesystem::path(folder) / (prepack.args.front()->op->name + "_prepack.te")).string());
        writeWholeFile(written.back(), textOf(prepack));
    }
    return written;
}

/// "1.23 M", "456": counts of events, three digits.
std::string countText(double count) {
    constexpr std::array<std::pair<double, const char *>, 4> units = {
        {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e4, " k"}}};
    for (const auto &[unit, name] : units)
        if (count >= unit) return fmt::format("{:.3g}{}", count / (unit == 1e4 ? 1e3 : unit), name);
    return fmt::format("{:.0f}", count);
}

std::string rowText(const std::string &mark, const std::string &layout, const LayoutCost &cost,
                    const std::string &behind) {
    std::string row = fmt::format("{:2}{:<28}", mark, layout);
    for (const double misses : cost.misses) row += fmt::format("{:>10}", countText(misses));
    return row + fmt::format("{:>10}{:>10}{}{}\n", countText(cost.accesses), countText(cost.cycles),
                             behind.empty() ? "" : "  ", behind);
}

std::string forText(const std::vector<std::string> &readers) {
    return readers.empty() ? "" : fmt::format(" for {}", fmt::join(readers, ", "));
}

std::string tensorText(const TensorLayouts &of, const LayoutChoice &choice, size_t most) {
    std::string text = fmt::format("\n{}[{}]{}: {} cycles of all, each element fetched {:.3g} times\n", of.tensor,
                                   fmt::join(of.axisNames, ", "), of.constant ? ", a constant" : "",
                                   countText(of.cost.cycles), of.fetches);
    text += rowText(of.taken.empty() ? "*" : "", "as it is", choice.before, "");
    size_t shown = 0;
    for (size_t i = 0; i < of.layouts.size(); ++i) {
        const PricedLayout &layout = of.layouts[i];
        const bool taken = std::find(of.taken.begin(), of.taken.end(), i) != of.taken.end();
        if (shown++ >= most && !taken) continue;
        const std::string way = layout.by == LaidOutBy::CopyStage
                                    ? fmt::format("a copy stage, {}", countText(layout.stage.cycles))
                                    : std::string(laidOutByText(layout.by));
        text += rowText(taken ? "*" : "", layout.layout.text(of.axisNames) + forText(layout.readers), layout.cost, way);
    }
    if (of.layouts.size() > most)
        text += fmt::format("  {} more layouts, none cheaper; --most {} shows them\n", of.layouts.size() - most,
                            of.layouts.size());
    return text + "  " + of.why + "\n";
}

LayoutJson costJson(const LayoutCost &cost) {
    return {{"cycles", cost.cycles}, {"accesses", cost.accesses}, {"misses", cost.misses}};
}

LayoutJson tensorJson(const TensorLayouts &of) {
    LayoutJson layouts = LayoutJson::array();
    for (const PricedLayout &layout : of.layouts)
        layouts.push_back({{"layout", layout.layout.text(of.axisNames)},
                           {"for", layout.readers},
                           {"by", laidOutByText(layout.by)},
                           {"cost", costJson(layout.cost)},
                           {"stage", costJson(layout.stage)},
                           {"saving", layout.saving},
                           {"pays", layout.pays}});
    return {{"tensor", of.tensor},       {"axes", of.axisNames}, {"constant", of.constant}, {"fetches", of.fetches},
            {"cost", costJson(of.cost)}, {"layouts", layouts},   {"taken", of.taken},       {"why", of.why}};
}

LayoutJson choiceJson(const LoadedTask &loaded, const std::string &loops, const MemoryModel &model,
                      const LayoutChoice &choice, const std::vector<const TensorLayouts *> &shown,
                      const ChosenWorkload &chosen) {
    LayoutJson levels = LayoutJson::array();
    for (const MemoryLevel &level : model.levels)
        levels.push_back({{"name", level.name},
                          {"bytes", level.bytes},
                          {"ways", level.ways},
                          {"line", level.lineBytes},
                          {"miss_cycles", level.missCycles}});
    LayoutJson json = {{"workload", loaded.workload.name},
                       {"target", loaded.task.target.text()},
                       {"loops", loops},
                       {"levels", levels},
                       {"before", costJson(choice.before)},
                       {"after", costJson(choice.after)}};
    json["tensors"] = LayoutJson::array();
    for (const TensorLayouts *of : shown) json["tensors"].push_back(tensorJson(*of));
    json["chosen"] = LayoutJson::array();
    for (const LayoutRequest &request : choice.requests)
        json["chosen"].push_back(
            {{"tensor", request.tensor}, {"layout", request.layout.text()}, {"for", request.readers}});
    json["rewritten"] = choice.requests.empty() ? LayoutJson(nullptr) : LayoutJson(chosen.text);
    json["prepack"] = LayoutJson::array();
    for (const Workload &prepack : chosen.prepacks) json["prepack"].push_back(textOf(prepack));
    return json;
}

std::string choiceText(const LoadedTask &loaded, const std::string &loops, const MemoryModel &model,
                       const LayoutChoice &choice, const std::vector<const TensorLayouts *> &shown, size_t most) {
    std::string text = fmt::format("{}, the loops of {}: what all their accesses miss\n", loaded.workload.name, loops);
    text += fmt::format("{:<30}", "");
    for (const MemoryLevel &level : model.levels) text += fmt::format("{:>10}", level.name);
    text += fmt::format("{:>10}{:>10}  by\n", "accesses", "cycles");
    for (const TensorLayouts *of : shown) text += tensorText(*of, choice, most);
    if (shown.empty())
        text += "\nno tensor that is read, and is no output, has two axes: there is nothing to lay out\n";
    return text + "\n";
}

std::vector<const TensorLayouts *> shownTensors(const LayoutCommandOptions &options, const LayoutChoice &choice) {
    std::vector<const TensorLayouts *> shown;
    for (const TensorLayouts &of : choice.tensors)
        if (options.tensors.empty() ||
            std::find(options.tensors.begin(), options.tensors.end(), of.tensor) != options.tensors.end())
            shown.push_back(&of);
    for (const std::string &name : options.tensors) {
        if (std::any_of(shown.begin(), shown.end(), [&](const auto *of) { return of->tensor == name; })) continue;
        std::vector<std::string> names;
        for (const TensorLayouts &of : choice.tensors) names.push_back(of.tensor);
        throw UsageError(fmt::format("--tensor {}: there is no such tensor that may lie otherwise; there {}", name,
                                     names.empty() ? "is none" : fmt::format("are {}", fmt::join(names, ", "))));
    }
    return shown;
}

} // namespace

int runLayout(const LayoutCommandOptions &options) {
    if (options.by != "grouping" && options.grouping.given())
        throw UsageError("--machine and --mode belong to --by grouping");
    const LoadedTask loaded = loadTask(options.workload);
    if (loaded.task.target.isGpu())
        throw Error("layout: the target is a GPU, and what a layout costs is counted for the caches of processors; use "
                    "--target llvm");
    const ChosenLoops loops = loopsOf(options, loaded);
    LayoutChoiceOptions choosing;
    choosing.model = memoryModelOf(loaded.task.target);
    choosing.beam = options.beam;
    const auto choice = chooseLayouts(loops.state, choosing);
    if (!choice) throw Error(options.workload.file, 0, 0, choice.why());
    const std::vector<const TensorLayouts *> shown = shownTensors(options, *choice);
    // The schedule may have stages that the workload has not: caches, parts of sums.
    const auto chosen = applyLayouts(*loaded.task.dag, choice->requests);
    if (!chosen) throw Error(options.workload.file, 0, 0, chosen.why());
    if (!options.prepack.empty() && chosen->prepacks.empty())
        throw Error("layout: --prepack: no constant is laid out otherwise, so there is nothing to pack ahead of time");
    if (!options.out.empty()) writeWholeFile(options.out, chosen->text);
    std::vector<std::string> written;
    if (!options.prepack.empty()) written = writePrepacks(options.prepack, chosen->prepacks);
    if (options.workload.json) {
        writeOutput(choiceJson(loaded, loops.name, choosing.model, *choice, shown, *chosen)
                        .dump(-1, ' ', false, LayoutJson::error_handler_t::replace) +
                    "\n");
        return 0;
    }
    std::string text =
        choiceText(loaded, loops.name, choosing.model, *choice, shown, static_cast<size_t>(options.most));
    if (choice->requests.empty()) {
        writeOutput(text + "No layout pays on these loops: the workload stays as it is.\n");
        return 0;
    }
    text += fmt::format("{} cycles before, {} after, copies counted.", countText(choice->before.cycles),
                        countText(choice->after.cycles));
    if (!options.out.empty()) text += fmt::format(" The rewritten workload is in {}.", options.out);
    if (!written.empty()) text += fmt::format(" What packs constants, once: {}.", fmt::join(written, ", "));
    text += "\n";
    if (options.out.empty()) text += "\n" + chosen->text;
    writeOutput(text);
    return 0;
}

void addLayoutCommand(CLI::App &app, LayoutCommandOptions &options, SharedOptions &shared) {
    auto &command = *app.add_subcommand(
        "layout", "choose in which order tensors lie in memory, for the loops of a schedule, and rewrite the workload");
    shared.addWorkload(command, options.workload);
    shared.addRecord(command, options.record);
    shared.addScript(command, options.record.script)->excludes("--log");
    shared
        .words(command.add_option("--by", options.by,
                                  "the loops of this scheduler, instead of a record's or a script's; naive when "
                                  "nothing is given"),
               {"grouping", "naive"})
        ->type_name("SCHEDULER")
        ->excludes("--log")
        ->excludes("--script");
    addGroupingChoice(command, options.grouping, shared, "of --by grouping: ");
    command.add_option("--tensor", options.tensors, "show this tensor alone; may be given again")
        ->type_name("NAME")
        ->take_all()
        ->allow_extra_args(false);
    command.add_option("--most", options.most, "layouts shown of each tensor")
        ->type_name("N")
        ->check(wholeNumber(1, 1000))
        ->capture_default_str();
    command
        .add_option("--beam", options.beam,
                    "choices followed side by side; 1 takes the best of the dearest tensor, then of the next")
        ->type_name("N")
        ->check(wholeNumber(1, 16))
        ->capture_default_str();
    shared.file(command.add_option("--out", options.out, "write the rewritten workload to this file"), ".te")
        ->check(fileName());
    shared
        .file(command.add_option("--prepack", options.prepack,
                                 "write the workloads that pack constants, run once ahead of time, to this folder"),
              "")
        ->check(fileName());
}

} // namespace loopscope
