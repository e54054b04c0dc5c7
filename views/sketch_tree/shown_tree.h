#pragma once
// Which part of a derivation is shown: chains of steps without a choice folded into one edge, subtrees collapsed, one
// stage or one rule filtered for. Pure; the layout and the picture are made from it.
//
// Folding: along a chain without branches, neighbouring steps of one rule become one edge, and skipped inputs join
// whatever stands before them, since nobody decides anything there. With a filter, all that does not match is folded,
// and what neither leads to a match nor comes from one is left out.

#include "views/sketch_tree/derivation_tree.h"

#include <QString>

#include <set>
#include <vector>

namespace loopscope {

struct TreeChoice {
    bool fold = true;
    bool refused = true;     // refused rules are shown
    QString stage;           // only this one; empty = all
    QString rule;            // the same
    std::set<int> collapsed; // nodes whose children are hidden
    std::set<int> unfolded;  // nodes whose step stands on an edge of its own
    std::set<int> listed;    // nodes that list what was refused
    std::set<int> unlisted;  // the same, against a filter, which lists by itself
    bool listAll = false;

    [[nodiscard]] bool filters() const { return !stage.isEmpty() || !rule.isEmpty(); }
    [[nodiscard]] bool matches(const RuleTried &tried) const {
        return (stage.isEmpty() || tried.stage == stage) && (rule.isEmpty() || tried.rule == rule);
    }
};

struct ShownNode {
    int number = 0;
    int parent = -1; // index in ShownTree::nodes
    int depth = 0;
    std::vector<int> children;
    // The edge that leads here.
    std::vector<int> steps;  // nodes made by its steps, in order; the last is this one
    QString label;           // "Tiling · conv2d"
    QString detail;          // "skip data, kernel"; the quiet second line; may be empty
    bool quiet = false;      // nothing but skipped stages, or nothing that the filter is about
    int refusedOnTheWay = 0; // on states folded into the edge
    // The node itself.
    std::vector<RuleTried> refused; // as shown: all of them, or those the filter is about
    bool lists = false;
    int hiddenSketches = 0; // of collapsed children
    bool collapsible = false;
};

struct ShownTree {
    std::vector<ShownNode> nodes; // parents before children, in the order of the picture (depth first)
    /// Index of the node shown for `number`: itself, the end of the edge it is folded into, or the collapsed node above
    /// it; -1 when filtered out.
    std::vector<int> placeOf;
    int hiddenByFilter = 0; // sketches
};

ShownTree makeShownTree(const DerivationTree &tree, const TreeChoice &choice);

/// Nodes to collapse at first so that about `most` are shown.
std::set<int> collapseBeyond(const DerivationTree &tree, const TreeChoice &choice, size_t most);

/// One line a node, two blanks a level: for tests and for copying.
QString shownText(const DerivationTree &tree, const ShownTree &shown);

/// "a, b, c and 4 more"
QString someNames(const QStringList &names, int most = 3);

} // namespace loopscope
