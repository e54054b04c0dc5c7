#include "process_watch.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

namespace loopscope {

namespace fs = std::filesystem;

namespace {

struct ProcessState {
    pid_t parent = 0;
    char state = 0; // 0: there is no such process
};

ProcessState stateOf(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    // The name in parentheses may itself contain parentheses and spaces.
    const size_t end = text.rfind(')');
    ProcessState found;
    if (end == std::string::npos || end + 3 >= text.size()) return found;
    found.state = text[end + 2];
    found.parent = std::stoi(text.substr(end + 4));
    return found;
}

} // namespace

std::vector<pid_t> descendants(pid_t root) {
    std::multimap<pid_t, pid_t> children;
    for (const auto &entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
        const auto pid = static_cast<pid_t>(std::stoi(name));
        children.emplace(stateOf(pid).parent, pid);
    }
    std::vector<pid_t> found;
    std::vector<pid_t> open{root};
    while (!open.empty()) {
        const auto [begin, end] = children.equal_range(open.back());
        open.pop_back();
        for (auto it = begin; it != end; ++it) {
            found.push_back(it->second);
            open.push_back(it->second);
        }
    }
    return found;
}

bool alive(pid_t pid) {
    const char state = stateOf(pid).state;
    return state != 0 && state != 'Z' && state != 'X';
}

bool allGone(const std::vector<pid_t> &pids, double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::any_of(pids.begin(), pids.end(), alive)) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

size_t openDescriptors() {
    return static_cast<size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

std::set<std::string> temporaryFiles() {
    std::set<std::string> names;
    for (const std::string &folder : {fs::temp_directory_path().string(), std::string("/dev/shm")}) {
        std::error_code ignored;
        for (const auto &entry : fs::directory_iterator(folder, ignored)) {
            // A socket is another window's, at which later starts meet it.
            if (!entry.is_socket(ignored)) names.insert(entry.path());
        }
    }
    return names;
}

} // namespace loopscope
