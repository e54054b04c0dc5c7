#include "views/session/analysis.h"

#include "outcome.h"
#include "views/session/text.h"

namespace loopscope {

namespace {

Problem problemOf(const Error &error, const QString &before = {}) {
    return {before + qt(error.sentence()), qt(error.excerpt()), qt(error.path()), error.line(), error.column()};
}

} // namespace

Analysis analyseWorkload(const AnalysisInput &input) {
    Analysis result;
    try {
        auto workload = std::make_shared<Workload>(parseWorkload(input.text, input.path, input.params));
        DagPtr dag = ComputeDag::fromWorkload(*workload);
        Task task = makeTask(std::move(dag), parseTarget(input.target));
        task.layoutRewrite = static_cast<LayoutRewrite>(input.layoutRewrite);
        result.dagText = qt(task.dag->text(DagTextMode::Normal));
        result.workload = std::move(workload);
        result.task = std::make_shared<const Task>(std::move(task));
    } catch (const Error &error) {
        result = {};
        result.problem = problemOf(error);
        return result;
    } catch (const std::exception &error) {
        result = {};
        result.problem = Problem{QString::fromUtf8(error.what()), {}, qt(input.path), 0, 0};
        return result;
    }
    try {
        result.sketches = generateSketches(result.task->dag, result.task->target, input.sketch,
                                           [&](const SketchStep &step) { result.derivation.push_back(step); });
        if (result.sketches.empty()) result.sketchProblem = QStringLiteral("no rule makes a sketch of this workload");
    } catch (const std::exception &error) {
        result.sketchProblem = QString::fromUtf8(error.what());
    }
    return result;
}

} // namespace loopscope
