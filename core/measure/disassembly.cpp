#include "measure/disassembly.h"

#include "isolate/child_process.h"
#include "isolate/sandbox.h"
#include "isolate/wire.h"
#include "measure/messages.h"
#include "schedule/steps_json.h"

#include <fmt/format.h>
#include <sys/wait.h>

namespace loopscope {

namespace {

Outcome<Disassembly> listInChild(const SetupMessage &setup, const DisassemblyRequest &request,
                                 const DisassemblyOptions &options, const std::atomic<bool> *cancel) {
    SpawnThread spawner;
    ChildProcess child(spawner, workerProgram(options.workerPath), "list");
    std::string message;
    auto wait = ChildProcess::Wait::Ended;
    if (child.channel().send(encode(setup)) && child.channel().send(encode(request)))
        wait = child.waitForMessage(message, options.timeout, cancel);
    switch (wait) {
    case ChildProcess::Wait::Message:
        break;
    case ChildProcess::Wait::Cancelled:
        return Refusal{"disassembling the code was cancelled"};
    case ChildProcess::Wait::TimedOut:
        return Refusal{fmt::format("the compiler came to no end within {:g} s", options.timeout)};
    case ChildProcess::Wait::Ended:
        const std::string ending = child.howItEnded();
        if (WIFEXITED(child.status()) && WEXITSTATUS(child.status()) == kOutOfMemoryExit)
            return Refusal{fmt::format("out of memory: the compiler asked for more than the {} MiB allowed",
                                       options.memoryLimitMiB)};
        return Refusal{"the compiler " + ending + child.startAdvice()};
    }
    DisassemblyReply reply = decodeDisassemblyReply(message);
    if (!reply.problem.empty()) return Refusal{std::move(reply.problem)};
    return std::move(reply.disassembly);
}

} // namespace

Outcome<Disassembly> disassembleSchedule(const Task &task, const Steps &steps, int layoutRewrite,
                                         const DisassemblyOptions &options, const std::atomic<bool> *cancel) {
    try {
        SetupMessage setup = makeSetup(task);
        setup.layoutRewrite = layoutRewrite;
        setup.memoryLimitMiB = options.memoryLimitMiB;
        return listInChild(setup, {stepsText(steps), options.maxBytes, options.fault}, options, cancel);
    } catch (const Error &problem) {
        return Refusal{problem.what()};
    } catch (const WireError &problem) {
        return Refusal{problem.what()};
    }
}

} // namespace loopscope
