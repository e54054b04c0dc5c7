#include "views/computation/task_facts.h"

#include "views/session/text.h"

namespace loopscope {

double TaskFacts::intensity() const { return flops < 0 || bytes() == 0 ? -1 : flops / static_cast<double>(bytes()); }

QString TaskFacts::shortKey() const {
    const QString hash = key.startsWith(u'[') ? key.section(u'"', 1, 1) : key;
    return hash.size() > 12 ? hash.left(10) + QStringLiteral("\u2026") : hash;
}

TaskFacts factsOf(const Task &task) {
    TaskFacts facts;
    facts.flops = task.dag->flops();
    for (const Tensor *tensor : task.dag->args()) {
        int64_t bytes = dtypeBytes(tensor->dtype);
        for (const int64_t extent : tensor->shape) bytes *= extent;
        (tensor->op->isPlaceholder() ? facts.inputBytes : facts.outputBytes) += bytes;
    }
    for (const OpPtr &op : task.dag->ops()) ++(op->isPlaceholder() ? facts.inputs : facts.stages);
    facts.key = qt(task.key);
    facts.target = qt(task.target.text());
    return facts;
}

QString intensityText(double flopsPerByte) {
    if (flopsPerByte < 0) return QStringLiteral("\u2013");
    return QStringLiteral("%1 FLOP/byte").arg(flopsPerByte, 0, 'f', flopsPerByte < 10 ? 2 : 1);
}

} // namespace loopscope
