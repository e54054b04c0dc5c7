#pragma once
// Which lines of one form of a schedule are the same thing as which lines of another. All representations meet in the
// final loop program: C, LLVM IR and assembly are made from its lines, and the programs of earlier passes have its
// loops by name. Plain data and functions, so that the links can be tested without a window.

#include "codegen/kernel_code.h"
#include "views/session/representations.h"
#include "views/text/line_marks.h"

#include <vector>

namespace loopscope {

/// Lines of a generated text <-> lines of the final loop program.
class LineMap {
  public:
    LineMap() = default;
    explicit LineMap(const std::vector<LineLink> &links);

    /// Line of the program that the text's line was made from; 0 = none.
    [[nodiscard]] int programLine(int textLine) const;
    /// Lines of the text made from any of these. Lines without a link (labels, braces) between two that belong are
    /// taken along.
    [[nodiscard]] LineRanges textLines(const LineRanges &programLines) const;

  private:
    std::vector<int> m_programLine; // by line of the text, from 0
};

/// The statement on a line of a printed program (its loop, store, ...); -1 for the head and beyond the end. An `else`
/// belongs to its if.
int nodeAtLine(const std::vector<ProgramNode> &nodes, int line);

/// The loop a machine loop was made from, given a line inside it: the nearest one that still loops, rather than being
/// written out or done by the lanes of one instruction. "conv2d_nchw.rc.1"; empty when there is none.
QString loopNameAt(const std::vector<ProgramNode> &nodes, int line);

/// What Selection says of a schedule, found in the nodes of one of its passes: the very node if `node` is one of them,
/// else every loop of that stage and iterator, else every store of that stage. Ascending.
std::vector<int> nodesOf(const std::vector<ProgramNode> &nodes, const QString &stage, const QString &iterator,
                         int node);

/// The same statement (or all copies of it) in the program of another pass: loops by stage and iterator, stores by
/// buffer and role, others by their text. Narrowed to the same surroundings where these are there.
std::vector<int> sameNodes(const std::vector<ProgramNode> &from, int node, const std::vector<ProgramNode> &to);

/// How selected nodes are shown in their own program: their lines, and what is inside them.
struct Highlight {
    LineRanges selected;
    LineRanges inside;
    [[nodiscard]] bool empty() const { return selected.empty() && inside.empty(); }
};
Highlight highlightInProgram(const std::vector<ProgramNode> &nodes, const std::vector<int> &selected);
/// ... and in a text made from the final program: all that comes from inside, and of it what has the selected
/// statement as its innermost loop.
Highlight highlightInText(const std::vector<ProgramNode> &nodes, const std::vector<int> &selected, const LineMap &map);

} // namespace loopscope
