#include "schedule/choices/choice_table.h"

#include "schedule/bound_inference.h"
#include "schedule/stepwise_replay.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <unordered_map>
#include <variant>

namespace loopscope {

namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

class TableBuilder {
  public:
    TableBuilder(DagPtr dag, size_t schedules) : m_dag(std::move(dag)), m_schedules(schedules) {}

    void add(size_t schedule, const Steps &steps) {
        m_schedule = schedule;
        StepwiseReplay replay(m_dag, steps.size());
        for (const Step &step : steps) {
            if (const auto *split = std::get_if<SplitStep>(&step)) lengths(replay.state(), *split);
            if (replay.apply(step)) return forget();
        }
        const auto bounded = inferBounds(std::move(replay).take(), std::make_shared<ExprArena>());
        if (!bounded) return forget();
        for (size_t s = 0; s < bounded->state.stageCount(); ++s) stage(bounded->state, StageId(s));
    }

    /// Only what differs; stage by stage, as they were first met.
    ChoiceTable take() && {
        ChoiceTable table;
        for (size_t c = 0; c < m_table.choices.size(); ++c) {
            const std::vector<float> &values = m_table.values[c];
            const auto differs = [&](float value) {
                return std::isnan(value) != std::isnan(values.front()) || value < values.front() ||
                       value > values.front();
            };
            if (std::none_of(values.begin(), values.end(), differs)) continue;
            table.choices.push_back(std::move(m_table.choices[c]));
            table.values.push_back(std::move(m_table.values[c]));
        }
        return table;
    }

  private:
    std::vector<float> &column(Choice::Kind kind, const std::string &name) {
        const auto [found, isNew] = m_columns.emplace(name, m_table.choices.size());
        if (isNew) {
            m_table.choices.push_back({kind, name, {}});
            m_table.values.emplace_back(m_schedules, kNone);
        }
        return m_table.values[found->second];
    }
    void set(Choice::Kind kind, const std::string &name, int64_t value) {
        column(kind, name)[m_schedule] = static_cast<float>(value);
    }
    /// What was noted of a schedule before it proved not to apply.
    void forget() {
        for (std::vector<float> &values : m_table.values) values[m_schedule] = kNone;
    }

    void lengths(const LoopState &state, const SplitStep &split) {
        if (split.stage.value < 0 || split.stage.index() >= state.stageCount()) return;
        const Stage &stage = state.stage(split.stage);
        if (split.iter.value < 0 || split.iter.index() >= stage.iters.size()) return;
        const std::string name = stage.op->name + "." + stage.iters[split.iter.index()].name;
        int64_t product = 1;
        bool open = false;
        for (const int64_t length : split.lengths) {
            open = open || length <= 0;
            product *= std::max<int64_t>(1, length);
        }
        if (open) return;
        std::vector<int64_t> levels = split.lengths;
        const int64_t rest = split.extent > 0 ? (split.extent + product - 1) / product : 0;
        levels.insert(split.innerToOuter ? levels.begin() : levels.end(), rest);
        for (size_t level = 0; level < levels.size(); ++level)
            if (levels[level] > 0) set(Choice::Kind::Length, name + "[" + std::to_string(level) + "]", levels[level]);
    }

    void stage(const LoopState &state, StageId id) {
        const Stage &stage = state.stage(id);
        if (stage.op->isPlaceholder()) return;
        place(state, id);
        if (stage.location == ComputeLocation::Inlined) return;
        int64_t parallel = 1;
        int64_t vector = 1;
        for (const Iter &iter : stage.iters) {
            if (iter.annotation == Annotation::Parallel) parallel *= std::max<int64_t>(1, iter.extent);
            if (iter.annotation == Annotation::Vectorize) vector *= std::max<int64_t>(1, iter.extent);
        }
        set(Choice::Kind::Parallel, stage.op->name + " parallel", parallel);
        set(Choice::Kind::Vector, stage.op->name + " vector", vector);
        set(Choice::Kind::Unroll, stage.op->name + " unroll", stage.autoUnrollMaxStep);
    }

    void place(const LoopState &state, StageId id) {
        const Stage &stage = state.stage(id);
        std::string word = stage.location == ComputeLocation::Inlined ? "inlined" : "root";
        if (stage.location == ComputeLocation::Attached) {
            const AttachPoint at = state.attachedTo(id);
            const Stage &target = state.stage(at.stage);
            word = "at " + target.op->name + "." + target.iters[at.iter.index()].name;
        }
        const std::string name = stage.op->name + " place";
        std::vector<float> &values = column(Choice::Kind::Place, name);
        std::vector<std::string> &words = m_table.choices[m_columns.at(name)].words;
        const auto found = std::find(words.begin(), words.end(), word);
        values[m_schedule] = static_cast<float>(found - words.begin());
        if (found == words.end()) words.push_back(word);
    }

    DagPtr m_dag;
    size_t m_schedules;
    size_t m_schedule = 0;
    ChoiceTable m_table;
    std::unordered_map<std::string, size_t> m_columns; // by name
};

} // namespace

std::string Choice::valueText(double value) const {
    if (std::isnan(value)) return "none";
    if (kind == Kind::Place) {
        const auto index = static_cast<size_t>(value);
        return index < words.size() ? words[index] : "none";
    }
    return std::to_string(std::llround(value));
}

ChoiceTable choiceTable(const DagPtr &dag, const std::vector<PackedSteps> &schedules, const std::atomic<bool> *cancel) {
    TableBuilder builder(dag, schedules.size());
    for (size_t i = 0; i < schedules.size(); ++i) {
        if (cancel != nullptr && *cancel) return {};
        builder.add(i, schedules[i].unpack());
    }
    return std::move(builder).take();
}

} // namespace loopscope
