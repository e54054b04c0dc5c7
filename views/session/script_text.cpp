#include "views/session/script_text.h"

#include "base/check.h"
#include "schedule/script/schedule_script.h"
#include "views/session/step_names.h"
#include "views/session/text.h"

#include <QStringList>

#include <algorithm>

namespace loopscope {

namespace {

/// "split C i.0": by the names it was given for, which its numbers may no longer stand for.
QString wordsOfRefused(const EditedSteps &steps, size_t at) {
    const EditedSteps::Meaning meaning = steps.meaning(at);
    QStringList words{qt(primitiveOf(steps.step(at)))};
    for (const auto &stage : meaning.stages)
        if (!stage.text.empty()) words << qt(stage.text);
    for (const auto &loop : meaning.loops)
        if (!loop.text.empty()) words << qt(loop.text);
    return words.join(QLatin1Char(' '));
}

QStringList linesThatCount(const QString &text) {
    QStringList lines;
    for (const QString &line : text.split(QLatin1Char('\n'))) {
        const QString words = line.section(QLatin1Char('#'), 0, 0).simplified();
        if (!words.isEmpty()) lines << words;
    }
    return lines;
}

} // namespace

QString scriptText(const EditedSteps &steps) {
    const auto applied = scriptOf(steps.before(0).dag(), steps.state().steps());
    LOOPSCOPE_CHECK(applied.ok(), "steps that apply have a script");
    QStringList lines = qt(*applied).split(QLatin1Char('\n'));
    QString text;
    for (size_t i = 0; i < steps.size(); ++i) {
        const Refused &refused = steps.refused(i);
        if (!refused) {
            text += lines.takeFirst() + QLatin1Char('\n');
            continue;
        }
        ScheduleRefusal alone = *refused;
        alone.step = StepId(); // people count lines
        text += QStringLiteral("# does not apply: %1: %2\n").arg(wordsOfRefused(steps, i), qt(alone.sentence()));
    }
    return text;
}

QString scriptEdit(const QString &before, const QString &after) {
    const QStringList old = linesThatCount(before);
    const QStringList now = linesThatCount(after);
    const auto [oldFirst, nowFirst] = std::mismatch(old.begin(), old.end(), now.begin(), now.end());
    const auto head = oldFirst - old.begin();
    qsizetype tail = 0;
    while (tail < std::min(old.size(), now.size()) - head && old[old.size() - 1 - tail] == now[now.size() - 1 - tail])
        ++tail;
    const auto gone = old.size() - tail - head;
    const auto came = now.size() - tail - head;
    if (came == 1 && gone <= 1) return now[head];
    if (came == 0 && gone == 1) return QStringLiteral("without: %1").arg(old[head]);
    return QStringLiteral("script");
}

} // namespace loopscope
