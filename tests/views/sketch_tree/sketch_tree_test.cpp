// The view itself, with clicks and keys: what it selects, what it follows, what it says when there is nothing.

#include "views/sketch_tree/lineage_view.h"
#include "views/sketch_tree/sketch_tree_view.h"
#include "views/sketch_tree/tree_picture.h"

#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

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

    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<Actions> m_actions;
    std::unique_ptr<SketchTreeView> m_view;

    void open(const QString &text) {
        m_session->openText(QStringLiteral("small"), text);
        QTRY_VERIFY(m_session->document() && !m_session->document()->analysing);
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

  private slots:
    void init() {
        QVERIFY(m_folder.isValid());
        m_settings = std::make_unique<Settings>(m_folder.path());
        m_theme = std::make_unique<Theme>();
        m_session = std::make_unique<Session>(*m_settings);
        m_actions = std::make_unique<Actions>();
        m_view = std::make_unique<SketchTreeView>(ViewContext{*m_session, *m_settings, *m_theme, *m_actions});
        m_view->resize(1000, 600);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup() {
        m_view.reset();
        m_session.reset();
    }

    void saysWhatToDoWhenNothingIsOpen() {
        QCOMPARE(m_view->graph()->emptyText(), QStringLiteral("Open a workload to see how its sketches are derived."));
        QVERIFY(m_view->text().isEmpty());
    }

    void saysWhyThereIsNothing() {
        open(QStringLiteral("workload broken(\n"));
        QTRY_VERIFY(m_session->document()->problem.has_value());
        QVERIFY2(m_view->graph()->emptyText().startsWith(QStringLiteral("No sketches: ")),
                 qPrintable(m_view->graph()->emptyText()));
    }

    void aClickSelectsEverywhere() {
        open(QString::fromUtf8(kWorkload));
        QTRY_VERIFY(indexOf(QStringLiteral("| sketch 1")) > 0);
        clickNode(indexOf(QStringLiteral("| sketch 1")));
        const Selected &now = m_session->selection().now();
        QCOMPARE(now.schedule, (ScheduleRef{ScheduleRef::Kind::Sketch, 1}));
        QCOMPARE(now.derivation,
                 m_view->shown().nodes[static_cast<size_t>(indexOf(QStringLiteral("| sketch 1")))].number);
        m_session->selection().back();
        QCOMPARE(m_session->selection().now().schedule, ScheduleRef{});
    }

    void followsTheSelection() {
        open(QString::fromUtf8(kWorkload));
        QSignalSpy changes(&m_session->selection(), &Selection::changed);
        m_session->selection().selectSchedule({ScheduleRef::Kind::Sketch, 2});
        m_session->selection().selectStage(QStringLiteral("C"));
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
        QCOMPARE(m_session->selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Sketch, 2}));
        press(Qt::Key_Up);
        press(Qt::Key_Up);
        press(Qt::Key_Return);
        QCOMPARE(m_session->selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Sketch, 0}));
        press(Qt::Key_Left);
        press(Qt::Key_Space);
        QVERIFY2(m_view->text().contains(QStringLiteral("collapsed: 3 sketches")), qPrintable(m_view->text()));
        press(Qt::Key_Right);
        QVERIFY(!m_view->text().contains(QStringLiteral("collapsed")));
        press(Qt::Key_Home);
        press(Qt::Key_Comma);
        press(Qt::Key_Return);
        QCOMPARE(m_session->selection().now().derivation, 0);
        QCOMPARE(m_session->selection().now().schedule, ScheduleRef{});
    }

    void actionsChangeWhatIsShown() {
        open(QString::fromUtf8(kWorkload));
        const QString folded = m_view->text();
        QVERIFY(folded.contains(QStringLiteral("refused")));
        m_actions->find(QStringLiteral("sketch_tree.refused"))->trigger();
        QVERIFY(!m_view->text().contains(QStringLiteral("refused")));
        m_actions->find(QStringLiteral("sketch_tree.refused"))->trigger();
        QCOMPARE(m_view->text(), folded);
        m_actions->find(QStringLiteral("sketch_tree.fold"))->trigger();
        QVERIFY(m_view->text().count(QLatin1Char('\n')) > folded.count(QLatin1Char('\n')));
        m_actions->find(QStringLiteral("sketch_tree.reasons"))->trigger();
        QVERIFY(m_view->text().contains(QStringLiteral("x AlwaysInline was refused on D: an output must be stored.")));
        m_actions->find(QStringLiteral("sketch_tree.collapseAll"))->trigger();
        QVERIFY(m_view->text().contains(QStringLiteral("collapsed: 3 sketches")));
        m_actions->find(QStringLiteral("sketch_tree.expandAll"))->trigger();
        QVERIFY(!m_view->text().contains(QStringLiteral("collapsed")));
        m_actions->find(QStringLiteral("sketch_tree.fold"))->trigger(); // kept in the settings
        m_actions->find(QStringLiteral("sketch_tree.reasons"))->trigger();
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
        m_actions->find(QStringLiteral("sketch_tree.clearFilter"))->trigger();
        QCOMPARE(m_view->text(), all);
    }

    void findOpensWhatItFinds() {
        open(QString::fromUtf8(kWorkload));
        m_actions->find(QStringLiteral("sketch_tree.collapseAll"))->trigger();
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
            const QString path = m_folder.filePath(QStringLiteral("tree.") + suffix);
            QCOMPARE(m_view->exportTo(path), QString());
            QVERIFY(QFile(path).size() > 200);
        }
        QVERIFY(m_view->exportTo(QStringLiteral("/nowhere/tree.txt")).startsWith(QStringLiteral("/nowhere/tree.txt ")));
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
        m_session->setText(text.replace(QStringLiteral("64"), QStringLiteral("128")));
        QTRY_COMPARE(m_session->document()->task->dag->op(0).outputs[0]->shape[0], 128);
        QCOMPARE(boxes[0]->currentData().toString(), QStringLiteral("C"));
    }
};

QTEST_MAIN(SketchTreeTest)
#include "sketch_tree_test.moc"
