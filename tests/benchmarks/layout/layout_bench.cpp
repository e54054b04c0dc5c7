// What the layouts chosen for the worked examples E1, E3, E4 and E6 gain on this machine: the same loops over the
// workload as it is and as it is rewritten, copies counted, in turn in one run. Run by hand on a quiet machine.
//
//     layout_bench [ROUNDS]

#include "codegen/layout/choice.h"
#include "codegen/layout/memory_model.h"
#include "example_nests.h"
#include "interleaved_timing.h"
#include "language/task/task.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace {

using namespace loopscope;

struct Example {
    const char *name;
    std::string workload;
    std::string loops;
};

double medianOf(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void race(const Example &example, const Target &target, int rounds) {
    const LoopState before = exampleState(example.workload, example.loops);
    LayoutChoiceOptions options;
    options.model = memoryModelOf(target);
    const auto choice = chooseLayouts(before, options);
    if (!choice) return fmt::print("{}: {}\n", example.name, choice.why());
    const auto chosen = applyLayouts(*before.originalDag(), choice->requests);
    if (!chosen) return fmt::print("{}: {}\n", example.name, chosen.why());
    std::string layouts;
    for (const LayoutRequest &request : choice->requests)
        layouts += fmt::format(" {} {}", request.tensor, request.layout.text());
    const double predicted = choice->before.cycles / choice->after.cycles;
    if (choice->requests.empty()) return fmt::print("{:12} stays as it is on this machine\n", example.name);

    const LoopState after = exampleState(chosen->text, example.loops);
    const Task plain = makeTask(before.originalDag(), target);
    const Task laidOut = makeTask(after.originalDag(), target);
    InterleavedTiming first(plain, 0);
    InterleavedTiming second(laidOut, 0);
    first.addSchedule("as it is", "", before, 0);
    second.addSchedule("laid out", "", after, 0);
    std::array<std::vector<double>, 2> times;
    std::vector<double> ratios;
    for (int round = 0; round < rounds; ++round) {
        first.run(1);
        second.run(1);
        for (const auto *timing : {&first, &second})
            if (!timing->ways().front().refusal.empty())
                return fmt::print("{}: {}\n", example.name, timing->ways().front().refusal);
        times[0].push_back(first.ways().front().median());
        times[1].push_back(second.ways().front().median());
        ratios.push_back(times[0].back() / times[1].back());
    }
    std::sort(ratios.begin(), ratios.end());
    fmt::print("{:12} {:9.3f} ms {:9.3f} ms  {:6.2f} x ({:.2f} to {:.2f}), predicted of memory alone {:.2f} x; {}\n",
               example.name, 1e3 * medianOf(times[0]), 1e3 * medianOf(times[1]), medianOf(ratios), ratios.front(),
               ratios.back(), predicted, layouts);
}

} // namespace

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 11;
    const Target target = parseTarget("llvm -num-cores=1");
    const std::string constant = kExampleMatmul + "    @layout_free_placeholders[\"B\"]\n";
    fmt::print("{:12} {:>12} {:>12}  as it is / laid out\n", "", "as it is", "laid out");
    for (const Example &example : {Example{"E1", kExampleMatmul, ""}, Example{"E3", kExampleMatmul, kLoopsOfE3},
                                   Example{"E3 constant", constant, kLoopsOfE3},
                                   Example{"E4", kExampleConv, kLoopsOfE4}, Example{"E6", kExampleE6, ""}})
        race(example, target, rounds);
    return 0;
}
