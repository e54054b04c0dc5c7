// Time to offer every move of a schedule of conv2d+bias+relu and to predict what each is worth, as a window does when a
// schedule is selected: by the analytic estimate, and by a model that has learnt. To stay below: 150 ms on two cores.

#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "sample_times.h"
#include "search/candidate.h"
#include "search/cost/cost_model.h"
#include "search/moves/offered_moves.h"
#include "search/moves/predicted_change.h"

#include <cstdio>

using namespace loopscope;

namespace {

struct Case {
    const char *name;
    const char *steps;
};

constexpr Case kCases[] = {
    {"naive", "[]"},
    {"tiled, pad attached, all stages scheduled",
     R"([["CI",5],["SP",3,0,1,[1,1,1],1],["SP",3,4,512,[4,2,8],1],["SP",3,8,7,[1,7,1],1],["SP",3,12,7,[1,1,7],1],
         ["SP",3,16,512,[8],1],["SP",3,18,3,[1],1],["SP",3,20,3,[3],1],
         ["RE",3,[0,4,8,12,1,5,9,13,16,18,20,2,6,10,14,17,19,21,3,7,11,15]],["FSP",6,0,1,2],["FSP",6,3,2,2],
         ["FSP",6,6,3,2],["FSP",6,9,4,2],["RE",6,[0,3,6,9,1,4,7,10,2,5,8,11]],["CA",3,6,7],["CA",1,3,6],
         ["FU",6,[0,1,2,3,4,5]],["AN",6,0,3],["PR",3,0,"auto_unroll_max_step$512"],["AN",1,3,2],["AN",3,21,2],
         ["AN",6,5,2]])"},
    {"tiled, nothing fused yet",
     R"([["CI",5],["SP",3,0,1,[1,1,1],1],["SP",3,4,512,[4,2,8],1],["SP",3,8,7,[1,7,1],1],["SP",3,12,7,[1,1,7],1],
         ["SP",3,16,512,[8],1],["SP",3,18,3,[1],1],["SP",3,20,3,[3],1]])"},
};

std::unique_ptr<CostModel> modelThatLearntThese(const LoopState &state, const std::vector<Step> &moves,
                                                const Target &target) {
    std::vector<TrainingSample> samples;
    Scratch scratch;
    for (const Step &step : moves) {
        Candidate candidate;
        candidate.steps = state.steps();
        candidate.steps.push_back(step);
        std::string reason;
        if (!evaluate(state.originalDag(), target, candidate, scratch, reason)) continue;
        samples.push_back({*candidate.rows, candidate.draft * 1e-9, 0});
    }
    auto model = makeXgboostModel({});
    (void)model->update(samples);
    return model;
}

} // namespace

int main() {
    const DagPtr dag = conv2dBiasReluNchwDag();
    const Target target = parseTarget("llvm -num-cores=2");
    ThreadPool pool(2);
    std::printf("%-44s %6s %10s %12s %12s\n", "schedule", "moves", "offer", "+ estimate", "+ model");
    for (const Case &c : kCases) {
        const LoopState state = stateOf(dag, c.steps);
        std::vector<Step> moves = offeredMoves(state, target);
        const auto model = modelThatLearntThese(state, moves, target);
        std::vector<double> offers;
        std::vector<double> estimates;
        std::vector<double> models;
        for (int i = 0; i < 15; ++i) {
            offers.push_back(microseconds([&] { moves = offeredMoves(state, target); }));
            estimates.push_back(microseconds([&] { (void)predictedChanges(state, moves, target, nullptr, pool); }) +
                                offers.back());
            models.push_back(microseconds([&] { (void)predictedChanges(state, moves, target, model.get(), pool); }) +
                             offers.back());
        }
        std::printf("%-44s %6zu %7.1f ms %9.1f ms %9.1f ms\n", c.name, moves.size(), median(offers) / 1000,
                    median(estimates) / 1000, median(models) / 1000);
    }
    return 0;
}
