// Moving through a graph with mouse and keys, what is seen at first, the overlays, and export of the whole scene.

#include "test_program.h"
#include "views/graph/graph_edge_item.h"
#include "views/graph/graph_view.h"
#include "views/graph/view_overlays.h"

#include <QFile>
#include <QGraphicsRectItem>
#include <QGraphicsScene>
#include <QImage>
#include <QPushButton>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

namespace loopscope {

class GraphViewTest : public QObject {
    Q_OBJECT

  private:
    Theme m_theme;

    /// `count` boxes of 200 x 100 in a column, 100 apart.
    void fill(GraphView &view, int count) {
        QRectF bounds;
        for (int i = 0; i < count; ++i) {
            const QRectF box(0, i * 200, 200, 100);
            view.scene()->addRect(box, QPen(Qt::black), QBrush(Qt::red));
            bounds |= box;
        }
        view.setContent(bounds);
    }
    static QRectF seen(const GraphView &view) { return view.mapToScene(view.viewport()->rect()).boundingRect(); }
    static void show(GraphView &view) {
        view.resize(600, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
    }
    static void wheel(GraphView &view, QPoint at, int delta, Qt::KeyboardModifiers modifiers) {
        QWheelEvent event(at, view.viewport()->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(view.viewport(), &event);
    }

  private slots:
    void smallGraphsAreFittedWhole() {
        GraphView view(m_theme);
        show(view);
        fill(view, 2);
        view.showStart({0, 0, 200, 100});
        QVERIFY(seen(view).contains(view.content()));
        QCOMPARE(view.zoom(), 1.0); // never larger than life
        QVERIFY(view.untouched());
    }

    void largeGraphsStartLegible() {
        GraphView view(m_theme);
        show(view);
        fill(view, 60);
        view.showStart({0, 0, 200, 100});
        QVERIFY(view.zoom() >= 0.7);
        QVERIFY(seen(view).contains(QRectF(0, 0, 200, 100)));
        QVERIFY(std::abs(seen(view).center().x() - 100) < 2);
        auto *map = view.findChild<QWidget *>(QStringLiteral("Minimap"));
        QVERIFY(map && map->isVisible());
        view.zoomToFit();
        QVERIFY(seen(view).contains(view.content()));
        QVERIFY(!map->isVisible());
    }

    void resizingKeepsTheFitUntilMoved() {
        GraphView view(m_theme);
        show(view);
        fill(view, 6);
        view.zoomToFit();
        view.resize(300, 300);
        QVERIFY(seen(view).contains(view.content()));
        QTest::keyClick(&view, Qt::Key_S);
        QVERIFY(!view.untouched());
        const double zoom = view.zoom();
        view.resize(600, 600);
        QCOMPARE(view.zoom(), zoom);
    }

    void wheelZoomsAboutTheCursor() {
        GraphView view(m_theme);
        show(view);
        fill(view, 6);
        view.zoomToFit();
        const QPoint at(280, 100);
        const QPointF before = view.mapToScene(at);
        const double zoom = view.zoom();
        wheel(view, at, 240, Qt::ControlModifier);
        QVERIFY(view.zoom() > zoom * 1.3);
        const QPointF after = view.mapToScene(at);
        QVERIFY2(QLineF(before, after).length() * view.zoom() < 2.5,
                 qPrintable(QStringLiteral("%1").arg(QLineF(before, after).length())));
    }

    void wheelAndKeysPan() {
        GraphView view(m_theme);
        show(view);
        fill(view, 60);
        view.showStart({0, 0, 200, 100});
        QRectF before = seen(view);
        wheel(view, {100, 100}, -120, Qt::NoModifier);
        QVERIFY(seen(view).top() > before.top());
        before = seen(view);
        QTest::keyClick(&view, Qt::Key_W);
        QVERIFY(seen(view).top() < before.top());
        before = seen(view);
        QTest::keyClick(&view, Qt::Key_D);
        QVERIFY(seen(view).left() > before.left());
    }

    void dragPansAndDoesNotClick() {
        GraphView view(m_theme);
        show(view);
        fill(view, 60);
        view.showStart({0, 0, 200, 100});
        QSignalSpy clicks(&view, &GraphView::itemClicked);
        for (const auto button : {Qt::LeftButton, Qt::MiddleButton, Qt::RightButton}) {
            const QRectF before = seen(view);
            QTest::mousePress(view.viewport(), button, {}, {300, 300});
            QMouseEvent move(QEvent::MouseMove, QPointF(300, 200), view.viewport()->mapToGlobal(QPointF(300, 200)),
                             Qt::NoButton, button, {});
            QCoreApplication::sendEvent(view.viewport(), &move);
            QTest::mouseRelease(view.viewport(), button, {}, {300, 200});
            QVERIFY(std::abs((seen(view).top() - before.top()) * view.zoom() - 100) < 2);
        }
        QCOMPARE(clicks.count(), 0);
    }

    void clicksNameTheItem() {
        GraphView view(m_theme);
        show(view);
        fill(view, 1);
        view.showStart({0, 0, 200, 100});
        QSignalSpy clicks(&view, &GraphView::itemClicked);
        QSignalSpy menus(&view, &GraphView::menuRequested);
        const QPoint on = view.mapFromScene(QPointF(100, 50));
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, on);
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, {5, 5});
        QTest::mouseClick(view.viewport(), Qt::RightButton, {}, on);
        QCOMPARE(clicks.count(), 2);
        QVERIFY(clicks[0][0].value<QGraphicsItem *>() != nullptr);
        QVERIFY(clicks[1][0].value<QGraphicsItem *>() == nullptr);
        QCOMPARE(menus.count(), 1);
    }

    void focusThenEverything() {
        GraphView view(m_theme);
        show(view);
        fill(view, 60);
        view.showStart({0, 0, 200, 100});
        const QRectF node(0, 4000, 200, 100);
        view.setFocusRect(node);
        QTest::keyClick(&view, Qt::Key_F);
        QVERIFY(seen(view).contains(node));
        QVERIFY(!seen(view).contains(view.content()));
        QTest::keyClick(&view, Qt::Key_F);
        QVERIFY(seen(view).contains(view.content()));
        view.zoomTo(node);
        QTest::keyClick(&view, Qt::Key_Home);
        QVERIFY(seen(view).contains(view.content()));
    }

    void revealMovesNoMoreThanNeeded() {
        GraphView view(m_theme);
        show(view);
        fill(view, 60);
        view.showStart({0, 0, 200, 100});
        const QRectF before = seen(view);
        view.reveal({0, 200, 200, 100}); // is seen
        QCOMPARE(seen(view), before);
        view.reveal({0, 8000, 200, 100}); // far away: jumps
        QVERIFY(seen(view).contains(QRectF(0, 8000, 200, 100)));
        view.reveal({0, 7600, 200, 100}); // a short way takes a moment
        QTRY_VERIFY(seen(view).contains(QRectF(0, 7600, 200, 100)));
        QCOMPARE(view.zoom(), 0.7);
    }

    void keysAskForNextAndArrows() {
        GraphView view(m_theme);
        show(view);
        fill(view, 2);
        QSignalSpy next(&view, &GraphView::nextRequested);
        QSignalSpy arrows(&view, &GraphView::arrowPressed);
        QSignalSpy escapes(&view, &GraphView::escapePressed);
        QTest::keyClick(&view, Qt::Key_Period);
        QTest::keyClick(&view, Qt::Key_Comma);
        QTest::keyClick(&view, Qt::Key_Up);
        QTest::keyClick(&view, Qt::Key_Escape);
        QCOMPARE(next.count(), 2);
        QCOMPARE(next[0][0].toInt(), 1);
        QCOMPARE(next[1][0].toInt(), -1);
        QCOMPARE(arrows.count(), 1);
        QCOMPARE(escapes.count(), 1);
    }

    void emptyTextAndBusyCorner() {
        GraphView view(m_theme);
        show(view);
        int pressed = 0;
        view.notices().setEmptyText(QStringLiteral("Open a workload."), QStringLiteral("Open"),
                                    [&pressed] { ++pressed; });
        QCOMPARE(view.notices().emptyText(), QStringLiteral("Open a workload."));
        auto *button = view.findChild<QPushButton *>();
        QVERIFY(button->isVisible());
        button->click();
        QCOMPARE(pressed, 1);
        fill(view, 1);
        QVERIFY(view.notices().emptyText().isEmpty());

        int cancelled = 0;
        view.notices().setBusy(QStringLiteral("Laying out 1000 nodes ..."), [&cancelled] { ++cancelled; });
        auto *cancel = view.findChild<QToolButton *>();
        QTRY_VERIFY(cancel->isVisible());
        cancel->click();
        QCOMPARE(cancelled, 1);
        view.notices().clearBusy();
        QVERIFY(!cancel->isVisible());
        QVERIFY(view.notices().busyText().isEmpty());
    }

    void exportsTheWholeScene() {
        GraphView view(m_theme);
        show(view);
        fill(view, 60);
        view.showStart({0, 0, 200, 100}); // only the first are seen
        QTemporaryDir folder;
        const QString svg = folder.filePath(QStringLiteral("g.svg"));
        QCOMPARE(view.exportTo(svg), QString());
        QSvgRenderer renderer(svg);
        QVERIFY(renderer.isValid());
        QVERIFY(renderer.viewBoxF().height() > 59 * 200);

        const QString png = folder.filePath(QStringLiteral("g.png"));
        QCOMPARE(view.exportTo(png), QString());
        const QImage image(png);
        QVERIFY(image.height() > 59 * 200);
        QCOMPARE(image.pixelColor(image.width() / 2, image.height() - 60), QColor(Qt::red)); // the last node

        const QString pdf = folder.filePath(QStringLiteral("g.pdf"));
        QCOMPARE(view.exportTo(pdf), QString());
        QFile file(pdf);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.read(5) == "%PDF-");
    }

    void exportFailuresAreSentences() {
        GraphView view(m_theme);
        show(view);
        QVERIFY(view.exportTo(QStringLiteral("/tmp/x.svg")).contains(QStringLiteral("no graph")));
        fill(view, 1);
        QVERIFY(view.exportTo(QStringLiteral("/nowhere/x.svg")).startsWith(QStringLiteral("/nowhere/x.svg cannot")));
        QVERIFY(view.exportTo(QStringLiteral("/tmp/x.gif")).contains(QStringLiteral(".svg, .png or .pdf")));
    }

    void edgeLabelsAreShortenedAndHaveRoom() {
        QPainterPath path({0, 0});
        path.lineTo(0, 100);
        GraphEdgeItem edge(m_theme, path, {});
        const QFont font;
        const QString text(200, u'x');
        const QSizeF room = GraphEdgeItem::labelSize(text, font, 120);
        QVERIFY(room.width() <= 130);
        edge.setLabel(text, font, {10, 50}, 120);
        QCOMPARE(edge.labelRect().size(), room);
        QVERIFY(edge.boundingRect().contains(edge.labelRect()));
    }
};

LOOPSCOPE_WINDOW_TEST(GraphViewTest)
} // namespace loopscope

#include "graph_view_test.moc"
