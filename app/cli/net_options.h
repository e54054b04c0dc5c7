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

/// A network's file, and what it is taken to mean.
struct NetFileOptions {
    std::string file;
    bool json = false;
    std::vector<std::string> dims;         // NAME=VALUE of symbols among the dims of parameters
    std::optional<uint64_t> randomWeights; // the seed of those that stand in for the file's
};

/// What becomes of it: passes, kernels, what they are made by.
struct NetPlanOptions : NetFileOptions {
    std::string target = "llvm";
    std::string fusion = "compatible";
    std::optional<int> level;         // of passes; none: as the mode of fusion needs them
    std::vector<std::string> require; // passes
    std::vector<std::string> disable;
    std::vector<std::string> logs;
    std::vector<std::string> libraries; // that may compute kernels
    std::string strategies;             // the rule by which operators are written; empty: none
    std::string accuracy = "winograd4"; // the worst class allowed
    std::string layouts = "keep";       // keep, choose, measure, nhwc
    uint64_t seed = 0;
};
struct NetShowOptions : NetPlanOptions {
    std::string as = "text";
    std::string stage; // "imported", "optimised"; empty: as `as` needs it
};
struct NetTuneOptions : NetPlanOptions {
    std::string log;
    bool resume = false;
    int trials = 64; // of each task
    int totalTrials = 0;
    double timeLimitSeconds = 0; // of all
    std::string taskOrder = "gain";
    std::string weights;            // "network", "cached"; empty: as the log has it, else network
    std::vector<std::string> tasks; // names; none: all
    std::string runner;             // empty: this machine
};
struct NetChoosingOptions : NetPlanOptions {
    std::string rule = "measured";
};
struct NetStrategiesOptions : NetChoosingOptions {
    std::string op; // its name
};
struct NetPinOptions : NetChoosingOptions {
    std::string node;
    std::string implementation;
    bool remove = false;
};
struct NetDispatchOptions : NetPlanOptions {
    std::string sizes;   // "n=1,16*3,64"
    std::string traffic; // which sizes came
    int64_t bound = 512;
    int most = 8;
    int tune = 0; // trials of each kernel at each size before
    std::string out;
    std::string check;     // a table
    std::string against;   // another
    bool programs = false; // are printed
};

/// Kernels that are built.
struct NetKernelOptions : NetPlanOptions {
    int alternatives = 1; // schedules of each kernel that compete inside the network
};
struct NetBuildOptions : NetKernelOptions {
    std::string out;
};
struct NetExportOptions : NetKernelOptions {
    std::string format = "c";
    std::string out;
};
struct NetModulesOptions : NetKernelOptions {
    std::string function;
    std::string as = "text"; // of the function
};

/// Kernels that are run.
struct NetExecuteOptions : NetKernelOptions {
    int threads = 0;
    double timeLimitSeconds = 0;      // of a kernel
    bool trust = false;               // code of plans and modules runs with all rights
    std::string dispatch;             // a table
    std::vector<std::string> modules; // shared libraries with functions that networks name
    std::vector<std::string> inputs;  // NAME=FILE.npy
};
struct NetRunOptions : NetExecuteOptions {
    std::string kernels; // by the virtual machine: reference or compiled; empty: reference with control flow
    std::vector<std::string> outputs; // NAME=FILE.npy
    std::string traffic;              // to which the size is added
};
struct NetVerifyOptions : NetExecuteOptions {
    std::vector<std::string> draws; // kinds of inputs; none: the usual ones
};
struct NetProfileOptions : NetExecuteOptions {
    int runs = 20;
    std::string trace;
    std::string against; // a profile of ONNX Runtime
};

/// One of them is filled.
struct NetOptions {
    NetShowOptions show;
    NetFileOptions check;
    NetPlanOptions tasks;
    NetStrategiesOptions strategies;
    NetPinOptions pin;
    NetDispatchOptions dispatch;
    NetTuneOptions tune;
    NetBuildOptions build;
    NetRunOptions run;
    NetVerifyOptions verify;
    NetProfileOptions profile;
    NetExportOptions exported;
    NetFileOptions bytecode;
    NetModulesOptions modules;
    NetExecuteOptions step;
};

/// `values`: what may stand for the options, as far as a shell can offer it.
void addNetCommands(CLI::App &app, NetOptions &options, std::map<const CLI::Option *, OptionValues> &values);

} // namespace loopscope
