#include "measure/kernel_run.h"

#include "measure/answer_check.h"
#include "measure/kernel_arguments.h"
#include "measure/sampling.h"
#include "measure/sandbox.h"
#include "outcome.h"
#include "runtime/loaded_kernel.h"

#include <algorithm>
#include <chrono>
#include <memory>

namespace loopscope {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Part of the time limit after which no further sample is begun: a kernel whose time is known is not a timeout.
constexpr double kTimingShare = 0.8;

struct Candidate {
    const BuiltKernel *built = nullptr;
    std::unique_ptr<LoadedKernel> kernel;
    std::unique_ptr<TimingArguments> arguments;
    double estimate = 0; // seconds of one call

    void call(void *const *pointers, Fault fault) const {
        if (fault != Fault::None) commitFaultBeforeKernel(fault);
        (*kernel)(pointers);
        if (fault != Fault::None) commitFaultAfterKernel(fault, placeOf(pointers));
    }

    [[nodiscard]] FaultPlace placeOf(void *const *pointers) const {
        FaultPlace place;
        for (size_t i = 0; i < built->args.size(); ++i) {
            const KernelArg &arg = built->args[i];
            if (!arg.output) {
                if (place.input == nullptr) place.input = pointers[i];
                continue;
            }
            place.output = pointers[i];
            place.outputBytes = argBytes(arg);
            place.elementBytes = dtypeBytes(arg.dtype);
        }
        return place;
    }
};

struct KernelRun {
    const RunRequest &request;
    const ReferenceView &reference;
    RunReport &report;
    Clock::time_point start = Clock::now();
    std::vector<Candidate> candidates;

    bool load(const SetupMessage &setup) {
        report.phase = RunPhase::Loading;
        for (size_t i = 0; i < request.kernels.size(); ++i) {
            report.kernel = static_cast<int32_t>(i);
            Candidate candidate;
            candidate.built = &request.kernels[i];
            try {
                candidate.kernel = std::make_unique<LoadedKernel>(candidate.built->object);
                candidate.arguments = std::make_unique<TimingArguments>(candidate.built->args, reference);
            } catch (const std::exception &problem) {
                report.fail(TrialError::CompileDevice,
                            std::string("the kernel could not be loaded: ") + problem.what());
                return false;
            }
            candidates.push_back(std::move(candidate));
        }
        setKernelThreads(setup.kernelThreads);
        return true;
    }

    /// Runs once with the arguments against their guard pages and compares. False: it failed, and the report says how.
    bool check(Candidate &candidate, GuardSide side, int64_t memoryLimitMiB) {
        const std::vector<KernelArg> &args = candidate.built->args;
        const GuardedArguments guarded(args, *candidate.arguments, side);
        watchGuards(guarded.guards());
        if (memoryLimitMiB > 0) limitMemory(memoryLimitMiB);
        const Clock::time_point before = Clock::now();
        candidate.call(guarded.pointers(), request.fault);
        candidate.estimate = since(before);
        watchGuards({});

        if (const std::string trespass = guarded.trespass(*candidate.arguments); !trespass.empty()) {
            report.fail(TrialError::RuntimeDevice, trespass);
            return false;
        }
        for (size_t i = 0; i < args.size(); ++i) {
            if (!args[i].output) continue;
            const ReferenceTensor &tensor = reference.tensors()[i];
            const AnswerCheck answer = checkAnswer(tensor, reference.data(tensor), guarded.bytes(i));
            report.maxError = std::max(report.maxError, answer.maxError);
            if (!answer.problem.empty()) {
                report.fail(TrialError::WrongAnswer, answer.problem);
                return false;
            }
        }
        return true;
    }

    double time(const Candidate &candidate, int64_t calls) const {
        void *const *pointers = candidate.arguments->pointers();
        const Clock::time_point before = Clock::now();
        for (int64_t i = 0; i < calls; ++i) (*candidate.kernel)(pointers);
        return since(before);
    }

    /// Another sample that takes `seconds` still fits into the time limit.
    [[nodiscard]] bool fits(double seconds) const { return since(start) + seconds < kTimingShare * request.timeout; }

    void timeOne() {
        SamplingOptions options;
        options.minRepeatSeconds = request.minRepeatSeconds;
        options.minSamples = request.minSamples;
        options.maxSamples = request.maxSamples;
        options.maxTimingSeconds = request.maxTimingSeconds;
        options.agreement = request.agreement;
        options.bestKnownSeconds = request.bestKnownSeconds;
        const Candidate &candidate = candidates[0];
        Sampler sampler(options, candidate.estimate);
        // The timing buffers are touched for the first time here; a slow kernel shows no difference.
        if (candidate.estimate < options.minRepeatSeconds) time(candidate, 1);
        bool cutShort = false;
        size_t written = 0;
        while (sampler.nextCalls() > 0) {
            const int64_t calls = sampler.nextCalls();
            sampler.add(time(candidate, calls));
            for (; written < sampler.samples().size(); ++written) report.addSample(0, sampler.samples()[written]);
            if (written == 0) continue;
            const double last = sampler.samples().back();
            if (sampler.nextCalls() > 0 && !fits(last * static_cast<double>(sampler.nextCalls()))) {
                cutShort = true;
                break;
            }
        }
        report.unstable = sampler.unstable() || (cutShort && !bestAgree(sampler.samples(), options.agreement));
    }

    void timeInterleaved() {
        std::vector<int64_t> calls(candidates.size());
        for (size_t i = 0; i < candidates.size(); ++i) {
            report.kernel = static_cast<int32_t>(i);
            const double once = std::max(1e-9, time(candidates[i], 1));
            calls[i] = std::max<int64_t>(1, static_cast<int64_t>(request.minRepeatSeconds / once));
        }
        for (int round = 0; round < request.rounds; ++round) {
            double roundSeconds = 0;
            // Every other round backwards, so that none always follows the same one.
            for (size_t k = 0; k < candidates.size(); ++k) {
                const size_t i = round % 2 == 0 ? k : candidates.size() - 1 - k;
                report.kernel = static_cast<int32_t>(i);
                const double seconds = time(candidates[i], calls[i]);
                roundSeconds += seconds;
                report.addSample(i, seconds / static_cast<double>(calls[i]));
            }
            if (!fits(roundSeconds)) break;
        }
    }
};

} // namespace

void runKernels(const RunRequest &request, const SetupMessage &setup, const ReferenceView &reference,
                RunReport &report) {
    KernelRun run{request, reference, report, Clock::now(), {}};
    if (!run.load(setup)) return;
    report.phase = RunPhase::Checking;
    bool limited = false;
    for (size_t i = 0; i < run.candidates.size(); ++i) {
        report.kernel = static_cast<int32_t>(i);
        for (const GuardSide side : {GuardSide::End, GuardSide::Start}) {
            // Once is enough, and it cannot be raised again; the first check's buffers are counted in, the later ones
            // are no larger and take their place.
            if (!run.check(run.candidates[i], side, limited ? 0 : setup.memoryLimitMiB)) return;
            limited = true;
        }
    }
    report.phase = RunPhase::Timing;
    if (request.rounds == 0) {
        report.kernel = 0;
        run.timeOne();
    } else {
        run.timeInterleaved();
    }
}

} // namespace loopscope
