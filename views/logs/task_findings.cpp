#include "views/logs/task_findings.h"

#include "records/logs/log_curve.h"
#include "views/session/text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

namespace loopscope {

namespace {

constexpr size_t kStretches = 3000; // of which two points each are drawn
constexpr size_t kExamples = 5;
constexpr size_t kMaxGroups = 500;
constexpr double kBinsPerDecade = 20;

std::vector<TaskFindings::Point> pointsOf(const std::vector<CurvePoint> &points) {
    std::vector<TaskFindings::Point> list;
    list.reserve(points.size());
    for (const CurvePoint &point : points) list.push_back({point.x + 1, point.seconds, point.record});
    return list;
}

std::vector<TaskFindings::Bin> binsOf(const std::vector<double> &times) {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const double seconds : times) {
        if (seconds <= 0) continue;
        least = std::min(least, seconds);
        most = std::max(most, seconds);
    }
    if (most <= 0) return {};
    const double from = std::floor(std::log10(least) * kBinsPerDecade);
    const auto place = [&](double seconds) {
        return static_cast<size_t>(std::max(0., std::floor(std::log10(seconds) * kBinsPerDecade) - from));
    };
    std::vector<TaskFindings::Bin> bins(place(most) + 1);
    for (size_t i = 0; i < bins.size(); ++i) {
        bins[i].from = std::pow(10, (from + static_cast<double>(i)) / kBinsPerDecade);
        bins[i].to = std::pow(10, (from + static_cast<double>(i) + 1) / kBinsPerDecade);
    }
    for (const double seconds : times)
        if (seconds > 0) ++bins[std::min(place(seconds), bins.size() - 1)].records;
    return bins;
}

void count(TaskFindings::Again &again, const LogRow &row, uint32_t record) {
    if (again.records++ == 0) {
        again.first = record;
        again.least = std::numeric_limits<double>::infinity();
    }
    if (row.failed()) {
        ++again.failures;
        return;
    }
    if (row.untimed()) return;
    again.greatest = std::max(again.greatest, row.seconds);
    if (row.seconds < again.least) {
        again.least = row.seconds;
        again.best = record;
    }
}

QString aboutBestOf(const LogDocument &log, const CloseToBest &close, size_t untimed) {
    if (close.best == UINT32_MAX && untimed > 0)
        return QStringLiteral("No record of this task has a time: %1 right, but not timed.")
            .arg(countedText(untimed, "answer is", "answers are"));
    if (close.best == UINT32_MAX) return QStringLiteral("No record of this task has a time.");
    const LogRow &first = log.row(close.best);
    const QString name = QStringLiteral("The best, line %1, takes %2").arg(first.line).arg(timeText(first.seconds));
    if (close.others == 0) return QStringLiteral("%1; no other schedule has a time.").arg(name);
    const LogRow &next = log.row(close.second.record);
    const bool noise = close.second.behind <= close.second.noise;
    const bool guessed = first.repeats < 2 || next.repeats < 2;
    QString text =
        QStringLiteral("%1; the next one of other steps, line %2, takes %3 longer, which is %4 their noise (%5 %6).")
            .arg(name)
            .arg(next.line)
            .arg(percentText(close.second.behind), noise ? QStringLiteral("within") : QStringLiteral("more than"),
                 guessed ? QStringLiteral("a single time is taken to scatter by")
                         : QStringLiteral("repeats scatter by"),
                 percentText(close.second.noise));
    if (close.close.size() > 1)
        text += QStringLiteral(" %1 within noise of the best.")
                    .arg(countedText(close.close.size(), "other schedule is", "other schedules are"));
    return text;
}

struct Gathered {
    std::vector<double> times;
    std::map<std::pair<uint16_t, TrialError>, TaskFindings::Failures> failures;
    std::unordered_map<uint64_t, TaskFindings::Again> sameSteps;
    std::unordered_map<uint32_t, TaskFindings::Again> structures;
    std::vector<float> spreads;
};

void gather(const LogDocument &log, const LogRow &row, uint32_t record, TaskFindings &findings, Gathered &all) {
    ++findings.records;
    count(all.sameSteps[row.steps], row, record);
    count(all.structures[row.structure], row, record);
    if (row.failed()) {
        ++findings.failed;
        TaskFindings::Failures &kind = all.failures[{row.reason, row.error}];
        if (kind.records++ == 0) {
            kind.error = row.error;
            kind.reason = row.reason > 0 ? qt(log.reasons()[row.reason - 1U].pattern) : QString();
        }
        if (kind.examples.size() < kExamples) kind.examples.push_back(record);
        return;
    }
    if (row.untimed()) {
        ++findings.untimed;
        return;
    }
    findings.unstable += row.unstable ? 1 : 0;
    all.times.push_back(row.seconds);
    if (row.repeats < 2) return;
    all.spreads.push_back(row.spread);
    if (static_cast<double>(row.spread) > findings.greatestSpread) {
        findings.greatestSpread = static_cast<double>(row.spread);
        findings.greatestSpreadOf = record;
    }
}

template <typename Key>
std::vector<TaskFindings::Again> groups(const std::unordered_map<Key, TaskFindings::Again> &from, size_t least) {
    std::vector<TaskFindings::Again> list;
    for (const auto &[key, again] : from)
        if (again.records >= least) list.push_back(again);
    return list;
}

} // namespace

TaskFindingsPtr findInTask(const LogDocument &log, int task, const std::atomic<bool> &cancelled) {
    auto findings = std::make_shared<TaskFindings>();
    findings->task = task;
    Gathered all;
    const std::vector<uint32_t> records = recordsOfTask(log, static_cast<size_t>(task));
    for (const uint32_t record : records) {
        if (cancelled) return nullptr;
        gather(log, log.row(record), record, *findings, all);
    }
    const LogCurve curve = logCurve(log, records, CurveAxis::Order, kStretches);
    findings->valid = pointsOf(curve.points);
    findings->best = pointsOf(curve.best);
    findings->failedAt = pointsOf(curve.failed);
    findings->thinned = findings->valid.size() < all.times.size() || findings->failedAt.size() < findings->failed;
    findings->bins = binsOf(all.times);
    for (auto &[key, kind] : all.failures) findings->failures.push_back(std::move(kind));
    std::stable_sort(findings->failures.begin(), findings->failures.end(),
                     [](const auto &a, const auto &b) { return a.records > b.records; });
    findings->sameSteps = groups(all.sameSteps, 2);
    std::sort(findings->sameSteps.begin(), findings->sameSteps.end(), [](const auto &a, const auto &b) {
        return a.records != b.records ? a.records > b.records : a.first < b.first;
    });
    findings->structures = groups(all.structures, 1);
    std::sort(findings->structures.begin(), findings->structures.end(),
              [](const auto &a, const auto &b) { return a.least != b.least ? a.least < b.least : a.first < b.first; });
    for (auto *list : {&findings->sameSteps, &findings->structures})
        if (list->size() > kMaxGroups) list->resize(kMaxGroups);
    if (!all.spreads.empty()) {
        const auto middle = all.spreads.begin() + static_cast<ptrdiff_t>(all.spreads.size() / 2);
        std::nth_element(all.spreads.begin(), middle, all.spreads.end());
        findings->medianSpread = static_cast<double>(*middle);
    }
    if (cancelled) return nullptr;
    findings->close = closeToBest(log, records);
    findings->aboutBest = aboutBestOf(log, findings->close, findings->untimed);
    findings->all = records;
    return findings;
}

} // namespace loopscope
