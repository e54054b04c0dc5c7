#pragma once
// The commands below `loopscope-cli net`: their options, defined once for parsing, help, completion and the manual.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct OptionValues;

/// What the commands of `net` were given. Each fills what it has options for.
struct NetOptions {
    std::string file;
    bool json = false;
    std::vector<std::string> dims;         // NAME=VALUE of symbols among the dims of parameters
    std::optional<uint64_t> randomWeights; // the seed of those that stand in for the file's
    std::string target = "llvm";
    std::string fusion = "compatible";
    std::optional<int> level;         // of passes; none: as the mode of fusion needs them
    std::vector<std::string> require; // passes
    std::vector<std::string> disable;
    std::vector<std::string> logs;
    std::vector<std::string> libraries; // that may compute kernels
    int alternatives = 1;               // schedules of each kernel that compete inside the network
    std::vector<std::string> modules;   // shared libraries with functions that networks name
    std::string as = "text";            // of show
    std::string function;               // of modules
    std::string stage;                  // of show: "imported", "optimised"; empty: as `as` needs it
    std::string log;                    // of tune
    bool resume = false;
    int trials = 64; // of each task
    int totalTrials = 0;
    double timeLimitSeconds = 0; // of tune: of all; of run, verify and profile: of a kernel
    bool trust = false;          // code of plans and modules runs with all rights
    std::string taskOrder = "gain";
    std::string weights;            // of tune: "network", "cached"; empty: as the log has it, else network
    std::vector<std::string> tasks; // names; none: all
    std::string runner;             // empty: this machine
    uint64_t seed = 0;
    int threads = 0;
    int runs = 20;
    std::vector<std::string> draws; // of verify: kinds of inputs; none: the usual ones
    std::string kernels; // of run by the virtual machine: reference or compiled; empty: reference with control flow
    std::vector<std::string> inputs;  // NAME=FILE.npy
    std::vector<std::string> outputs; // likewise
    std::string out;
    std::string format = "c";
    std::string trace;
    std::string against; // a profile of ONNX Runtime
    // Of strategies and pin:
    std::string op; // its name
    std::string rule = "measured";
    std::string strategies;             // the same of whatever prepares a network; empty: none
    std::string layouts = "keep";       // keep, choose, measure, nhwc
    std::string accuracy = "winograd4"; // the worst class allowed
    std::string node;
    std::string implementation;
    bool remove = false;
    // Of dispatch:
    std::string sizes; // "n=1,16*3,64"
    int64_t bound = 512;
    int most = 8;
    int tune = 0;          // trials of each kernel at each size before
    std::string check;     // a table
    bool programs = false; // are printed
    std::string dispatch;  // of run, verify and profile: a table
    std::string traffic;   // which sizes came: of run with a table written, of dispatch read
};

/// `values`: what may stand for the options, as far as a shell can offer it.
void addNetCommands(CLI::App &app, NetOptions &options, std::map<const CLI::Option *, OptionValues> &values);

} // namespace loopscope
