#include "views/computation/draft_preview.h"

#include "base/outcome.h"
#include "views/session/text.h"

namespace loopscope {

DraftPreview previewDraft(const Draft &draft) {
    DraftPreview preview;
    try {
        preview.text = draftText(draft);
        const Workload workload = parseWorkload(std8(preview.text), {});
        const Task task = makeTask(ComputeDag::fromWorkload(workload), parseTarget("llvm"));
        preview.dagText = qt(task.dag->text(DagTextMode::Normal));
        preview.facts = factsOf(task);
        for (const Tensor *tensor : task.dag->args())
            if (!tensor->op->isPlaceholder())
                preview.shape = shapeText(tensor->shape) + u' ' + qt(dtypeName(tensor->dtype));
    } catch (const Error &error) {
        preview.problem = Problem{qt(error.sentence()), qt(error.excerpt()), {}, error.line(), error.column()};
    }
    return preview;
}

} // namespace loopscope
