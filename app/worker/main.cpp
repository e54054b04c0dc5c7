#include "codegen/nvidia/gpu_worker.h"
#include "codegen/nvidia/nvrtc_worker.h"
#include "deploy/plan_worker/plan_worker.h"
#include "deploy/plan_worker/selection_worker.h"
#include "measure/baselines/baseline_worker.h"
#include "measure/fleet/serve.h"
#include "measure/worker.h"

#include <string_view>

int main(int argc, char **argv) {
    // The libraries that kernels are compared with are no business of core/; their process is isolated all the same.
    if (argc == 2 && std::string_view(argv[1]) == "baseline" && loopscope::startedByLoopscope())
        return loopscope::serveBaseline();
    if (argc == 2 && std::string_view(argv[1]) == "gpu" && loopscope::startedByLoopscope())
        return loopscope::serveGpuDetection();
    if (argc == 2 && std::string_view(argv[1]) == "nvrtc" && loopscope::startedByLoopscope())
        return loopscope::serveNvrtc();
    if (argc == 2 && std::string_view(argv[1]) == "plan" && loopscope::startedByLoopscope())
        return loopscope::servePlan();
    if (argc == 2 && std::string_view(argv[1]) == "selection" && loopscope::startedByLoopscope())
        return loopscope::serveSelection();
    // Not started by a program of ours but by srun, on another machine.
    if (argc == 2 && std::string_view(argv[1]) == "serve") return loopscope::serveFleet();
    return loopscope::workerMain(argc, argv);
}
