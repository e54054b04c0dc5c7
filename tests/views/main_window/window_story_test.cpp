// The whole window, driven as a user drives it: open a sample, search 32 trials, choose the best in the plot, see its
// loops and its assembly, close, open again, and all is there. Real children measure.

#include "test_program.h"
#include "views/loops/loop_tree_model.h"
#include "views/loops/loops_view.h"
#include "views/program/program_view.h"
#include "views/program/representation_pane.h"
#include "views/search_progress/plot_panes.h"
#include "views/search_progress/search_panel.h"
#include "views/search_progress/search_view.h"
#include "views/start_page/sample_card.h"
#include "views/text/code_text.h"
#include "views/trials/trials_view.h"
#include "window_start.h"

#include <QAbstractItemView>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

using namespace loopscope;

namespace window_story_test {

namespace {

constexpr int kTrials = 32;

struct Start : WindowStart {
    explicit Start(const QString &folder) : WindowStart(folder, {.restore = true, .size = {1600, 1000}}) {}
    template <typename View> View &view(const char *id) {
        window.docks().showDock(QLatin1String(id), true);
        auto *found = qobject_cast<View *>(window.docks().view(QLatin1String(id)));
        if (!found) qFatal("no view %s", id);
        return *found;
    }
    [[nodiscard]] bool idle() {
        return QTest::qWaitFor([this] { return session.jobs().running().empty(); }, 30000);
    }
};

QString loopsOf(LoopsView &loops) {
    QStringList rows;
    const auto *model = loops.model();
    std::function<void(const QModelIndex &)> walk = [&](const QModelIndex &parent) {
        for (int row = 0; row < model->rowCount(parent); ++row) {
            const QModelIndex index = model->index(row, 0, parent);
            rows << index.data().toString();
            walk(index);
        }
    };
    walk({});
    return rows.join(u'\n');
}

} // namespace

class WindowStoryTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        qputenv("LOOPSCOPE_SAMPLES", LOOPSCOPE_SOURCE_DIR "/samples");
        qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker");
    }

    void searchLookCloseOpenAgain() {
        const QTemporaryDir folder;
        QString loopsShown;
        QString assemblyShown;
        int best = -1;
        {
            Start start(folder.path());
            QVERIFY(start.ready);
            SampleCard *card = nullptr;
            QTRY_VERIFY((card = start.window.findChild<SampleCard *>(QStringLiteral("sample_matmul_relu"))));
            QTest::mouseClick(card, Qt::LeftButton);
            QTRY_VERIFY(start.session.document() && start.session.document()->task);
            QVERIFY(start.idle());

            // Search: the number of trials typed into the form, then Ctrl+R.
            auto &search = start.view<SearchView>("search");
            auto *trials = search.findChild<QSpinBox *>(QStringLiteral("trials"));
            QVERIFY2(trials, "the form has a field for trials");
            trials->setFocus();
            trials->selectAll();
            QTest::keyClicks(trials, QString::number(kTrials));
            QTest::keyClick(trials, Qt::Key_Tab);
            QCOMPARE(start.session.document()->setup.options.trials, kTrials);
            QTest::keyClick(&start.window, Qt::Key_R, Qt::ControlModifier);
            QVERIFY(start.session.search().underWay());
            QTRY_VERIFY_WITH_TIMEOUT(!start.session.search().underWay(), 240000);
            const Document &document = *start.session.document();
            QVERIFY2(document.search.state == SearchState::Finished, qPrintable(document.search.ended));
            QCOMPARE(document.trials.size(), size_t{kTrials});
            best = document.best;
            QVERIFY(best >= 0);

            // Something else is selected, then the best by a click into the plot.
            start.session.selection().selectSchedule({});
            TrialPlot *progress = search.panel().panes().current();
            QVERIFY(progress);
            QTRY_VERIFY(progress->plot().isVisible());
            QTest::qWait(300);
            QPoint place(-1, -1);
            for (int y = 0; y < progress->plot().height() && place.x() < 0; ++y)
                for (int x = 0; x < progress->plot().width(); ++x)
                    if (progress->trialAt(QPointF(x, y)) == best) {
                        place = QPoint(x, y);
                        break;
                    }
            QVERIFY2(place.x() >= 0, "the best trial is a point of the plot");
            QTest::mouseClick(&progress->plot(), Qt::LeftButton, {}, place);
            QCOMPARE(start.session.selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Trial, best}));

            // Its loops, a click on one of them, and its assembly marked.
            auto &loops = start.view<LoopsView>("loops");
            QTRY_VERIFY_WITH_TIMEOUT(start.session.representations().of(start.session.selection().now().schedule),
                                     20000);
            QVERIFY(start.idle());
            QTRY_VERIFY(loops.model()->rowCount() > 0);
            const RepresentationsPtr representations =
                start.session.representations().of(start.session.selection().now().schedule);
            QVERIFY(representations && representations->refusal.isEmpty());
            loopsShown = loopsOf(loops);
            auto &code = start.view<ProgramView>("code");
            code.active().showForm(FormKind::Assembly);
            QTRY_VERIFY_WITH_TIMEOUT(code.active().text().text().contains(QStringLiteral("vfmadd")) ||
                                         code.active().text().text().contains(QStringLiteral("mulps")),
                                     30000);
            assemblyShown = code.active().text().text();

            int node = -1;
            for (const auto &entry : representations->nodes())
                if (entry.kind == StmtKind::For && entry.reduction) node = entry.id; // the innermost one
            QVERIFY(node >= 0);
            const auto &loop = representations->nodes()[static_cast<size_t>(node)];
            start.session.selection().selectNode(node, loop.stage, loop.iterator);
            QTRY_VERIFY2(code.active().text().goToMark(1), "the loop is marked in the assembly");

            QSignalSpy closed(&start.window, &MainWindow::closed);
            start.window.close();
            QTRY_VERIFY(!closed.isEmpty());
        }
        Start start(folder.path());
        QVERIFY(start.ready);
        QTRY_VERIFY_WITH_TIMEOUT(start.session.document() && start.session.document()->trials.size() == kTrials, 20000);
        QVERIFY(start.idle());
        QCOMPARE(start.session.document()->name, QStringLiteral("matmul_relu"));
        QCOMPARE(start.session.document()->best, best);
        QTRY_COMPARE(start.session.selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Trial, best}));
        auto &loops = start.view<LoopsView>("loops");
        QTRY_COMPARE_WITH_TIMEOUT(loopsOf(loops), loopsShown, 20000);
        auto &code = start.view<ProgramView>("code");
        code.active().showForm(FormKind::Assembly);
        QTRY_COMPARE_WITH_TIMEOUT(code.active().text().text(), assemblyShown, 30000);
        auto *table = start.view<TrialsView>("trials").findChild<QTableView *>();
        QVERIFY(table);
        QCOMPARE(table->model()->rowCount(), kTrials);
        for (const auto &message : start.session.messages().all())
            QVERIFY2(message.severity != Message::Severity::Failure, qPrintable(message.text + message.detail));
    }

    void closingInTheMiddleOfASearchHangsNothingAndLosesNothing() {
        const QTemporaryDir folder;
        size_t seen = 0;
        {
            Start start(folder.path());
            QVERIFY(start.ready);
            start.window.openFiles({QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/matmul_relu.te")}, false);
            QTRY_VERIFY(start.session.document() && start.session.document()->task);
            QVERIFY(start.idle());
            QTest::keyClick(&start.window, Qt::Key_R, Qt::ControlModifier);
            QTRY_VERIFY_WITH_TIMEOUT(start.session.document()->trials.size() >= 2, 120000);
            // The key that started it pauses it and lets it go on, as the button does.
            QTest::keyClick(&start.window, Qt::Key_R, Qt::ControlModifier);
            const auto state = [&] { return start.session.document()->search.state; };
            QTRY_COMPARE_WITH_TIMEOUT(state(), SearchState::Paused, 60000);
            // The button follows in an event of its own.
            QTRY_VERIFY(!start.actions.find(QStringLiteral("search.resume"))->shortcut().isEmpty());
            QTest::keyClick(&start.window, Qt::Key_R, Qt::ControlModifier);
            QTRY_COMPARE(state(), SearchState::Running);
            seen = start.session.document()->trials.size();
            QElapsedTimer clock;
            clock.start();
            QSignalSpy closed(&start.window, &MainWindow::closed);
            start.window.close();
            QTRY_VERIFY_WITH_TIMEOUT(!closed.isEmpty() && !start.session.search().underWay(), 20000);
            QVERIFY2(clock.elapsed() < 10000, qPrintable(QString::number(clock.elapsed())));
        }
        Start start(folder.path());
        QVERIFY(start.ready);
        QTRY_VERIFY_WITH_TIMEOUT(start.session.document() && start.session.document()->trials.size() >= seen, 20000);
        for (const auto &message : start.session.messages().all())
            QVERIFY2(message.severity != Message::Severity::Failure, qPrintable(message.text + message.detail));
    }
};

LOOPSCOPE_WINDOW_TEST(WindowStoryTest)

} // namespace window_story_test
#include "window_story_test.moc"
