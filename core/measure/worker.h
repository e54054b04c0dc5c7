#pragma once
// The program `loopscope-worker`: one role per process.
//
//   build       replays steps, lowers, compiles; answers with the object code or the reason there is none
//   reference   computes inputs and the interpreter's answer once, so that even a slow one can be cancelled
//   list        replays, lowers and compiles one schedule, and answers with the texts a person reads
//   run         holds inputs and reference, forks a process for every kernel, and tells how that ended
//   gpu         asks the CUDA driver which GPU there is (codegen/nvidia/gpu_worker.h)
//   nvrtc       compiles CUDA C++ (codegen/nvidia/nvrtc_worker.h)
//   plan        runs the plan of a network (deploy/plan_worker/plan_worker.h)
//   baseline        holds a library that kernels are compared with (app/cli/baselines)

namespace loopscope {

class Channel;
struct SetupMessage;

/// There is a channel to whoever wants the work done.
bool startedByLoopscope();
/// Returns the exit code. Prints a hint when started by hand.
int workerMain(int argc, char **argv);

// The roles; they end when the measurer closes the channel. The first two serve any number of tasks.
int serveBuilds(Channel &channel);
int serveRuns(Channel &channel);
int serveDisassembly(Channel &channel, const SetupMessage &setup);
int makeReference(Channel &channel, const SetupMessage &setup);

} // namespace loopscope
