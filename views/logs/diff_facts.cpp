#include "views/logs/diff_facts.h"

#include "records/logs/diff_report.h"
#include "views/logs/diff_task_model.h"
#include "views/session/text.h"

#include <QStringList>

namespace loopscope {

namespace {

QString coloured(const QString &text, const QColor &color) {
    return QStringLiteral("<span style='color:%1'>%2</span>").arg(color.name(), text);
}

QString quietHtml(const QString &text, const Theme &theme) {
    return coloured(text.toHtmlEscaped(), theme.color(Role::QuietText));
}

QString figure(const QString &value, const QString &what, const Theme &theme) {
    return QStringLiteral("<b>%1</b>&nbsp;%2")
        .arg(value, quietHtml(what, theme).replace(u' ', QStringLiteral("&nbsp;")));
}

QString letterText(size_t log) { return qt(logLetter(log)); }

QColor verdictColor(DiffVerdict verdict, const Theme &theme) {
    return theme.color(verdict == DiffVerdict::Better  ? Role::Good
                       : verdict == DiffVerdict::Worse ? Role::Bad
                                                       : Role::Text);
}

QString sideHtml(const std::optional<DiffSide> &side, size_t log, const Theme &theme) {
    const QString letter = logLetterHtml(log, theme);
    if (!side) return QObject::tr("%1 lacks the task").arg(letter);
    const QString records = countedText(side->records, "record");
    if (!side->valid())
        return side->untimed() ? QObject::tr("%1 has %2, none of them timed").arg(letter, records)
                               : QObject::tr("%1 has %2, none of them valid").arg(letter, records);
    QString text = QObject::tr("%1 <b>%2</b>").arg(letter, timeText(side->seconds));
    text +=
        u' ' +
        quietHtml(QObject::tr("(%1 to %2, %3; the best of %4%5)")
                      .arg(timeText(side->low), timeText(side->high),
                           side->repeats == 1 ? QObject::tr("one time") : countedText(side->repeats, "repeat"), records,
                           side->failures > 0 ? QObject::tr(", %1 failed").arg(side->failures) : QString()),
                  theme);
    return text;
}

} // namespace

QString logLetterHtml(size_t log, const Theme &theme) {
    return QStringLiteral("<b>%1</b>").arg(coloured(letterText(log), theme.series(static_cast<int>(log))));
}

QString diffFiguresHtml(const LogDiff &diff, size_t other, const Theme &theme) {
    const DiffTotals &totals = diff.totals[other - 1];
    QStringList figures;
    const auto add = [&](const QString &value, const QString &what) { figures << figure(value, what, theme); };
    const auto ratio = [](double value) { return QString::number(value, 'f', 3); };
    const QString over = QObject::tr("%1 / %2").arg(letterText(other), letterText(0));
    if (totals.geomean) add(ratio(*totals.geomean), QObject::tr("geometric mean of %1").arg(over));
    if (totals.weightedGeomean && diff.weighted) add(ratio(*totals.weightedGeomean), QObject::tr("the same, weighted"));
    if (totals.compared > 1)
        add(QStringLiteral("%1&nbsp;\u2192&nbsp;%2").arg(timeText(totals.secondsFirst), timeText(totals.secondsOther)),
            diff.weighted ? QObject::tr("sum of the bests, weighted") : QObject::tr("sum of the bests"));
    const auto count = [&](size_t tasks, const QString &what) { add(QString::number(tasks), what); };
    count(totals.won, QObject::tr("won by %1").arg(letterText(other)));
    count(totals.lost, QObject::tr("lost"));
    count(totals.withinNoise, QObject::tr("within noise"));
    count(totals.onlyFirst, QObject::tr("only in %1").arg(letterText(0)));
    count(totals.onlyOther, QObject::tr("only in %1").arg(letterText(other)));
    return figures.join(QStringLiteral(" &nbsp; "));
}

QString taskDiffHtml(const TaskDiff &task, size_t other, const Theme &theme) {
    const DiffPair &pair = task.pairs[other - 1];
    QString html = QStringLiteral("<b>%1</b>").arg(diffTaskName(task.task).toHtmlEscaped());
    html += QStringLiteral("<br>%1 &nbsp; %2")
                .arg(sideHtml(task.sides[0], 0, theme), sideHtml(task.sides[other], other, theme));
    const QString verdict = QStringLiteral("<b>%1</b>")
                                .arg(coloured(diffVerdictText(pair.verdict, other), verdictColor(pair.verdict, theme)));
    if (pair.ratio)
        html += QObject::tr("<br>%1: %2, by a ratio of %3. They share %4 of %5; the two bests %6.")
                    .arg(logLetterHtml(other, theme), verdict, QString::number(*pair.ratio, 'f', 3))
                    .arg(pair.structuresShared)
                    .arg(countedText(pair.structuresInAll, "structure"),
                         pair.sameStructure ? QObject::tr("have the same one") : QObject::tr("differ in theirs"));
    else
        html += QStringLiteral("<br>%1").arg(verdict);
    if (task.task.by != MatchedBy::Key)
        html += QStringLiteral("<br>%1").arg(
            quietHtml(QObject::tr("Matched by %1").arg(qt(matchText(task.task.by))), theme));
    const auto warn = [&](const QString &sentence) {
        html += QStringLiteral("<br>%1").arg(coloured(sentence.toHtmlEscaped(), theme.color(Role::Warning)));
    };
    if (task.task.targetsDiffer)
        warn(QObject::tr("Measured on different processors or numbers of cores, which the ratio includes."));
    if (task.task.layoutsDiffer)
        warn(QObject::tr(
            "The layout rewrite options differ: the time of packing weights is part of some of the records."));
    return html;
}

QString stepDiffHtml(const TaskDiff &task, size_t other, const Theme &theme) {
    const DiffPair &pair = task.pairs[other - 1];
    if (!pair.ratio)
        return quietHtml(QObject::tr("The task has no timed record in one of the logs, so there are no two bests."),
                         theme);
    if (!pair.stepsRefused.empty()) return quietHtml(asSentence(qt(pair.stepsRefused)) + u'.', theme);
    if (pair.steps.empty()) return quietHtml(QObject::tr("Neither of the two bests has a step."), theme);
    size_t same = 0;
    QString lines;
    for (size_t i = 0; i < pair.steps.size(); ++i) {
        const StepPair &step = pair.steps[i];
        const QString label = step.followed ? QStringLiteral("p%1: ").arg(i) : QString(); // other lines name it so
        const auto line = [&](QChar mark, const std::string &text, const QColor &color) {
            lines += coloured(QStringLiteral("%1 %2%3").arg(mark).arg(label, qt(text)).toHtmlEscaped(), color) + u'\n';
        };
        if (step.same) {
            ++same;
            line(u' ', step.lineA, theme.color(Role::QuietText));
            continue;
        }
        if (step.a >= 0) line(u'-', step.lineA, theme.series(0));
        if (step.b >= 0) line(u'+', step.lineB, theme.series(static_cast<int>(other)));
    }
    QString head = same == pair.steps.size() ? QObject::tr("The two bests have the same steps.")
                                             : QObject::tr("%1 are the same; - stands in %2, + in %3.")
                                                   .arg(countedText(same, "step"), letterText(0), letterText(other));
    if (pair.stepsByNumber)
        head += QObject::tr(" Stages and loops are named by number, since it is not known what the task computes.");
    return QStringLiteral("<p>%1</p><pre style='white-space:pre-wrap'>%2</pre>").arg(quietHtml(head, theme), lines);
}

} // namespace loopscope
