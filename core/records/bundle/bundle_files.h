#pragma once
// What lies in a bundle beside the candidates: the runner program, its makefile, and what a person is told. Internal to
// bundle.

#include "records/bundle/bundle_text.h"

#include <string>
#include <vector>

namespace loopscope {

/// The runner program, one C++17 file.
std::string runnerText();
/// run.cpp, Makefile, README.txt. `turns`: the candidates are timed in turn.
std::vector<BundleFile> filesBesideCandidates(const Task &task, size_t candidates, bool turns);

} // namespace loopscope
