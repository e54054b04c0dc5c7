#include "views/trials/filter_completion.h"

#include "views/trials/filter_token.h"
#include "views/trials/trial_columns.h"
#include "views/trials/trial_filter.h"

#include <algorithm>

namespace loopscope {

namespace {

QString fieldHint(const QString &field) {
    for (int c = 0; c < kFixedColumns; ++c) {
        const ColumnInfo &info = columnInfo(static_cast<TrialColumn>(c));
        if (field == QLatin1String(info.id)) return QString::fromUtf8(info.tip);
    }
    return {};
}

QString flagHint(const QString &flag) {
    if (flag == QLatin1String("failed")) return QStringLiteral("those without a time");
    if (flag == QLatin1String("valid")) return QStringLiteral("those with a time and the right answer");
    if (flag == QLatin1String("pinned")) return QStringLiteral("those you pinned");
    if (flag == QLatin1String("unstable")) return QStringLiteral("those whose samples never agreed");
    if (flag == QLatin1String("best")) return QStringLiteral("the best so far");
    if (flag == QLatin1String("noted")) return QStringLiteral("those you wrote a note on");
    if (flag == QLatin1String("remeasured")) return QStringLiteral("those measured again");
    return QStringLiteral("those read from a log");
}

bool isTextField(const QString &field) {
    return QStringList{QStringLiteral("mutation"), QStringLiteral("failure"), QStringLiteral("reason"),
                       QStringLiteral("note")}
        .contains(field);
}

} // namespace

FilterCompletion completeFilter(const QString &text, int cursor, bool all, const QStringList &tileColumns,
                                const QStringList &mutations) {
    const std::vector<FilterToken> tokens = filterTokens(text);
    FilterCompletion completion;
    completion.at = cursor;
    size_t behind = 0; // tokens in front of the word at the cursor
    QString typed;
    for (const FilterToken &token : tokens) {
        if (token.at + token.length > cursor ||
            (token.at + token.length == cursor && token.kind == FilterToken::Word)) {
            if (token.kind == FilterToken::Word && token.at < cursor) {
                completion.at = token.at;
                completion.length = token.length;
                typed = token.text.left(cursor - token.at);
            }
            break;
        }
        if (token.kind == FilterToken::End) break;
        ++behind;
    }
    const auto offer = [&](const QString &word, const QString &hint) {
        if (word.startsWith(typed, Qt::CaseInsensitive) && word != typed) completion.offers.push_back({word, hint});
    };
    if (behind > 0 && tokens[behind - 1].kind == FilterToken::Operator) {
        const QString field = behind > 1 ? tokens[behind - 2].text.toLower() : QString();
        if (field == QLatin1String("failure"))
            for (const QString &kind : failureKinds()) offer(kind, {});
        if (field == QLatin1String("mutation"))
            for (const QString &mutation : mutations) offer(mutation, {});
        return completion;
    }
    if (typed.isEmpty() && !all) return completion;
    for (const QString &field : filterFields())
        offer(isTextField(field) ? field + QLatin1Char(':') : field, fieldHint(field));
    for (const QString &flag : filterFlags()) offer(flag, flagHint(flag));
    for (const QString &tile : tileColumns)
        offer(tile, QStringLiteral("tile factors, as in %1:1x8x16x4 or %1[2] >= 8").arg(tile));
    return completion;
}

} // namespace loopscope
