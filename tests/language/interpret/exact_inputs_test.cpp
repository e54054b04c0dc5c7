// Inputs whose sums are exact: whatever the order and however often a kernel rounds, it gets the same bits; and each
// term is in some sum.

#include <QTest>

#include "base/random.h"
#include "harness/sample_dags.h"
#include "language/expr/half.h"
#include "language/interpret/chain_draws.h"
#include "language/interpret/error_bound.h"
#include "language/interpret/exact_inputs.h"
#include "language/interpret/grain.h"
#include "language/te/workload.h"
#include "test_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace loopscope;

namespace {

constexpr DType kFloats[] = {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64};

DagPtr dagOf(QString text, const QString &type) {
    return ComputeDag::fromWorkload(parseWorkload(text.replace("TYPE", type).toStdString(), "test.te"));
}

DagPtr product(int64_t rows, int64_t columns, int64_t points, const QString &type) {
    return dagOf(QString("workload product()\na = placeholder [%1, %3] TYPE\nb = placeholder [%3, %2] TYPE\n"
                         "c(i < %1, j < %2) = sum(k < %3; a[i, k] * b[k, j])\n")
                     .arg(rows)
                     .arg(columns)
                     .arg(points),
                 type);
}

DagPtr softmaxRows(int64_t rows, int64_t columns, const QString &type) {
    return dagOf(QString("workload rows()\nx = placeholder [%1, %2] TYPE\ntop(i < %1) = max(k < %2; x[i, k])\n"
                         "e(i < %1, j < %2) = exp(x[i, j] - top[i])\ntotal(i < %1) = sum(k < %2; e[i, k])\n"
                         "out(i < %1, j < %2) = e[i, j] * total[i]\n")
                     .arg(rows)
                     .arg(columns),
                 type);
}

} // namespace

class ExactInputsTest : public QObject {
    Q_OBJECT

  private slots:
    void grainsOfNumbers() {
        QCOMPARE(grainOf(0.0), HUGE_VAL);
        QCOMPARE(grainOf(-0.75), 0.25);
        QCOMPARE(grainOf(3.0), 1.0);
        QCOMPARE(grainOf(-1024.0), 1024.0);
        QCOMPARE(grainOf(0x1p-12), 0x1p-12);
        for (const double none : {0.1, 0x1p-13, 1 + 0x1p-13, HUGE_VAL, std::nan("")}) QCOMPARE(grainOf(none), 0.0);
    }

    void grainsOfTensors() {
        TensorValue value{DType::Float32, {3}, {2, 0, -6}, {}};
        QCOMPARE(grainOf(value).grain, 2.0);
        QVERIFY(!grainOf(value).oneSigned);
        value.floats = {2, 0, 0.5};
        QCOMPARE(grainOf(value).grain, 0.5);
        QVERIFY(grainOf(value).oneSigned);
        value.floats[1] = 0.1;
        QCOMPARE(grainOf(value).grain, 0.0);
    }

    void lengthsOfSums_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<int>("longestShort");
        QTest::addColumn<int>("longestLong");
        QTest::newRow("float16") << "float16" << 64 << 1024;
        QTest::newRow("bfloat16") << "bfloat16" << 8 << 128;
        QTest::newRow("float32") << "float32" << (1 << 19) << (1 << 23);
    }
    void lengthsOfSums() {
        QFETCH(QString, type);
        QFETCH(int, longestShort);
        QFETCH(int, longestLong);
        QVERIFY(longestSum(*product(1, 1, longestShort, type)) == SumLength::Short);
        QVERIFY(longestSum(*product(1, 1, longestShort + 1, type)) == SumLength::Long);
        QVERIFY(longestSum(*product(1, 1, longestLong, type)) == SumLength::Long);
        QVERIFY(longestSum(*product(1, 1, longestLong + 1, type)) == SumLength::Hiding);
    }
    void sumsOfIntegersHideNothing() {
        QVERIFY(longestSum(*product(2, 2, 100000, "int32")) == SumLength::Short);
        QVERIFY(longestSum(*rowMinDag()) == SumLength::Short);
    }

    void sameSeedSameInputs() {
        const DagPtr dag = product(40, 40, 3000, "float16");
        const auto one = exactInputs(*dag, 5, 0), two = exactInputs(*dag, 5, 0), other = exactInputs(*dag, 6, 0);
        QVERIFY(one && two && other);
        QCOMPARE((*one)[0].floats, (*two)[0].floats);
        QCOMPARE((*one)[1].floats, (*two)[1].floats);
        QVERIFY((*one)[0].floats != (*other)[0].floats);
        QVERIFY((*one)[0].floats != randomInputs(*dag, 5)[0].floats);
    }

    void everyOrderGivesTheSameBits_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("points");
        for (const DType type : kFloats)
            for (const int points : {7, 90, 1000, 5000})
                QTest::addRow("%s, %d", std::string(dtypeName(type)).c_str(), points) << int(type) << points;
    }
    /// Added up backwards, in a random order and in four partial sums, rounding at every step.
    void everyOrderGivesTheSameBits() {
        QFETCH(int, type);
        QFETCH(int, points);
        const auto dtype = static_cast<DType>(type);
        constexpr int64_t kSide = 80;
        const DagPtr dag = product(kSide, kSide, points, QString::fromStdString(std::string(dtypeName(dtype))));
        const auto inputs = exactInputs(*dag, 3, 0);
        QVERIFY(inputs);
        const TensorValue right = interpret(*dag, *inputs, 2)[0];
        const auto exactly = right.bounds.empty() ? std::ptrdiff_t(right.size())
                                                  : std::count(right.bounds.begin(), right.bounds.end(), 0.0F);
        QVERIFY2(exactly * 100 >= std::ptrdiff_t(99 * right.size()), qPrintable(QString::number(exactly)));
        const auto &a = (*inputs)[0].floats, &b = (*inputs)[1].floats;
        const auto rounded = [&](double x) { return roundToType(x, dtype); };
        Random random(1);
        std::vector<size_t> order(static_cast<size_t>(points));
        std::iota(order.begin(), order.end(), size_t{0});
        for (int64_t at = 0; at < kSide * kSide; at += 97) {
            if (!right.bounds.empty() && right.bounds[size_t(at)] != 0) continue;
            const auto term = [&](size_t k) {
                return a[size_t(at / kSide) * size_t(points) + k] * b[k * kSide + size_t(at % kSide)];
            };
            double backwards = 0, shuffled = 0, parts[4] = {};
            for (size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random.index(i + 1)]);
            for (size_t i = 0; i < order.size(); ++i) {
                backwards = rounded(backwards + rounded(term(order.size() - 1 - i)));
                shuffled = rounded(shuffled + term(order[i])); // fused
                parts[i % 4] = rounded(parts[i % 4] + rounded(term(i)));
            }
            const double inParts = rounded(rounded(parts[0] + parts[1]) + rounded(parts[2] + parts[3]));
            QCOMPARE(backwards, right.floats[size_t(at)]);
            QCOMPARE(shuffled, right.floats[size_t(at)]);
            QCOMPARE(inParts, right.floats[size_t(at)]);
        }
    }

    void everyTermIsInSomeSum_data() { everyOrderGivesTheSameBits_data(); }
    void everyTermIsInSomeSum() {
        QFETCH(int, type);
        QFETCH(int, points);
        constexpr size_t kSide = 80;
        const DagPtr dag =
            product(kSide, kSide, points, QString::fromStdString(std::string(dtypeName(static_cast<DType>(type)))));
        const auto inputs = *exactInputs(*dag, 3, 0);
        const auto &a = inputs[0].floats, &b = inputs[1].floats;
        for (size_t k = 0; k < size_t(points); ++k) {
            bool left = false, right = false;
            for (size_t i = 0; i < kSide; ++i) {
                left = left || a[i * size_t(points) + k] != 0;
                right = right || b[k * kSide + i] != 0;
            }
            QVERIFY2(left && right, qPrintable(QString::number(k)));
        }
    }

    void sumsOfExponentialsAreExact() {
        for (const QString type : {"float16", "bfloat16", "float32"}) {
            const DagPtr dag = softmaxRows(300, 2000, type);
            const auto inputs = exactInputs(*dag, 3, 0);
            QVERIFY(inputs);
            const auto outputs = interpret(*dag, *inputs, 2);
            QVERIFY(outputs[0].bounds.empty());
            QVERIFY(*std::max_element(outputs[0].floats.begin(), outputs[0].floats.end()) > 50);
        }
    }

    /// One sum of more terms than the type holds: most of them would never be looked at.
    void tooFewSumsForTheirTerms() {
        for (int kind = 0; kind < kExactKinds; ++kind) {
            QVERIFY(!exactInputs(*product(1, 1, 100000, "bfloat16"), 1, kind));
            QVERIFY(!exactInputs(*product(2, 2, 30000, "float16"), 1, kind));
        }
        QVERIFY(exactInputs(*product(1, 1, 100000, "float32"), 1, 0));
    }

    /// A dozen layers, each a convolution over 24 channels with bias and rectifier.
    void layersUponLayersStayExact() {
        QString text = "workload layers()\nx0 = placeholder [24, 30, 30] float32\n";
        for (int i = 0; i < 12; ++i)
            text +=
                QString(
                    "w%1 = placeholder [24, 24, 3, 3] float32\nb%1 = placeholder [24] float32\n"
                    "c%1(c < 24, y < %3, x < %3) = sum(k < 24, v < 3, u < 3; w%1[c, k, v, u] * x%1[k, y + v, x + u])\n"
                    "x%2(c < 24, y < %3, x < %3) = max(c%1[c, y, x] + b%1[c], 0)\n")
                    .arg(i)
                    .arg(i + 1)
                    .arg(28 - 2 * i);
        const DagPtr dag = dagOf(text, "float32");
        QCOMPARE(productSumChain(*dag), 12);
        for (int kind = 0; kind + 1 < kExactKinds; ++kind) QVERIFY(!exactInputs(*dag, 3, kind));
        const auto inputs = exactInputs(*dag, 3, kExactKinds - 1);
        QVERIFY(inputs);
        const TensorValue out = interpret(*dag, *inputs, 2)[0];
        QVERIFY(out.bounds.empty() ||
                std::all_of(out.bounds.begin(), out.bounds.end(), [](float b) { return b == 0; }));
        const auto zeros = std::count(out.floats.begin(), out.floats.end(), 0.0);
        QVERIFY2(zeros * 10 < std::ptrdiff_t(9 * out.size()), qPrintable(QString::number(zeros)));
        QVERIFY(*std::max_element(out.floats.begin(), out.floats.end()) < 4096);
        const auto single = product(40, 40, 3000, "float32");
        QCOMPARE(productSumChain(*single), 1);
        QVERIFY(!exactInputs(*single, 3, kExactKinds - 1));
    }

    void overflowsAreLeftOpen() {
        const float none = std::numeric_limits<float>::infinity();
        TensorValue value{DType::Float16, {4}, {1, HUGE_VAL, std::nan(""), -HUGE_VAL}, {}, {none, none, none, 0}};
        openOverflows(value);
        QCOMPARE(value.floats, (std::vector<double>{1, 0, 0, -HUGE_VAL})); // the last may be a mask
        TensorValue exact{DType::Float16, {2}, {1, HUGE_VAL}, {}};
        openOverflows(exact);
        QCOMPARE(exact.floats[1], HUGE_VAL);
        // -1024 squared is more than float16 has.
        const DagPtr dag = dagOf("workload rows()\na = placeholder [20, 90] TYPE\nb = placeholder [90, 20] TYPE\n"
                                 "c(i < 20, j < 20) = sum(k < 90; a[i, k] * b[k, j])\n"
                                 "e(i < 20, j < 20) = exp(c[i, j] - c[i, 0])\n",
                                 "float16");
        const auto inputs = exactInputs(*dag, 3, 0);
        QVERIFY(inputs);
        TensorValue out = interpret(*dag, *inputs)[0];
        const auto isNumber = [](double x) { return std::isfinite(x); };
        QVERIFY(!std::all_of(out.floats.begin(), out.floats.end(), isNumber));
        openOverflows(out);
        QVERIFY(std::all_of(out.floats.begin(), out.floats.end(), isNumber));
    }

    /// The sum of `s` is infinite, NaN or a number, as the order will have it; what is made of it, too, though it looks
    /// like a number: comparisons drop a NaN, or keep it, and functions with few values have NaN besides.
    void whatMayBeNoNumberStaysSo_data() {
        QTest::addColumn<QString>("made");
        for (const QString made : {"max(s[i], 1)", "max(1 * TYPE(1), s[i])", "min(s[i], 1)", "min(1 * TYPE(1), s[i])",
                                   "tanh(s[i])", "sigmoid(s[i])", "erf(s[i])", "fmod(s[i], 3 * TYPE(1))",
                                   "max(k < 3; TYPE(1) - s[i] * TYPE(k))", "min(k < 3; s[i] * TYPE(k))"})
            QTest::newRow(qPrintable(made)) << made;
    }
    void whatMayBeNoNumberStaysSo() {
        QFETCH(QString, made);
        const DagPtr dag = dagOf("workload row()\nx = placeholder [3, 4] TYPE\ns(i < 3) = sum(k < 4; x[i, k])\n"
                                 "y(i < 3) = " +
                                     made + "\n",
                                 "float16");
        const double big = 40000;
        // Infinite, NaN, a number that may be either.
        const TensorValue x{DType::Float16, {3, 4}, {big, big, 1, 1, big, big, -big, -big, big, -big, big, -big}, {}};
        const TensorValue y = interpret(*dag, {x})[0];
        QCOMPARE(y.bounds, std::vector<float>(3, std::numeric_limits<float>::infinity()));
        const TensorValue small{DType::Float16, {3, 4}, std::vector<double>(12, 0.1), {}};
        const TensorValue bounded = interpret(*dag, {small})[0];
        for (const float bound : bounded.bounds) QVERIFY(std::isfinite(bound));
    }

    /// What is no number, or infinite, because inputs are, is so in every order, and a kernel is held to it.
    void whatIsNoNumberForSureIsChecked_data() {
        QTest::addColumn<QString>("made");
        for (const QString made :
             {"sum(k < 4; x[i, k])", "sum(k < 4; x[i, k] * x[i, k])", "sum(k < 4; exp(x[i, k]) * TYPE(0.3))",
              "max(k < 4; exp(x[i, k]))", "min(k < 4; x[i, k] * TYPE(0.3))", "prod(k < 4; x[i, k] * TYPE(0.3))",
              "max(exp(x[i, 2]), x[i, 1] / TYPE(3)) * TYPE(0.7)", "tanh(x[i, 2] / TYPE(3)) - exp(x[i, 1])",
              "select(x[i, 2] > 0, exp(x[i, 2]), exp(x[i, 2]) / TYPE(3))"})
            QTest::newRow(qPrintable(made)) << made;
    }
    void whatIsNoNumberForSureIsChecked() {
        QFETCH(QString, made);
        for (const char *type : {"float32", "float16"}) {
            const DagPtr dag = dagOf("workload row()\nx = placeholder [1, 4] TYPE\ny(i < 1) = " + made + "\n", type);
            const TensorValue x{dag->args()[0]->dtype, {1, 4}, {0.3, 0.7, std::nan(""), -0.2}, {}};
            const TensorValue y = interpret(*dag, {x})[0];
            QVERIFY(std::isnan(y.floats[0]));
            QVERIFY(y.bounds.empty() || y.bounds[0] == 0);
        }
    }

    /// A sum that overflows in one order, and is then infinite or NaN, and does not in another.
    void whatMayOverflowHasNoBound() {
        const auto boundOf = [](double size) {
            const DagPtr dag =
                dagOf("workload row()\nx = placeholder [1, 4] TYPE\ny(i < 1) = sum(k < 4; x[i, k])\n", "float16");
            const TensorValue x{DType::Float16, {1, 4}, {size, size, -size, -size}, {}};
            const TensorValue y = interpret(*dag, {x})[0];
            return y.bounds.empty() ? 0 : y.bounds[0];
        };
        QCOMPARE(boundOf(40000), std::numeric_limits<float>::infinity()); // 80000 on the way
        QVERIFY(std::isfinite(boundOf(30000)));
        QVERIFY(std::isfinite(boundOf(0.1)));
    }

    void randomInputsHaveNoGrain() {
        const DagPtr dag = product(8, 8, 20, "float32");
        const TensorValue sum = interpret(*dag, randomInputs(*dag, 1))[0];
        for (const float bound : sum.bounds) QVERIFY(bound > 0);
    }
};

LOOPSCOPE_TEST(ExactInputsTest)
#include "exact_inputs_test.moc"
