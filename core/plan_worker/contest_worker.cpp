#include "plan_worker/contest_worker.h"

#include "isolate/channel.h"
#include "isolate/child_process.h"
#include "isolate/field_wire.h"
#include "plan/plan_file.h"
#include "plan/plan_runner.h"
#include "plan_worker/plan_inputs.h"
#include "timing/machine_use.h"

namespace loopscope {

LOOPSCOPE_FIELDS(PlanContest, tasks, places)
LOOPSCOPE_FIELDS(ContestRequest, plan, threads, contest, rules, inputs)
LOOPSCOPE_FIELDS(ContestedTask, chosen, secondsBefore, seconds, wrong, problems)
LOOPSCOPE_FIELDS(ContestOutcome, tasks, secondsBefore, seconds)

namespace {

constexpr double kLongest = 86400; // seconds between two signs of life; whoever does not want to wait cancels

/// One for every task that is looked at, and one in the end.
struct ContestReply {
    std::string problem; // empty: it goes well
    bool over = false;
    uint64_t done = 0;
    uint64_t of = 0;
    uint64_t task = 0;
    ContestOutcome outcome;
};

LOOPSCOPE_FIELDS(ContestReply, problem, over, done, of, task, outcome)

const char *const kCancelled = "choosing schedules inside the network was cancelled";

} // namespace

Outcome<ContestOutcome> contestInWorker(const ContestRequest &request,
                                        const std::function<void(size_t done, size_t of, size_t task)> &progress,
                                        const std::atomic<bool> *cancel) {
    // Here rather than in the worker: what this thread holds already gives way.
    const auto machine = MachineUse::begin(MachineUse::Kind::Timing, cancel);
    if (!machine || (cancel != nullptr && *cancel)) return Refusal{kCancelled};
    SpawnThread spawner;
    ChildProcess child(spawner, workerProgram({}), "contest");
    const auto ended = [&] {
        return Refusal{"the process in which schedules are selected " + child.howItEnded() + child.startAdvice()};
    };
    if (!child.channel().send(encodeFields(request))) return ended();
    try {
        while (true) {
            std::string message;
            switch (child.waitForMessage(message, kLongest, cancel)) {
            case ChildProcess::Wait::Message:
                break;
            case ChildProcess::Wait::Cancelled:
                return Refusal{kCancelled};
            case ChildProcess::Wait::TimedOut:
                return Refusal{"the process in which schedules are selected was silent for a day"};
            case ChildProcess::Wait::Ended:
                return ended();
            }
            auto reply = decodeFields<ContestReply>(message);
            if (!reply.problem.empty()) return Refusal{std::move(reply.problem)};
            if (reply.over) return std::move(reply.outcome);
            if (progress) progress(reply.done, reply.of, reply.task);
        }
    } catch (const WireError &problem) {
        return Refusal{problem.what()};
    }
}

int serveContest() {
    Channel channel(kPlanChannel);
    ContestReply reply;
    try {
        const auto message = channel.receive();
        if (!message) return 1;
        const auto request = decodeFields<ContestRequest>(*message);
        const ExecutionPlan plan = readPlan(request.plan);
        if (const auto problem = problemOf(request.contest, plan)) throw Error(*problem);
        PlanRunner runner(plan, {.threads = request.threads});
        const std::vector<HostTensor> inputs = planInputs(plan, request.inputs);
        for (size_t i = 0; i < inputs.size(); ++i) runner.setInput(i, inputs[i]);
        reply.outcome = holdContest(runner, request.contest, request.rules, [&](size_t done, size_t of, size_t task) {
            (void)channel.send(encodeFields(ContestReply{{}, false, done, of, task, {}}));
        });
    } catch (const std::exception &problem) {
        reply.problem = problem.what();
    }
    reply.over = true;
    return channel.send(encodeFields(reply)) ? 0 : 1;
}

} // namespace loopscope
