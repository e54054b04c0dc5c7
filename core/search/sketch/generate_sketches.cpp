#include "search/sketch/sketch.h"

#include "search/sketch/sketch_rule.h"

#include <algorithm>
#include <map>

namespace loopscope {

namespace {

struct Unfinished {
    LoopState state;
    StageId stage;
    std::vector<std::string> rules;
    int number;
};

/// Beyond this many unfinished sketches the DAG is too irregular for exhaustive derivation; the rest keep only the
/// alternatives Ansor knows.
constexpr size_t kMaxSketches = 512;

/// Beyond Ansor's own.
bool isOptional(const SketchRule *rule) {
    return rule == &kKeepPrologue || rule == &kInlineMore || rule == &kPackInput || rule == &kVectorizeWeights;
}

/// The SP in front of an RF was given some length so that the rfactor stage could be made; the sketch leaves it open.
void reopenRfactorSplits(LoopState &state) {
    Steps steps = state.steps();
    bool changed = false;
    for (size_t i = 1; i < steps.size(); ++i) {
        if (!std::holds_alternative<RfactorStep>(steps[i])) continue;
        if (auto *split = std::get_if<SplitStep>(&steps[i - 1])) {
            split->lengths.assign(split->lengths.size(), kUnfilled);
            changed = true;
        }
    }
    if (changed) state.replaceSteps(std::move(steps));
}

std::vector<Sketch> derive(const DagPtr &dag, const Target &target, const SketchOptions &options,
                           const SketchTrace &trace, const std::atomic<bool> *cancel) {
    const SketchContext context{target, options};
    const auto rules = sketchRules(target, options);
    std::vector<Sketch> done;
    int numbers = 0;
    std::vector<Unfinished> level = {{LoopState(dag), StageId(dag->size() - 1), {}, numbers++}};
    while (!level.empty()) {
        std::vector<Unfinished> next;
        for (const auto &item : level) {
            if (item.stage.value < 0) {
                done.push_back({item.state, item.rules, {item.number}});
                reopenRfactorSplits(done.back().state);
                continue;
            }
            const size_t stages = item.state.stageCount();
            const size_t most = std::min(options.maxUnfinished, options.maxStageSteps / (stages * stages) + 1);
            const auto tooMany = [&] { return level.size() + next.size() > most; };
            bool goesOn = false;
            for (const SketchRule *rule : rules) {
                if (cancel && *cancel) return {};
                RuleAnswer answer = rule->meets(context, item.state, item.stage);
                if (isOptional(rule) && answer.verdict != Verdict::Skip && level.size() + next.size() > kMaxSketches)
                    answer = {Verdict::Skip, "there are very many sketches already"};
                if (answer.verdict != Verdict::Skip && goesOn && tooMany())
                    answer = {Verdict::Skip, "there are too many sketches to try: only the first alternative goes on"};
                SketchStep step{
                    item.number, item.stage.value, rule->name, answer.verdict != Verdict::Skip, answer.reason, {}};
                if (step.applied) {
                    const std::string &opName = item.state.stage(item.stage).op->name;
                    for (auto &[state, stage] : rule->apply(context, item.state, item.stage)) {
                        if (goesOn && tooMany()) {
                            step.reason += "; there are too many sketches to try: only the first alternative goes on";
                            break;
                        }
                        goesOn = true;
                        auto names = item.rules;
                        if (rule != &kSkipStage) names.push_back(std::string(rule->name) + " " + opName);
                        step.children.push_back(numbers);
                        if (trace) step.states.push_back(std::make_shared<const LoopState>(state));
                        next.push_back({std::move(state), stage, std::move(names), numbers++});
                    }
                }
                if (trace) trace(step);
                if (answer.verdict == Verdict::ApplyAndSkipRest) break;
            }
        }
        level = std::move(next);
    }
    return done;
}

} // namespace

std::vector<Sketch> generateSketches(const DagPtr &dag, const Target &target, const SketchOptions &options,
                                     const SketchTrace &trace, const std::atomic<bool> *cancel) {
    SketchOptions plain = options;
    plain.inlineMore = false;
    plain.keepPrologues = false;
    plain.packInputs = false;
    plain.vectorizeWeights = false;
    const bool more = sketchRules(target, options) != sketchRules(target, plain);
    auto sketches = derive(dag, target, plain, more ? nullptr : trace, cancel);
    if (!more) return sketches;
    std::map<std::string, size_t> known;
    for (size_t i = 0; i < sketches.size(); ++i) {
        sketches[i].ends.clear(); // numbers of a derivation that nobody is told of
        known.emplace(sketches[i].state.text(), i);
    }
    for (auto &sketch : derive(dag, target, options, trace, cancel)) {
        const auto [place, isNew] = known.emplace(sketch.state.text(), sketches.size());
        if (isNew)
            sketches.push_back(std::move(sketch));
        else
            sketches[place->second].ends.push_back(sketch.ends.front());
    }
    if (cancel && *cancel) sketches.clear();
    return sketches;
}

} // namespace loopscope
