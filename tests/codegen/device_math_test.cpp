// How far the functions that PTX lacks are from the truth, measured on this processor with the same operations.

#include "codegen/nvptx/device_math.h"
#include "codegen/nvptx/device_math_double.h"
#include "test_program.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <random>

using namespace loopscope;

namespace {

template <class T, class I> struct HostMachine {
    using Real = T;
    using Integer = I;
    using Truth = bool;
    static constexpr int kMantissaBits = sizeof(T) == 8 ? 52 : 23;
    static constexpr int kExponentBias = sizeof(T) == 8 ? 1023 : 127;
    static T constant(double value) { return static_cast<T>(value); }
    static I whole(int64_t value) { return static_cast<I>(value); }
    static T fma(T a, T b, T c) { return std::fma(a, b, c); }
    static T pick(bool condition, T yes, T no) { return condition ? yes : no; }
    static I bitsOf(T x) { return std::bit_cast<I>(x); }
    static T realOf(I x) { return std::bit_cast<T>(x); }
    static HostMachine<double, int64_t> wide() { return {}; }
    static double widen(T x) { return x; }
    static T narrow(double x) { return static_cast<T>(x); }
    static I narrowInteger(int64_t x) { return static_cast<I>(x); }
};
using FloatMachine = HostMachine<float, int32_t>;
using DoubleMachine = HostMachine<double, int64_t>;

/// Of the truth, rounded to the type; absolute for values below `floor`.
template <class T> double lastPlaces(T value, long double truth, double floor) {
    if (std::isnan(truth)) return std::isnan(value) ? 0 : 1e9;
    if (static_cast<T>(truth) == value) return 0;
    if (std::isinf(value) || std::isinf(static_cast<T>(truth)) || std::isnan(value)) return 1e9;
    const long double size = std::max<long double>(std::fabs(truth), floor);
    const long double unit = std::ldexp(1.0L, std::max(std::ilogb(size), std::numeric_limits<T>::min_exponent - 1) -
                                                  std::numeric_limits<T>::digits + 1);
    return static_cast<double>(std::fabs(value - truth) / unit);
}

template <class M, class F, class Truth>
void holds(const char *name, F function, Truth truth, double low, double high, double most, double floor = 0) {
    using T = typename M::Real;
    M machine;
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> everywhere(low, high);
    double worst = 0;
    T at = 0;
    const auto look = [&](T x) {
        const double places = lastPlaces<T>(function(machine, x), truth(static_cast<long double>(x)), floor);
        if (places <= worst) return;
        worst = places;
        at = x;
    };
    for (int i = 0; i < 200000; ++i) look(static_cast<T>(everywhere(random)));
    // All magnitudes, and the edges.
    for (int e = -150; e < 128; ++e)
        for (const double f : {1.0, 1.3, 1.7}) {
            const double x = std::ldexp(f, e);
            if (x >= low && x <= high) look(static_cast<T>(x));
            if (-x >= low && -x <= high) look(static_cast<T>(-x));
        }
    for (const double x : {0.0, -0.0, low, high}) look(static_cast<T>(x));
    const std::string told =
        std::string(name) + ": " + std::to_string(worst) + " at " + std::to_string(static_cast<double>(at));
    QVERIFY2(worst <= most, told.c_str());
    if (qEnvironmentVariableIsSet("LOOPSCOPE_TELL_ERRORS")) qInfo("%s", told.c_str());
}

#define HOLDS(Machine, name, low, high, most, ...)                                                                     \
    holds<Machine>(                                                                                                    \
        #Machine " " #name, [](auto &m, auto x) { return device_math::name(m, x); },                                   \
        [](long double x) { return std::name(x); }, low, high, most __VA_OPT__(, ) __VA_ARGS__)

long double tenTo(long double x) { return std::pow(10.0L, x); }

} // namespace

class DeviceMathTest : public QObject {
    Q_OBJECT
  private slots:
    void ofFloats() {
        HOLDS(FloatMachine, exp, -110, 95, 3);
        HOLDS(FloatMachine, exp2, -155, 130, 3);
        holds<FloatMachine>("exp10", [](auto &m, auto x) { return device_math::exp10(m, x); }, tenTo, -47, 39.5, 3);
        HOLDS(FloatMachine, log, 0, 3e38, 3);
        HOLDS(FloatMachine, log, 0.5, 2, 3);
        HOLDS(FloatMachine, log2, 0, 100, 3);
        HOLDS(FloatMachine, log2, 0.5, 2, 3);
        HOLDS(FloatMachine, log10, 0, 100, 3);
        HOLDS(FloatMachine, tanh, -12, 12, 3);
        HOLDS(FloatMachine, erf, -5, 5, 3);
        HOLDS(FloatMachine, atan, -20, 20, 3);
        HOLDS(FloatMachine, sin, -10, 10, 4, 1);
        HOLDS(FloatMachine, sin, -1e9, 1e9, 4, 1);
        HOLDS(FloatMachine, cos, -10, 10, 4, 1);
        HOLDS(FloatMachine, tan, -10, 10, 4, 1);
    }

    void ofDoubles() {
        HOLDS(DoubleMachine, exp, -750, 712, 3);
        HOLDS(DoubleMachine, exp2, -1080, 1026, 3);
        holds<DoubleMachine>("exp10", [](auto &m, auto x) { return device_math::exp10(m, x); }, tenTo, -326, 309.5, 3);
        HOLDS(DoubleMachine, log, 0, 1e300, 3);
        HOLDS(DoubleMachine, log, 0.5, 2, 3);
        HOLDS(DoubleMachine, log2, 0, 100, 3);
        HOLDS(DoubleMachine, log10, 0, 100, 3);
        HOLDS(DoubleMachine, tanh, -25, 25, 3);
        HOLDS(DoubleMachine, atan, -20, 20, 3);
        const auto erf = [](auto &m, auto x) { return device_math::erfOfDouble(m, x); };
        const auto truth = [](long double x) { return std::erf(x); };
        holds<DoubleMachine>("erf", erf, truth, -7, 7, 2.5);
        holds<DoubleMachine>("erf", erf, truth, 0.9, 1.1, 2.5);
        HOLDS(DoubleMachine, sin, -10, 10, 4, 1);
        HOLDS(DoubleMachine, cos, -1e6, 1e6, 4, 1);
        HOLDS(DoubleMachine, tan, -10, 10, 4, 1);
    }

    void powers() {
        FloatMachine m;
        std::mt19937_64 random(11);
        std::uniform_real_distribution<double> logs(-40, 40);
        std::uniform_real_distribution<double> exponents(-3, 3);
        double worst = 0;
        for (int i = 0; i < 200000; ++i) {
            const auto x = static_cast<float>(std::exp(logs(random)) * (i % 2 == 0 ? 1 : -1));
            const auto y = static_cast<float>(i % 2 == 0 ? exponents(random) : std::round(exponents(random)));
            worst = std::max(worst,
                             lastPlaces<float>(device_math::pow(m, x, y), std::pow(static_cast<long double>(x), y), 0));
        }
        QVERIFY2(worst <= 1, std::to_string(worst).c_str());
        constexpr float inf = std::numeric_limits<float>::infinity();
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        for (const float x : {0.0F, -0.0F, 1.0F, -1.0F, 2.0F, -2.0F, 0.5F, -0.5F, inf, -inf, nan})
            for (const float y : {0.0F, 1.0F, -1.0F, 2.0F, 3.0F, -3.0F, 0.5F, 1e8F, 16777217.0F, inf, -inf, nan})
                QVERIFY2(lastPlaces<float>(device_math::pow(m, x, y), std::pow(x, y), 0) <= 1,
                         (std::to_string(x) + "^" + std::to_string(y)).c_str());
    }

    /// Of numbers of all sizes, of some close to one with large powers, and of negative ones with whole powers.
    void powersOfDoubles() {
        DoubleMachine m;
        std::mt19937_64 random(17);
        std::uniform_real_distribution<double> part(-1, 1);
        double worst = 0;
        const auto look = [&](double x, double y) {
            if (!std::isfinite(y)) return;
            worst = std::max(worst, lastPlaces<double>(device_math::powOfDouble(m, x, y),
                                                       std::pow(static_cast<long double>(x), y), 0));
        };
        for (int i = 0; i < 30000; ++i) {
            const double x = std::exp(700 * part(random));
            look(x, 720 * part(random) / std::fabs(std::log(x)));
            const double close = 1 + std::ldexp(part(random), -static_cast<int>(random() % 50));
            look(close, 720 * part(random) / std::fabs(std::log(close)));
            look(-std::exp(3 * part(random)), std::round(100 * part(random)));
            look(std::ldexp(1 + std::fabs(part(random)), -1060), part(random)); // below the normal numbers
        }
        if (qEnvironmentVariableIsSet("LOOPSCOPE_TELL_ERRORS")) qInfo("pow of doubles: %f", worst);
        QVERIFY2(worst <= 1.25, std::to_string(worst).c_str());
        constexpr double inf = std::numeric_limits<double>::infinity();
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        for (const double x :
             {0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 0x1p-1074, -0x1p-1074, 1e308, inf, -inf, nan})
            for (const double y : {0.0, 1.0, -1.0, 2.0, 3.0, -3.0, 0.5, 1e8, 0x1.fffffffffffffp+52, 0x1p53, 1e300,
                                   -1e300, inf, -inf, nan}) {
                const double value = device_math::powOfDouble(m, x, y);
                const double truth = std::pow(x, y);
                QVERIFY2(lastPlaces<double>(value, truth, 0) <= 1 &&
                             (std::isnan(truth) || std::signbit(truth) == std::signbit(value)),
                         (std::to_string(x) + "^" + std::to_string(y)).c_str());
            }
    }

    void remaindersOfDoublesAreExact() {
        DoubleMachine m;
        std::mt19937_64 random(19);
        std::uniform_real_distribution<double> mantissa(1, 2);
        const auto drawn = [&] {
            const double value = std::ldexp(mantissa(random), static_cast<int>(random() % 2098) - 1074);
            return random() % 2 == 0 ? value : -value;
        };
        const auto check = [&](double x, double y) {
            const double truth = std::fmod(x, y);
            const double value = device_math::fmodOfDouble(m, x, y);
            const bool same =
                std::isnan(truth) ? std::isnan(value) : truth == value && std::signbit(truth) == std::signbit(value);
            QVERIFY2(same, qPrintable(QStringLiteral("%1 by %2: %3").arg(x).arg(y).arg(value)));
        };
        for (int i = 0; i < 30000 && !QTest::currentTestFailed(); ++i) {
            const double x = drawn();
            const double y = drawn();
            check(x, y);
            check(x, x * std::ldexp(1.0, -static_cast<int>(random() % 60)));
            check(y * static_cast<double>(random() % 1000000), y);
            check(std::bit_cast<double>(random() >> (12 + random() % 50)), y); // below the normal numbers
            check(x, std::bit_cast<double>(random() >> (12 + random() % 50)));
        }
        constexpr double inf = std::numeric_limits<double>::infinity();
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        constexpr double most = std::numeric_limits<double>::max();
        for (const double x : {0.0, -0.0, 1.0, -2.5, 0x1p-1074, most, inf, -inf, nan})
            for (const double y : {0.0, -0.0, 1.0, -0.75, 0x1p-1074, 3 * 0x1p-1074, most, inf, -inf, nan}) check(x, y);
    }

    void remaindersAreExact() {
        FloatMachine m;
        std::mt19937_64 random(13);
        std::uniform_real_distribution<float> mantissa(1, 2);
        const auto drawn = [&] {
            const float value = std::ldexp(mantissa(random), static_cast<int>(random() % 277) - 149);
            return random() % 2 == 0 ? value : -value;
        };
        const auto check = [&](float x, float y) {
            const float truth = std::fmod(x, y);
            const float value = device_math::fmod(m, x, y);
            const bool same =
                std::isnan(truth) ? std::isnan(value) : truth == value && std::signbit(truth) == std::signbit(value);
            QVERIFY2(same, qPrintable(QStringLiteral("%1 by %2: %3").arg(x).arg(y).arg(value)));
        };
        for (int i = 0; i < 200000 && !QTest::currentTestFailed(); ++i) {
            const float x = drawn();
            check(x, drawn());
            check(x, x * std::ldexp(1.0F, -static_cast<int>(random() % 24)));
            check(x * 3, x);
        }
        constexpr float inf = std::numeric_limits<float>::infinity();
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        constexpr float most = std::numeric_limits<float>::max();
        for (const float x : {0.0F, -0.0F, 1.0F, -2.5F, 0x1p-149F, most, inf, -inf, nan})
            for (const float y : {0.0F, -0.0F, 1.0F, -0.75F, 0x1p-149F, most, inf, -inf, nan}) check(x, y);
    }

    void edges() {
        FloatMachine m;
        constexpr float inf = std::numeric_limits<float>::infinity();
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        QCOMPARE(device_math::exp(m, 0.0F), 1.0F);
        QCOMPARE(device_math::exp(m, -inf), 0.0F);
        QCOMPARE(device_math::exp(m, inf), inf);
        QVERIFY(std::isnan(device_math::exp(m, nan)));
        QCOMPARE(device_math::log(m, 0.0F), -inf);
        QCOMPARE(device_math::log(m, inf), inf);
        QVERIFY(std::isnan(device_math::log(m, -1.0F)));
        QVERIFY(std::isnan(device_math::log(m, nan)));
        QCOMPARE(device_math::log2(m, 0x1p-140F), -140.0F);
        QCOMPARE(device_math::tanh(m, inf), 1.0F);
        QCOMPARE(device_math::tanh(m, -inf), -1.0F);
        QVERIFY(std::isnan(device_math::tanh(m, nan)));
        QCOMPARE(device_math::erf(m, inf), 1.0F);
        DoubleMachine wide;
        QCOMPARE(device_math::erfOfDouble(wide, -static_cast<double>(inf)), -1.0);
        QCOMPARE(device_math::erfOfDouble(wide, 5.95), 1.0);
        QVERIFY(std::isnan(device_math::erfOfDouble(wide, static_cast<double>(nan))));
        QVERIFY(std::isnan(device_math::erf(m, nan)));
        QCOMPARE(device_math::atan(m, -inf), static_cast<float>(-std::numbers::pi / 2));
        QVERIFY(std::isnan(device_math::sin(m, inf)));
    }
};

LOOPSCOPE_TEST(DeviceMathTest)
#include "device_math_test.moc"
