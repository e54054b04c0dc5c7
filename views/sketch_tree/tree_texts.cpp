#include "views/sketch_tree/tree_texts.h"

#include "views/session/step_names.h"
#include "views/session/text.h"
#include "views/sketch_tree/nest_lines.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr size_t kMaxLines = 28; // of a nest, so that the tooltip stays within the smallest screen
constexpr size_t kMaxRefused = 24;

QString escaped(const QString &text) { return text.toHtmlEscaped(); }

QString nestHtml(const Theme &theme, const Nest &nest) {
    // Where it is too long, the lines that the rule changed are seen.
    size_t first = 0;
    if (nest.lines.size() > kMaxLines) {
        const auto fresh =
            std::find_if(nest.lines.begin(), nest.lines.end(), [](const auto &line) { return line.fresh; });
        if (fresh != nest.lines.end()) {
            const auto at = static_cast<size_t>(fresh - nest.lines.begin());
            first = std::min(at > 2 ? at - 2 : 0, nest.lines.size() - kMaxLines);
        }
    }
    const size_t last = std::min(nest.lines.size(), first + kMaxLines);
    const QFont font = theme.codeFont();
    QString html = QStringLiteral("<pre style=\"font-family:'%1';margin:6px 0 0 0\">").arg(escaped(font.family()));
    const QString quiet = theme.color(Role::QuietText).name();
    if (first > 0)
        html += QStringLiteral("<span style='color:%1'>\u2026 %2 lines above\n</span>").arg(quiet).arg(first);
    for (size_t i = first; i < last; ++i) {
        const NestLine &line = nest.lines[i];
        QString text = escaped(QString(2 * line.indent, QLatin1Char(' ')));
        QString style = QStringLiteral("color:%1").arg(theme.color(line.role).name());
        if (line.fresh) style += QStringLiteral(";background-color:%1").arg(theme.tint(Role::Warning).name());
        text += QStringLiteral("<span style='%1'>%2</span>").arg(style, escaped(line.text));
        html += text + QLatin1Char('\n');
    }
    if (last < nest.lines.size())
        html += QStringLiteral("<span style='color:%1'>\u2026 %2 lines more\n</span>")
                    .arg(quiet)
                    .arg(nest.lines.size() - last);
    html += QStringLiteral("</pre>");
    QStringList notes;
    if (!nest.inlined.isEmpty()) notes << QStringLiteral("Inlined: %1.").arg(escaped(someNames(nest.inlined, 6)));
    if (nest.open) notes << QStringLiteral("Loops without a number are still open.");
    if (!notes.isEmpty())
        html += QStringLiteral("<div style='color:%1'>%2</div>").arg(quiet, notes.join(QLatin1Char(' ')));
    return html;
}

} // namespace

QString addedSteps(const LoopState &before, const LoopState &after) {
    std::vector<std::pair<QString, int>> kinds;
    const auto &steps = after.steps();
    for (size_t i = std::min(before.steps().size(), steps.size()); i < steps.size(); ++i) {
        const QString kind = stepKind(steps[i]);
        const auto known =
            std::find_if(kinds.begin(), kinds.end(), [&](const auto &entry) { return entry.first == kind; });
        if (known == kinds.end())
            kinds.emplace_back(kind, 1);
        else
            ++known->second;
    }
    QStringList parts;
    for (const auto &[kind, count] : kinds)
        parts << (count > 1 ? QStringLiteral("%1 \u00d7 %2").arg(count).arg(kind) : kind);
    return parts.join(QStringLiteral(", "));
}

QString stateTip(const Theme &theme, const DerivationTree &tree, const DerivationNode &node,
                 const SketchNumbers *numbers) {
    QString title = QStringLiteral("State %1").arg(node.number);
    if (node.parent < 0) title = QStringLiteral("Naive schedule");
    if (node.sketch >= 0) title = QStringLiteral("Sketch %1").arg(node.sketch);
    QString html = QStringLiteral("<div style='white-space:nowrap'><b>%1</b>").arg(title);
    if (node.again) html += QStringLiteral(", reached before on another way");
    if (node.parent >= 0) {
        QStringList rules;
        for (const int step : tree.pathTo(node.number)) {
            const auto &at = tree.nodes[static_cast<size_t>(step)];
            if (at.parent >= 0 && !at.skipped()) rules << escaped(ruleText(at));
        }
        html += QStringLiteral("<br><span style='color:%1'>%2</span>")
                    .arg(theme.color(Role::QuietText).name(), rules.isEmpty()
                                                                  ? QStringLiteral("nothing but skipped stages so far")
                                                                  : rules.join(QStringLiteral("<br>")));
    }
    if (numbers && numbers->measured > 0) {
        html += QStringLiteral("<br>%1 measured, %2 failed").arg(numbers->measured).arg(numbers->failed);
        if (!numbers->seconds.empty())
            html += QStringLiteral("; best %1 (trial %2), median %3")
                        .arg(timeText(numbers->best))
                        .arg(numbers->bestTrial + 1)
                        .arg(timeText(numbers->median()));
    }
    html += QStringLiteral("</div>");
    if (!node.state) return html;
    const LoopState *before = node.parent >= 0 ? tree.nodes[static_cast<size_t>(node.parent)].state.get() : nullptr;
    return html + nestHtml(theme, makeNest(*node.state, before));
}

QString edgeTip(const DerivationTree &tree, const ShownNode &shown) {
    QString html;
    size_t told = 0;
    for (const int number : shown.steps) {
        const auto &node = tree.nodes[static_cast<size_t>(number)];
        if (told++ == kMaxRefused) {
            html += QStringLiteral("<p>\u2026 and %1 steps more</p>").arg(shown.steps.size() - kMaxRefused);
            break;
        }
        html += QStringLiteral("<div style='white-space:nowrap'><b>%1</b>: %2")
                    .arg(escaped(ruleText(node)), escaped(node.by.reason));
        const auto &parent = tree.nodes[static_cast<size_t>(node.parent)];
        if (node.state && parent.state) {
            const QString added = addedSteps(*parent.state, *node.state);
            if (!added.isEmpty()) html += QStringLiteral(" (%1)").arg(escaped(added));
        }
        html += QStringLiteral("</div>");
    }
    return html;
}

std::vector<RuleTried> refusedOnTheWay(const DerivationTree &tree, const ShownNode &shown) {
    std::vector<RuleTried> refused;
    for (size_t i = 0; i + 1 < shown.steps.size(); ++i) {
        const auto &own = tree.nodes[static_cast<size_t>(shown.steps[i])].refused;
        refused.insert(refused.end(), own.begin(), own.end());
    }
    return refused;
}

QString refusedTip(const std::vector<RuleTried> &refused) {
    QString html;
    for (size_t i = 0; i < refused.size(); ++i) {
        if (i == kMaxRefused) {
            html += QStringLiteral("<div>\u2026 and %1 more</div>").arg(refused.size() - kMaxRefused);
            break;
        }
        html += QStringLiteral("<div style='white-space:nowrap'>%1</div>").arg(escaped(refusalText(refused[i])));
    }
    return html;
}

} // namespace loopscope
