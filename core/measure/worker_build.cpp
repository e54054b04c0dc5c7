#include "measure/worker.h"

#include "base/isolate/channel.h"
#include "base/isolate/sandbox.h"
#include "base/isolate/system_calls.h"
#include "codegen/code_generator.h"
#include "codegen/kernel_limits/kernel_limits.h"
#include "codegen/lower/lower.h"
#include "measure/executor_check.h"
#include "measure/messages.h"
#include "schedule/loop_state.h"
#include "schedule/steps_json.h"

#include <chrono>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

class Builder {
  public:
    explicit Builder(const SetupMessage &setup)
        : m_target(setup.target), m_layoutRewrite(setup.layoutRewrite), m_dag(dagOf(setup)),
          m_onExecutor(setup.runner == RunnerKind::Executor) {
        if (m_onExecutor) return; // it runs the loops themselves
        Outcome<std::unique_ptr<CodeGenerator>> generator = makeCodeGenerator(m_target);
        if (!generator) throw Error(generator.why());
        m_generator = std::move(generator).value();
    }

    BuildReply build(const BuildRequest &request) {
        BuildReply reply;
        TrialError stage = TrialError::Instantiation;
        try {
            const Steps steps = stepsFromJson(nlohmann::json::parse(request.steps));
            const Outcome<LoopState> state = replay(m_dag, steps);
            if (!state.ok()) return failure(stage, state.why());
            LowerOptions options;
            options.layoutRewrite = m_layoutRewrite;
            const Outcome<LoopProgram> program = lower(*state, m_target, options);
            if (!program.ok()) return failure(stage, program.why());
            // The executor would run what no GPU does, and compilers would find some of it only at the launch.
            if (m_target.isGpu())
                if (const auto exceeded = exceededLimit(*program, m_target)) return failure(stage, exceeded->sentence);
            stage = TrialError::CompileHost;
            commitBuildFault(request.fault);
            if (m_onExecutor) {
                Outcome<BuiltKernel> built = buildForExecutor(*program, request.steps);
                if (!built.ok()) return failure(stage, built.why());
                reply.kernel = std::move(built).value();
                return reply;
            }
            Outcome<MachineCode> code = m_generator->compile(*program);
            if (!code.ok()) return failure(stage, code.why());
            reply.kernel = std::move(code->kernel);
        } catch (const std::exception &problem) {
            return failure(stage, problem.what());
        }
        return reply;
    }

  private:
    static BuildReply failure(TrialError error, const std::string &reason) {
        BuildReply reply;
        reply.error = error;
        reply.reason = reason;
        return reply;
    }

    Target m_target;
    int m_layoutRewrite;
    DagPtr m_dag;
    bool m_onExecutor;
    std::unique_ptr<CodeGenerator> m_generator; // none where nothing is compiled
};

} // namespace

int serveBuilds(Channel &channel) {
    exitWhenOutOfMemory();
    std::map<int, Builder> builders; // by task
    while (const auto bytes = channel.receive()) {
        if (kindOf(*bytes) == MessageKind::Setup) {
            const SetupMessage setup = decodeSetup(*bytes);
            const bool first = builders.empty();
            ReadyMessage ready;
            try {
                builders.try_emplace(setup.task, setup);
            } catch (const std::exception &problem) {
                ready.problem = problem.what();
            }
            if (first) { // all tasks of a pool have the same limits
                limitMemory(setup.memoryLimitMiB);
                forbidFileWrites();
                (void)restrictSystemCalls(SystemCallList::Compiler); // the runner says when there is none
            }
            if (!channel.send(encode(ready))) return 0;
            continue;
        }
        const auto start = std::chrono::steady_clock::now();
        const BuildRequest request = decodeBuildRequest(*bytes);
        BuildReply reply = builders.at(request.task).build(request);
        reply.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (!channel.send(encode(reply))) return 0;
    }
    return 0;
}

} // namespace loopscope
