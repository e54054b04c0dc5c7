// Trials are not thrown away in the window: the wheel passes over what has no focus, an edit makes another task, the
// list of tasks leads back, and a search whose task is not shown stays within reach.

#include "harness/scripted_measurer.h"
#include "test_program.h"
#include "views/computation/computation_view.h"
#include "views/computation/param_form.h"
#include "views/computation/task_list.h"
#include "window_start.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QtTest/qtestspontaneevent.h>

#include <chrono>
#include <thread>

using namespace loopscope;

namespace window_tasks_test {

namespace {

struct Bench : WindowInOwnFolder {
    explicit Bench(int wait = 0) {
        session.search().setMeasurerFactory([wait](const Task &, const MeasureOptions &) {
            auto measurer = std::make_unique<ScriptedMeasurer>();
            measurer->before = [wait](size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(wait)); };
            return measurer;
        });
        window.openFiles({QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/matmul.te")}, false);
        ready = ready && QTest::qWaitFor([this] { return session.document() && session.document()->task; }, 20000);
        if (!ready) return;
        window.docks().showDock(QStringLiteral("computation"), true);
        computation = qobject_cast<ComputationView *>(window.docks().view(QStringLiteral("computation")));
        SearchSetup setup = session.document()->setup;
        setup.options.trials = 8;
        setup.options.trialsPerRound = 4;
        setup.options.population = 64;
        setup.options.seed = 7;
        session.search().setSetup(setup);
    }
    [[nodiscard]] QSpinBox *field(const char *name) const { return computation->form()->field(QLatin1String(name)); }
    [[nodiscard]] bool settled() const {
        return QTest::qWaitFor([this] { return !session.document()->analysing; }, 20000);
    }
    /// As from the keyboard: a click into the field, the number, return.
    void type(QSpinBox *field, int value) const {
        QTest::mouseClick(field, Qt::LeftButton, {}, QPoint(8, field->height() / 2));
        field->setFocus();
        QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(field, QString::number(value));
        QTest::keyClick(field, Qt::Key_Return);
    }

    ComputationView *computation = nullptr;
};

/// One notch, as from the window system: with what Qt does before a widget sees it.
void wheel(QWidget *over, int notches = 1) {
    const QPointF at = over->rect().center();
    QWheelEvent event(at, over->mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QSpontaneKeyEvent::setSpontaneous(&event);
    QWidget *under = over->childAt(at.toPoint());
    QApplication::instance()->notify(under ? under : over, &event);
}

} // namespace

class WindowTasksTest : public QObject {
    Q_OBJECT

  private slots:
    void theWheelPassesOverWhatHasNoFocus() {
        Bench bench;
        QVERIFY(bench.ready);
        bench.session.search().start();
        QTRY_VERIFY_WITH_TIMEOUT(!bench.session.search().underWay(), 30000);
        QCOMPARE(bench.session.document()->trials.size(), size_t{8});
        QSpinBox *m = bench.field("M");
        QVERIFY(m && m->isVisible() && !m->hasFocus());
        const int before = m->value();
        for (int i = 0; i < 3; ++i) wheel(m);
        QVERIFY(!m->hasFocus());
        QCOMPARE(m->value(), before);
        QComboBox *shapes = bench.computation->form()->presetBox();
        QVERIFY(shapes->isVisible() && shapes->count() > 2);
        for (int i = 0; i < 3; ++i) wheel(shapes, -1);
        QVERIFY(!shapes->hasFocus());
        QVERIFY(bench.settled());
        QVERIFY(bench.session.document()->params.empty());
        QCOMPARE(bench.session.document()->trials.size(), size_t{8});
        // Everywhere: also in panels that are not in front, and in dialogs to come.
        int checked = 0;
        for (QWidget *widget : bench.window.findChildren<QWidget *>()) {
            if (!qobject_cast<QAbstractSpinBox *>(widget) && !qobject_cast<QComboBox *>(widget)) continue;
            if (!widget->isVisible()) continue;
            QVERIFY2(widget->focusPolicy() != Qt::WheelFocus, qPrintable(widget->accessibleName()));
            ++checked;
        }
        QVERIFY(checked > 4);
        // With the focus it works as ever.
        QTest::mouseClick(m, Qt::LeftButton, {}, QPoint(8, m->height() / 2));
        m->setFocus();
        wheel(m);
        QCOMPARE(m->value(), before + 1);
    }

    void theListLeadsBackToTheTrials() {
        Bench bench;
        QVERIFY(bench.ready);
        auto *tasks = bench.computation->findChild<TaskList *>(QStringLiteral("workload_tasks"));
        QVERIFY(tasks && !tasks->isVisible()); // one task: nothing to choose
        bench.session.search().start();
        QTRY_VERIFY_WITH_TIMEOUT(!bench.session.search().underWay(), 30000);
        const int best = bench.session.document()->best;
        bench.type(bench.field("M"), 48);
        QTRY_VERIFY(bench.session.document()->trials.empty());
        QVERIFY(tasks->isVisible());
        QCOMPARE(tasks->list()->count(), 2);
        const QString kept = tasks->list()->item(0)->text();
        QVERIFY2(kept.startsWith(QStringLiteral("as written: 8 trials, best ")), qPrintable(kept));
        QCOMPARE(tasks->list()->item(1)->text(), QStringLiteral("M = 48: 0 trials"));
        QCOMPARE(tasks->list()->currentRow(), 1);

        QTest::mouseClick(tasks->list()->viewport(), Qt::LeftButton, {},
                          tasks->list()->visualItemRect(tasks->list()->item(0)).center());
        QCOMPARE(bench.session.document()->trials.size(), size_t{8});
        QCOMPARE(bench.session.document()->best, best);
        QVERIFY(bench.field("M")->value() != 48);
        QVERIFY(!tasks->isVisible());

        // The palette leads there as well.
        bench.type(bench.field("M"), 48);
        QTRY_VERIFY(bench.session.document()->trials.empty());
        QTest::keyClick(&bench.window, Qt::Key_P, Qt::ControlModifier);
        auto *line = bench.window.findChild<QLineEdit *>(QStringLiteral("palette_line"));
        QVERIFY(line && line->isVisible());
        QTest::keyClicks(line, QStringLiteral("matmul on llvm"));
        QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(bench.session.document()->trials.size(), size_t{8});
    }

    void aHiddenSearchStaysWithinReach() {
        Bench bench(80);
        QVERIFY(bench.ready);
        SearchSetup setup = bench.session.document()->setup;
        setup.options.trials = 200;
        bench.session.search().setSetup(setup);
        bench.session.search().start();
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.document()->trials.size() >= 3, 30000);
        const int searched = bench.session.document()->taskId;
        auto *show = bench.window.findChild<QToolButton *>(QStringLiteral("status_show"));
        QVERIFY(show && !show->isVisible());
        bench.type(bench.field("M"), 48);
        QTRY_VERIFY(bench.session.document()->taskId != searched);
        QVERIFY(bench.session.search().underWay());
        auto *text = bench.window.findChild<QLabel *>(QStringLiteral("status_text"));
        QTRY_VERIFY(text->text().startsWith(QStringLiteral("Search of matmul on llvm: ")));
        const QString at = text->text();
        QTRY_VERIFY_WITH_TIMEOUT(text->text() != at, 20000); // progress goes on in the line
        auto *tasks = bench.computation->findChild<TaskList *>(QStringLiteral("workload_tasks"));
        QVERIFY2(tasks->list()->item(0)->text().contains(QStringLiteral("search running")),
                 qPrintable(tasks->list()->item(0)->text()));
        QTRY_VERIFY(show->isVisible());
        QTest::mouseClick(show, Qt::LeftButton);
        QCOMPARE(bench.session.document()->taskId, searched);
        QVERIFY(bench.session.document()->trials.size() >= 3);
        QTRY_VERIFY(!show->isVisible());
        bench.session.search().stop();
        QTRY_VERIFY_WITH_TIMEOUT(!bench.session.search().underWay(), 20000);
    }
};

LOOPSCOPE_WINDOW_TEST(WindowTasksTest)

} // namespace window_tasks_test
#include "window_tasks_test.moc"
