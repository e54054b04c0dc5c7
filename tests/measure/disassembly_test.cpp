// Texts of a schedule through a child: as compiled in this process, whatever goes wrong there is one sentence here, and
// no process stays behind.

#include <QTest>

#include "codegen/code_generator.h"
#include "codegen/lower/lower.h"
#include "harness/sample_dags.h"
#include "measure/disassembly.h"
#include "process_watch.h"
#include "test_program.h"

#include <algorithm>
#include <string>
#include <thread>
#include <unistd.h>

using namespace loopscope;

namespace disassembly_test {

namespace {

Task task() { return makeTask(matmulDag(64, 64, 64), parseTarget("llvm")); }

/// i and k exchanged, j vectorised.
Steps vectorColumns() {
    return {SplitStep{StageId(2), IterId(1), 64, {16}, true},
            ReorderStep{StageId(2), {IterId(0), IterId(3), IterId(1), IterId(2)}},
            AnnotateStep{StageId(2), IterId(3), Annotation::Vectorize}};
}

DisassemblyOptions quick(Fault fault = Fault::None) {
    DisassemblyOptions options;
    options.workerPath = LOOPSCOPE_BIN_DIR "/loopscope-worker";
    options.fault = fault;
    return options;
}

} // namespace

class DisassemblyTest : public QObject {
    Q_OBJECT
  private slots:
    void cleanup() { QVERIFY(descendants(::getpid()).empty()); }

    void theTextsAreThoseOfThisProcess() {
        const Task own = task();
        const auto disassembly = disassembleSchedule(own, vectorColumns(), 2, quick());
        QVERIFY2(disassembly.ok(), disassembly ? "" : disassembly.why().c_str());
        const auto state = replay(own.dag, vectorColumns());
        QVERIFY(state.ok());
        LowerOptions lowerOptions;
        lowerOptions.layoutRewrite = 2;
        const auto program = lower(*state, own.target, lowerOptions);
        QVERIFY(program.ok());
        const auto generator = makeCodeGenerator(own.target);
        QVERIFY(generator.ok());
        const auto code = (*generator)->compile(*program, {.wantIr = true, .wantAssembly = true, .debugLines = true});
        QVERIFY(code.ok());
        QCOMPARE(disassembly->loops, printProgram(*program));
        QCOMPARE(disassembly->ir.text, code->ir.text);
        QCOMPARE(disassembly->assembly.text, code->assembly.text);
        QCOMPARE(disassembly->assembly.links.size(), code->assembly.links.size());
        QVERIFY(!disassembly->assembly.links.empty());
        const AssemblySummary direct = summarizeAssembly(code->assembly, code->kernel.object);
        QCOMPARE(disassembly->summary.counts.instructions, direct.counts.instructions);
        QCOMPARE(disassembly->summary.bytes, direct.bytes);
        QCOMPARE(disassembly->summary.innermostLoops.size(), direct.innermostLoops.size());
        QVERIFY(direct.bytes > 0 && !direct.innermostLoops.empty());
        const auto hot = analyseHotBlock(*program, code->assembly, direct, own.target);
        QVERIFY(hot.ok());
        QVERIFY2(disassembly->hotProblem.empty(), disassembly->hotProblem.c_str());
        QCOMPARE(disassembly->hot.mix, hot->mix);
        QCOMPARE(disassembly->hot.firstLine, hot->firstLine);
        QCOMPARE(disassembly->hot.iterations, hot->iterations);
        QVERIFY(hot->mix.total() > 0 && hot->iterations > 1);
        QCOMPARE(disassembly->hot.pressure.model, hot->pressure.model);
        QCOMPARE(disassembly->hot.pressure.cycles, hot->pressure.cycles);
        QCOMPARE(disassembly->hot.pressure.ports.size(), hot->pressure.ports.size());
        QVERIFY(!hot->pressure.ports.empty());
    }

    /// The naive sum cannot be reordered; the loop it is said of is k.
    void remarksComeFromTheChild() {
        const auto disassembly = disassembleSchedule(task(), {}, 0, quick());
        QVERIFY2(disassembly.ok(), disassembly ? "" : disassembly.why().c_str());
        const auto &remarks = disassembly->remarks;
        QVERIFY(std::any_of(remarks.begin(), remarks.end(), [](const CompilerRemark &remark) {
            return remark.pass == "loop-vectorize" && remark.ofCopy && remark.programLine > 0 &&
                   remark.text.find("floating-point") != std::string::npos;
        }));
    }

    void whatIsIllegalIsRefusedInTheSameWords() {
        const Steps illegal = {SplitStep{StageId(9), IterId(0), 64, {4}, true}};
        const auto disassembly = disassembleSchedule(task(), illegal, 0, quick());
        QVERIFY(!disassembly.ok());
        QCOMPARE(disassembly.why(), replay(task().dag, illegal).why());
    }

    void aCrashIsASentence() {
        const auto disassembly = disassembleSchedule(task(), {}, 0, quick(Fault::BuildCrash));
        QVERIFY(!disassembly.ok());
        QVERIFY2(disassembly.why().starts_with("the compiler "), disassembly.why().c_str());
        // Under sanitizers the last thing it says is theirs.
        const auto says = [&](const char *word) { return disassembly.why().find(word) != std::string::npos; };
        QVERIFY2(says("SIGSEGV") || says("Sanitizer") || says("ABORTING"), disassembly.why().c_str());
    }

    void anEndlessCompilationTimesOut() {
        DisassemblyOptions options = quick(Fault::BuildHang);
        options.timeout = 0.5;
        const auto disassembly = disassembleSchedule(task(), {}, 0, options);
        QVERIFY(!disassembly.ok());
        QCOMPARE(disassembly.why(), "the compiler came to no end within 0.5 s");
    }

    void cancelAnswersSoon() {
        std::atomic<bool> cancel = false;
        std::chrono::steady_clock::time_point cancelled;
        std::thread canceller([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            cancelled = std::chrono::steady_clock::now();
            cancel = true;
        });
        const auto disassembly = disassembleSchedule(task(), {}, 0, quick(Fault::BuildHang), &cancel);
        const auto waited = std::chrono::steady_clock::now() - cancelled;
        canceller.join();
        QVERIFY(!disassembly.ok());
        QCOMPARE(disassembly.why(), "disassembling the code was cancelled");
        QVERIFY(waited < std::chrono::seconds(10));
    }

    void tooMuchTextIsRefused() {
        DisassemblyOptions options = quick();
        options.maxBytes = 1000;
        const auto disassembly = disassembleSchedule(task(), {}, 0, options);
        QVERIFY(!disassembly.ok());
        QVERIFY2(disassembly.why().find("more than") != std::string::npos, disassembly.why().c_str());
    }

    void aMissingWorkerIsASentence() {
        DisassemblyOptions options = quick();
        options.workerPath = "/nowhere/loopscope-worker";
        const auto disassembly = disassembleSchedule(task(), {}, 0, options);
        QVERIFY(!disassembly.ok());
        QVERIFY2(disassembly.why().find("/nowhere/loopscope-worker") != std::string::npos, disassembly.why().c_str());
    }
};

LOOPSCOPE_TEST(DisassemblyTest)

} // namespace disassembly_test
#include "disassembly_test.moc"
