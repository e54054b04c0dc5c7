#pragma once
// The text a task's hash is made of, line by line, for workloads that are not yet worth a DAG.

#include "records/resolve/oldest_text.h"
#include "records/resolve/task_key.h"

#include <string>
#include <vector>

namespace loopscope {

struct HashedLine {
    std::string text;  // ended
    std::string input; // its name, of a placeholder
};
struct HashedText {
    std::vector<HashedLine> lines; // of the ops in Ansor's order
    std::string result;            // name of the last op, whose only output it has
    Shape shape;
    std::string dtype;
};
/// Of `.te` text. Throws Error, also when it has several outputs.
HashedText hashedText(const std::string &te, HashForm form = HashForm::Simple);

} // namespace loopscope
