#include "records/resolve/fit.h"

#include "schedule/steps_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace loopscope {

namespace {

std::string stageText(const LoopState &state, StageId id) {
    return fmt::format("stage {} ({})", id.value, state.stage(id).op->name);
}

/// Extents that the splits of the stage name, in the order of the steps, up to its first reordering: those of its axes.
std::vector<int64_t> recordedExtents(const Steps &steps, size_t from, StageId stage) {
    std::vector<int64_t> extents;
    for (size_t i = from; i < steps.size(); ++i) {
        if (const auto *order = std::get_if<ReorderStep>(&steps[i]); order && order->stage == stage) break;
        if (const auto *split = std::get_if<SplitStep>(&steps[i]); split && split->stage == stage)
            extents.push_back(split->extent);
    }
    return extents;
}

/// What a wrong extent means.
std::string meaning(const Steps &steps, size_t number, StageId stage, const LoopState &state) {
    std::vector<int64_t> recorded = recordedExtents(steps, number, stage);
    std::vector<int64_t> here;
    const std::vector<Iter> &iters = state.stage(stage).iters;
    const auto &split = std::get<SplitStep>(steps[number]);
    for (size_t i = split.iter.index(); i < iters.size(); ++i) here.push_back(iters[i].extent);
    if (recorded.size() > 1 && recorded.size() == here.size() && recorded != here) {
        std::vector<int64_t> a = recorded;
        std::vector<int64_t> b = here;
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        if (a == b)
            return fmt::format("the same extents in another order ({} in the record, {} here), so the record is for "
                               "another layout or order of loops",
                               fmt::join(recorded, ", "), fmt::join(here, ", "));
    }
    return "the record is for another shape";
}

std::optional<Refusal> wrongExtent(const Steps &steps, size_t number, const LoopState &state) {
    const auto *split = std::get_if<SplitStep>(&steps[number]);
    if (split == nullptr || split->extent <= 0 || split->stage.value < 0 || split->iter.value < 0) return std::nullopt;
    if (split->stage.index() >= state.stageCount()) return std::nullopt;
    const Stage &stage = state.stage(split->stage);
    if (split->iter.index() >= stage.iters.size()) return std::nullopt;
    const Iter &iter = stage.iters[split->iter.index()];
    if (!iter.known() || iter.extent == split->extent) return std::nullopt;
    return Refusal{fmt::format("step {} (SP) splits loop {} ({}) of {} of extent {}, which is {} here: {}", number,
                               split->iter.value, iter.name, stageText(state, split->stage), split->extent, iter.extent,
                               meaning(steps, number, split->stage, state))};
}

} // namespace

Outcome<LoopState> fit(const Steps &steps, const DagPtr &dag) {
    LoopState state(dag);
    for (size_t number = 0; number < steps.size(); ++number) {
        const StageId stage = stageOf(steps[number]);
        if (stage.value < 0 || stage.index() >= state.stageCount())
            return Refusal{
                fmt::format("step {}, {}, is for stage {}, while the workload has {} stages there (0 to {}): the "
                            "record is for a workload of other stages",
                            number, stepText(steps[number]), stage.value, state.stageCount(), state.stageCount() - 1)};
        if (std::optional<Refusal> refused = wrongExtent(steps, number, state)) return *std::move(refused);
        Outcome<LoopState> next = state.apply(steps[number]);
        if (!next) {
            const Op &op = *state.stage(stage).op;
            const std::string why =
                op.isPlaceholder() && !std::holds_alternative<CacheReadStep>(steps[number])
                    ? fmt::format(
                          "; stage {} is the input {} here, so the stages of the record are others or in another "
                          "order",
                          stage.value, op.name)
                    : std::string();
            return Refusal{
                fmt::format("step {}, {}, does not apply: {}{}", number, stepText(steps[number]), next.why(), why)};
        }
        state = std::move(next).value();
    }
    return state;
}

} // namespace loopscope
