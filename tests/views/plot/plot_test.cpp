// The habits of a plot, by real mouse and key events.

#include "test_program.h"
#include "views/plot/plot.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace loopscope;

class PlotTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void cleanup();
    void fitsUntilTouched();
    void wheelZoomsAtTheCursor();
    void wheelZoomsOneAxis();
    void dragPans();
    void dragPansALogarithmicAxis();
    void shiftDragBrushes();
    void escapeEndsABrush();
    void clickIsNoDrag();
    void keysMove();
    void hoverTells();
    void fixedAxisStays();
    void replotsOnceForManyRequests();
    void titlesFitTheirAxes();
    void exportsPictures_data();
    void exportsPictures();
    void exportRefusals();

  private:
    QPoint at(double x, double y) const {
        return {int(m_plot->xAxis->coordToPixel(x)), int(m_plot->yAxis->coordToPixel(y))};
    }
    void drag(const QPoint &from, const QPoint &to, Qt::KeyboardModifiers modifiers) {
        QTest::mousePress(m_plot.get(), Qt::LeftButton, modifiers, from);
        for (int i = 1; i <= 4; ++i) {
            const QPointF to4 = from + (to - from) * i / 4;
            QMouseEvent move(QEvent::MouseMove, to4, m_plot->mapToGlobal(to4), Qt::NoButton, Qt::LeftButton, modifiers);
            QCoreApplication::sendEvent(m_plot.get(), &move);
        }
        QTest::mouseRelease(m_plot.get(), Qt::LeftButton, modifiers, to);
    }
    void wheel(const QPoint &at, int steps, Qt::KeyboardModifiers modifiers) {
        QWheelEvent event(at, m_plot->mapToGlobal(at), {}, {0, 120 * steps}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                          false);
        QCoreApplication::sendEvent(m_plot.get(), &event);
    }
    Theme m_theme;
    std::unique_ptr<Plot> m_plot;
};

void PlotTest::init() {
    m_plot = std::make_unique<Plot>(m_theme);
    m_plot->resize(500, 400);
    m_plot->setDataRange({0, 10}, {0, 100});
    m_plot->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_plot.get()));
    m_plot->replot();
}

void PlotTest::cleanup() { m_plot.reset(); }

void PlotTest::fitsUntilTouched() {
    QVERIFY(m_plot->untouched());
    m_plot->setDataRange({0, 20}, {0, 100});
    QCOMPARE(m_plot->xAxis->range(), QCPRange(0, 20));
    m_plot->zoomIn();
    QVERIFY(!m_plot->untouched());
    const QCPRange zoomed = m_plot->xAxis->range();
    m_plot->setDataRange({0, 40}, {0, 100});
    QCOMPARE(m_plot->xAxis->range(), zoomed);
    QTest::mouseDClick(m_plot.get(), Qt::LeftButton, {}, at(10, 50));
    QCOMPARE(m_plot->xAxis->range(), QCPRange(0, 40));
    QVERIFY(m_plot->untouched());
}

void PlotTest::wheelZoomsAtTheCursor() {
    const QPoint cursor = at(2, 25);
    const double x = m_plot->xAxis->pixelToCoord(cursor.x());
    const double y = m_plot->yAxis->pixelToCoord(cursor.y());
    wheel(cursor, 2, {});
    QVERIFY(m_plot->xAxis->range().size() < 9);
    QVERIFY(m_plot->yAxis->range().size() < 90);
    QVERIFY(qAbs(m_plot->xAxis->pixelToCoord(cursor.x()) - x) < 1e-6);
    QVERIFY(qAbs(m_plot->yAxis->pixelToCoord(cursor.y()) - y) < 1e-6);
    wheel(cursor, -2, {});
    QVERIFY(qAbs(m_plot->xAxis->range().lower) < 1e-6);
}

void PlotTest::wheelZoomsOneAxis() {
    wheel(at(5, 50), 1, Qt::ControlModifier);
    QVERIFY(m_plot->xAxis->range().size() < 10);
    QCOMPARE(m_plot->yAxis->range(), QCPRange(0, 100));
    m_plot->zoomToFit();
    wheel(at(5, 50), 1, Qt::ShiftModifier);
    QCOMPARE(m_plot->xAxis->range(), QCPRange(0, 10));
    QVERIFY(m_plot->yAxis->range().size() < 100);
}

void PlotTest::dragPans() {
    const QPoint from = at(5, 50);
    drag(from, at(7, 50), {});
    QVERIFY(qAbs(m_plot->xAxis->range().lower + 2) < 0.1);
    QVERIFY(qAbs(m_plot->xAxis->range().size() - 10) < 1e-6);
    QVERIFY(qAbs(m_plot->yAxis->range().lower) < 1);
}

void PlotTest::dragPansALogarithmicAxis() {
    m_plot->setQuantities(Quantity::Number, Quantity::Number, false, true);
    m_plot->setDataRange({0, 10}, {1, 1000});
    m_plot->replot();
    drag(at(5, 10), at(5, 100), {});
    QVERIFY(qAbs(m_plot->yAxis->range().lower - 0.1) < 0.01);
    QVERIFY(qAbs(m_plot->yAxis->range().upper - 100) < 5);
}

void PlotTest::shiftDragBrushes() {
    QSignalSpy brushed(m_plot.get(), &Plot::brushed);
    QSignalSpy clicked(m_plot.get(), &Plot::clicked);
    drag(at(8, 80), at(2, 20), Qt::ShiftModifier);
    QCOMPARE(brushed.size(), 1);
    QCOMPARE(clicked.size(), 0);
    const auto range = brushed[0][0].toRectF();
    QVERIFY(qAbs(range.left() - 2) < 0.1 && qAbs(range.right() - 8) < 0.1);
    QVERIFY(qAbs(range.top() - 20) < 1 && qAbs(range.bottom() - 80) < 1);
    QCOMPARE(m_plot->xAxis->range(), QCPRange(0, 10));
}

void PlotTest::escapeEndsABrush() {
    QSignalSpy brushed(m_plot.get(), &Plot::brushed);
    QTest::mousePress(m_plot.get(), Qt::LeftButton, Qt::ShiftModifier, at(2, 20));
    const QPointF to = at(6, 60);
    QMouseEvent move(QEvent::MouseMove, to, m_plot->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, Qt::ShiftModifier);
    QCoreApplication::sendEvent(m_plot.get(), &move);
    QTest::keyClick(m_plot.get(), Qt::Key_Escape);
    QTest::mouseRelease(m_plot.get(), Qt::LeftButton, Qt::ShiftModifier, to.toPoint());
    QCOMPARE(brushed.size(), 0);
}

void PlotTest::clickIsNoDrag() {
    QSignalSpy clicked(m_plot.get(), &Plot::clicked);
    QTest::mouseClick(m_plot.get(), Qt::LeftButton, Qt::ControlModifier, at(5, 50));
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked[0][0].toPointF().toPoint(), at(5, 50));
    QCOMPARE(clicked[0][1].value<Qt::KeyboardModifiers>(), Qt::ControlModifier);
    QVERIFY(m_plot->untouched());
}

void PlotTest::keysMove() {
    QTest::keyClick(m_plot.get(), Qt::Key_D);
    QVERIFY(m_plot->xAxis->range().lower > 0.5);
    QTest::keyClick(m_plot.get(), Qt::Key_Left);
    QVERIFY(qAbs(m_plot->xAxis->range().lower) < 1e-6);
    QTest::keyClick(m_plot.get(), Qt::Key_Plus);
    QVERIFY(m_plot->xAxis->range().size() < 10);
    QTest::keyClick(m_plot.get(), Qt::Key_F);
    QCOMPARE(m_plot->xAxis->range(), QCPRange(0, 10));
}

void PlotTest::hoverTells() {
    std::vector<QPointF> asked;
    m_plot->setHover([&asked](const QPointF &pixel) {
        asked.push_back(pixel);
        return QStringLiteral("a point");
    });
    const QPointF over = at(3, 30);
    QMouseEvent move(QEvent::MouseMove, over, m_plot->mapToGlobal(over), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(m_plot.get(), &move);
    QCOMPARE(asked.size(), size_t(1));
    QCOMPARE(asked[0], over);
    QCOMPARE(m_plot->cursor().shape(), Qt::PointingHandCursor);
}

void PlotTest::fixedAxisStays() {
    m_plot->keepFixed(m_plot->yAxis);
    wheel(at(5, 50), 3, {});
    drag(at(5, 50), at(6, 80), {});
    QCOMPARE(m_plot->yAxis->range(), QCPRange(0, 100));
    QVERIFY(m_plot->xAxis->range().size() < 10);
}

void PlotTest::replotsOnceForManyRequests() {
    QTest::qWait(60);
    QSignalSpy replots(m_plot.get(), &QCustomPlot::afterReplot);
    for (int i = 0; i < 100; ++i) m_plot->replotSoon();
    QTRY_COMPARE(replots.size(), 1);
    QTest::qWait(80);
    QCOMPARE(replots.size(), 1);
    m_plot->hide();
    m_plot->replotSoon();
    QTest::qWait(80);
    QCOMPARE(replots.size(), 1); // nobody sees it
}

void PlotTest::titlesFitTheirAxes() {
    m_plot->setTitles(QStringLiteral("arithmetic intensity, FLOP/byte"), QStringLiteral("speed, % of best"));
    m_plot->replot();
    QCOMPARE(m_plot->yAxis->label(), QStringLiteral("speed, % of best"));
    for (const QSize size : {QSize(300, 140), QSize(180, 100), QSize(500, 400)}) {
        m_plot->resize(size);
        QTest::qWait(50);
        m_plot->replot();
        const QRect rect = m_plot->axisRect()->rect();
        const auto fits = [](const QCPAxis &axis, int room) {
            return QFontMetrics(axis.labelFont()).horizontalAdvance(axis.label()) <= room;
        };
        QVERIFY2(fits(*m_plot->yAxis, rect.height()), qPrintable(m_plot->yAxis->label()));
        QVERIFY2(fits(*m_plot->xAxis, rect.width()), qPrintable(m_plot->xAxis->label()));
        for (const QCPAxis *axis : {m_plot->xAxis, m_plot->yAxis}) // whole words, or none
            QVERIFY2(!axis->label().contains(QChar(0x2026)), qPrintable(axis->label()));
    }
    QCOMPARE(m_plot->yAxis->label(), QStringLiteral("speed, % of best")); // whole again
}

void PlotTest::exportsPictures_data() {
    QTest::addColumn<QString>("suffix");
    QTest::addColumn<QByteArray>("magic");
    QTest::newRow("svg") << "svg" << QByteArray("<?xml");
    QTest::newRow("png") << "png" << QByteArray("\x89PNG");
    QTest::newRow("pdf") << "pdf" << QByteArray("%PDF");
    QTest::newRow("csv") << "csv" << QByteArray("a,b\n");
}

void PlotTest::exportsPictures() {
    QFETCH(QString, suffix);
    QFETCH(QByteArray, magic);
    m_plot->setTable([] { return QStringLiteral("a,b\n1,2\n"); });
    QVERIFY(m_plot->exportSuffixes().contains(suffix));
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("plot.") + suffix);
    QCOMPARE(m_plot->exportTo(path), QString());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    QVERIFY(bytes.startsWith(magic));
    if (suffix == QLatin1String("svg")) QVERIFY(bytes.size() > 1000);
}

void PlotTest::exportRefusals() {
    QTemporaryDir folder;
    const QString nowhere = folder.filePath(QStringLiteral("missing/plot.svg"));
    QVERIFY(m_plot->exportTo(nowhere).contains(nowhere));
    const QString odd = folder.filePath(QStringLiteral("plot.gif"));
    QCOMPARE(m_plot->exportTo(odd),
             QStringLiteral("Cannot write %1: a plot is exported as svg, png, pdf, not as \u201cgif\u201d").arg(odd));
    QVERIFY(!QFile::exists(odd));
}

LOOPSCOPE_WINDOW_TEST(PlotTest)
#include "plot_test.moc"
