#pragma once
// The operators and shapes everybody compares on (Ansor's operator classes, batch 1, float32), as problems for a
// library. Layout: channels last.

#include "measure/baselines/baseline_problem.h"

#include <string>
#include <vector>

namespace loopscope {

struct BenchmarkShape {
    std::string name; // class and number from 1: "C2D-3"
    BaselineProblem problem;
};

std::vector<BenchmarkShape> benchmarkShapes();

} // namespace loopscope
