#include "measure/disassembly.h"

#include "base/isolate/child_process.h"
#include "base/isolate/sandbox.h"
#include "base/isolate/wire.h"
#include "measure/messages.h"
#include "measure/standalone_build.h"
#include "schedule/steps_json.h"

#include <fmt/format.h>
#include <sys/wait.h>

namespace loopscope {

namespace {

/// Asks a child and waits for what it answers; the refusal says why there is no answer.
template <typename Request>
Outcome<std::string> askChild(const SetupMessage &setup, const Request &request, const DisassemblyOptions &options,
                              const std::atomic<bool> *cancel, const char *what) {
    SpawnThread spawner;
    const std::string program = workerProgram(options.workerPath);
    ChildProcess child(spawner, program, "list");
    std::string message;
    auto wait = ChildProcess::Wait::Ended;
    if (child.channel().send(encode(setup)) && child.channel().send(encode(request)))
        wait = child.waitForMessage(message, options.timeout, cancel);
    switch (wait) {
    case ChildProcess::Wait::Message:
        break;
    case ChildProcess::Wait::Cancelled:
        return Refusal{fmt::format("{} was cancelled", what)};
    case ChildProcess::Wait::TimedOut:
        return Refusal{fmt::format("the compiler came to no end within {:g} s", options.timeout)};
    case ChildProcess::Wait::Ended:
        const std::string ending = child.howItEnded();
        if (WIFEXITED(child.status()) && WEXITSTATUS(child.status()) == kOutOfMemoryExit)
            return Refusal{fmt::format("out of memory: the compiler asked for more than the {} MiB allowed",
                                       options.memoryLimitMiB)};
        return Refusal{"the compiler " + ending + child.startAdvice()};
    }
    if (kindOf(message) == MessageKind::Ready) { // it did not come to the request
        const std::string problem = decodeReady(message).problem;
        return Refusal{problem == kOtherBuild ? fmt::format("{}: {}", program, problem) : problem};
    }
    return message;
}

SetupMessage setupOf(const Task &task, int layoutRewrite, const DisassemblyOptions &options) {
    SetupMessage setup = makeSetup(task);
    setup.layoutRewrite = layoutRewrite;
    setup.memoryLimitMiB = options.memoryLimitMiB;
    return setup;
}

} // namespace

Outcome<Disassembly> disassembleSchedule(const Task &task, const Steps &steps, int layoutRewrite,
                                         const DisassemblyOptions &options, const std::atomic<bool> *cancel) {
    try {
        const Outcome<std::string> answer =
            askChild(setupOf(task, layoutRewrite, options),
                     DisassemblyRequest{stepsText(steps), options.maxBytes, options.fault}, options, cancel,
                     "disassembling the code");
        if (!answer) return answer.refusal();
        DisassemblyReply reply = decodeDisassemblyReply(*answer);
        if (!reply.problem.empty()) return Refusal{std::move(reply.problem)};
        return std::move(reply.disassembly);
    } catch (const Error &problem) {
        return Refusal{problem.what()};
    } catch (const WireError &problem) {
        return Refusal{problem.what()};
    }
}

Outcome<StandaloneCode> buildStandalone(const Task &task, const Steps &steps, int layoutRewrite,
                                        const std::string &function, const DisassemblyOptions &options,
                                        const std::atomic<bool> *cancel) {
    try {
        const Outcome<std::string> answer =
            askChild(setupOf(task, layoutRewrite, options),
                     StandaloneRequest{stepsText(steps), function, options.maxBytes, options.fault}, options, cancel,
                     "compiling the code");
        if (!answer) return answer.refusal();
        StandaloneReply reply = decodeStandaloneReply(*answer);
        if (!reply.problem.empty()) return Refusal{std::move(reply.problem)};
        return std::move(reply.code);
    } catch (const Error &problem) {
        return Refusal{problem.what()};
    } catch (const WireError &problem) {
        return Refusal{problem.what()};
    }
}

} // namespace loopscope
