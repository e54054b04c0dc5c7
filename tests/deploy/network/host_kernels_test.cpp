// What the host does of a plan: kernels that it computes, right beside compiled ones and through files, refused with a
// sentence where a plan says something else than the operator takes; and indices, which it looks at before kernels that
// read by them.

#include "deploy/network/build.h"
#include "deploy/network/verify.h"
#include "deploy/network/weights.h"
#include "deploy/plan/plan_file.h"
#include "deploy/plan/plan_runner.h"
#include "language/expr/interval.h"
#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "networks/op/reference.h"
#include "test_program.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cstring>

using namespace loopscope;

namespace host_kernels_test {

namespace {

FunctionPtr functionOf(const char *text) { return *inferTypes(parseNet(text, "host.net").module.find("main")); }

Outcome<BuiltPlan> built(const GraphFunction &function, FusionMode mode = FusionMode::Better) {
    BuildOptions options;
    options.threads = 1;
    options.defaults.population = 64;
    return buildPlan(function, partitionFunction(function, mode), parseTarget("llvm -num-cores=1"), options);
}

/// Two of them, of which one reads a constant of rank 0 and one has an output that nobody reads.
const char *const kNet = R"(network picks
func main(x: float32[2, 8, 6, 6], places: int64[2, 3]) {
  w = constant float32[12, 8, 1, 1] random he(fan_in = 8)
  b = constant float32[12, 1, 1] random normal(deviation = 0.1)
  c = conv(x, w)
  a = add(c, b)
  r = relu(a)
  f = reshape(r, [2, 432])
  values, unread = topk(f, k = 5)
  s = cumsum(values, axis = 1)
  e = mul(s, 0.5)
  levels = constant float32[2] [0.0, 1.0]
  hot = one_hot(places, levels, depth = 5)
  return e, hot
})";

} // namespace

class HostKernelsTest : public QObject {
    Q_OBJECT
  private slots:
    void aPlanCallsTheHost() {
        const FunctionPtr function = functionOf(kNet);
        for (const FusionMode mode : {FusionMode::Compatible, FusionMode::Better}) {
            const auto plan = built(*function, mode);
            QVERIFY2(plan.ok(), plan.ok() ? "" : plan.why().c_str());
            QCOMPARE(std::ranges::count_if(plan->plan.kernels, [](const PlanKernel &k) { return k.host.has_value(); }),
                     2);
            PlanRunner runner(plan->plan, {.threads = 1});
            for (const uint64_t seed : {1u, 2u}) {
                const auto inputs = seededInputs(*function, InputKind::Uniform, seed);
                const auto verified = verifyPlan(*function, runner, inputs, {});
                QVERIFY2(verified.ok(), verified.ok() ? "" : verified.why().c_str());
                for (const CallVerdict &call : verified->calls) QVERIFY2(call.ok, call.sentence.c_str());
            }
        }
    }

    void otherMemoryAndFilesChangeNothing() {
        const FunctionPtr function = functionOf(kNet);
        const auto plan = built(*function);
        QVERIFY(plan.ok());
        const QTemporaryDir folder;
        const std::string path = folder.filePath("host.plan").toStdString();
        writePlan(plan->plan, path);
        const ExecutionPlan read = readPlan(path);
        PlanRunner first(plan->plan, {.threads = 1});
        PlanRunner second(read, {.threads = 2});
        const auto inputs = seededInputs(*function, InputKind::Uniform, 3);
        for (PlanRunner *runner : {&first, &second})
            for (size_t i = 0; i < inputs.size(); ++i) runner->setInput(i, inputs[i]);
        first.run();
        second.run();
        for (size_t i = 0; i < 2; ++i)
            QCOMPARE(std::memcmp(first.output(i).bytes(), second.output(i).bytes(), first.output(i).byteSize()), 0);
    }

    void everyOneOfThem_data() {
        QTest::addColumn<QString>("call");
        QTest::newRow("sort") << "y = sort(x, axis = 1, descending = 1)";
        QTest::newRow("argsort") << "y = argsort(x, axis = 0)";
        QTest::newRow("scatter_nd") << "i = constant int64[2, 1] [3, 0]\n  u = constant float32[2, 9] random "
                                       "normal(deviation = 1.0)\n  y = scatter_nd(x, i, u)";
        QTest::newRow("topk, the indices alone") << "v, y = topk(x, k = 4, axis = 1, largest = 0)";
    }
    void everyOneOfThem() {
        QFETCH(const QString, call);
        const QString text =
            QStringLiteral("network one\nfunc main(x: float32[5, 9]) {\n  %1\n  return y\n}\n").arg(call);
        const FunctionPtr function = functionOf(text.toUtf8().constData());
        const auto plan = built(*function);
        QVERIFY2(plan.ok(), plan.ok() ? "" : plan.why().c_str());
        const auto inputs = seededInputs(*function, InputKind::Uniform, 7);
        PlanRunner runner(plan->plan, {.threads = 1});
        for (size_t i = 0; i < inputs.size(); ++i) runner.setInput(i, inputs[i]);
        runner.run();
        const auto expected = runReference(*function, inputs);
        QVERIFY(expected.ok());
        const HostTensor right = expected->at(function->results().front()).narrow().dense();
        const HostTensor output = runner.output(0);
        QCOMPARE(output.byteSize(), right.byteSize());
        QCOMPARE(std::memcmp(output.bytes(), right.bytes(), right.byteSize()), 0);
    }

    void indicesAreLookedAt_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QList<qlonglong>>("wrong"); // of int64[2, 2]
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *name, const char *call, const QList<qlonglong> &wrong, const char *sentence) {
            QTest::newRow(name) << call << wrong << sentence;
        };
        row("rows", "y = gather(x, i)", {0, 1, -3, 3},
            "gather 'y': index 3 at [1, 1] of the indices is outside of axis 0 of x [3, 4]: it is from -3 to 2");
        row("columns, from the end", "y = gather(x, i, axis = 1)", {0, -5, 3, 3},
            "gather 'y': index -5 at [0, 1] of the indices is outside of axis 1 of x [3, 4]: it is from -4 to 3");
        row("converted and reckoned", "n = cast(i, to = \"int32\")\n  s = add(n, n)\n  y = gather(x, s)", {0, 1, -1, 2},
            "gather 'y': index 4 at [1, 1] of the indices is outside of axis 0 of x [3, 4]: it is from -3 to 2");
        row("behind a reduction", "g = gather(x, i)\n  r = reduce_sum(g, axes = [-1])\n  y = relu(r)", {9, 1, 1, 1},
            "gather 'g': index 9 at [0, 0] of the indices is outside of axis 0 of x [3, 4]: it is from -3 to 2");
        row("elements", "y = gather_elements(x, i)", {0, 1, 2, 7},
            "gather_elements 'y': index 7 at [1, 1] of the indices is outside of axis 0 of x [3, 4]: it is from -3 to "
            "2");
        row("places", "y = gather_nd(x, i)", {0, 3, 2, 4},
            "gather_nd 'y': index 4 at [1, 1] of the indices is outside of axis 1 of x [3, 4]: it is from -4 to 3");
    }
    void indicesAreLookedAt() {
        QFETCH(const QString, call);
        QFETCH(const QList<qlonglong>, wrong);
        QFETCH(const QString, sentence);
        const QString text =
            QStringLiteral("network one\nfunc main(x: float32[3, 4], i: int64[2, 2]) {\n  %1\n  return y\n}\n")
                .arg(call);
        const FunctionPtr function = functionOf(text.toUtf8().constData());
        for (const FusionMode mode : {FusionMode::Compatible, FusionMode::Better}) {
            const auto plan = built(*function, mode);
            QVERIFY2(plan.ok(), plan.ok() ? "" : plan.why().c_str());
            const QTemporaryDir folder;
            const std::string path = folder.filePath("indices.plan").toStdString();
            writePlan(plan->plan, path);
            const ExecutionPlan read = readPlan(path);
            for (const ExecutionPlan *each : {&plan->plan, &read}) {
                PlanRunner runner(*each, {.threads = 1});
                const auto inputs = seededInputs(*function, InputKind::Uniform, 7);
                const auto verified = verifyPlan(*function, runner, inputs, {}); // all inside
                QVERIFY2(verified.ok() && verified->ok(), verified.ok() ? "" : verified.why().c_str());
                runner.setInput(1, integerTensor({2, 2}, std::vector<int64_t>(wrong.begin(), wrong.end())));
                std::string said;
                try {
                    runner.run();
                } catch (const Error &error) {
                    said = error.sentence();
                }
                QCOMPARE(QString::fromStdString(said), sentence);
            }
        }
    }
    void constantIndicesAreLookedAtOnce() {
        const FunctionPtr function =
            functionOf("network one\nfunc main(x: float32[3, 4]) {\n  i = constant int64[1, 2] [0, 3]\n  y = gather(x, "
                       "i)\n  return y\n}\n");
        const auto plan = built(*function);
        QVERIFY(!plan.ok());
        QCOMPARE(plan.why(), std::string("gather 'y': index 3 at [0, 1] of the indices is outside of axis 0 of x [3, "
                                         "4]: it is from -3 to 2"));
    }

    /// Kernels divide, and the plan looks at what they divide by, where no `where` chooses among the quotients.
    void integersDividedByZero_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("op");
        for (const char *op : {"div(a, d)", "mod(a, d)", "mod(a, d, fmod = 1)"})
            for (const char *type : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"})
                QTest::addRow("%s %s", type, op) << type << op;
    }
    void integersDividedByZero() {
        QFETCH(const QString, type);
        QFETCH(const QString, op);
        const DType dtype = *dtypeFromName(type.toStdString());
        const Interval values = Interval::ofType(dtype);
        const auto tensor = [&](const std::vector<int64_t> &elements) {
            HostTensor made = HostTensor::zeros(dtype, {2, 3});
            for (size_t i = 0; i < elements.size(); ++i)
                made.setInteger(static_cast<int64_t>(i), wrapToType(elements[i], dtype));
            return made;
        };
        // `d` is computed: 1 less than b.
        const QString text = QStringLiteral("network one\nfunc main(a: %1[2, 3], b: %1[2, 3]) {\n"
                                            "  one = constant %1[] 1\n  d = sub(b, one)\n  q = %2\n  y = add(q, %3)\n%4"
                                            "  return %5\n}\n");
        const QString choice = QStringLiteral("  zero = constant %1[] 0\n  c = equal(d, zero)\n  z = where(c, b, y)\n");
        const HostTensor a = tensor({values.min, values.max, 7, -7, 100, 13});
        const HostTensor some = tensor({0, 3, values.max, 5, -3, 101});
        const HostTensor none = tensor({0, 3, values.max, 5, -3, 1});
        for (const bool chosen : {false, true})
            for (const FusionMode mode : {FusionMode::Compatible, FusionMode::Better}) {
                const FunctionPtr function = functionOf(
                    text.arg(type, op, "one", chosen ? choice.arg(type) : "", chosen ? "z" : "y").toUtf8().constData());
                const auto plan = built(*function, mode);
                QVERIFY2(plan.ok(), plan.ok() ? "" : plan.why().c_str());
                const QTemporaryDir folder;
                const std::string path = folder.filePath("division.plan").toStdString();
                writePlan(plan->plan, path);
                const ExecutionPlan read = readPlan(path);
                PlanRunner runner(read, {.threads = 1});
                for (const HostTensor &b : {some, none}) {
                    const std::vector<HostTensor> inputs = {a, b};
                    const auto expected = runReference(*function, inputs);
                    for (size_t i = 0; i < inputs.size(); ++i) runner.setInput(i, inputs[i]);
                    std::string refused;
                    try {
                        runner.run();
                    } catch (const Error &error) {
                        refused = error.sentence();
                    }
                    QCOMPARE(refused, expected.ok() ? std::string() : expected.why());
                    QCOMPARE(expected.ok(), chosen || b.integer(5) != 1);
                    if (!expected.ok()) {
                        QCOMPARE(QString::fromStdString(refused),
                                 op.left(3) +
                                     " 'q': an integer is divided by 0 at index [1, 2] of 'd'; a `where` behind "
                                     "it may choose another value there");
                        continue;
                    }
                    const HostTensor right = expected->at(function->results().front()).narrow().dense();
                    QCOMPARE(runner.output(0).integerValues(), right.integerValues());
                }
            }
    }

    void plansThatSayOtherwiseAreRefused() {
        const FunctionPtr function = functionOf(kNet);
        const auto plan = built(*function);
        QVERIFY(plan.ok());
        const auto problemOfChanged = [&](const auto &change) {
            ExecutionPlan changed = plan->plan;
            for (PlanKernel &kernel : changed.kernels)
                if (kernel.host && kernel.name == "topk") change(kernel);
            return QString::fromStdString(problemOf(changed).value_or("nothing"));
        };
        const auto replaced = [&](const char *what, const char *with) {
            return problemOfChanged([&](PlanKernel &kernel) {
                const size_t at = kernel.host->text.find(what);
                QVERIFY(at != std::string::npos);
                kernel.host->text.replace(at, std::strlen(what), with);
            });
        };
        QCOMPARE(problemOfChanged([](PlanKernel &) {}), QStringLiteral("nothing"));
        QVERIFY2(replaced("topk", "exp").contains("kernel `topk` is left to the host, which does not compute `exp`"),
                 qPrintable(replaced("topk", "exp")));
        QVERIFY(replaced("func", "fun").contains("by a text that cannot be read"));
        QVERIFY2(replaced("float32[2, 432]", "float32[2, 433]").contains("which takes it in another form"),
                 qPrintable(replaced("float32[2, 432]", "float32[2, 433]")));
        QVERIFY(problemOfChanged([](PlanKernel &kernel) {
                    kernel.code.launch.args.pop_back();
                }).contains("has 1 arguments, and the host takes 2"));
        QVERIFY(problemOfChanged([](PlanKernel &kernel) {
                    kernel.host->text = "network host\nfunc main(x: float32[2]) {\n  return x\n}\n";
                }).contains("is not one operator"));
    }
};

LOOPSCOPE_TEST(HostKernelsTest)

} // namespace host_kernels_test
#include "host_kernels_test.moc"
