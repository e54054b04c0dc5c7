#include "search/task_order.h"

#include "base/random.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>

namespace loopscope {

namespace {

class RoundRobinOrder final : public TaskOrder {
  public:
    std::optional<size_t> next(const std::vector<TaskStanding> &tasks) override {
        for (size_t i = 0; i < tasks.size(); ++i) {
            const size_t task = (m_next + i) % tasks.size();
            if (!tasks[task].open) continue;
            m_next = task + 1;
            return task;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::string why() const override { return "tasks take turns"; }

  private:
    size_t m_next = 0;
};

class GradientOrder final : public TaskOrder {
  public:
    explicit GradientOrder(const GradientOptions &options) : m_options(options), m_random(options.seed) {}

    std::optional<size_t> next(const std::vector<TaskStanding> &tasks) override {
        leaveGroup(tasks);
        std::vector<size_t> open;
        for (size_t i = 0; i < tasks.size(); ++i) {
            if (!tasks[i].open) continue;
            if (tasks[i].rounds() == 0) {
                m_why = "it has had no round yet";
                return m_last = i;
            }
            open.push_back(i);
        }
        if (open.empty()) return std::nullopt;
        std::vector<double> gradients;
        for (const size_t task : open) gradients.push_back(gradient(tasks, task));
        const auto least = std::min_element(gradients.begin(), gradients.end());
        const bool alike = *least == *std::max_element(gradients.begin(), gradients.end());
        const size_t at = alike ? m_random.index(open.size()) : static_cast<size_t>(least - gradients.begin());
        m_why = alike ? "all promise the same, and it was drawn"
                      : fmt::format("its part of the sum of times is expected to fall fastest, by {:.3g} us a round",
                                    -gradients[at] * 1e6);
        return m_last = open[at];
    }
    [[nodiscard]] std::string why() const override { return m_why; }

  private:
    /// How the sum of times changes with another round of the task; <= 0.
    [[nodiscard]] double gradient(const std::vector<TaskStanding> &tasks, size_t task) const {
        const TaskStanding &standing = tasks[task];
        const double best = standing.seconds();
        if (!std::isfinite(best)) return 0;
        const auto &history = standing.best;
        const size_t last = history.size() - 1;
        const auto window = static_cast<size_t>(m_options.backwardRounds);
        double backward = 0;
        if (last >= window && std::isfinite(history[last - window]))
            backward = (history[last] - history[last - window]) / static_cast<double>(window);
        // With as much luck again the time is a round's share less; or it becomes what similar tasks reached.
        const double likeBefore = best - best / static_cast<double>(history.size());
        const double likeOthers = expectedOfSimilar(tasks, task);
        const double forward = std::min(likeBefore, likeOthers) - best;
        const double change = m_options.alpha * backward + (1 - m_options.alpha) * forward;
        return standing.weight * std::min(change, 0.0);
    }

    [[nodiscard]] bool inGroup(const std::vector<TaskStanding> &tasks, size_t task) const {
        return !tasks[task].similarity.empty() && !m_alone.contains(task);
    }

    /// The best speed of the task's group; 0 when it is in none, or the only one in it.
    [[nodiscard]] double groupSpeed(const std::vector<TaskStanding> &tasks, size_t task) const {
        if (!inGroup(tasks, task)) return 0;
        double speed = 0;
        size_t members = 0;
        for (size_t i = 0; i < tasks.size(); ++i) {
            if (!inGroup(tasks, i) || tasks[i].similarity != tasks[task].similarity) continue;
            ++members;
            speed = std::max(speed, tasks[i].flops / tasks[i].seconds());
        }
        return members > 1 ? speed : 0;
    }

    [[nodiscard]] double expectedOfSimilar(const std::vector<TaskStanding> &tasks, size_t task) const {
        const double speed = groupSpeed(tasks, task);
        return speed > 0 ? m_options.beta * tasks[task].flops / speed : std::numeric_limits<double>::infinity();
    }

    /// A task that had many more rounds than the others and is still far slower than its group is of another kind.
    void leaveGroup(const std::vector<TaskStanding> &tasks) {
        if (!m_last || !inGroup(tasks, *m_last)) return;
        const double speed = groupSpeed(tasks, *m_last);
        size_t others = 0;
        for (size_t i = 0; i < tasks.size(); ++i)
            if (i != *m_last) others = std::max(others, tasks[i].rounds());
        constexpr size_t kManyMore = 5;
        const TaskStanding &standing = tasks[*m_last];
        if (standing.rounds() > kManyMore + others && standing.flops / standing.seconds() < speed / m_options.beta)
            m_alone.insert(*m_last);
    }

    GradientOptions m_options;
    Random m_random;
    std::optional<size_t> m_last;
    std::set<size_t> m_alone; // left their groups
    std::string m_why;
};

} // namespace

double TaskStanding::seconds() const { return best.empty() ? std::numeric_limits<double>::infinity() : best.back(); }

std::string taskSimilarity(const ComputeDag &dag) {
    std::string tags;
    for (const OpPtr &op : dag.ops()) {
        const auto found = op->attrs.find("auto_scheduler_task_scheduler_tag");
        if (found == op->attrs.end()) continue;
        if (const auto *tag = std::get_if<std::string>(&found->second)) tags += *tag + "_";
    }
    if (tags.empty()) return {};
    constexpr double kGolden = 1.618; // as Ansor has it
    const double magnitude = std::log(std::max(dag.flops(), 0.0) + 1) / std::log(kGolden);
    return tags + fmt::format("{:.0f}", std::floor(magnitude));
}

std::unique_ptr<TaskOrder> makeRoundRobinOrder() { return std::make_unique<RoundRobinOrder>(); }

std::unique_ptr<TaskOrder> makeGradientOrder(const GradientOptions &options) {
    return std::make_unique<GradientOrder>(options);
}

} // namespace loopscope
