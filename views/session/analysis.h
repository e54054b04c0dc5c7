#pragma once
// Text, parameters and target in; task and sketches out. Pure, so that it runs in a job while the user types on.

#include "views/session/document.h"

#include <atomic>
#include <limits>

namespace loopscope {

struct Analysis {
    std::optional<Problem> problem; // then nothing else is set
    std::shared_ptr<const Workload> workload;
    std::shared_ptr<const Task> task;
    QString dagText;
    std::vector<Sketch> sketches;
    std::vector<SketchStep> derivation;
    QString sketchProblem;
    bool sketchesPending = false; // their time was up: deriveSketches() has them later
};

struct AnalysisInput {
    std::string text;
    std::string path;
    ParamOverrides params;
    std::string target;
    SketchOptions sketch;
    int layoutRewrite = 0;
};

/// The task is quick; its sketches may be many. After `sketchSeconds` without an end there are none.
Analysis analyseWorkload(const AnalysisInput &input, double sketchSeconds = std::numeric_limits<double>::infinity(),
                         const std::atomic<bool> *cancelled = nullptr);

struct SketchAnalysis {
    std::vector<Sketch> sketches;
    std::vector<SketchStep> derivation;
    QString problem;
    bool timeUp = false;
};
SketchAnalysis deriveSketches(const Task &task, const SketchOptions &options, double seconds,
                              const std::atomic<bool> *cancelled);

} // namespace loopscope
