#pragma once
// The links of one form of a schedule, whichever it is: what is marked in its text, and what a line of it means in the
// final loop program, where all forms meet.

#include "views/program/representation_links.h"
#include "views/session/selection.h"

#include <optional>

namespace loopscope {

struct NodeChoice {
    int node = -1; // of the final program; -1: all of that name
    QString stage;
    QString iterator;
};

struct FormLinks {
    const std::vector<ProgramNode> &nodes;          // of the final program
    const LineMap *map = nullptr;                   // of a text made from it; null: a program
    const std::vector<ProgramNode> *pass = nullptr; // of the program shown, where it is one; null: none is

    /// Of what is selected, in this form.
    [[nodiscard]] Highlight highlight(const Selected &selected) const;
    /// Lines of the final program that belong to what is selected.
    [[nodiscard]] LineRanges programLinesOf(const Selected &selected) const;
    /// What a click on the line chooses; none where it says nothing.
    [[nodiscard]] std::optional<NodeChoice> at(int line) const;
    /// Lines of the final program that the line stands for.
    [[nodiscard]] LineRanges programLines(int line) const;
    /// Lines here that stand for these of the final program.
    [[nodiscard]] LineRanges lines(const LineRanges &programLines) const;

  private:
    [[nodiscard]] bool earlier() const { return map == nullptr && pass != &nodes; }
    [[nodiscard]] std::vector<int> chosen(const Selected &selected) const;
};

} // namespace loopscope
