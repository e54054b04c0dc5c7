// The table of candidates without a window: rows, order, cells, insertion, texts for other programs.

#include "fabricated_trials.h"
#include "test_program.h"
#include "views/session/selection.h"
#include "views/settings/theme.h"
#include "views/trials/failure_summary.h"
#include "views/trials/table_text.h"
#include "views/trials/trial_table_model.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace loopscope;

namespace {

QString u(const char *text) { return QString::fromUtf8(text); }
int at(TrialColumn column) { return static_cast<int>(column); }

std::shared_ptr<const TrialFilter> filter(const char *text, const TrialTableModel &model) {
    const ParsedFilter parsed = parseTrialFilter(u(text), model.facts().tileColumns());
    return parsed.filter;
}

/// Three valid trials and two failed ones; seconds 3, 1, -, 2, - milliseconds.
std::unique_ptr<Document> fiveTrials() {
    auto document = fabricateDocument(0);
    const std::array<double, 5> milliseconds{3, 1, 0, 2, 0};
    for (int t = 0; t < 5; ++t) {
        TrialEntry entry;
        Steps steps = {SplitStep{StageId(2), IterId(0), 512, {8, 16, t < 3 ? 4 : 1}, true}};
        if (t == 1) steps.push_back(SplitStep{StageId(2), IterId(4), 512, {32}, true});
        entry.trial.steps = steps;
        const double seconds = milliseconds[static_cast<size_t>(t)] * 1e-3;
        if (seconds > 0) {
            entry.trial.seconds = {seconds, seconds * 1.01, seconds * 1.02, seconds * 1.1};
        } else {
            entry.trial.error = t == 2 ? TrialError::WrongAnswer : TrialError::RunTimeout;
            entry.trial.reason = t == 2 ? "wrong answer: \"C\" [1, 2]" : "ran too long";
            entry.trial.maxError = t == 2 ? HUGE_VAL : 0;
        }
        entry.sketch = t % 2;
        entry.mutation = t == 3 ? u("unroll") : QString();
        document->trials.push_back(std::move(entry));
    }
    document->best = 1;
    return document;
}

QString column(const TrialTableModel &model, int column) {
    QStringList cells;
    for (int row = 0; row < model.rowCount(); ++row) cells << model.index(row, column).data(Qt::DisplayRole).toString();
    return cells.join(QLatin1Char('|'));
}
QString shownTrials(const TrialTableModel &model) { return column(model, at(TrialColumn::Trial)); }

} // namespace

class TrialTableTest : public QObject {
    Q_OBJECT

    Theme m_theme;

  private slots:
    void cells() {
        const auto document = fiveTrials();
        TrialTableModel model(m_theme);
        const QAbstractItemModelTester tester(&model);
        QCOMPARE(model.rowCount(), 0);
        model.setDocument(document.get());
        QCOMPARE(shownTrials(model), u("1|2|3|4|5"));
        QCOMPARE(column(model, at(TrialColumn::Rank)), u("3|★ 1||2|"));
        QCOMPARE(column(model, at(TrialColumn::Time)), u("3.030|1.010||2.020|"));
        QCOMPARE(model.headerData(at(TrialColumn::Time), Qt::Horizontal, Qt::DisplayRole).toString(), u("Time (ms)"));
        QCOMPARE(column(model, at(TrialColumn::Failure)), u("||wrong-answer||run-timeout"));
        QCOMPARE(column(model, at(TrialColumn::Error)), u("0.000|0.000|∞|0.000|"));
        QCOMPARE(column(model, at(TrialColumn::Sketch)), u("0|1|0|1|0"));
        QCOMPARE(column(model, at(TrialColumn::Peak)), u("||||"));
        model.setPeak(1000);
        // 2*512^3 additions and multiplications and 512^2 maxima in 1.01 ms
        QCOMPARE(model.index(1, at(TrialColumn::Peak)).data().toString(), u("26.6 %"));
        QCOMPARE(model.index(1, at(TrialColumn::Gflops)).data().toString(), u("266.0"));
        QVERIFY(
            model.index(2, at(TrialColumn::Failure)).data(Qt::ToolTipRole).toString().contains(u("wrong answer: ")));
        QVERIFY(model.index(2, 3).data(Qt::BackgroundRole).isValid());
        QVERIFY(!model.index(0, 3).data(Qt::BackgroundRole).isValid());
        QVERIFY(model.index(1, 3).data(Qt::FontRole).value<QFont>().bold());
        QCOMPARE(model.index(0, at(TrialColumn::Time)).data(Qt::TextAlignmentRole).toInt(),
                 static_cast<int>(Qt::AlignRight | Qt::AlignVCenter));
    }

    void tileFactorsAreColumns() {
        const auto document = fiveTrials();
        TrialTableModel model(m_theme);
        const QAbstractItemModelTester tester(&model);
        model.setDocument(document.get());
        QCOMPARE(model.columnCount(), kFixedColumns + 2);
        QCOMPARE(model.cells().id(kFixedColumns), u("tile:C.i"));
        QCOMPARE(column(model, kFixedColumns), u("1×8×16×4|1×8×16×4|1×8×16×4|4×8×16×1|4×8×16×1"));
        QCOMPARE(column(model, kFixedColumns + 1), u("|16×32|||"));

        // A trial that splits another loop brings its column along.
        TrialEntry entry;
        entry.trial.seconds = {1, 1, 1};
        entry.trial.steps = {SplitStep{StageId(2), IterId(2), 0, {7}, false}};
        document->trials.push_back(entry);
        const QSignalSpy columns(&model, &QAbstractItemModel::columnsInserted);
        model.trialsAdded(5, 1);
        QCOMPARE(columns.size(), 1);
        QCOMPARE(model.cells().id(kFixedColumns + 2), u("tile:C.k"));
        QCOMPARE(column(model, kFixedColumns + 2), u("|||||7×?")); // its extent is not known
        model.sort(kFixedColumns, Qt::AscendingOrder);
        QCOMPARE(shownTrials(model), u("1|2|3|4|5|6"));
        model.sort(kFixedColumns, Qt::DescendingOrder);
        QCOMPARE(shownTrials(model), u("4|5|1|2|3|6"));
    }

    void namesSurviveWhatDoesNotReplay() {
        // An illegal place to compute in front of a split does not take the names behind it away.
        auto document = fabricateDocument(0);
        TrialEntry entry;
        entry.trial.error = TrialError::Instantiation;
        entry.trial.steps = {ComputeAtStep{StageId(99), StageId(98), IterId(0)},
                             SplitStep{StageId(2), IterId(1), 512, {2}, true}};
        document->trials.push_back(entry);
        entry.trial.steps = {SplitStep{StageId(77), IterId(1), 512, {2}, true}};
        document->trials.push_back(entry);
        TrialTableModel model(m_theme);
        model.setDocument(document.get());
        QCOMPARE(model.columnCount(), kFixedColumns + 1);
        QCOMPARE(column(model, kFixedColumns), u("256×2|"));
    }

    void sorts_data() {
        QTest::addColumn<int>("by");
        QTest::addColumn<bool>("descending");
        QTest::addColumn<QString>("trials");
        const auto row = [](const char *name, TrialColumn by, bool descending, const char *trials) {
            QTest::newRow(name) << at(by) << descending << u(trials);
        };
        row("time", TrialColumn::Time, false, "2|4|1|3|5");
        row("time down: what has none stays behind", TrialColumn::Time, true, "1|4|2|3|5");
        row("rank", TrialColumn::Rank, false, "2|4|1|3|5");
        row("sketch: ties by number", TrialColumn::Sketch, false, "1|3|5|2|4");
        row("sketch down", TrialColumn::Sketch, true, "2|4|1|3|5");
        row("failure", TrialColumn::Failure, false, "3|5|1|2|4");
        row("reason", TrialColumn::Reason, false, "5|3|1|2|4");
        row("mutation", TrialColumn::Mutation, false, "4|1|2|3|5");
        row("trial down", TrialColumn::Trial, true, "5|4|3|2|1");
    }

    void sorts() {
        QFETCH(int, by);
        QFETCH(bool, descending);
        QFETCH(QString, trials);
        const auto document = fiveTrials();
        TrialTableModel model(m_theme);
        const QAbstractItemModelTester tester(&model);
        model.setDocument(document.get());
        model.sort(by, descending ? Qt::DescendingOrder : Qt::AscendingOrder);
        QCOMPARE(shownTrials(model), trials);
        model.sort(-1, Qt::AscendingOrder);
        QCOMPARE(shownTrials(model), u("1|2|3|4|5"));
        document->trials[4].pinned = true;
        model.trialsChanged({4});
        model.setPinnedFirst(true);
        QVERIFY(shownTrials(model).startsWith(u("5|")));
    }

    void sortedByThePeakBeforeItIsKnown() {
        const auto document = fiveTrials();
        TrialTableModel model(m_theme);
        const QAbstractItemModelTester tester(&model);
        model.setDocument(document.get());
        model.sort(at(TrialColumn::Peak), Qt::DescendingOrder);
        model.setPeak(1000); // measured only now: its column fills, in order
        QCOMPARE(shownTrials(model), u("2|4|1|3|5"));
    }

    void anotherBestIsFirstByRank() {
        const auto document = fiveTrials();
        document->trials[3].trial.seconds = document->trials[1].trial.seconds; // a tie, decided by who is best
        TrialTableModel model(m_theme);
        const QAbstractItemModelTester tester(&model);
        model.setDocument(document.get());
        model.sort(at(TrialColumn::Rank), Qt::AscendingOrder);
        QCOMPARE(shownTrials(model), u("2|4|1|3|5"));
        document->best = 3;
        model.setBest(3);
        QCOMPARE(shownTrials(model), u("4|2|1|3|5"));
    }

    void filterAndOnlySelected() {
        const auto document = fiveTrials();
        TrialTableModel model(m_theme);
        const QAbstractItemModelTester tester(&model);
        model.setDocument(document.get());
        model.setFilter(filter("valid", model));
        QCOMPARE(shownTrials(model), u("1|2|4"));
        QCOMPARE(model.rowOf(3), 2);
        QCOMPARE(model.rowOf(2), -1);
        model.setOnly(std::vector<int>{2, 3});
        QCOMPARE(shownTrials(model), u("4"));
        model.setFilter(nullptr);
        QCOMPARE(shownTrials(model), u("3|4"));
        model.setOnly(std::nullopt);
        QCOMPARE(shownTrials(model), u("1|2|3|4|5"));
    }

    void ranksShiftUnderAFilter() {
        const auto document = fiveTrials();
        TrialTableModel model(m_theme);
        const QAbstractItemModelTester tester(&model);
        model.setDocument(document.get());
        model.setFilter(filter("rank <= 2", model));
        model.sort(at(TrialColumn::Time), Qt::AscendingOrder);
        QCOMPARE(shownTrials(model), u("2|4"));
        TrialEntry faster;
        faster.trial.seconds = {1e-4, 1e-4, 1e-4};
        document->trials.push_back(faster);
        model.trialsAdded(5, 1);
        QCOMPARE(shownTrials(model), u("6|2"));
        QCOMPARE(model.headerData(at(TrialColumn::Time), Qt::Horizontal, Qt::DisplayRole).toString(), u("Time (µs)"));
    }

    void whatIsHeldStaysOnItsTrial() {
        const auto document = fabricateDocument(200);
        TrialTableModel model(m_theme);
        const QAbstractItemModelTester tester(&model);
        model.setDocument(document.get());
        model.sort(at(TrialColumn::Time), Qt::AscendingOrder);
        const QPersistentModelIndex held = model.index(17, 2);
        const int trial = held.data(TrialTableModel::TrialRole).toInt();
        const QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        for (int round = 0; round < 10; ++round) {
            const int before = static_cast<int>(document->trials.size());
            fabricateTrials(*document, 16, static_cast<unsigned>(round) + 10);
            model.trialsAdded(before, 16);
            QCOMPARE(held.data(TrialTableModel::TrialRole).toInt(), trial);
        }
        model.sort(at(TrialColumn::Gflops), Qt::DescendingOrder);
        QCOMPARE(held.data(TrialTableModel::TrialRole).toInt(), trial);
        QCOMPARE(resets.size(), 0);
        QCOMPARE(model.rowCount(), 360);
        QCOMPARE(model.rowOf(trial), held.row());
    }

    void randomHistoryEqualsAFreshTable() {
        // Whatever happened in between, rows are those of a table set up at the end.
        const auto document = fabricateDocument(60);
        TrialTableModel model(m_theme);
        const QAbstractItemModelTester tester(&model);
        model.setDocument(document.get());
        std::mt19937 random(5);
        const std::array<const char *, 6> filters{
            "", "valid", "failed", "time < 3ms", "sketch:1 or rank < 9", "-mutation:tile"};
        const char *now = "";
        int column = -1;
        for (int step = 0; step < 120; ++step) {
            switch (random() % 5) {
            case 0: {
                const int before = static_cast<int>(document->trials.size());
                const int count = 1 + static_cast<int>(random() % 40);
                fabricateTrials(*document, count, static_cast<unsigned>(random()));
                model.trialsAdded(before, count);
                model.setBest(document->best);
                break;
            }
            case 1:
                now = filters[random() % filters.size()];
                model.setFilter(filter(now, model));
                break;
            case 2:
                column = static_cast<int>(random() % static_cast<unsigned>(model.columnCount()));
                model.sort(column, random() % 2 == 0 ? Qt::AscendingOrder : Qt::DescendingOrder);
                break;
            case 3: {
                const int t = static_cast<int>(random() % document->trials.size());
                document->trials[static_cast<size_t>(t)].later.change().again.push_back({1e-3, 1e-3, 1e-3});
                model.trialsChanged({t});
                break;
            }
            default:
                model.setPinnedFirst(random() % 2 == 0);
            }
            TrialTableModel fresh(m_theme);
            fresh.setDocument(document.get());
            fresh.setFilter(filter(now, fresh));
            fresh.sort(model.arrangement().column(), model.arrangement().order());
            QCOMPARE(model.shown(), fresh.shown());
        }
    }

    void largeTablesStayQuick() {
        // Generous bounds: only an algorithm that has become quadratic fails them.
        const auto document = fabricateDocument(100'000);
        TrialTableModel model(m_theme);
        QElapsedTimer clock;
        clock.start();
        model.setDocument(document.get());
        qInfo("100000 trials taken in: %lld ms", clock.restart());
        model.sort(at(TrialColumn::Time), Qt::AscendingOrder);
        const qint64 sorting = clock.restart();
        model.setFilter(filter("time < 3ms -sketch:1 longer or C.i[1] >= 8", model));
        const qint64 filtering = clock.restart();
        model.setFilter(nullptr);
        clock.restart();
        for (int round = 0; round < 4; ++round) {
            const int before = static_cast<int>(document->trials.size());
            document->trials.push_back(document->trials[static_cast<size_t>(round)]);
            model.trialsAdded(before, 1);
        }
        const qint64 adding = clock.restart() / 4;
        qInfo("sorted in %lld ms, filtered in %lld ms, one more in %lld ms", sorting, filtering, adding);
        QVERIFY2(sorting < 1000, qPrintable(QString::number(sorting)));
        QVERIFY2(filtering < 1000, qPrintable(QString::number(filtering)));
        QVERIFY2(adding < 500, qPrintable(QString::number(adding)));
    }

    void notesAreAskedFor() {
        const auto document = fiveTrials();
        TrialTableModel model(m_theme);
        model.setDocument(document.get());
        QSignalSpy asked(&model, &TrialTableModel::noteEdited);
        const QModelIndex index = model.index(3, at(TrialColumn::Note));
        QVERIFY(index.flags().testFlag(Qt::ItemIsEditable));
        QVERIFY(!model.index(3, 2).flags().testFlag(Qt::ItemIsEditable));
        QVERIFY(model.setData(index, u("  try again "), Qt::EditRole));
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked[0][0].toInt(), 3);
        QCOMPARE(asked[0][1].toString(), u("try again"));
        QVERIFY(!model.setData(model.index(3, 2), u("no"), Qt::EditRole));
    }

    void textsForOtherPrograms() {
        const auto document = fiveTrials();
        TrialTableModel model(m_theme);
        model.setDocument(document.get());
        TextRequest request;
        request.trials = {1, 2};
        request.columns = {at(TrialColumn::Trial), at(TrialColumn::Time), at(TrialColumn::Reason), kFixedColumns};
        QByteArray written;
        const auto keep = [&](const QByteArray &text, const QString &problem) {
            written = problem.isEmpty() ? text : problem.toUtf8();
        };
        TableText::make(model, request, keep);
        QCOMPARE(QString::fromUtf8(written),
                 u("Trial\tTime (ms)\tReason\tC.i\n2\t1.010\t\t1×8×16×4\n3\t\twrong answer: \"C\" [1, 2]\t1×8×16×4\n"));
        request.format = TableFormat::Csv;
        request.full = true;
        TableText::make(model, request, keep);
        QCOMPARE(QString::fromUtf8(written), u("trial,time_s,reason,C.i\n2,0.00101,,1x8x16x4\n"
                                               "3,,\"wrong answer: \"\"C\"\" [1, 2]\",1x8x16x4\n"));
    }

    void longTextsGoInSlices() {
        const auto document = fabricateDocument(20'000);
        TrialTableModel model(m_theme);
        model.setDocument(document.get());
        TextRequest request;
        request.trials = model.shown();
        request.full = true;
        for (int column = 0; column < model.columnCount(); ++column) request.columns.push_back(column);
        QByteArray written;
        TableText::make(model, request, [&](const QByteArray &text, const QString &) { written = text; });
        QVERIFY(written.isEmpty()); // not in one go
        QTRY_VERIFY_WITH_TIMEOUT(!written.isEmpty(), 30'000);
        QCOMPARE(written.count('\n'), 20'001);

        QString problem;
        TableText::make(model, request, [&](const QByteArray &, const QString &sentence) { problem = sentence; });
        const auto other = fiveTrials();
        model.setDocument(other.get());
        QCOMPARE(problem, u("The trials were exchanged before all were written"));
    }

    void checkedTrialsWithoutTimes() {
        const auto document = fiveTrials();
        for (TrialEntry &entry : document->trials) {
            if (!entry.valid()) continue;
            entry.trial.seconds.clear();
            entry.trial.reason = "checked by the executor, not timed: 4 of 4 blocks ran";
            entry.gflops = 0;
        }
        document->best = -1;
        TrialTableModel model(m_theme);
        const QAbstractItemModelTester tester(&model);
        model.setDocument(document.get());
        QCOMPARE(column(model, at(TrialColumn::Time)), u("checked, not timed|checked, not timed||checked, not timed|"));
        QCOMPARE(column(model, at(TrialColumn::Rank)), u("||||"));
        for (int c = 0; c < model.columnCount(); ++c) {
            for (int row = 0; row < model.rowCount(); ++row) {
                for (const int role : {Qt::DisplayRole, Qt::ToolTipRole}) {
                    const QString shown = model.index(row, c).data(role).toString();
                    for (const char *bad : {"inf", "nan", "failed"})
                        QVERIFY2(!shown.contains(QLatin1String(bad)), qPrintable(shown));
                }
            }
            model.sort(c, Qt::DescendingOrder);
            model.sort(c, Qt::AscendingOrder);
            QCOMPARE(model.rowCount(), 5);
        }
        model.sort(at(TrialColumn::Trial), Qt::AscendingOrder);
        QCOMPARE(model.index(0, at(TrialColumn::Time)).data(Qt::ToolTipRole).toString(),
                 u("Checked by the executor, not timed: 4 of 4 blocks ran"));
        for (int t = 0; t < 5; ++t) QCOMPARE(model.cells().csv(t, at(TrialColumn::Time)), QString());
    }

    void failuresAreCountedAndClustered() {
        FailureSummary summary;
        TrialEntry entry;
        entry.trial.seconds = {1};
        summary.add(entry, 0);
        entry.trial.error = TrialError::RuntimeDevice;
        for (int t = 1; t < 4; ++t) {
            entry.trial.reason = "wrote " + std::to_string(t * 1000) + " bytes too many\nsecond line";
            summary.add(entry, t);
        }
        entry.trial.error = TrialError::RunTimeout;
        entry.trial.reason = "too slow";
        summary.add(entry, 4);
        QCOMPARE(summary.failed(), 4);
        QCOMPARE(summary.count(TrialError::RuntimeDevice), 3);
        const auto top = summary.topReasons(5);
        QCOMPARE(top.size(), size_t(2));
        QCOMPARE(top[0].pattern, std::string("wrote # bytes too many"));
        QCOMPARE(top[0].count, 3);
        QCOMPARE(top[0].example, 1);
        QCOMPARE(summary.topReasons(1).size(), size_t(1));
    }

    void draggedTrialsCarryTheirNumbers() {
        const auto document = fiveTrials();
        TrialTableModel model(m_theme);
        model.setDocument(document.get());
        const std::unique_ptr<QMimeData> data(
            model.mimeData({model.index(3, 0), model.index(3, 1), model.index(1, 0)}));
        QCOMPARE(data->data(u(kTrialsMimeType)), QByteArray("1 3"));
        QCOMPARE(data->text(), u("trial 2, trial 4"));
    }
};

LOOPSCOPE_WINDOW_TEST(TrialTableTest)
#include "trial_table_test.moc"
