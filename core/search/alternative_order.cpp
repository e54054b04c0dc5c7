#include "search/alternative_order.h"

#include "base/random.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

class AlternativeOrder final : public TaskOrder {
  public:
    explicit AlternativeOrder(const AlternativeOptions &options) : m_options(options), m_random(options.seed) {}

    std::optional<size_t> next(const std::vector<TaskStanding> &tasks) override {
        std::pair<double, size_t> least = {kNever, 0};
        std::vector<size_t> alike;
        for (size_t i = 0; i < tasks.size(); ++i) {
            if (!tasks[i].open) continue;
            if (tasks[i].rounds() == 0) return i;
            // Of those without a kernel nothing is expected, and the number of rounds decides.
            const double seconds = expected(tasks[i]);
            const std::pair<double, size_t> mine = {seconds, std::isfinite(seconds) ? 0 : tasks[i].rounds()};
            if (alike.empty() || mine < least) {
                least = mine;
                alike = {i};
            } else if (mine == least) {
                alike.push_back(i);
            }
        }
        if (alike.empty()) return std::nullopt;
        return alike.size() == 1 ? alike.front() : alike[m_random.index(alike.size())];
    }

  private:
    static constexpr double kNever = std::numeric_limits<double>::infinity();

    /// Seconds of its best kernel after another round, if that goes well.
    [[nodiscard]] double expected(const TaskStanding &task) const {
        const double best = task.seconds();
        if (!std::isfinite(best)) return kNever;
        const double hoped = best * (1 - m_options.promise / static_cast<double>(task.rounds() + 1));
        const size_t last = task.best.size() - 1;
        const auto window = std::min(static_cast<size_t>(m_options.backwardRounds), last);
        if (window == 0 || !std::isfinite(task.best[last - window])) return hoped;
        // As steeply as before, in shares: a time never falls to nothing.
        const double again = best * std::pow(best / task.best[last - window], 1.0 / static_cast<double>(window));
        return std::min(hoped, again);
    }

    AlternativeOptions m_options;
    Random m_random;
};

} // namespace

std::unique_ptr<TaskOrder> makeAlternativeOrder(const AlternativeOptions &options) {
    return std::make_unique<AlternativeOrder>(options);
}

} // namespace loopscope
