// Assembly as shown: what is left out, and that the links of the rest stay exact.

#include "lowered_sample.h"
#include "test_program.h"
#include "views/program/assembly_bar.h"
#include "views/program/assembly_text.h"

#include <QTest>

using namespace loopscope;

namespace {

Disassembly small() {
    Disassembly disassembly;
    disassembly.assembly.text = "\t.text\n"                   // 1
                                "loopscope_kernel:\n"         // 2
                                "\txorl\t%eax, %eax\n"        // 3  from 1
                                "\t.p2align\t4, 0x90\n"       // 4
                                ".LBB0_1:  # %loop\n"         // 5
                                "\tvaddps\t%ymm0, %ymm1\n"    // 6  from 3
                                ".LBB0_2:\n"                  // 7  nobody jumps here
                                "\tjb\t.LBB0_1\n"             // 8  from 2
                                "\tretq\n"                    // 9  from 1
                                ".Lfunc_end0:\n"              // 10
                                "\t.size\tloopscope_kernel\n" // 11
                                "\n";                         // 12
    disassembly.assembly.links = {{3, 1}, {6, 3}, {8, 2}, {9, 1}};
    disassembly.summary.innermostLoops.push_back({5, 8, 1, 2, {3, 1, 2, 1, 0, 0}});
    return disassembly;
}

} // namespace

class AssemblyTextTest : public QObject {
    Q_OBJECT

  private slots:
    void everything() {
        const AssemblyText shown = showAssembly(small(), {});
        QCOMPARE(shown.text.toStdString(), small().assembly.text);
        QCOMPARE(shown.leftOut, 0);
        QCOMPARE(shown.shownLine(6), 6);
        QCOMPARE(shown.loops, (LineRanges{{5, 8}}));
    }

    void instructionsOnly() {
        const AssemblyText shown = showAssembly(small(), {.instructionsOnly = true});
        QCOMPARE(shown.text, QStringLiteral("loopscope_kernel:\n"
                                            "\txorl\t%eax, %eax\n"
                                            ".LBB0_1:  # %loop\n"
                                            "\tvaddps\t%ymm0, %ymm1\n"
                                            "\tjb\t.LBB0_1\n"
                                            "\tretq\n"));
        QCOMPARE(shown.map.programLine(4), 3);
        QCOMPARE(shown.map.programLine(5), 2);
        QCOMPARE(shown.shownLine(6), 4);
        QCOMPARE(shown.shownLine(7), 5); // left out: the next one
        QCOMPARE(shown.shownLine(12), 0);
        QCOMPARE(shown.loops, (LineRanges{{3, 5}}));
        QCOMPARE(shown.leftOut, 6);
    }

    void selectedOnly() {
        AssemblyFilter filter;
        filter.selectedOnly = true;
        filter.programLines = {{2, 3}};
        const AssemblyText shown = showAssembly(small(), filter);
        QCOMPARE(shown.text, QStringLiteral(".LBB0_1:  # %loop\n\tvaddps\t%ymm0, %ymm1\n.LBB0_2:\n\tjb\t.LBB0_1\n"));
        QCOMPARE(shown.map.programLine(2), 3);
        filter.programLines = {};
        QCOMPARE(showAssembly(small(), filter).text, QString());
    }

    void ptxWithoutDirectives() {
        LinkedText ptx;
        ptx.text = ".version 7.0\n"                     // 1
                   ".visible .entry f_kernel0(\n"       // 2
                   ")\n"                                // 3
                   "{\n"                                // 4
                   "\t.reg .b32 \t%r<3>;\n"             // 5
                   "\tmov.u32 \t%r1, %tid.x;\n"         // 6  from 2
                   "$L__BB0_1:\n"                       // 7
                   "\t@%p1 bra \t$L__BB0_1;\n"          // 8  from 3
                   "$L__BB0_2:                // end\n" // 9  nobody jumps here
                   "\tret;\n"                           // 10
                   "}\n";                               // 11
        ptx.links = {{6, 2}, {8, 3}};
        const AssemblyText shown = showAssembly(ptx, {}, AssemblySyntax::Ptx, {.instructionsOnly = true});
        QCOMPARE(shown.text, QStringLiteral(".visible .entry f_kernel0(\n\tmov.u32 \t%r1, %tid.x;\n$L__BB0_1:\n"
                                            "\t@%p1 bra \t$L__BB0_1;\n\tret;\n}\n"));
        QCOMPARE(shown.map.programLine(2), 2);
        QCOMPARE(shown.map.programLine(4), 3);
    }

    void sassOfTheSelectedLoop() {
        LinkedText sass;
        sass.text = "f_kernel0:\n"                    // 1
                    "    /*0000*/  MOV R1, R2 ;\n"    // 2  from 1
                    ".L_x_1:\n"                       // 3
                    "    /*0010*/  FFMA R1 ;\n"       // 4  from 3
                    "    /*0020*/  BRA `(.L_x_1);\n"; // 5  from 2
        sass.links = {{2, 1}, {4, 3}, {5, 2}};
        AssemblyFilter filter;
        filter.selectedOnly = true;
        filter.programLines = {{2, 3}};
        const AssemblyText shown = showAssembly(sass, {}, AssemblySyntax::Sass, filter);
        QCOMPARE(shown.text, QStringLiteral(".L_x_1:\n    /*0010*/  FFMA R1 ;\n    /*0020*/  BRA `(.L_x_1);\n"));
        QCOMPARE(shown.map.programLine(2), 3);
    }

    void realCodeKeepsItsLinks() {
        const Analysis analysis = analysedText(kMatmulText);
        const RepresentationsPtr representations = makeRepresentations(*analysis.task, {}, tiledMatmul(), 0);
        const Disassembly disassembly = disassemblyOf(*analysis.task, *representations);
        const LineMap all(disassembly.assembly.links);
        const QStringList before = QString::fromStdString(disassembly.assembly.text).split(QLatin1Char('\n'));
        AssemblyFilter filter;
        filter.instructionsOnly = true;
        const AssemblyText shown = showAssembly(disassembly, filter);
        const QStringList after = shown.text.split(QLatin1Char('\n'));
        QCOMPARE(static_cast<size_t>(after.size()), shown.original.size() + 1);
        QVERIFY(after.size() < before.size());
        for (size_t i = 0; i < shown.original.size(); ++i) {
            QCOMPARE(after[static_cast<int>(i)], before[shown.original[i] - 1]);
            QCOMPARE(shown.map.programLine(static_cast<int>(i) + 1), all.programLine(shown.original[i]));
        }
        QVERIFY(!shown.loops.empty());
    }

    void summaryInWords() {
        AssemblySummary summary;
        summary.vectorRegistersUsed = 15;
        summary.gpRegistersUsed = 9;
        summary.counts = {412, 32, 12, 4, 0, 0};
        summary.bytes = 2048;
        QCOMPARE(
            summaryText(summary).simplified(),
            QStringLiteral("15 vector, 9 general registers \u00b7 no spills \u00b7 no stack \u00b7 412 instructions "
                           "\u00b7 2.000 KiB"));
        summary.counts.spillStores = 1;
        summary.counts.spillReloads = 3;
        summary.stackBytes = 640;
        QVERIFY(summaryText(summary).contains(QStringLiteral("spills: 1 store, 3 reloads")));
        QCOMPARE(countsText({48, 32, 12, 1, 0, 0}), QStringLiteral("48 instructions: 32 FMA, 12 loads, 1 store"));
    }

    void theHeaviestLoopFirst() {
        AssemblySummary summary;
        summary.innermostLoops = {
            {1, 2, 1, 0, {50, 0, 0, 0, 0, 0}}, {3, 4, 1, 0, {20, 8, 0, 0, 0, 0}}, {5, 6, 1, 0, {90, 0, 0, 0, 0, 0}}};
        QCOMPARE(loopsByWeight(summary), (std::vector<size_t>{1, 2, 0}));
    }
};

LOOPSCOPE_TEST(AssemblyTextTest)
#include "assembly_text_test.moc"
