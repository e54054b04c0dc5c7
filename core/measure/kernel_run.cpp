#include "measure/kernel_run.h"

#include "base/check.h"
#include "base/isolate/sandbox.h"
#include "base/isolate/system_calls.h"
#include "base/outcome.h"
#include "measure/answer/answer_check.h"
#include "measure/argument_data.h"
#include "measure/timing/processor_wait.h"
#include "measure/timing/sampling.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

namespace loopscope {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Part of the time limit after which no further sample is begun: a kernel whose time is known is not a timeout.
constexpr double kTimingShare = 0.8;
constexpr double kWarmShare = 0.25; // of a sample's time, before every sample of an interleaved comparison

struct Candidate {
    const BuiltKernel *built = nullptr;
    std::unique_ptr<Runner> runner;
    std::unique_ptr<KernelCall> timed;
    double estimate = 0; // seconds of one call

    [[nodiscard]] const std::vector<KernelArg> &args() const { return built->launch.args; }

    void run(KernelCall &call, Fault fault) const {
        if (fault != Fault::None) commitFaultBeforeKernel(fault);
        call.run();
        if (fault != Fault::None) commitFaultAfterKernel(fault, placeOf(call));
    }

    [[nodiscard]] FaultPlace placeOf(KernelCall &call) const {
        FaultPlace place;
        for (size_t i = 0; i < args().size(); ++i) {
            const KernelArg &arg = args()[i];
            if (!arg.output) {
                if (place.input == nullptr) place.input = call.data(i);
                continue;
            }
            place.output = call.data(i);
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
    std::span<std::byte> answers; // for the outputs; empty: they are compared
    Clock::time_point start = Clock::now();
    std::vector<Candidate> candidates;
    ProcessorWait wait;
    double retrySeconds = 0; // left for second tries of a comparison
    bool busy = false;       // samples of the comparison were disturbed

    bool load(const SetupMessage &setup, const RunnerFactory &runnerFor) {
        report.phase = RunPhase::Loading;
        for (size_t i = 0; i < request.kernels.size(); ++i) {
            report.kernel = static_cast<int32_t>(i);
            Candidate candidate;
            candidate.built = &request.kernels[i];
            std::string problem;
            try {
                Outcome<std::unique_ptr<Runner>> runner = runnerFor(*candidate.built);
                if (runner) {
                    candidate.runner = std::move(runner).value();
                    ArgumentData data = argumentData(candidate.args(), reference);
                    data.weightBytes = request.sampling.weightBytes;
                    candidate.timed = candidate.runner->bind(data);
                } else {
                    problem = runner.why();
                }
            } catch (const std::exception &error) {
                problem = error.what();
            }
            if (!problem.empty()) {
                report.fail(TrialError::CompileDevice, "the kernel could not be loaded: " + problem);
                return false;
            }
            candidates.push_back(std::move(candidate));
        }
        const bool confined = std::ranges::all_of(
            candidates, [](const Candidate &candidate) { return candidate.runner->runsOn() == RunsOn::Processor; });
        if (confined) forbidFileWrites();
        for (const Candidate &candidate : candidates) candidate.runner->prepare(setup.kernelThreads);
        wait.watch();
        if (!confined) return true;
        prepareMemoryLimit();
        // What kernels need is there; from here on they may ask for nothing else.
        (void)restrictSystemCalls(SystemCallList::Kernel); // the runner says when there is none
        return true;
    }

    /// Runs once with the arguments against their guard pages and compares. False: it failed, and the report says how.
    bool check(Candidate &candidate, GuardSide side, int64_t memoryLimitMiB) {
        const std::vector<KernelArg> &args = candidate.args();
        // Two runs are needed for the two sides, so that the second set of inputs costs none of its own.
        const InputSet set =
            side == GuardSide::Start && reference.has(InputSet::Exact) ? InputSet::Exact : InputSet::Random;
        std::unique_ptr<KernelCall> others;
        if (set == InputSet::Exact) others = candidate.runner->bind(argumentData(args, reference, set));
        KernelCall &source = others ? *others : *candidate.timed;
        const std::unique_ptr<KernelCall> guarded = candidate.runner->bindGuarded(source, side);
        watchGuards(guarded->guards());
        if (memoryLimitMiB > 0 && candidate.runner->runsOn() == RunsOn::Processor) limitMemory(memoryLimitMiB);
        const Clock::time_point before = Clock::now();
        candidate.run(*guarded, request.fault);
        candidate.estimate = since(before);
        watchGuards({});

        if (const std::string trespass = guarded->trespass(); !trespass.empty()) {
            report.fail(TrialError::RuntimeDevice, trespass);
            return false;
        }
        if (request.answers) {
            if (side == GuardSide::End) keep(candidate, *guarded);
            return true;
        }
        for (size_t i = 0; i < args.size(); ++i) {
            if (!args[i].output) continue;
            const ReferenceTensor &tensor = reference.tensors()[i];
            const AnswerCheck answer =
                checkAnswer(tensor, reference.data(tensor, set), reference.bounds(tensor, set), guarded->data(i));
            report.maxError = std::max(report.maxError, answer.maxError);
            if (!answer.problem.empty()) {
                report.fail(TrialError::WrongAnswer, set == InputSet::Exact
                                                         ? answer.problem + " (inputs are small whole numbers here)"
                                                         : answer.problem);
                return false;
            }
        }
        return true;
    }

    void keep(const Candidate &candidate, KernelCall &call) const {
        size_t at = 0;
        for (size_t i = 0; i < candidate.args().size(); ++i) {
            if (!candidate.args()[i].output) continue;
            const auto bytes = static_cast<size_t>(argBytes(candidate.args()[i]));
            LOOPSCOPE_CHECK(at + bytes <= answers.size(), "there is memory for every output");
            std::memcpy(answers.data() + at, call.data(i), bytes);
            at += bytes;
        }
    }

    struct Sample {
        double seconds = 0;
        double waited = 0; // of these, for a processor
        int64_t calls = 1;
        [[nodiscard]] double perCall() const { return seconds / static_cast<double>(calls); }
    };

    Sample time(const Candidate &candidate, int64_t calls) {
        const double waited = wait.seconds();
        const double seconds = candidate.timed->time(calls);
        if (candidate.runner->runsOn() == RunsOn::Device) return {seconds, 0, calls};
        return {seconds, wait.seconds() - waited, calls};
    }

    /// Whoever has slept is let run for a while without a break.
    static void afterDisturbance() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

    /// Another sample that takes `seconds` still fits into the time limit.
    [[nodiscard]] bool fits(double seconds) const { return since(start) + seconds < kTimingShare * request.timeout; }

    void timeOne() {
        const Candidate &candidate = candidates[0];
        Sampler sampler(request.sampling, candidate.estimate);
        // The timing buffers are touched for the first time here; a slow kernel shows no difference.
        if (candidate.estimate < request.sampling.minRepeatSeconds) time(candidate, 1);
        size_t written = 0;
        while (sampler.nextCalls() > 0) {
            const Sample sample = time(candidate, sampler.nextCalls());
            sampler.add(sample.seconds, sample.waited);
            for (; written < sampler.samples().size(); ++written) report.addSample(0, sampler.samples()[written]);
            if (written > 0 && !fits(sampler.nextSeconds())) break;
            if (!undisturbed(sample.seconds, sample.waited)) afterDisturbance();
        }
        report.unstable = sampler.unstable() ? 1 : 0;
        report.disturbedSeconds = sampler.disturbedSeconds();
    }

    double onceOf(const Candidate &candidate) {
        CallEstimate estimate(request.sampling.minRepeatSeconds, candidate.estimate);
        while (estimate.nextCalls() > 0) {
            estimate.add(time(candidate, estimate.nextCalls()).seconds);
            if (!fits(estimate.nextSeconds())) break;
        }
        return estimate.seconds();
    }

    /// The least disturbed of a few samples. After a disturbance samples are short, since the others that disturb one
    /// mostly stay for a while and only little fits between their turns; one call before them wakes the threads. There
    /// are as many tries as the whole comparison would take on a quiet machine.
    Sample leastDisturbed(const Candidate &candidate, double once) {
        constexpr int kTries = 8;
        Sample best;
        for (int i = 0; i < kTries; ++i) {
            if (busy)
                time(candidate, 1);
            else
                warmUp(candidate, once);
            const double wanted =
                (busy ? shortSample(request.sampling.minRepeatSeconds) : request.sampling.minRepeatSeconds) / once;
            const Sample sample = time(candidate, static_cast<int64_t>(std::clamp(wanted, 1.0, 1e6)));
            if (i == 0 || sample.waited * best.seconds < best.waited * sample.seconds) best = sample;
            if (undisturbed(sample.seconds, sample.waited)) break;
            busy = true;
            if (i > 0) retrySeconds -= sample.seconds;
            if (retrySeconds < 0 || !fits(sample.seconds)) break;
            afterDisturbance();
        }
        return best;
    }

    /// The one before may have left caches, clocks and sleeping threads in a state that its successor has to pay for: a
    /// naive schedule runs for a tenth of a second on one core.
    void warmUp(const Candidate &candidate, double once) {
        const double warmSeconds = kWarmShare * request.sampling.minRepeatSeconds;
        if (once < warmSeconds) time(candidate, static_cast<int64_t>(std::clamp(warmSeconds / once, 1.0, 1e6)));
    }

    void timeInterleaved() {
        retrySeconds = request.sampling.minRepeatSeconds * request.rounds * static_cast<double>(candidates.size());
        std::vector<double> once(candidates.size());
        for (size_t i = 0; i < candidates.size(); ++i) {
            report.kernel = static_cast<int32_t>(i);
            once[i] = onceOf(candidates[i]);
        }
        const double fastest = *std::min_element(once.begin(), once.end());
        std::vector<int> turns(candidates.size());
        std::vector<bool> coarse(candidates.size());
        for (size_t i = 0; i < candidates.size(); ++i) {
            turns[i] = samplesInTurn(once[i], fastest, request.sampling.minRepeatSeconds, request.rounds);
            coarse[i] = turns[i] < request.rounds;
        }
        std::vector<std::vector<SampleInTurn>> samples(candidates.size());
        for (int round = 0; round < request.rounds; ++round) {
            double roundSeconds = 0;
            // Every other round backwards, so that none always follows the same one.
            for (size_t k = 0; k < candidates.size(); ++k) {
                const size_t i = round % 2 == 0 ? k : candidates.size() - 1 - k;
                if (!takesPart(round, request.rounds, turns[i])) continue;
                report.kernel = static_cast<int32_t>(i);
                // One that is far slower is not tried again: its calls are long, and its time need not be precise.
                const Sample sample = coarse[i] ? time(candidates[i], 1) : leastDisturbed(candidates[i], once[i]);
                roundSeconds += sample.seconds;
                once[i] = std::min(once[i], sample.perCall());
                samples[i].push_back({sample.perCall(), undisturbed(sample.seconds, sample.waited),
                                      (sample.seconds - sample.waited) / static_cast<double>(sample.calls)});
            }
            if (!fits(roundSeconds)) break;
        }
        const std::vector<TurnSamples> compared = comparableSamples(samples, coarse);
        for (size_t i = 0; i < compared.size(); ++i) {
            for (const double perCall : compared[i].seconds) report.addSample(i, perCall);
            report.setLeast(i, compared[i].least);
        }
    }
};

} // namespace

void runKernels(const RunRequest &request, const SetupMessage &setup, const ReferenceView &reference, RunReport &report,
                const RunnerFactory &runnerFor, std::span<std::byte> answers) {
    KernelRun run{request, reference, report, answers, Clock::now(), {}, {}, 0, false};
    if (!run.load(setup, runnerFor)) return;
    try {
        report.phase = RunPhase::Checking;
        bool limited = false;
        for (size_t i = 0; i < run.candidates.size(); ++i) {
            report.kernel = static_cast<int32_t>(i);
            for (const GuardSide side : {GuardSide::End, GuardSide::Start}) {
                // Once is enough, and it cannot be raised again; the first check's buffers are counted in, the later
                // ones are no larger and take their place.
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
    } catch (const Error &problem) { // of the machine: memory that is not there, a launch that failed
        watchGuards({});
        report.fail(TrialError::RuntimeDevice, problem.what());
    }
}

} // namespace loopscope
