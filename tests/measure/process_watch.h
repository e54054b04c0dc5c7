#pragma once
// What a measurement may leave behind: processes, open descriptors, files.

#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace loopscope {

/// Every process below `root`, zombies included.
std::vector<pid_t> descendants(pid_t root);
/// Exists and is no zombie.
bool alive(pid_t pid);
/// Waits until none of them is alive; false after `seconds`.
bool allGone(const std::vector<pid_t> &pids, double seconds);
size_t openDescriptors();
/// Names in the folder for temporary files and in /dev/shm.
std::set<std::string> temporaryFiles();

} // namespace loopscope
