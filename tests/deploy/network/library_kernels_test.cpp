// Kernels of a network that OpenBLAS and oneDNN compute: right at every run and through files, bound to other memory,
// chosen where they are faster or pinned, refused with a sentence where they cannot be had.

#include "base/json_text.h"
#include "deploy/network/build.h"
#include "deploy/network/verify.h"
#include "deploy/network/weights.h"
#include "deploy/plan/plan_file.h"
#include "deploy/plan/plan_runner.h"
#include "harness/baseline_problems.h"
#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "test_program.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace loopscope;

namespace library_kernels_test {

namespace {

/// A convolution and a dense layer with what is fused to them, and a product whose two sides change.
const char *const kNet = R"(network mixed
func main(x: float32[1, 8, 12, 12], q: float32[6, 40], k: float32[40, 24]) {
  cw = constant float32[16, 8, 3, 3] random he(fan_in = 72)
  cb = constant float32[16] random normal(deviation = 0.1)
  conv = conv(x, cw, cb, pads = [1, 1, 1, 1])
  conv_active = relu(conv)
  w = constant float32[24, 32] random he(fan_in = 24)
  b = constant float32[32] random normal(deviation = 0.1)
  scores = matmul(q, k)
  weighed = softmax(scores)
  product = matmul(weighed, w)
  sum = add(product, b)
  active = relu(sum)
  return conv_active, active
})";

struct Case {
    FunctionPtr function;
    Partition partition;
};

Case mixed() {
    Case made;
    made.function = *inferTypes(parseNet(kNet, "mixed.net").module.find("main"));
    made.partition = partitionFunction(*made.function, FusionMode::Compatible);
    return made;
}

Outcome<BuiltPlan> built(const Case &of, const LibraryOptions &libraries) {
    BuildOptions options;
    options.threads = 1;
    options.defaults.population = 64;
    options.libraries = libraries;
    options.libraries.turnSeconds = 1e-4;
    return buildPlan(*of.function, of.partition, parseTarget("llvm -num-cores=1"), options);
}

/// Every kernel that the library has a routine for.
LibraryOptions always(const char *library) { return {.names = {library}, .worthIt = 1e9}; }

/// Why the library cannot be tried on this machine.
std::string missing(const Outcome<BuiltPlan> &plan) {
    if (plan)
        for (const LibraryTrial &trial : plan->libraries)
            if (trial.kernel.empty()) return trial.text();
    return {};
}

std::vector<HostTensor> inputsOf(const Case &of, uint64_t seed) {
    return seededInputs(*of.function, InputKind::Uniform, seed);
}

QString wrongIn(const Case &of, PlanRunner &runner, uint64_t seed) {
    const auto results = verifyPlan(*of.function, runner, inputsOf(of, seed));
    if (!results) return QString::fromStdString(results.why());
    QString wrong;
    for (const CallVerdict &one : results->calls)
        if (!one.ok) wrong += QString::fromStdString(one.sentence) + "\n";
    return wrong;
}

size_t routinesOf(const ExecutionPlan &plan) {
    size_t count = 0;
    for (const PlanKernel &kernel : plan.kernels) count += kernel.routine ? 1 : 0;
    return count;
}

} // namespace

class LibraryKernelsTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    void rightWhateverComputesThem_data() {
        QTest::addColumn<QByteArray>("library");
        QTest::addColumn<size_t>("least");
        QTest::newRow("onednn") << QByteArray("onednn") << size_t{4};
        QTest::newRow("openblas") << QByteArray("openblas") << size_t{1};
    }
    void rightWhateverComputesThem() {
        QFETCH(QByteArray, library);
        QFETCH(size_t, least);
        const Case of = mixed();
        const auto plan = built(of, always(library.constData()));
        QVERIFY2(plan.ok(), plan ? "" : plan.why().c_str());
        if (const std::string why = missing(plan); !why.empty()) QSKIP(why.c_str());
        std::string told;
        for (const LibraryTrial &trial : plan->libraries) told += trial.text() + "\n";
        QVERIFY2(routinesOf(plan->plan) >= least, told.c_str());
        PlanRunner runner(plan->plan, {.threads = 1});
        // Other inputs: nothing of the first may be kept.
        for (const uint64_t seed : {1, 2}) QCOMPARE(wrongIn(of, runner, seed), QString());

        // The same from files.
        const QTemporaryDir folder;
        const std::string path = folder.filePath("mixed.plan").toStdString();
        writePlan(plan->plan, path);
        const ExecutionPlan read = readPlan(path);
        QCOMPARE(routinesOf(read), routinesOf(plan->plan));
        PlanRunner again(read, {.threads = 1});
        const std::vector<HostTensor> inputs = inputsOf(of, 2);
        for (size_t i = 0; i < inputs.size(); ++i) again.setInput(i, inputs[i]);
        again.run();
        for (size_t o = 0; o < read.outputs.size(); ++o)
            QVERIFY(std::memcmp(again.output(o).bytes(), runner.output(o).bytes(), read.outputs[o].bytes()) == 0);
    }

    void onlyWhereItIsFaster() {
        const Case of = mixed();
        LibraryOptions never = always("onednn");
        never.worthIt = 0;
        const auto plan = built(of, never);
        QVERIFY(plan.ok());
        if (const std::string why = missing(plan); !why.empty()) QSKIP(why.c_str());
        QCOMPARE(routinesOf(plan->plan), size_t{0});
        bool timed = false;
        for (const LibraryTrial &trial : plan->libraries)
            if (trial.refusal.empty()) {
                timed = true;
                QVERIFY(trial.seconds > 0 && trial.ownSeconds > 0 && !trial.chosen);
                QVERIFY2(trial.text().find("; the kernel stays") != std::string::npos, trial.text().c_str());
            }
        QVERIFY(timed);
    }

    void pinned() {
        const Case of = mixed();
        LibraryOptions options = {.pinned = {{"scores", "openblas"}}};
        const auto plan = built(of, options);
        if (const std::string why = missing(plan); !why.empty()) QSKIP(why.c_str());
        QVERIFY2(plan.ok(), plan ? "" : plan.why().c_str());
        QCOMPARE(routinesOf(plan->plan), size_t{1});
        options.pinned = {{"weighed", "openblas"}};
        const auto refused = built(of, options);
        QVERIFY(!refused.ok());
        QVERIFY2(refused.why().find("(weighed) is to be computed by openblas: ") != std::string::npos,
                 refused.why().c_str());
    }

    void librariesThatThereAreNot() {
        const auto plan = built(mixed(), always("mkl"));
        QVERIFY(plan.ok());
        QCOMPARE(plan->libraries.size(), size_t{1});
        QCOMPARE(plan->libraries.front().text(), "mkl is not used: there is no such library");
        QCOMPARE(routinesOf(plan->plan), size_t{0});
    }

    void damagedRoutinesAreRefused_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<int>("value");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("operand") << "/operands/data" << 7 << "has no argument that can be the data of matmul";
        QTest::newRow("out") << "/operands/out" << 0 << "has no argument that can be the out of matmul";
        QTest::newRow("size") << "/problem/sizes/1" << 4000 << "elements to matmul";
        QTest::newRow("none") << "/problem/sizes/1" << 0 << "a library's problem has a size that is none";
    }
    void damagedRoutinesAreRefused() {
        QFETCH(QString, path);
        QFETCH(int, value);
        QFETCH(QString, sentence);
        const std::vector<KernelArg> args = {{"a", false, DType::Float32, 12, {3, 4}, {}},
                                             {"b", false, DType::Float32, 20, {4, 5}, {}},
                                             {"c", true, DType::Float32, 15, {3, 5}, {}}};
        LibraryRoutine routine;
        routine.library = "openblas";
        routine.problem = makeMatmul(1, 3, 5, 4);
        routine.data = 0;
        routine.weights = 1;
        routine.out = 2;
        QVERIFY(!problemOf(routine, args));
        nlohmann::ordered_json json = routineJson(routine);
        json[nlohmann::ordered_json::json_pointer(path.toStdString())] = value;
        const nlohmann::json document = json;
        QString told;
        try {
            told = QString::fromStdString(problemOf(routineFromJson(JsonPart(document)), args).value_or(""));
        } catch (const Error &error) {
            told = QString::fromStdString(error.sentence());
        }
        QVERIFY2(told.contains(sentence), qPrintable(told));
    }
};

LOOPSCOPE_TEST(LibraryKernelsTest)

} // namespace library_kernels_test
#include "library_kernels_test.moc"
