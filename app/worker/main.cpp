#include "measure/worker.h"
#include "peers/peer_worker.h"

#include <string_view>

int main(int argc, char **argv) {
    // The libraries that kernels are compared with are no business of core/; their process is isolated all the same.
    if (argc == 2 && std::string_view(argv[1]) == "peer" && loopscope::startedByLoopscope())
        return loopscope::servePeer();
    return loopscope::workerMain(argc, argv);
}
