#pragma once
// A place in a text that something is wrong with.

#include <QString>

namespace loopscope {

/// Shown as a wavy underline, with the sentence as annotation and tooltip.
struct CodeProblem {
    int line = 0;   // from 1
    int column = 0; // from 1
    int length = 0; // characters; 0 = the word there
    QString sentence;
    bool warning = false;
};

} // namespace loopscope
