// A baseline in the whole window: chosen by a key in the table of trials, told in every table and title that shows
// times, and there again when the session is opened. And schedules that leave by the menus of the tables they stand in.

#include "harness/scripted_measurer.h"
#include "schedule/script/schedule_script.h"
#include "test_program.h"
#include "views/choices/choice_list_model.h"
#include "views/compare/compare_view.h"
#include "views/edits/edit_tree_model.h"
#include "views/edits/edit_tree_view.h"
#include "views/edits/edits_view.h"
#include "views/export_dialog/export_dialog.h"
#include "views/search_progress/status_strip.h"
#include "views/session/baseline.h"
#include "views/session/text.h"
#include "views/trials/trial_table.h"
#include "views/trials/trials_view.h"
#include "views/why/why_view.h"
#include "window_start.h"

#include <QContextMenuEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <QTreeView>

using namespace loopscope;

namespace window_baseline_test {

namespace {

constexpr int kPatience = 60000;

QString s(const char *text) { return QString::fromUtf8(text); }
ScheduleRef trial(int number) { return {ScheduleRef::Kind::Trial, number}; }
ScheduleRef edited(int number) { return {ScheduleRef::Kind::Edited, number}; }

void scriptTimes(Session &session) {
    session.search().setMeasurerFactory(
        [](const Task &, const MeasureOptions &) { return std::make_unique<ScriptedMeasurer>(); });
}

/// A search of 24 trials is behind it.
struct SearchedWindow : WindowInOwnFolder {
    SearchedWindow() {
        scriptTimes(session);
        const QString path = folder.filePath(s("m.te"));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write("workload m(N = 64)\n"
                   "A = placeholder [N, N] float32\n"
                   "B = placeholder [N, N] float32\n"
                   "C(i < N, j < N) = sum(k < N; A[i, k] * B[k, j])\n");
        file.close();
        open(path);
        SearchSetup setup = session.document()->setup;
        setup.options.trials = 24;
        setup.options.trialsPerRound = 8;
        setup.options.population = 64;
        setup.logPath = folder.filePath(s("m.json"));
        session.search().setSetup(setup);
        session.search().start();
        searched = QTest::qWaitFor([this] { return !session.search().underWay(); }, kPatience);
    }
    template <typename View> View &view(const char *dock) {
        window.docks().showDock(QLatin1String(dock), true);
        auto *found = qobject_cast<View *>(window.docks().view(QLatin1String(dock)));
        if (found == nullptr) qFatal("no %s", dock);
        return *found;
    }
    [[nodiscard]] const Document &document() const { return *session.document(); }
    /// A trial that was compared with others, or the one after so many that was not, the best left out.
    [[nodiscard]] int ofTrials(bool compared, int skip = 0) const {
        for (int t = 0; t < static_cast<int>(document().trials.size()); ++t)
            if (document().trials[static_cast<size_t>(t)].valid() && t != document().best &&
                document().trials[static_cast<size_t>(t)].later->compared.known() == compared && skip-- == 0)
                return t;
        return -1;
    }
    /// Of first times, by hand.
    [[nodiscard]] QString firstChange(int ofTrial, int against) const {
        return deltaText(document().trials[static_cast<size_t>(ofTrial)].trial.cost() /
                             document().trials[static_cast<size_t>(against)].trial.cost() -
                         1);
    }
    /// A schedule made by hand that is measured; its number.
    int measuredByHand() {
        const QString why = session.edits().apply({}, SplitStep{StageId(2), IterId(1), 64, {16}});
        if (!why.isEmpty()) qFatal("%s", qPrintable(why));
        const ScheduleRef made = session.selection().now().schedule;
        if (const QString problem = session.search().measure(made); !problem.isEmpty())
            qFatal("%s", qPrintable(problem));
        const bool measured = QTest::qWaitFor(
            [&] { return document().edited[static_cast<size_t>(made.number)].measured.trial >= 0; }, kPatience);
        return measured ? made.number : -1;
    }
    [[nodiscard]] static QString texts(const QWidget &of) {
        QStringList all;
        for (const QLabel *label : of.findChildren<QLabel *>()) all << label->text();
        return all.join(u'|');
    }
    bool searched = false;
};

/// Clicks the entry of the menu that opens next.
void chooseInMenu(const QString &text) {
    QTimer::singleShot(0, [text] {
        auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
        if (menu == nullptr) return chooseInMenu(text);
        for (QAction *action : menu->actions())
            if (action->text() == text) { // a click on a menu that has only just come may be taken for the one before
                menu->setActiveAction(action);
                return QTest::keyClick(menu, Qt::Key_Return);
            }
        menu->close();
    });
}

void openMenu(QWidget &viewport, const QPoint &at) {
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, viewport.mapToGlobal(at));
    QApplication::sendEvent(&viewport, &event);
}

} // namespace

class WindowBaselineTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    void everyTableAndTitleTellsTimesAgainstIt() {
        SearchedWindow w;
        QVERIFY(w.ready && w.searched);
        const int base = w.ofTrials(false);
        const int other = w.ofTrials(false, 1);
        QVERIFY(base >= 0 && other >= 0);
        QVERIFY(!w.window.windowTitle().contains(s("against")));
        // By key, on the trial that is chosen.
        auto &table = *w.view<TrialsView>("trials").findChild<TrialTable *>();
        w.session.selection().selectSchedule(trial(base));
        table.setFocus();
        QTest::keyClick(&table, Qt::Key_B, Qt::ShiftModifier);
        QCOMPARE(w.document().baseline, base);
        QCOMPARE(w.window.windowTitle(), s("m[*] \u2013 trial %1, the baseline \u2013 Loopscope").arg(base + 1));
        w.session.selection().selectSchedule(trial(other));
        const QString told = s("%1 against trial %2").arg(w.firstChange(other, base)).arg(base + 1);
        QCOMPARE(w.window.windowTitle(), s("m[*] \u2013 trial %1, %2 \u2013 Loopscope").arg(other + 1).arg(told));
        // The search, of its best.
        const auto &strip = *w.window.findChild<StatusStrip *>();
        const QString best = againstBaselineText(w.document(), trial(w.document().best));
        QVERIFY(best.endsWith(s("against trial %1").arg(base + 1)));
        QTRY_VERIFY2(SearchedWindow::texts(strip).contains(best), qPrintable(SearchedWindow::texts(strip)));
        // Both sides of a comparison.
        w.window.docks().showDock(s("compare"), true);
        w.session.selection().compare(trial(base), trial(other));
        const QString sides = SearchedWindow::texts(*w.window.findChild<CompareView *>());
        QVERIFY2(sides.contains(s("the baseline")) && sides.contains(told), qPrintable(sides));
        // The schedules nearest to the one shown, and the head above them.
        auto &why = w.view<WhyView>("why");
        QTRY_VERIFY_WITH_TIMEOUT(why.nearest().model()->rowCount() > 0, kPatience);
        QVERIFY2(SearchedWindow::texts(why).contains(told), qPrintable(SearchedWindow::texts(why)));
        QVERIFY(!why.nearest().isColumnHidden(3));
        for (int row = 0; row < why.nearest().model()->rowCount(); ++row) {
            const int near = why.nearest().model()->index(row, 0).data().toString().toInt() - 1;
            const auto change = againstBaseline(w.document(), trial(near));
            QCOMPARE(why.nearest().model()->index(row, 3).data().toString(),
                     change ? deltaText(change->change) : QString());
        }
        // What the trials chose.
        w.window.docks().showDock(s("choices"), true);
        auto *choices = w.window.findChild<QTreeView *>(s("ChoiceList"));
        QVERIFY(choices != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(choices->model()->rowCount() > 0, kPatience);
        const auto title = [&](int column) { return choices->model()->headerData(column, Qt::Horizontal).toString(); };
        QVERIFY(!choices->isColumnHidden(ChoiceListModel::OfBaseline));
        QCOMPARE(title(ChoiceListModel::OfBaseline), s("Of trial %1").arg(base + 1));
        QCOMPARE(title(ChoiceListModel::OfBest), s("Of the best (%1)").arg(best.section(u' ', 0, 0)));
        // What was made by hand.
        const int node = w.measuredByHand();
        QVERIFY(node >= 0);
        const EditTreeModel &edits = w.view<EditsView>("edits").model();
        QCOMPARE(edits.indexOf(node, EditTreeModel::AgainstColumn).data().toString(),
                 w.firstChange(w.document().edited[static_cast<size_t>(node)].measured.trial, base));
        QCOMPARE(edits.indexOf(0, EditTreeModel::AgainstColumn).data().toString(), QString()); // never measured
        // None any more: it is told nowhere.
        w.session.trials().setBaseline(-1);
        QVERIFY(!w.window.windowTitle().contains(s("against")));
        QVERIFY(choices->isColumnHidden(ChoiceListModel::OfBaseline));
        QVERIFY(why.nearest().isColumnHidden(3));
        QVERIFY(w.view<EditsView>("edits").tree().isColumnHidden(EditTreeModel::AgainstColumn));
        QTRY_VERIFY(!SearchedWindow::texts(strip).contains(s("against")));
    }

    /// From the tree of edits, too: the trial that the schedule became.
    void whatWasMadeByHandCanBeTheBaseline() {
        SearchedWindow w;
        QVERIFY(w.ready && w.searched);
        const int node = w.measuredByHand();
        QVERIFY(node >= 0);
        auto &view = w.view<EditsView>("edits");
        w.session.selection().selectSchedule(edited(0));
        QVERIFY(!w.actions.find(s("edits.baseline"))->isEnabled()); // it has no time
        QTest::mouseClick(view.tree().viewport(), Qt::LeftButton, {},
                          view.tree().visualRect(view.model().indexOf(node)).center());
        view.tree().setFocus();
        QTest::keyClick(&view.tree(), Qt::Key_B, Qt::ShiftModifier);
        QCOMPARE(w.document().baseline, w.document().edited[static_cast<size_t>(node)].measured.trial);
        QCOMPARE(view.model().indexOf(node, EditTreeModel::AgainstColumn).data().toString(), s("baseline"));
        QTest::keyClick(&view.tree(), Qt::Key_B, Qt::ShiftModifier);
        QCOMPARE(w.document().baseline, -1);
    }

    void theSessionKeepsIt() {
        SearchedWindow w;
        QVERIFY(w.ready && w.searched);
        const int node = w.measuredByHand();
        w.session.edits().setPinned(node, true);
        const int base = w.ofTrials(false);
        w.session.trials().setBaseline(base);
        w.session.selection().selectSchedule(edited(node));
        const QString title = w.window.windowTitle();
        QVERIFY2(title.contains(s("against trial %1").arg(base + 1)), qPrintable(title));
        const QString file = w.folder.filePath(s("kept.loopscope"));
        QCOMPARE(w.session.file().save(file, {}), QString());
        const QTemporaryDir folder;
        WindowStart again(folder.path());
        QVERIFY(again.ready);
        scriptTimes(again.session);
        again.window.openFiles({file}, false);
        QTRY_VERIFY_WITH_TIMEOUT(again.session.document() && again.session.document()->baseline >= 0, kPatience);
        QCOMPARE(again.session.document()->baseline, base);
        QVERIFY(again.session.document()->edited[static_cast<size_t>(node)].pinned);
        QTRY_COMPARE_WITH_TIMEOUT(again.window.windowTitle(), title, kPatience);
    }

    void aTrialLeavesByTheMenuOfItsRow() {
        SearchedWindow w;
        QVERIFY(w.ready && w.searched);
        const int under = w.ofTrials(false);
        const ScheduleRef shown = trial(w.document().best);
        w.session.selection().selectSchedule(shown);
        auto &view = w.view<TrialsView>("trials");
        auto &table = *view.findChild<TrialTable *>();
        const QModelIndex row = view.model().index(view.model().rowOf(under), 2);
        table.scrollTo(row);
        chooseInMenu(s("Export schedule as \u2026"));
        openMenu(*table.viewport(), table.visualRect(row).center());
        auto *dialog = w.window.findChild<ExportDialog *>();
        QVERIFY(dialog != nullptr && dialog->isVisible());
        QCOMPARE(w.session.selection().now().schedule, shown); // it chose nothing
        QVERIFY2(SearchedWindow::texts(*dialog).contains(s("Trial %1 of m").arg(under + 1)),
                 qPrintable(SearchedWindow::texts(*dialog)));
        const auto script = dialog->formats()->findItems(s("Schedule script"), Qt::MatchExactly);
        QCOMPARE(script.size(), 1);
        QTest::mouseClick(dialog->formats()->viewport(), Qt::LeftButton, {},
                          dialog->formats()->visualItemRect(script[0]).center());
        const QString path = w.folder.filePath(s("under.sched"));
        dialog->path()->selectAll();
        QTest::keyClicks(dialog->path(), path);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->saveButton()->isEnabled(), kPatience);
        QSignalSpy done(dialog, &QDialog::accepted);
        QTest::mouseClick(dialog->saveButton(), Qt::LeftButton);
        QVERIFY(!done.isEmpty() || done.wait(kPatience));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const AppliedScript read = applyScript(w.document().task->dag, file.readAll().toStdString());
        QVERIFY(!read.problem);
        QVERIFY(read.state.steps() == w.document().trials[static_cast<size_t>(under)].trial.steps.unpack());
        // From File, it is the one shown.
        w.actions.find(Capability::ExportSchedule)->trigger();
        QVERIFY2(SearchedWindow::texts(*dialog).contains(s("Trial %1 of m").arg(shown.number + 1)),
                 qPrintable(SearchedWindow::texts(*dialog)));
    }

    void anEditLeavesByTheMenuOfItsRow() {
        SearchedWindow w;
        QVERIFY(w.ready);
        QCOMPARE(w.session.edits().apply({}, SplitStep{StageId(2), IterId(0), 64, {8}}), QString());
        QCOMPARE(w.session.edits().apply(edited(1), AnnotateStep{StageId(2), IterId(0), Annotation::Parallel}),
                 QString());
        auto &view = w.view<EditsView>("edits");
        chooseInMenu(s("Export schedule as \u2026"));
        openMenu(*view.tree().viewport(), view.tree().visualRect(view.model().indexOf(1)).center());
        QTRY_VERIFY(w.window.findChild<ExportDialog *>() != nullptr);
        QCOMPARE(w.session.selection().now().schedule, edited(2));
        const QString texts = SearchedWindow::texts(*w.window.findChild<ExportDialog *>());
        QVERIFY2(texts.contains(s("Edited schedule 2 of m")), qPrintable(texts));
    }
};

LOOPSCOPE_WINDOW_TEST(WindowBaselineTest)

} // namespace window_baseline_test
#include "window_baseline_test.moc"
