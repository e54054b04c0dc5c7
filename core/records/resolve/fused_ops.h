#pragma once
// What networks put behind an operator within one task: biases, residuals, activations; and reductions of what came
// before. A new one is a row of the table in fused_ops.cpp.

#include "records/resolve/task_key.h"

#include <string>
#include <vector>

namespace loopscope {

struct FusedOp {
    std::string name; // for people
    /// `.te` statements, separated by `;`, over `x` (what comes before) and, where it takes an input of its own, `y`;
    /// the last one defines `r`. Besides calls of operators there are two short forms:
    ///   c = const 3.0                  a scalar constant of the graph
    ///   r "compute" i: max(x, 0)       one value of every operand; axes i0, i1, ...; y_1 and y_last are of a vector
    ///                                  along that dimension
    std::string text;
    int cost = 1;         // tried in the order of their sums
    bool binary = false;  // reads `y`
    bool leading = false; // `y` is its first operand and stands in front of everything
    bool reduces = false; // makes another shape
};

/// `rank`: of what comes before, for the reductions.
std::vector<FusedOp> fusedOps(size_t rank, bool reductions);

/// The row as `.te` statements between the given handles; local handles get the suffix.
std::string fusedStatements(const FusedOp &op, const std::string &x, const std::string &y, const std::string &result,
                            const std::string &suffix, const Shape &shape, const std::string &dtype);

/// A word of the text (letters, digits, underscores; outside of quotes) replaced by what the function gives for it.
template <typename Replace> std::string replaceWords(const std::string &text, Replace &&replacement) {
    std::string out;
    bool quoted = false;
    const auto isWord = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    for (size_t i = 0; i < text.size();) {
        if (text[i] == '"') quoted = !quoted;
        if (quoted || !isWord(text[i])) {
            out += text[i++];
            continue;
        }
        size_t end = i;
        while (end < text.size() && isWord(text[end])) ++end;
        out += replacement(text.substr(i, end - i));
        i = end;
    }
    return out;
}

} // namespace loopscope
