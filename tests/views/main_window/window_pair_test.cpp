// What is made by hand, in the whole window: schedules wait to be measured and say so, the trials they become are
// compared, timed and explained from the table, and a script comes by dropping its file. Times are scripted: a split by
// four gains a tenth, parallel loops halve.

#include "harness/scripted_measurer.h"
#include "test_program.h"
#include "views/compare/compare_view.h"
#include "views/compare/diff_text.h"
#include "views/edits/edit_tree_model.h"
#include "views/edits/edits_view.h"
#include "views/loops/loops_view.h"
#include "views/session/text.h"
#include "views/trials/trial_table.h"
#include "views/trials/trials_view.h"
#include "window_start.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QMimeData>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <QUrl>

#include <atomic>
#include <chrono>
#include <thread>

using namespace loopscope;

namespace {

const StageId kC{2};

ScheduleRef edited(int number) { return {ScheduleRef::Kind::Edited, number}; }
ScheduleRef trial(int number) { return {ScheduleRef::Kind::Trial, number}; }

double scripted(const Steps &steps) {
    double time = 1e-3;
    for (const Step &step : steps) {
        if (const auto *split = std::get_if<SplitStep>(&step)) time *= split->lengths[0] == 4 ? 0.9 : 1;
        if (const auto *kind = std::get_if<AnnotateStep>(&step))
            time *= kind->annotation == Annotation::Parallel ? 0.5 : 1;
    }
    return time;
}

struct HandWindow : WindowInOwnFolder {
    std::atomic<bool> gate{true}; // a measurement that begins waits until it is open

    HandWindow() {
        session.search().setMeasurerFactory([this](const Task &, const MeasureOptions &) {
            auto measurer = std::make_unique<ScriptedMeasurer>();
            measurer->before = [this](size_t) {
                while (!gate) std::this_thread::sleep_for(std::chrono::milliseconds(5));
            };
            measurer->samples = [](const Steps &steps) { return std::vector<double>(3, scripted(steps)); };
            measurer->interleaved = [](const Steps &steps, int rounds) {
                return std::vector<double>(static_cast<size_t>(rounds), scripted(steps));
            };
            return measurer;
        });
        open(write("m.te", "workload m(N = 64)\nA = placeholder [N, N]\nB = placeholder [N, N]\n"
                           "C(i < N, j < N) = sum(k < N; A[i, k] * B[k, j])\n"));
        EditedSchedules &edits = session.edits(); // 1: split, 2: and parallel, 3: split otherwise
        QCOMPARE(edits.apply({}, SplitStep{kC, IterId(0), 64, {4}}), QString());
        QCOMPARE(edits.apply(edited(1), AnnotateStep{kC, IterId(0), Annotation::Parallel}), QString());
        QCOMPARE(edits.apply({}, SplitStep{kC, IterId(0), 64, {8}}), QString());
    }
    ~HandWindow() { gate = true; }

    [[nodiscard]] QString write(const char *name, const char *text) const {
        QFile file(folder.filePath(QLatin1String(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0) qFatal("cannot write");
        return file.fileName();
    }
    template <typename View> View &shown(const char *dock) {
        window.docks().showDock(QLatin1String(dock), true);
        auto *view = qobject_cast<View *>(window.docks().view(QLatin1String(dock)));
        if (view == nullptr) qFatal("no %s", dock);
        return *view;
    }
    /// By its key, from anywhere.
    void measure(int node) {
        session.selection().selectSchedule(edited(node));
        QTest::keyClick(&window, Qt::Key_F9);
    }
    [[nodiscard]] bool measured() {
        return QTest::qWaitFor(
            [this] { return !session.search().byHand().underWay() && session.search().byHand().waiting() == 0; },
            30000);
    }
    void drop(const QString &path) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &event);
        QVERIFY(event.isAccepted());
    }
};

bool says(const QWidget &view, const QString &words) {
    const auto labels = view.findChildren<QLabel *>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel *label) { return label->isVisible() && label->text().contains(words); });
}

} // namespace

class WindowPairTest : public QObject {
    Q_OBJECT

  private slots:
    void trialAgainstTrial() {
        HandWindow w;
        QVERIFY(w.ready);
        for (const int node : {2, 3}) {
            w.measure(node);
            QVERIFY(w.measured());
        }
        QCOMPARE(w.session.document()->trials.size(), size_t{2});
        auto &trials = w.shown<TrialsView>("trials");
        const auto click = [&](int row, Qt::KeyboardModifiers with) {
            QTest::mouseClick(trials.table().viewport(), Qt::LeftButton, with,
                              trials.table().visualRect(trials.table().model()->index(row, 1)).center());
        };
        click(0, Qt::NoModifier);
        QTRY_COMPARE(w.session.selection().now().schedule.kind, ScheduleRef::Kind::Trial);
        click(1, Qt::ControlModifier);
        QTRY_COMPARE(w.session.selection().now().trials, (std::vector<int>{0, 1}));
        QTest::keyClick(&trials.table(), Qt::Key_D, Qt::ControlModifier);
        QVERIFY(w.window.docks().isInFront(QStringLiteral("compare")));
        auto &compare = w.shown<CompareView>("compare");
        QCOMPARE(compare.side(AlignedText::Left), trial(0));
        QCOMPARE(compare.side(AlignedText::Right), trial(1));
        const auto press = [&](const char *action) {
            for (QToolButton *button : compare.findChildren<QToolButton *>())
                if (button->defaultAction() != nullptr &&
                    button->defaultAction() == w.actions.find(QLatin1String(action))) {
                    QVERIFY2(button->isVisible() && button->isEnabled(), qPrintable(button->toolTip()));
                    QTest::mouseClick(button, Qt::LeftButton);
                    return;
                }
            QFAIL(action);
        };
        press("compare.time");
        QTRY_VERIFY_WITH_TIMEOUT(says(compare, QStringLiteral("trial 1 is faster than trial 2 by 122.2 %")), 30000);
        press("compare.explain");
        auto *steps = compare.findChild<QTreeWidget *>(QStringLiteral("pair_steps"));
        QTRY_VERIFY_WITH_TIMEOUT(steps->isVisible() && steps->topLevelItemCount() == 2, 30000);
        QStringList lines{steps->topLevelItem(0)->text(0), steps->topLevelItem(1)->text(0)};
        lines.sort();
        QCOMPARE(lines, (QStringList{QStringLiteral("only left: parallel C i.0"),
                                     QString::fromUtf8("split C i into 4 \u2192 split C i into 8")}));
        // The steps beside each other, and back in the table what they are.
        QTest::mouseClick(steps->viewport(), Qt::LeftButton, {},
                          steps->visualItemRect(steps->topLevelItem(0)).center());
        QTRY_VERIFY_WITH_TIMEOUT(compare.notice().isEmpty() && compare.diff().text() &&
                                     compare.diff().text()->text(AlignedText::Left) ==
                                         "split C i into 4\nparallel C i.0\n",
                                 30000);
    }

    void schedulesThatWaitAreMarked() {
        HandWindow w;
        QVERIFY(w.ready);
        auto &edits = w.shown<EditsView>("edits");
        auto &loops = w.shown<LoopsView>("loops");
        const auto cell = [&](int node, int role = Qt::DisplayRole) {
            return edits.model().indexOf(node, EditTreeModel::MeasuredColumn).data(role).toString();
        };
        w.gate = false;
        for (const int node : {1, 2, 3}) w.measure(node);
        QCOMPARE(w.session.search().byHand().waiting(), size_t{2});
        QCOMPARE(cell(1), QString::fromUtf8("measuring \u2026"));
        QCOMPARE(cell(2), QString::fromUtf8("waiting \u2026"));
        QCOMPARE(cell(3), QString::fromUtf8("waiting \u2026"));
        QCOMPARE(cell(3, Qt::ToolTipRole), QStringLiteral("This schedule is waiting to be measured"));
        QVERIFY(says(loops, QStringLiteral("waiting to be measured")));
        w.session.selection().selectSchedule(edited(1));
        QVERIFY(says(loops, QStringLiteral("being measured")));
        w.gate = true;
        QVERIFY(w.measured());
        for (const int node : {1, 2, 3})
            QCOMPARE(cell(node), timeText(scripted(w.session.edits().node(node)->steps.state().steps())));
        QVERIFY(!says(loops, QStringLiteral("being measured")));
    }

    void aScriptIsDropped() {
        HandWindow w;
        QVERIFY(w.ready);
        w.drop(w.write("mine.schedule", "split C j into 16\nvectorize C j.1\n"));
        QTRY_COMPARE(w.session.document()->edited.back().did, QStringLiteral("script mine.schedule"));
        QCOMPARE(w.session.document()->edited.back().steps.state().steps().size(), size_t{2});
        QCOMPARE(w.session.selection().now().schedule,
                 edited(static_cast<int>(w.session.document()->edited.size()) - 1));
        QVERIFY(w.window.docks().isInFront(QStringLiteral("script")));
        // One that does not apply says where, and what could stand there.
        const QString wrong = w.write("wrong.schedule", "split C j into 16\nvectorize C q\n");
        w.drop(wrong);
        QTRY_VERIFY(w.session.messages().all().back().severity == Message::Severity::Failure);
        const Message &message = w.session.messages().all().back();
        QCOMPARE(message.path, wrong);
        QCOMPARE(message.line, 2);
        QVERIFY2(message.detail.contains(QStringLiteral("What could stand there: ")), qPrintable(message.detail));
        QCOMPARE(w.session.document()->edited.back().did, QStringLiteral("script mine.schedule")); // no node of it
    }
};

LOOPSCOPE_WINDOW_TEST(WindowPairTest)
#include "window_pair_test.moc"
