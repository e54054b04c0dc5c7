// Numbers read from assembly: counted by hand for a text made for it, and plausible for real kernels.

#include "codegen/assembly_summary.h"
#include "harness/kernel_check.h"
#include "harness/naive_program.h"
#include "harness/sample_dags.h"
#include "test_program.h"

#include <QtTest>

using namespace loopscope;

namespace {

const char *const kText = "\t.text\n"
                          "kernel:\n"
                          "# %bb.0:\n"
                          "\tpushq\t%rbp\n"
                          "\tpushq\t%r15\n"
                          "\tsubq\t$104, %rsp\n"
                          "\tmovq\t(%rdi), %rax\n"
                          "\tmovq\t%rsi, 8(%rsp)                   # 8-byte Spill\n"
                          "\t.p2align\t4, 0x90\n"
                          ".LBB0_1:\n"
                          "# =>This Loop Header: Depth=1\n"
                          "\txorl\t%ecx, %ecx\n"
                          ".LBB0_2:\n"
                          "                                        # =>  This Inner Loop Header: Depth=2\n"
                          "\tvmovups\t(%rax,%rcx,4), %ymm0\n"
                          "\tvfmadd231ps\t32(%rax,%rcx,4), %ymm1, %ymm0 # ymm0 = (ymm1 * mem) + ymm0\n"
                          "\tvfmadd231ps\t64(%rsp), %ymm1, %ymm0 # 32-byte Folded Reload\n"
                          "\tcmpq\t$3, (%rdx)\n"
                          "\tje\t.LBB0_4\n"
                          "# %bb.3:                                #   in Loop: Header=BB0_2 Depth=2\n"
                          "\tvmovups\t%xmm0, (%rax,%rcx,4)\n"
                          "\taddl\t$1, 4(%rdx)\n"
                          ".LBB0_4:                                #   in Loop: Header=BB0_2 Depth=2\n"
                          "\tincq\t%rcx\n"
                          "\tjne\t.LBB0_2\n"
                          "# %bb.5:                                #   in Loop: Header=BB0_1 Depth=1\n"
                          "\tdecl\t%r8d\n"
                          "\tjne\t.LBB0_1\n"
                          "# %bb.6:\n"
                          "\tleaq\t(%rax,%rcx), %rdx\n"
                          "\tretq\n";

} // namespace

class AssemblySummaryTest : public QObject {
    Q_OBJECT
  private slots:
    void countsWhatAPersonCounts() {
        const LinkedText text{kText, {{15, 7}, {16, 8}, {17, 8}, {22, 9}}};
        const AssemblySummary summary = summarizeAssembly(text, {});
        QCOMPARE(summary.counts.instructions, 19);
        QCOMPARE(summary.counts.fmas, 2);
        QCOMPARE(summary.counts.loads, 6); // one into rax, three vectors, one compared, one added to
        QCOMPARE(summary.counts.stores, 3);
        QCOMPARE(summary.counts.spillStores, 1);
        QCOMPARE(summary.counts.spillReloads, 1);
        QCOMPARE(summary.stackBytes, int64_t(120));
        QCOMPARE(summary.vectorRegistersUsed, 2);
        QCOMPARE(summary.gpRegistersUsed, 8); // rbp r15 rdi rax rsi rcx rdx r8
        QCOMPARE(summary.bytes, int64_t(0));
        QCOMPARE(summary.innermostLoops.size(), size_t(1));
        const AssemblyLoop &loop = summary.innermostLoops.front();
        QCOMPARE(loop.firstLine, 15);
        QCOMPARE(loop.lastLine, 25);
        QCOMPARE(loop.depth, 2);
        QCOMPARE(loop.programLine, 8);
        QCOMPARE(loop.counts.instructions, 9);
        QCOMPARE(loop.counts.fmas, 2);
        QCOMPARE(loop.counts.loads, 5);
        QCOMPARE(loop.counts.stores, 2);
        QCOMPARE(loop.counts.spillReloads, 1);
    }

    void aRealKernelIsSummedUp() {
        const LoopProgram program = naiveProgram(matmulDag(64, 64, 64), {LoopKind::Vectorized, LoopKind::Serial});
        CodegenOptions options;
        options.wantAssembly = options.debugLines = true;
        const Outcome<MachineCode> code = hostCompiler().compile(program, options);
        QVERIFY(code.ok());
        const AssemblySummary summary = summarizeAssembly(code->assembly, code->kernel.object);
        QVERIFY(summary.bytes > summary.counts.instructions && summary.bytes < 15 * summary.counts.instructions);
        QVERIFY(summary.vectorRegistersUsed > 0 && summary.vectorRegistersUsed <= 32);
        QVERIFY(summary.gpRegistersUsed > 0 && summary.gpRegistersUsed <= 15);
        QVERIFY(!summary.innermostLoops.empty());
        if (__builtin_cpu_supports("fma")) QVERIFY(summary.counts.fmas > 0);
        int inLoops = 0;
        for (const AssemblyLoop &loop : summary.innermostLoops) {
            QVERIFY(loop.firstLine > 0 && loop.lastLine >= loop.firstLine && loop.depth > 0);
            QVERIFY(loop.programLine > 0);
            inLoops += loop.counts.instructions;
        }
        QVERIFY(inLoops < summary.counts.instructions);
    }

    void nothingIsNothing() {
        const AssemblySummary summary = summarizeAssembly({}, {});
        QCOMPARE(summary.counts.instructions, 0);
        QVERIFY(summary.innermostLoops.empty());
    }
};

LOOPSCOPE_TEST(AssemblySummaryTest)
#include "assembly_summary_test.moc"
