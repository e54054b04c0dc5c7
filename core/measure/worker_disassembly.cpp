#include "measure/worker.h"

#include "codegen/code_generator.h"
#include "isolate/channel.h"
#include "isolate/sandbox.h"
#include "isolate/system_calls.h"
#include "lower/lower.h"
#include "measure/messages.h"
#include "schedule/loop_state.h"
#include "schedule/steps_json.h"

#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

DisassemblyReply refused(std::string problem) {
    DisassemblyReply reply;
    reply.problem = std::move(problem);
    return reply;
}

DisassemblyReply list(const SetupMessage &setup, const DisassemblyRequest &request) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome<LoopState> state = replay(dagOf(setup), stepsFromJson(nlohmann::json::parse(request.steps)));
    if (!state) return refused(state.why());
    LowerOptions lowerOptions;
    lowerOptions.layoutRewrite = setup.layoutRewrite;
    const Outcome<LoopProgram> program = lower(*state, setup.target, lowerOptions);
    if (!program) return refused(program.why());
    commitBuildFault(request.fault);
    const Outcome<std::unique_ptr<CodeGenerator>> generator = makeCodeGenerator(setup.target);
    if (!generator) return refused(generator.why());
    Outcome<MachineCode> code =
        (*generator)
            ->compile(*program, {.wantIr = true, .wantAssembly = true, .debugLines = true, .wantRemarks = true});
    if (!code) return refused(code.why());
    DisassemblyReply reply;
    Disassembly &disassembly = reply.disassembly;
    disassembly.loops = printProgram(*program);
    const size_t bytes = disassembly.loops.size() + code->ir.text.size() + code->assembly.text.size();
    if (static_cast<int64_t>(bytes) > request.maxBytes)
        return refused(fmt::format("the code is {:.1f} MiB of text, more than the {:.1f} MiB allowed; unroll less",
                                   static_cast<double>(bytes) / (1 << 20),
                                   static_cast<double>(request.maxBytes) / (1 << 20)));
    disassembly.summary = summarizeAssembly(code->assembly, code->kernel.object);
    Outcome<HotBlock> hot = analyseHotBlock(*program, code->assembly, disassembly.summary, setup.target);
    if (hot)
        disassembly.hot = std::move(hot).value();
    else
        disassembly.hotProblem = hot.why();
    disassembly.remarks = std::move(code->remarks);
    disassembly.ir = std::move(code->ir);
    disassembly.assembly = std::move(code->assembly);
    disassembly.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return reply;
}

} // namespace

int serveDisassembly(Channel &channel, const SetupMessage &setup) {
    exitWhenOutOfMemory();
    limitMemory(setup.memoryLimitMiB);
    forbidFileWrites();
    (void)restrictSystemCalls(SystemCallList::Compiler); // the runner says when there is none
    const auto bytes = channel.receive();
    if (!bytes) return 0;
    DisassemblyReply reply;
    try {
        reply = list(setup, decodeDisassemblyRequest(*bytes));
    } catch (const std::exception &problem) {
        reply = refused(problem.what());
    }
    channel.send(encode(reply));
    return 0;
}

} // namespace loopscope
