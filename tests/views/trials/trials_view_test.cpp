// The candidate view on a real session: typing, selecting, pinning, noting, exporting.

#include "fabricated_trials.h"
#include "records/record/record_writer.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/session/text.h"
#include "views/trials/filter_edit.h"
#include "views/trials/trial_table.h"
#include "views/trials/trials_view.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QTest>

using namespace loopscope;

namespace trials_view_test {

namespace {

QString u(const char *text) { return QString::fromUtf8(text); }
ScheduleRef trial(int number) { return {ScheduleRef::Kind::Trial, number}; }

struct Window : ViewBench {
    TrialsView view{context};

    Window() {
        view.resize(1000, 500);
        view.show();
    }
    void openTrials(int count) {
        QFile file(QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/matmul_relu.te"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        session.documents().openText(u("matmul_relu.te"), QString::fromUtf8(file.readAll()));
        QTRY_VERIFY_WITH_TIMEOUT(session.document() != nullptr && !session.document()->sketches.empty(), 30'000);
        auto *document = const_cast<Document *>(session.document()); // as a search would
        const auto fabricated = fabricateDocument(count);
        document->trials = fabricated->trials;
        document->best = fabricated->best;
        Q_EMIT session.trials().trialsReset();
        QCOMPARE(view.model().rowCount(), count);
    }
    [[nodiscard]] QString shownText() const {
        QStringList texts;
        for (const auto *label : view.findChildren<QLabel *>())
            if (label->isVisible() && !label->text().isEmpty()) texts << label->text();
        return texts.join(QLatin1Char('|'));
    }
};

} // namespace

class TrialsViewTest : public QObject {
    Q_OBJECT

  private slots:
    void saysWhyItIsEmpty() {
        Window window;
        QVERIFY(window.shownText().contains(u("Nothing is open")));
        window.openTrials(0);
        QVERIFY(window.shownText().contains(u("No trials yet")));
        window.openTrials(40);
        QVERIFY(window.shownText().contains(u("40 trials")));
        window.view.filter().setText(u("trial > 40"));
        QVERIFY(window.shownText().contains(u("None of 40 trials passes the filter")));
        window.actions.find(u("trials.clearFilter"))->trigger();
        QVERIFY(window.shownText().contains(u("40 trials")));
    }

    void aBadFilterKeepsTheLastGoodOne() {
        Window window;
        window.openTrials(40);
        window.view.filter().setText(u("trial <= 3"));
        QCOMPARE(window.view.model().rowCount(), 3);
        window.view.filter().setText(u("trial <= "));
        QCOMPARE(window.view.model().rowCount(), 3);
        QVERIFY(window.shownText().contains(u("‘trial <=’ needs a number behind it")));
        window.view.filter().setText(u("trial <= 5"));
        QCOMPARE(window.view.model().rowCount(), 5);
        QVERIFY(window.shownText().contains(u("5 of 40")));
    }

    void typingReachesTheTable() {
        Window window;
        window.openTrials(40);
        window.view.startFind();
        QTest::keyClicks(&window.view.filter(), u("valid"));
        int valid = 0;
        for (const TrialEntry &entry : window.session.document()->trials) valid += entry.valid() ? 1 : 0;
        QTRY_COMPARE(window.view.model().rowCount(), valid);
    }

    void aFilterThatMeansNothingHereSaysSo() {
        Window window;
        window.openTrials(40);
        window.view.startFind();
        QTest::keyClicks(&window.view.filter(), u("valid && faild"));
        QTRY_VERIFY(window.shownText().contains(u("did you mean ‘failed’?")));
        QVERIFY(window.shownText().contains(u("None of 40 trials passes the filter")));
        window.view.filter().clear();
        QTRY_COMPARE(window.view.model().rowCount(), 40);
        QVERIFY(!window.shownText().contains(u("did you mean")));
        QTest::keyClicks(&window.view.filter(), u("pinned"));
        QTRY_VERIFY(window.shownText().contains(u("No trial is pinned.")));
        window.session.trials().setPinned(3, true); // what it asks for comes
        QVERIFY(!window.shownText().contains(u("No trial is pinned.")));
        QCOMPARE(window.view.model().rowCount(), 1);
        window.view.filter().clear();
        QTest::keyClicks(&window.view.filter(), u("-unstable || pinned"));
        int shown = 0;
        for (const TrialEntry &entry : window.session.document()->trials)
            shown += !entry.trial.unstable || entry.pinned ? 1 : 0;
        QTRY_COMPARE(window.view.model().rowCount(), shown);
    }

    void sortingAndFilteringKeepTheSelectionInView() {
        Window window;
        window.openTrials(400);
        TrialTable &table = window.view.table();
        const auto inView = [&](int number) {
            const QModelIndex index = table.model()->index(window.view.model().rowOf(number), 2);
            return table.viewport()->rect().contains(table.visualRect(index).center());
        };
        const auto header = [&](TrialColumn column) {
            const QHeaderView *sections = table.horizontalHeader();
            const int at = static_cast<int>(column);
            return QPoint(sections->sectionViewportPosition(at) + sections->sectionSize(at) / 2,
                          sections->height() / 2);
        };
        int middle = 200;
        while (!window.session.document()->trials[static_cast<size_t>(middle)].valid()) ++middle;
        window.session.selection().selectSchedule(trial(middle));
        QVERIFY(inView(middle));
        for (int click = 0; click < 2; ++click) { // up, then down
            QTest::mouseClick(table.horizontalHeader()->viewport(), Qt::LeftButton, {}, header(TrialColumn::Time));
            QVERIFY(inView(middle));
        }
        QTest::keyClicks(&window.view.filter(), u("valid"));
        QTRY_VERIFY(window.view.model().rowCount() < 400);
        QVERIFY(inView(middle));
        // Scrolled away, and then all are shown again.
        table.scrollToTop();
        window.view.filter().clear();
        QVERIFY(inView(middle));
        // Selected together, none of them current.
        window.session.selection().selectSchedule({});
        window.session.selection().selectTrials({middle, middle + 1});
        QTest::mouseClick(table.horizontalHeader()->viewport(), Qt::LeftButton, {}, header(TrialColumn::Trial));
        QVERIFY(inView(middle));

        // Trials that arrive push it nowhere, but do not call back who has scrolled away.
        window.session.selection().selectTrials({});
        window.session.selection().selectSchedule(trial(middle));
        QTest::mouseClick(table.horizontalHeader()->viewport(), Qt::LeftButton, {}, header(TrialColumn::Trial));
        QVERIFY(inView(middle)); // the newest on top
        auto *document = const_cast<Document *>(window.session.document());
        fabricateTrials(*document, 60, 5);
        Q_EMIT window.session.trials().trialsAdded(400, 60);
        QVERIFY(inView(middle));
        table.scrollToBottom();
        const int scrolled = table.verticalScrollBar()->value();
        fabricateTrials(*document, 3, 6);
        Q_EMIT window.session.trials().trialsAdded(460, 3);
        QVERIFY(!inView(middle));
        QVERIFY(table.verticalScrollBar()->value() >= scrolled);
    }

    void oneSelection() {
        Window window;
        window.openTrials(40);
        TrialTable &table = window.view.table();
        Selection &selection = window.session.selection();

        // From here to everywhere.
        const auto cell = [&](int number) {
            return table.visualRect(table.model()->index(window.view.model().rowOf(number), 2)).center();
        };
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, cell(3));
        QTRY_COMPARE(selection.now().schedule, trial(3));
        QVERIFY(selection.now().trials.empty());
        QTest::mouseClick(table.viewport(), Qt::LeftButton, Qt::ControlModifier, cell(5));
        QTRY_COMPARE(selection.now().trials, (std::vector<int>{3, 5}));
        QTest::keyClick(&table, Qt::Key_Down);
        QTRY_COMPARE(selection.now().schedule, trial(6));
        QVERIFY(selection.now().trials.empty());

        // From everywhere to here.
        selection.selectSchedule(trial(30));
        QCOMPARE(table.currentTrial(), 30);
        QCOMPARE(table.currentIndex().row(), window.view.model().rowOf(30));
        selection.selectTrials({8, 9, 30});
        QCOMPARE(table.selectionModel()->selectedRows().size(), 3);
        QVERIFY(window.view.model().index(8, 0).data(TrialTableModel::MarkedRole).toBool());

        // Only those selected; a filter chooses nothing by taking rows away.
        window.actions.find(u("trials.onlySelected"))->trigger();
        QCOMPARE(window.view.model().shown(), (std::vector<int>{8, 9, 30}));
        window.view.filter().setText(u("trial < 10"));
        QTest::qWait(20);
        QCOMPARE(selection.now().trials, (std::vector<int>{8, 9, 30}));
        QCOMPARE(selection.now().schedule, trial(30));
    }

    /// A view may draw its table while it learns that nothing is selected any more.
    void forgottenTrialsAreThereWhileTheSelectionLeavesThem() {
        Window window;
        window.openTrials(40);
        window.session.selection().selectSchedule(trial(3));
        int most = -1; // rows without a trial, whenever the selection changed
        connect(&window.session.selection(), &Selection::changed, &window.view, [&] {
            most = std::max(most, window.view.model().rowCount() -
                                      static_cast<int>(window.session.document()->trials.size()));
        });
        window.session.search().forgetTrials();
        QCOMPARE(most, 0);
        QCOMPARE(window.view.model().rowCount(), 0);
    }

    void pinsNotesAndCompares() {
        Window window;
        window.openTrials(40);
        Selection &selection = window.session.selection();
        selection.selectTrials({2, 4});
        window.actions.find(u("trials.pin"))->trigger();
        QVERIFY(window.session.document()->trials[2].pinned && window.session.document()->trials[4].pinned);
        QCOMPARE(window.actions.find(u("trials.pin"))->text(), u("Unpin"));
        window.actions.find(u("trials.pin"))->trigger();
        QVERIFY(!window.session.document()->trials[2].pinned);

        window.view.model().setData(
            window.view.model().index(window.view.model().rowOf(2), static_cast<int>(TrialColumn::Note)),
            u("worth a look"), Qt::EditRole);
        QCOMPARE(window.session.document()->trials[2].later->note, u("worth a look"));

        int compared = 0;
        window.actions.add({u("compare.trials"), u("Compare"), u("Compare")}, &window.session.documents(),
                           [&] { ++compared; });
        QVERIFY(window.actions.find(u("trials.compare"))->isEnabled());
        window.actions.find(u("trials.compare"))->trigger();
        QCOMPARE(compared, 1);
        // One alone goes against the best.
        const int best = window.session.document()->best;
        const int other = best == 7 ? 8 : 7;
        selection.selectTrials({});
        selection.selectSchedule(trial(other));
        window.actions.find(u("trials.compare"))->trigger();
        QCOMPARE(selection.now().trials, (std::vector<int>{std::min(best, other), std::max(best, other)}));
        selection.selectTrials({1, 2, 3});
        QVERIFY(!window.actions.find(u("trials.compare"))->isEnabled());
        window.actions.find(u("trials.best"))->trigger();
        QCOMPARE(selection.now().schedule, trial(best));
    }

    void timesAreToldAgainstABaseline() {
        Window window;
        window.openTrials(40);
        const Document &document = *window.session.document();
        const TrialTableModel &model = window.view.model();
        auto &table = *window.view.findChild<TrialTable *>();
        const auto column = static_cast<int>(TrialColumn::Against);
        const auto cell = [&](int trial) { return model.index(model.rowOf(trial), column).data().toString(); };
        int first = -1;
        int second = -1;
        int failed = -1;
        for (int t = 0; t < 40; ++t) {
            const bool valid = document.trials[static_cast<size_t>(t)].valid();
            (valid ? first < 0 ? first : second : failed) = t;
        }
        QVERIFY(first >= 0 && second >= 0 && failed >= 0);
        QVERIFY(table.isColumnHidden(column));
        QCOMPARE(cell(first), QString());
        // By key, on the trial that is chosen; the column comes by itself.
        table.setFocus();
        window.session.selection().selectSchedule(trial(first));
        QTest::keyClick(&table, Qt::Key_B, Qt::ShiftModifier);
        QCOMPARE(document.baseline, first);
        QVERIFY(!table.isColumnHidden(column));
        QCOMPARE(cell(first), u("baseline"));
        const double change = document.trials[static_cast<size_t>(second)].seconds() /
                                  document.trials[static_cast<size_t>(first)].seconds() -
                              1;
        QCOMPARE(cell(second), deltaText(change));
        QCOMPARE(cell(failed), QString());
        QVERIFY(model.index(model.rowOf(second), column)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .startsWith(QStringLiteral("Against trial %1, ").arg(first + 1)));
        // A failed one has no time to be told against.
        window.session.selection().selectSchedule(trial(failed));
        QVERIFY(!window.actions.find(u("trials.baseline"))->isEnabled());
        window.session.trials().setBaseline(failed);
        QCOMPARE(document.baseline, -1);
        window.session.trials().setBaseline(first);
        window.session.selection().selectSchedule(trial(first));
        QCOMPARE(window.actions.find(u("trials.baseline"))->text(), u("No baseline any more"));
        window.actions.find(u("trials.baseline"))->trigger();
        QCOMPARE(document.baseline, -1);
        QCOMPARE(cell(second), QString());
    }

    void leavesWithTextAndLogs() {
        Window window;
        window.openTrials(40);
        window.session.selection().selectTrials({2, 4});
        window.actions.find(u("trials.copy"))->trigger();
        QCOMPARE(QApplication::clipboard()->text().count(QLatin1Char('\n')), 3);
        window.actions.find(u("trials.copySteps"))->trigger();
        QVERIFY(QApplication::clipboard()->text().contains(u("{\"i\": [[")));

        const QString csv = window.folder.filePath(u("table.csv"));
        QCOMPARE(window.view.exportTo(csv), QString());
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().count('\n'), 41);
        QVERIFY(window.view.exportTo(u("/nowhere/table.csv")).startsWith(u("/nowhere/table.csv cannot be written: ")));

        const QString log = window.folder.filePath(u("some.json"));
        window.view.saveLog({2, 4, 5}, log);
        QTRY_COMPARE_WITH_TIMEOUT(window.session.messages().all().empty(), false, 10'000);
        const RecordLog records = loadRecordLog(log.toStdString());
        QCOMPARE(records.records.size(), size_t(3));
        QCOMPARE(records.records[1].trial.steps, window.session.document()->trials[4].trial.steps);

        const RecordWriter writer(log.toStdString()); // somebody searches with it now
        window.view.saveLog({7}, log);
        const auto refused = [&] {
            const auto &all = window.session.messages().all();
            return std::any_of(all.begin(), all.end(), [](const Message &message) {
                return (message.text + message.detail).contains(u("the log is being written by"));
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(refused(), 10'000);
        QCOMPARE(loadRecordLog(log.toStdString()).records.size(), size_t(3));
    }

    void aColumnComesAsWideAsItsTitle() {
        Window window;
        window.openTrials(10);
        TrialTable &table = window.view.table();
        const int again = static_cast<int>(TrialColumn::Again);
        QVERIFY(table.isColumnHidden(again));
        QMenu menu;
        table.fillColumnMenu(menu);
        for (QAction *action : menu.actions())
            if (action->text() == QLatin1String("Again")) action->trigger();
        QVERIFY(!table.isColumnHidden(again));
        const QFontMetrics metrics(table.horizontalHeader()->font());
        QVERIFY2(table.columnWidth(again) >= metrics.horizontalAdvance(QStringLiteral("Again")) + 8,
                 qPrintable(QString::number(table.columnWidth(again))));
    }

    void columnsAreFoundAgain() {
        Window window;
        window.openTrials(10);
        TrialTable &table = window.view.table();
        table.setColumnWidth(static_cast<int>(TrialColumn::Time), 177);
        table.sortByColumn(static_cast<int>(TrialColumn::Time), Qt::DescendingOrder);
        TrialTableModel model(window.theme);
        model.setDocument(window.session.document());
        TrialTable again(window.settings, window.session.selection(), model);
        QCOMPARE(again.columnWidth(static_cast<int>(TrialColumn::Time)), 177);
        QCOMPARE(model.arrangement().column(), static_cast<int>(TrialColumn::Time));
        QCOMPARE(model.arrangement().order(), Qt::DescendingOrder);
    }
};

LOOPSCOPE_WINDOW_TEST(TrialsViewTest)

} // namespace trials_view_test
#include "trials_view_test.moc"
