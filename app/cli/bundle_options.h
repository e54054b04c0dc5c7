#pragma once
// The commands below `loopscope-cli bundle`: their options, defined once for parsing, help, completion and the manual.

#include "bundle_command.h"

#include <CLI/CLI.hpp>
#include <map>

namespace loopscope {

struct OptionValues;

/// `values`: what may stand for the options, as far as a shell can offer it.
void addBundleCommands(CLI::App &app, BundleCommandOptions &options,
                       std::map<const CLI::Option *, OptionValues> &values);

} // namespace loopscope
