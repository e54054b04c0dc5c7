// Functions of the language that are made of others, over all values of narrow types and the edges of wide ones.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"
#include "language/te/workload.h"
#include "test_program.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

using namespace loopscope;

namespace derived_functions_test {

namespace {

std::vector<int64_t> edgesOf(DType type) {
    const int bits = dtypeBytes(type) * 8;
    const int64_t most = isUnsigned(type) ? (int64_t{1} << bits) - 1 : (int64_t{1} << (bits - 1)) - 1;
    const int64_t least = isUnsigned(type) ? 0 : -most - 1;
    std::vector<int64_t> values;
    if (bits == 8) {
        for (int64_t v = least; v <= most; ++v) values.push_back(v);
        return values;
    }
    for (const int64_t at : {least, int64_t{0}, most / 2, most})
        for (int64_t v = at - 3; v <= at + 3; ++v)
            if (v >= least && v <= most) values.push_back(v);
    for (int64_t v = 1; v < most / 3; v = v * 3 + 1) values.push_back(v);
    return values;
}

int64_t clampedTo(DType type, int64_t value) {
    const std::vector<int64_t> edges = edgesOf(type);
    const auto [least, most] = std::ranges::minmax(edges);
    return std::clamp(value, least, most);
}

/// out[i, j] = expression of a[i] and b[j].
TensorValue evaluate(const std::string &expression, DType type, const TensorValue &a, const TensorValue &b) {
    const std::string name(dtypeName(type));
    const auto size = [](const TensorValue &v) { return std::to_string(v.shape[0]); };
    const std::string text = "workload w()\na = placeholder [" + size(a) + "] " + name + "\nb = placeholder [" +
                             size(b) + "] " + name + "\nout(i < " + size(a) + ", j < " + size(b) + ") = " + expression +
                             "\n";
    return interpret(*ComputeDag::fromWorkload(parseWorkload(text, "w.te")), {a, b})[0];
}

TensorValue integers(DType type, const std::vector<int64_t> &values) {
    return {type, {static_cast<int64_t>(values.size())}, {}, values};
}

QString refusal(const std::string &expression) {
    try {
        (void)parseWorkload("workload w()\nx = placeholder [4]\nk = placeholder [4] int64\nu = placeholder [4] uint8\n"
                            "out(i < 4) = " +
                                expression + "\n",
                            "w.te");
    } catch (const Error &error) {
        return QString::fromStdString(error.sentence());
    }
    return {};
}

} // namespace

class DerivedFunctionsTest : public QObject {
    Q_OBJECT
  private slots:
    void ofPairs_data() {
        QTest::addColumn<int>("type");
        for (const DType type : {DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32, DType::UInt32})
            QTest::newRow(dtypeName(type).data()) << static_cast<int>(type);
    }
    void ofPairs() {
        QFETCH(const int, type);
        const auto dtype = static_cast<DType>(type);
        const std::vector<int64_t> values = edgesOf(dtype);
        const TensorValue given = integers(dtype, values);
        using Meaning = std::function<int64_t(int64_t, int64_t)>;
        const std::vector<std::pair<std::string, Meaning>> functions = {
            {"absd(a[i], b[j])", [](int64_t x, int64_t y) { return std::abs(x - y); }},
            {"halving_add(a[i], b[j])",
             [](int64_t x, int64_t y) { return static_cast<int64_t>(std::floor(static_cast<double>(x + y) / 2)); }},
            {"rounding_halving_add(a[i], b[j])",
             [](int64_t x, int64_t y) { return static_cast<int64_t>(std::floor(static_cast<double>(x + y + 1) / 2)); }},
            {"saturating_add(a[i], b[j])", [&](int64_t x, int64_t y) { return clampedTo(dtype, x + y); }},
            {"saturating_sub(a[i], b[j])", [&](int64_t x, int64_t y) { return clampedTo(dtype, x - y); }},
            {"clamp(a[i], 5, b[j])", [](int64_t x, int64_t y) { return std::min(std::max(x, int64_t{5}), y); }},
            {"saturating_uint8(a[i]) + saturating_uint8(b[j])",
             [](int64_t x, int64_t y) {
                 return (std::clamp<int64_t>(x, 0, 255) + std::clamp<int64_t>(y, 0, 255)) % 256;
             }},
            {"saturating_int16(a[i]) - saturating_int16(b[j])", [](int64_t x, int64_t y) -> int64_t {
                 return static_cast<int16_t>(std::clamp<int64_t>(x, -32768, 32767) -
                                             std::clamp<int64_t>(y, -32768, 32767));
             }}};
        for (const auto &[expression, meaning] : functions) {
            const TensorValue got = evaluate(expression, dtype, given, given);
            for (size_t i = 0; i < values.size(); ++i)
                for (size_t j = 0; j < values.size(); ++j) {
                    const int64_t value = got.integers[i * values.size() + j];
                    const int64_t expected = meaning(values[i], values[j]);
                    if (value == expected) continue;
                    QFAIL(qPrintable(QStringLiteral("%1 of %2 and %3: %4 instead of %5")
                                         .arg(QString::fromStdString(expression))
                                         .arg(values[i])
                                         .arg(values[j])
                                         .arg(value)
                                         .arg(expected)));
                }
        }
    }

    /// Floats beyond a type's ends, and what lies just inside of them.
    void saturatedFloats() {
        for (const DType from : {DType::Float32, DType::Float64, DType::Float16})
            for (const DType to :
                 {DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32, DType::UInt32}) {
                std::vector<double> values = {0, -0.5, 0.99, 1.5, -1.5, 127.9, 128, -129, 254.5, 256, -1e4, 3e4, 6e4};
                if (from != DType::Float16)
                    for (const double v : {65535.5, 65536.0, 2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0,
                                           4294967040.0, 4294967296.0, 1e30, -1e30})
                        values.push_back(v);
                if (from == DType::Float64)
                    for (const double v : {2147483646.5, 2147483647.5, 4294967295.5, 4294967294.25})
                        values.push_back(v);
                TensorValue given{from, {static_cast<int64_t>(values.size())}, {}, {}};
                for (const double v : values)
                    given.floats.push_back(from == DType::Float64   ? v
                                           : from == DType::Float32 ? static_cast<double>(static_cast<float>(v))
                                                                    : v);
                const TensorValue one{from, {1}, {0}, {}};
                const TensorValue got =
                    evaluate("saturating_" + std::string(dtypeName(to)) + "(a[i] + b[j])", from, given, one);
                for (size_t i = 0; i < values.size(); ++i) {
                    const double x = given.floats[i];
                    const int64_t expected =
                        clampedTo(to, static_cast<int64_t>(std::clamp(std::trunc(x), -9.0e15, 9.0e15)));
                    if (from == DType::Float16 && std::fabs(x) != 0 && std::floor(x) != x)
                        continue; // rounds on its way
                    QVERIFY2(got.integers[i] == expected, qPrintable(QStringLiteral("%1 to %2: %3 instead of %4")
                                                                         .arg(x, 0, 'g', 17)
                                                                         .arg(QString::fromUtf8(dtypeName(to).data()))
                                                                         .arg(got.integers[i])
                                                                         .arg(expected)));
                }
            }
    }

    void absOfUnsigned() {
        const TensorValue given = integers(DType::UInt8, edgesOf(DType::UInt8));
        QCOMPARE(evaluate("abs(a[i]) + (b[j] - b[j])", DType::UInt8, given, integers(DType::UInt8, {7})).integers,
                 given.integers);
    }

    void refusals_data() {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *expression, const char *sentence) {
            QTest::newRow(expression) << expression << sentence;
        };
        row("halving_add(x[i], x[i])", "halving_add takes integers of 8 to 32 bits, this is float32");
        row("saturating_sub(k[i], k[i])", "saturating_sub takes integers of 8 to 32 bits, this is int64");
        row("absd(k[i], 3)", "absd takes floats and integers of 8 to 32 bits, this is int64");
        row("absd(u[i], k[i])",
            "absd takes two values of one type: this has type int64 where uint8 is needed; cast it, "
            "as in uint8(...)");
        row("clamp(u[i], 3)", "clamp takes 3 arguments, 2 are given");
        row("saturating_uint8()", "saturating_uint8 takes 1 argument, 0 are given");
        row("saturating_float32(u[i])", "there is no function `saturating_float32` (did you mean `saturating_int32`?)");
    }
    void refusals() {
        QFETCH(const QString, expression);
        QFETCH(const QString, sentence);
        QCOMPARE(refusal(expression.toStdString()), sentence);
    }
};

LOOPSCOPE_TEST(DerivedFunctionsTest)

} // namespace derived_functions_test
#include "derived_functions_test.moc"
