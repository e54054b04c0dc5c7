#pragma once
// Text, parameters and target in; task and sketches out. Pure, so that it runs in a job while the user types on.

#include "views/session/document.h"

namespace loopscope {

struct Analysis {
    std::optional<Problem> problem; // then nothing else is set
    std::shared_ptr<const Workload> workload;
    std::shared_ptr<const Task> task;
    QString dagText;
    std::vector<Sketch> sketches;
    std::vector<SketchStep> derivation;
    QString sketchProblem;
};

struct AnalysisInput {
    std::string text;
    std::string path;
    ParamOverrides params;
    std::string target;
    SketchOptions sketch;
    int layoutRewrite = 0;
};

Analysis analyseWorkload(const AnalysisInput &input);

} // namespace loopscope
