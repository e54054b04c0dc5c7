#pragma once
// A parsed filter as a tree; see trial_filter.h for the language.

#include "views/trials/trial_columns.h"

#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

enum class FilterFlag : uint8_t { Failed, Valid, Pinned, Unstable, Best, Noted, Remeasured, Logged };

struct FilterNode {
    enum class Kind : uint8_t { And, Or, Not, Number, Text, Anywhere, Flag, TileIs, TileAt };
    enum class Compare : uint8_t { Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual };

    Kind kind = Kind::And;
    std::vector<FilterNode> children; // And, Or, Not
    TrialColumn column{};             // Number, Text
    Compare compare = Compare::Equal; // Number, TileAt
    double value = 0;                 // Number, TileAt: the least allowed when equal
    double upper = 0;                 // Number, TileAt: the greatest allowed when equal
    QString text;                     // Text, Anywhere; TileIs, TileAt: the loop
    std::string lower;                // the same in UTF-8, ASCII letters in lower case: for reasons
    FilterFlag flag{};                // Flag
    int tile = -1;                    // TileIs, TileAt: column
    int part = 0;                     // TileAt
    std::vector<int64_t> parts;       // TileIs; -1 = any
};

} // namespace loopscope
