#include "views/logs/record_facts.h"

#include "schedule/steps_json.h"
#include "views/logs/log_names.h"
#include "views/session/text.h"

#include <QStringList>

#include <algorithm>
#include <exception>

namespace loopscope {

namespace {

QString hardwareText(const HardwareParams &hardware) {
    QStringList parts;
    if (hardware.numCores > 0) parts << countedText(static_cast<size_t>(hardware.numCores), "core"); // GPUs have -1
    parts << QStringLiteral("vectors of %1").arg(bytesText(hardware.vectorUnitBytes))
          << QStringLiteral("cache lines of %1").arg(bytesText(hardware.cacheLineBytes));
    if (hardware.maxThreadsPerBlock > 0)
        parts << QStringLiteral("%1 threads a block, warps of %2, %3 shared memory")
                     .arg(hardware.maxThreadsPerBlock)
                     .arg(hardware.warpSize)
                     .arg(bytesText(hardware.maxSharedMemoryPerBlock));
    return parts.join(QStringLiteral(", "));
}

QString factRow(const QString &name, const QString &value) {
    return QStringLiteral("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>")
        .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
}

QString timesText(const std::vector<double> &seconds) {
    constexpr size_t kNamed = 20;
    QStringList texts;
    for (size_t i = 0; i < std::min(seconds.size(), kNamed); ++i) texts << timeText(seconds[i]);
    if (seconds.size() > kNamed) texts << QStringLiteral("and %1 more").arg(seconds.size() - kNamed);
    return texts.join(QStringLiteral(", "));
}

QString stepsTable(const RecordFacts &facts, const Theme &theme) {
    const Steps steps = facts.record.trial.steps.unpack();
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='2'>");
    const QString quiet = theme.color(Role::QuietText).name();
    for (size_t i = 0; i < steps.size() && i < facts.steps.steps.size(); ++i)
        html += QStringLiteral("<tr><td align='right' style='color:%1'>%2&nbsp;</td><td>%3</td><td style='color:%1;"
                               "padding-left:16px'><code>%4</code></td></tr>")
                    .arg(quiet)
                    .arg(i)
                    .arg(facts.steps.steps[i].sentence.toHtmlEscaped(), qt(stepText(steps[i])).toHtmlEscaped());
    return html + QStringLiteral("</table>");
}

} // namespace

RecordFacts readRecord(const LogDocument &log, size_t number, const DagPtr &dag) {
    RecordFacts facts;
    facts.number = number;
    facts.row = log.row(number);
    try {
        facts.record = log.record(number);
        facts.steps = nameSteps(dag, facts.record.trial.steps.unpack());
    } catch (const std::exception &error) {
        facts.problem = qt(error.what());
    }
    return facts;
}

QString recordHtml(const RecordFacts &facts, const QString &path, const QString &taskName, const QString &why,
                   const Theme &theme) {
    if (!facts.problem.isEmpty())
        return QStringLiteral("<p style='color:%1'>%2</p>")
            .arg(theme.color(Role::Bad).name(), asSentence(facts.problem).toHtmlEscaped());
    const Record &record = facts.record;
    QString html = QStringLiteral("<h3>%1</h3>").arg(taskName.toHtmlEscaped());
    if (!why.isEmpty())
        html += QStringLiteral("<p style='color:%1'>Its workload is not known: %2</p>")
                    .arg(theme.color(Role::Warning).name(), why.toHtmlEscaped());
    html += QStringLiteral("<table cellspacing='0' cellpadding='1'>");
    html += factRow(QStringLiteral("Result"),
                    facts.row.untimed() ? QStringLiteral("right, not timed") : resultWord(record.trial.error));
    if (!record.trial.reason.empty())
        html += factRow(record.trial.valid() ? QStringLiteral("Checked") : QStringLiteral("Reason"),
                        qt(record.trial.reason));
    if (!record.trial.seconds.empty())
        html += factRow(QStringLiteral("Time"),
                        QStringLiteral("%1 (%2)").arg(timeText(facts.row.seconds), timesText(record.trial.seconds)));
    if (record.trial.unstable) html += factRow(QStringLiteral("Unstable"), QStringLiteral("the samples never agreed"));
    if (record.trial.weightBytes > 0)
        html += factRow(QStringLiteral("Timed as"), QStringLiteral("a kernel of a network, %1 of weights between calls")
                                                        .arg(bytesText(record.trial.weightBytes)));
    if (record.trial.maxError > 0)
        html += factRow(QStringLiteral("Error"),
                        QStringLiteral("%1 of what is tolerated").arg(percentText(record.trial.maxError)));
    html += factRow(QStringLiteral("Measured"), whenText(record.trial.timestamp));
    html += factRow(QStringLiteral("Took"), durationText(record.trial.buildSeconds + record.trial.runSeconds));
    html += factRow(QStringLiteral("Key"), qt(record.key));
    html += factRow(QStringLiteral("Target"), qt(record.targetText));
    if (record.hardware) html += factRow(QStringLiteral("Hardware"), hardwareText(*record.hardware));
    if (!record.targetHost.empty()) html += factRow(QStringLiteral("Host"), qt(record.targetHost));
    html += factRow(QStringLiteral("Weights"),
                    record.layoutRewrite == 0 ? QStringLiteral("as they are laid out")
                    : record.layoutRewrite == 1
                        ? QStringLiteral("packed inside the kernel (layout rewrite 1)")
                        : QStringLiteral("packed before the call (layout rewrite %1)").arg(record.layoutRewrite));
    html += factRow(QStringLiteral("Line"), QStringLiteral("%1 of %2").arg(facts.row.line).arg(path));
    html += factRow(QStringLiteral("Format"), qt(record.version));
    html += QStringLiteral("</table>");
    html += QStringLiteral("<h4>%1</h4>").arg(countedText(facts.steps.steps.size(), "step"));
    if (!facts.steps.refusal.isEmpty())
        html += QStringLiteral("<p style='color:%1'>They do not apply: %2</p>")
                    .arg(theme.color(Role::Bad).name(), facts.steps.refusal.toHtmlEscaped());
    return html + stepsTable(facts, theme);
}

} // namespace loopscope
