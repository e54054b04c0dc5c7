// The ComputeDAG view in a session: empty, error and busy states, selection both ways, folding, finding, placements of
// the chosen schedule, large graphs.

#include "conv_text.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/dag_graph/dag_graph_view.h"
#include "views/graph/graph_find_bar.h"
#include "views/graph/view_overlays.h"

#include <QClipboard>
#include <QElapsedTimer>
#include <QGraphicsScene>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace loopscope {

namespace {

const QString kConv = QString::fromStdString(convText(32, 16));

/// A chain in which every fifth stage transposes, so that not everything can be folded.
QString chainText(int stages) {
    QString text = QStringLiteral("workload chain(N = 32)\nA = placeholder [N, N] float32\n");
    QString before = QStringLiteral("A");
    for (int i = 0; i < stages; ++i) {
        const QString name = QStringLiteral("s%1").arg(i);
        text += i % 5 == 4 ? QStringLiteral("%1(i < N, j < N) = %2[j, i] * A[i, j]\n").arg(name, before)
                           : QStringLiteral("%1(i < N, j < N) = %2[i, j] + %3\n").arg(name, before).arg(i);
        before = name;
    }
    return text;
}

struct Window : ViewBench {
    DagGraphView view{context};

    Window() {
        view.resize(900, 700);
        view.show();
        (void)QTest::qWaitForWindowExposed(&view);
    }
    void open(const QString &text, int timeout = 60000) {
        const DagPicture *before = view.scene().picture();
        session.documents().openText(QStringLiteral("test"), text);
        QTRY_VERIFY_WITH_TIMEOUT(view.scene().picture() && view.scene().picture() != before && !busy(), timeout);
    }
    [[nodiscard]] bool busy() { return !view.graph().notices().busyText().isEmpty(); }
    [[nodiscard]] int node(const char *stage) const { return view.scene().nodeOfStage(QLatin1String(stage)); }
    [[nodiscard]] QPoint at(QPointF scenePoint) { return view.graph().mapFromScene(scenePoint); }
    [[nodiscard]] QPoint middle(const char *stage) { return at(view.scene().rectOf(node(stage)).center()); }
    void click(QPoint where) { QTest::mouseClick(view.graph().viewport(), Qt::LeftButton, {}, where); }
    const Selected &now() { return session.selection().now(); }
};

} // namespace

class DagGraphViewTest : public QObject {
    Q_OBJECT

  private slots:
    void nothingOpen() {
        Window window;
        QVERIFY(window.view.graph().notices().emptyText().startsWith(QStringLiteral("Open a workload")));
        QVERIFY(window.view.summary().isEmpty());
        QVERIFY(window.view.exportTo(QStringLiteral("/tmp/none.svg")).contains(QStringLiteral("no graph")));
    }

    void textWithAnError() {
        Window window;
        window.session.documents().openText(QStringLiteral("broken"),
                                            QStringLiteral("workload broken()\nB(i < 4) = nobody[i]\n"));
        QTRY_VERIFY(window.view.graph().notices().emptyText().startsWith(
            QStringLiteral("There is no ComputeDAG to show. Line 2")));
        QVERIFY(window.view.graph().notices().emptyText().contains(QStringLiteral("nobody")));
    }

    void anErrorLaterKeepsThePicture() {
        Window window;
        window.open(kConv);
        window.session.documents().setText(kConv + QStringLiteral("x(i < 4) = nobody[i]\n"));
        QTRY_VERIFY(window.view.graph().notices().note().contains(QStringLiteral("last good version")));
        QVERIFY(window.view.scene().picture());
        window.session.documents().setText(kConv);
        QTRY_VERIFY(window.view.graph().notices().note().isEmpty());
    }

    void clicksSelect() {
        Window window;
        window.open(kConv);
        QVERIFY(window.view.summary().contains(QStringLiteral("4 stages")));
        window.click(window.middle("out"));
        QCOMPARE(window.now().stage, QStringLiteral("out"));
        QVERIFY(window.view.scene().item(window.node("out"))->marks().selected);

        const NodeItem *conv = window.view.scene().item(window.node("conv"));
        for (const PillPiece &pill : conv->node().box.pills)
            if (pill.axis == 4) window.click(window.at(conv->mapToScene(pill.rect.center())));
        QCOMPARE(window.now().stage, QStringLiteral("conv"));
        QCOMPARE(window.now().iterator, QStringLiteral("rc"));
        QCOMPARE(conv->marks().axes, std::set<int>{4});
        QTest::keyClick(&window.view.graph(), Qt::Key_Escape);
        QVERIFY(window.now().stage.isEmpty());
    }

    void followsTheSelection() {
        Window window;
        window.open(kConv);
        window.view.graph().zoomTo(window.view.scene().rectOf(window.node("data")));
        window.session.selection().selectIterator(QStringLiteral("out"), QStringLiteral("f.0@y.0@"));
        const NodeItem *out = window.view.scene().item(window.node("out"));
        QCOMPARE(out->marks().axes, (std::set<int>{1, 2}));
        const auto seen = [&] {
            return window.view.graph().mapToScene(window.view.graph().viewport()->rect()).boundingRect();
        };
        QTRY_VERIFY(seen().contains(window.view.scene().rectOf(window.node("out"))));
        window.session.selection().selectStage(QStringLiteral("conv.local"));
        QVERIFY(window.view.scene().item(window.node("conv"))->marks().selected);
        window.session.selection().selectStage(QStringLiteral("unknown"));
        QCOMPARE(window.view.scene().selectedNode(), -1);
    }

    void keysWalkTheGraph() {
        Window window;
        window.open(kConv);
        QWidget *graph = &window.view.graph();
        graph->setFocus();
        window.session.selection().selectStage(QStringLiteral("conv"));
        QTest::keyClick(graph, Qt::Key_Up);
        QCOMPARE(window.now().stage, QStringLiteral("padded"));
        QTest::keyClick(graph, Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(window.now().stage, QStringLiteral("conv"));
        QTest::keyClick(graph, Qt::Key_Down);
        QCOMPARE(window.now().stage, QStringLiteral("shifted"));
        QStringList order;
        window.session.selection().selectStage(QString());
        for (int i = 0; i < 7; ++i) {
            window.actions.find(QStringLiteral("dag.next"))->trigger();
            order << window.now().stage;
        }
        QCOMPARE(order.size(), QSet<QString>(order.begin(), order.end()).size());
        QCOMPARE(order.back(), QStringLiteral("out"));
        window.actions.find(QStringLiteral("dag.previous"))->trigger();
        QCOMPARE(window.now().stage, QStringLiteral("shifted"));
    }

    void placementOfTheChosenSchedule() {
        Window window;
        window.open(kConv);
        const NodeItem *conv = window.view.scene().item(window.node("conv"));
        QTRY_COMPARE(conv->placementText(), QStringLiteral("root"));
        QTRY_VERIFY(!window.session.document()->sketches.empty());
        int fused = -1; // a sketch that computes conv inside out
        const auto &sketches = window.session.document()->sketches;
        for (size_t i = 0; i < sketches.size() && fused < 0; ++i)
            for (size_t k = 0; k < sketches[i].state.stageCount(); ++k)
                if (sketches[i].state.stage(StageId(k)).op->name == "conv" &&
                    sketches[i].state.stage(StageId(k)).location == ComputeLocation::Attached)
                    fused = static_cast<int>(i);
        QVERIFY(fused >= 0);
        window.session.selection().selectSchedule({ScheduleRef::Kind::Sketch, fused});
        QTRY_VERIFY_WITH_TIMEOUT(conv->placementText().startsWith(QStringLiteral("at out, ")), 30000);
        QCOMPARE(window.view.scene().item(window.node("shifted"))->placementText(), QStringLiteral("inlined"));
        QVERIFY(window.view.summary().contains(scheduleName({ScheduleRef::Kind::Sketch, fused})));
        window.session.selection().selectSchedule({});
        QTRY_COMPARE(conv->placementText(), QStringLiteral("root"));
    }

    void findMarksAndSteps() {
        Window window;
        window.open(kConv);
        window.view.startFind();
        auto *bar = window.view.findChild<GraphFindBar *>();
        auto *line = bar->findChild<QLineEdit *>();
        QVERIFY(bar->isVisible());
        QTest::keyClicks(line, QStringLiteral("bias"));
        QCOMPARE(bar->countText(), QStringLiteral("2 found"));
        QVERIFY(window.view.scene().item(window.node("bias"))->marks().match);
        QVERIFY(window.view.scene().item(window.node("data"))->marks().faded);
        QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(bar->countText(), QStringLiteral("1 of 2"));
        QCOMPARE(window.now().stage, QStringLiteral("bias"));
        QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(window.now().stage, QStringLiteral("shifted"));
        QTest::keyClick(line, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(window.now().stage, QStringLiteral("bias"));
        QTest::keyClick(line, Qt::Key_Escape);
        QVERIFY(!bar->isVisible());
        QVERIFY(!window.view.scene().item(window.node("data"))->marks().faded);
    }

    void chainsFoldAboveFortyStages() {
        Window window;
        window.open(chainText(60));
        QVERIFY(window.view.collapsing());
        QCOMPARE(window.node("s0"), window.node("s3"));
        const size_t folded = window.view.scene().picture()->nodes.size();
        QVERIFY(folded < 30);
        window.session.selection().selectStage(QStringLiteral("s2"));
        QVERIFY(window.view.scene().item(window.node("s2"))->marks().selected);
        window.session.selection().selectStage(QString());

        window.click(window.middle("s0")); // opens the chain, the first link stays in its place
        QTRY_VERIFY(window.node("s0") != window.node("s3"));
        QCOMPARE(window.view.scene().picture()->nodes.size(), folded + 3);
        QCOMPARE(window.view.scene().picture()->frames.size(), size_t(1));
        const QRectF frame = window.view.scene().picture()->frames[0].rect;
        window.click(window.at(frame.topLeft() + QPointF(20, 0)));
        QTRY_COMPARE(window.view.scene().picture()->nodes.size(), folded);

        QAction *fold = window.actions.find(QStringLiteral("dag.collapse"));
        QVERIFY(fold->isChecked());
        fold->trigger();
        QTRY_COMPARE(window.view.scene().picture()->nodes.size(), size_t(61));
    }

    void aThousandStages() {
        Window window;
        const QString text = chainText(1000);
        window.session.documents().openText(QStringLiteral("large"), text);
        QTRY_VERIFY_WITH_TIMEOUT(window.view.scene().picture() && !window.busy(), 120000);
        window.view.setCollapsing(false);
        QTRY_COMPARE_WITH_TIMEOUT(window.view.scene().picture()->nodes.size(), size_t(1001), 120000);
        GraphView &graph = window.view.graph();
        const auto frameTime = [&graph] {
            QImage image(graph.viewport()->size(), QImage::Format_RGB32);
            QElapsedTimer timer;
            timer.start();
            constexpr int kFrames = 20;
            for (int i = 0; i < kFrames; ++i) {
                QTest::keyClick(&graph, i % 2 == 0 ? Qt::Key_S : Qt::Key_D);
                graph.viewport()->render(&image);
            }
            return static_cast<double>(timer.nsecsElapsed()) / 1e6 / kFrames;
        };
        const double near = frameTime();
        graph.zoomToFit();
        const double far = frameTime();
        qInfo("frame of 1000 stages: %.1f ms near, %.1f ms all", near, far);
        QVERIFY2(near < 200 && far < 200, "panning a thousand stages is not fluid");
    }

    void layoutCanBeCancelledAndAskedForAgain() {
        Window window;
        window.open(kConv);
        window.session.documents().openText(QStringLiteral("large"), chainText(900));
        QTRY_VERIFY_WITH_TIMEOUT(window.busy(), 60000);
        QVERIFY(window.view.scene().picture()); // the one before, meanwhile
        const auto running = window.session.jobs().running();
        for (const JobInfo &job : running)
            if (job.title == QStringLiteral("Laying out the ComputeDAG")) window.session.jobs().cancel(job.id);
        QVERIFY(!window.busy());
        QCOMPARE(window.view.graph().notices().note(), QStringLiteral("The layout was cancelled."));
        window.view.setCollapsing(false);
        window.view.setCollapsing(true);
        QTRY_VERIFY_WITH_TIMEOUT(!window.busy() && window.node("s899") >= 0, 120000);
        QVERIFY(window.view.graph().notices().note().isEmpty());
    }

    void missingDotIsSaid() {
        const QByteArray path = qgetenv("PATH");
        QTemporaryDir empty;
        Window window;
        qputenv("PATH", empty.path().toLocal8Bit());
        window.session.documents().openText(QStringLiteral("test"), kConv);
        QTRY_VERIFY(window.view.graph().notices().emptyText().contains(QStringLiteral("package graphviz")));
        QVERIFY(!window.session.messages().all().empty());
        qputenv("PATH", path);
    }

    void exportsAndCopies() {
        Window window;
        window.open(kConv);
        const QString svg = window.folder.filePath(QStringLiteral("dag.svg"));
        QCOMPARE(window.view.exportTo(svg), QString());
        QFile file(svg);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY(text.contains("shifted"));
        QVERIFY(text.contains("needs tiling"));
        window.session.selection().selectStage(QStringLiteral("out"));
        window.actions.find(QStringLiteral("dag.copy"))->trigger();
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("out(n, f, y, x) = max(shifted[n, f, y, x], 0)"));
    }

    void closingShowsTheEmptyText() {
        Window window;
        window.open(kConv);
        window.session.documents().close(window.session.document()->id);
        QVERIFY(window.view.graph().notices().emptyText().startsWith(QStringLiteral("Open a workload")));
        QVERIFY(!window.view.scene().picture());
    }
};

LOOPSCOPE_WINDOW_TEST(DagGraphViewTest)
} // namespace loopscope

#include "dag_graph_view_test.moc"
