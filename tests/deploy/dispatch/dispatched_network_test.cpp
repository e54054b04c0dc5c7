// A network that runs by its table: right at every size, among them those that no kernel was made at, and refused where
// the table is not of the network or leads a size to what does not hold for it.

#include "deploy/dispatch/dispatched_network.h"
#include "deploy/network/verify.h"
#include "deploy/network/weights.h"
#include "dispatch_case.h"
#include "random_network_text.h"
#include "test_program.h"

#include <QtTest>
#include <fmt/format.h>

using namespace loopscope;

namespace {

/// Parts of a concat lie where the size says; one kernel has nothing to do with the size.
const char *const kJoined = R"(network joined
func main(a: float32[n, 6], b: float32[2*n, 6], c: float32[3, 6]) {
  x = relu(a)
  y = sigmoid(b)
  z = tanh(c)
  both = concat(x, y, z, axis = 0)
  flat = reshape(x, [-1])
  return both, flat, z
})";

std::unique_ptr<DispatchedNetwork> dispatched(const Case &made, const DispatchTable &table) {
    auto network = DispatchedNetwork::make(made.network, made.families.front().family.target, table,
                                           {.threads = 1, .defaults = {.population = 64}});
    if (!network) qFatal("%s", network.why().c_str());
    return std::move(network).value();
}

std::string whyNot(const Case &made, const DispatchTable &table) {
    const auto network = DispatchedNetwork::make(made.network, made.families.front().family.target, table);
    return network ? std::string() : network.why();
}

std::vector<HostTensor> inputsAt(const Case &made, int64_t size, uint64_t seed = 3) {
    return seededInputs(*withNumbers(*made.function, {{"n", size}}), InputKind::Uniform, seed);
}

std::vector<int64_t> sizesTo(int64_t bound) {
    std::vector<int64_t> sizes;
    // Larger ones first, so that what they leave behind would be seen.
    for (int64_t size = bound; size >= 1; --size) sizes.push_back(size);
    return sizes;
}

void rightEverywhere(const char *text, int64_t bound, const std::vector<int64_t> &points,
                     const std::vector<int64_t> &sizes, FusionMode mode = FusionMode::Better,
                     const VerifyPlanOptions &options = {}) {
    const Case made = caseOf(text, bound, "llvm -num-cores=1", mode);
    const DispatchTable table = smallTable(made, points);
    const auto network = dispatched(made, table);
    for (const int64_t size : sizes) {
        const std::vector<HostTensor> inputs = inputsAt(made, size);
        QCOMPARE(*network->sizeOf(inputs), size);
        const auto set = network->setSize(size);
        QVERIFY2(set.ok(), set ? "" : set.why().c_str());
        network->setInputs(inputs);
        network->run();
        const auto results =
            verifyOutputs(*withNumbers(*made.function, {{"n", size}}), inputs, network->outputs(), {}, options);
        QVERIFY2(results.ok(), results ? "" : results.why().c_str());
        for (const CallVerdict &one : results->calls)
            QVERIFY2(one.ok, (std::to_string(size) + ": " + one.sentence).c_str());
        size_t kernels = 0; // some are there more than once
        for (const KernelTable &kernel : table.kernels) kernels += static_cast<size_t>(kernel.weight);
        QCOMPARE(network->choices().size(), kernels);
    }
    // And back again, from what is known by now.
    for (const int64_t size : {bound, int64_t{1}}) {
        QVERIFY(network->setSize(size).ok());
        network->setInputs(inputsAt(made, size));
        network->run();
        const std::vector<HostTensor> first = network->outputs();
        network->run();
        for (size_t i = 0; i < first.size(); ++i)
            QVERIFY(
                std::equal(first[i].bytes(), first[i].bytes() + first[i].byteSize(), network->outputs()[i].bytes()));
    }
}

} // namespace

class DispatchedNetworkTest : public QObject {
    Q_OBJECT
  private slots:
    void aPerceptronIsRightAtEverySize() { rightEverywhere(kMlp, 40, {1, 7, 16, 40}, sizesTo(40)); }
    void attentionIsRightAtEverySize() { rightEverywhere(kAttention, 33, {4, 16, 33}, sizesTo(33)); }
    void partsOfAConcatAreRightAtEverySize() { rightEverywhere(kJoined, 21, {2, 8, 21}, sizesTo(21)); }

    /// What exported networks with an open size are full of, and where the size is more than how often loops run.
    void kindsOfKernels_data() {
        QTest::addColumn<QString>("text");
        const auto row = [](const char *name, const char *type, const char *body) {
            QTest::newRow(name) << QString("network kind\nfunc main(x: %1) {\n%2}").arg(type, body);
        };
        const auto withSize = [&](const char *name, const char *type, const char *body) {
            row(name, type,
                qPrintable(QString("  s = shape(x)\n  zero = constant int64[] [0]\n  one = constant int64[] [1]\n"
                                   "  size = gather(s, zero, axis = 0)\n") +
                           body));
        };
        withSize("range alone", "float32[n, 4]", "  y = range(zero, size, one)\n  return y\n");
        withSize("range added", "float32[n]",
                 "  r = range(zero, size, one)\n  f = cast(r, to = \"float32\")\n  y = add(x, f)\n  return y\n");
        withSize("causal mask", "float32[n, n]",
                 "  r = range(zero, size, one)\n  columns = unsqueeze(r, axes = [0])\n"
                 "  rows = unsqueeze(r, axes = [1])\n  m = less_equal(columns, rows)\n"
                 "  y = where(m, x, -10000.0)\n  p = softmax(y)\n  return p\n");
        withSize("rows of a table", "float32[n, 3]",
                 "  t = constant float32[9, 3] random normal(deviation = 1)\n  r = range(zero, size, one)\n"
                 "  p = gather(t, r, axis = 0)\n  y = add(x, p)\n  return y\n");
        withSize("shape as data", "float32[n, 4]",
                 "  c = cast(size, to = \"float32\")\n  q = sqrt(c)\n  y = div(x, q)\n  return y\n");
        row("shape given", "float32[n, 4]", "  s = shape(x)\n  y = relu(x)\n  return y, s\n");
        row("zeros of a shape", "float32[n, 4]",
            "  s = shape(x)\n  c = constant_of_shape(s)\n  y = add(x, c)\n  return y\n");
        withSize("repeated", "float32[n, 4]",
                 "  c = constant float32[1, 4] random normal(deviation = 1)\n  a = unsqueeze(size, axes = [0])\n"
                 "  b = unsqueeze(one, axes = [0])\n  reps = concat(a, b, axis = 0)\n  t = tile(c, reps)\n"
                 "  y = add(x, t)\n  return y\n");
        row("padded by its shape", "float32[n, 4]",
            "  s = shape(x)\n  z = constant int64[2] [0, 0]\n  p = concat(s, z, axis = 0)\n  y = pad(x, p)\n"
            "  return y\n");
        row("sum and mean over the size", "float32[n, 6]",
            "  a = reduce_sum(x, axes = [0])\n  b = reduce_mean(x, axes = [0])\n  y = add(a, b)\n  return y\n");
        row("mean of all", "float32[n, 6]", "  y = reduce_mean(x, keep_dims = 0)\n  return y\n");
        row("means of pictures", "float32[1, 3, n, n]", "  y = global_average_pool(x)\n  return y\n");
        row("norm over the size", "float32[2, 3, n]",
            "  s = constant float32[3] random normal(deviation = 1)\n"
            "  b = constant float32[3] random normal(deviation = 1)\n  y = instance_norm(x, s, b)\n  return y\n");
        row("largest over the size", "float32[n, 6]", "  y = argmax(x, axis = 0)\n  return y\n");
        row("left to the host", "float32[n, 6]", "  v, i = topk(x, k = 2)\n  y = relu(v)\n  return y, i\n");
    }
    void kindsOfKernels() {
        QFETCH(QString, text);
        rightEverywhere(text.toStdString().c_str(), 9, {4, 9}, sizesTo(9));
    }

    /// Random networks at ten sizes, of which four have kernels of their own: none is refused, none is wrong.
    /// LOOPSCOPE_LONG_TESTS runs a hundred times as many, LOOPSCOPE_FIRST=n starts at stream n.
    void randomNetworks() {
        const uint64_t first = qEnvironmentVariable("LOOPSCOPE_FIRST", "0").toULongLong();
        std::vector<uint64_t> streams = {694}; // a softmax over the size, of whose kernels none was for six sizes
        const uint64_t count = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? 1000 : 10;
        for (uint64_t stream = first; stream < first + count; ++stream) streams.push_back(stream);
        for (const uint64_t stream : streams) {
            if (stream % 50 == 0) qInfo("stream %llu", static_cast<unsigned long long>(stream));
            Random random(41, stream);
            const std::string text = randomNetworkText(random);
            const auto story = [&](const std::string &what) {
                return fmt::format("stream {}: {}\n{}", stream, what, text);
            };
            const FusionMode mode = stream % 2 == 0 ? FusionMode::Better : FusionMode::Compatible;
            const Outcome<FunctionPtr> typed = inferTypes(parseNet(text, "random.net").module.find("main"));
            QVERIFY2(typed.ok(), story(typed ? "" : typed.why()).c_str());
            const Outcome<SizedNetwork> sized = SizedNetwork::of(*typed, mode);
            QVERIFY2(sized.ok(), story(sized ? "" : sized.why()).c_str());
            const auto families = kernelFamilies(*sized, 32, parseTarget("llvm -num-cores=1"));
            QVERIFY2(families.ok(), story(families ? "" : families.why()).c_str());
            rightEverywhere(text.c_str(), 32, {1, 4, 12, 32}, {32, 31, 24, 17, 12, 9, 5, 3, 2, 1}, mode,
                            {.estimate = true}); // what cancels, too
            if (QTest::currentTestFailed()) {
                qInfo("%s", story("wrong").c_str());
                return;
            }
        }
    }

    void otherInputsAreRefused() {
        const Case made = caseOf(kJoined, 16);
        const auto network = dispatched(made, smallTable(made, {16}));
        const auto why = [&](std::vector<HostTensor> inputs) {
            const auto size = network->sizeOf(inputs);
            return QString::fromStdString(size ? "" : size.why());
        };
        std::vector<HostTensor> inputs = inputsAt(made, 5);
        QCOMPARE(why(inputs), QString());
        inputs[1] = inputsAt(made, 6)[1];
        QCOMPARE(why(inputs),
                 QStringLiteral("the tensor for input `b` is float32[12, 6]: dim 0 has to be 2*n = 10, it is 12"));
        inputs[1] = inputs[2].reshaped({18});
        QCOMPARE(why(inputs),
                 QStringLiteral("the tensor for input `b` is float32[18], the network takes float32[2*n, 6]"));
        inputs.pop_back();
        QCOMPARE(why(inputs), QStringLiteral("the network takes 3 inputs, and 2 are given"));
        QCOMPARE(why(inputsAt(made, 17)), QStringLiteral("n = 17 is none of the table's sizes, which are 1 to 16"));
        for (const int64_t size : {int64_t{0}, int64_t{17}})
            QCOMPARE(network->setSize(size).why(),
                     "n = " + std::to_string(size) + " is none of the table's sizes, which are 1 to 16");
    }

    void aWrongGuardIsCaughtWhenItsSizeComes() {
        const Case made = caseOf(kMlp, 64);
        DispatchTable table = smallTable(made, {1, 16, 64});
        const KernelFamily &family = made.families.front().family;
        const auto alone = fixedKernel(family, defaultsAt(family, {16}).front().steps, 16);
        KernelTable &kernel = table.kernels.front();
        kernel.variants.push_back(
            {alone->hash, "planted", 1, 1, 16, alone->steps, std::vector<std::optional<double>>(table.points.size())});
        kernel.rows.insert(kernel.rows.begin(), DispatchRow{{15, 16, 1, {0}}, kernel.variants.size() - 1});
        const auto network = dispatched(made, table);
        QVERIFY(network->setSize(16).ok());
        const auto refused = network->setSize(15);
        QVERIFY(!refused.ok());
        QCOMPARE(QString::fromStdString(refused.why()),
                 QString("%1 (%2): the table leads n = 15 to v%3, which does not hold there: it is for n = 16 alone")
                     .arg(QString::fromStdString(kernel.name), QString::fromStdString(kernel.node))
                     .arg(kernel.variants.size() - 1));
        QCOMPARE(network->size(), int64_t{16});
    }

    void tablesOfOthersAreRefused() {
        const Case made = caseOf(kMlp, 64);
        const DispatchTable table = smallTable(made, {1, 64});
        QCOMPARE(whyNot(made, table), "");
        DispatchTable changed = table;
        changed.kernels[0].variants[0].hash = "0123456789abcdef";
        QVERIFY(QString::fromStdString(whyNot(made, changed))
                    .contains("v0 is stale, it had the hash 0123456789abcdef: "
                              "its schedule is now a program with hash"));
        changed = table;
        changed.kernels.pop_back();
        QVERIFY(QString::fromStdString(whyNot(made, changed)).contains("the table has no kernel at"));
        QVERIFY(QString::fromStdString(whyNot(caseOf(kMlp, 64, "llvm -num-cores=2"), table))
                    .contains("the table is for the target"));
    }
};

LOOPSCOPE_TEST(DispatchedNetworkTest)
#include "dispatched_network_test.moc"
