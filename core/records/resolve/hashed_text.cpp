#include "records/resolve/hashed_text.h"

#include "language/dag/op_order.h"
#include "language/te/workload.h"

namespace loopscope {

HashedText hashedText(const std::string &te, HashForm form) {
    const Workload workload = parseWorkload(te, {});
    HashedText text;
    const Op *last = nullptr;
    for (const Op *op : ansorOrder(workload.args)) {
        text.lines.push_back({hashedLine(*op, form), op->isPlaceholder() ? op->name : std::string()});
        last = op;
    }
    if (last == nullptr) throw Error("the text defines no operator");
    size_t outputs = 0;
    for (const Tensor *arg : workload.args) outputs += arg->op->isPlaceholder() ? 0 : 1;
    if (outputs != 1) throw Error("a pattern has one output");
    text.result = last->name;
    text.shape = last->shape();
    text.dtype = dtypeName(last->output().dtype);
    return text;
}

} // namespace loopscope
