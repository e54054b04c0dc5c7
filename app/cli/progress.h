#pragma once
// Follows a search on standard error: one live line on a terminal, a line per round elsewhere; what a user should know
// (notes, the first failure of each kind) stays on the screen. Of several tasks every line names the one it is about.

#include "search/search_observer.h"

#include <chrono>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

struct ProgressTask {
    std::string name;
    double flops = 0;
};

class Progress {
  public:
    explicit Progress(const std::vector<ProgressTask> &tasks);
    ~Progress();
    void on(const SearchEvent &event);
    void phase(const std::string &what); // shown until something else happens
    void say(const std::string &line);

  private:
    void live(const std::string &line);
    void clear();
    [[nodiscard]] double elapsed() const;
    /// Of one of the tasks, as far as it has come.
    struct Standing {
        std::string label; // "matmul: "; empty when there is one task
        double flops = 0;
        std::map<std::string, int> failures;
        int untimed = 0; // trials whose answer was right
        double best = std::numeric_limits<double>::infinity();
        [[nodiscard]] std::string bestText(double seconds) const;
    };

    std::vector<Standing> m_tasks;
    bool m_terminal;
    bool m_dirty = false; // a live line is on the screen
    std::chrono::steady_clock::time_point m_start;
};

} // namespace loopscope
