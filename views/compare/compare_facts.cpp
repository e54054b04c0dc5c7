#include "views/compare/compare_facts.h"

#include "views/session/baseline.h"
#include "views/session/measured_where.h"
#include "views/session/standing.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

const QString kDot = QStringLiteral(" \u00b7 ");

const TrialEntry *trialOf(const TaskState &state, const ScheduleRef &ref) {
    return ref.kind == ScheduleRef::Kind::Trial && scheduleExists(state, ref)
               ? &state.trials[static_cast<size_t>(ref.number)]
               : nullptr;
}

QString times(double ratio) { return QString::number(ratio, 'f', ratio < 9.995 ? 2 : 1) + QChar(0x00d7); }

} // namespace

bool scheduleExists(const TaskState &state, const ScheduleRef &ref) { return state.has(ref); }

QString scheduleFacts(const TaskState &state, const ScheduleRef &ref) {
    if (ref.kind == ScheduleRef::Kind::Naive) {
        if (state.naiveSeconds <= 0) return QStringLiteral("no steps; not measured");
        QStringList facts{timeText(state.naiveSeconds), measuredWhere(state, ref)};
        if (const QString told = againstBaselineText(state, ref); !told.isEmpty()) facts << told;
        return facts.join(kDot);
    }
    if (ref.kind == ScheduleRef::Kind::Sketch) {
        if (!scheduleExists(state, ref)) return {};
        const auto steps = state.sketches[static_cast<size_t>(ref.number)].state.steps().size();
        return QStringLiteral("%1 steps, lengths open; never measured").arg(steps);
    }
    if (ref.kind == ScheduleRef::Kind::Edited) {
        if (!scheduleExists(state, ref)) return {};
        const EditNode &node = state.edited[static_cast<size_t>(ref.number)];
        const size_t applied = node.steps.state().steps().size();
        QStringList facts{countedText(node.steps.size(), "step")};
        if (applied < node.steps.size()) facts << QStringLiteral("%1 refused").arg(node.steps.size() - applied);
        facts << (!node.measured.failure.isEmpty()  ? QStringLiteral("measuring it failed")
                  : node.measured.words().isEmpty() ? QStringLiteral("never measured")
                                                    : node.measured.words());
        if (const QString where = measuredWhere(state, ref); !where.isEmpty() && timedSeconds(state, ref))
            facts << where;
        if (const QString told = againstBaselineText(state, ref); !told.isEmpty()) facts << told;
        return facts.join(kDot);
    }
    const TrialEntry *entry = trialOf(state, ref);
    if (entry == nullptr) return {};
    QStringList facts;
    if (entry->untimed()) {
        facts << entry->timeWords();
        if (const QString where = measuredWhere(state, ref); !where.isEmpty()) facts << where;
    } else if (entry->valid()) {
        if (entry->later->compared.known())
            facts << QStringLiteral("%1 (%2 to %3)")
                         .arg(timeText(entry->later->compared.seconds), timeText(entry->later->compared.low),
                              timeText(entry->later->compared.high));
        else
            facts << QStringLiteral("%1 \u00b1 %2").arg(timeText(entry->seconds()), percentText(entry->spread() / 2));
        facts << measuredWhere(state, ref);
        const double flops = state.flops();
        if (flops > 0) facts << gflopsText(flops / entry->seconds() / 1e9);
        if (const QString told = againstBaselineText(state, ref); !told.isEmpty()) facts << told;
        if (state.best == ref.number) facts << QStringLiteral("the best");
    } else {
        facts << QStringLiteral("failed: %1").arg(qt(trialErrorName(entry->trial.error)));
    }
    if (entry->sketch >= 0) facts << QStringLiteral("sketch %1").arg(entry->sketch);
    if (!entry->mutation.isEmpty()) facts << entry->mutation;
    return facts.join(kDot);
}

ScheduleFacts timingFacts(const TaskState &state, const ScheduleRef &ref) {
    ScheduleFacts facts;
    const auto add = [&facts](const char *key, const QString &text) { facts.push_back({key, std8(text)}); };
    add("target", QObject::tr("For %1").arg(targetName(state)));
    const auto seconds = timedSeconds(state, ref);
    const QString where = measuredWhere(state, ref);
    const TrialEntry *entry = trialOf(state, ref);
    if (seconds) {
        add("time", timeText(*seconds));
        add("machine", QStringLiteral("  ") + where);
        if (state.flops() > 0) add("speed", QStringLiteral("  ") + gflopsText(state.flops() / *seconds / 1e9));
    } else if (entry != nullptr) {
        add("time", entry->valid() ? asSentence(entry->timeWords())
                                   : QObject::tr("Failed: %1").arg(qt(trialErrorName(entry->trial.error))));
        if (!where.isEmpty()) add("machine", QStringLiteral("  ") + where);
    } else {
        add("time", QObject::tr("Never measured"));
    }
    return facts;
}

std::optional<SpeedRatio> speedRatio(const TaskState &state, const ScheduleRef &a, const ScheduleRef &b) {
    if (!comparedTogether(state, a, b)) return std::nullopt; // times of other moments make no ratio
    const TimeInterval x = *comparedTime(state, a);
    const TimeInterval y = *comparedTime(state, b);
    if (x.low <= 0 || y.low <= 0) return std::nullopt;
    return SpeedRatio{x.seconds / y.seconds, x.low / y.high, x.high / y.low};
}

QString speedVerdict(const TaskState &state, const ScheduleRef &a, const ScheduleRef &b) {
    const auto ratio = speedRatio(state, a, b);
    if (!ratio) {
        const auto timed = [&](const ScheduleRef &ref) {
            const TrialEntry *entry = trialOf(state, ref);
            return ref.kind == ScheduleRef::Kind::Naive ? state.naiveSeconds > 0
                                                        : entry != nullptr && entry->valid() && !entry->untimed();
        };
        return timed(a) && timed(b) && !(a == b)
                   ? QStringLiteral("Timed at different moments: Measure again compares them")
                   : QString();
    }
    const bool second = ratio->ratio >= 1; // b is the faster one
    const double shown = second ? ratio->ratio : 1 / ratio->ratio;
    const double low = second ? ratio->low : 1 / ratio->high;
    const double high = second ? ratio->high : 1 / ratio->low;
    const QString range = QStringLiteral("%1 to %2").arg(times(low), times(high));
    if (!ratio->clear()) return QStringLiteral("no clear difference (%1)").arg(range);
    return QStringLiteral("%1 is %2 as fast as %3 (%4)")
        .arg(scheduleName(state, second ? b : a), times(shown), scheduleName(state, second ? a : b), range);
}

std::optional<ScheduleRef> scheduleNamed(const TaskState &state, const QString &text) {
    QString word = text.trimmed().toLower();
    if (word.startsWith(QLatin1String("naive"))) return ScheduleRef{};
    ScheduleRef ref{ScheduleRef::Kind::Trial, state.best};
    if (word != QLatin1String("best")) {
        int first = 1;
        if (word.startsWith(QLatin1String("sketch"))) {
            ref.kind = ScheduleRef::Kind::Sketch;
            first = 0;
            word = word.mid(6);
        } else if (word.startsWith(QLatin1String("edited"))) { // "edited schedule 3 (its name)", or "edited 3"
            ref.kind = ScheduleRef::Kind::Edited;
            word = word.mid(6).trimmed();
            if (word.startsWith(QLatin1String("schedule"))) word = word.mid(8);
        } else if (word.startsWith(QLatin1String("trial"))) {
            word = word.mid(5);
        }
        bool good = false;
        ref.number = word.trimmed().section(QLatin1Char(' '), 0, 0).toInt(&good) - first;
        if (!good) return std::nullopt;
    }
    return scheduleExists(state, ref) ? std::make_optional(ref) : std::nullopt;
}

} // namespace loopscope
