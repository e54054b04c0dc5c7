#include "net_command.h"

#include "base/check.h"
#include "net_parts.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace loopscope {

int runNet(const std::string &command, const NetOptions &options) {
    using Run = int (*)(const NetOptions &);
    constexpr std::array<std::pair<std::string_view, Run>, 15> commands{{{"show", netShow},
                                                                         {"check", netCheck},
                                                                         {"tasks", netTasks},
                                                                         {"tune", netTune},
                                                                         {"build", netBuild},
                                                                         {"run", netRun},
                                                                         {"verify", netVerify},
                                                                         {"profile", netProfile},
                                                                         {"export", netExport},
                                                                         {"strategies", netStrategies},
                                                                         {"pin", netPin},
                                                                         {"dispatch", netDispatch},
                                                                         {"bytecode", netBytecode},
                                                                         {"modules", netModules},
                                                                         {"step", netStep}}};
    const auto *const found =
        std::find_if(commands.begin(), commands.end(), [&](const auto &one) { return one.first == command; });
    LOOPSCOPE_CHECK(found != commands.end(), "the command line accepts no other command");
    return found->second(options);
}

} // namespace loopscope
