#include "views/implementations/operator_text.h"

#include "views/implementations/page_text.h"

#include <cstdint>
#include <type_traits>
#include <variant>

namespace loopscope {

namespace {

QString kindText(AttributeKind kind) {
    switch (kind) {
    case AttributeKind::Integer:
        return pageText("integer");
    case AttributeKind::Number:
        return pageText("number");
    case AttributeKind::Text:
        return pageText("text");
    case AttributeKind::Integers:
        return pageText("integers");
    case AttributeKind::Numbers:
        return pageText("numbers");
    case AttributeKind::Texts:
        return pageText("texts");
    case AttributeKind::Tensor:
        return pageText("tensor");
    }
    return {};
}

QString inputsText(const Operator &of) {
    QStringList inputs;
    for (const InputSpec &input : of.inputs)
        inputs << escaped(input.name) + (input.variadic ? QStringLiteral(" \u2026") : QString()) +
                      (input.optional ? pageText(" (may be left out)") : QString());
    return inputs.isEmpty() ? pageText("none") : inputs.join(QStringLiteral(", "));
}

QString outputsText(const Operator &of) {
    if (of.maxOutputs == SIZE_MAX) return pageText("at least %1").arg(of.minOutputs);
    if (of.maxOutputs != of.minOutputs) return pageText("%1 to %2").arg(of.minOutputs).arg(of.maxOutputs);
    return QString::number(of.maxOutputs);
}

QString fallbackText(const Attribute &value) {
    return std::visit(
        []<typename T>(const T &of) {
            const auto one = []<typename E>(const E &element) {
                if constexpr (std::is_same_v<E, std::string>)
                    return QStringLiteral("\"%1\"").arg(qt(element));
                else
                    return QString::number(element);
            };
            if constexpr (std::is_same_v<T, HostTensor>) {
                return pageText("a tensor");
            } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
                return one(of);
            } else {
                QStringList all;
                for (const auto &element : of) all << one(element);
                return QStringLiteral("[%1]").arg(all.join(QStringLiteral(", ")));
            }
        },
        value);
}

QString attributeRow(const AttributeSpec &of) {
    QString row =
        QStringLiteral("<p style='margin:4px 0 0 16px'><b>%1</b> &nbsp;%2, ").arg(escaped(of.name), kindText(of.kind));
    row += of.fallback ? pageText("%1 where nothing is said").arg(fallbackText(*of.fallback).toHtmlEscaped())
                       : pageText("must be given");
    if (!of.doc.empty()) row += QStringLiteral("<br>%1").arg(escaped(of.doc));
    return row + QStringLiteral("</p>");
}

QString implementationsText(const StrategyTable::Found &found) {
    QString html;
    for (const Specialisation &one : found.registered->strategy.specialisations()) {
        html += QStringLiteral("<p style='margin:8px 0 0 16px'>%1</p>").arg(escaped(conditionText(one.condition)));
        for (const Implementation &of : one.implementations) {
            html += QStringLiteral("<p style='margin:0 0 0 32px'><b>%1</b> &nbsp;%2, %3, %4")
                        .arg(escaped(of.name), pageText("level %1").arg(of.level), qt(accuracyName(of.accuracy)),
                             qt(scheduleKindName(of.schedule)));
            for (const std::string &need : of.needs) html += pageText(", needs %1").arg(escaped(need));
            html += QStringLiteral("</p>");
        }
    }
    return html;
}

} // namespace

QString patternText(PatternKind pattern) {
    switch (pattern) {
    case PatternKind::Elementwise:
        return pageText("element by element: joins whatever is before it or behind it");
    case PatternKind::Broadcast:
        return pageText("broadcast: joins whatever is before it or behind it");
    case PatternKind::Injective:
        return pageText("puts elements elsewhere: joins its like, and reductions behind it");
    case PatternKind::Reduction:
        return pageText("a reduction: takes what is before it");
    case PatternKind::OutputFusable:
        return pageText("an anchor: takes what is element by element behind it");
    case PatternKind::Tuple:
        return pageText("a tuple");
    case PatternKind::Opaque:
        return pageText("never fused with others");
    }
    return {};
}

QString operatorPage(const Operator &of, const StrategyTable &table, const StrategyTarget &target) {
    QString html = QStringLiteral("<h3 style='margin-bottom:0'>%1</h3><p style='margin-top:0'>%2</p>")
                       .arg(escaped(of.name), asSentence(escaped(of.doc)));
    html += pageText("<p>Inputs: %1<br>Outputs: %2<br>In kernels: %3</p>")
                .arg(inputsText(of), outputsText(of), patternText(of.pattern));
    if (!of.attributes.empty()) html += pageText("<h4 style='margin-bottom:0'>Attributes</h4>");
    for (const AttributeSpec &attribute : of.attributes) html += attributeRow(attribute);
    const StrategyTable::Found found = table.find(of.name, target);
    html += pageText("<h4 style='margin-bottom:0'>Implementations for %1</h4>").arg(escaped(target.text));
    if (found.registered == nullptr)
        return html + pageText("<p style='margin:4px 0 0 16px'>None: the reference interpreter alone computes it.</p>");
    if (!found.note.empty())
        html += QStringLiteral("<p style='margin:4px 0 0 16px'>%1</p>").arg(asSentence(escaped(found.note)));
    return html + implementationsText(found);
}

} // namespace loopscope
