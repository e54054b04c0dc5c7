#include "deploy/plan_worker/plan_worker.h"

#include "base/isolate/channel.h"
#include "base/isolate/child_process.h"
#include "base/isolate/field_wire.h"
#include "deploy/plan/plan_file.h"
#include "deploy/plan/plan_runner.h"
#include "deploy/plan_worker/plan_inputs.h"
#include "deploy/plan_worker/profile_fields.h"
#include "deploy/plan_worker/protected_run.h"
#include "language/tensor/mapped_file.h"
#include "measure/timing/machine_use.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>

namespace loopscope {

LOOPSCOPE_FIELDS(PlanRunRequest, plan, threads, warmups, runs, values, inputs)

namespace {

constexpr double kLongestPlanRun = 86400; // seconds; whoever does not want to wait cancels

struct PlanRunReply {
    std::string problem; // empty: it went well
    PlanProfile profile;
};

LOOPSCOPE_FIELDS(PlanRunReply, problem, profile)

void writeValues(const ExecutionPlan &plan, const CallValues &values, const std::string &path) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    for (size_t call = 0; call < plan.calls.size(); ++call)
        for (size_t o = 0; o < plan.calls[call].outputs.size(); ++o) {
            const HostTensor value = values.value(call, o);
            file.write(reinterpret_cast<const char *>(value.bytes()), static_cast<std::streamsize>(value.byteSize()));
        }
    file.close();
    if (!file) throw Error(path, 0, 0, "cannot be written");
}

/// This process never runs a kernel and never starts a thread: copies of it do.
PlanProfile answered(const PlanRunRequest &request) {
    const ExecutionPlan plan = readPlan(request.plan);
    const std::vector<HostTensor> inputs = planInputs(plan, request.inputs);
    const ProtectedRunOptions options = {.threads = request.threads};
    if (!request.values.empty()) {
        const auto observed = observePlan(plan, inputs, options);
        if (!observed) throw Error(observed.why());
        writeValues(plan, observed->calls, request.values);
    }
    auto profile = timePlan(plan, inputs, {.warmups = request.warmups, .runs = request.runs}, options);
    if (!profile) throw Error(profile.why());
    return std::move(profile).value();
}

} // namespace

std::vector<HostTensor> planInputs(const ExecutionPlan &plan, const std::vector<std::string> &inputs) {
    const std::vector<PlanTensor> &wanted = plan.inputs;
    if (inputs.size() != wanted.size())
        throw Error(fmt::format("the network takes {} inputs, and {} are given", wanted.size(), inputs.size()));
    std::vector<HostTensor> tensors;
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].size() != wanted[i].bytes())
            throw Error(fmt::format("the input {} has {} bytes, and {} are given", wanted[i].name, wanted[i].bytes(),
                                    inputs[i].size()));
        tensors.push_back(HostTensor::fromBytes(wanted[i].dtype, wanted[i].dims,
                                                std::as_bytes(std::span(inputs[i].data(), inputs[i].size()))));
    }
    return tensors;
}

CallValues callValuesIn(const ExecutionPlan &plan, const std::string &path) {
    const auto file = MappedFile::open(path);
    if (CallValues::bytesOf(plan) != file->bytes().size())
        throw Error(path, 0, 0,
                    fmt::format("has {} bytes, and what the calls compute has {}", file->bytes().size(),
                                CallValues::bytesOf(plan)));
    return {plan, [file](size_t at, std::span<std::byte> to) {
                std::ranges::copy(file->bytes().subspan(at, to.size()), to.begin());
            }};
}

Outcome<PlanProfile> runPlanInWorker(const PlanRunRequest &request, const std::atomic<bool> *cancel) {
    // Here rather than in the worker: what this thread holds already gives way.
    const auto machine = MachineUse::begin(MachineUse::Kind::Timing, cancel);
    if (!machine) return Refusal{"running the network was cancelled"};
    SpawnThread spawner;
    ChildProcess child(spawner, workerProgram({}), "plan");
    std::string message;
    if (!child.channel().send(encodeFields(request)))
        return Refusal{"the process that runs the network " + child.howItEnded() + child.startAdvice()};
    switch (child.waitForMessage(message, kLongestPlanRun, cancel)) {
    case ChildProcess::Wait::Message:
        break;
    case ChildProcess::Wait::Cancelled:
        return Refusal{"running the network was cancelled"};
    case ChildProcess::Wait::TimedOut:
        return Refusal{"the network did not end its runs within a day"};
    case ChildProcess::Wait::Ended:
        return Refusal{"the process that runs the network " + child.howItEnded() + child.startAdvice()};
    }
    try {
        PlanRunReply reply = decodeFields<PlanRunReply>(message);
        if (!reply.problem.empty()) return Refusal{std::move(reply.problem)};
        return std::move(reply.profile);
    } catch (const WireError &problem) {
        return Refusal{problem.what()};
    }
}

int servePlan() {
    Channel channel(kPlanChannel);
    PlanRunReply reply;
    try {
        const auto request = channel.receive();
        if (!request) return 1;
        reply.profile = answered(decodeFields<PlanRunRequest>(*request));
    } catch (const std::exception &problem) {
        reply.problem = problem.what();
    }
    return channel.send(encodeFields(reply)) ? 0 : 1;
}

} // namespace loopscope
