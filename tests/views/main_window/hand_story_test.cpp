// Taking over by hand, as an engineer does: from the naive product of two 512 x 512 matrices to a tiled, vectorized,
// parallel schedule with a cached result, by the menus, the palette and dragging in the tree of loops; then measured by
// one key, through real children that check its answer.

#include "loop_hand.h"
#include "records/record/record.h"
#include "schedule/script/schedule_script.h"
#include "test_program.h"
#include "views/search_progress/search_panel.h"
#include "views/search_progress/search_view.h"
#include "views/session/text.h"
#include "views/steps/edited_step_model.h"
#include "views/steps/steps_view.h"
#include "window_start.h"

#include <QFile>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>

#include <set>

using namespace loopscope;

namespace {

constexpr const char *kWorkload = "workload matmul(N = 512)\n"
                                  "A = placeholder [N, N]\n"
                                  "B = placeholder [N, N]\n"
                                  "C(i < N, j < N) = sum(k < N; A[i, k] * B[k, j])\n";

template <typename View> View &shown(WindowStart &start, const char *dock) {
    start.window.docks().showDock(QLatin1String(dock), true);
    auto *view = qobject_cast<View *>(start.window.docks().view(QLatin1String(dock)));
    if (view == nullptr) qFatal("no %s", dock);
    return *view;
}

} // namespace

class HandStoryTest : public QObject {
    Q_OBJECT

    static QString did(const Session &session) { return session.document()->edited.back().did; }

    /// Over the row: typed, and taken with Return.
    static void type(LoopHand &hand, const QString &stage, const QString &loop, const QString &typed,
                     const QString &line) {
        QVERIFY(hand.settled());
        hand.click(stage, loop);
        CommandPalette *palette = hand.palette(typed);
        QVERIFY2(palette->model().rowCount() > 0, qPrintable(LoopHand::answer(*palette)));
        QTest::keyClick(LoopHand::line(*palette), Qt::Key_Return);
        QCOMPARE(did(hand.session), line);
    }
    /// In the menu of the row; `heading` empty: it stands in the menu itself.
    static void choose(LoopHand &hand, const QString &stage, const QString &loop, const QString &heading,
                       const QString &text, const QString &line) {
        QVERIFY(hand.settled());
        hand.menu(stage, loop, [&](MoveMenu &menu) {
            QMenu *of = heading.isEmpty() ? &menu : LoopHand::under(menu, heading);
            QVERIFY2(of, qPrintable(heading));
            QAction *entry = LoopHand::entry(*of, text);
            QVERIFY2(entry, qPrintable(text));
            entry->trigger();
        });
        QCOMPARE(did(hand.session), line);
    }

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    void fromTheNaiveProductToAFastOne() {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("matmul.te"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(kWorkload) > 0);
        file.close();
        WindowStart start(folder.path(), {.size = {1600, 1000}});
        QVERIFY(start.ready);
        start.open(path);
        LoopHand hand{start.session, shown<LoopsView>(start, "loops")};
        const auto q = [](const char *text) { return QString::fromUtf8(text); };

        type(hand, q("C"), q("i"), q("cache write"), q("cache_write C local"));
        choose(hand, q("C"), q("i"), q("Split into"), q("64 \u00d7 8"), q("split C i into 8"));
        type(hand, q("C"), q("j"), q("split 64"), q("split C j into 64"));
        QVERIFY(hand.settled());
        const QRect inner = hand.rectOf(q("C"), q("i.1"));
        hand.drag(hand.rectOf(q("C"), q("j.0")).center(), QPoint(inner.center().x(), inner.top() + 2));
        QCOMPARE(did(start.session), q("reorder C i.0, j.0, i.1, j.1"));
        QVERIFY(hand.settled());
        hand.drag(hand.rectOf(q("C.local"), {}).center(), hand.rectOf(q("C"), q("j.0")).center());
        QCOMPARE(did(start.session), q("compute_at C.local C j.0"));
        type(hand, q("C.local"), q("k"), q("split 8"), q("split C.local k into 8"));
        type(hand, q("C.local"), q("k.0"), q("reorder k.0 k.1 i_c j_c"), q("reorder C.local k.0, k.1, i_c, j_c"));
        choose(hand, q("C.local"), q("j_c"), {}, q("Vectorize"), q("vectorize C.local j_c"));
        choose(hand, q("C.local"), q("i_c"), {}, q("Unroll"), q("unroll C.local i_c"));
        type(hand, q("C"), q("j.1"), q("vec"), q("vectorize C j.1"));
        type(hand, q("C"), q("i.0"), q("par"), q("parallel C i.0"));

        // An illegal request on the way is answered, and changes nothing.
        QVERIFY(hand.settled());
        hand.click(q("C.local"), q("k.0"));
        CommandPalette *palette = hand.palette(q("par"));
        QVERIFY2(LoopHand::answer(*palette).contains(q("k.0")), qPrintable(LoopHand::answer(*palette)));
        QTest::keyClick(LoopHand::line(*palette), Qt::Key_Escape);
        QCOMPARE(did(start.session), q("parallel C i.0"));
        const size_t nodes = start.session.document()->edited.size();
        QCOMPARE(nodes, size_t{12}); // the naive schedule and eleven edits

        // The model has its word on all of them.
        const Document &document = *start.session.document();
        QTRY_VERIFY_WITH_TIMEOUT(std::none_of(document.edited.begin(), document.edited.end(),
                                              [](const EditNode &node) { return std::isnan(node.predicted); }),
                                 30000);
        QVERIFY(document.edited.back().predicted < 0.5);

        // Measured by one key, from anywhere in the window.
        QTest::keyClick(&start.window, Qt::Key_F9);
        QVERIFY(start.session.search().byHand().underWay());
        QTRY_VERIFY_WITH_TIMEOUT(!document.trials.empty() && !start.session.search().byHand().underWay(), 120000);
        const TrialEntry &trial = document.trials.front();
        QVERIFY2(trial.valid(), trial.trial.reason.c_str());
        QVERIFY(trial.trial.maxError <= 1); // every element was compared with the reference
        QCOMPARE(document.best, 0);
        const EditMeasurement &measured = document.edited.back().measured;
        QCOMPARE(measured.trial, 0);
        QVERIFY2(measured.seconds > 0 && measured.seconds < document.naiveSeconds,
                 qPrintable(QStringLiteral("%1 against %2").arg(measured.seconds).arg(document.naiveSeconds)));
        QCOMPARE(start.session.selection().now().schedule,
                 (ScheduleRef{ScheduleRef::Kind::Edited, static_cast<int>(nodes) - 1}));
        // The log has it as a search would have written it.
        const RecordLog log = loadRecordLog(std8(document.logPath));
        QCOMPARE(log.records.size(), size_t{1});
        QVERIFY(log.records[0].trial.steps == trial.trial.steps);

        // What is known to be good is locked: the outer tiling, by key in the list of steps.
        auto &steps = shown<StepsView>(start, "steps");
        const auto rowOf = [&](const QString &line) {
            for (int row = 0; row < steps.model().rowCount(); ++row)
                if (steps.model().index(row, EditedStepModel::ScriptColumn).data().toString() == line) return row;
            return -1;
        };
        QTRY_VERIFY(rowOf(q("split C i into 8")) >= 0 && rowOf(q("split C j into 64")) >= 0);
        for (const char *line : {"split C i into 8", "split C j into 64"}) {
            const QModelIndex index = steps.model().index(rowOf(q(line)), EditedStepModel::WordsColumn);
            steps.table().scrollTo(index);
            QTest::mouseClick(steps.table().viewport(), Qt::LeftButton, {}, steps.table().visualRect(index).center());
            QTest::keyClick(&steps.table(), Qt::Key_L, Qt::ShiftModifier);
        }
        const ScheduleLocks locks = start.session.locks().now();
        QCOMPARE(locks.all().size(), size_t{2});

        // Twelve trials more, in both senses small: the machine may have other things to do.
        auto &panel = shown<SearchView>(start, "search").panel();
        auto *trials = panel.findChild<QSpinBox *>(q("trials"));
        QVERIFY(trials && trials->isVisible());
        constexpr size_t kSearched = 12;
        trials->setFocus();
        trials->selectAll();
        QTest::keyClicks(trials, QString::number(kSearched + 1)); // with the one in the log
        QTest::keyClick(trials, Qt::Key_Tab);
        auto *begin = start.window.findChild<QPushButton *>(q("searchPrimary"));
        QVERIFY2(begin->isEnabled(), qPrintable(begin->toolTip()));
        QTest::mouseClick(begin, Qt::LeftButton);
        QVERIFY(start.session.search().underWay());
        QTRY_VERIFY_WITH_TIMEOUT(!start.session.search().underWay(), 600000);
        QVERIFY2(document.search.state != SearchState::Failed, qPrintable(document.search.ended));
        QVERIFY2(document.trials.size() > kSearched, qPrintable(QString::number(document.trials.size())));
        size_t right = 0;
        std::set<std::string> found;
        for (const TrialEntry &entry : document.trials) {
            const Steps made = entry.trial.steps.unpack();
            const auto script = scriptOf(document.task->dag, made);
            QVERIFY2(script.ok(), script.ok() ? "" : script.why().c_str());
            for (const char *line : {"split C i into 8\n", "split C j into 64\n"})
                QVERIFY2(script->find(line) != std::string::npos, script->c_str());
            const auto kept = locks.keptBy(document.task->dag, made);
            QVERIFY2(kept.ok(), kept.ok() ? "" : kept.why().c_str());
            found.insert(*script);
            right += entry.valid() ? 1 : 0; // its answer was checked, too
        }
        QCOMPARE(found.size(), document.trials.size()); // each another one
        QVERIFY2(right > 1, qPrintable(QString::number(right)));
        QVERIFY(document.best >= 0);
        for (const auto &message : start.session.messages().all())
            QVERIFY2(message.severity != Message::Severity::Failure, qPrintable(message.text + message.detail));
    }
};

LOOPSCOPE_WINDOW_TEST(HandStoryTest)
#include "hand_story_test.moc"
