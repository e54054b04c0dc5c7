#include "views/session/analysis.h"

#include "base/outcome.h"
#include "views/session/memory.h"
#include "views/session/text.h"

#include <chrono>
#include <thread>

namespace loopscope {

namespace {

Problem problemOf(const Error &error, const QString &before = {}) {
    return {before + qt(error.sentence()), qt(error.excerpt()), qt(error.path()), error.line(), error.column()};
}

/// Of a derivation that is kept: a pipeline of ninety stages has hundreds of thousands, and no tree of them says
/// anything.
constexpr size_t kMaxSteps = 20000;

} // namespace

SketchAnalysis deriveSketches(const Task &task, const SketchOptions &options, double seconds,
                              const std::atomic<bool> *cancelled) {
    SketchAnalysis result;
    std::atomic<bool> stop{false}, timeUp{false};
    bool tooLong = false;
    const auto trace = [&](const SketchStep &step) {
        tooLong = tooLong || result.derivation.size() >= kMaxSteps;
        if (!tooLong) result.derivation.push_back(step);
    };
    // The first of two derivations is not traced: time is watched from outside.
    std::jthread watch([&](const std::stop_token &ended) {
        const auto begin = std::chrono::steady_clock::now();
        while (!ended.stop_requested() && !stop) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            timeUp = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds;
            if (timeUp || (cancelled && *cancelled)) stop = true;
        }
    });
    try {
        result.sketches = generateSketches(task.dag, task.target, options, trace, &stop);
        if (!stop && result.sketches.empty())
            result.problem = QStringLiteral("no rule makes a sketch of this workload");
    } catch (const std::bad_alloc &) {
        result.problem = outOfMemoryText(QStringLiteral("deriving the sketches"), tensorBytes(*task.dag));
    } catch (const std::exception &error) {
        result.problem = QString::fromUtf8(error.what());
    }
    watch.request_stop();
    watch.join();
    if (stop) {
        result.sketches.clear();
        result.timeUp = timeUp;
    }
    if (stop || tooLong) result.derivation.clear();
    return result;
}

Analysis analyseWorkload(const AnalysisInput &input, double sketchSeconds, const std::atomic<bool> *cancelled) {
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
    } catch (const std::bad_alloc &) {
        result = {};
        result.problem = Problem{outOfMemoryText(QStringLiteral("reading this workload")), {}, qt(input.path), 0, 0};
        return result;
    } catch (const std::exception &error) {
        result = {};
        result.problem = Problem{QString::fromUtf8(error.what()), {}, qt(input.path), 0, 0};
        return result;
    }
    SketchAnalysis sketches = deriveSketches(*result.task, input.sketch, sketchSeconds, cancelled);
    result.sketches = std::move(sketches.sketches);
    result.derivation = std::move(sketches.derivation);
    result.sketchProblem = std::move(sketches.problem);
    result.sketchesPending = sketches.timeUp;
    return result;
}

} // namespace loopscope
