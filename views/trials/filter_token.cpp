#include "views/trials/filter_token.h"

#include "views/trials/trial_filter.h"

namespace loopscope {

namespace {

bool isOperator(QChar c) { return QStringLiteral("<>=!:").contains(c); }
bool endsWord(QChar c) { return c.isSpace() || isOperator(c) || QStringLiteral("()\"").contains(c); }

} // namespace

std::vector<FilterToken> filterTokens(const QString &text) {
    std::vector<FilterToken> tokens;
    const auto size = static_cast<int>(text.size());
    const auto put = [&](FilterToken::Kind kind, int at, int end, const QString &word) {
        tokens.push_back({kind, word, at, end - at});
    };
    int at = 0;
    while (at < size) {
        const QChar c = text[at];
        int end = at + 1;
        if (c.isSpace()) {
        } else if (c == QLatin1Char('(')) {
            put(FilterToken::Open, at, end, c);
        } else if (c == QLatin1Char(')')) {
            put(FilterToken::Close, at, end, c);
        } else if (c == QLatin1Char('"')) {
            while (end < size && text[end] != QLatin1Char('"')) ++end;
            const bool closed = end < size;
            const QString inside = text.mid(at + 1, end - at - 1);
            if (closed) ++end;
            put(closed ? FilterToken::Quoted : FilterToken::OpenQuote, at, end, inside);
        } else if (isOperator(c)) {
            if (end < size && text[end] == QLatin1Char('=') && c != QLatin1Char(':')) ++end;
            put(FilterToken::Operator, at, end, text.mid(at, end - at));
        } else if (c == QLatin1Char('-')) {
            put(FilterToken::Minus, at, end, c);
        } else {
            while (end < size && !endsWord(text[end])) ++end;
            put(FilterToken::Word, at, end, text.mid(at, end - at));
        }
        at = end;
    }
    put(FilterToken::End, size, size, {});
    return tokens;
}

QString filterQuoted(const QString &text) {
    const std::vector<FilterToken> tokens = filterTokens(text);
    if (tokens.size() == 2 && tokens[0].kind == FilterToken::Word) return text;
    QString inside = text;
    return QLatin1Char('"') + inside.remove(QLatin1Char('"')) + QLatin1Char('"');
}

} // namespace loopscope
