// How fast the executor runs kernels of GPUs, with and without its watch: instructions times lanes a second, and what a
// whole workload takes. One thread of this machine.

#include "codegen/executor/executor.h"
#include "codegen/lower/lower.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"

#include <chrono>
#include <cstdio>

using namespace loopscope;

namespace {

// As the search makes them: blocks, virtual threads, threads and their tiles in local memory, inputs fetched together.
constexpr const char *kMatmul = R"([["CHW",2,"local"],["SP",2,0,128,[2,16,1,2],1],["SP",2,5,128,[2,16,2,1],1],
    ["SP",2,10,128,[4,2],1],["RE",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],["FSP",3,0,1,3],["FSP",3,4,2,3],
    ["RE",3,[0,4,1,5,2,6,3,7]],["CA",2,3,5],["CHR",1,"shared",[2]],["CA",2,3,6],["CHR",0,"shared",[3]],["CA",1,4,6],
    ["FU",5,[0,1]],["AN",5,0,5],["FU",5,[1,2]],["AN",5,1,4],["FU",5,[2,3]],["AN",5,2,6],
    ["FU",1,[0,1]],["SP",1,0,0,[2],1],["AN",1,1,2],["FFSP",1,0,[1,2],1,1],["AN",1,1,6],
    ["FU",3,[0,1]],["FFSP",3,0,[1,2],1,1],["AN",3,1,6]])";
constexpr const char *kMapped = R"([["FU",3,[0,1]],["SP",3,0,0,[256],1],["AN",3,0,5],["AN",3,1,6],["CI",2],["CI",1]])";
/// Padding and products inlined into one stage of threads: long sums of conditions.
constexpr const char *kConv = R"([["CI",1],["CI",5],["FU",3,[0,1,2,3]],["SP",3,0,0,[64],1],["AN",3,0,5],
    ["AN",3,1,6],["FU",6,[0,1,2,3]],["SP",6,0,0,[64],1],["AN",6,0,5],["AN",6,1,6]])";

void bench(const char *name, const DagPtr &dag, const char *steps) {
    const Outcome<LoopProgram> program = lower(stateOf(dag, steps), gpuTarget());
    if (!program) {
        std::printf("%-22s %s\n", name, program.why().c_str());
        return;
    }
    const Outcome<Executor> executor = Executor::of(*program);
    if (!executor) {
        std::printf("%-22s %s\n", name, executor.why().c_str());
        return;
    }
    std::vector<std::vector<std::byte>> memory;
    std::vector<std::byte *> arguments;
    for (const ProgramArg &arg : program->args)
        memory.emplace_back(static_cast<size_t>(arg.buffer->elements()) *
                            static_cast<size_t>(dtypeBytes(arg.buffer->dtype)));
    for (auto &bytes : memory) arguments.push_back(bytes.data());
    for (const bool watch : {true, false}) {
        ExecutorOptions options;
        options.watch = watch;
        double least = 1e9;
        ExecutorRun run;
        for (int i = 0; i < 3; ++i) {
            const auto start = std::chrono::steady_clock::now();
            run = executor->run(arguments, options);
            least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        std::printf("%-22s %-8s %8.3f s  %7.1f M lane instructions/s  %4zu found  %.0f FLOP/lane instruction*1000\n",
                    name, watch ? "watched" : "blind", least,
                    static_cast<double>(run.counts.laneInstructions) / least * 1e-6, run.findings.size(),
                    1000 * dag->flops() / static_cast<double>(run.counts.laneInstructions));
    }
}

} // namespace

int main() {
    bench("matmul 128", matmulDag(128, 128, 128), kMatmul);
    bench("element-wise 1024x1024", elementwiseDag(1024, 1024), kMapped);
    bench("conv 14x14x64x64", conv2dBiasReluNchwDag(1, 14, 14, 64, 64, 3, 1, 1), kConv);
    return 0;
}
