#pragma once
// Follows a search on standard error: one live line on a terminal, a line per round elsewhere; what a user should know
// (notes, the first failure of each kind) stays on the screen.

#include "search/search_observer.h"

#include <chrono>
#include <limits>
#include <map>
#include <string>

namespace loopscope {

class Progress {
  public:
    explicit Progress(double flops);
    ~Progress();
    void on(const SearchEvent &event);
    void phase(const std::string &what); // shown until something else happens
    void say(const std::string &line);

  private:
    void live(const std::string &line);
    void clear();
    [[nodiscard]] double elapsed() const;
    [[nodiscard]] std::string bestText(double seconds) const;

    double m_flops;
    bool m_terminal;
    bool m_dirty = false; // a live line is on the screen
    std::chrono::steady_clock::time_point m_start;
    std::map<std::string, int> m_failures;
    double m_best = std::numeric_limits<double>::infinity();
};

} // namespace loopscope
