#pragma once
// The text a task's hash is made of, line by line, for workloads that are not yet worth a DAG.

#include "resolve/task_key.h"

#include <string>
#include <vector>

namespace loopscope {

struct HashedText {
    std::vector<std::string> lines; // of the ops in Ansor's order, ended
    std::string result;             // name of the last op, whose only output it has
    Shape shape;
    std::string dtype;
};
/// Of `.te` text. Throws Error, also when it has several outputs.
HashedText hashedText(const std::string &te);

} // namespace loopscope
