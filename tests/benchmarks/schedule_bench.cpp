// Time of what every candidate of a search costs before it is lowered: replaying its steps, inferring its bounds,
// hashing it; for a tiled conv2d+bias+relu.

#include "harness/sample_dags.h"
#include "sample_times.h"
#include "schedule/bound_inference.h"
#include "schedule/state_key.h"
#include "schedule/steps_json.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <vector>

using namespace loopscope;

namespace {

struct Case {
    const char *name;
    const char *steps;
};

constexpr Case kCases[] = {
    {"tile, pad attached",
     R"([["CI",5],["SP",3,0,1,[1,1,1],1],["SP",3,4,512,[4,2,8],1],["SP",3,8,7,[1,7,1],1],["SP",3,12,7,[1,1,7],1],
         ["SP",3,16,512,[8],1],["SP",3,18,3,[1],1],["SP",3,20,3,[3],1],
         ["RE",3,[0,4,8,12,1,5,9,13,16,18,20,2,6,10,14,17,19,21,3,7,11,15]],["FSP",6,0,1,2],["FSP",6,3,2,2],
         ["FSP",6,6,3,2],["FSP",6,9,4,2],["RE",6,[0,3,6,9,1,4,7,10,2,5,8,11]],["CA",3,6,7],["CA",1,3,6],
         ["FU",6,[0,1,2,3,4,5]],["AN",6,0,3],["PR",3,0,"auto_unroll_max_step$512"],["AN",1,3,2],["AN",3,21,2],
         ["AN",6,5,2]])"},
    {"tile, cache write",
     R"([["CI",5],["CHW",3,"local"],["SP",3,0,1,[1,1,1],1],["SP",3,4,512,[4,2,8],1],["SP",3,8,7,[1,7,1],1],
         ["SP",3,12,7,[1,1,7],1],["SP",3,16,512,[8],1],["SP",3,18,3,[1],1],["SP",3,20,3,[3],1],
         ["RE",3,[0,4,8,12,1,5,9,13,16,18,20,2,6,10,14,17,19,21,3,7,11,15]],["FSP",7,0,2,1],["FSP",7,2,3,1],
         ["FSP",7,4,4,1],["FSP",7,6,5,1],["RE",7,[0,2,4,6,1,3,5,7]],["CI",4],["CA",3,7,3],["CI",1],["FU",7,[0,1,2,3]],
         ["AN",7,0,3],["PR",3,0,"auto_unroll_max_step$512"],["AN",3,21,2]])"},
};

} // namespace

int main() {
    const DagPtr dag = conv2dBiasReluNchwDag();
    for (const Case &c : kCases) {
        const Steps steps = stepsFromJson(nlohmann::json::parse(c.steps));
        std::vector<double> replays;
        std::vector<double> bounds;
        std::vector<double> keys;
        uint64_t sum = 0;
        ExprArena arena;
        for (int i = 0; i < 20000; ++i) {
            arena.reset();
            const ArenaScope scope(arena);
            std::optional<Outcome<LoopState>> state;
            replays.push_back(microseconds([&] { state.emplace(replay(dag, steps)); }));
            std::optional<Outcome<BoundedState>> bounded;
            if (!state->ok()) {
                std::fprintf(stderr, "%s\n", state->why().c_str());
                return 1;
            }
            bounds.push_back(microseconds([&] { bounded.emplace(inferBounds((*std::move(state)).value())); }));
            if (!bounded->ok()) {
                std::fprintf(stderr, "%s\n", bounded->why().c_str());
                return 1;
            }
            keys.push_back(microseconds([&] { sum += stateKey((**bounded).state).low; }));
        }
        std::printf("%-20s %zu steps: replay %.1f us, bounds %.1f us, key %.1f us (median of %zu; check %llx)\n",
                    c.name, steps.size(), median(replays), median(bounds), median(keys), keys.size(),
                    static_cast<unsigned long long>(sum));
    }
    return 0;
}
