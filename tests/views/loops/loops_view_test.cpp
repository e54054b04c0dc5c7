// The loop view in a session of its own: it shows the schedule selected, follows the selection, sets it, copies,
// exports.

#include "records/record/record_writer.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/loops/loop_tree_model.h"
#include "views/loops/loops_view.h"
#include "views/loops/schedule_tables.h"
#include "views/loops/step_list_model.h"
#include "views/session/text.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>

#include <cmath>

namespace loopscope {

namespace {

const QString kMatmul = QStringLiteral("workload mm(M = 64, N = 64, K = 64)\n"
                                       "A = placeholder [M, K] float32\n"
                                       "B = placeholder [K, N] float32\n"
                                       "C(i < M, j < N) = sum(k < K; A[i, k] * B[k, j])\n"
                                       "D(i < M, j < N) = max(C[i, j], 0)\n");

QString readFile(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

class LoopsViewTest : public QObject {
    Q_OBJECT

    struct Bench : ViewBench {
        LoopsView view{context};

        [[nodiscard]] const LoopTree *tree() const { return view.model()->tree().get(); }
        [[nodiscard]] bool shows(ScheduleRef::Kind kind) const { return tree() != nullptr && tree()->ref.kind == kind; }
        void open(const QString &text) {
            view.resize(800, 600);
            view.show();
            session.documents().openText(QStringLiteral("mm"), text);
        }
        [[nodiscard]] int firstRow(RowKind kind, const QString &stage) const {
            for (size_t r = 0; r < tree()->rows.size(); ++r)
                if (tree()->rows[r].kind == kind && tree()->rows[r].stage == stage) return static_cast<int>(r);
            return -1;
        }
    };

  private slots:
    void saysWhatToDoWhenEmpty() {
        Bench bench;
        bench.view.show();
        const auto labels = bench.view.findChildren<QLabel *>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
            return label->isVisible() && label->text().startsWith(QLatin1String("Open a workload"));
        }));
        QVERIFY(!bench.view.exportTo(bench.folder.filePath(QStringLiteral("x.txt"))).isEmpty());
    }

    void saysThatTheTextIsWrong() {
        Bench bench;
        bench.open(QStringLiteral("workload broken(\n"));
        const auto shown = [&] {
            const auto labels = bench.view.findChildren<QLabel *>();
            return std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
                return label->isVisible() && label->text().contains(QLatin1String("has an error"));
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(shown(), 20000);
    }

    void followsAndSetsTheSelection() {
        Bench bench;
        bench.open(kMatmul);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Naive), 20000);
        Selection &selection = bench.session.selection();
        const int loop = bench.firstRow(RowKind::Loop, QStringLiteral("C"));
        const int statement = bench.firstRow(RowKind::Statement, QStringLiteral("D"));
        QVERIFY(loop >= 0 && statement >= 0);

        selection.selectStage(QStringLiteral("D"));
        QVERIFY(bench.view.model()->indexOf(statement).data(LoopTreeModel::MarkRole).toBool());
        QVERIFY(!bench.view.model()->indexOf(loop).data(LoopTreeModel::MarkRole).toBool());

        bench.view.tree()->setCurrentIndex(bench.view.model()->indexOf(loop));
        QCOMPARE(selection.now().stage, QStringLiteral("C"));
        QCOMPARE(selection.now().iterator, QStringLiteral("i"));
        QCOMPARE(selection.now().node, bench.tree()->row(loop).node);

        // An exact node from elsewhere becomes the current row.
        selection.selectNode(bench.tree()->row(statement).node, QStringLiteral("D"), {});
        QCOMPARE(bench.view.tree()->currentIndex(), bench.view.model()->indexOf(statement));
        QCOMPARE(bench.view.model()->marks(), std::vector<int>{statement});
        selection.selectStage(QStringLiteral("A"));
        QVERIFY(bench.view.model()->marks().empty());
    }

    void showsASketchWithItsSteps() {
        Bench bench;
        bench.open(kMatmul);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.session.document()->sketches.empty(), 20000);
        bench.actions.find(QStringLiteral("loops.sketch"))->trigger();
        QCOMPARE(bench.session.selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Sketch, 0}));
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Sketch), 20000);
        QVERIFY(!bench.tree()->fromProgram);
        const auto &steps = bench.view.tables().steps().steps();
        QVERIFY(!steps.empty());
        size_t split = 0;
        while (split < steps.size() && steps[split].tag != QLatin1String("SP")) ++split;
        QVERIFY(split < steps.size());
        bench.session.selection().selectStep(static_cast<int>(split));
        QVERIFY(!bench.view.model()->marks().empty());
        for (const int row : bench.view.model()->marks()) QCOMPARE(bench.tree()->row(row).kind, RowKind::Loop);
        QVERIFY(bench.view.model()->marks().size() < bench.tree()->rows.size());
    }

    /// Tab makes a row current without choosing it; the keys then go on from what is selected elsewhere.
    void goingThereChoosesNothing() {
        Bench bench;
        bench.open(kMatmul);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.session.document()->sketches.empty(), 20000);
        bench.actions.find(QStringLiteral("loops.sketch"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Sketch), 20000);
        QVERIFY(QTest::qWaitForWindowActive(&bench.view));
        QTreeView *tree = bench.view.tree();
        QTableView *steps = nullptr;
        for (auto *table : bench.view.findChildren<QTableView *>())
            if (table->accessibleName() == QLatin1String("Steps of the schedule")) steps = table;
        QVERIFY(steps);
        bench.view.tables().setCurrentIndex(0);
        Selection &selection = bench.session.selection();
        selection.selectStage(QStringLiteral("C"));
        const Selected before = selection.now();
        const std::vector<int> marks = bench.view.model()->marks();
        QVERIFY(marks.size() > 1 && marks.front() > 0);
        bool treeSeen = false;
        bool stepsSeen = false;
        for (int i = 0; i < 40 && !(treeSeen && stepsSeen); ++i) {
            QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &bench.view, Qt::Key_Tab);
            treeSeen = treeSeen || tree->hasFocus();
            stepsSeen = stepsSeen || steps->hasFocus();
            QVERIFY(selection.now() == before);
        }
        QVERIFY(treeSeen && stepsSeen);
        QTest::keyClick(steps, Qt::Key_Down);
        QVERIFY(selection.now().step >= 0);
        selection.set(before);
        tree->setFocus();
        QCOMPARE(tree->currentIndex(), bench.view.model()->indexOf(marks.front()));
        QTest::keyClick(tree, Qt::Key_Down);
        QCOMPARE(tree->currentIndex(), bench.view.model()->indexOf(marks[1]));
        QVERIFY(tree->selectionModel()->isSelected(tree->currentIndex()));
        QCOMPARE(selection.now().stage, QStringLiteral("C"));
        QVERIFY(!selection.now().iterator.isEmpty());
    }

    void oneStageAlone() {
        Bench bench;
        bench.open(kMatmul);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Naive), 20000);
        const size_t all = bench.tree()->rows.size();
        bench.session.selection().selectStage(QStringLiteral("D"));
        bench.actions.find(QStringLiteral("loops.onlyStage"))->trigger();
        QVERIFY(bench.tree()->rows.size() < all);
        for (const LoopRow &row : bench.tree()->rows) QCOMPARE(row.stage, QStringLiteral("D"));
        bench.session.selection().selectStage(QStringLiteral("C"));
        for (const LoopRow &row : bench.tree()->rows) QCOMPARE(row.stage, QStringLiteral("C"));
        bench.session.selection().selectStage(QStringLiteral("A")); // an input has no loops: nothing is hidden
        QCOMPARE(bench.tree()->rows.size(), all);
        bench.actions.find(QStringLiteral("loops.onlyStage"))->trigger();
        QCOMPARE(bench.tree()->rows.size(), all);
    }

    void theLoopsHaveTheWidthThereIs() {
        Bench bench;
        bench.open(kMatmul);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Naive), 20000);
        const QTreeView &tree = *bench.view.tree();
        const auto until = [&](int column) {
            int width = 0;
            for (int c = 0; c <= column; ++c) width += tree.columnWidth(c);
            return width;
        };
        bench.view.resize(1200, 600); // all columns, and no width is left over
        QTRY_COMPARE(until(LoopTreeModel::StorageColumn), tree.viewport()->width());
        const int letter = QFontMetrics(bench.theme.codeFont()).averageCharWidth();
        for (const int wide : {700, 500, 340, 260, 200}) {
            bench.view.resize(wide, 600);
            QTRY_COMPARE(bench.view.width(), wide);
            // No column is seen in part beside the loops, and the loops are legible.
            const int room = tree.viewport()->width();
            bool whole = false;
            for (int column = 0; column < LoopTreeModel::ColumnCount; ++column) whole |= until(column) == room;
            QVERIFY2(whole, qPrintable(QStringLiteral("%1 of %2").arg(tree.columnWidth(0)).arg(room)));
            QVERIFY(tree.columnWidth(0) >= std::min(room, letter * 20));
        }
        // The extent says more than the name of the stage.
        bench.view.resize(340, 600);
        QVERIFY(until(LoopTreeModel::ExtentColumn) <= tree.viewport()->width());
    }

    void loopsSayWhatBoundsThem() {
        Bench bench;
        bench.open(kMatmul);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Naive), 20000);
        bench.view.resize(1200, 600);
        const LoopTreeModel &model = *bench.view.model();
        QAbstractItemModelTester tester(bench.view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const int loop = bench.firstRow(RowKind::Loop, QStringLiteral("C"));
        const auto cell = [&](int row, LoopTreeModel::Column column, int role = Qt::DisplayRole) {
            return model.indexOf(row, column).data(role).toString();
        };
        QTRY_VERIFY_WITH_TIMEOUT(!cell(loop, LoopTreeModel::BoundColumn).isEmpty(), 20000);
        const RowReason *reason = model.reasonOf(model.indexOf(loop));
        QVERIFY(reason != nullptr && reason->cycles > 0.5 && reason->cycles <= 1);
        QVERIFY2(cell(loop, LoopTreeModel::BoundColumn, Qt::ToolTipRole)
                     .contains(QLatin1String("of the kernel's estimated cycles are spent inside")),
                 qPrintable(cell(loop, LoopTreeModel::BoundColumn, Qt::ToolTipRole)));
        QVERIFY(cell(loop, LoopTreeModel::ScoreColumn).isEmpty()); // no trial trains a model
        // The bar is drawn: long where most of the cycles are.
        const auto accent = [&](int row) {
            const QImage seen = bench.view.tree()->viewport()->grab().toImage();
            const QRect rect = bench.view.tree()->visualRect(model.indexOf(row, LoopTreeModel::BoundColumn));
            const qreal scale = seen.devicePixelRatio();
            int pixels = 0;
            for (int x = rect.left(); x < rect.right(); ++x) {
                const QColor color =
                    seen.pixelColor(static_cast<int>(x * scale), static_cast<int>((rect.bottom() - 4) * scale));
                if (color == bench.theme.color(reason->traffic ? Role::Warning : Role::Accent)) ++pixels;
            }
            return pixels;
        };
        bench.view.tree()->clearSelection();
        QTRY_VERIFY(accent(loop) > 20);
        const int small = bench.firstRow(RowKind::Loop, QStringLiteral("D"));
        QVERIFY(model.reasonOf(model.indexOf(small))->cycles < reason->cycles / 4);
        QVERIFY(accent(small) < accent(loop) / 2);
    }

    /// A log of made-up times trains the model; what it says of the loops adds up to its score.
    void loopsSayWhatTheyAddToTheScore() {
        Bench bench;
        bench.open(kMatmul);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Naive), 20000);
        const std::shared_ptr<const Task> task = bench.session.document()->task;
        const QString log = bench.folder.filePath(QStringLiteral("made-up.json"));
        {
            RecordWriter writer(std8(log));
            for (const int64_t factor : {2, 4, 8, 16, 32, 64})
                for (const int kind : {0, 1, 2, 3}) {
                    Trial trial;
                    Steps steps = {SplitStep{StageId(2), IterId(1), 64, {factor}, true},
                                   ReorderStep{StageId(2), {IterId(0), IterId(1), IterId(3), IterId(2)}}};
                    if ((kind & 1) != 0) steps.emplace_back(AnnotateStep{StageId(2), IterId(3), Annotation::Vectorize});
                    if ((kind & 2) != 0) steps.emplace_back(AnnotateStep{StageId(2), IterId(0), Annotation::Parallel});
                    trial.steps = steps;
                    trial.seconds = {1e-3 / static_cast<double>(factor) / (1 + 3 * kind)};
                    writer.append(makeRecord(*task, trial));
                }
        }
        bench.session.files().loadLog(log);
        QTRY_COMPARE_WITH_TIMEOUT(bench.session.document()->trials.size(), size_t{24}, 20000);
        const ScheduleRef chosen{ScheduleRef::Kind::Trial, 15}; // 16 lanes on threads
        bench.session.selection().selectSchedule(chosen);
        // The best, which the log selects, may have been shown before.
        QTRY_VERIFY_WITH_TIMEOUT(bench.tree() != nullptr && bench.tree()->ref == chosen, 20000);
        const LoopTreeModel &model = *bench.view.model();
        const auto scored = [&] {
            const RowReason *reason = model.reasonOf(model.indexOf(bench.firstRow(RowKind::Loop, QStringLiteral("C"))));
            return reason != nullptr && reason->scored;
        };
        QTRY_VERIFY_WITH_TIMEOUT(scored(), 20000);
        const auto made = [&] { return bench.session.explanations().of({ScheduleRef::Kind::Trial, 15}); };
        QTRY_VERIFY_WITH_TIMEOUT(made() != nullptr, 20000);
        const ExplainedPtr explained = made();
        QVERIFY(explained->problem.isEmpty());
        QCOMPARE(explained->learntFrom, size_t{24});
        int told = 0;
        for (size_t r = 0; r < bench.tree()->rows.size(); ++r) {
            const LoopRow &row = bench.tree()->row(static_cast<int>(r));
            const QString text = model.indexOf(static_cast<int>(r), LoopTreeModel::ScoreColumn).data().toString();
            for (const ExplainedLoop &loop : explained->schedule.loops) {
                if (text.isEmpty() || qt(loop.stageName) != row.stage || qt(loop.name) != row.iterator) continue;
                QCOMPARE(text.startsWith(u'+'), loop.contribution > 0);
                QCOMPARE(text.mid(1), QString::number(std::fabs(loop.contribution), 'f', 3));
                ++told;
            }
        }
        QVERIFY(told >= 2);
        QVERIFY(model.indexOf(bench.firstRow(RowKind::Loop, QStringLiteral("C")), LoopTreeModel::ScoreColumn)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QLatin1String("It learnt from 24 trials")));
        // Times are told against the trial that is chosen for it.
        const auto head = [&] {
            QStringList texts;
            for (const QLabel *label : bench.view.findChildren<QLabel *>()) texts << label->text();
            return texts.join(u'\n');
        };
        QVERIFY(!head().contains(QLatin1String("against trial")));
        bench.session.trials().setBaseline(3);
        QVERIFY2(head().contains(deltaText(2.0 / 16 - 1) + QStringLiteral(" against trial 4")), qPrintable(head()));
        bench.session.trials().setBaseline(15);
        QVERIFY2(head().contains(QLatin1String("the baseline")), qPrintable(head()));
        bench.session.trials().setBaseline(-1);
        QVERIFY(!head().contains(QLatin1String("baseline")));
    }

    /// Both columns hide by the header's menu and stay hidden.
    void reasonsHideByTheHeadersMenu() {
        Bench bench;
        bench.open(kMatmul);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Naive), 20000);
        QTreeView &tree = *bench.view.tree();
        QVERIFY(!tree.isColumnHidden(LoopTreeModel::BoundColumn));
        for (QAction *action : tree.header()->actions())
            if (action->text() == QLatin1String("Bound by")) action->trigger();
        QVERIFY(tree.isColumnHidden(LoopTreeModel::BoundColumn));
        QVERIFY(!tree.isColumnHidden(LoopTreeModel::ScoreColumn));
        QVERIFY(bench.settings.value(QStringLiteral("loops/hiddenColumns"))
                    .toStringList()
                    .contains(QLatin1String("Bound by")));
    }

    void goingBackNeverScrollsSideways() {
        Bench bench;
        bench.open(kMatmul);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.session.document()->sketches.empty(), 20000);
        bench.view.resize(260, 400);
        bench.actions.find(QStringLiteral("loops.sketch"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Sketch), 20000);
        QScrollBar *across = bench.view.tree()->horizontalScrollBar();
        QTRY_VERIFY(across->maximum() > 40);
        Selection &selection = bench.session.selection();
        const auto click = [&](int row) {
            const QModelIndex index = bench.view.model()->indexOf(row);
            bench.view.tree()->scrollTo(index);
            const QRect place = bench.view.tree()->visualRect(index);
            QTest::mouseClick(bench.view.tree()->viewport(), Qt::LeftButton, {}, place.center());
        };
        click(bench.firstRow(RowKind::Loop, QStringLiteral("C")));
        const QString first = selection.now().iterator;
        QVERIFY(!first.isEmpty());
        click(bench.firstRow(RowKind::Loop, QStringLiteral("C")) + 4);
        QVERIFY(selection.now().iterator != first);
        for (const int place : {0, across->maximum() / 2, across->maximum()}) {
            across->setValue(place);
            selection.back();
            QCOMPARE(selection.now().iterator, first);
            QCOMPARE(across->value(), place);
            selection.forward();
            QCOMPARE(across->value(), place);
        }
    }

    void manyRulesAreNamedInShort() {
        Bench bench;
        QString text = QStringLiteral("workload chain(N = 64)\nS0 = placeholder [N, N] float32\n");
        for (int stage = 1; stage <= 60; ++stage)
            text += QStringLiteral("S%1(i < N, j < N) = S%2[i, j] + 1\n").arg(stage).arg(stage - 1);
        bench.open(text);
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.document() && !bench.session.document()->sketches.empty(), 20000);
        bench.view.resize(300, 700);
        bench.actions.find(QStringLiteral("loops.sketch"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Sketch), 20000);
        const QLabel *header = nullptr;
        for (const QLabel *label : bench.view.findChildren<QLabel *>())
            if (label->isVisible() && label->text().contains(QLatin1String("AlwaysInline"))) header = label;
        QVERIFY(header != nullptr);
        QVERIFY2(header->text().contains(QString::fromUtf8("59 \u00d7 AlwaysInline")), qPrintable(header->text()));
        QVERIFY(header->height() <= 4 * header->fontMetrics().lineSpacing());
        QVERIFY(header->toolTip().contains(QLatin1String("AlwaysInline S")));
    }

    void levelsOpenAndClose() {
        Bench bench;
        bench.open(kMatmul);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Naive), 20000);
        const QModelIndex root = bench.view.model()->index(0, 0);
        QVERIFY(bench.view.tree()->isExpanded(root));
        bench.actions.find(QStringLiteral("loops.collapseAll"))->trigger();
        QVERIFY(!bench.view.tree()->isExpanded(root));
        bench.actions.find(QStringLiteral("loops.expandLevel"))->trigger();
        QVERIFY(bench.view.tree()->isExpanded(root));
    }

    void editedSchedulesAreChosenInTheBar() {
        Bench bench;
        bench.open(kMatmul);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Naive), 20000);
        const auto button = [&](const QString &text) -> QToolButton * {
            for (auto *one : bench.view.findChildren<QToolButton *>())
                if (one->isVisible() && one->text() == text) return one;
            return nullptr;
        };
        QVERIFY(button(QStringLiteral("Edited 0")) == nullptr); // who edits nothing has no button for it
        const StageId c{2};
        EditedSteps steps(bench.session.document()->task->dag,
                          {SplitStep{c, IterId(0), 64, {8}}, AnnotateStep{c, IterId(0), Annotation::Parallel}});
        steps.erase(0);
        QCOMPARE(bench.session.edits().edit({}, steps, QStringLiteral("without its split")), 1);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Edited), 20000);
        // The refused step is listed, with its reason.
        QCOMPARE(bench.view.tables().steps().steps().size(), size_t{1});
        QVERIFY(bench.view.tables().steps().steps()[0].problem.contains(QStringLiteral("i.0")));
        QVERIFY(QTest::qWaitForWindowActive(&bench.view));
        bench.view.tree()->setFocus();
        QTest::keyClick(bench.view.tree(), Qt::Key_1);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Naive), 20000);
        QVERIFY(button(QStringLiteral("Edited 2")));
        QTest::mouseClick(button(QStringLiteral("Edited 2")), Qt::LeftButton, {}, {10, 8});
        QCOMPARE(bench.session.selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Edited, 1}));
        bench.session.edits().rename(1, QStringLiteral("no split"));
        bool titled = false;
        for (const auto *label : bench.view.findChildren<QLabel *>())
            titled = titled || label->text() == QLatin1String("Edited schedule 2 (no split)");
        QVERIFY(titled);
        bench.session.edits().drop(0);
        QVERIFY(button(QStringLiteral("Edited 2")) == nullptr);
        QCOMPARE(bench.session.selection().now().schedule, ScheduleRef{});
    }

    void findsCopiesAndExports() {
        Bench bench;
        bench.open(kMatmul);
        QTRY_VERIFY_WITH_TIMEOUT(bench.shows(ScheduleRef::Kind::Naive), 20000);
        bench.view.startFind();
        const auto before = bench.session.selection().now();
        bench.view.findChild<QLineEdit *>()->setText(QStringLiteral("for k"));
        QCOMPARE(bench.session.selection().now(), before); // typing selects nothing
        const LoopRow *found = bench.view.model()->rowAt(bench.view.tree()->currentIndex());
        QVERIFY(found != nullptr);
        QCOMPARE(found->iterator, QStringLiteral("k"));

        bench.actions.find(QStringLiteral("loops.copy"))->trigger();
        QVERIFY2(QGuiApplication::clipboard()->text().contains(QLatin1String("for k\t64\t262,144\t")),
                 qPrintable(QGuiApplication::clipboard()->text()));
        const QString path = bench.folder.filePath(QStringLiteral("loops.csv"));
        QCOMPARE(bench.view.exportTo(path), QString());
        QVERIFY(readFile(path).startsWith(
            QLatin1String("Loop or statement,Extent,Iterations,Bound by,Score,Stage,Storage\n")));
        QVERIFY(!bench.view.exportTo(bench.folder.filePath(QStringLiteral("no/such/folder.txt"))).isEmpty());
    }
};

LOOPSCOPE_WINDOW_TEST(LoopsViewTest)
} // namespace loopscope

#include "loops_view_test.moc"
