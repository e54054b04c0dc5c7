#include "views/dag_graph/stage_tooltip.h"

#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr int kCodeWidth = 84;
constexpr int kMaxLines = 24;
constexpr int kMaxRows = 24;

QString row(const QString &name, const QString &value) {
    if (value.isEmpty()) return {};
    return QStringLiteral("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>").arg(name, value);
}

QString code(const QString &text, const Theme &theme) {
    QStringList lines = brokenExpression(text, kCodeWidth).split(u'\n');
    if (lines.size() > kMaxLines) {
        const qsizetype more = lines.size() - kMaxLines;
        lines = lines.mid(0, kMaxLines);
        lines << QStringLiteral("… %1 more lines").arg(more);
    }
    return QStringLiteral("<pre style='font-family:%1; margin-top:4px; margin-bottom:4px'>%2</pre>")
        .arg(theme.codeFont().family().toHtmlEscaped(), lines.join(u'\n').toHtmlEscaped());
}

QString names(const DagFacts &facts, const std::vector<int> &stages) {
    QStringList list;
    for (const int stage : stages) {
        if (list.size() == 8) {
            list << QStringLiteral("… %1 in all").arg(stages.size());
            break;
        }
        list << facts.stages[static_cast<size_t>(stage)].name.toHtmlEscaped();
    }
    return list.join(QStringLiteral(", "));
}

QString axesText(const StageFact &stage, bool reduce) {
    QStringList list;
    for (const AxisFact &axis : stage.axes)
        if (axis.reduce == reduce)
            list << QStringLiteral("%1 <b>%2</b>").arg(axis.name.toHtmlEscaped()).arg(axis.extent);
    return list.join(QStringLiteral(" · "));
}

QString kindText(StageKind kind) {
    switch (kind) {
    case StageKind::Placeholder:
        return QStringLiteral("input");
    case StageKind::Compute:
        return QStringLiteral("computed");
    case StageKind::ConstantMatrix:
        return QStringLiteral("constant matrix");
    case StageKind::Output:
        return QStringLiteral("output");
    }
    return {};
}

bool isBreak(QStringView text, qsizetype at, QStringView &separator) {
    static const QStringList separators{QStringLiteral(", "),  QStringLiteral(" && "), QStringLiteral(" || "),
                                        QStringLiteral(" + "), QStringLiteral(" - "),  QStringLiteral("; ")};
    for (const QString &candidate : separators)
        if (text.mid(at).startsWith(candidate)) {
            separator = candidate;
            return true;
        }
    return false;
}

/// How deep in parentheses and in brackets a text is after what has passed.
struct Nesting {
    int depth = 0;
    int brackets = 0;
    void pass(QChar c) {
        if (c == u'[') ++brackets;
        if (c == u']') --brackets;
        if (c == u'(') ++depth;
        if (c == u')') --depth;
    }
};

void breakInto(QStringList &lines, const QString &text, int indent, int width) {
    const QString blank(indent, u' ');
    if (text.size() + indent <= width) {
        lines << blank + text;
        return;
    }
    // The outermost place to break at; indices in brackets stay together.
    int outermost = -1;
    QStringView separator;
    Nesting nesting;
    for (qsizetype i = 0; i < text.size(); ++i) {
        nesting.pass(text[i]);
        if (nesting.brackets == 0 && isBreak(text, i, separator) && (outermost < 0 || nesting.depth < outermost))
            outermost = nesting.depth;
    }
    if (outermost < 0) {
        lines << blank + text;
        return;
    }
    QString part;
    bool first = true;
    const auto flush = [&] {
        if (part.size() + indent > width && part != text)
            breakInto(lines, part, first ? indent : indent + 2, width);
        else
            lines << (first ? blank : blank + QStringLiteral("  ")) + part;
        part.clear();
        first = false;
    };
    nesting = {};
    for (qsizetype i = 0; i < text.size(); ++i) {
        nesting.pass(text[i]);
        if (nesting.brackets == 0 && nesting.depth == outermost && isBreak(text, i, separator)) {
            // A comma ends its line, an operator begins the next one.
            const bool ends = separator.startsWith(u',') || separator.startsWith(u';');
            if (ends) part += separator.at(0);
            flush();
            if (!ends) part = separator.mid(1).toString();
            i += separator.size() - 1;
            continue;
        }
        part += text[i];
    }
    flush();
}

} // namespace

QString brokenExpression(const QString &expression, int width) {
    QStringList lines;
    breakInto(lines, expression, 0, width);
    return lines.join(u'\n');
}

QString stageToolTip(const DagFacts &facts, int number, const Placement *placement, const Theme &theme) {
    const StageFact &stage = facts.stages[static_cast<size_t>(number)];
    QString text = QStringLiteral("<p style='margin-bottom:2px'><b>%1</b> &nbsp; %2, %3 %4</p>")
                       .arg(stage.name.toHtmlEscaped(), kindText(stage.kind), stage.shape, stage.dtype);
    if (!stage.expression.isEmpty()) text += code(stage.expression, theme);
    text += QStringLiteral("<table cellspacing='0' cellpadding='1'>");
    if (stage.kind != StageKind::Placeholder) {
        text += row(QStringLiteral("Axes"), axesText(stage, false));
        text += row(QStringLiteral("Reduced over"), axesText(stage, true));
        text += row(QStringLiteral("FLOPs"),
                    stage.flops < 0   ? QStringLiteral("cannot be counted")
                    : stage.share > 0 ? QStringLiteral("%1 (%2)").arg(countText(stage.flops),
                                                                      percentText(stage.share).toHtmlEscaped())
                                      : countText(stage.flops));
    }
    text += row(QStringLiteral("Reads"), names(facts, stage.producers));
    text += row(QStringLiteral("Read by"), names(facts, stage.consumers));
    if (placement) {
        text += row(QStringLiteral("Computed"), placement->text.toHtmlEscaped());
        QStringList added;
        for (const AddedStage &one : placement->added) added << one.text.toHtmlEscaped();
        text += row(QStringLiteral("Added"), added.join(QStringLiteral("<br>")));
    }
    for (const Badge badge : stage.badges) text += row(badgeText(badge), badgeMeaning(badge));
    for (const QString &attribute : stage.attributes)
        text += row(QStringLiteral("Attribute"), attribute.toHtmlEscaped());
    return text + QStringLiteral("</table>");
}

QString chainToolTip(const DagFacts &facts, const PictureNode &chain) {
    QString text =
        QStringLiteral("<p><b>%1 elementwise stages</b>; click to expand</p><table>").arg(chain.stages.size());
    int shown = 0;
    for (const int number : chain.stages) {
        if (++shown > kMaxRows) {
            text += row(QStringLiteral("…"), QStringLiteral("%1 in all").arg(chain.stages.size()));
            break;
        }
        const StageFact &stage = facts.stages[static_cast<size_t>(number)];
        QString expression = stage.expression;
        if (expression.size() > kCodeWidth) expression = expression.left(kCodeWidth - 2) + QStringLiteral(" …");
        text += row(stage.name.toHtmlEscaped(), expression.toHtmlEscaped());
    }
    return text + QStringLiteral("</table>");
}

QString edgeToolTip(const DagFacts &facts, const PictureEdge &edge, const Theme &theme) {
    QString text;
    for (size_t i = 0; i < edge.reads.size() && i < 4; ++i) {
        const ReadFact &read = facts.reads[static_cast<size_t>(edge.reads[i])];
        const QString reuse = reuseText(read.reuse);
        text += QStringLiteral("<p style='margin-bottom:2px'><b>%1</b> reads <b>%2</b>: %3%4</p>")
                    .arg(facts.stages[static_cast<size_t>(read.to)].name.toHtmlEscaped(),
                         facts.stages[static_cast<size_t>(read.from)].name.toHtmlEscaped(), read.how.toHtmlEscaped(),
                         reuse.isEmpty() ? QString() : QStringLiteral(", ") + reuse);
        text += QStringLiteral("<pre style='font-family:%1; margin-top:2px'>%2</pre>")
                    .arg(theme.codeFont().family().toHtmlEscaped(), read.indices.toHtmlEscaped());
    }
    if (edge.reads.size() > 4) text += QStringLiteral("<p>… %1 reads in all</p>").arg(edge.reads.size());
    return text;
}

} // namespace loopscope
