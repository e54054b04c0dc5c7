#include "net_command.h"

#include "base/check.h"
#include "net_parts.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace loopscope {

namespace {

struct Command {
    std::string_view name;
    const NetFileOptions &(*options)(const NetOptions &);
    int (*run)(const NetOptions &);
};

template <auto Options, auto Run> constexpr Command command(std::string_view name) {
    return {name, [](const NetOptions &all) -> const NetFileOptions & { return all.*Options; },
            [](const NetOptions &all) { return Run(all.*Options); }};
}

constexpr Command kCommands[] = {
    command<&NetOptions::show, netShow>("show"),
    command<&NetOptions::check, netCheck>("check"),
    command<&NetOptions::tasks, netTasks>("tasks"),
    command<&NetOptions::tune, netTune>("tune"),
    command<&NetOptions::build, netBuild>("build"),
    command<&NetOptions::run, netRun>("run"),
    command<&NetOptions::verify, netVerify>("verify"),
    command<&NetOptions::profile, netProfile>("profile"),
    command<&NetOptions::exported, netExport>("export"),
    command<&NetOptions::strategies, netStrategies>("strategies"),
    command<&NetOptions::pin, netPin>("pin"),
    command<&NetOptions::dispatch, netDispatch>("dispatch"),
    command<&NetOptions::bytecode, netBytecode>("bytecode"),
    command<&NetOptions::modules, netModules>("modules"),
    command<&NetOptions::step, netStep>("step"),
};

const Command &commandNamed(const std::string &name) {
    const auto *const found = std::ranges::find(kCommands, name, &Command::name);
    LOOPSCOPE_CHECK(found != std::end(kCommands), "the command line accepts no other command");
    return *found;
}

} // namespace

std::string netFile(const std::string &command, const NetOptions &options) {
    return commandNamed(command).options(options).file;
}

int runNet(const std::string &command, const NetOptions &options) { return commandNamed(command).run(options); }

} // namespace loopscope
