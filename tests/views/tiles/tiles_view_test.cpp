// The tiles view by clicks and keys: empty and refused states, a click goes into a tile and selects its loop, a loop
// selected elsewhere is framed, kernels and axes are chosen, pictures leave as files.

#include "schedule/steps_json.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/graph/graph_view.h"
#include "views/graph/view_overlays.h"
#include "views/session/kernel_facts.h"
#include "views/session/text.h"
#include "views/tiles/tile_facts.h"
#include "views/tiles/tile_scene.h"
#include "views/tiles/tiles_view.h"

#include <QComboBox>
#include <QFile>
#include <QFileInfo>
#include <QTreeView>
#include <QtTest>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using Kind = ScheduleRef::Kind;

const QString kMatmul = QStringLiteral("workload mm(N = 16, M = 24, K = 12)\n"
                                       "A = placeholder [N, K] float32\n"
                                       "B = placeholder [K, M] float32\n"
                                       "C(i < N, j < M) = sum(k < K; A[i, k] * B[k, j])\n");
const QString kTwo = QStringLiteral("workload two(B = 4, N = 16)\n"
                                    "X = placeholder [B, N, N] float32\n"
                                    "S(b < B, i < N) = sum(k < N; X[b, i, k])\n"
                                    "T(b < B, i < N, j < N) = X[b, i, j] * S[b, i]\n");

constexpr const char *kTiled = R"([["CHW",2,"local"],["SP",2,0,16,[1,4,1,2],1],["SP",2,5,24,[2,2,1,2],1],
    ["SP",2,10,12,[2,3],1],["RE",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],["FSP",3,0,1,3],["FSP",3,4,2,3],
    ["RE",3,[0,4,1,5,2,6,3,7]],["CA",2,3,5],["CHR",1,"shared",[2]],["CA",2,3,6],["CHR",0,"shared",[3]],["CA",1,4,6],
    ["FU",5,[0,1]],["AN",5,0,5],["FU",5,[1,2]],["AN",5,1,4],["FU",5,[2,3]],["AN",5,2,6],
    ["FU",1,[0,1]],["SP",1,0,0,[2],1],["AN",1,1,2],["FFSP",1,0,[1,2],1,1],["AN",1,1,6],
    ["FU",3,[0,1]],["FFSP",3,0,[1,2],1,1],["AN",3,1,6]])";

} // namespace

class TilesViewTest : public QObject {
    Q_OBJECT

    struct Bench : ViewBench {
        TilesView view{context};
        Bench() {
            view.resize(1100, 700);
            view.show();
            (void)QTest::qWaitForWindowExposed(&view);
        }
        void open(const QString &text, const QString &target) {
            session.documents().openText(QStringLiteral("test"), text);
            session.documents().setTarget(target);
            QTRY_VERIFY_WITH_TIMEOUT(session.document()->task && session.document()->source.targetText == target,
                                     30000);
        }
        void give(const char *json) {
            const Steps steps = stepsFromJson(nlohmann::json::parse(json));
            QCOMPARE(session.edits().edit({}, EditedSteps(session.document()->task->dag, steps), {}), 1);
            session.selection().selectSchedule({Kind::Edited, 1});
        }
        /// The middle of a place of a panel, in the viewport.
        [[nodiscard]] QPoint at(size_t panel, const TileWindow &place) const {
            const TilePanelItem *item = view.scene().panels().at(panel);
            return view.graph().mapFromScene(item->mapRectToScene(item->rectOf(place)).center());
        }
        void click(QPoint where) { QTest::mouseClick(view.graph().viewport(), Qt::LeftButton, {}, where); }
        [[nodiscard]] QString notice() { return view.graph().notices().emptyText(); }
    };

  private slots:
    void saysWhatItIsFor() {
        Bench bench;
        QVERIFY(bench.notice().startsWith(QStringLiteral("Open a workload to see into which tiles")));
        bench.open(kMatmul, QStringLiteral("llvm"));
        QTRY_VERIFY(bench.notice().startsWith(QStringLiteral("The loops of C cut nothing into tiles in the naive")));
        bench.session.selection().selectSchedule({Kind::Sketch, 0});
        QTRY_VERIFY2(bench.notice().contains(QStringLiteral("still open")), qPrintable(bench.notice()));
    }

    void aClickGoesIntoATile() {
        Bench bench;
        bench.open(kMatmul, QStringLiteral("cuda"));
        bench.give(kTiled);
        QTRY_COMPARE(bench.view.scene().panels().size(), size_t(5));
        QCOMPARE(bench.view.scene().strips().size(), size_t(3));
        QCOMPARE(bench.view.scene().panels()[0]->panel().marked, 0);
        bench.click(bench.at(0, {8, 16, 8, 8}));
        QCOMPARE(bench.view.scene().panels()[0]->panel().marked, 5);
        QCOMPARE(bench.view.scene().panels()[1]->panel().window, (TileWindow{8, 16, 8, 8}));
        QCOMPARE(bench.session.selection().now().stage, QStringLiteral("C"));
        QCOMPARE(bench.session.selection().now().iterator, QStringLiteral("i.0@j.0@"));
        QCOMPARE(bench.view.table().currentIndex().row(), 0);
        bench.click(bench.at(1, {10, 18, 2, 2}));
        QCOMPARE(bench.session.selection().now().iterator, QStringLiteral("i.2@j.2@"));
        QCOMPARE(bench.view.scene().panels()[1]->panel().marked, 3);
        QCOMPARE(bench.view.scene().panels()[3]->panel().marked, 3); // what that thread fetches
        // Who fetches the last vector of A.shared: the thread whose elements are then marked.
        bench.click(bench.at(3, {7, 4, 1, 2}));
        QCOMPARE(bench.view.scene().panels()[3]->panel().marked, 23 % 8);
        QCOMPARE(bench.session.selection().now().stage, QStringLiteral("A.shared"));
    }

    /// The same number as in Limits and in the command line, rows apart and second tiles included.
    void sharedMemoryIsToldAsTheKernelHasIt() {
        Bench bench;
        bench.open(kMatmul, QStringLiteral("cuda"));
        std::string steps = kTiled;
        steps.insert(steps.rfind(R"(["FU",1,[0,1]])"), R"(["SA",1,0,8,1],)");
        bench.give(steps.c_str());
        QTRY_COMPARE(bench.view.scene().panels().size(), size_t(5));
        const RepresentationsPtr forms = bench.session.representations().of(bench.session.selection().now().schedule);
        QVERIFY(forms && forms->program);
        const std::vector<KernelFacts> limits = kernelFacts(*forms->program, bench.session.document()->task->target);
        QCOMPARE(limits.size(), size_t(1));
        const TileFact shared = bench.view.facts().facts().back();
        QCOMPARE(shared.what, QStringLiteral("Shared memory"));
        QCOMPARE(shared.count, bytesText(limits.front().limits.sharedBytes));
    }

    void loopsSelectedElsewhereAreShown() {
        Bench bench;
        bench.open(kMatmul, QStringLiteral("cuda"));
        bench.give(kTiled);
        QTRY_COMPARE(bench.view.scene().panels().size(), size_t(5));
        bench.session.selection().selectIterator(QStringLiteral("C.local"), QStringLiteral("k.0"));
        QCOMPARE(bench.view.table().currentIndex().row(), 5);
        bench.session.selection().selectStage(QStringLiteral("B.shared"));
        QCOMPARE(bench.view.facts().facts()[static_cast<size_t>(bench.view.table().currentIndex().row())].what,
                 QStringLiteral("B.shared"));
        // A row of the table selects its loop.
        const QModelIndex threads = bench.view.facts().index(2, 0);
        QTest::mouseClick(bench.view.table().viewport(), Qt::LeftButton, {},
                          bench.view.table().visualRect(threads).center());
        QCOMPARE(bench.session.selection().now().iterator, QStringLiteral("i.2@j.2@"));
    }

    void kernelsAndAxesAreChosen() {
        Bench bench;
        bench.open(kTwo, QStringLiteral("cuda"));
        bench.give(R"([["AN",1,0,5],["AN",1,1,6],["AN",2,0,5],["AN",2,1,6]])");
        QTRY_VERIFY(!bench.view.scene().empty());
        QCOMPARE(bench.view.kernels().count(), 2);
        bench.session.selection().selectStage(QStringLiteral("T"));
        QCOMPARE(bench.view.kernels().currentIndex(), 1);
        const auto combos = bench.view.findChildren<QComboBox *>();
        QComboBox *rows = nullptr;
        for (QComboBox *combo : combos)
            if (combo->accessibleName() == QStringLiteral("Axis shown downward")) rows = combo;
        QVERIFY(rows != nullptr);
        QVERIFY(rows->isVisible());
        QCOMPARE(rows->currentText(), QStringLiteral("i of 16"));
        rows->setFocus();
        QTest::keyClick(rows, Qt::Key_Up);
        QCOMPARE(rows->currentText(), QStringLiteral("b of 4"));
        QCOMPARE(bench.view.scene().panels()[0]->panel().window.height, 4);
        QCOMPARE(bench.view.scene().panels()[0]->panel().parts.parts.size(), size_t(4)); // a block for each b
    }

    void picturesLeaveAsFiles() {
        Bench bench;
        bench.open(kMatmul, QStringLiteral("cuda"));
        QVERIFY(!bench.view.exportTo(bench.folder.filePath(QStringLiteral("none.svg"))).isEmpty());
        bench.give(kTiled);
        QTRY_VERIFY(!bench.view.scene().empty());
        for (const char *name : {"tiles.svg", "tiles.png", "tiles.txt"}) {
            const QString path = bench.folder.filePath(QLatin1String(name));
            QCOMPARE(bench.view.exportTo(path), QString());
            QVERIFY(QFileInfo(path).size() > 300);
        }
        QFile file(bench.folder.filePath(QStringLiteral("tiles.txt")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().startsWith("grid 6, block 8, 2 virtual threads"));
    }

    void smallAndDark() {
        Bench bench;
        bench.theme.apply(*qApp, ThemeChoice::Dark);
        bench.open(kMatmul, QStringLiteral("cuda"));
        bench.give(kTiled);
        QTRY_VERIFY(!bench.view.scene().empty());
        bench.view.resize(260, 300);
        QCOMPARE(bench.view.grab().size(), QSize(260, 300) * bench.view.devicePixelRatio());
        bench.view.zoomIn();
        bench.view.zoomToFit();
        bench.theme.apply(*qApp, ThemeChoice::Light);
    }
};

LOOPSCOPE_WINDOW_TEST(TilesViewTest)
} // namespace loopscope

#include "tiles_view_test.moc"
