#include "search/gain_order.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace loopscope {

namespace {

/// Seconds as people say them, for the sentence about a pick.
std::string shortTime(double seconds) {
    if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
    if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
    return fmt::format("{:.3g} us", seconds * 1e6);
}

class GainOrder final : public TaskOrder {
  public:
    explicit GainOrder(const GainOptions &options) : m_options(options) {}

    std::optional<size_t> next(const std::vector<TaskStanding> &tasks) override {
        std::optional<size_t> best;
        double most = -1;
        for (size_t i = 0; i < tasks.size(); ++i) {
            if (!tasks[i].open) continue;
            if (tasks[i].rounds() == 0) {
                m_why = "it has had no round yet";
                return i;
            }
        }
        const double common = commonExponent(tasks);
        for (size_t i = 0; i < tasks.size(); ++i) {
            if (!tasks[i].open || !std::isfinite(tasks[i].seconds())) continue;
            const double rate = gain(tasks, i, common) / roundSeconds(tasks[i]);
            if (rate <= most) continue;
            most = rate;
            best = i;
        }
        if (best) {
            m_why = sentence(tasks, *best, common);
            if (most > 0) return best;
        }
        // What has no kernel yet may be waiting for luck; what is at its floor only spends time.
        std::optional<size_t> without;
        for (size_t i = 0; i < tasks.size(); ++i)
            if (tasks[i].open && !std::isfinite(tasks[i].seconds()) &&
                (!without || tasks[i].rounds() < tasks[*without].rounds()))
                without = i;
        if (without) {
            m_why = "it has no valid kernel yet, and nothing else is expected to gain anything";
            return without;
        }
        return best;
    }

    [[nodiscard]] std::string why() const override { return m_why; }

    [[nodiscard]] std::vector<double> gains(const std::vector<TaskStanding> &tasks) const {
        const double common = commonExponent(tasks);
        std::vector<double> gains(tasks.size(), -1);
        for (size_t i = 0; i < tasks.size(); ++i)
            if (std::isfinite(tasks[i].seconds())) gains[i] = gain(tasks, i, common);
        return gains;
    }

  private:
    /// Seconds the task can hardly go below.
    [[nodiscard]] double floorOf(const std::vector<TaskStanding> &tasks, size_t task) const {
        const TaskStanding &standing = tasks[task];
        const double best = standing.seconds();
        double reach = best * (1 - m_options.likelyShare);
        if (const double speed = similarSpeed(tasks, task); speed > 0)
            reach = std::min(best, standing.flops / (speed * m_options.similarReach));
        return std::min(best, std::max(reach, standing.floor));
    }

    /// The best speed among the other tasks like this one; 0: there is none.
    [[nodiscard]] static double similarSpeed(const std::vector<TaskStanding> &tasks, size_t task) {
        if (tasks[task].similarity.empty() || !(tasks[task].flops > 0)) return 0;
        double speed = 0;
        for (size_t i = 0; i < tasks.size(); ++i)
            if (i != task && tasks[i].similarity == tasks[task].similarity && std::isfinite(tasks[i].seconds()))
                speed = std::max(speed, tasks[i].flops / tasks[i].seconds());
        return speed;
    }

    /// What a history shows: how far the logarithm of the excess fell, while that of the number of rounds grew.
    struct Fall {
        double excess = 0;
        double rounds = 0;
    };
    [[nodiscard]] static Fall fallOf(const TaskStanding &standing, double floor) {
        Fall fall;
        for (size_t round = 1; round < standing.best.size(); ++round) {
            const double before = standing.best[round - 1];
            if (!std::isfinite(before)) continue;
            const double excess = std::max(before - floor, 0.0);
            const double now = std::max(standing.best[round] - floor, excess * 0.05); // one round of luck is no law
            if (excess <= 0 || now <= 0) continue;
            fall.excess += std::log(excess / now);
            fall.rounds += std::log(static_cast<double>(round + 1) / static_cast<double>(round));
        }
        return fall;
    }

    [[nodiscard]] double commonExponent(const std::vector<TaskStanding> &tasks) const {
        Fall all = {m_options.exponent * m_options.confidence, m_options.confidence};
        for (size_t i = 0; i < tasks.size(); ++i) {
            if (!std::isfinite(tasks[i].seconds())) continue;
            const Fall fall = fallOf(tasks[i], floorOf(tasks, i));
            all.excess += fall.excess;
            all.rounds += fall.rounds;
        }
        return all.excess / all.rounds;
    }

    /// Seconds of the weighted sum that the next round is expected to gain.
    [[nodiscard]] double gain(const std::vector<TaskStanding> &tasks, size_t task, double common) const {
        const TaskStanding &standing = tasks[task];
        const double best = standing.seconds();
        if (standing.floor > 0 && best <= standing.floor * (1 + m_options.nearFloor)) return 0;
        const double floor = floorOf(tasks, task);
        const Fall fall = fallOf(standing, floor);
        const double exponent = (common * m_options.confidence + fall.excess) / (m_options.confidence + fall.rounds);
        const auto rounds = static_cast<double>(standing.rounds());
        const auto after = [&](double more) {
            return (best - floor) * (1 - std::pow(rounds / (rounds + more), exponent));
        };
        if (standing.behind <= 0) return standing.weight * after(1);
        double most = 0;
        for (int more = 1; more <= m_options.horizon; ++more)
            most = std::max(most, (after(more) - standing.behind) / more);
        if (standing.rounds() < static_cast<size_t>(m_options.trying) && standing.floor > 0) {
            const double ahead = best - standing.behind - standing.floor / usualShare(tasks);
            most = std::max(most, ahead / m_options.horizon);
        }
        return standing.weight * most;
    }

    /// How near to their rooflines tasks come that are behind no other: the median of roofline / time.
    [[nodiscard]] static double usualShare(const std::vector<TaskStanding> &tasks) {
        std::vector<double> shares;
        for (const TaskStanding &task : tasks)
            if (task.floor > 0 && task.behind <= 0 && std::isfinite(task.seconds()))
                shares.push_back(std::min(1.0, task.floor / task.seconds()));
        if (shares.empty()) return 1;
        const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
        std::nth_element(shares.begin(), middle, shares.end());
        return *middle;
    }

    /// That a round of the task takes; those of all cost the same where nothing is known.
    [[nodiscard]] static double roundSeconds(const TaskStanding &standing) {
        if (standing.spent.empty()) return 1;
        double sum = 0;
        for (const double spent : standing.spent) sum += spent;
        return std::max(sum / static_cast<double>(standing.spent.size()), 1e-6);
    }

    [[nodiscard]] std::string sentence(const std::vector<TaskStanding> &tasks, size_t task, double common) const {
        const TaskStanding &standing = tasks[task];
        const double expected = gain(tasks, task, common);
        std::string text = fmt::format("a round is expected to gain {} of the whole, as it runs {:g} time{} at {}",
                                       shortTime(expected), standing.weight, standing.weight == 1 ? "" : "s",
                                       shortTime(standing.seconds()));
        if (!standing.spent.empty()) text += fmt::format(", and takes {}", shortTime(roundSeconds(standing)));
        if (standing.behind > 0)
            text += fmt::format("; another form of its node is {} faster", shortTime(standing.behind));
        if (standing.floor > standing.seconds())
            text += "; it is at its roofline, as far as that was measured";
        else if (standing.floor > 0)
            text += fmt::format("; its roofline is {:.0f} % of that", 100 * standing.floor / standing.seconds());
        return text;
    }

    GainOptions m_options;
    std::string m_why;
};

} // namespace

std::unique_ptr<TaskOrder> makeGainOrder(const GainOptions &options) { return std::make_unique<GainOrder>(options); }

std::vector<double> expectedGains(const std::vector<TaskStanding> &tasks, const GainOptions &options) {
    return GainOrder(options).gains(tasks);
}

} // namespace loopscope
