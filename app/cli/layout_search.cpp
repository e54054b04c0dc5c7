#include "layout_search.h"

#include "base/outcome.h"
#include "base/whole_file.h"
#include "choice.h"
#include "codegen/layout/memory_model.h"
#include "search/grouping_scheduler.h"
#include "search/search_observer.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kHopeless = 2; // times as slow as the fastest: no comparison will make it the best

/// Loops that layouts are chosen for.
struct PricedLoops {
    std::string name;
    LayoutChoice choice;
};

/// "B [j/16] [k] [j%16]" as a part of a file's name: "B_jby16_k_jin16".
std::string nameOf(const std::string &layout) {
    constexpr size_t kLongest = 120; // with room for the log's own name
    std::string name;
    for (const char c : layout) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '/' || c == '%' || c == '+')
            name += c == '/' ? "by" : c == '%' ? "in" : "pad";
        else if (std::isalnum(byte) != 0)
            name += c;
        else if (!name.empty() && name.back() != '_')
            name += '_';
    }
    name = name.substr(0, kLongest);
    while (!name.empty() && name.back() == '_') name.pop_back();
    return name;
}

struct LaidOutFile {
    std::string path;
    std::string text;
    std::string what; // "B [j] [k]"
};

std::optional<std::string> textIn(const std::string &path) {
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(path, unknown)) return std::nullopt; // a pipe would be waited for
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<PricedLoops> priceLayouts(const TuneOptions &options, const Task &task, std::vector<std::string> &notes) {
    std::vector<std::pair<std::string, LoopState>> loops;
    loops.emplace_back("the naive schedule", LoopState(task.dag));
    GroupingScheduler grouping;
    SilentObserver nobody;
    if (auto grouped = grouping.schedule(task, nobody, nullptr); grouped)
        loops.emplace_back("the grouping", std::move(grouped).value());
    else
        notes.push_back(fmt::format("layouts are chosen for the naive schedule alone: {}", grouped.why()));
    LayoutChoiceOptions choosing;
    choosing.model = memoryModelOf(task.target);
    std::vector<PricedLoops> priced;
    for (auto &[name, state] : loops) {
        auto choice = chooseLayouts(state, choosing);
        if (!choice) throw Error(options.files.front(), 0, 0, choice.why());
        priced.push_back({name, std::move(choice).value()});
    }
    return priced;
}

std::string intervalOf(const TimeInterval &time) {
    return fmt::format("{} ({} to {})", timeText(time.seconds), timeText(time.low), timeText(time.high));
}

/// The best of a task, and where it stands in the log; null when no candidate was valid.
const Trial *bestOf(const TunedTask &tuned) {
    if (!tuned.result.best) return nullptr;
    return tuned.result.bestIsResumed ? &tuned.resumed.trials[*tuned.result.best]
                                      : &tuned.result.trials[*tuned.result.best];
}
size_t numberOf(const TunedTask &tuned) {
    return tuned.result.bestIsResumed ? tuned.resumed.numbers[*tuned.result.best]
                                      : tuned.recordNumbers[*tuned.result.best];
}

/// Seconds as its own search found them, minutes before or after the others'.
double ownSeconds(const TunedTask &tuned) {
    const Trial *best = bestOf(tuned);
    if (best == nullptr) return std::numeric_limits<double>::infinity();
    return tuned.result.bestTime.known() ? tuned.result.bestTime.seconds : best->cost();
}

/// Which of the tasks is best, if any has a kernel; a layout has to be surely faster than the workload as it is.
std::optional<size_t> winnerOf(const std::vector<TunedTask> &tasks, const std::vector<TimeInterval> &inTurn) {
    const bool compared =
        std::any_of(inTurn.begin(), inTurn.end(), [](const TimeInterval &time) { return time.known(); });
    std::optional<size_t> winner;
    const auto seconds = [&](size_t i) { return compared ? inTurn[i].seconds : ownSeconds(tasks[i]); };
    for (size_t i = 0; i < tasks.size(); ++i)
        if (bestOf(tasks[i]) != nullptr && (!winner || seconds(i) < seconds(*winner))) winner = i;
    if (winner && *winner > 0 && inTurn.front().known() && inTurn[*winner].known() &&
        inTurn.front().overlaps(inTurn[*winner]))
        return 0;
    return winner;
}

/// The sentence of it all.
std::string verdictText(const std::vector<TunedTask> &tasks, const LayoutSearch &layouts,
                        const std::vector<TimeInterval> &inTurn, size_t winner, const std::string &log) {
    const std::string record = fmt::format("record {}{}", numberOf(tasks[winner]), log.empty() ? "" : " of " + log);
    if (winner == 0) {
        if (inTurn.front().known()) {
            const auto least = static_cast<size_t>(
                std::min_element(inTurn.begin(), inTurn.end(),
                                 [](const auto &a, const auto &b) { return a.seconds < b.seconds; }) -
                inTurn.begin());
            return fmt::format("best of all: the workload as it is, {}, {}; no layout tried is surely faster{}",
                               intervalOf(inTurn.front()), record,
                               least == 0
                                   ? ""
                                   : fmt::format(", though {} may be, {}", layouts.tried[least - 1].alternative.text,
                                                 intervalOf(inTurn[least])));
        }
        const double own = ownSeconds(tasks.front());
        const bool near = std::any_of(tasks.begin() + 1, tasks.end(),
                                      [&](const TunedTask &tuned) { return ownSeconds(tuned) <= kHopeless * own; });
        return fmt::format("best of all: the workload as it is, {}, {}; {}", timeText(own), record,
                           near ? "what was tried beside it was not timed in turn with it"
                                : "no layout tried came near it");
    }
    const TriedLayout &tried = layouts.tried[winner - 1];
    std::string text = fmt::format("best of all: {}{}, ", tried.alternative.text,
                                   tried.alternative.rewritten.prepacks.empty() ? "" : " (packed once, ahead of time)");
    if (inTurn[winner].known() && inTurn.front().known())
        text += fmt::format("{}, {:.2f} times as fast as the workload as it is, {}, timed in turn",
                            intervalOf(inTurn[winner]), inTurn.front().seconds / inTurn[winner].seconds,
                            intervalOf(inTurn.front()));
    else if (bestOf(tasks.front()) == nullptr)
        text += fmt::format("{}; the workload as it is has no valid candidate", timeText(ownSeconds(tasks[winner])));
    else
        text += fmt::format("{}, and the workload as it is {}, which were not timed in turn",
                            timeText(ownSeconds(tasks[winner])), timeText(ownSeconds(tasks.front())));
    return fmt::format("{}; {}{}", text, record, tried.file.empty() ? "" : ", workload " + tried.file);
}

} // namespace

void checkLayoutOptions(const TuneOptions &options) {
    if (options.layouts.empty()) {
        if (options.layoutAlternatives) throw UsageError("--layout-alternatives belongs to --layouts try");
        return;
    }
    if (options.files.size() > 1)
        throw UsageError("--layouts try is about the tensors of one workload; search the others on their own");
    const char *other = !options.startFrom.empty() ? "--start-from"
                        : !options.locks.empty()   ? "--lock"
                        : !options.group.empty()   ? "--group"
                        : options.grouping.given() ? "--machine and --mode"
                                                   : nullptr;
    if (other != nullptr)
        throw UsageError(fmt::format("{} and --layouts try do not go together: a schedule is of one workload, and each "
                                     "layout makes another one",
                                     other));
    if (options.taskOrder != "round-robin")
        throw UsageError("--task-order is about several workloads; --layouts try has an order of its own");
    if (options.runner.bundled())
        throw UsageError("--layouts try times its alternatives in turn, on this machine; it does not go together with "
                         "--runner bundle:DIR");
}

LayoutSearch addLayoutTasks(const TuneOptions &options, std::vector<TunedTask> &tasks) {
    LayoutSearch layouts;
    const LoadedTask &given = tasks.front().loaded;
    if (given.task.target.isGpu())
        throw Error("tune: --layouts try: the target is a GPU, and what a layout costs is counted for the caches of "
                    "processors; use --target llvm");
    const std::vector<PricedLoops> priced = priceLayouts(options, given.task, layouts.notes);
    std::vector<LayoutChoice> choices;
    for (const PricedLoops &loops : priced) choices.push_back(loops.choice);
    const int most = options.layoutAlternatives.value_or(TuneOptions::kLayoutAlternatives);
    auto found = layoutAlternatives(*given.task.dag, choices, static_cast<size_t>(most));
    if (!found) throw Error(options.files.front(), 0, 0, found.why());
    if (found->empty()) {
        const auto &tensors = priced.front().choice.tensors;
        layouts.notes.push_back(fmt::format(
            "{}: no layout is worth a try, and the workload is searched as it is: {}", tasks.front().name,
            tensors.empty() ? "no tensor that is read, and is no output, has two axes"
                            : fmt::format("{}, the dearest tensor: {}", tensors.front().tensor, tensors.front().why)));
        return layouts;
    }
    if (static_cast<size_t>(options.search.trials) <= found->size())
        throw UsageError(
            fmt::format("--trials {} are of all alternatives together, of which there are {}, the workload "
                        "as it is among them; give {} or more, or fewer with --layout-alternatives",
                        options.search.trials, found->size() + 1, found->size() + 1));
    const std::string name = tasks.front().name;
    tasks.front().name += " as it is";
    for (LayoutAlternative &alternative : *found) {
        Task task =
            makeTask(ComputeDag::fromWorkload(alternative.rewritten.workload), tasks.front().loaded.task.target);
        task.layoutRewrite = tasks.front().loaded.task.layoutRewrite;
        TunedTask tuned{{alternative.rewritten.workload, std::move(task)}, {}, {}, {}, {}, {}};
        tuned.name = fmt::format("{}, {}", name, alternative.text);
        tasks.push_back(std::move(tuned));
        const std::string loops = priced[alternative.loops].name;
        layouts.notes.push_back(fmt::format("{}: by the loops of {} its memory costs {:.2f} of what it costs now",
                                            tasks.back().name, loops, alternative.costShare));
        layouts.tried.push_back({std::move(alternative), loops, {}});
    }
    return layouts;
}

void writeLaidOut(const TuneOptions &options, LayoutSearch &layouts) {
    if (options.log.empty()) return;
    const std::string stem =
        options.log.ends_with(".json") ? options.log.substr(0, options.log.size() - 5) : options.log;
    std::vector<LaidOutFile> files;
    for (TriedLayout &tried : layouts.tried) {
        const LayoutAlternative &alternative = tried.alternative;
        tried.file = fmt::format("{}.{}.te", stem, nameOf(alternative.text));
        files.push_back({tried.file, alternative.rewritten.text, alternative.text});
        for (const Workload &prepack : alternative.rewritten.prepacks)
            files.push_back(
                {fmt::format("{}.{}.{}_prepack.te", stem, nameOf(alternative.text), prepack.args.front()->op->name),
                 printWorkload(prepack.name, prepack.ops, prepack.args),
                 "what packs " + prepack.args.front()->op->name});
    }
    for (const LaidOutFile &file : files)
        if (const auto there = textIn(file.path); there && *there != file.text)
            throw Error(file.path, 0, 0,
                        fmt::format("the file is there and is not {} of this workload, so it is not written over; "
                                    "move it away, or give another --log",
                                    file.what));
    for (const LaidOutFile &file : files) writeWholeFile(file.path, file.text);
}

SearchOptions alternativeOptions(const SearchOptions &options, size_t alternatives) {
    SearchOptions search = options;
    const int fair = std::max(options.trials / (2 * static_cast<int>(alternatives)), 1);
    if (alternatives > 1 && options.trialsPerRound == 0 && fair < SearchOptions::kSmallestRound)
        search.trialsPerRound = fair;
    // What was asked for by hand may still be more than there is for each.
    search.trialsPerRound =
        std::min(search.trialsPerRound, std::max(options.trials / static_cast<int>(alternatives), 1));
    return search;
}

std::vector<TimeInterval> compareAlternatives(const std::vector<TunedTask> &tasks,
                                              const std::vector<std::unique_ptr<Measurer>> &measurers,
                                              const SearchControl &control) {
    constexpr int kTurns = 4; // of a few samples each, together enough for a sure interval
    constexpr int kSamples = 3;
    std::vector<TimeInterval> times(tasks.size());
    double least = std::numeric_limits<double>::infinity();
    for (const TunedTask &tuned : tasks) least = std::min(least, ownSeconds(tuned));
    std::vector<size_t> racing;
    for (size_t i = 0; i < tasks.size(); ++i)
        if (bestOf(tasks[i]) != nullptr && (i == 0 || ownSeconds(tasks[i]) <= kHopeless * least)) racing.push_back(i);
    if (racing.size() < 2) return times;
    std::vector<TurnSamples> samples(tasks.size());
    for (int turn = 0; turn < kTurns; ++turn)
        for (const size_t i : racing) {
            if (control.cancelled()) return times;
            const std::vector<TurnSamples> taken = measurers[i]->measureInterleaved(
                {bestOf(tasks[i])->steps.unpack()}, kSamples, {&control.cancelledFlag(), nullptr, {}});
            const TurnSamples &mine = taken.front();
            samples[i].seconds.insert(samples[i].seconds.end(), mine.seconds.begin(), mine.seconds.end());
            if (mine.least > 0)
                samples[i].least = samples[i].least > 0 ? std::min(samples[i].least, mine.least) : mine.least;
        }
    for (const size_t i : racing) times[i] = quartileInterval(samples[i].seconds, samples[i].least);
    return times;
}

TuneReport describeAlternatives(const std::vector<TunedTask> &tasks, const LayoutSearch &layouts,
                                const std::vector<TimeInterval> &inTurn, const std::string &log) {
    TuneReport report;
    const LoadedTask &given = tasks.front().loaded;
    size_t trials = 0;
    for (const TunedTask &tuned : tasks) trials += tuned.resumed.trials.size() + tuned.result.trials.size();
    Json alternatives = Json::array();
    for (size_t i = 0; i < tasks.size(); ++i) {
        TuneReport one = describe(tasks[i], log, trials);
        const TriedLayout *tried = i > 0 ? &layouts.tried[i - 1] : nullptr;
        one.json["layout"] = tried ? Json(tried->alternative.text) : Json(nullptr);
        one.json["loops"] = tried ? Json(tried->loops) : Json(nullptr);
        one.json["cost_share"] = tried ? tried->alternative.costShare : 1.0;
        one.json["file"] = tried == nullptr      ? Json(given.workload.path)
                           : tried->file.empty() ? Json(nullptr)
                                                 : Json(tried->file);
        one.json["seconds_in_turn"] = inTurn[i].known() ? Json(inTurn[i].seconds) : Json(nullptr);
        alternatives.push_back(std::move(one.json));
        report.text += (report.text.empty() ? "" : "\n") + one.text;
    }
    report.json = {{"workload", given.workload.name},
                   {"target", given.task.target.text()},
                   {"trials", trials},
                   {"notes", layouts.notes}};
    const auto winner = winnerOf(tasks, inTurn);
    report.json["best"] = nullptr;
    if (winner) {
        const bool compared = inTurn[*winner].known() && inTurn.front().known();
        const double seconds = inTurn[*winner].known() ? inTurn[*winner].seconds : ownSeconds(tasks[*winner]);
        report.json["best"] = {
            {"alternative", *winner},
            {"layout", alternatives[*winner]["layout"]},
            {"seconds", seconds},
            {"times_as_fast", compared ? Json(inTurn.front().seconds / inTurn[*winner].seconds) : Json(nullptr)},
            {"record", numberOf(tasks[*winner])},
            {"file", alternatives[*winner]["file"]}};
        if (tasks.size() > 1) report.text += "\n" + verdictText(tasks, layouts, inTurn, *winner, log) + "\n";
    }
    report.json["alternatives"] = std::move(alternatives);
    return report;
}

} // namespace loopscope
