#include "views/session/document.h"

#include "measure/timing/sampling.h"
#include "records/record/record.h"
#include "views/session/text.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

QString TrialEntry::recordName() const { return recordHash == 0 ? QString() : qt(loopscope::recordName(recordHash)); }

double TrialEntry::seconds() const {
    if (!trial.valid()) return std::numeric_limits<double>::infinity();
    if (later->compared.known()) return later->compared.seconds;
    return later->again.empty() ? trial.cost() : agreedSeconds(later->again.back());
}

bool TrialEntry::untimed() const { return trial.valid() && trial.seconds.empty() && !std::isfinite(seconds()); }

QString TrialEntry::timeWords() const {
    if (!valid()) return QStringLiteral("failed");
    return untimed() ? QStringLiteral("checked, not timed") : timeText(seconds());
}

QString EditMeasurement::words() const {
    if (!failure.isEmpty()) return QStringLiteral("failed");
    if (seconds > 0) return timeText(seconds);
    return trial >= 0 ? QStringLiteral("checked, not timed") : QString();
}

double TrialEntry::spread() const {
    std::vector<double> samples = later->again.empty() ? trial.seconds : later->again.back();
    if (!trial.valid() || samples.size() < 2) return 0;
    std::sort(samples.begin(), samples.end());
    const auto at = [&](double share) {
        return samples[static_cast<size_t>(std::lround(share * static_cast<double>(samples.size() - 1)))];
    };
    return at(0.5) > 0 ? (at(0.9) - at(0.1)) / at(0.5) : 0;
}

double TaskState::elapsedTotal() const {
    double total = 0;
    for (const auto &entry : trials) total = std::max(total, entry.elapsed);
    for (const auto &round : rounds) total = std::max(total, round.elapsed);
    return total;
}

bool SearchStatus::underWay() const {
    return state == SearchState::Running || state == SearchState::Pausing || state == SearchState::Paused ||
           state == SearchState::Stopping;
}

void SearchStatus::pause() { state = running.empty() ? SearchState::Paused : SearchState::Pausing; }

void SearchStatus::trialAdvanced(int number, TrialStage stage) {
    building = stage == TrialStage::Building;
    const bool begun = building || stage == TrialStage::Running;
    if (begun)
        running.insert(number);
    else
        running.erase(number);
    measuring = begun ? number : -1;
    measuringSince = QDateTime::currentDateTime();
    if (state == SearchState::Pausing || state == SearchState::Paused) pause();
}

void SearchStatus::trialEnded(int number) {
    running.erase(number);
    measuring = -1;
    if (state == SearchState::Pausing) pause();
}

std::optional<double> SearchStatus::secondsLeft(double timeLimit) const {
    // The first trials wait for the reference and the sketches: no rate yet.
    const int measured = done - resumed;
    if (!underWay() || measured < 2 || elapsed <= 0) return {};
    const double left = elapsed / measured * std::max(0, total - done);
    return timeLimit > 0 ? std::min(left, std::max(0., timeLimit - elapsed)) : left;
}

size_t TaskState::count(ScheduleRef::Kind kind) const {
    switch (kind) {
    case ScheduleRef::Kind::Naive:
        return 1;
    case ScheduleRef::Kind::Sketch:
        return sketches.size();
    case ScheduleRef::Kind::Trial:
        return trials.size();
    case ScheduleRef::Kind::Edited:
        return edited.size();
    }
    return 0;
}

bool TaskState::has(const ScheduleRef &ref) const {
    if (ref.kind == ScheduleRef::Kind::Naive) return task != nullptr;
    const auto number = static_cast<size_t>(ref.number);
    if (ref.number < 0 || number >= count(ref.kind)) return false;
    return ref.kind != ScheduleRef::Kind::Edited || !edited[number].dropped;
}

QString scheduleName(const TaskState &state, const ScheduleRef &ref) {
    QString number = scheduleName(ref);
    if (ref.kind != ScheduleRef::Kind::Edited || !state.has(ref)) return number;
    const QString &own = state.edited[static_cast<size_t>(ref.number)].name;
    return own.isEmpty() ? number : QStringLiteral("%1 (%2)").arg(number, own);
}

bool TaskState::worthKeeping() const {
    return !trials.empty() || !edited.empty() || draft || !rounds.empty() || !logPath.isEmpty() || loadingLog ||
           search.underWay();
}

} // namespace loopscope
