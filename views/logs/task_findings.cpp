#include "views/logs/task_findings.h"

#include "views/session/text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

namespace loopscope {

namespace {

constexpr size_t kMostPoints = 6000;
constexpr size_t kExamples = 5;
constexpr size_t kMostGroups = 500;
constexpr double kBinsPerDecade = 20;

/// The least and the greatest of every stretch, in order; what is extreme stays.
std::vector<TaskFindings::Point> thinOut(const std::vector<TaskFindings::Point> &points) {
    if (points.size() <= kMostPoints) return points;
    std::vector<TaskFindings::Point> kept;
    const size_t stretch = (points.size() * 2 + kMostPoints - 1) / kMostPoints;
    for (size_t at = 0; at < points.size(); at += stretch) {
        const auto from = points.begin() + static_cast<ptrdiff_t>(at);
        const auto to = points.begin() + static_cast<ptrdiff_t>(std::min(at + stretch, points.size()));
        auto [least, greatest] =
            std::minmax_element(from, to, [](const auto &a, const auto &b) { return a.seconds < b.seconds; });
        if (greatest < least) std::swap(least, greatest);
        kept.push_back(*least);
        if (greatest != least) kept.push_back(*greatest);
    }
    return kept;
}

std::vector<TaskFindings::Bin> binsOf(const std::vector<TaskFindings::Point> &points) {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const auto &point : points) {
        if (point.seconds <= 0) continue;
        least = std::min(least, point.seconds);
        most = std::max(most, point.seconds);
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
    for (const auto &point : points)
        if (point.seconds > 0) ++bins[std::min(place(point.seconds), bins.size() - 1)].records;
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
    again.greatest = std::max(again.greatest, row.seconds);
    if (row.seconds < again.least) {
        again.least = row.seconds;
        again.best = record;
    }
}

QString aboutBestOf(const LogDocument &log, uint32_t best, uint32_t second) {
    if (best == UINT32_MAX) return QStringLiteral("No record of this task has a time.");
    const LogRow &first = log.row(best);
    const QString name = QStringLiteral("The best, line %1, takes %2").arg(first.line).arg(timeText(first.seconds));
    if (second == UINT32_MAX) return QStringLiteral("%1; no other schedule has a time.").arg(name);
    const LogRow &next = log.row(second);
    const double ahead = next.seconds / first.seconds - 1;
    const QString lead = QStringLiteral("%1; the next one of other steps, line %2, takes %3 longer")
                             .arg(name)
                             .arg(next.line)
                             .arg(percentText(ahead));
    if (first.repeats < 2 || next.repeats < 2)
        return QStringLiteral("%1. How far times scatter is not known: one of them has a single time.").arg(lead);
    const auto noise = static_cast<double>(std::max(first.spread, next.spread));
    return ahead <= noise ? QStringLiteral("%1, which is within their noise (repeats scatter by %2).")
                                .arg(lead, percentText(noise))
                          : QStringLiteral("%1, which is more than their noise (repeats scatter by %2).")
                                .arg(lead, percentText(noise));
}

struct Gathered {
    std::vector<TaskFindings::Point> valid;
    std::vector<TaskFindings::Point> failed;
    std::map<std::pair<uint16_t, TrialError>, TaskFindings::Failures> failures;
    std::unordered_map<uint64_t, TaskFindings::Again> sameSteps;
    std::unordered_map<uint32_t, TaskFindings::Again> structures;
    std::vector<float> spreads;
};

void gather(const LogDocument &log, const LogRow &row, uint32_t record, TaskFindings &findings, Gathered &all) {
    const auto number = static_cast<double>(++findings.records);
    count(all.sameSteps[row.steps], row, record);
    count(all.structures[row.structure], row, record);
    if (row.failed()) {
        ++findings.failed;
        all.failed.push_back({number, 0, record});
        TaskFindings::Failures &kind = all.failures[{row.reason, row.error}];
        if (kind.records++ == 0) {
            kind.error = row.error;
            kind.reason = row.reason > 0 ? qt(log.reasons()[row.reason - 1U].pattern) : QString();
        }
        if (kind.examples.size() < kExamples) kind.examples.push_back(record);
        return;
    }
    findings.unstable += row.unstable ? 1 : 0;
    if (findings.best.empty() || row.seconds < findings.best.back().seconds)
        findings.best.push_back({number, row.seconds, record});
    all.valid.push_back({number, row.seconds, record});
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
    for (size_t at = 0; at < log.size();) {
        if (cancelled) return nullptr;
        for (const LogRow &row : log.rowsFrom(at)) {
            if (row.task == static_cast<uint32_t>(task)) gather(log, row, static_cast<uint32_t>(at), *findings, all);
            ++at;
        }
    }
    findings->bins = binsOf(all.valid);
    findings->valid = thinOut(all.valid);
    findings->thinned = findings->valid.size() < all.valid.size();
    findings->failedAt = thinOut(all.failed);
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
        if (list->size() > kMostGroups) list->resize(kMostGroups);
    if (!all.spreads.empty()) {
        const auto middle = all.spreads.begin() + static_cast<ptrdiff_t>(all.spreads.size() / 2);
        std::nth_element(all.spreads.begin(), middle, all.spreads.end());
        findings->medianSpread = static_cast<double>(*middle);
    }
    const uint32_t best = findings->best.empty() ? UINT32_MAX : findings->best.back().record;
    uint32_t second = UINT32_MAX;
    for (const auto &point : all.valid)
        if (log.row(point.record).steps != log.row(best).steps &&
            (second == UINT32_MAX || point.seconds < log.row(second).seconds))
            second = point.record;
    findings->aboutBest = aboutBestOf(log, best, second);
    return findings;
}

} // namespace loopscope
