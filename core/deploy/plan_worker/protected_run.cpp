#include "deploy/plan_worker/protected_run.h"

#include "base/foreign_text.h"
#include "base/isolate/field_wire.h"
#include "base/isolate/process_copy.h"
#include "deploy/plan/plan_runner.h"
#include "deploy/plan_worker/profile_fields.h"
#include "language/tensor/mapped_file.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <utility>

namespace loopscope {

namespace {

struct TensorMessage {
    DType dtype = DType::Float32;
    std::vector<int64_t> dims;
    std::string bytes;
};
LOOPSCOPE_FIELDS(TensorMessage, dtype, dims, bytes)
struct TensorsMessage {
    std::vector<TensorMessage> tensors;
};
LOOPSCOPE_FIELDS(TensorsMessage, tensors)

using WatchClock = std::chrono::steady_clock;

/// A kernel of a large network on one slow core takes a while; one that is left alone for ever does not end.
double longestKernel(const ExecutionPlan *plan, const ProtectedRunOptions &options) {
    constexpr double kLeast = 60;        // seconds
    constexpr double kMost = 3600;       // whatever the plan says of itself
    constexpr double kSlowMachine = 1e8; // operations a second
    if (options.timeout > 0) return options.timeout;
    double flops = 0;
    if (plan != nullptr)
        for (const PlanKernel &kernel : plan->kernels) flops = std::max(flops, kernel.flops);
    return std::min(kLeast + flops / kSlowMachine, kMost);
}

/// "in its kernel `conv_add` (call 3 of 17)".
std::string whereText(const RunProgress &progress, const ExecutionPlan *plan) {
    const uint64_t call = progress.call.load(std::memory_order_relaxed);
    if (call == RunProgress::kNoCall) return progress.begun == 0 ? "before its first kernel" : "between its kernels";
    if (plan != nullptr)
        return call < plan->calls.size()
                   ? fmt::format("in its kernel `{}` (call {} of {})", commentText(plan->calls[call].name), call + 1,
                                 plan->calls.size())
                   : "in a kernel that it does not have";
    const std::string name(progress.name, ::strnlen(progress.name, sizeof progress.name));
    return name.empty() ? fmt::format("in call {}", call + 1) : fmt::format("in its kernel {}", commentText(name));
}

/// Says when one call goes on for too long.
class CallWatch {
  public:
    CallWatch(const RunProgress &progress, double longest) : m_progress(progress), m_longest(longest) {}
    std::string operator()() {
        const uint64_t begun = m_progress.begun.load(std::memory_order_relaxed);
        const bool runs = m_progress.call.load(std::memory_order_relaxed) != RunProgress::kNoCall;
        const auto now = WatchClock::now();
        if (!runs || begun != m_begun) m_since = now;
        m_begun = begun;
        if (std::chrono::duration<double>(now - m_since).count() <= m_longest) return {};
        return fmt::format("it did not end within {:g} s", m_longest);
    }

  private:
    const RunProgress &m_progress;
    double m_longest;
    uint64_t m_begun = 0;
    WatchClock::time_point m_since = WatchClock::now();
};

void setInputs(PlanRunner &runner, std::span<const HostTensor> inputs) {
    const std::vector<PlanTensor> &wanted = runner.plan().inputs;
    if (inputs.size() != wanted.size())
        throw Error(fmt::format("the network takes {} inputs, and {} are given", wanted.size(), inputs.size()));
    for (size_t i = 0; i < inputs.size(); ++i) runner.setInput(i, inputs[i]);
}

size_t outputBytes(const ExecutionPlan &plan) {
    size_t bytes = 0;
    for (const PlanTensor &output : plan.outputs) bytes += output.bytes();
    return bytes;
}

void keepOutputs(const PlanRunner &runner, std::byte *to) {
    const std::vector<PlanTensor> &outputs = runner.plan().outputs;
    for (size_t i = 0; i < outputs.size(); to += outputs[i++].bytes())
        if (outputs[i].bytes() > 0) std::memcpy(to, runner.outputMemory(i), outputs[i].bytes());
}

/// Runs it. Values as they are when each call is over: memory is used again by later ones.
void keepCalls(PlanRunner &runner, std::byte *to) {
    runner.runObserved({}, [&](size_t call) {
        for (size_t o = 0; o < runner.plan().calls[call].outputs.size(); ++o) {
            const HostTensor value = runner.callOutput(call, o);
            if (value.byteSize() > 0) std::memcpy(to, value.bytes(), value.byteSize());
            to += value.byteSize();
        }
    });
}

std::vector<HostTensor> outputsIn(const std::byte *from, const ExecutionPlan &plan) {
    std::vector<HostTensor> outputs;
    for (const PlanTensor &output : plan.outputs) {
        outputs.push_back(HostTensor::fromBytes(output.dtype, output.dims, {from, output.bytes()}));
        from += output.bytes();
    }
    return outputs;
}

} // namespace

struct WatchedRun::Memory {
    SharedMemory page{sizeof(RunProgress)};
    RunProgress *progress = new (page.data()) RunProgress;
};

WatchedRun::WatchedRun() : m_memory(std::make_unique<Memory>()) {}
WatchedRun::~WatchedRun() = default;
RunProgress &WatchedRun::progress() const { return *m_memory->progress; }

Outcome<std::string> WatchedRun::run(const std::function<std::string()> &work, const ExecutionPlan *plan,
                                     const ProtectedRunOptions &options) const {
    RunProgress &progress = this->progress();
    CopyRequest request;
    request.work = work;
    request.prepare = [plan] { openLibrariesOf(plan); };
    request.confined = options.confined;
    request.calls = options.readsFiles ? SystemCallList::Compiler : SystemCallList::Kernel;
    request.overdue = CallWatch(progress, longestKernel(plan, options));
    request.cancel = options.cancel;
    CopyEnd end = runInCopy(request);
    switch (end.kind) {
    case CopyEnd::Kind::Answer:
        return std::move(end.text);
    case CopyEnd::Kind::Refusal:
        return Refusal{std::move(end.text)};
    case CopyEnd::Kind::Cancelled:
        return Refusal{"running the network was cancelled"};
    case CopyEnd::Kind::Overdue:
        return Refusal{fmt::format("the network was ended {}: {}", whereText(progress, plan), end.text)};
    case CopyEnd::Kind::Died:
        break;
    }
    const std::string lost = MappedFile::shortened(); // a copy has no handler of its own
    return Refusal{fmt::format("the network stopped {}: its process {}{}{}", whereText(progress, plan), end.text,
                               lost.empty() ? "" : "; ", lost)};
}

std::string packedTensors(const std::vector<HostTensor> &tensors) {
    TensorsMessage message;
    for (const HostTensor &tensor : tensors) {
        const HostTensor dense = tensor.dense();
        message.tensors.push_back({dense.dtype(), dense.dims(),
                                   std::string(reinterpret_cast<const char *>(dense.bytes()), dense.byteSize())});
    }
    return encodeFields(message);
}

std::vector<HostTensor> tensorsOf(std::string_view packed) {
    std::vector<HostTensor> tensors;
    try {
        for (const TensorMessage &each : decodeFields<TensorsMessage>(packed).tensors) {
            const int64_t elements = each.dtype <= DType::Float64 ? elementCount(each.dims) : -1;
            if (elements < 0 ||
                static_cast<size_t>(elements) * static_cast<size_t>(dtypeBytes(each.dtype)) != each.bytes.size())
                throw WireError();
            tensors.push_back(HostTensor::fromBytes(each.dtype, each.dims, std::as_bytes(std::span(each.bytes))));
        }
    } catch (const WireError &problem) {
        throw Error(problem.what());
    }
    return tensors;
}

Outcome<std::vector<HostTensor>> runPlan(const ExecutionPlan &plan, std::span<const HostTensor> inputs,
                                         const ProtectedRunOptions &options) {
    const WatchedRun watched;
    const SharedMemory outputs(outputBytes(plan));
    const auto ended = watched.run(
        [&] {
            PlanRunner runner(plan, {.threads = options.threads, .progress = &watched.progress()});
            setInputs(runner, inputs);
            runner.run();
            keepOutputs(runner, outputs.data());
            return std::string();
        },
        &plan, options);
    if (!ended) return ended.refusal();
    return outputsIn(outputs.data(), plan);
}

size_t CallValues::bytesOf(const ExecutionPlan &plan) {
    size_t bytes = 0;
    for (const PlanCall &call : plan.calls)
        for (const PlanTensor &output : call.outputs) bytes += output.bytes();
    return bytes;
}

CallValues::CallValues(const ExecutionPlan &plan, ReadBytes read) : m_plan(plan), m_read(std::move(read)) {
    size_t at = 0;
    for (const PlanCall &call : plan.calls) {
        m_offsets.emplace_back();
        for (const PlanTensor &output : call.outputs) {
            m_offsets.back().push_back(at);
            at += output.bytes();
        }
    }
}

HostTensor CallValues::value(size_t call, size_t output) const {
    const PlanTensor &type = m_plan.calls.at(call).outputs.at(output);
    HostTensor value = HostTensor::zeros(type.dtype, type.dims);
    m_read(m_offsets[call][output], {value.mutableBytes(), value.byteSize()});
    return value;
}

Outcome<ObservedRun> observePlan(const ExecutionPlan &plan, std::span<const HostTensor> inputs,
                                 const ProtectedRunOptions &options) {
    const WatchedRun watched;
    const SharedMemory outputs(outputBytes(plan));
    const auto values = std::make_shared<SharedMemory>(CallValues::bytesOf(plan));
    const auto ended = watched.run(
        [&] {
            PlanRunner runner(plan, {.threads = options.threads, .progress = &watched.progress()});
            setInputs(runner, inputs);
            keepCalls(runner, values->data());
            keepOutputs(runner, outputs.data());
            return std::string();
        },
        &plan, options);
    if (!ended) return ended.refusal();
    return ObservedRun{outputsIn(outputs.data(), plan), CallValues(plan, [values](size_t at, std::span<std::byte> to) {
                           if (!to.empty()) std::memcpy(to.data(), values->data() + at, to.size());
                       })};
}

Outcome<PlanProfile> timePlan(const ExecutionPlan &plan, std::span<const HostTensor> inputs,
                              const ProfileOptions &profile, const ProtectedRunOptions &options) {
    const WatchedRun watched;
    const auto ended = watched.run(
        [&] {
            PlanRunner runner(plan, {.threads = options.threads, .progress = &watched.progress()});
            setInputs(runner, inputs);
            return encodeFields(profilePlan(runner, profile));
        },
        &plan, options);
    if (!ended) return ended.refusal();
    try {
        return decodeFields<PlanProfile>(*ended);
    } catch (const WireError &problem) {
        return Refusal{problem.what()};
    }
}

} // namespace loopscope
