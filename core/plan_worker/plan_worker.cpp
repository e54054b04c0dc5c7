#include "plan_worker/plan_worker.h"

#include "fields.h"
#include "isolate/channel.h"
#include "isolate/child_process.h"
#include "isolate/field_wire.h"
#include "plan/plan_file.h"
#include "plan/plan_runner.h"
#include "plan_worker/plan_inputs.h"
#include "tensor/mapped_file.h"
#include "timing/machine_use.h"

#include <fmt/format.h>
#include <fstream>

namespace loopscope {

LOOPSCOPE_FIELDS(PlanRunRequest, plan, threads, warmups, runs, values, inputs)
LOOPSCOPE_FIELDS(CallProfile, name, nodes, sources, key, schedule, outputs, time, flops, bytesIn, bytesOut, weightBytes,
                 threads)
LOOPSCOPE_FIELDS(PlanProfile, network, target, threads, calls, whole)

namespace {

constexpr double kLongestPlanRun = 86400; // seconds; whoever does not want to wait cancels

struct PlanRunReply {
    std::string problem; // empty: it went well
    PlanProfile profile;
};

LOOPSCOPE_FIELDS(PlanRunReply, problem, profile)

/// As they are when each call is over: memory is used again by later ones.
void writeValues(PlanRunner &runner, const std::string &path) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    runner.runObserved({}, [&](size_t call) {
        for (size_t o = 0; o < runner.plan().calls[call].outputs.size(); ++o) {
            const HostTensor value = runner.callOutput(call, o);
            file.write(reinterpret_cast<const char *>(value.bytes()), static_cast<std::streamsize>(value.byteSize()));
        }
    });
    file.close();
    if (!file) throw Error(path, 0, 0, "cannot be written");
}

PlanProfile answered(const PlanRunRequest &request) {
    const ExecutionPlan plan = readPlan(request.plan);
    PlanRunner runner(plan, {.threads = request.threads});
    setPlanInputs(runner, request.inputs);
    if (!request.values.empty()) writeValues(runner, request.values);
    return profilePlan(runner, {.warmups = request.warmups, .runs = request.runs});
}

} // namespace

void setPlanInputs(PlanRunner &runner, const std::vector<std::string> &inputs) {
    const std::vector<PlanTensor> &wanted = runner.plan().inputs;
    if (inputs.size() != wanted.size())
        throw Error(fmt::format("the network takes {} inputs, and {} are given", wanted.size(), inputs.size()));
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].size() != wanted[i].bytes())
            throw Error(fmt::format("the input {} has {} bytes, and {} are given", wanted[i].name, wanted[i].bytes(),
                                    inputs[i].size()));
        runner.setInput(i, HostTensor::fromBytes(wanted[i].dtype, wanted[i].dims,
                                                 std::as_bytes(std::span(inputs[i].data(), inputs[i].size()))));
    }
}

CallValues::CallValues(const ExecutionPlan &plan, const std::string &path)
    : m_plan(plan), m_file(MappedFile::open(path)) {
    size_t at = 0;
    for (const PlanCall &call : plan.calls) {
        m_offsets.emplace_back();
        for (const PlanTensor &output : call.outputs) {
            m_offsets.back().push_back(at);
            at += output.bytes();
        }
    }
    if (at != m_file->bytes().size())
        throw Error(path, 0, 0,
                    fmt::format("has {} bytes, and what the calls compute has {}", m_file->bytes().size(), at));
}

HostTensor CallValues::value(size_t call, size_t output) const {
    const PlanTensor &type = m_plan.calls.at(call).outputs.at(output);
    return HostTensor::fromBytes(type.dtype, type.dims, m_file->bytes().subspan(m_offsets[call][output], type.bytes()));
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
