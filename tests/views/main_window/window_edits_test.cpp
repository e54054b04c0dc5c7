// Schedules made by hand in the whole window: their keys in every view, and one beside another.

#include "test_program.h"
#include "views/compare/aligned_text.h"
#include "views/compare/compare_view.h"
#include "window_start.h"

#include <QComboBox>
#include <QTemporaryDir>
#include <QTest>

using namespace loopscope;

class WindowEditsTest : public QObject {
    Q_OBJECT

  private slots:
    /// In every view of a schedule; where text is written, its editor keeps them.
    void undoAndRedoGoAlongTheEdits() {
        const QTemporaryDir folder;
        WindowStart start(folder.path());
        QVERIFY(start.ready);
        start.open(QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/matmul.te"));
        EditedSchedules &edits = start.session.edits();
        QCOMPARE(edits.apply({}, SplitStep{StageId(2), IterId(0), 512, {8}}), QString());
        const auto at = [&] { return start.session.selection().now().schedule; };
        const auto shown = [](int node) { return ScheduleRef{ScheduleRef::Kind::Edited, node}; };
        for (const char *id : {"loops", "steps", "edits", "code", "compare"}) {
            start.window.docks().showDock(QLatin1String(id), true);
            QWidget *focus = QApplication::focusWidget();
            QVERIFY2(focus && start.window.docks().dockOf(focus) == start.window.docks().dock(QLatin1String(id)), id);
            QTest::keyClick(focus, Qt::Key_Z, Qt::ControlModifier);
            QVERIFY2(at() == shown(0), id);
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
            QVERIFY2(at() == shown(1), id);
        }
        start.window.docks().showDock(QStringLiteral("computation"), true);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(at() == shown(1));
        // With what it was made from, side by side, in sight.
        edits.rename(1, QStringLiteral("tiled"));
        start.window.docks().showDock(QStringLiteral("edits"), true);
        start.actions.find(QStringLiteral("edits.compare"))->trigger();
        QVERIFY(start.window.docks().isInFront(QStringLiteral("compare")));
        auto *compare = qobject_cast<CompareView *>(start.window.docks().view(QStringLiteral("compare")));
        QVERIFY(compare && compare->side(AlignedText::Left) == shown(0) &&
                compare->side(AlignedText::Right) == shown(1));
        QStringList names;
        for (const QComboBox *box : compare->findChildren<QComboBox *>()) names << box->currentText();
        QVERIFY2(names.contains(QStringLiteral("edited schedule 2 (tiled)")), qPrintable(names.join(u'|')));
    }
};

LOOPSCOPE_WINDOW_TEST(WindowEditsTest)
#include "window_edits_test.moc"
