#pragma once
// What the measurer and its workers tell each other. A worker first receives one Setup and answers Ready; then it
// answers each request in turn. Build workers and runners serve several tasks: each further one arrives as a Setup
// before the first request that names it, and is answered like the first.

#include "codegen/kernel_launch.h"
#include "codegen/standalone_code.h"
#include "language/target/target.h"
#include "language/task/task.h"
#include "measure/disassembly.h"
#include "measure/fault.h"
#include "measure/runner_kind.h"
#include "measure/timing/sampling.h"
#include "measure/trial.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

inline constexpr int kWorkerChannelFd = 3; // where a worker finds its end of the channel
inline constexpr int kWorkerDataFd = 4;    // the file of inputs and reference

/// What a message is; its first byte, so that none is taken for another.
enum class MessageKind : uint8_t {
    Setup,
    Ready,
    Build,
    BuildReply,
    Disassemble,
    DisassemblyReply,
    Standalone,
    StandaloneReply,
    Run,
    RunReply,
};
/// Throws WireError when there is no message.
MessageKind kindOf(std::string_view bytes);

/// Of all messages together what they consist of, and of this build (build_id.h). Setup and Ready begin with it, so
/// that two builds that would read one another wrongly, or mean other things by the same words, find out first.
uint64_t messagesSignature();
/// What decodeSetup throws, and decodeReady has for a problem, when the other end is of another build.
extern const char *const kOtherBuild;

/// Everything a worker needs to make the task again.
struct SetupMessage {
    static constexpr MessageKind kKind = MessageKind::Setup;
    int task = 0;         // its number among those of the pool (worker_pool.h)
    std::string workload; // `.te` text
    std::string dagKey;   // what the task made from it must have, or the two ends mean different things
    Target target;
    int layoutRewrite = 0;
    int64_t memoryLimitMiB = 0;
    int kernelThreads = 1;
    uint64_t seed = 0;        // of the inputs
    int referenceThreads = 1; // that compute the reference
    RunnerKind runner = RunnerKind::Machine;
    int64_t sampleBlocks = 0; // MeasureOptions::sampleBlocks
};
std::string encode(const SetupMessage &message);
SetupMessage decodeSetup(std::string_view bytes); // also throws Error: kOtherBuild
SetupMessage makeSetup(const Task &task);
/// The other way, in the worker. Our bug (check) when another task comes out.
DagPtr dagOf(const SetupMessage &setup);

/// Empty `problem`: the worker understood the task.
struct ReadyMessage {
    static constexpr MessageKind kKind = MessageKind::Ready;
    std::string problem;
    std::string note; // what a user should know all the same
};
std::string encode(const ReadyMessage &message);
ReadyMessage decodeReady(std::string_view bytes); // never throws: what cannot be read is of another build

struct BuildRequest {
    static constexpr MessageKind kKind = MessageKind::Build;
    int task = 0;      // SetupMessage::task
    std::string steps; // JSON, as in the log
    Fault fault = Fault::None;
};
std::string encode(const BuildRequest &message);
BuildRequest decodeBuildRequest(std::string_view bytes);

struct BuildReply {
    static constexpr MessageKind kKind = MessageKind::BuildReply;
    TrialError error = TrialError::None;
    std::string reason;
    double seconds = 0;
    BuiltKernel kernel;
};
std::string encode(const BuildReply &message);
BuildReply decodeBuildReply(std::string_view bytes);

/// Of a disassembly worker, which answers one.
struct DisassemblyRequest {
    static constexpr MessageKind kKind = MessageKind::Disassemble;
    std::string steps;
    int64_t maxBytes = 0;
    Fault fault = Fault::None;
};
std::string encode(const DisassemblyRequest &message);
DisassemblyRequest decodeDisassemblyRequest(std::string_view bytes);

struct DisassemblyReply {
    static constexpr MessageKind kKind = MessageKind::DisassemblyReply;
    std::string problem; // empty: there is a disassembly
    Disassembly disassembly;
};
std::string encode(const DisassemblyReply &message);
DisassemblyReply decodeDisassemblyReply(std::string_view bytes);

/// Answered by the same process: code to take away instead of texts to look at.
struct StandaloneRequest {
    static constexpr MessageKind kKind = MessageKind::Standalone;
    std::string steps;
    std::string function;
    int64_t maxBytes = 0;
    Fault fault = Fault::None;
};
std::string encode(const StandaloneRequest &message);
StandaloneRequest decodeStandaloneRequest(std::string_view bytes);

struct StandaloneReply {
    static constexpr MessageKind kKind = MessageKind::StandaloneReply;
    std::string problem; // empty: there is code
    StandaloneCode code;
};
std::string encode(const StandaloneReply &message);
StandaloneReply decodeStandaloneReply(std::string_view bytes);

/// Kernels are checked, then timed: one until its best samples agree, or any number for some rounds in turn.
struct RunRequest {
    static constexpr MessageKind kKind = MessageKind::Run;
    int task = 0; // SetupMessage::task
    std::vector<BuiltKernel> kernels;
    int rounds = 0; // 0: one kernel
    double timeout = 10;
    SamplingOptions sampling;
    Fault fault = Fault::None;
    /// Of one kernel: the task has inputs and no reference; what comes out goes, output behind output, to the file sent
    /// along, which is as large.
    bool answers = false;
};
std::string encode(const RunRequest &message);
RunRequest decodeRunRequest(std::string_view bytes);

struct RunReply {
    static constexpr MessageKind kKind = MessageKind::RunReply;
    TrialError error = TrialError::None;
    std::string reason;
    int failedKernel = -1; // the one at fault, when several ran
    bool unstable = false;
    double maxError = 0;
    double seconds = 0;                       // wall time
    double disturbedSeconds = 0;              // of these, in samples that others disturbed
    bool killedOutside = false;               // somebody ended its process: nothing is said of the kernels
    std::vector<std::vector<double>> samples; // per kernel
    std::vector<double> least;                // per kernel: TurnSamples::least
};
std::string encode(const RunReply &message);
RunReply decodeRunReply(std::string_view bytes);

} // namespace loopscope
