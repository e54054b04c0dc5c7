// Verdicts on tensors: where the largest difference stands, what counts as one, and the sentence.

#include "language/tensor/compare.h"
#include "test_program.h"

#include <QTest>
#include <limits>

using namespace loopscope;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

HostTensor computed(const std::vector<int64_t> &dims, const std::vector<double> &values, DType type = DType::Float32) {
    HostTensor tensor = HostTensor::zeros(type, dims);
    for (size_t i = 0; i < values.size(); ++i) tensor.setNumber(static_cast<int64_t>(i), values[i]);
    return tensor;
}

WideTensor expected(const std::vector<int64_t> &dims, const std::vector<double> &values, DType type = DType::Float32) {
    return {type, dims, values, {}};
}

} // namespace

class TensorCompareTest : public QObject {
    Q_OBJECT

  private slots:
    void sameIsOk() {
        const auto verdict = compareTensors(computed({2, 2}, {1, 2, -4, 0}), expected({2, 2}, {1, 2, -4, 0}), 0);
        QVERIFY(verdict.ok);
        QCOMPARE(verdict.relative, 0.0);
        QCOMPARE(verdict.largestExpected, 4.0);
        QCOMPARE(verdict.sentence, std::string());
    }

    void worstElementIsNamed() {
        const auto verdict = compareTensors(computed({2, 2}, {1, 2.5, -4, 1}), expected({2, 2}, {1, 2, -4, 0}), 0.2);
        QVERIFY(!verdict.ok);
        QCOMPARE(verdict.worst, int64_t{3});
        QCOMPARE(verdict.largestDifference, 1.0);
        QCOMPARE(verdict.relative, 0.25);
        QCOMPARE(verdict.sentence, std::string("it is 1 at [1, 1] where 0 was expected: 0.25 of the largest value, "
                                               "0.2 at most"));
        QVERIFY(compareTensors(computed({2, 2}, {1, 2.5, -4, 1}), expected({2, 2}, {1, 2, -4, 0}), 0.25).ok);
    }

    void onlyZerosWereExpected() {
        QVERIFY(compareTensors(computed({2}, {0, 0}), expected({2}, {0, 0}), 0).ok);
        const auto verdict = compareTensors(computed({2}, {0, 1e-30}), expected({2}, {0, 0}), 1);
        QVERIFY(!verdict.ok);
        QCOMPARE(verdict.relative, kInfinity);
    }

    void specialsHaveToStandWhereExpected() {
        QVERIFY(
            compareTensors(computed({3}, {kNoNumber, kInfinity, 1}), expected({3}, {kNoNumber, kInfinity, 1}), 0).ok);
        // What float32 cannot hold is an infinity there.
        QVERIFY(compareTensors(computed({1}, {kInfinity}), expected({1}, {1e39}), 0).ok);
        const auto wrongSign = compareTensors(computed({3}, {9, 1, -kInfinity}), expected({3}, {1, 1, kInfinity}), 100);
        QVERIFY(!wrongSign.ok && !wrongSign.specialsAgree);
        QCOMPARE(wrongSign.worst, int64_t{2});
        QCOMPARE(wrongSign.sentence, std::string("it is -inf at [2] where inf was expected"));
        QVERIFY(!compareTensors(computed({1}, {kNoNumber}), expected({1}, {0}), 1).ok);
        QVERIFY(!compareTensors(computed({1}, {0}), expected({1}, {kNoNumber}), 1).ok);
    }

    void integersAreExact() {
        WideTensor wanted = {DType::Int64, {2}, {}, {int64_t{1} << 60, 3}};
        HostTensor got = HostTensor::zeros(DType::Int64, {2});
        got.setInteger(0, (int64_t{1} << 60) + 1); // the same double
        got.setInteger(1, 3);
        const auto verdict = compareTensors(got, wanted, 1);
        QVERIFY(!verdict.ok);
        QCOMPARE(verdict.sentence, std::string("it is 1152921504606846977 at [0] where 1152921504606846976 was "
                                               "expected"));
        got.setInteger(0, int64_t{1} << 60);
        QVERIFY(compareTensors(got, wanted, 0).ok);
    }

    void typesAndDimsHaveToAgree() {
        QCOMPARE(compareTensors(computed({2}, {0, 0}), expected({1, 2}, {0, 0}), 1).sentence,
                 std::string("it is float32[2] where float32[1, 2] was expected"));
        QVERIFY(!compareTensors(computed({1}, {0}, DType::Float16), expected({1}, {0}), 1).ok);
    }

    void emptyTensorsAgree() { QVERIFY(compareTensors(computed({0, 3}, {}), expected({0, 3}, {}), 0).ok); }
};

LOOPSCOPE_TEST(TensorCompareTest)
#include "tensor_compare_test.moc"
