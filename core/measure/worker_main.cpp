#include "measure/worker.h"

#include "base/isolate/channel.h"
#include "base/isolate/sandbox.h"
#include "measure/messages.h"

#include <cstdio>
#include <exception>
#include <string_view>
#include <sys/stat.h>

namespace loopscope {

bool startedByLoopscope() {
    struct stat info{};
    return ::fstat(kWorkerChannelFd, &info) == 0 && S_ISSOCK(info.st_mode);
}

int workerMain(int argc, char **argv) {
    const std::string_view role = argc == 2 ? argv[1] : "";
    if ((role != "build" && role != "list" && role != "run" && role != "reference") || !startedByLoopscope()) {
        std::fputs("loopscope-worker builds and runs candidates for loopscope-cli, which starts it; it does nothing by "
                   "hand.\n",
                   stderr);
        return 2;
    }
    restrictProcess(0); // the death signal was set before exec, when the parent was still known
    Channel channel(kWorkerChannelFd);
    try {
        if (role == "build") return serveBuilds(channel);
        if (role == "run") return serveRuns(channel);
        const auto bytes = channel.receive();
        if (!bytes) return 0;
        const SetupMessage setup = decodeSetup(*bytes);
        return role == "reference" ? makeReference(channel, setup) : serveDisassembly(channel, setup);
    } catch (const std::exception &problem) {
        channel.send(encode(ReadyMessage{problem.what(), {}}));
        return 1;
    }
}

} // namespace loopscope
