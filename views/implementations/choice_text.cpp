#include "views/implementations/choice_text.h"

#include "views/implementations/decision_model.h"
#include "views/implementations/page_text.h"

#include <QUrl>

#include <algorithm>
#include <functional>
#include <vector>

namespace loopscope {

namespace {

QString truthWord(Truth truth, const Theme &theme) {
    const Role role = truth == Truth::True ? Role::Good : truth == Truth::False ? Role::QuietText : Role::Warning;
    const QString word = truth == Truth::True    ? pageText("holds")
                         : truth == Truth::False ? pageText("does not hold")
                                                 : pageText("is known when it runs");
    return QStringLiteral("<span style='color:%1'>%2</span>").arg(theme.color(role).name(), word);
}

QString evidenceText(const JudgedImplementation &candidate) {
    if (!candidate.evidence) return pageText("no record");
    return QStringLiteral("%1, %2").arg(timeText(candidate.evidence->seconds), escaped(candidate.evidence->source));
}

QString candidateRow(const Decision &decision, const JudgedImplementation &candidate) {
    const Implementation &of = candidate.implementation;
    const bool chosen = of.name == decision.chosen && candidate.state != OfferState::NotValid;
    QString row =
        QStringLiteral("<p style='margin:6px 0 0 16px'>%1 &nbsp;%2, %3, %4")
            .arg(chosen ? QStringLiteral("<b>\u2713 %1</b>").arg(escaped(of.name)) : escaped(of.name),
                 pageText("level %1").arg(of.level), qt(accuracyName(of.accuracy)), qt(scheduleKindName(of.schedule)));
    if (of.schedule == ScheduleKind::Searched) row += QStringLiteral(", %1").arg(evidenceText(candidate));
    for (const std::string &need : of.needs) row += pageText(", needs %1").arg(escaped(need));
    if (chosen && decision.pinned)
        row += QStringLiteral(" &nbsp;<a href='unpin:'>%1</a>").arg(pageText("take the pin away"));
    else if (candidate.state != OfferState::NotValid && of.schedule != ScheduleKind::Library && offered(decision) > 1)
        row += QStringLiteral(" &nbsp;<a href='pin:%1'>%2</a>")
                   .arg(QString::fromLatin1(QUrl::toPercentEncoding(qt(of.name))), pageText("pin"));
    row += QStringLiteral("</p>");
    if (!candidate.why.empty())
        row += QStringLiteral("<p style='margin:0 0 0 32px'>%1</p>").arg(escaped(candidate.why));
    return row;
}

} // namespace

QString choicePage(const Decision &decision, const Theme &theme) {
    QString html = QStringLiteral("<h3 style='margin-bottom:0'>%1</h3><p style='margin:0'>%2 %3</p>")
                       .arg(escaped(decision.dispatchText()), escaped(decision.op), escaped(decision.node));
    html += QStringLiteral("<p>%1</p>").arg(asSentence(pageText("because %1").arg(escaped(decision.because))));
    if (!decision.note.empty())
        html += QStringLiteral("<p>%1</p>")
                    .arg(asSentence(pageText("The strategy is the one %1").arg(escaped(decision.note))));
    // What holds comes first.
    std::vector<JudgedSpecialisation> specialisations = decision.specialisations;
    std::ranges::stable_sort(specialisations, std::greater<>(), [](const auto &one) { return one.truth; });
    for (const JudgedSpecialisation &one : specialisations) {
        html += QStringLiteral("<p style='margin:12px 0 0 0'><b>%1</b> &nbsp;%2</p>")
                    .arg(one.clauses.empty() ? pageText("always") : pageText("where all of this holds"),
                         one.clauses.empty() ? QString() : truthWord(one.truth, theme));
        for (const ClauseValue &clause : one.clauses)
            html += QStringLiteral("<p style='margin:0 0 0 16px'>%1 &nbsp;%2 &nbsp;%3</p>")
                        .arg(escaped(clause.text), truthWord(clause.truth, theme),
                             clause.value.empty() ? QString() : QStringLiteral("(%1)").arg(escaped(clause.value)));
        for (const JudgedImplementation &candidate : one.candidates) html += candidateRow(decision, candidate);
    }
    return html;
}

} // namespace loopscope
