// Networks with control flow on the machine: their bytecode as text, their answers against the reference, what goes
// wrong in a run, and a run under somebody's eyes.

#include "deploy/vm/debugger.h"
#include "test_program.h"
#include "vm_programs.h"

#include <QTest>
#include <atomic>
#include <cstdlib>

using namespace loopscope;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LOOPSCOPE_OWN_MALLOC 0
#else
#define LOOPSCOPE_OWN_MALLOC 1
#endif

namespace {
std::atomic<bool> counting = false;
std::atomic<int> allocations = 0;
} // namespace

#if LOOPSCOPE_OWN_MALLOC
// NOLINTBEGIN(bugprone-reserved-identifier, readability-inconsistent-declaration-parameter-name): the C library's names
extern "C" {
void *__libc_malloc(size_t bytes);
void *malloc(size_t bytes) {
    if (counting) ++allocations;
    return __libc_malloc(bytes);
}
}
// NOLINTEND(bugprone-reserved-identifier, readability-inconsistent-declaration-parameter-name)
#endif

namespace {

const char *const kPower = R"(network power
func main(x: float32[n], times: int64[], more: bool[]) {
  one = constant float32[] 1.0
  effect {
    start = expand(one, [1])
    y, steps = loop(times, more, start, x, body = "step", carried = 1)
  } yield y, steps
  return y, steps
}
func step(i: int64[], go: bool[], y: float32[k], x: float32[m]) {
  least = constant int64[] 2
  z = concat(y, x, axis = 0)
  sum = reduce_sum(z, axes = [0], keep_dims = 0)
  next = less(i, least)
  return next, z, sum
}
)";

HostTensor floats(std::vector<float> values) {
    const auto count = static_cast<int64_t>(values.size());
    return floatTensor({count}, values);
}
HostTensor whole(int64_t value) { return HostTensor::splat(DType::Int64, {}, static_cast<double>(value)); }
HostTensor flag(bool value) { return HostTensor::splat(DType::Bool, {}, value ? 1 : 0); }

QString ran(const Module &module, const std::vector<HostTensor> &inputs, const MachineOptions &options = {}) {
    const auto program = compileNetwork(module);
    if (!program) return QString::fromStdString(program.why());
    ReferenceKernels kernels(1, options.maxElements);
    const auto machine = VirtualMachine::make(*program, kernels, options);
    if (!machine) return QString::fromStdString(machine.why());
    const auto results = (*machine)->run(inputs);
    if (!results) return QString::fromStdString(results.why());
    std::string text;
    for (const WideTensor &result : *results) text += (text.empty() ? "" : "; ") + contentsOf(result);
    return QString::fromStdString(text);
}

std::string effect(const std::string &parameters, const std::string &lines, const std::string &functions = {}) {
    return fmt::format("network t\nfunc main({}) {{\neffect {{\n{}\n}} yield y\nreturn y\n}}\n{}", parameters, lines,
                       functions);
}

} // namespace

class VmTest : public QObject {
    Q_OBJECT
  private slots:
    void bytecodeIsText() {
        const Module network = networkOf(effect("c: bool[], x: float32[n]", "y = if(c, x, then = \"f\", else = \"g\")",
                                                "func f(x: float32[n]) { y = relu(x) return y }\n"
                                                "func g(x: float32[n]) { return x }\n"));
        const auto program = compileNetwork(network);
        QVERIFY2(program.ok(), program ? "" : program.why().c_str());
        QCOMPARE(QString::fromStdString(programText(*program)), QString(R"(program "t"

func "main"(t0 "c": bool[], t1 "x": float32[n]) symbols ("n" = i0) tensors 3 integers 2 stacks 0 {
    0: item i1 = t0 bool "the condition" @ 0 "y"
    1: branch i1, 2, 4 @ 0 "y"
    2: call t2 = "f"(t1) @ 0 "y"
    3: jump 5 @ 0 "y"
    4: call t2 = "g"(t1) @ 0 "y"
    5: free t0 @ 0 "y"
    6: free t1 @ 0 "y"
    7: ret (t2)
}

func "f"(t0 "x": float32[n]) symbols ("n" = i0) tensors 2 integers 1 stacks 0 {
    0: kernel t1 = "relu"(t0) @ 0 "y"
    1: free t0 @ 0 "y"
    2: ret (t1)
}

func "g"(t0 "x": float32[n]) symbols ("n" = i0) tensors 1 integers 1 stacks 0 {
    0: ret (t0)
}
)"));
        const Program again = parseProgram(programText(*program), "t.bytecode", network);
        QVERIFY(again.functions == program->functions);
    }

    void answers() {
        const Module power = networkOf(kPower);
        QCOMPARE(ran(power, {floats({2, 3}), whole(2), flag(true)}), QString("float32[5] 1 2 3 2 3; float32[2] 6 11"));
        QCOMPARE(ran(power, {floats({2}), whole(100), flag(true)}), QString("float32[4] 1 2 2 2; float32[3] 3 5 7"));
        QCOMPARE(ran(power, {floats({2}), whole(100), flag(false)}), QString("float32[1] 1; float32[0]"));
        QCOMPARE(ran(power, {floats({2}), whole(-3), flag(true)}), QString("float32[1] 1; float32[0]"));
        const Module unique =
            networkOf(effect("x: float32[n]", "u = unique(x)\nv: float32[2*m] = match(u)\ny = reshape(v, [2, -1])"));
        QCOMPARE(ran(unique, {floats({3, 1, 3, 2, 1, -4})}), QString("float32[2, 2] -4 1 2 3"));
        const Module cut = networkOf(effect("x: float32[n], s: int64[1]", "y = cut(x, s, s)"));
        QCOMPARE(ran(cut, {floats({1, 2}), HostTensor::splat(DType::Int64, {1}, 1)}), QString("float32[0]"));
        // A result that is a parameter, a constant and given twice.
        const Module odd =
            networkOf("network o\nfunc main(x: float32[n]) { w = constant float32[2] 3.0\n return x, w, x, w }\n");
        QCOMPARE(ran(odd, {floats({5})}), QString("float32[1] 5; float32[2] 3 3; float32[1] 5; float32[2] 3 3"));
    }

    /// Sentences are those of the reference, but for who stops a loop without an end.
    void whatGoesWrongInARunIsSaid() {
        const Module power = networkOf(kPower);
        QCOMPARE(ran(power, {floats({1}), whole(9), flag(true)}, {.maxTrips = 2}),
                 QString("loop 'y': trip 2: more than 2 trips and calls are run in all; the machine stops there, "
                         "since a loop may have no end"));
        QCOMPARE(ran(power, {floats({1, 2, 3}), whole(9), flag(true)}, {.maxElements = 8}),
                 QString("loop 'y': in trip 2 of `step`: concat 'z': the result [10] has more than 8 elements"));
        QCOMPARE(ran(power, {floats({1}), whole(9)}), QString("main takes 3 inputs, 2 are given"));
        QCOMPARE(ran(power, {floats({1}), flag(true), flag(true)}),
                 QString("input 'times' is bool[], it has to be int64[]"));
        QCOMPARE(ran(power, {HostTensor::zeros(DType::Float32, {9}), whole(1), flag(true)}, {.maxElements = 8}),
                 QString("input 'x' float32[9] has more than 8 elements"));
        const Module match = networkOf(effect("a: float32[n], x: float32[m]", "y: float32[n] = match(x)"));
        QCOMPARE(ran(match, {floats({1}), floats({1, 2})}),
                 QString("match 'y': `x` is float32[2]: dim 0 has to be n = 1, it is 2"));
        const Module solved = networkOf(effect("x: float32[n]", "u = unique(x)\ny: float32[2*m] = match(u)"));
        QCOMPARE(ran(solved, {floats({3, 1, 2})}),
                 QString("match 'y': `u` is float32[3]: dim 0 has to be 2*m for a whole m of at least 0, it is 3"));
        const Module fails =
            networkOf(effect("x: float32[n]", "y = call(x, function = \"f\")", "func f(x: float32[4]) { return x }"));
        QCOMPARE(ran(fails, {floats({1, 2})}),
                 QString("call 'y': in function `f`: input 'x' is float32[2], it has to be float32[4]"));
        const Module condition = networkOf(effect("c: bool[n]", "y = if(c, then = \"f\", else = \"f\")",
                                                  "func f() { a = constant float32[] 1.0 return a }"));
        QCOMPARE(ran(condition, {HostTensor::splat(DType::Bool, {3}, 1)}),
                 QString("if 'y': the condition is bool[3], it has to be one bool"));
        const Module uneven =
            networkOf(effect("x: float32[n], t: int64[]", "v, y = loop(t, _, x, body = \"b\", carried = 1)",
                             "func b(i: int64[], go: bool[], v: float32[k]) { w = concat(v, v, axis "
                             "= 0) return go, w, v }"));
        QCOMPARE(ran(uneven, {floats({1}), whole(2)}),
                 QString("loop 'v': the piece of output `y` is float32[2], those before it are float32[1]"));
        QCOMPARE(ran(uneven, {floats({1, 2}), whole(9)}, {.maxElements = 1}),
                 QString("input 'x' float32[2] has more than 1 elements"));
        QCOMPARE(ran(parseNet(kPower, "t.net").module, {floats({2}), whole(0), flag(true)}),
                 QString("loop 'y': no trip is run, and the type of output `steps` is not inferred"));
        QCOMPARE(ran(networkOf("network p\nfunc main(x: float32[n*m]) { y = relu(x) return y }\n"), {floats({2})}),
                 QString("function `main`: the dims of its parameters do not tell the symbols of m*n, so that no call "
                         "could be checked"));
    }

    void aLoopOfJumpsHasAnEnd() {
        const Module network = networkOf("network j\nfunc main(x: float32[n]) { y = relu(x) return y }\n");
        const Program program =
            parseProgram("program \"j\"\nfunc \"main\"(t0 \"x\": float32[n]) symbols (\"n\" = i0) "
                         "tensors 1 integers 2 stacks 0 {\n0: eval i1 = (i0 2 mul -7 add 2 floordiv)\n1: "
                         "branch i1, 0, 2\n2: ret (t0)\n}\n",
                         "j.bytecode", network);
        ReferenceKernels kernels(1);
        const auto machine = VirtualMachine::make(program, kernels, {.maxTrips = 10});
        QVERIFY2(machine.ok(), machine ? "" : machine.why().c_str());
        const auto endless = (*machine)->run({{floats({1})}});
        QCOMPARE(QString::fromStdString(endless.why()),
                 QString("instruction 1 of `main`: more than 10 jumps back are run in all; the machine stops there"));
        // The machine is as good as new: floor((2*4 - 7) / 2) is 0.
        QVERIFY((*machine)->run({{floats({1, 2, 3, 4})}}).ok());
        QCOMPARE((*machine)->instructionsRun(), uint64_t{3});
    }

    /// Of a thousand calls, matches and jumps; tensors themselves take memory.
    void theHotPathAllocatesNothing() {
        if (LOOPSCOPE_OWN_MALLOC == 0) QSKIP("a sanitizer has the allocation functions");
        const Module network = networkOf("network h\nfunc main(x: float32[n, 2]) { y = relu(x) return y }\n"
                                         "func f(x: float32[m, 2]) { return x }\n");
        const Program program = parseProgram(R"(program "h"
func "main"(t0 "x": float32[n, 2]) symbols ("n" = i0) tensors 4 integers 3 stacks 0 {
  0: eval i1 = (0)
  1: eval i2 = (i1 1000 less)
  2: branch i2, 3, 11
  3: call t1 = "f"(t0) trip i1
  4: match t2 = t1 float32[n, 2]
  5: alias t3 = t2
  6: free t1
  7: free t2
  8: free t3
  9: eval i1 = (i1 1 add)
 10: jump 1
 11: ret (t0)
}
func "f"(t0 "x": float32[m, 2]) symbols ("m" = i0) tensors 1 integers 1 stacks 0 {
  0: ret (t0)
}
)",
                                             "h.bytecode", network);
        ReferenceKernels kernels(1);
        const auto machine = VirtualMachine::make(program, kernels);
        QVERIFY2(machine.ok(), machine ? "" : machine.why().c_str());
        const std::vector<HostTensor> inputs = {HostTensor::splat(DType::Float32, {3, 2}, 1)};
        QVERIFY((*machine)->run(inputs).ok()); // the registers find their size
        (*machine)->start(inputs);
        allocations = 0;
        counting = true;
        while ((*machine)->state() == VirtualMachine::State::Running) (*machine)->step();
        counting = false;
        QCOMPARE((*machine)->state(), VirtualMachine::State::Finished);
        QCOMPARE(allocations.load(), 0);
        QCOMPARE((*machine)->instructionsRun(), uint64_t{1 + 1000 * 11 + 2 + 1});
        const std::unique_ptr<int> one(new int); // that it counts at all
        counting = true;
        const std::vector<int> some(static_cast<size_t>(allocations.load()) + 100);
        counting = false;
        QVERIFY(allocations > 0 && one != nullptr && some.size() >= 100);
    }

    /// In every size of step, with who wrote which register.
    void steps() {
        const Program program = *compileNetwork(networkOf(R"(network t()
func main(x: float32[2]) {
  trips = constant int64[] 3
  effect { y = loop(trips, _, x, body = "twice", carried = 1) } yield y
  return y
}
func twice(trip: int64[], more: bool[], v: float32[2]) {
  w = add(v, v)
  return more, w
})"));
        ReferenceKernels kernels(1);
        const auto machine = VirtualMachine::make(program, kernels);
        QVERIFY(machine.ok());
        const std::vector<float> numbers = {1, 2};
        const HostTensor input = HostTensor::fromBytes(DType::Float32, {2}, std::as_bytes(std::span(numbers)));
        (*machine)->start(std::span(&input, 1));
        Stepper stepper(**machine);
        const auto depth = [&] { return (*machine)->stack().calls().size(); };
        const auto opcode = [&] { return program.functions[stepper.here().function].code[stepper.here().at].opcode; };
        QVERIFY(!stepper.writerOf(0, 't', 0)); // handed in
        while (opcode() != Opcode::Call) stepper.move(StepSize::Into);
        const CodePlace calls = stepper.here();
        stepper.move(StepSize::Into);
        QCOMPARE(depth(), size_t{2});
        QVERIFY(!stepper.writerOf(1, 't', 2));
        while (opcode() != Opcode::Kernel) stepper.move(StepSize::Over);
        const CodePlace adds = stepper.here();
        const int written = program.functions[adds.function].code[adds.at].outputs[0];
        stepper.move(StepSize::Into);
        QCOMPARE(stepper.writerOf(1, 't', written), std::optional(adds.at));
        stepper.move(StepSize::Out);
        QCOMPARE(depth(), size_t{1});
        const Instruction &call = program.functions[calls.function].code[calls.at];
        QCOMPARE(stepper.writerOf(0, 't', call.outputs.back()), std::optional(calls.at));
        // Again to the call, and over it.
        stepper.moveTo(calls);
        QCOMPARE(stepper.here(), calls);
        QVERIFY(stepper.stops().empty());
        stepper.move(StepSize::Over);
        QCOMPARE(depth(), size_t{1});
        QVERIFY(stepper.here() != calls);
        // A stop inside counts, however large the step is; and somebody's halt.
        stepper.addStop(adds);
        stepper.moveTo(calls);
        stepper.move(StepSize::Over);
        QCOMPARE(stepper.here(), adds);
        const std::atomic<bool> halt{true};
        stepper.move(StepSize::On, &halt);
        QVERIFY(stepper.running());
        QCOMPARE(depth(), size_t{2});
        stepper.move(StepSize::On);
        QVERIFY(!stepper.running());
        QCOMPARE((*machine)->state(), VirtualMachine::State::Finished);
        QCOMPARE((*machine)->results()[0]->floats, (std::vector<double>{8, 16}));
    }

    void underSomebodysEyes() {
        const auto program = compileNetwork(networkOf(kPower));
        ReferenceKernels kernels(1);
        const auto machine = VirtualMachine::make(*program, kernels);
        (*machine)->start(std::vector<HostTensor>{floats({2, 3}), whole(2), flag(true)});
        Debugger debugger(**machine);
        const auto said = [&](const char *command) { return QString::fromStdString(debugger.command(command).text); };
        QCOMPARE(QString::fromStdString(debugger.whereText()), QString("main:0: const t3 = \"one\" @ 0 \"start\"\n"));
        QVERIFY(said("step").startsWith("main:1: const t4 = "));
        QVERIFY(said("").startsWith("main:2: kernel t5 = \"expand\"(t3, t4)"));
        QCOMPARE(said("print t3"), QString("t3 = float32[] 1\n"));
        QCOMPARE(said("print t9999"), QString("print t9999: `main` has 10 registers t0, t1, ...\n"));
        QCOMPARE(said("print q"), QString("print q: takes a register, such as t0, i0 or s0\n"));
        QCOMPARE(said("break sum"), QString("stops before step:4: kernel t3 = \"reduce_sum\"(t1) @ 1 \"sum\"\n"));
        QVERIFY(said("c").startsWith("step:4: "));
        QCOMPARE(said("where").count('\n'), 2);
        QVERIFY2(said("registers").contains("i0 = 1 (dim k)\ni1 = 2 (dim m)\n"), qPrintable(said("registers")));
        QVERIFY(said("finish").startsWith("main:"));
        QVERIFY(said("list").contains("> main:"));
        QVERIFY(said("continue").startsWith("step:4: "));
        QCOMPARE(said("break"), QString("step:4: kernel t3 = \"reduce_sum\"(t1) @ 1 \"sum\"\n"));
        QCOMPARE(said("delete"), QString("no breakpoints\n"));
        QCOMPARE(said("brek"), QString("brek: is no command (did you mean `break`?); `help` lists them\n"));
        QCOMPARE(said("next 3"), QString("next: takes nothing behind it, `3` is given\n"));
        QCOMPARE(said("step 0"), QString("step 0: takes a whole number from 1 on\n"));
        QCOMPARE(
            said("break step:99"),
            QString("break step:99: `step` has instructions 0 to %1\n").arg(program->find("step")->code.size() - 1));
        QCOMPARE(said("break smu"),
                 QString("break smu: is neither FUNCTION:NUMBER nor the name of a node (did you mean `sum`?)\n"));
        QVERIFY2(said("continue").startsWith("finished after "), qPrintable(said("where")));
        QVERIFY(said("where").contains("float32[5] 1 2 3 2 3\n  float32[2] 6 11\n"));
        QCOMPARE(said("step"), QString("step: the run is over\n"));
        QVERIFY(debugger.command("quit").quit);
        // A breakpoint by its place, and a call as a whole.
        (*machine)->start(std::vector<HostTensor>{floats({2, 3}), whole(2), flag(true)});
        const auto &code = program->find("main")->code;
        const auto call =
            std::find_if(code.begin(), code.end(), [](const Instruction &of) { return of.opcode == Opcode::Call; });
        const auto at = static_cast<int>(call - code.begin());
        QVERIFY(said(qPrintable(QString("break main:%1").arg(at))).startsWith("stops before main:"));
        QVERIFY(said("continue").startsWith(QString("main:%1: call").arg(at)));
        QVERIFY(said("next").startsWith(QString("main:%1: free").arg(at + 1)));
        // What fails tells why, and can still be looked at.
        (*machine)->start(std::vector<HostTensor>{floats({2, 3}), whole(2)});
        QCOMPARE(said("registers"), QString("main takes 3 inputs, 2 are given\n"));
    }
};

LOOPSCOPE_TEST(VmTest)
#include "vm_test.moc"
