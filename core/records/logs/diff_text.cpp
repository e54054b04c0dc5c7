#include "records/logs/diff_report.h"

#include "records/record/workload_key.h"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

namespace loopscope {

namespace {

constexpr size_t kLongestTitle = 90;

std::string csvField(std::string_view field) {
    if (field.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(field);
    std::string out = "\"";
    for (const char c : field) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + "\"";
}

std::string counted(size_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

} // namespace

std::string logLetter(size_t log) {
    return log < 26 ? std::string(1, static_cast<char>('A' + static_cast<int>(log))) : std::to_string(log + 1);
}

std::string verdictText(DiffVerdict verdict, size_t other) {
    std::string text(verdictName(verdict));
    if (verdict == DiffVerdict::OnlyOther || verdict == DiffVerdict::TimedInOther)
        text.replace(text.size() - 1, 1, logLetter(other));
    return text;
}

std::string taskTitle(const MatchedTask &task) {
    if (!task.workload.empty()) return task.workload;
    const FlatKey key = flatKeyOf(task.key);
    const std::string name = key.isHash() ? key.name.substr(0, 8) + "…" : key.name;
    std::string title = key.args.empty() ? name : fmt::format("{} ({})", name, key.args);
    if (title.size() <= kLongestTitle) return title;
    size_t end = kLongestTitle;
    while (end > 0 && (static_cast<unsigned char>(title[end]) & 0xC0U) == 0x80U) --end; // not within a character
    return title.substr(0, end) + "…";
}

std::string diffSentence(const LogDiff &diff, size_t other) {
    const DiffTotals &totals = diff.totals[other - 1];
    const std::string first = logLetter(0);
    const std::string second = logLetter(other);
    std::string text;
    if (!totals.geomean) {
        text = fmt::format("{} and {} have no task in common that both have a timed record of", first, second);
    } else if (totals.won + totals.lost == 0) {
        text =
            fmt::format("No difference is seen between {} and {}: the times of their bests overlap in {} (geometric "
                        "mean of the ratios {:.3f})",
                        second, first,
                        totals.compared == 1 ? "the one task that both have"
                                             : fmt::format("all {} that both have", counted(totals.compared, "task")),
                        *totals.geomean);
    } else {
        const double ratio = *totals.geomean;
        const double change = 100 * std::fabs(1 - ratio);
        if (change < 0.05)
            text = fmt::format("{} is as fast as {}", second, first);
        else
            text = fmt::format("{} takes {:.3g} % {} time than {}", second, change, ratio < 1 ? "less" : "more", first);
        text += totals.compared == 1 ? " in the one task that both have"
                                     : fmt::format(" in the geometric mean of {}", counted(totals.compared, "task"));
        text += fmt::format(": it is faster in {}, slower in {}, and within noise in {}", totals.won, totals.lost,
                            totals.withinNoise);
    }
    if (totals.onlyFirst + totals.onlyOther > 0)
        text += fmt::format("; {} only in {}, {} only in {}", counted(totals.onlyFirst, "task"), first,
                            totals.onlyOther, second);
    return text + ".";
}

std::string diffCsv(const LogDiff &diff) {
    std::string csv = "key,target,workload,matched_by,weight";
    for (size_t log = 0; log < diff.paths.size(); ++log) {
        const std::string letter = logLetter(log);
        fmt::format_to(std::back_inserter(csv), ",records_{0},failures_{0},best_seconds_{0},low_{0},high_{0}", letter);
    }
    for (size_t other = 1; other < diff.paths.size(); ++other)
        fmt::format_to(std::back_inserter(csv), ",ratio_{0},verdict_{0},structures_shared_{0},structures_{0}",
                       logLetter(other));
    csv += '\n';
    for (const TaskDiff &task : diff.tasks) {
        csv += fmt::format("{},{},{},{},{:g}", csvField(task.task.key), csvField(task.task.target),
                           csvField(task.task.workload), matchText(task.task.by), task.weight);
        for (const auto &side : task.sides) {
            if (!side)
                csv += ",0,0,,,";
            else if (!side->valid())
                csv += fmt::format(",{},{},,,", side->records, side->failures);
            else
                csv += fmt::format(",{},{},{:.6g},{:.6g},{:.6g}", side->records, side->failures, side->seconds,
                                   side->low, side->high);
        }
        for (size_t other = 1; other <= task.pairs.size(); ++other) {
            const DiffPair &pair = task.pairs[other - 1];
            csv += fmt::format(",{},{},{},{}", pair.ratio ? fmt::format("{:.6g}", *pair.ratio) : std::string(),
                               verdictText(pair.verdict, other), pair.structuresShared, pair.structuresInAll);
        }
        csv += '\n';
    }
    return csv;
}

} // namespace loopscope
