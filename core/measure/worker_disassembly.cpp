#include "measure/worker.h"

#include "base/isolate/channel.h"
#include "base/isolate/sandbox.h"
#include "base/isolate/system_calls.h"
#include "codegen/code_generator.h"
#include "codegen/lower/lower.h"
#include "codegen/standalone_code.h"
#include "measure/messages.h"
#include "schedule/loop_state.h"
#include "schedule/steps_json.h"

#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

template <typename Reply> Reply refused(std::string problem) {
    Reply reply;
    reply.problem = std::move(problem);
    return reply;
}

Outcome<LoopProgram> programOf(const SetupMessage &setup, const std::string &steps) {
    const Outcome<LoopState> state = replay(dagOf(setup), stepsFromJson(nlohmann::json::parse(steps)));
    if (!state) return state.refusal();
    LowerOptions lowerOptions;
    lowerOptions.layoutRewrite = setup.layoutRewrite;
    return lower(*state, setup.target, lowerOptions);
}

std::string tooMuch(size_t bytes, int64_t most) {
    return fmt::format("the code is {:.1f} MiB of text, more than the {:.1f} MiB allowed; unroll less",
                       static_cast<double>(bytes) / (1 << 20), static_cast<double>(most) / (1 << 20));
}

DisassemblyReply list(const SetupMessage &setup, const DisassemblyRequest &request) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome<LoopProgram> program = programOf(setup, request.steps);
    if (!program) return refused<DisassemblyReply>(program.why());
    commitBuildFault(request.fault);
    const Outcome<std::unique_ptr<CodeGenerator>> generator = makeCodeGenerator(setup.target);
    if (!generator) return refused<DisassemblyReply>(generator.why());
    Outcome<MachineCode> code =
        (*generator)
            ->compile(*program, {.wantIr = true, .wantAssembly = true, .debugLines = true, .wantRemarks = true});
    if (!code) return refused<DisassemblyReply>(code.why());
    DisassemblyReply reply;
    Disassembly &disassembly = reply.disassembly;
    disassembly.loops = printProgram(*program);
    const size_t bytes = disassembly.loops.size() + code->ir.text.size() + code->assembly.text.size();
    if (static_cast<int64_t>(bytes) > request.maxBytes)
        return refused<DisassemblyReply>(tooMuch(bytes, request.maxBytes));
    if (setup.target.isGpu()) {
        disassembly.hotProblem = "PTX is no machine code yet";
    } else {
        disassembly.summary = summarizeAssembly(code->assembly, code->kernel.object);
        Outcome<HotBlock> hot = analyseHotBlock(*program, code->assembly, disassembly.summary, setup.target);
        if (hot)
            disassembly.hot = std::move(hot).value();
        else
            disassembly.hotProblem = hot.why();
    }
    disassembly.remarks = std::move(code->remarks);
    disassembly.ir = std::move(code->ir);
    disassembly.assembly = std::move(code->assembly);
    disassembly.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return reply;
}

StandaloneReply standAlone(const SetupMessage &setup, const StandaloneRequest &request) {
    const Outcome<LoopProgram> program = programOf(setup, request.steps);
    if (!program) return refused<StandaloneReply>(program.why());
    commitBuildFault(request.fault);
    Outcome<StandaloneCode> code = makeStandaloneCode(*program, setup.target, request.function);
    if (!code) return refused<StandaloneReply>(code.why());
    const size_t bytes = code->ir.size() + code->assembly.size();
    if (static_cast<int64_t>(bytes) > request.maxBytes)
        return refused<StandaloneReply>(tooMuch(bytes, request.maxBytes));
    StandaloneReply reply;
    reply.code = std::move(code).value();
    return reply;
}

/// What `work` makes of it, or the reply that tells what it threw.
template <typename Reply, typename Work> std::string answered(Work &&work) {
    try {
        return encode(work());
    } catch (const std::exception &problem) {
        return encode(refused<Reply>(problem.what()));
    }
}

} // namespace

int serveDisassembly(Channel &channel, const SetupMessage &setup) {
    exitWhenOutOfMemory();
    limitMemory(setup.memoryLimitMiB);
    forbidFileWrites();
    (void)restrictSystemCalls(SystemCallList::Compiler); // the runner says when there is none
    const auto bytes = channel.receive();
    if (!bytes) return 0;
    if (kindOf(*bytes) == MessageKind::Standalone)
        channel.send(answered<StandaloneReply>([&] { return standAlone(setup, decodeStandaloneRequest(*bytes)); }));
    else
        channel.send(answered<DisassemblyReply>([&] { return list(setup, decodeDisassemblyRequest(*bytes)); }));
    return 0;
}

} // namespace loopscope
