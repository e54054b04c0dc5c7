#pragma once
// The words of a filter text with their places, for the parser, for completion and for underlining.

#include <QString>

#include <cstdint>
#include <vector>

namespace loopscope {

struct FilterToken {
    /// Not: '-', '!' or a dash in front of a condition. Both: '&', '&&'. Either: '|', '||'. Separator: ',' or ';'
    /// behind a word, which joins nothing.
    enum Kind : uint8_t { Word, Quoted, OpenQuote, Operator, Not, Both, Either, Separator, Open, Close, End };
    Kind kind = End;
    QString text; // without quotes
    int at = 0;   // first character
    int length = 0;
};

/// Ends with an End token.
std::vector<FilterToken> filterTokens(const QString &text);

} // namespace loopscope
