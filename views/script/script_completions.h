#pragma once
// What can stand at a place of a script. The reader of scripts itself is asked: it is given a word that nothing is
// called, and says what it expected there.

#include "language/dag/compute_dag.h"

#include <QString>

#include <string>
#include <utility>
#include <vector>

namespace loopscope {

/// Words with what is shown beside them. `above`: the lines in front of that of the caret; those that cannot be applied
/// are passed over. `head`: of its line what stands in front of the word being written.
std::vector<std::pair<QString, QString>> scriptCompletions(const DagPtr &dag, const std::string &above,
                                                           const std::string &head);

} // namespace loopscope
