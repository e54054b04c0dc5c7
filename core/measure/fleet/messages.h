#pragma once
// What the controller of a fleet and the worker on a node tell each other. The node speaks first (Hello, as text that
// any version can read); after that both are known to be of one build.

#include "base/isolate/wire.h"
#include "measure/measurer.h"
#include "measure/trial.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// What a node says of itself before anything is asked of it.
struct NodeHello {
    std::string build; // must be ours
    std::string host;
    std::string model;  // of the processor, as the system calls it
    std::string target; // "llvm ..." as it is detected there
    std::string cpu;    // as LLVM calls it
    int vectorBytes = 0;
    int cores = 0; // that the step may use
};
/// One line of JSON.
std::string helloText(const NodeHello &hello);
/// Refused with a sentence.
Outcome<NodeHello> helloFromText(std::string_view text);
/// That of this program: two programs of one build read each other's messages alike.
std::string fleetBuild();

enum class FleetMessage : uint8_t {
    Task,       // to the node: a task by number, with settings
    Ready,      // from it: it knows the task, and has inputs and reference
    Measure,    // to it: candidates, built together, then timed one by one
    Stage,      // from it
    Trial,      // from it
    MeasureEnd, // from it: no more of these
    Interleave, // to it
    Samples,    // from it
    Reference,  // to it: time the reference kernel; and back
    Cancel,     // to it: end what is under way
};
FleetMessage fleetMessageOf(std::string_view bytes); // throws WireError

struct FleetTask {
    static constexpr FleetMessage kKind = FleetMessage::Task;
    int task = 0;
    std::string setup; // encode(SetupMessage)
    double buildTimeout = 0;
    double runTimeout = 0;
    double referenceTimeout = 0;
    int64_t memoryLimitMiB = 0;
    uint64_t seed = 0;
    int kernelThreads = 0;
    SamplingOptions sampling = {};
};
FleetTask fleetTask(int number, const Task &task, const MeasureOptions &options);

struct FleetReady {
    static constexpr FleetMessage kKind = FleetMessage::Ready;
    int task = 0;
    std::string problem;  // empty: it is ready
    bool tooLong = false; // the reference
    std::vector<std::string> notes;
};

struct FleetMeasure {
    static constexpr FleetMessage kKind = FleetMessage::Measure;
    uint64_t batch = 0;
    int task = 0;
    std::vector<std::string> steps; // as in logs
};

struct FleetStage {
    static constexpr FleetMessage kKind = FleetMessage::Stage;
    uint64_t batch = 0;
    uint64_t index = 0;
    TrialStage stage = TrialStage::Building;
};

struct FleetTrial {
    static constexpr FleetMessage kKind = FleetMessage::Trial;
    uint64_t batch = 0;
    uint64_t index = 0;
    std::string reason;
    std::vector<double> seconds;
    TrialError error = TrialError::None;
    bool unstable = false;
    double maxError = 0;
    double buildSeconds = 0;
    double runSeconds = 0;
    int64_t timestamp = 0;
    int64_t weightBytes = 0;
};
FleetTrial fleetTrial(uint64_t batch, uint64_t index, const Trial &trial);
Trial trialOf(const FleetTrial &message, const Steps &steps);

struct FleetMeasureEnd {
    static constexpr FleetMessage kKind = FleetMessage::MeasureEnd;
    uint64_t batch = 0;
    std::string problem; // empty: all are measured, or it was cancelled
    /// Seconds that the node stood still between the end of the batch before and this one; 0: it lay there by then.
    /// < 0: there was none before, or something else between.
    double waited = -1;
};

struct FleetInterleave {
    static constexpr FleetMessage kKind = FleetMessage::Interleave;
    uint64_t batch = 0;
    int task = 0;
    int rounds = 0;
    std::vector<std::string> steps;
};

struct FleetSamples {
    static constexpr FleetMessage kKind = FleetMessage::Samples;
    uint64_t batch = 0;
    std::string problem;
    std::vector<std::vector<double>> samples; // by candidate
    std::vector<double> least;
};

struct FleetReference {
    static constexpr FleetMessage kKind = FleetMessage::Reference;
    double seconds = 0; // from the node
};

struct FleetCancel {
    static constexpr FleetMessage kKind = FleetMessage::Cancel;
    std::vector<uint64_t> batches;
};

template <typename Message> std::string encodeFleet(const Message &message);
/// Throws WireError.
template <typename Message> Message decodeFleet(std::string_view bytes);

} // namespace loopscope
