// What programs are refused for, before they run: a sentence for each rule, from a program that is right but for one
// thing; and what is no text of a program.

#include "test_program.h"
#include "vm_programs.h"

#include <QTest>

using namespace loopscope;

namespace vm_refusals_test {

namespace {

const char *const kNet = R"(network t
func main(x: float32[n, 3], c: bool[]) {
  w = constant float32[3] 2.0
  effect {
    a = mul(x, w)
    y = if(c, a, then = "up", else = "down")
    z: float32[n, 3] = match(y)
  } yield z
  return z
}
func up(x: float32[n, 3]) { y = clip(x, _, 1.0) return y }
func down(x: float32[n, 3]) { y = relu(x) return y }
)";

const char *const kProgram = R"(program "t"
func "main"(t0 "x": float32[n, 3], t1 "c": bool[]) symbols ("n" = i0) tensors 6 integers 3 stacks 1 {
  0: const t2 = "w"
  1: kernel t3 = "mul"(t0, t2) @ 0 "a"
  2: free t0
  3: free t2
  4: item i1 = t1 bool "the condition" @ 1 "y"
  5: free t1
  6: branch i1, 7, 9
  7: call t4 = "up"(t3) @ 1 "y"
  8: jump 10
  9: call t4 = "down"(t3) @ 1 "y"
 10: free t3
 11: match t5 = t4 float32[n, 3] @ 2 "z"
 12: free t4
 13: ret (t5)
}
func "up"(t0 "x": float32[n, 3]) symbols ("n" = i0) tensors 3 integers 1 stacks 0 {
  0: const t1 = "CONSTANT"
  1: kernel t2 = "clip"(t0, _, t1) @ 0 "y"
  2: free t0
  3: free t1
  4: ret (t2)
}
func "down"(t0 "x": float32[n, 3]) symbols ("n" = i0) tensors 2 integers 1 stacks 0 {
  0: kernel t1 = "relu"(t0) @ 0 "y"
  1: free t0
  2: ret (t1)
}
)";

Module network() { return networkOf(kNet); }

/// The one constant of `up`, which has no name of ours.
std::string programWithNames() {
    std::string text = kProgram;
    const FunctionPtr up = network().find("up");
    for (size_t i = 0; i < up->valueCount(); ++i)
        if (up->isConstant(ValueId(i))) text.replace(text.find("CONSTANT"), 8, up->value(ValueId(i)).name);
    return text;
}

std::string changed(std::string text, const std::string &from, const std::string &to) {
    const size_t at = text.find(from);
    return at == std::string::npos ? "no " + from : text.replace(at, from.size(), to);
}

} // namespace

class VmRefusalsTest : public QObject {
    Q_OBJECT
  private slots:
    void programs_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const char *from, const char *to, const char *expected) {
            QTest::newRow(name) << QString(from) << QString(to) << QString(expected);
        };
        row("nothing changed", "ret (t5)", "ret (t5)", "");
        row("a register that is not there", "free t2", "free t6",
            "function `main`, instruction 3 (free): t6 does not exist, the function has 6 such registers");
        row("a register that holds nothing", "kernel t3 = \"mul\"(t0, t2)", "kernel t3 = \"mul\"(t0, t4)",
            "function `main`, instruction 1 (kernel): reads t4, which holds nothing");
        row("a register read when it was freed", "item i1 = t1 bool", "item i1 = t0 bool",
            "function `main`, instruction 4 (item): reads t0, which holds nothing");
        row("a register that is not freed yet", "match t5 = t4", "match t4 = t4",
            "function `main`, instruction 11 (match): writes to t4, which was not freed");
        row("freed twice", "free t2", "free t0",
            "function `main`, instruction 3 (free): reads t0, which holds nothing");
        row("never freed",
            " 12: free t4\n 13:", " 12:", "function `main`, instruction 12 (ret): t4 is neither freed nor handed out");
        row("freed on one way", "  8: jump 10", "  8: jump 11",
            "function `main`, instruction 8 (jump): t3 holds something on one way to instruction 11, and nothing on "
            "another");
        row("an integer of one way", "branch i1, 7, 9", "branch i2, 7, 9",
            "function `main`, instruction 6 (branch): reads i2, which holds nothing");
        row("an integer that is a symbol", "item i1 = t1", "item i0 = t1",
            "function `main`, instruction 4 (item): writes to i0, which is symbol n; match alone does");
        row("a jump outside", "jump 10", "jump 14",
            "function `main`, instruction 8 (jump): goes to instruction 14, and there are 14");
        row("a branch outside", "branch i1, 7, 9", "branch i1, 7, 99",
            "function `main`, instruction 6 (branch): goes to instruction 99, and there are 14");
        row("no end", " 12: free t4\n 13: ret (t5)", " 12: free t4",
            "function `main`: goes on behind its last instruction; the last is ret, jump or branch");
        row("two results", "ret (t5)", "ret (t5, t5)",
            "function `main`, instruction 13 (ret): hands out 2 values; the network's function has 1 results");
        row("an operator that the node is not", "\"mul\"", "\"add\"",
            "function `main`, instruction 1 (kernel): is said to be add, and the node is mul 'a'");
        row("a statement as an operator", "kernel t3 = \"mul\"(t0, t2) @ 0 \"a\"",
            "kernel t3 = \"if\"(t0, t2) @ 1 \"y\"", "function `main`, instruction 1 (kernel): if 'y' is no operator");
        row("an operator without a node", "(t0, t2) @ 0 \"a\"", "(t0, t2)",
            "function `main`, instruction 1 (kernel): names no node of the network");
        row("an input too few", "\"mul\"(t0, t2)", "\"mul\"(t0)",
            "function `main`, instruction 1 (kernel): takes 1 and gives 1 values; mul 'a' takes 2 and gives 1");
        row("an input left out", "\"clip\"(t0, _, t1)", "\"clip\"(t0, t1, _)",
            "function `up`, instruction 1 (kernel): input 1 is there; of clip 'y' it is left out");
        row("a register written twice", "kernel t3 = \"mul\"", "kernel t3, t3 = \"mul\"",
            "function `main`, instruction 1 (kernel): writes a register twice");
        row("a constant that is not there", "\"w\"", "\"x\"",
            "function `main`, instruction 0 (const): the network's function has no constant `x`");
        row("a call of nothing", "\"up\"(t3)", "\"upp\"(t3)",
            "function `main`, instruction 7 (call): the program has no function `upp` (did you mean `up`?)");
        row("a call with too much", "\"up\"(t3)", "\"up\"(t3, t3)",
            "function `main`, instruction 7 (call): hands over 2 and wants 1 values; `up` takes 1 and gives 1");
        row("a trip that is not there", "\"up\"(t3)", "\"up\"(t3) trip i3",
            "function `main`, instruction 7 (call): i3 does not exist, the function has 3");
        row("a cycle", "kernel t1 = \"relu\"(t0) @ 0 \"y\"", "call t1 = \"main\"(t0, t0)",
            "functions call themselves: main -> down -> main");
        row("an element of floats", "t1 bool \"the", "t1 float32 \"the",
            "function `main`, instruction 4 (item): takes the element of an integer or bool tensor");
        row("a box of a size", "item i1 = t1 bool \"the condition\" @ 1 \"y\"", "box t4 = i0 int64[2]",
            "function `main`, instruction 4 (box): makes an integer or bool tensor whose dims are 1");
        row("a symbol without a register", "t4 float32[n, 3]", "t4 float32[m, 3]",
            "function `main`: symbol m of float32[m, 3] has no register");
        row("a pattern that cannot be solved", "t4 float32[n, 3] @ 2 \"z\"\n 12: free t4",
            "t4 float32[n, a*b]\n 12: free t4", "function `main`: symbol a of float32[n, a*b] has no register");
        row("a symbol that nothing tells", "x\": float32[n, 3], t1", "x\": float32[n*n, 3], t1",
            "function `main`: the dims of its parameters do not tell the symbols of n*n");
        row("a symbol's register that is not there", "(\"n\" = i0) tensors 6", "(\"n\" = i7) tensors 6",
            "function `main`: symbol n has register i7, and there are 3");
        row("two symbols in a register", "(\"n\" = i0) tensors 6", "(\"m\" = i0, \"n\" = i0) tensors 6",
            "function `main`: symbol n shares register i0 with another");
        row("no number yet", "match t5 = t4 float32[n, 3] @ 2 \"z\"", "match t5 = t4 float32[m]",
            "function `main`: symbol m of float32[m] has no register");
        row("too many registers", "tensors 6", "tensors 2000000",
            "function `main`: has 2000000 registers t0, t1, ...; 1048576 is the most");
        row("fewer registers than parameters", "tensors 6", "tensors 1",
            "function `main`: takes 2 parameters and has 1 tensor registers");
        row("a parameter too few", ", t1 \"c\": bool[]", "",
            "function `main`: takes 1 parameters; that of the network takes 2");
        row("an operation too much", "item i1 = t1 bool \"the condition\" @ 1 \"y\"", "eval i1 = (1 add)",
            "function `main`, instruction 4 (eval): add takes two numbers, and there is one");
        row("a number too much", "item i1 = t1 bool \"the condition\" @ 1 \"y\"", "eval i1 = (1 2)",
            "function `main`, instruction 4 (eval): 2 numbers are left, and one is the result");
        row("an integer that eval has not", "item i1 = t1 bool \"the condition\" @ 1 \"y\"", "eval i1 = (i9)",
            "function `main`, instruction 4 (eval): i9 does not exist, the function has 3 such registers");
        row("too many numbers wait", "item i1 = t1 bool \"the condition\" @ 1 \"y\"",
            "eval i1 = (1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1)",
            "function `main`, instruction 4 (eval): more than 16 numbers wait for an operation");
        row("a stack that is left", "  2: free t0", "  2: stack s0 = \"p\" untyped",
            "function `main`, instruction 13 (ret): t0 is neither freed nor handed out");
        row("a function twice", "func \"down\"", "func \"up\"", "function `up` stands in the program twice");
    }
    void programs() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, expected);
        const Program program =
            parseProgram(changed(programWithNames(), from.toStdString(), to.toStdString()), "t.bytecode", network());
        const auto problems = programProblems(program);
        QString told;
        for (const std::string &problem : problems) told += QString::fromStdString(problem) + "\n";
        QVERIFY2(expected.isEmpty() ? problems.empty() : told.contains(expected + "\n"), qPrintable(told));
        ReferenceKernels kernels(1);
        QCOMPARE(VirtualMachine::make(program, kernels).ok(), expected.isEmpty());
    }

    /// Rules that one change to the program above would break along with others.
    void longerPrograms_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const char *code, const char *expected) {
            QTest::newRow(name) << QString(code) << QString(expected);
        };
        row("a stack is not sealed", "0: stack s0 = \"p\" untyped\n1: ret (t0)",
            "instruction 1 (ret): s0 is not sealed");
        row("an integer that one way wrote",
            "0: eval i1 = (1)\n1: branch i1, 3, 2\n2: eval i2 = (7)\n3: eval i1 = (i2)\n4: ret (t0)",
            "instruction 3 (eval): reads i2, which was written on one way that leads here only");
        row("a symbol that one way told",
            "0: eval i1 = (1)\n1: branch i1, 2, 4\n2: match t1 = t0 float32[m]\n3: free t1\n"
            "4: match t1 = t0 float32[m]\n5: free t1\n6: ret (t0)",
            "instruction 4 (match): symbol m has a number on one way that leads here only");
        row("a pattern of two unknowns", "0: match t1 = t0 float32[m*k]\n1: free t1\n2: ret (t0)",
            "instruction 0 (match): dim 0, k*m, cannot be solved for one new symbol");
        row("a stack twice", "0: stack s0 = \"p\" untyped\n1: stack s0 = \"p\" untyped\n2: ret (t0)",
            "instruction 1 (stack): writes to s0, which was not freed");
        row("a piece for no stack", "0: push s0 = (t0)\n1: ret (t0)",
            "instruction 0 (push): reads s0, which holds nothing");
        row("a stack that one way made",
            "0: eval i1 = (1)\n1: branch i1, 2, 3\n2: stack s0 = \"p\" untyped\n3: ret (t0)",
            "instruction 2 (stack): s0 holds something on one way to instruction 3, and nothing on another");
        row("two pieces at once", "0: stack s0 = \"p\" untyped\n1: push s0 = (t0, t0)\n2: ret (t0)",
            "instruction 1 (push): writes 1 and reads 2 registers; it has to be 1 and 1");
        row("nothing at all", "", "function `main`: has no instructions");
    }
    void longerPrograms() {
        QFETCH(QString, code);
        QFETCH(QString, expected);
        const Module net = networkOf("network u\nfunc main(x: float32[n]) { y = relu(x) return y }\n");
        const Program program = parseProgram(
            "program \"u\"\nfunc \"main\"(t0 \"x\": float32[n]) symbols (\"k\" = i3, \"m\" = i4, \"n\" = i0) tensors 2 "
            "integers 5 stacks 1 {\n" +
                code.toStdString() + "\n}\n",
            "u.bytecode", net);
        const auto problems = programProblems(program);
        QVERIFY2(!problems.empty() && QString::fromStdString(problems[0]).endsWith(expected),
                 problems.empty() ? "no problem" : problems[0].c_str());
    }

    void whatIsMadeByHand() {
        Program program = parseProgram(programWithNames(), "t.bytecode", network());
        program.functions[0].code[1].node = NodeId(7);
        QCOMPARE(
            QString::fromStdString(programProblems(program)[0]),
            QString("function `main`, instruction 1 (kernel): node 7 does not exist, the network's function has 3"));
        program = parseProgram(programWithNames(), "t.bytecode", network());
        program.functions[1].name = "nobody";
        QCOMPARE(QString::fromStdString(programProblems(program)[1]),
                 QString("function `nobody`: the network has no function of that name"));
        program = parseProgram(programWithNames(), "t.bytecode", network());
        program.functions[0].code[11].type.reset();
        QCOMPARE(QString::fromStdString(programProblems(program)[0]),
                 QString("function `main`, instruction 11 (match): needs a type"));
        program.functions.clear();
        QCOMPARE(QString::fromStdString(programProblems(program)[0]),
                 QString("the program has no function `main`, which is the one that runs"));
    }

    void texts_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const char *from, const char *to, const char *expected) {
            QTest::newRow(name) << QString(from) << QString(to) << QString(expected);
        };
        row("another network", "program \"t\"", "program \"u\"",
            "t.bytecode:1:9: the program is of another network; this one is \"t\"");
        row("no program", "program \"t\"", "network \"t\"", "t.bytecode:1:1: expected `program`, found `network`");
        row("an instruction that is none", "  2: free t0", "  2: fre t0",
            "t.bytecode:5:6: is no instruction (did you mean `free`?)");
        row("a number out of order", "  2: free t0", "  3: free t0", "t.bytecode:5:3: this is instruction 2");
        row("another kind of register", "free t0", "free i0",
            "t.bytecode:5:11: expected a register t0, t1, ..., found `i0`");
        row("a function of nobody", "func \"down\"", "func \"dwn\"",
            "t.bytecode:25:6: the network has no function of that name");
        row("a node of another name", "@ 0 \"a\"", "@ 0 \"b\"", "t.bytecode:4:36: node 0 is \"a\"");
        row("a node that is not there", "@ 0 \"a\"", "@ 9 \"a\"",
            "t.bytecode:4:34: the network's function has 3 nodes");
        row("a dim that is none", "t4 float32[n, 3]", "t4 float32[n +, 3]",
            "t.bytecode:14:28: is no dim, such as 3, n or 2*n + 1");
        row("a type that is none", "t4 float32[n, 3]", "t4 floot[n, 3]",
            "t.bytecode:14:20: expected an element type, found `floot`");
        row("a symbol twice", "(\"n\" = i0) tensors 6", "(\"n\" = i0, \"n\" = i1) tensors 6",
            "t.bytecode:2:71: this symbol has a register already");
        row("a name without quotes", "\"mul\"(", "mul(",
            "t.bytecode:4:18: expected the function's name in quotes, found `mul`");
        row("a parameter elsewhere", "t1 \"c\"", "t2 \"c\"", "t.bytecode:2:36: this parameter is handed over in t1");
        row("a number that is too large", "jump 10", "jump 4294967296", "t.bytecode:11:11: is more than 2147483647");
        row("a target that is none", "jump 10", "jump t10", "t.bytecode:11:11: expected a whole number, found `t10`");
    }
    void texts() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, expected);
        try {
            const Program program = parseProgram(changed(programWithNames(), from.toStdString(), to.toStdString()),
                                                 "t.bytecode", network());
            QFAIL(programText(program).c_str());
        } catch (const Error &error) {
            QCOMPARE(QString::fromStdString(error.what()), expected);
        }
    }
};

LOOPSCOPE_TEST(VmRefusalsTest)

} // namespace vm_refusals_test
#include "vm_refusals_test.moc"
