// The texts a person reads: links from lines of assembly and IR to lines of the printed program.
#include "harness/kernel_check.h"
#include "harness/naive_program.h"
#include "harness/sample_dags.h"
#include "test_program.h"

#include <QtTest>

using namespace loopscope;

namespace {

std::vector<std::string> linesOf(const std::string &text) {
    std::vector<std::string> lines;
    size_t at = 0;
    while (at < text.size()) {
        const size_t end = text.find('\n', at);
        lines.push_back(text.substr(at, end - at));
        at = end == std::string::npos ? text.size() : end + 1;
    }
    return lines;
}

} // namespace

class DisassemblyTest : public QObject {
    Q_OBJECT

  private slots:
    void linksReachTheStatement() {
        const DagPtr dag = matmulDag(16, 16, 16);
        const LoopProgram program = naiveProgram(dag, {LoopKind::Vectorized, LoopKind::Serial});
        const std::vector<std::string> printed = linesOf(printProgram(program));
        CodegenOptions options;
        options.wantAssembly = options.wantIr = options.debugLines = true;
        const Outcome<MachineCode> code = hostCompiler().compile(program, options);
        QVERIFY2(code.ok(), code ? "" : code.why().c_str());

        const auto check = [&](const LinkedText &text, const std::string &opcode) {
            const std::vector<std::string> lines = linesOf(text.text);
            int fromUpdate = 0;
            for (const LineLink &link : text.links) {
                QVERIFY(link.textLine >= 1 && size_t(link.textLine) <= lines.size());
                QVERIFY(link.programLine >= 1 && size_t(link.programLine) <= printed.size());
                if (lines[size_t(link.textLine) - 1].find(opcode) == std::string::npos) continue;
                // The multiplication comes from the one statement that multiplies.
                const std::string &statement = printed[size_t(link.programLine) - 1];
                QVERIFY2(statement.find('*') != std::string::npos, statement.c_str());
                ++fromUpdate;
            }
            QVERIFY(fromUpdate > 0);
            for (const std::string &line : lines) {
                QVERIFY2(line.find(".loc") == std::string::npos && line.find("!dbg") == std::string::npos &&
                             line.find("@line") == std::string::npos && line.find("debug_") == std::string::npos,
                         line.c_str());
            }
        };
        check(code->assembly, hostCompilerHasFma() ? "vfmadd" : "mulps");
        check(code->ir, "fmul");
    }

    void refusesWhatACpuDoesNotHave() {
        const DagPtr dag = matmulDag(16, 16, 16);
        const LoopProgram program = naiveProgram(dag, {LoopKind::ThreadX, LoopKind::Serial});
        const Outcome<MachineCode> code = hostCompiler().compile(program);
        QVERIFY(!code.ok());
        QVERIFY2(code.why().find("bound to") != std::string::npos, code.why().c_str());
    }

  private:
    static bool hostCompilerHasFma() { return __builtin_cpu_supports("fma"); }
};

LOOPSCOPE_TEST(DisassemblyTest)
#include "disassembly_test.moc"
