// Ticks as text: what a person reads along an axis.

#include "test_program.h"
#include "views/plot/point_cloud.h"
#include "views/plot/quantity.h"

#include <QStringList>
#include <QTest>

using namespace loopscope;

namespace {

QString labels(Quantity quantity, double lower, double upper, bool logarithmic = false, int wanted = 5) {
    QStringList parts;
    for (const auto &tick : ticksOf(quantity, lower, upper, logarithmic, wanted))
        if (!tick.label.isEmpty()) parts << tick.label;
    return parts.join(QStringLiteral(" | "));
}

} // namespace

class QuantityTest : public QObject {
    Q_OBJECT

  private slots:
    void labels_data();
    void labels();
    void trialsAreWholeNumbers();
    void smallTicksHaveNoLabel();
    void noTicksOfNonsense();
    void nearestPoint();
    void roomForPoints();
    void brushedPoints();
};

void QuantityTest::labels_data() {
    QTest::addColumn<int>("quantity");
    QTest::addColumn<double>("lower");
    QTest::addColumn<double>("upper");
    QTest::addColumn<bool>("logarithmic");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *name, Quantity quantity, double lower, double upper, bool logarithmic,
                        const char *expected) {
        QTest::newRow(name) << int(quantity) << lower << upper << logarithmic << QString::fromUtf8(expected);
    };
    row("milliseconds", Quantity::Seconds, 0, 9e-3, false, "0 | 2 ms | 4 ms | 6 ms | 8 ms");
    row("one unit for all", Quantity::Seconds, 0, 1.4e-3, false, "0 | 0.5 ms | 1.0 ms");
    row("microseconds", Quantity::Seconds, 100e-6, 200e-6, false,
        "100 µs | 120 µs | 140 µs | 160 µs | 180 µs | 200 µs");
    row("times over decades", Quantity::Seconds, 1e-4, 1e-1, true, "100 µs | 1 ms | 10 ms | 100 ms");
    row("times within a decade", Quantity::Seconds, 0.9e-3, 12e-3, true, "1 ms | 2 ms | 5 ms | 10 ms");
    row("part of a decade", Quantity::Seconds, 2.5e-3, 6e-3, true, "3 ms | 4 ms | 5 ms | 6 ms");
    row("many decades", Quantity::Gflops, 1e-3, 1e7, true, "0.01 | 1 | 100 | 10000 | 1 M");
    row("speed", Quantity::Gflops, 0, 160, false, "0 | 50 | 100 | 150");
    row("fine steps", Quantity::Number, 0.1, 0.2, false, "0.10 | 0.12 | 0.14 | 0.16 | 0.18 | 0.20");
    row("no minus zero", Quantity::Number, -0.2, 0.2, false, "-0.2 | -0.1 | 0.0 | 0.1 | 0.2");
    row("percent", Quantity::Percent, 0, 1, false, "0 % | 20 % | 40 % | 60 % | 80 % | 100 %");
    row("seconds of search", Quantity::Duration, 0, 24, false, "0 | 5 s | 10 s | 15 s | 20 s");
    row("minutes of search", Quantity::Duration, 0, 290, false, "0 | 1 min | 2 min | 3 min | 4 min");
    row("hours of search", Quantity::Duration, 0, 15000, false, "0 | 1 h | 2 h | 3 h | 4 h");
}

void QuantityTest::labels() {
    QFETCH(int, quantity);
    QFETCH(double, lower);
    QFETCH(double, upper);
    QFETCH(bool, logarithmic);
    QFETCH(QString, expected);
    QCOMPARE(::labels(Quantity(quantity), lower, upper, logarithmic), expected);
}

void QuantityTest::trialsAreWholeNumbers() {
    QCOMPARE(::labels(Quantity::Count, 0.5, 3.5), QStringLiteral("1 | 2 | 3"));
    QCOMPARE(::labels(Quantity::Count, 0.9, 1.2), QStringLiteral("1"));
    QCOMPARE(::labels(Quantity::Count, 0, 100000), QStringLiteral("0 | 20000 | 40000 | 60000 | 80000 | 100 k"));
}

void QuantityTest::smallTicksHaveNoLabel() {
    const auto ticks = ticksOf(Quantity::Gflops, 1, 1000, true, 3);
    int small = 0;
    for (const auto &tick : ticks) small += tick.label.isEmpty() ? 1 : 0;
    QCOMPARE(small, 24); // 2..9 of three decades
    QCOMPARE(ticks.front().value, 1.);
}

void QuantityTest::noTicksOfNonsense() {
    QVERIFY(ticksOf(Quantity::Number, 1, 1, false, 5).empty());
    QVERIFY(ticksOf(Quantity::Number, 0, qInf(), false, 5).empty());
    QVERIFY(ticksOf(Quantity::Seconds, -1, 1, true, 5).empty());
}

void QuantityTest::nearestPoint() {
    PointCloud cloud;
    for (const int x : {30, 10, 20, 40}) cloud.add({double(x), 5, x});
    const auto pixelOf = [](const CloudPoint &point) { return QPointF(point.x, point.y); };
    const auto xOf = [](double pixel) { return pixel; };
    QCOMPARE(cloud.nearest({21, 6}, 8, pixelOf, xOf)->id, 20);
    QCOMPARE(cloud.nearest({26, 5}, 8, pixelOf, xOf)->id, 30);
    QVERIFY(!cloud.nearest({20, 14}, 8, pixelOf, xOf));
    QVERIFY(!cloud.nearest({100, 5}, 8, pixelOf, xOf));
}

void QuantityTest::roomForPoints() {
    PointCloud cloud;
    for (int x = 0; x < 5000; ++x) cloud.add({double(x), 5, x});
    QVERIFY(cloud.points().capacity() < 5000 + 5000 / 10);
    cloud.clear();
    QCOMPARE(cloud.points().capacity(), size_t(0));
}

void QuantityTest::brushedPoints() {
    PointCloud cloud;
    cloud.add({1, 1, 3});
    cloud.add({2, 9, 2});
    cloud.add({3, 1, 1});
    cloud.add({3, 1, 1});
    QCOMPARE(cloud.inside(QRectF(QPointF(0, 0), QPointF(3, 5))), (std::vector<int>{1, 3}));
    QCOMPARE(cloud.inside(QRectF(QPointF(2.5, 10), QPointF(1.5, 8))), (std::vector<int>{2}));
}

LOOPSCOPE_TEST(QuantityTest)
#include "quantity_test.moc"
