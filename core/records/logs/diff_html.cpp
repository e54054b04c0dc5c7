#include "records/logs/diff_chart.h"
#include "records/logs/diff_report.h"

#include "base/foreign_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <logs_texts.h>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

/// Of a log of a thousand tasks a page with all curves would be no report; those that matter most have theirs.
constexpr size_t kMaxSections = 60;

template <typename... Args> void add(std::string &out, fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

std::string letterMark(size_t log) {
    return fmt::format("<span class=\"key key{}\">{}</span>", log % 6, logLetter(log));
}

std::string ratioText(double ratio) { return fmt::format("{:.3f}", ratio); }

const char *classOf(DiffVerdict verdict) {
    if (verdict == DiffVerdict::Better) return "good";
    return verdict == DiffVerdict::Worse ? "bad" : "quiet";
}

/// From the middle: to the left the other log is faster, to the right slower; an end is `most` times.
std::string ratioBar(double ratio, double most, DiffVerdict verdict) {
    constexpr double width = 140;
    const double part = std::clamp(std::log(ratio) / std::log(most), -1.0, 1.0) * (width / 2);
    const char *kind = verdict == DiffVerdict::WithinNoise ? "even" : part < 0 ? "good" : "bad";
    return fmt::format("<svg class=\"bar\" width=\"{0:g}\" height=\"14\" viewBox=\"0 0 {0:g} 14\" aria-hidden=\"true\">"
                       "<rect class=\"{1}\" x=\"{2:.1f}\" y=\"2\" width=\"{3:.1f}\" height=\"10\" rx=\"1.5\"/>"
                       "<line x1=\"{4:g}\" x2=\"{4:g}\" y1=\"0\" y2=\"14\"/></svg>",
                       width, kind, part < 0 ? width / 2 + part : width / 2, std::max(1.0, std::fabs(part)), width / 2);
}

/// At which ratio bars end: the greatest, but no less than what tells a little from nothing.
double greatestRatio(const LogDiff &diff) {
    double most = 1.1;
    for (const TaskDiff &task : diff.tasks)
        for (const DiffPair &pair : task.pairs)
            if (pair.ratio) most = std::max({most, *pair.ratio, 1 / *pair.ratio});
    return std::min(most, 16.0);
}

void addFigure(std::string &html, const std::string &value, std::string_view what) {
    add(html, "<div><b>{}</b><span>{}</span></div>\n", value, what);
}

void addSummary(std::string &html, const LogDiff &diff) {
    for (size_t other = 1; other < diff.paths.size(); ++other) {
        const DiffTotals &totals = diff.totals[other - 1];
        add(html, "<p class=\"summary\">{}</p>\n<div class=\"figures\">\n", htmlText(diffSentence(diff, other)));
        const std::string over = fmt::format("{} over {}", logLetter(other), logLetter(0));
        if (totals.geomean) addFigure(html, ratioText(*totals.geomean), "geometric mean, " + over);
        if (totals.weightedGeomean && diff.weighted)
            addFigure(html, ratioText(*totals.weightedGeomean), "the same, weighted");
        if (totals.compared > 1)
            addFigure(html, fmt::format("{} → {}", shortTime(totals.secondsFirst), shortTime(totals.secondsOther)),
                      diff.weighted ? "sum of the bests, weighted" : "sum of the bests");
        addFigure(html, std::to_string(totals.won), "won by " + logLetter(other));
        addFigure(html, std::to_string(totals.lost), "lost");
        addFigure(html, std::to_string(totals.withinNoise), "within noise");
        if (totals.onlyFirst > 0) addFigure(html, std::to_string(totals.onlyFirst), "only in " + logLetter(0));
        if (totals.onlyOther > 0) addFigure(html, std::to_string(totals.onlyOther), "only in " + logLetter(other));
        html += "</div>\n";
    }
}

std::string bestCell(const std::optional<DiffSide> &side) {
    if (!side) return "<td class=\"number quiet\">–</td>";
    const std::string counts = side->failures > 0
                                   ? fmt::format("{} of {} failed", side->failures, side->records)
                                   : fmt::format("{} trial{}", side->records, side->records == 1 ? "" : "s");
    return fmt::format("<td class=\"number\">{}<br><span class=\"quiet\">{}</span></td>",
                       side->valid()     ? shortTime(side->seconds)
                       : side->untimed() ? "none timed"
                                         : "none valid",
                       counts);
}

void addTable(std::string &html, const LogDiff &diff, const std::vector<size_t> &sections) {
    const double most = greatestRatio(diff);
    html += "<div class=\"scroll\"><table>\n<tr><th>Task</th>";
    if (diff.weighted) html += "<th class=\"number\">Weight</th>";
    for (size_t log = 0; log < diff.paths.size(); ++log)
        add(html, "<th class=\"number\">Best in {}</th>", letterMark(log));
    const bool narrow = diff.paths.size() > 2; // the verdict then stands below its ratio
    for (size_t other = 1; other < diff.paths.size(); ++other) {
        add(html, "<th class=\"number\">{0} / {1}</th><th class=\"bar\">faster ← → slower</th>", logLetter(other),
            logLetter(0));
        if (!narrow) add(html, "<th>Verdict on {}</th>", logLetter(other));
    }
    html += "</tr>\n";
    for (size_t i = 0; i < diff.tasks.size(); ++i) {
        const TaskDiff &task = diff.tasks[i];
        const std::string title = htmlText(taskTitle(task.task));
        const bool linked = std::binary_search(sections.begin(), sections.end(), i);
        add(html, "<tr><td>{}</td>", linked ? fmt::format("<a href=\"#task{}\">{}</a>", i, title) : title);
        if (diff.weighted) add(html, "<td class=\"number\">{:g}</td>", task.weight);
        for (const auto &side : task.sides) html += bestCell(side);
        for (size_t other = 1; other < diff.paths.size(); ++other) {
            const DiffPair &pair = task.pairs[other - 1];
            const std::string verdict = verdictText(pair.verdict, other);
            const std::string ratio = pair.ratio ? ratioText(*pair.ratio) : "–";
            const std::string bar = pair.ratio ? ratioBar(*pair.ratio, most, pair.verdict) : std::string();
            if (narrow)
                add(html, "<td class=\"number\">{}<br><span class=\"{}\">{}</span></td><td class=\"bar\">{}</td>",
                    ratio, classOf(pair.verdict), verdict, bar);
            else
                add(html, "<td class=\"number\">{}</td><td class=\"bar\">{}</td><td class=\"{}\">{}</td>", ratio, bar,
                    classOf(pair.verdict), verdict);
        }
        html += "</tr>\n";
    }
    html += "</table></div>\n";
}

void addSteps(std::string &html, const DiffPair &pair, size_t other, bool open) {
    if (!pair.stepsRefused.empty()) {
        add(html, "<p class=\"quiet\">{}.</p>\n", htmlText(pair.stepsRefused));
        return;
    }
    if (pair.steps.empty()) return;
    size_t same = 0;
    size_t changed = 0;
    size_t onlyFirst = 0;
    size_t onlyOther = 0;
    for (const StepPair &step : pair.steps) {
        if (step.same)
            ++same;
        else if (step.a >= 0 && step.b >= 0)
            ++changed;
        else
            ++(step.a >= 0 ? onlyFirst : onlyOther);
    }
    add(html,
        "<details{}><summary>Steps of the two bests: {} the same, {} changed, {} only in {}, {} only in "
        "{}{}</summary>\n<pre>",
        open ? " open" : "", same, changed, onlyFirst, logLetter(0), onlyOther, logLetter(other),
        pair.stepsByNumber ? " (stages and loops by number, since it is not known what the task computes)" : "");
    for (size_t i = 0; i < pair.steps.size(); ++i) {
        const StepPair &step = pair.steps[i];
        const std::string label = step.followed ? fmt::format("p{}: ", i) : std::string(); // other lines name it so
        if (step.same) {
            add(html, "<span class=\"same\">  {}{}</span>\n", label, htmlText(step.lineA));
            continue;
        }
        if (step.a >= 0) add(html, "<span class=\"a\">- {}{}</span>\n", label, htmlText(step.lineA));
        if (step.b >= 0) add(html, "<span class=\"b\">+ {}{}</span>\n", label, htmlText(step.lineB));
    }
    html += "</pre></details>\n";
}

/// What is known of the task beside its times.
void addFacts(std::string &html, const TaskDiff &task) {
    add(html, "<p class=\"quiet\"><code>{}</code> on <code>{}</code>", htmlText(task.task.key),
        htmlText(task.task.target));
    if (task.task.by != MatchedBy::Key) add(html, "; matched by {}", matchText(task.task.by));
    html += "</p>\n";
    if (task.task.targetsDiffer)
        html += "<p><b>The logs were measured on different processors or numbers of cores</b>, which the ratio "
                "includes.</p>\n";
    if (task.task.layoutsDiffer)
        html += "<p><b>The layout rewrite options differ</b>: the time of packing weights is part of some of the "
                "records.</p>\n";
}

void addPairSentence(std::string &html, const TaskDiff &task, size_t other) {
    const DiffPair &pair = task.pairs[other - 1];
    if (!pair.ratio) return;
    const DiffSide &first = *task.sides[0];
    const DiffSide &second = *task.sides[other];
    const auto times = [](size_t log, const DiffSide &side) {
        return fmt::format("{} {} ({} to {}{})", letterMark(log), shortTime(side.seconds), shortTime(side.low),
                           shortTime(side.high),
                           side.repeats > 1 ? fmt::format(", {} repeats", side.repeats) : ", one time");
    };
    add(html, "<p>{}, {}: <b class=\"{}\">{}</b>. They share {} of {} structure{}; the two bests {}.</p>\n",
        times(0, first), times(other, second), classOf(pair.verdict), verdictText(pair.verdict, other),
        pair.structuresShared, pair.structuresInAll, pair.structuresInAll == 1 ? "" : "s",
        pair.sameStructure ? "have the same one" : "differ in theirs");
}

void addSection(std::string &html, const LogDiff &diff, size_t number, bool open) {
    const TaskDiff &task = diff.tasks[number];
    add(html, "<h2 id=\"task{}\">{}</h2>\n", number, htmlText(taskTitle(task.task)));
    addFacts(html, task);
    for (size_t other = 1; other < diff.paths.size(); ++other) addPairSentence(html, task, other);
    const std::string byTrials = curveChart(task.sides, ChartAxis::Trials);
    const std::string byTime = curveChart(task.sides, ChartAxis::Time);
    if (!byTrials.empty() || !byTime.empty()) add(html, "<div class=\"charts\">\n{}{}</div>\n", byTrials, byTime);
    if (!byTrials.empty() && byTime.empty())
        html += "<p class=\"quiet\">The timestamps do not tell how long the search took.</p>\n";
    for (size_t other = 1; other < diff.paths.size(); ++other) addSteps(html, task.pairs[other - 1], other, open);
}

/// The tasks whose sections are printed, in their order: all, or those that weigh most.
std::vector<size_t> sectionsOf(const LogDiff &diff) {
    std::vector<size_t> order(diff.tasks.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (order.size() <= kMaxSections) return order;
    const auto importance = [&](size_t i) {
        const DiffPair &pair = diff.tasks[i].pairs.front();
        return pair.ratio ? diff.tasks[i].weight * std::fabs(std::log(*pair.ratio)) : -1.0;
    };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return importance(a) > importance(b); });
    order.resize(kMaxSections);
    std::sort(order.begin(), order.end());
    return order;
}

} // namespace

std::string diffHtml(const LogDiff &diff) {
    std::string names;
    for (size_t log = 0; log < diff.paths.size(); ++log)
        names += (log == 0                       ? ""
                  : log + 1 == diff.paths.size() ? " and "
                                                 : ", ") +
                 std::filesystem::path(diff.paths[log]).filename().string();
    std::string html = fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                                   "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n",
                                   htmlText("Tuning logs compared: " + names), kStyle);
    html += "<ul class=\"logs\">\n";
    for (size_t log = 0; log < diff.paths.size(); ++log) {
        size_t records = 0;
        for (const TaskDiff &task : diff.tasks) records += task.sides[log] ? task.sides[log]->records : 0;
        add(html, "<li>{} <code>{}</code> <span class=\"quiet\">{} records</span></li>\n", letterMark(log),
            htmlText(diff.paths[log]), records);
    }
    html += "</ul>\n";
    addSummary(html, diff);
    const std::vector<size_t> sections = sectionsOf(diff);
    addTable(html, diff, sections);
    add(html,
        "<p class=\"quiet\">The time of a record is its time where it has one, and the median of its best three where "
        "it "
        "has several. A ratio is the best time of the other log over that of {0}: below 1 the other is faster. Within "
        "noise: the ranges of the two bests overlap, from the least to the third of their times and {1:g} % wide at "
        "least, since they were taken at different times. The strips below the curves by trials are darker where more "
        "trials failed.</p>\n",
        logLetter(0), 100 * kMinScatter);
    if (sections.size() < diff.tasks.size())
        add(html, "<p>Below are the {} tasks of {} that weigh most in the mean.</p>\n", sections.size(),
            diff.tasks.size());
    constexpr size_t fewSections = 3;
    for (const size_t number : sections) addSection(html, diff, number, sections.size() <= fewSections);
    return html + "</main>\n</body>\n</html>\n";
}

} // namespace loopscope
