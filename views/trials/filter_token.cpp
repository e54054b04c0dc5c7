#include "views/trials/filter_token.h"

#include "views/trials/trial_filter.h"

namespace loopscope {

namespace {

bool isOperator(QChar c) { return QStringLiteral("<>=!:").contains(c); }
bool isJoin(QChar c) { return c == QLatin1Char('&') || c == QLatin1Char('|'); }
bool isSeparator(QChar c) { return c == QLatin1Char(',') || c == QLatin1Char(';'); }
bool endsWord(QChar c) { return c.isSpace() || isOperator(c) || isJoin(c) || QStringLiteral("()\"\u201c").contains(c); }

/// Hyphen, en dash, minus sign: what a keyboard, a text program or a copied text makes of "-".
bool isDash(QChar c) { return c == QLatin1Char('-') || c == QChar(0x2013) || c == QChar(0x2212); }

/// What ends a quotation begun with `c`; null when it begins none.
QChar closingQuote(QChar c) {
    if (c == QLatin1Char('"') || c == QLatin1Char('\'')) return c;
    return c == QChar(0x201c) ? QChar(0x201d) : QChar();
}

/// Behind the operator that begins at `at`. "=<" and "<>" are read as people mean them, and so is ":<".
int operatorEnd(const QString &text, int at) {
    const auto size = static_cast<int>(text.size());
    int end = at + 1;
    if (text[at] == QLatin1Char('!')) return end < size && text[end] == QLatin1Char('=') ? end + 1 : end;
    while (end < size && end < at + 3 && QStringLiteral("<>=").contains(text[end])) ++end;
    return end;
}

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
        } else if (const QChar closing = closingQuote(c); !closing.isNull()) {
            while (end < size && text[end] != closing) ++end;
            const bool closed = end < size;
            const QString inside = text.mid(at + 1, end - at - 1);
            if (closed) ++end;
            put(closed ? FilterToken::Quoted : FilterToken::OpenQuote, at, end, inside);
        } else if (isOperator(c)) {
            end = operatorEnd(text, at);
            const QString word = text.mid(at, end - at);
            put(word == QLatin1String("!") ? FilterToken::Not : FilterToken::Operator, at, end, word);
        } else if (isJoin(c)) {
            if (end < size && text[end] == c) ++end;
            put(c == QLatin1Char('&') ? FilterToken::Both : FilterToken::Either, at, end, text.mid(at, end - at));
        } else if (isSeparator(c)) {
            put(FilterToken::Separator, at, end, c);
        } else if (isDash(c)) {
            put(FilterToken::Not, at, end, c);
        } else {
            while (end < size && !endsWord(text[end])) ++end;
            while (end > at + 1 && isSeparator(text[end - 1])) --end; // "failed, pinned"
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
