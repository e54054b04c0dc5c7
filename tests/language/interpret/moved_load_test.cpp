// Reads whose place rounding decides have a bound: of the places they may land on.

#include "language/interpret/moved_load.h"

#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"
#include "language/te/workload.h"
#include "test_program.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace loopscope;

namespace moved_load_test {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TensorValue floats(std::vector<int64_t> shape, std::vector<double> values) {
    return {DType::Float32, std::move(shape), std::move(values), {}};
}

double errorAt(const TensorValue &tensor, std::vector<int64_t> indices, std::vector<double> errors) {
    return movedLoadError(tensor, indices, errors);
}

TensorValue evaluate(const std::string &text, const std::vector<TensorValue> &inputs) {
    return interpret(*ComputeDag::fromWorkload(parseWorkload("workload w()\n" + text, "w.te")), inputs)[0];
}

} // namespace

class MovedLoadTest : public QObject {
    Q_OBJECT
  private slots:
    void farthestOfThePlaces() {
        const TensorValue table = floats({4}, {0, 10, 11, 40});
        QCOMPARE(errorAt(table, {1}, {0}), 0.0);
        QCOMPARE(errorAt(table, {1}, {1}), 10.0);
        QCOMPARE(errorAt(table, {1}, {1.9}), 10.0);
        QCOMPARE(errorAt(table, {1}, {2}), 30.0);
        QCOMPARE(errorAt(table, {3}, {1}), 29.0); // and no place beyond the end
        QCOMPARE(errorAt({DType::UInt8, {3}, {}, {7, 250, 9}}, {0}, {1}), 243.0);
    }

    void severalIndicesMove() {
        const TensorValue table = floats({2, 3}, {0, 1, 2, 10, 11, 12});
        QCOMPARE(errorAt(table, {0, 1}, {0, 1}), 1.0);
        QCOMPARE(errorAt(table, {0, 1}, {1, 0}), 10.0);
        QCOMPARE(errorAt(table, {0, 1}, {1, 1}), 11.0);
    }

    void whatStandsThereMayBeOffItself() {
        TensorValue table = floats({3}, {1, 2, 4});
        table.bounds = {0.5F, 0.25F, 0.125F};
        QCOMPARE(errorAt(table, {0}, {0}), 0.5);
        QCOMPARE(errorAt(table, {0}, {1}), 1.25);
        QCOMPARE(errorAt(table, {1}, {1}), 2.125);
    }

    void tooManyPlacesHaveNoBound() {
        const TensorValue table = floats({1000}, std::vector<double>(1000, 3));
        QCOMPARE(errorAt(table, {500}, {31}), 0.0);
        QCOMPARE(errorAt(table, {500}, {33}), kInfinity);
        QCOMPARE(errorAt(table, {500}, {kInfinity}), kInfinity);
        QCOMPARE(errorAt(table, {500}, {std::nan("")}), kInfinity);
        QCOMPARE(errorAt(floats({2}, {1, std::nan("")}), {0}, {1}), kInfinity);
        QCOMPARE(errorAt(floats({2}, {1, kInfinity}), {0}, {1}), kInfinity);
    }

    /// Where a float lies on a whole number, and only there.
    void aTableReadAtAFloat() {
        const TensorValue x = floats({4}, {0.5, 30, 45, 69.5});
        const TensorValue table = floats({8}, {0, 1, 4, 9, 16, 25, 36, 49});
        const TensorValue out = evaluate("x = placeholder [4]\ntable = placeholder [8]\n"
                                         "out(i < 4) = table[clamp(int32(x[i] * 0.1), 0, 7)]\n",
                                         {x, table});
        QCOMPARE(out.floats, (std::vector<double>{0, 9, 16, 36}));
        QCOMPARE(out.bounds.size(), size_t{4});
        QVERIFY2(out.bounds[1] >= 7 && out.bounds[1] < 7.1F, qPrintable(QString::number(out.bounds[1])));
        for (const size_t exact : {0, 2, 3}) QCOMPARE(out.bounds[exact], 0.0F);
    }

    /// The product is rounded in one program and not in the other, as a fused multiply-add does it.
    void boundsHoldHoweverTheIndexIsRounded() {
        constexpr int64_t count = 20'000;
        constexpr int64_t entries = 1793;
        std::vector<double> x;
        std::vector<double> table;
        for (int64_t i = 0; i < count; ++i) x.push_back(static_cast<float>(static_cast<double>(i) / count));
        for (int64_t i = 0; i < entries; ++i)
            table.push_back(static_cast<float>(std::sin(0.01 * static_cast<double>(i))));
        const TensorValue out = evaluate("x = placeholder [20000]\ntable = placeholder [1793]\n"
                                         "out(i < 20000) = table[clamp(int32((x[i] + 0.1) * 1792), 0, 1792)]\n",
                                         {floats({count}, x), floats({entries}, table)});
        QCOMPARE(static_cast<int64_t>(out.bounds.size()), count);
        int64_t moved = 0;
        for (size_t i = 0; i < out.size(); ++i) {
            const auto sum = static_cast<float>(x[i] + static_cast<double>(0.1F));
            const float rounded = sum * 1792;
            for (const double index : {static_cast<double>(rounded), (x[i] + static_cast<double>(0.1F)) * 1792}) {
                const double other = table[static_cast<size_t>(std::clamp<double>(std::trunc(index), 0, 1792))];
                QVERIFY2(std::fabs(other - out.floats[i]) <= static_cast<double>(out.bounds[i]),
                         qPrintable(QString("%1: %2 against %3").arg(i).arg(other).arg(out.floats[i])));
            }
            moved += out.bounds[i] > 0 ? 1 : 0;
            QVERIFY(out.bounds[i] < 0.011F);
        }
        QVERIFY2(moved > 0 && moved < count / 100, qPrintable(QString::number(moved)));
    }
};

LOOPSCOPE_TEST(MovedLoadTest)

} // namespace moved_load_test
#include "moved_load_test.moc"
