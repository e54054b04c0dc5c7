// No kernel that computes something else is called right: faults planted in every sample and in workloads whose masks
// and paddings are huge, in every float type. What cannot be told apart must have been refused before.

#include <QTest>

#include "harness/planted_faults.h"
#include "language/expr/half.h"
#include "language/te/workload.h"
#include "measure/answer/answer_check.h"
#include "measure/answer/checkable.h"
#include "test_program.h"

#include <QDir>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

using namespace loopscope;

namespace {

const QString kSamples = QString(LOOPSCOPE_SOURCE_DIR) + "/samples/";
constexpr const char *kTypes[] = {"float32", "float64", "float16", "bfloat16"};

bool longTests() { return qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS"); }

DagPtr parsed(const QString &text) { return ComputeDag::fromWorkload(parseWorkload(text.toStdString(), "test.te")); }

bool sameValues(const TensorValue &a, const TensorValue &b) {
    const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    return std::equal(a.floats.begin(), a.floats.end(), b.floats.begin(), same) && a.integers == b.integers;
}

/// By more than a few roundings: a softmax, for one, is the same whatever is taken from all exponents. In narrow types
/// elements near zero are not looked at more closely than typical ones: a mean of many terms hardly moves by one.
double shareThatDiffers(const TensorValue &a, const TensorValue &b) {
    const double few = a.dtype == DType::Float64    ? 0x1p-48
                       : a.dtype == DType::Float32  ? 0x1p-20
                       : a.dtype == DType::BFloat16 ? 0x1p-6
                                                    : 0x1p-8;
    double typical = 0;
    if (a.dtype == DType::Float16 || a.dtype == DType::BFloat16) {
        double squares = 0, finite = 0;
        for (const double x : a.floats)
            if (std::isfinite(x)) squares += x * x, ++finite;
        typical = finite > 0 ? std::sqrt(squares / finite) : 0;
    }
    size_t count = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        if (isFloat(a.dtype))
            count += !(std::fabs(a.floats[i] - b.floats[i]) <= few * std::max(typical, std::fabs(a.floats[i])));
        else
            count += a.integers[i] != b.integers[i];
    }
    return static_cast<double>(count) / static_cast<double>(a.size());
}

/// What the check says of `got` where `right` is expected.
std::string problemOf(const TensorValue &right, const TensorValue &got) {
    ReferenceTensor tensor;
    tensor.name = "out";
    tensor.output = true;
    tensor.dtype = right.dtype;
    tensor.shape = right.shape;
    std::vector<std::byte> stored(right.size() * static_cast<size_t>(dtypeBytes(right.dtype)));
    storeElements(got, stored.data());
    const auto *expected = isFloat(right.dtype) ? reinterpret_cast<const std::byte *>(right.floats.data())
                                                : reinterpret_cast<const std::byte *>(right.integers.data());
    return checkAnswer(tensor, expected, right.bounds.empty() ? nullptr : right.bounds.data(), stored.data()).problem;
}

enum class Verdict { AllCaught, Refused };

/// Plants everything there is; fails the test where one is not noticed.
void plantAll(const ComputeDag &dag, bool narrow, Verdict &verdict) {
    CheckedSets checked;
    verdict = Verdict::AllCaught;
    try {
        checked = makeCheckedSets(dag, 3, 2);
    } catch (const Error &error) {
        qInfo("%s", error.what());
        verdict = Verdict::Refused;
        return;
    }
    std::vector<const CheckedSet *> sets = {&checked.random};
    if (checked.exact) sets.push_back(&*checked.exact);
    for (const CheckedSet *set : sets)
        for (const TensorValue &output : set->outputs)
            QVERIFY2(problemOf(output, output).empty(), problemOf(output, output).c_str());
    for (const CheckedSet *set : sets) {
        if (set == &checked.random && checked.exact) continue; // its roundings may hide one
        for (const TensorValue &output : set->outputs)
            for (const WrongAnswer &wrong : wrongAnswers(output)) {
                if (narrow && wrong.what == "one element") continue; // its neighbour may be as near as a rounding
                if (sameValues(wrong.value, output)) continue;
                QVERIFY2(!problemOf(output, wrong.value).empty(), wrong.what.c_str());
            }
    }
    for (const PlantedFault &fault : plantFaults(dag)) {
        // Of a layer normalisation the mean of this sum is corrected by how far it is off: a term less changes
        // roundings.
        if (fault.what.starts_with("data_sum without")) continue;
        bool differs = false, caught = false;
        for (const CheckedSet *set : sets) {
            if (caught) break;
            const auto wrong = interpret(*fault.dag, set->inputs, 2);
            for (size_t k = 0; k < wrong.size(); ++k) {
                // In a narrow type, one term of a few elements may be as small as a rounding.
                if (set == &checked.random)
                    differs = differs || shareThatDiffers(wrong[k], set->outputs[k]) > (narrow ? 0.05 : 0);
                caught = caught || !problemOf(set->outputs[k], wrong[k]).empty();
            }
        }
        QVERIFY2(caught || !differs, fault.what.c_str());
    }
}

const char *kCausalSoftmax = R"(
workload causal(M = 40)
x = placeholder [M, M] TYPE
masked(i < M, j < M) = select(j <= i, x[i, j], MASK)
top(i < M) = max(k < M; masked[i, k])
e(i < M, j < M) = exp(masked[i, j] - top[i])
total(i < M) = sum(k < M; e[i, k])
out(i < M, j < M) = e[i, j] / total[i]
)";

const char *kMaskedAttention = R"(
workload attention(M = 24, D = 16)
q = placeholder [M, D] TYPE
k = placeholder [M, D] TYPE
v = placeholder [M, D] TYPE
scores(i < M, j < M) = sum(d < D; q[i, d] * k[j, d])
masked(i < M, j < M) = select(j <= i, scores[i, j] * 0.25, MASK)
top(i < M) = max(j < M; masked[i, j])
e(i < M, j < M) = exp(masked[i, j] - top[i])
total(i < M) = sum(j < M; e[i, j])
p(i < M, j < M) = e[i, j] / total[i]
out(i < M, d < D) = sum(j < M; p[i, j] * v[j, d])
)";

const char *kAddedMask = R"(
workload added(M = 32)
x = placeholder [M, M] TYPE
s(i < M, j < M) = x[i, j] + select(j <= i, 0 * TYPE(1), MASK)
top(i < M) = max(k < M; s[i, k])
e(i < M, j < M) = exp(s[i, j] - top[i])
total(i < M) = sum(k < M; e[i, k])
out(i < M, j < M) = e[i, j] / total[i]
)";

const char *kPoolAdd = R"(
workload pool_add(H = 18, C = 8)
x = placeholder [H, H, C] TYPE
b = placeholder [C] TYPE
padded(y < H + 2, z < H + 2, c < C) = if_then_else(y >= 1 && y <= H && z >= 1 && z <= H, x[y - 1, z - 1, c], MASK)
pool(y < H, z < H, c < C) = max(r < 3, s < 3; padded[y + r, z + s, c])
out(y < H, z < H, c < C) = pool[y, z, c] + b[c]
)";

const char *kPoolConv = R"(
workload pool_conv(H = 12, C = 8)
x = placeholder [H, H, C] TYPE
w = placeholder [C, C] TYPE
padded(y < H + 2, z < H + 2, c < C) = if_then_else(y >= 1 && y <= H && z >= 1 && z <= H, x[y - 1, z - 1, c], MASK)
pool(y < H, z < H, c < C) = max(r < 3, s < 3; padded[y + r, z + s, c])
out(y < H, z < H, f < C) = sum(c < C; pool[y, z, c] * w[f, c])
)";

const char *kClip = R"(
workload clip(M = 64)
x = placeholder [M, M] TYPE
low(i < M, j < M) = max(x[i, j], MASK)
out(i < M, j < M) = min(low[i, j], 0.5) * x[j, i] + x[i, j]
)";

const char *kProduct = R"(
workload product(M = 64, K = 24)
x = placeholder [M, K] TYPE
out(i < M) = prod(k < K; x[i, k] + 1)
)";

const char *kMaskedSum = R"(
workload masked_sum(M = 48)
x = placeholder [M, M] TYPE
out(i < M) = sum(k < M where k <= i; x[i, k])
)";

} // namespace

class PlantedFaultsTest : public QObject {
    Q_OBJECT

  private slots:
    void masksAndPaddings_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("narrow");
        const std::pair<const char *, const char *> texts[] = {{"causal softmax", kCausalSoftmax},
                                                               {"masked attention", kMaskedAttention},
                                                               {"added mask", kAddedMask},
                                                               {"padded pool, add", kPoolAdd},
                                                               {"padded pool, conv", kPoolConv},
                                                               {"clip", kClip},
                                                               {"product", kProduct},
                                                               {"masked sum", kMaskedSum}};
        for (const auto &[name, text] : texts)
            for (const QString type : kTypes)
                for (const QString mask : {"-1e4", "-1e9", "-1e30", "-inf(TYPE)", "lowest(TYPE)"}) {
                    const bool masked = QString(text).contains("MASK");
                    if (type == "float16" && (mask == "-1e9" || mask == "-1e30")) continue; // infinite there
                    if (!masked && mask != "-1e4") continue;
                    if (QByteArray(name) == "added mask" && mask.startsWith("lowest")) continue; // overflows
                    QString filled = text;
                    filled.replace("MASK", mask).replace("-1e4", "-10000.0").replace("-1e9", "-1000000000.0");
                    filled.replace("-1e30", "-" + QString("1") + QString(30, '0') + ".0").replace("TYPE", type);
                    QTest::addRow("%s, %s, %s", name, qPrintable(type), masked ? qPrintable(mask) : "no mask")
                        << filled << type.endsWith("16");
                }
    }
    void masksAndPaddings() {
        QFETCH(QString, text);
        QFETCH(bool, narrow);
        Verdict verdict{};
        plantAll(*parsed(text), narrow, verdict);
        if (QTest::currentTestFailed()) return;
        if (verdict == Verdict::Refused) qInfo("refused as uncheckable");
        QVERIFY(verdict == Verdict::AllCaught || narrow);
    }

    /// Few elements overflow, in some orders of adding up: they are left open, and the others tell every fault.
    void fewOverflowsAreLeftOpen() {
        const DagPtr dag = parsed("workload overflows(CI = 64, H = 12, CO = 16)\n"
                                  "data = placeholder [1, CI, H, H] float16\n"
                                  "weight = placeholder [8, 8, CI, CO] float16\n"
                                  "conv = conv2d_winograd_nchw(data, weight, 1, 6)\n");
        const CheckedSets checked = makeCheckedSets(*dag, 3, 2);
        QVERIFY(checked.exact);
        for (const CheckedSet *set : {&checked.random, &*checked.exact}) {
            const TensorValue &out = set->outputs[0];
            QVERIFY(std::all_of(out.floats.begin(), out.floats.end(), [](double x) { return std::isfinite(x); }));
        }
        QVERIFY(std::ranges::count(checked.exact->outputs[0].bounds, std::numeric_limits<float>::infinity()) > 0);
        Verdict verdict{};
        plantAll(*dag, true, verdict);
        QVERIFY(verdict == Verdict::AllCaught);
    }

    /// Behind thirteen convolutions the bounds are larger than the values, and few weights are too few for sums that
    /// are exact: bounds are measured.
    void longChains_data() {
        QTest::addColumn<int>("side");
        QTest::addColumn<int>("channels");
        QTest::newRow("one channel") << 16 << 1;
        QTest::newRow("two channels") << 19 << 2;
        if (longTests()) QTest::newRow("four channels") << 33 << 4;
    }
    void longChains() {
        QFETCH(int, side);
        QFETCH(int, channels);
        const DagPtr dag = ComputeDag::fromWorkload(
            loadWorkload((kSamples + "pipelines/vgg_chain.te").toStdString(), {{"S", side}, {"C", channels}}));
        Verdict verdict{};
        plantAll(*dag, false, verdict);
        QVERIFY(verdict == Verdict::AllCaught);
    }

    /// Roundings decide which of nearly equal values is taken, and nothing is measured of that.
    void whatValuesDecideIsNotMeasured() {
        const DagPtr dag = parsed("workload steps(N = 64)\n"
                                  "x = placeholder [N] float32\n"
                                  "big(i < N) = x[i] * 1000000000.0\n"
                                  "y(i < N) = (big[i] + 1000000000000.0) - 1000000000000.0\n"
                                  "z(i < N) = select(y[i] - big[i] > 0, x[i], -x[i])\n");
        Verdict verdict{};
        plantAll(*dag, false, verdict);
        QVERIFY(verdict == Verdict::Refused);
    }

    void samples_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("type");
        for (const QString &name : QDir(kSamples).entryList({"*.te"}))
            for (const QString type : kTypes)
                QTest::addRow("%s %s", qPrintable(name), qPrintable(type)) << name << type;
    }
    void samples() {
        QFETCH(QString, name);
        QFETCH(QString, type);
        const Workload workload = loadWorkload((kSamples + name).toStdString());
        QString text = QString::fromStdString(printWorkload(workload.name, workload.ops, workload.args));
        if (type != "float32" && !text.contains("float32")) QSKIP("a sample without floats");
        if (type != "float32") // a matrix of constants alone has no type to take
            text.replace(QRegularExpression("^    (select\\([^\\[\n]*\\))$", QRegularExpression::MultilineOption),
                         "    " + type + "(\\1)");
        const DagPtr dag = parsed(text.replace("float32", type));
        if (!longTests() && (dag->flops() > 3e7 || type == "float64")) QSKIP("a long test: set LOOPSCOPE_LONG_TESTS=1");
        Verdict verdict{};
        plantAll(*dag, type.endsWith("16"), verdict);
        if (QTest::currentTestFailed()) return;
        // Sums in narrow types may be refused, nothing else.
        if (verdict == Verdict::Refused) {
            QVERIFY(type.endsWith("16"));
            qInfo("refused as uncheckable");
        }
    }
};

LOOPSCOPE_TEST(PlantedFaultsTest)
#include "planted_faults_test.moc"
