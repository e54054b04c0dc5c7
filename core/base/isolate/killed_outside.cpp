#include "base/isolate/killed_outside.h"

#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <sys/wait.h>

namespace loopscope {

std::optional<uint64_t> memoryKills() {
    std::ifstream counters("/proc/vmstat");
    std::string name;
    for (uint64_t value = 0; counters >> name >> value;)
        if (name == "oom_kill") return value;
    return std::nullopt;
}

bool wasKilledOutside(int status, std::optional<uint64_t> before) {
    if (!WIFSIGNALED(status)) return false;
    switch (WTERMSIG(status)) {
    case SIGTERM:
    case SIGINT:
    case SIGHUP:
    case SIGQUIT:
        return true;
    case SIGKILL:
        return before && memoryKills() == before;
    default:
        return false;
    }
}

std::string killedOutsideText(const std::string &who, const std::string &ending) {
    return fmt::format("{} {} from outside in each of {} tries, which says nothing of the candidate", who, ending,
                       kTriesAgain + 1);
}

} // namespace loopscope
