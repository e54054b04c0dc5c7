#pragma once
// How the tree of edits is laid out in rows. One edit after the other is a line at one indentation, however long; where
// a schedule was edited in several ways, the way that goes furthest stays on the line, and the others stand below the
// schedule, indented. A value, made anew when nodes come or go.

#include "views/session/document.h"

#include <vector>

namespace loopscope {

struct EditRow {
    int node = -1;             // in TaskState::edited
    int parent = -1;           // row below which it stands; -1: at the top
    int ordinal = 0;           // among the rows there
    int depth = 0;             // of indentation
    bool first = false;        // of its line
    bool last = false;         // the same
    std::vector<int> children; // rows: the first ones of side lines, each followed by the others of its line
    bool operator==(const EditRow &) const = default;
};

struct EditRows {
    std::vector<EditRow> rows; // in the order they are seen
    std::vector<int> roots;
    std::vector<int> rowOfNode; // -1: dropped
    bool operator==(const EditRows &) const = default;
};

EditRows editRows(const std::vector<EditNode> &nodes);

} // namespace loopscope
