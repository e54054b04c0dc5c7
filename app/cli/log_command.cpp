#include "log_command.h"

#include "base/check.h"
#include "log_parts.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace loopscope {

int runLog(const std::string &command, const LogOptions &options) {
    using Run = int (*)(const LogOptions &);
    constexpr std::array<std::pair<std::string_view, Run>, 14> commands{{{"info", logInfo},
                                                                         {"list", logList},
                                                                         {"follow", logFollow},
                                                                         {"show", logShow},
                                                                         {"best", logBest},
                                                                         {"apply", logApply},
                                                                         {"diff", logDiff},
                                                                         {"verify", logVerify},
                                                                         {"distil", logDistil},
                                                                         {"merge", logMerge},
                                                                         {"split", logSplit},
                                                                         {"filter", logFilter},
                                                                         {"convert", logConvert},
                                                                         {"note", logNote}}};
    const auto *const found =
        std::find_if(commands.begin(), commands.end(), [&](const auto &one) { return one.first == command; });
    LOOPSCOPE_CHECK(found != commands.end(), "the command line accepts no other command");
    return found->second(options);
}

} // namespace loopscope
