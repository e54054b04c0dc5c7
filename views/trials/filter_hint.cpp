#include "views/trials/filter_hint.h"

#include "views/session/text.h"
#include "views/trials/filter_fields.h"
#include "views/trials/trial_facts.h"
#include "views/trials/trial_filter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loopscope {

namespace {

using Kind = FilterNode::Kind;

QString inQuotes(const QString &text) { return QStringLiteral("\u2018%1\u2019").arg(text); }

void collectConditions(const FilterNode &node, std::vector<const FilterNode *> &leaves) {
    if (node.children.empty() && node.kind != Kind::And && node.kind != Kind::Or) leaves.push_back(&node);
    for (const FilterNode &child : node.children) collectConditions(child, leaves);
}

/// Letters to insert, delete, exchange or swap with the next to get from one word to the other.
int lettersApart(const QString &a, const QString &b) {
    const auto width = static_cast<size_t>(b.size()) + 1;
    std::vector<std::vector<int>> rows(static_cast<size_t>(a.size()) + 1, std::vector<int>(width));
    std::iota(rows[0].begin(), rows[0].end(), 0);
    for (size_t i = 1; i < rows.size(); ++i) {
        rows[i][0] = static_cast<int>(i);
        for (size_t j = 1; j < width; ++j) {
            const auto x = static_cast<qsizetype>(i);
            const auto y = static_cast<qsizetype>(j);
            const int exchange = rows[i - 1][j - 1] + (a[x - 1] == b[y - 1] ? 0 : 1);
            rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, exchange});
            if (i > 1 && j > 1 && a[x - 1] == b[y - 2] && a[x - 2] == b[y - 1])
                rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
        }
    }
    return rows.back().back();
}

/// The word of the filter language that was probably meant; empty when none is near.
QString nearestWord(const QString &typed) {
    QString word = typed.toLower();
    word.remove(QLatin1Char('*'));     // there are no wildcards: a word is found anywhere in a text
    constexpr qsizetype kLongest = 24; // of what can be a slip of the finger
    if (word.size() < 3 || word.size() > kLongest) return {};
    QString nearest;
    int least = word.size() < 6 ? 2 : 3; // up to one, two letters apart
    for (const QString &known : filterFlags() + filterFields()) {
        const int apart = known.startsWith(word) || word.startsWith(known) ? 1 : lettersApart(word, known);
        if (apart >= least) continue;
        least = apart;
        nearest = known;
    }
    return nearest;
}

QString exampleOf(const QString &word) {
    if (const NumberField *field = numberField(word)) return QString::fromUtf8(field->example);
    if (const TextField *field = textField(word)) return QString::fromUtf8(field->example);
    return word;
}

QString wordHint(const FilterNode &leaf) {
    const QString begin =
        QStringLiteral("%1 stands in no reason, note or mutation here").arg(inQuotes(leaf.text.simplified()));
    if (const QString meant = nearestWord(leaf.text); !meant.isEmpty())
        return QStringLiteral("%1; did you mean %2?").arg(begin, inQuotes(exampleOf(meant)));
    return QStringLiteral("%1. States are %2; numbers are compared, as in \u2018time < 2ms\u2019.")
        .arg(begin, filterFlags().join(QStringLiteral(", ")));
}

QString textHint(const FilterNode &leaf, const TrialFacts &facts) {
    const QString text = inQuotes(leaf.text.simplified());
    switch (leaf.column) {
    case TrialColumn::Mutation: {
        QStringList known;
        for (int t = 0; t < facts.size() && known.size() < 12; ++t)
            if (const QString &mutation = facts.entry(t).mutation; !mutation.isEmpty() && !known.contains(mutation))
                known << mutation;
        known.sort();
        return known.isEmpty() ? QStringLiteral("No mutation is known of these trials.")
                               : QStringLiteral("No mutation here is called %1; there are %2.")
                                     .arg(text, known.join(QStringLiteral(", ")));
    }
    case TrialColumn::Failure:
        return QStringLiteral("No trial failed with %1.").arg(text);
    case TrialColumn::Note:
        return QStringLiteral("No note contains %1.").arg(text);
    default:
        return QStringLiteral("No reason contains %1.").arg(text);
    }
}

QString valueText(FilterUnit unit, double value) {
    if (unit == FilterUnit::Time) return timeText(value);
    if (unit == FilterUnit::Share) return percentText(value);
    return QString::number(value, 'g', 4);
}

QString numberHint(const FilterNode &leaf, const TrialFacts &facts) {
    const NumberField &field = fieldOf(leaf.column);
    const QString name = inQuotes(QString::fromUtf8(field.name));
    double least = HUGE_VAL;
    double most = -HUGE_VAL;
    for (int t = 0; t < facts.size(); ++t) {
        const double value = facts.number(leaf.column, t);
        if (std::isnan(value)) continue;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    if (least > most)
        return leaf.column == TrialColumn::Peak && facts.peak() <= 0
                   ? QStringLiteral("The peak of this machine is not measured yet, so no trial has a share of it.")
                   : QStringLiteral("No trial here has a value for %1.").arg(name);
    return least == most
               ? QStringLiteral("%1 is %2 in every trial that has one.").arg(name, valueText(field.unit, least))
               : QStringLiteral("%1 goes from %2 to %3 here.")
                     .arg(name, valueText(field.unit, least), valueText(field.unit, most));
}

QString tileHint(const FilterNode &leaf, const TrialFacts &facts) {
    bool split = false;
    for (int t = 0; t < facts.size() && !split; ++t) split = facts.tile(leaf.tile, t).has_value();
    return split ? QStringLiteral("No schedule here splits %1 in that way.").arg(leaf.text)
                 : QStringLiteral("No schedule here splits %1.").arg(leaf.text);
}

} // namespace

QString filterHint(const std::shared_ptr<const FilterNode> &root, const TrialFacts &facts, bool nothingPasses) {
    std::vector<const FilterNode *> leaves;
    collectConditions(*root, leaves);
    for (const FilterNode *leaf : leaves) {
        const bool words = leaf->kind == Kind::Anywhere || leaf->kind == Kind::Text;
        if (!words && !nothingPasses) continue; // `pinned or rank <= 10` before anything is pinned
        const TrialFilter alone(std::shared_ptr<const FilterNode>(root, leaf));
        bool any = false;
        for (int t = 0; t < facts.size() && !any; ++t) any = alone.matches(facts, t);
        if (any) continue;
        switch (leaf->kind) {
        case Kind::Anywhere:
            return wordHint(*leaf);
        case Kind::Text:
            return textHint(*leaf, facts);
        case Kind::Flag:
            return QString::fromUtf8(fieldOf(leaf->flag).none);
        case Kind::Number:
            return numberHint(*leaf, facts);
        default:
            return tileHint(*leaf, facts);
        }
    }
    return nothingPasses && leaves.size() > 1
               ? QStringLiteral("Each condition holds for some trial, but no trial satisfies them together; "
                                "\u2018or\u2019 joins alternatives.")
               : QString();
}

} // namespace loopscope
