#pragma once
// Does a typed abbreviation fit a text, and how well: "cdb" fits "conv2d_bias". Letters must appear in order; starts of
// words and runs count more.

#include <QString>

#include <vector>

namespace loopscope {

struct FuzzyMatch {
    int score = -1;          // -1: does not fit; higher is better
    std::vector<int> places; // of the matched characters, ascending
};

/// An empty pattern fits everything with score 0. Spaces in the pattern separate words, each of which must fit.
FuzzyMatch fuzzyMatch(const QString &pattern, const QString &text);

} // namespace loopscope
