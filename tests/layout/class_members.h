#pragma once
// Classes and their member functions as they stand in a text, read well enough to count them: no compiler, so that the
// tests of the tree's order stay quick.

#include <set>
#include <string>
#include <vector>

namespace loopscope {

struct ClassMembers {
    std::string name;  // the last part: "Cell" of "Table::Cell"
    int functions = 0; // of its own: neither defaulted nor deleted, no overrides of a base class, no signals
};

/// Every class and struct that is defined in the text, those within others too.
std::vector<ClassMembers> classesOf(const std::string &text);

/// The classes whose member functions the text defines outside of the class: "Table" of `Table::Cell Table::at(...) {`.
std::set<std::string> definedIn(const std::string &text);

} // namespace loopscope
