#pragma once
// fleet_bench --controller.

#include <string>
#include <vector>

/// The exit status. `words`: "--nodes", a number, and so on.
int controllerBench(const std::vector<std::string> &words);
