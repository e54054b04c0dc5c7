// Time of what scoring a candidate needs before its features: bound inference and the loop nest of conv2d+bias+relu.

#include "codegen/lower/lower.h"
#include "harness/sample_dags.h"
#include "sample_times.h"
#include "schedule/steps_json.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <vector>

using namespace loopscope;

namespace {

constexpr const char *kSteps =
    R"([["CI",5],["CHW",3,"local"],["SP",3,0,1,[1,1,1],1],["SP",3,4,512,[4,2,8],1],["SP",3,8,7,[1,7,1],1],
        ["SP",3,12,7,[1,1,7],1],["SP",3,16,512,[8],1],["SP",3,18,3,[1],1],["SP",3,20,3,[3],1],
        ["RE",3,[0,4,8,12,1,5,9,13,16,18,20,2,6,10,14,17,19,21,3,7,11,15]],["FSP",7,0,2,1],["FSP",7,2,3,1],
        ["FSP",7,4,4,1],["FSP",7,6,5,1],["RE",7,[0,2,4,6,1,3,5,7]],["CI",4],["CA",3,7,3],["CI",1],["FU",7,[0,1,2,3]],
        ["AN",7,0,3],["PR",3,0,"auto_unroll_max_step$512"],["AN",3,21,2]])";

} // namespace

int main() {
    const Outcome<LoopState> state = replay(conv2dBiasReluNchwDag(), stepsFromJson(nlohmann::json::parse(kSteps)));
    if (!state) {
        std::fprintf(stderr, "%s\n", state.why().c_str());
        return 1;
    }
    ExprArena arena;
    std::vector<double> bounds;
    std::vector<double> nests;
    for (int i = 0; i < 5000; ++i) {
        arena.reset();
        const ArenaScope scope(arena);
        std::optional<Outcome<BoundedState>> bounded;
        bounds.push_back(microseconds([&] { bounded.emplace(inferBounds(*state)); }));
        nests.push_back(microseconds([&] {
            const Outcome<LoopProgram> nest = buildLoopNest(**bounded);
            if (!nest) std::exit(1);
        }));
    }
    std::printf("conv2d+bias+relu: bound inference %.1f us, loop nest %.1f us (median of %zu)\n", median(bounds),
                median(nests), nests.size());
    return 0;
}
