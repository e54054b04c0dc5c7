// Right and wrong answers: every element type, special values, and what is said about the first wrong element.

#include <QTest>

#include "measure/answer/answer_check.h"

#include "language/expr/half.h"
#include "test_program.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace loopscope;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename Stored, typename Expected>
AnswerCheck check(DType dtype, std::vector<int64_t> shape, const std::vector<Expected> &expected,
                  const std::vector<Stored> &got) {
    ReferenceTensor tensor;
    tensor.name = "out";
    tensor.output = true;
    tensor.dtype = dtype;
    tensor.shape = std::move(shape);
    std::vector<float> bounds;
    for (const Expected value : expected) bounds.push_back(static_cast<float>(1e-5 + 1e-4 * std::fabs(double(value))));
    return checkAnswer(tensor, reinterpret_cast<const std::byte *>(expected.data()),
                       isFloat(dtype) ? bounds.data() : nullptr, reinterpret_cast<const std::byte *>(got.data()));
}

// Names without commas, for the macros.
constexpr auto checkFloats = check<float, double>;
constexpr auto checkDoubles = check<double, double>;
constexpr auto checkHalves = check<uint16_t, double>;
constexpr auto checkInts = check<int32_t, int64_t>;
constexpr auto checkBytes = check<int8_t, int64_t>;
constexpr auto checkUBytes = check<uint8_t, int64_t>;
constexpr auto checkLongs = check<int64_t, int64_t>;

float poisonFloat() {
    float value = 0;
    std::memset(&value, kPoison, sizeof value);
    return value;
}

} // namespace

class AnswerCheckTest : public QObject {
    Q_OBJECT

  private slots:
    void rightWithinTolerance() {
        const AnswerCheck answer = checkFloats(DType::Float32, {2, 2}, {1, 2, -3, 0}, {1, 2.0001F, -3, 0.000005F});
        QVERIFY2(answer.problem.empty(), answer.problem.c_str());
        QVERIFY(answer.maxError > 0.4 && answer.maxError < 0.6);
    }

    void wrongElementIsNamed_data() {
        QTest::addColumn<int>("at");
        // The last lies in the remainder after whole vectors, the others in different lanes and blocks.
        for (const int at : {0, 5, 2047, 2048, 5000, 5002}) QTest::addRow("%d", at) << at;
    }
    void wrongElementIsNamed() {
        QFETCH(int, at);
        std::vector<double> expected(5003, 1.5);
        std::vector<float> got(5003, 1.5F);
        got[static_cast<size_t>(at)] = 1.75F;
        const AnswerCheck answer = checkFloats(DType::Float32, {5003}, expected, got);
        QCOMPARE(answer.problem, "output `out` is 1.75 at [" + std::to_string(at) + "] instead of 1.5");
        QVERIFY(answer.maxError > 1);
    }

    void placeAndCountOfSeveral() {
        const AnswerCheck answer = checkFloats(DType::Float32, {2, 3}, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 50, 60});
        QCOMPARE(answer.problem, std::string("output `out` is 50 at [1, 1] instead of 5; 2 of 6 elements are wrong"));
    }

    void everyElementHasItsOwnBound() {
        ReferenceTensor tensor;
        tensor.name = "out";
        tensor.output = true;
        tensor.shape = {3};
        const double expected[] = {1, 1, 1};
        const float bounds[] = {0.5F, 0, std::numeric_limits<float>::infinity()};
        const auto problem = [&](std::vector<float> got) {
            return checkAnswer(tensor, reinterpret_cast<const std::byte *>(expected), bounds,
                               reinterpret_cast<const std::byte *>(got.data()))
                .problem;
        };
        QCOMPARE(problem({1.25F, 1, 100}), std::string());
        QCOMPARE(problem({1.25F, 1.0000002F, 1}), std::string("output `out` is 1.00000024 at [1] instead of 1"));
        QCOMPARE(problem({1.75F, 1, 1}), std::string("output `out` is 1.75 at [0] instead of 1"));
    }

    /// An overflow on the way, as the order will have it.
    void withoutABoundItMayBeNoNumber() {
        ReferenceTensor tensor;
        tensor.name = "out";
        tensor.output = true;
        tensor.shape = {2};
        const float bounds[] = {0.5F, std::numeric_limits<float>::infinity()};
        const auto problem = [&](double second, std::vector<float> got) {
            const double expected[] = {1, second};
            const AnswerCheck answer = checkAnswer(tensor, reinterpret_cast<const std::byte *>(expected), bounds,
                                                   reinterpret_cast<const std::byte *>(got.data()));
            return answer.maxError <= 1 || !answer.problem.empty() ? answer.problem : "an error without a problem";
        };
        const auto nan = static_cast<float>(kNan), inf = static_cast<float>(kInf);
        for (const float any : {nan, -nan, inf, -inf, 7.0F}) {
            QCOMPARE(problem(1, {1, any}), std::string());
            QVERIFY(!problem(1, {any, 1}).empty());
        }
        QCOMPARE(problem(1, {1, poisonFloat()}), std::string("output `out` was not written at [1], where 1 is right"));
        QVERIFY(!problem(kNan, {1, 2}).empty());
        QVERIFY(!problem(kInf, {1, 2}).empty());
    }

    void exactValuesAreExact() {
        ReferenceTensor tensor;
        tensor.name = "out";
        tensor.shape = {2};
        const double expected[] = {1, -2};
        const auto check = [&](std::vector<float> got) {
            return checkAnswer(tensor, reinterpret_cast<const std::byte *>(expected), nullptr,
                               reinterpret_cast<const std::byte *>(got.data()));
        };
        QCOMPARE(check({1, -2}).problem, std::string());
        QCOMPARE(check({1, -2}).maxError, 0.0);
        QVERIFY(!check({1.0000001F, -2}).problem.empty());
    }

    void integersOnAnEdgeMayFallEitherWay() {
        ReferenceTensor tensor;
        tensor.name = "out";
        tensor.dtype = DType::Int32;
        tensor.shape = {2};
        const int64_t expected[] = {7, 7};
        const float bounds[] = {1, 0};
        const auto problem = [&](std::vector<int32_t> got) {
            return checkAnswer(tensor, reinterpret_cast<const std::byte *>(expected), bounds,
                               reinterpret_cast<const std::byte *>(got.data()))
                .problem;
        };
        QCOMPARE(problem({8, 7}), std::string());
        QVERIFY(!problem({9, 7}).empty());
        QVERIFY(!problem({7, 8}).empty());
    }

    void nanIsWrongUnlessExpected() {
        const auto nan = static_cast<float>(kNan);
        QVERIFY(!checkFloats(DType::Float32, {2}, {1, 2}, {1, nan}).problem.empty());
        QVERIFY(!checkFloats(DType::Float32, {2}, {1, kNan}, {1, 2}).problem.empty());
        QVERIFY(checkFloats(DType::Float32, {2}, {1, kNan}, {1, nan}).problem.empty());
    }

    void infinityOnlyWhereExpected() {
        const auto inf = static_cast<float>(kInf);
        QVERIFY(checkFloats(DType::Float32, {2}, {kInf, -kInf}, {inf, -inf}).problem.empty());
        QVERIFY(!checkFloats(DType::Float32, {2}, {kInf, -kInf}, {inf, inf}).problem.empty());
        QVERIFY(!checkFloats(DType::Float32, {2}, {kInf, 1}, {3, 1}).problem.empty());
        QVERIFY(!checkFloats(DType::Float32, {2}, {1, 1}, {inf, 1}).problem.empty());
    }

    void untouchedOutputIsSaidToBe() {
        const AnswerCheck answer = checkFloats(DType::Float32, {2}, {1, 2}, {1, poisonFloat()});
        QCOMPARE(answer.problem, std::string("output `out` was not written at [1], where 2 is right"));
    }

    void otherFloatTypes() {
        QVERIFY(checkDoubles(DType::Float64, {2}, {1, 2}, {1, 2}).problem.empty());
        QVERIFY(!checkDoubles(DType::Float64, {2}, {1, 2}, {1, 3}).problem.empty());
        QVERIFY(checkHalves(DType::Float16, {2}, {1, 2}, {floatToHalf(1), floatToHalf(2)}).problem.empty());
        QVERIFY(!checkHalves(DType::Float16, {2}, {1, 2}, {floatToHalf(1), floatToHalf(2.5)}).problem.empty());
        QVERIFY(checkHalves(DType::BFloat16, {1}, {-4}, {floatToBfloat(-4)}).problem.empty());
        QVERIFY(!checkHalves(DType::BFloat16, {1}, {-4}, {floatToBfloat(4)}).problem.empty());
    }

    void integersAreExact() {
        QVERIFY(checkInts(DType::Int32, {2}, {1000000, -2}, {1000000, -2}).problem.empty());
        QCOMPARE(checkInts(DType::Int32, {2}, {1000000, -2}, {1000001, -2}).problem,
                 std::string("output `out` is 1000001 at [0] instead of 1000000"));
        QVERIFY(checkBytes(DType::Int8, {1}, {-7}, {-7}).problem.empty());
        QVERIFY(checkUBytes(DType::UInt8, {1}, {250}, {250}).problem.empty());
        QVERIFY(!checkUBytes(DType::Bool, {1}, {1}, {0}).problem.empty());
        QVERIFY(checkLongs(DType::Int64, {1}, {int64_t{1} << 40}, {int64_t{1} << 40}).problem.empty());
    }
};

LOOPSCOPE_TEST(AnswerCheckTest)
#include "answer_check_test.moc"
