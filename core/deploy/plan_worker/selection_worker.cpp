#include "deploy/plan_worker/selection_worker.h"

#include "base/isolate/channel.h"
#include "base/isolate/child_process.h"
#include "base/isolate/field_wire.h"
#include "deploy/plan/plan_file.h"
#include "deploy/plan/plan_runner.h"
#include "deploy/plan_worker/plan_inputs.h"
#include "measure/timing/machine_use.h"

namespace loopscope {

LOOPSCOPE_FIELDS(PlanSelection, tasks, places)
LOOPSCOPE_FIELDS(SelectionRequest, plan, threads, selection, rules, inputs)
LOOPSCOPE_FIELDS(SelectedTask, chosen, secondsBefore, seconds, wrong, problems)
LOOPSCOPE_FIELDS(SelectionOutcome, tasks, secondsBefore, seconds)

namespace {

constexpr double kLongest = 86400; // seconds between two signs of life; whoever does not want to wait cancels

/// One for every task that is looked at, and one in the end.
struct SelectionReply {
    std::string problem; // empty: it goes well
    bool over = false;
    uint64_t done = 0;
    uint64_t of = 0;
    uint64_t task = 0;
    SelectionOutcome outcome;
};

LOOPSCOPE_FIELDS(SelectionReply, problem, over, done, of, task, outcome)

const char *const kCancelled = "choosing schedules inside the network was cancelled";

} // namespace

Outcome<SelectionOutcome> selectInWorker(const SelectionRequest &request,
                                         const std::function<void(size_t done, size_t of, size_t task)> &progress,
                                         const std::atomic<bool> *cancel) {
    // Here rather than in the worker: what this thread holds already gives way.
    const auto machine = MachineUse::begin(MachineUse::Kind::Timing, cancel);
    if (!machine || (cancel != nullptr && *cancel)) return Refusal{kCancelled};
    SpawnThread spawner;
    ChildProcess child(spawner, workerProgram({}), "selection");
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
            auto reply = decodeFields<SelectionReply>(message);
            if (!reply.problem.empty()) return Refusal{std::move(reply.problem)};
            if (reply.over) return std::move(reply.outcome);
            if (progress) progress(reply.done, reply.of, reply.task);
        }
    } catch (const WireError &problem) {
        return Refusal{problem.what()};
    }
}

int serveSelection() {
    Channel channel(kPlanChannel);
    SelectionReply reply;
    try {
        const auto message = channel.receive();
        if (!message) return 1;
        const auto request = decodeFields<SelectionRequest>(*message);
        const ExecutionPlan plan = readPlan(request.plan);
        if (const auto problem = problemOf(request.selection, plan)) throw Error(*problem);
        PlanRunner runner(plan, {.threads = request.threads});
        const std::vector<HostTensor> inputs = planInputs(plan, request.inputs);
        for (size_t i = 0; i < inputs.size(); ++i) runner.setInput(i, inputs[i]);
        reply.outcome =
            selectInContext(runner, request.selection, request.rules, [&](size_t done, size_t of, size_t task) {
                (void)channel.send(encodeFields(SelectionReply{{}, false, done, of, task, {}}));
            });
    } catch (const std::exception &problem) {
        reply.problem = problem.what();
    }
    reply.over = true;
    return channel.send(encodeFields(reply)) ? 0 : 1;
}

} // namespace loopscope
