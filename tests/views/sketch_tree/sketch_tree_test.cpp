// The view itself, with clicks and keys: what it selects, what it follows, what it says when there is nothing.

#include "test_program.h"
#include "view_bench.h"
#include "views/graph/view_overlays.h"
#include "views/sketch_tree/lineage_view.h"
#include "views/sketch_tree/reasons_panel.h"
#include "views/sketch_tree/sketch_tree_view.h"
#include "views/sketch_tree/tree_picture.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

using namespace loopscope;

namespace {

const char *const kWorkload = R"(workload small()
A = placeholder [64, 64] float32
B = placeholder [64, 64] float32
C(i < 64, j < 64) = sum(k < 64; A[i, k] * B[k, j])
D(i < 64, j < 64) = max(C[i, j], 0)
)";

} // namespace

class SketchTreeTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ViewBench> m_bench;
    std::unique_ptr<SketchTreeView> m_view;

    void open(const QString &text) {
        m_bench->session.documents().openText(QStringLiteral("small"), text);
        QTRY_VERIFY(m_bench->session.document() && !m_bench->session.document()->analysing);
    }
    [[nodiscard]] int indexOf(const QString &name) const {
        const auto lines = m_view->text().split(QLatin1Char('\n'));
        int index = -1;
        for (const auto &line : lines) {
            if (line.trimmed().startsWith(QLatin1String("x "))) continue;
            ++index;
            if (line.contains(name)) return index;
        }
        return -1;
    }
    void clickNode(int index) {
        const QRectF rect = m_view->picture().nodeRect(index);
        m_view->graph()->reveal(rect);
        QTest::qWait(250);
        const QPoint at = m_view->graph()->mapFromScene(rect.topLeft() + QPointF(12, 12));
        QTest::mouseClick(m_view->graph()->viewport(), Qt::LeftButton, {}, at);
    }

    /// Somewhere in the picture that is such a thing, and what it is.
    [[nodiscard]] std::pair<QPointF, TreeSpot> find(TreeSpot::Kind kind) const {
        const QRectF bounds = m_view->picture().bounds();
        for (double y = bounds.top(); y < bounds.bottom(); y += 4)
            for (double x = bounds.left(); x < bounds.right(); x += 6)
                if (const TreeSpot spot = m_view->picture().spotAt({x, y}); spot.kind == kind) return {{x, y}, spot};
        return {};
    }
    void clickAt(const QPointF &scene) {
        m_view->graph()->reveal(QRectF(scene - QPointF(4, 4), QSizeF(8, 8)));
        QTest::qWait(250);
        QTest::mouseClick(m_view->graph()->viewport(), Qt::LeftButton, {}, m_view->graph()->mapFromScene(scene));
    }
    [[nodiscard]] static QString manyStages(int count) {
        QString text = QStringLiteral("workload many()\nS0 = placeholder [64, 64] float32\n"
                                      "W = placeholder [64, 64] float32\n");
        for (int i = 1; i <= count; ++i)
            text += i % 4 == 2
                        ? QStringLiteral("S%1(i < 64, j < 64) = sum(k < 64; S%2[i, k] * W[k, j])\n").arg(i).arg(i - 1)
                        : QStringLiteral("S%1(i < 64, j < 64) = max(S%2[i, j], 0)\n").arg(i).arg(i - 1);
        return text;
    }

  private slots:
    void init() {
        m_bench = std::make_unique<ViewBench>();
        m_view = std::make_unique<SketchTreeView>(m_bench->context);
        m_view->resize(1000, 600);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup() {
        m_view.reset();
        m_bench.reset();
    }

    void saysWhatToDoWhenNothingIsOpen() {
        QCOMPARE(m_view->graph()->notices().emptyText(),
                 QStringLiteral("Open a workload to see how its sketches are derived."));
        QVERIFY(m_view->text().isEmpty());
    }

    void saysWhyThereIsNothing() {
        open(QStringLiteral("workload broken(\n"));
        QTRY_VERIFY(m_bench->session.document()->problem.has_value());
        QVERIFY2(m_view->graph()->notices().emptyText().startsWith(QStringLiteral("No sketches: ")),
                 qPrintable(m_view->graph()->notices().emptyText()));
    }

    /// A chain of matrix products has a sketch for each choice of each: they can be searched, a tree would say nothing.
    void manySketchesAreNotDrawn() {
        open(manyStages(40));
        const Document *document = m_bench->session.document();
        QTRY_VERIFY_WITH_TIMEOUT(document->sketches.size() > 100, 120000);
        QVERIFY(document->sketchProblem.isEmpty());
        QTRY_VERIFY2_WITH_TIMEOUT(
            m_view->graph()->notices().emptyText().contains(QStringLiteral("sketches come of so many tries")),
            qPrintable(m_view->graph()->notices().emptyText()), 60000);
        QVERIFY(m_view->text().trimmed().isEmpty());
    }

    void aClickSelectsEverywhere() {
        open(QString::fromUtf8(kWorkload));
        QTRY_VERIFY(indexOf(QStringLiteral("| sketch 1")) > 0);
        clickNode(indexOf(QStringLiteral("| sketch 1")));
        const Selected &now = m_bench->session.selection().now();
        QCOMPARE(now.schedule, (ScheduleRef{ScheduleRef::Kind::Sketch, 1}));
        QCOMPARE(now.derivation,
                 m_view->shown().nodes[static_cast<size_t>(indexOf(QStringLiteral("| sketch 1")))].number);
        m_bench->session.selection().back();
        QCOMPARE(m_bench->session.selection().now().schedule, ScheduleRef{});
    }

    void followsTheSelection() {
        open(QString::fromUtf8(kWorkload));
        QSignalSpy changes(&m_bench->session.selection(), &Selection::changed);
        m_bench->session.selection().selectSchedule({ScheduleRef::Kind::Sketch, 2});
        m_bench->session.selection().selectStage(QStringLiteral("C"));
        QCOMPARE(changes.size(), 2); // no echo
    }

    void keysWalkTheTree() {
        open(QString::fromUtf8(kWorkload));
        m_view->graph()->setFocus();
        const auto press = [&](int key) { QTest::keyClick(m_view->graph(), static_cast<Qt::Key>(key)); };
        press(Qt::Key_Right); // the naive state
        press(Qt::Key_Right); // after "skip D"
        press(Qt::Key_Right); // the middle sketch
        press(Qt::Key_Down);
        press(Qt::Key_Return);
        QCOMPARE(m_bench->session.selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Sketch, 2}));
        press(Qt::Key_Up);
        press(Qt::Key_Up);
        press(Qt::Key_Return);
        QCOMPARE(m_bench->session.selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Sketch, 0}));
        press(Qt::Key_Left);
        press(Qt::Key_Space);
        QVERIFY2(m_view->text().contains(QStringLiteral("collapsed: 3 sketches")), qPrintable(m_view->text()));
        press(Qt::Key_Right);
        QVERIFY(!m_view->text().contains(QStringLiteral("collapsed")));
        press(Qt::Key_Home);
        press(Qt::Key_Comma);
        press(Qt::Key_Return);
        QCOMPARE(m_bench->session.selection().now().derivation, 0);
        QCOMPARE(m_bench->session.selection().now().schedule, ScheduleRef{});
    }

    void actionsChangeWhatIsShown() {
        open(QString::fromUtf8(kWorkload));
        const QString folded = m_view->text();
        QVERIFY(folded.contains(QStringLiteral("refused")));
        m_bench->actions.find(QStringLiteral("sketch_tree.refused"))->trigger();
        QVERIFY(!m_view->text().contains(QStringLiteral("refused")));
        m_bench->actions.find(QStringLiteral("sketch_tree.refused"))->trigger();
        QCOMPARE(m_view->text(), folded);
        m_bench->actions.find(QStringLiteral("sketch_tree.fold"))->trigger();
        QVERIFY(m_view->text().count(QLatin1Char('\n')) > folded.count(QLatin1Char('\n')));
        m_bench->actions.find(QStringLiteral("sketch_tree.reasons"))->trigger();
        QVERIFY(m_view->text().contains(QStringLiteral("x AlwaysInline was refused on D: an output must be stored.")));
        m_bench->actions.find(QStringLiteral("sketch_tree.collapseAll"))->trigger();
        QVERIFY(m_view->text().contains(QStringLiteral("collapsed: 3 sketches")));
        m_bench->actions.find(QStringLiteral("sketch_tree.expandAll"))->trigger();
        QVERIFY(!m_view->text().contains(QStringLiteral("collapsed")));
        m_bench->actions.find(QStringLiteral("sketch_tree.fold"))->trigger(); // kept in the settings
        m_bench->actions.find(QStringLiteral("sketch_tree.reasons"))->trigger();
    }

    void filtersFromTheBoxes() {
        open(QString::fromUtf8(kWorkload));
        const QString all = m_view->text();
        const auto boxes = m_view->findChildren<QComboBox *>();
        QCOMPARE(boxes.size(), 2);
        QComboBox *rules = boxes[1];
        rules->setCurrentIndex(rules->findData(QStringLiteral("Tiling")));
        Q_EMIT rules->activated(rules->currentIndex());
        QVERIFY2(
            m_view->text().contains(QStringLiteral("x Tiling was refused on D: it has no data reuse to tile for.")),
            qPrintable(m_view->text()));
        QVERIFY(!m_view->text().contains(QStringLiteral("AlwaysInline")));
        m_bench->actions.find(QStringLiteral("sketch_tree.clearFilter"))->trigger();
        QCOMPARE(m_view->text(), all);
    }

    void findOpensWhatItFinds() {
        open(QString::fromUtf8(kWorkload));
        m_bench->actions.find(QStringLiteral("sketch_tree.collapseAll"))->trigger();
        m_view->startFind();
        auto *line = m_view->findChild<QLineEdit *>();
        QVERIFY(line && line->isVisible());
        QTest::keyClicks(line, QStringLiteral("sketch 2"));
        QVERIFY2(m_view->text().contains(QStringLiteral("| sketch 2")), qPrintable(m_view->text()));
        line->clear();
        QTest::keyClicks(line, QStringLiteral("parallel enough"));
        QVERIFY2(m_view->text().contains(
                     QStringLiteral("x AddRfactor was refused on C: its spatial loops are parallel enough.")),
                 qPrintable(m_view->text()));
        QTest::keyClick(line, Qt::Key_Escape);
        QVERIFY(!line->isVisible());
    }

    void exports() {
        open(QString::fromUtf8(kWorkload));
        for (const auto &suffix : m_view->exportSuffixes()) {
            const QString path = m_bench->folder.filePath(QStringLiteral("tree.") + suffix);
            QCOMPARE(m_view->exportTo(path), QString());
            QVERIFY(QFile(path).size() > 200);
        }
        QVERIFY(m_view->exportTo(QStringLiteral("/nowhere/tree.txt")).startsWith(QStringLiteral("/nowhere/tree.txt ")));
    }

    void unfoldingKeepsTheRefusedInView() {
        m_bench->settings.remove(QStringLiteral("sketch_tree/reasons_panel"));
        m_view->resize(560, 320);
        open(manyStages(12));
        QTRY_VERIFY(!m_view->shown().nodes.empty());
        for (const auto kind : {TreeSpot::Kind::OnTheWay, TreeSpot::Kind::Refused}) {
            const auto [place, spot] = find(kind);
            QVERIFY(spot.node >= 0);
            const std::vector<int> steps = m_view->shown().nodes[static_cast<size_t>(spot.node)].steps;
            const int number = m_view->shown().nodes[static_cast<size_t>(spot.node)].number;
            clickAt(place);
            QTest::qWait(250); // the way there is animated
            const QRectF seen = m_view->graph()->mapToScene(m_view->graph()->viewport()->rect()).boundingRect();
            int listed = 0;
            for (size_t i = 0; i < m_view->shown().nodes.size(); ++i) {
                const ShownNode &node = m_view->shown().nodes[i];
                const bool asked = kind == TreeSpot::Kind::Refused
                                       ? node.number == number
                                       : std::count(steps.begin(), steps.end(), node.number);
                if (!asked || !node.lists) continue;
                const QRectF rect = m_view->picture().nodeRect(static_cast<int>(i));
                if (++listed == 1) // the list begins in sight, and all of it is there when there is room
                    QVERIFY2(seen.adjusted(-1, -1, 1, 1).contains(rect.topLeft()) &&
                                 (seen.contains(rect) || rect.width() > seen.width() - 60 ||
                                  rect.height() > seen.height() - 60),
                             qPrintable(QStringLiteral("%1 %2").arg(rect.left()).arg(rect.top())));
            }
            QVERIFY(listed > 0);
            QVERIFY(m_view->graph()->zoom() >= 0.6); // and at a size that can be read
        }
    }

    void fitKeepsLabelsReadable() {
        open(QString::fromUtf8(kWorkload));
        QTRY_VERIFY(!m_view->shown().nodes.empty());
        m_bench->actions.find(QStringLiteral("sketch_tree.fit"))->trigger();
        const QRectF all = m_view->graph()->mapToScene(m_view->graph()->viewport()->rect()).boundingRect();
        QVERIFY(all.contains(m_view->picture().bounds())); // a small tree as a whole
        QVERIFY(m_view->graph()->notices().note().isEmpty());

        open(manyStages(14));
        QTRY_VERIFY(m_view->shown().nodes.size() > 10);
        m_bench->actions.find(QStringLiteral("sketch_tree.fold"))->trigger();
        m_bench->actions.find(QStringLiteral("sketch_tree.fit"))->trigger();
        QVERIFY(m_view->graph()->zoom() >= 0.6);
        QVERIFY(m_view->graph()
                    ->mapToScene(m_view->graph()->viewport()->rect())
                    .boundingRect()
                    .contains(m_view->picture().nodeRect(0).center()));
        QCOMPARE(m_view->graph()->notices().note(), QStringLiteral("All of it would be too small to read."));
        QTest::keyClick(m_view->graph(), Qt::Key_Home); // the keys, too
        QVERIFY(m_view->graph()->zoom() >= 0.6);
        QToolButton *offer = nullptr;
        for (QToolButton *button : m_view->graph()->findChildren<QToolButton *>())
            if (button->isVisible() && button->text() == QLatin1String("Show it all")) offer = button;
        QVERIFY(offer);
        QTest::mouseClick(offer, Qt::LeftButton);
        QVERIFY(m_view->graph()->zoom() < 0.6);
        QVERIFY(m_view->graph()->notices().note().isEmpty());
        m_bench->actions.find(QStringLiteral("sketch_tree.fold"))->trigger(); // kept in the settings
    }

    void reasonsStandBesideTheTree() {
        open(QString::fromUtf8(kWorkload));
        QTRY_VERIFY(!m_view->shown().nodes.empty());
        auto *panel = m_view->findChild<ReasonsPanel *>();
        QVERIFY(panel);
        if (panel->isVisible()) m_bench->actions.find(QStringLiteral("sketch_tree.reasons_panel"))->trigger();
        QVERIFY(!panel->isVisible());
        m_bench->actions.find(QStringLiteral("sketch_tree.reasons_panel"))->trigger();
        QVERIFY(panel->isVisible());
        // Nothing is looked at: all that was refused.
        QVERIFY2(panel->text().contains(QStringLiteral("refused\tAlwaysInline\tD\tan output must be stored")),
                 qPrintable(panel->text()));
        clickNode(indexOf(QStringLiteral("| sketch 1")));
        QTRY_VERIFY2(panel->text().contains(QStringLiteral("applied\t")), qPrintable(panel->text()));
        const auto *title = panel->findChild<QLabel *>();
        QCOMPARE(title->text(), QStringLiteral("Tried on the way to sketch 1"));
        m_bench->session.selection().selectSchedule({ScheduleRef::Kind::Sketch, 0}); // from elsewhere
        QCOMPARE(title->text(), QStringLiteral("Tried on the way to sketch 0"));
        auto *list = panel->findChild<QTreeWidget *>();
        QVERIFY(list->topLevelItemCount() > 0);
        const QRect row = list->visualItemRect(list->topLevelItem(0));
        QVERIFY(row.height() > list->fontMetrics().height()); // wrapped, not cut
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, row.center());
        QVERIFY(!m_bench->session.selection().now().stage.isEmpty());
        m_bench->actions.find(QStringLiteral("sketch_tree.reasons_panel"))->trigger();
        QVERIFY(!panel->isVisible());
        m_bench->settings.remove(QStringLiteral("sketch_tree/reasons_panel"));
        // Who asks for what was refused somewhere is told.
        const auto [place, spot] = find(TreeSpot::Kind::Refused);
        QVERIFY(spot.node >= 0);
        clickAt(place);
        QVERIFY(panel->isVisible());
        QVERIFY(panel->text().contains(QStringLiteral("refused\t")));
    }

    void lineageOfNothing() {
        open(QString::fromUtf8(kWorkload));
        QCOMPARE(m_view->findChild<LineageView *>()->lineage().trial, -1);
        QVERIFY(!m_view->findChild<LineageView *>()->isVisible()); // without trials the tree has the room
    }

    void editingKeepsTheFilter() {
        open(QString::fromUtf8(kWorkload));
        const auto boxes = m_view->findChildren<QComboBox *>();
        boxes[0]->setCurrentIndex(boxes[0]->findData(QStringLiteral("C")));
        Q_EMIT boxes[0]->activated(boxes[0]->currentIndex());
        QString text = QString::fromUtf8(kWorkload);
        m_bench->session.documents().setText(text.replace(QStringLiteral("64"), QStringLiteral("128")));
        QTRY_COMPARE(m_bench->session.document()->task->dag->op(0).outputs[0]->shape[0], 128);
        QCOMPARE(boxes[0]->currentData().toString(), QStringLiteral("C"));
    }
};

LOOPSCOPE_WINDOW_TEST(SketchTreeTest)
#include "sketch_tree_test.moc"
