// Networks with control flow and with sizes that are found out while they run: types, answers, and a sentence for each
// thing that is wrong before or during a run. Random networks of branches, loops and calls are printed, read and run
// again with the same outcome.

#include "base/random.h"
#include "harness/same_structure.h"
#include "net_lines.h"
#include "networks/graph/verify.h"
#include "test_program.h"

#include <QTest>
#include <algorithm>

using namespace loopscope;

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

Module moduleOf(const std::string &text) { return parseNet(text, "t.net").module; }

/// All results of `main`, or what is wrong.
QString ran(const Module &module, const std::vector<HostTensor> &inputs, const ReferenceOptions &options = {}) {
    const auto values = runReference(module, inputs, options);
    if (!values) return QString::fromStdString(values.why());
    std::vector<std::string> texts;
    for (const ValueId result : module.main().results()) texts.push_back(numbersText(values->at(result)));
    return QString::fromStdString(fmt::format("{}", fmt::join(texts, "; ")));
}

/// Types of the results of `main`, or the first problem.
QString types(const std::string &text) {
    const auto typed = inferTypes(moduleOf(text));
    if (!typed) return QString::fromStdString(typed.why());
    std::vector<std::string> texts;
    for (const ValueId result : typed->main().results()) texts.push_back(typeText(typed->main().type(result)));
    return QString::fromStdString(fmt::format("{}", fmt::join(texts, "; ")));
}

/// main(PARAMETERS) { effect { LINES } yield y; return y } and more functions.
std::string effect(const std::string &parameters, const std::string &lines, const std::string &functions = {}) {
    return fmt::format("network t\nfunc main({}) {{\neffect {{\n{}\n}} yield y\nreturn y\n}}\n{}", parameters, lines,
                       functions);
}

HostTensor floats(std::vector<float> values) {
    const auto count = static_cast<int64_t>(values.size());
    return floatTensor({count}, values);
}
HostTensor whole(int64_t value) { return HostTensor::splat(DType::Int64, {}, static_cast<double>(value)); }
HostTensor flag(bool value) { return HostTensor::splat(DType::Bool, {}, value ? 1 : 0); }

const std::string kBranches = "func up(x: float32[n]) { y = add(x, 1.0) return y }\n"
                              "func twice(x: float32[n]) { y = concat(x, x, axis = 0) return y }\n"
                              "func flat(x: float32[n]) { y = reduce_sum(x, axes = [0], keep_dims = 0) return y }\n"
                              "func whole(x: float32[n]) { y = cast(x, to = \"int64\") return y }\n";

/// A network of branches and loops over vectors of three, and what it computes.
class RandomNetwork {
  public:
    explicit RandomNetwork(uint64_t seed) : m_random(7, seed) {
        const std::string body = statements("main", 3);
        m_text = "network made\nfunc main(x0: float32[s], c: bool[]) {\n" + body + m_functions;
    }
    [[nodiscard]] const std::string &text() const { return m_text; }

  private:
    size_t below(size_t most) { return static_cast<size_t>(m_random.below(static_cast<uint64_t>(most))); }

    /// A function's body from behind its brace on: reads x0 and c, returns one vector as large as x0.
    std::string statements(const std::string &name, int depth) {
        std::string text = "  effect {\n";
        size_t last = 0;
        const size_t count = 1 + below(4);
        for (size_t i = 0; i < count; ++i) {
            const size_t from = below(last + 1);
            const std::string value = fmt::format("x{}", ++last);
            switch (depth > 0 ? below(6) : below(3)) {
            case 0:
                text += fmt::format("    {} = add(x{}, {}.0)\n", value, from, below(5));
                break;
            case 1:
                text += fmt::format("    {} = mul(x{}, -2.0)\n", value, from);
                break;
            case 2:
                text += fmt::format("    {}: float32[s] = match(x{})\n", value, from);
                break;
            case 3:
                text += fmt::format("    {} = if(c, x{}, c, then = \"{}\", else = \"{}\")\n", value, from,
                                    function(name, depth), function(name, depth));
                break;
            case 4:
                text += fmt::format("    {} = call(x{}, c, function = \"{}\")\n", value, from, function(name, depth));
                break;
            default:
                text += fmt::format("    n{0} = constant int64[] {1}\n    {2}, p{0} = loop(n{0}, {3}, x{4}, body = "
                                    "\"{5}\", carried = 1)\n",
                                    last, below(4), value, below(2) == 0 ? "_" : "c", from, loopBody(name, depth));
            }
        }
        return text + fmt::format("  }} yield x{0}\n  return x{0}\n}}\n", last);
    }

    std::string function(const std::string &of, int depth) {
        const std::string name = fmt::format("{}.{}", of, m_count++);
        const std::string body = statements(name, depth - 1);
        m_functions += fmt::format("func {}(x0: float32[s], c: bool[]) {{\n{}", name, body);
        return name;
    }

    std::string loopBody(const std::string &of, int depth) {
        const std::string inner = function(of, depth);
        const std::string name = inner + ".body";
        m_functions += fmt::format("func {}(i: int64[], go: bool[], v: float32[s]) {{\n  effect {{\n    r = call(v, "
                                   "go, function = \"{}\")\n  }} yield r\n  most = constant int64[] {}\n  next = "
                                   "less(i, most)\n  return next, r, i\n}}\n",
                                   name, inner, below(4));
        return name;
    }

    Random m_random;
    std::string m_functions;
    std::string m_text;
    size_t m_count = 0;
};

} // namespace

class ControlFlowTest : public QObject {
    Q_OBJECT
  private slots:
    void typesOfStatements_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const std::string &text, const char *expected) {
            QTest::newRow(name) << QString::fromStdString(text) << QString(expected);
        };
        const std::string c = "c: bool[], x: float32[4]";
        row("branches of one size", effect(c, "y = if(c, x, then = \"up\", else = \"up\")", kBranches), "float32[4]");
        row("branches of two sizes", effect(c, "y = if(c, x, then = \"up\", else = \"twice\")", kBranches),
            "float32[\"y.0\"]");
        row("a name that is taken",
            effect("c: bool[1], x: float32[\"y.0\"]", "y = if(c, x, then = \"up\", else = \"twice\")", kBranches),
            "float32[\"y.0'\"]");
        row("branches of two ranks", effect(c, "y = if(c, x, then = \"up\", else = \"flat\")", kBranches),
            "if 'y': result 0 of `up` is float32[n], that of `flat` is float32[]; they have to agree in element type "
            "and rank");
        row("branches of two types", effect(c, "y = if(c, x, then = \"up\", else = \"whole\")", kBranches),
            "if 'y': result 0 of `up` is float32[n], that of `whole` is int64[n]; they have to agree in element type "
            "and rank");
        row("a condition of two",
            effect("c: bool[2]", "y = if(c, then = \"f\", else = \"f\")",
                   "func f() { a = constant float32[] 1.0 return a }"),
            "if 'y': the condition is bool[2], it has to be one bool");
        row("an argument of another type", effect("x: int32[4]", "y = call(x, function = \"up\")", kBranches),
            "call 'y': function `up` is handed int32[4] as `x`, which is float32[n]");
        row("an argument of another size",
            effect("x: float32[4]", "y = call(x, function = \"f\")", "func f(x: float32[2*n + 1]) { return x }"),
            "float32[\"y.0\"]");
        row("a constant argument of another size",
            effect("x: float32[4]", "y = call(x, function = \"f\")", "func f(x: float32[5]) { return x }"),
            "call 'y': function `f` is handed float32[4] as `x`, which is float32[5]");
        row("sizes through a call",
            effect("x: float32[2*m + 1]", "y = call(x, function = \"f\")",
                   "func f(x: float32[2*k + 1]) { y = concat(x, x, axis = 0) return y }"),
            "float32[4*m + 2]");
        row("a loop that grows", kPower, "float32[\"y.0\"]; float32[\"steps.0\"]");
        const std::string keeps = "func b(i: int64[], go: bool[], v: float32[k]) { w = relu(v) return go, w, w }";
        row("a loop that keeps sizes",
            effect("x: float32[n]", "t = constant int64[] 5\ny, p = loop(t, _, x, body = \"b\", carried = 1)", keeps),
            "float32[n]");
        row("as many pieces as trips",
            effect("x: float32[n]", "t = constant int64[] 5\nv, y = loop(t, _, x, body = \"b\", carried = 1)", keeps),
            "float32[5, n]");
        row("trips of another type",
            effect("x: float32[n], t: int32[]", "y, p = loop(t, _, x, body = \"b\", carried = 1)", keeps),
            "loop 'y': the number of trips is int32[], it has to be one int64");
        row("a condition of a loop",
            effect("x: float32[n], t: int64[]", "y, p = loop(t, t, x, body = \"b\", carried = 1)", keeps),
            "loop 'y': the condition is int64[], it has to be one bool");
        row("a body without a number",
            effect("x: float32[n]", "y = loop(_, _, x, body = \"b\", carried = 1)",
                   "func b(i: float32[], go: bool[], v: float32[k]) { return go, v }"),
            "loop 'y': the body `b` takes float32[] and bool[] first; they have to be the trip's number, one int64, "
            "and the condition, one bool");
        row("a body without a condition",
            effect("x: float32[n]", "y = loop(_, _, x, body = \"b\", carried = 1)",
                   "func b(i: int64[], go: bool[], v: float32[k]) { return i, v }"),
            "loop 'y': the first result of the body `b` is int64[]; it is the condition for the next trip, one bool");
        row("a body that changes a type",
            effect("x: float32[3]", "y = loop(_, _, x, body = \"b\", carried = 1)",
                   "func b(i: int64[], go: bool[], v: float32[3]) { w = concat(v, v, axis = 0) return go, w }"),
            "loop 'y': the body `b` takes float32[3] as `v` and gives float32[6] for the next trip");
        row("a match that never holds", effect("x: float32[3]", "y: float32[4] = match(x)"),
            "match 'y': `x` is float32[3], which is never float32[4]");
        row("unique and match", effect("x: float32[n]", "u = unique(x)\nv: float32[m] = match(u)\ny = add(v, v)"),
            "float32[m]");
        const std::string cuts = "x: float32[n, 4], s: int64[1], e: int64[1]";
        row("cut along the first axis", effect(cuts, "y = cut(x, s, e)"), "float32[\"y.0\", 4]");
        row("cut along the last axis", effect(cuts, "y = cut(x, s, e, [-1])"), "float32[n, \"y.1\"]");
        row("cut along axes that are computed", effect(cuts, "y = cut(x, s, e, s)"), "float32[\"y.0\", \"y.1\"]");
        row("cut along no axis", effect(cuts, "y = cut(x, s, e, [2])"), "cut 'y': axis 2 is outside of rank 2");
        row("cut from more than there are", effect("x: float32[4], s: int64[2]", "y = cut(x, s, s)"),
            "cut 'y': starts are int64[2], and value has rank 1");
        row("cut from a number", effect("x: float32[4], s: int64[]", "y = cut(x, s, s)"),
            "cut 'y': starts is int64[], it has to be a vector of int64 or int32");
        const std::string boxes = "b: float32[k, n, 4], s: float32[k, c, n], m: int64[1], t: float32[]";
        row("suppression", effect(boxes, "y = non_max_suppression(b, s, m, t, t)"), "int64[\"y.0\", 3]");
        row("suppression with what is needed alone", effect(boxes, "y = non_max_suppression(b, s)"),
            "int64[\"y.0\", 3]");
        row("suppression of no boxes", effect(boxes, "y = non_max_suppression(s, s)"), "int64[\"y.0\", 3]");
        row("suppression of triples",
            effect("b: float32[1, 9, 3], s: float32[1, 2, 9]", "y = non_max_suppression(b, s)"),
            "non_max_suppression 'y': boxes are float32[1, 9, 3] and scores float32[1, 2, 9]; they have to be floating "
            "point, [batches, boxes, 4] and [batches, classes, boxes]");
        row("suppression by a whole number", effect(boxes, "y = non_max_suppression(b, s, m, m)"),
            "non_max_suppression 'y': the share of overlap is int64[1], it has to be floating point");
        row("suppression by several numbers",
            effect(boxes + ", q: float32[2]", "y = non_max_suppression(b, s, m, t, q)"),
            "non_max_suppression 'y': the least score is float32[2], it has to be one number");
        row("unique without a match", effect("x: float32[n]", "u = unique(x)\ny = add(x, u)"),
            "add 'y': a [n] and b [\"u.0\"] do not broadcast: n and \"u.0\" are not known to be equal");
    }
    void typesOfStatements() {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(types(text.toStdString()), expected);
    }

    /// A problem of a function that is called is told once.
    void problemsAreToldWhereTheyAre() {
        const Module module = moduleOf(effect("x: float32[3]", "a = call(x, function = \"f\")\ny = relu(a)",
                                              "func f(x: float32[n]) { y = matmul(x, x, x) return y }"));
        const std::vector<FunctionFacts> facts = inferFacts(module);
        QVERIFY(facts[0].problems.empty());
        QCOMPARE(facts[1].problems.size(), size_t{1});
        const auto alone = inferTypes(module.main());
        QCOMPARE(QString::fromStdString(alone.why()),
                 QString("call 'a': stands for other functions of the network, without which its types are not known"));
        const auto run = runReference(module.main(), {{floats({1, 2, 3})}}, {});
        QCOMPARE(QString::fromStdString(run.why()), QString("call 'a': stands for other functions of the network, and "
                                                            "this one is run without them"));
    }

    void answers() {
        const Module untyped = moduleOf(kPower);
        QCOMPARE(ran(untyped, {floats({2}), whole(0), flag(true)}),
                 QString("loop 'y': no trip is run, and the type of output `steps` is not inferred"));
        const Module power = *inferTypes(untyped);
        QCOMPARE(ran(power, {floats({2, 3}), whole(2), flag(true)}), QString("float32[5] 1 2 3 2 3; float32[2] 6 11"));
        QCOMPARE(ran(power, {floats({2}), whole(100), flag(true)}), // i < 2 ends it
                 QString("float32[4] 1 2 2 2; float32[3] 3 5 7"));
        QCOMPARE(ran(power, {floats({2}), whole(100), flag(false)}), QString("float32[1] 1; float32[0]"));
        QCOMPARE(ran(power, {floats({2}), whole(0), flag(true)}), QString("float32[1] 1; float32[0]"));
        QCOMPARE(ran(power, {floats({2}), whole(-3), flag(true)}), QString("float32[1] 1; float32[0]"));

        const Module branch =
            moduleOf(effect("c: bool[], x: float32[n]", "y = if(c, x, then = \"up\", else = \"twice\")", kBranches));
        QCOMPARE(ran(branch, {flag(true), floats({1, 2})}), QString("float32[2] 2 3"));
        QCOMPARE(ran(branch, {flag(false), floats({1, 2})}), QString("float32[4] 1 2 1 2"));

        const Module unique =
            moduleOf(effect("x: float32[n]", "u = unique(x)\nv: float32[2*m] = match(u)\ny = reshape(v, [2, -1])"));
        QCOMPARE(ran(unique, {floats({3, 1, 3, 2, 1, -4})}), QString("float32[2, 2] -4 1 2 3"));
        QCOMPARE(ran(unique, {floats({3, 1, NAN, NAN, 2})}), QString("float32[2, 2] 1 2 3 nan"));
        // Two that overlap by a third, one far away; corners in either order.
        const std::string three =
            "b = constant float32[1, 4, 4] [0.0, 0.0, 1.0, 1.0, 1.0, 1.5, 0.0, 0.5, 0.0, 5.0, 1.0, 6.0, "
            "7.0, 7.0, 7.0, 7.0]\n"
            "s = constant float32[1, 2, 4] [0.5, 0.75, 0.25, nan, 0.5, 0.5, 0.0, 1.0]\n";
        const auto kept = [&](const std::string &settings) {
            return ran(moduleOf(effect("t: float32[1]", three + "y = non_max_suppression(b, s" + settings + ")")),
                       {HostTensor::splat(DType::Float32, {1}, 0.25)});
        };
        QCOMPARE(kept(""), QString("int64[0, 3] ")); // none of a class, when nothing is said
        QCOMPARE(kept(", [9], t"), QString("int64[5, 3] 0 0 1 0 0 2 0 1 3 0 1 0 0 1 2"));
        QCOMPARE(kept(", [1], t"), QString("int64[2, 3] 0 0 1 0 1 3"));
        QCOMPARE(kept(", [9], t, t"), QString("int64[3, 3] 0 0 1 0 1 3 0 1 0"));
        const Module wide = moduleOf(
            effect("b: float32[1, n, 4], s: float32[1, 1, n], t: float32[1]", "y = non_max_suppression(b, s, [2], t)"));
        QCOMPARE(
            ran(wide, {HostTensor::splat(DType::Float32, {1, 2, 4}, 1), HostTensor::splat(DType::Float32, {1, 1, 2}, 1),
                       HostTensor::splat(DType::Float32, {1}, 1.5)}),
            QString("non_max_suppression 'y': the share that two boxes may have in common is 1.5; it is 0 to 1"));
        const Module integers = moduleOf(effect("b: float32[1, n, 4], s: float32[1, 1, n]",
                                                "c = cast(b, to = \"int64\")\ny = non_max_suppression(c, s)"));
        QCOMPARE(
            ran(integers,
                {HostTensor::splat(DType::Float32, {1, 2, 4}, 1), HostTensor::splat(DType::Float32, {1, 1, 2}, 1)}),
            QString("non_max_suppression 'y': boxes are int64[1, 2, 4] and scores float32[1, 1, 2]; they have to be "
                    "floating point, [batches, boxes, 4] and [batches, classes, boxes]"));
        const Module cut = moduleOf(effect("x: float32[n], s: int64[1], e: int64[1]", "y = cut(x, s, e)"));
        const auto at = [](int64_t index) { return HostTensor::splat(DType::Int64, {1}, static_cast<double>(index)); };
        QCOMPARE(ran(cut, {floats({1, 2, 3, 4}), at(1), at(-1)}), QString("float32[2] 2 3"));
        QCOMPARE(ran(cut, {floats({1, 2, 3, 4}), at(3), at(1)}), QString("float32[0]"));
        QCOMPARE(ran(unique, {floats({3, 1, 2})}),
                 QString("match 'v': `u` is float32[3]: dim 0 has to be 2*m for a whole m of at least 0, it is 3"));
    }

    void whatGoesWrongInARunIsSaid() {
        const Module power = moduleOf(kPower);
        QCOMPARE(ran(power, {floats({1}), whole(9), flag(true)}, {.maxTrips = 2}),
                 QString("loop 'y': trip 2: more than 2 trips and calls are run in all; the reference stops there, "
                         "since a loop may have no end"));
        QCOMPARE(ran(power, {floats({1, 2, 3}), whole(9), flag(true)}, {.maxElements = 8}),
                 QString("loop 'y': in trip 2 of `step`: concat 'z': the result [10] has more than 8 elements"));
        const std::string match = "y: float32[n] = match(x)";
        QCOMPARE(ran(moduleOf(effect("a: float32[n], x: float32[m]", match)), {floats({1}), floats({1, 2})}),
                 QString("match 'y': `x` is float32[2]: dim 0 has to be n = 1, it is 2"));
        const std::string fails = "func f(x: float32[4]) { return x }";
        QCOMPARE(ran(moduleOf(effect("x: float32[n]", "y = call(x, function = \"f\")", fails)), {floats({1, 2})}),
                 QString("call 'y': in function `f`: input 'x' is float32[2], it has to be float32[4]"));
        const std::string uneven = "func b(i: int64[], go: bool[], v: float32[k]) { w = concat(v, v, axis = 0) "
                                   "return go, w, v }";
        QCOMPARE(ran(moduleOf(effect("x: float32[n], t: int64[]", "v, y = loop(t, _, x, body = \"b\", carried = 1)",
                                     uneven)),
                     {floats({1}), whole(2)}),
                 QString("loop 'v': in trip 1 of `b`: the piece of output `y` is float32[2], those before it are "
                         "float32[1]"));
        const std::string many = "func b(i: int64[], go: bool[], v: float32[k]) { return go, v, v }";
        QCOMPARE(
            ran(moduleOf(effect("x: float32[n], t: int64[]", "v, y = loop(t, _, x, body = \"b\", carried = 1)", many)),
                {floats({1, 2}), whole(9)}, {.maxElements = 5}),
            QString("loop 'v': in trip 2 of `b`: output `y` has more than 5 elements"));
        QCOMPARE(ran(moduleOf(effect("c: bool[n]", "y = if(c, then = \"f\", else = \"f\")",
                                     "func f() { a = constant float32[] 1.0 return a }")),
                     {HostTensor::splat(DType::Bool, {3}, 1)}),
                 QString("if 'y': the condition is bool[3], it has to be one bool"));
        QCOMPARE(ran(moduleOf(effect("x: float32[n]", "y = call(x, function = \"g\")")), {floats({1})}),
                 QString("function `main`: call 'y': function is `g`, and the network has no function of that name"));
    }

    void randomNetworksSurvive() {
        for (uint64_t seed = 0; seed < 300; ++seed) {
            const RandomNetwork made(seed);
            Module module;
            try {
                module = moduleOf(made.text());
            } catch (const Error &error) {
                QFAIL((std::string(error.what()) + "\n" + made.text()).c_str());
            }
            const auto problems = graphProblems(module);
            QVERIFY2(problems.empty(), problems.empty() ? "" : problems[0].c_str());
            const auto typed = inferTypes(module);
            QVERIFY2(typed.ok(), (typed ? std::string() : typed.why() + made.text()).c_str());
            const std::string printed = netText(*typed);
            const Module again = moduleOf(printed);
            QVERIFY2(sameStructure(again, *typed), printed.c_str());
            QCOMPARE(netText(again), printed);
            const auto retyped = inferTypes(again);
            QVERIFY2(retyped.ok() && netText(*retyped) == printed, printed.c_str());
            for (const bool c : {false, true}) {
                const std::vector<HostTensor> inputs = {floats({1, -2, 3}), flag(c)};
                const QString once = ran(module, inputs, {.threads = 1});
                QVERIFY2(once.startsWith("float32[3]"), qPrintable(once));
                QCOMPARE(ran(again, inputs, {.threads = 1}), once);
            }
        }
    }
};

LOOPSCOPE_TEST(ControlFlowTest)
#include "control_flow_test.moc"
