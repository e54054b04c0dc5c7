#include "language/task/task.h"

#include <utility>

namespace loopscope {

Task makeTask(DagPtr dag, Target target) {
    Task task;
    task.key = dag->key();
    // As in Ansor, single operators on a CPU rewrite the layout of their weights through an inserted stage.
    task.layoutRewrite = target.isGpu() ? LayoutRewrite::None : LayoutRewrite::InsertTransform;
    task.dag = std::move(dag);
    task.target = std::move(target);
    return task;
}

} // namespace loopscope
