// The comparison of the finalists, and measuring again, in a whole session: headline, best, log and what is opened
// later all tell the same.

#include "scripted_session.h"

#include "records/record/record.h"
#include "schedule/steps_json.h"
#include "test_program.h"
#include "views/session/standing.h"
#include "views/session/text.h"

#include <QFile>
#include <QSignalSpy>

#include <mutex>
#include <set>

using namespace loopscope;

namespace {

/// A machine with moods: the first candidate measured is a fluke, five times too fast; in a comparison everything is
/// half as slow again as before, and the samples scatter by some percent.
struct Moods {
    std::mutex mutex;
    std::string fluke;
    std::vector<std::string> compared; // of the last comparison, in order
    double naive = 0.05;
    bool unstable = false; // what is measured is marked so
};

double firstSeconds(Moods &moods, const Steps &steps) {
    if (steps.empty()) return moods.naive;
    const std::lock_guard lock(moods.mutex);
    const std::string text = stepsText(steps);
    if (moods.fluke.empty()) moods.fluke = text;
    return scriptedSeconds(steps) * (text == moods.fluke ? 0.2 : 1);
}

void script(SessionFixture &f, const std::shared_ptr<Moods> &moods) {
    f.session->search().setMeasurerFactory([moods](const Task &, const MeasureOptions &) {
        auto measurer = std::make_unique<ScriptedMeasurer>();
        measurer->samples = [moods](const Steps &steps) { return std::vector<double>(3, firstSeconds(*moods, steps)); };
        measurer->interleaved = [moods, first = true](const Steps &steps, int rounds) mutable {
            const std::lock_guard lock(moods->mutex);
            if (std::exchange(first, false)) moods->compared.clear();
            const std::string text = stepsText(steps);
            moods->compared.push_back(text);
            // Whichever candidate is first on this machine's target: the fluke is not the best of them.
            const double honest =
                (text == moods->fluke ? 6 : 1.5) * (steps.empty() ? moods->naive : scriptedSeconds(steps));
            std::vector<double> samples;
            for (int i = 0; i < rounds; ++i) samples.push_back(honest * (1 + 0.002 * (i % 5)));
            return samples;
        };
        return measurer;
    });
}

const TrialEntry &bestOf(const TaskState &state) { return state.trials[static_cast<size_t>(state.best)]; }

} // namespace

class SessionComparisonTest : public QObject {
    Q_OBJECT

  private slots:
    /// Per task, in the session file; gone from the log, it is missed.
    void theBaselineIsKept() {
        ScriptedSession f;
        f.openMatmul(8);
        f.session->search().start();
        QVERIFY(f.ended());
        f.session->trials().setBaseline(3);
        f.session->documents().setParams({{"N", 32}});
        QVERIFY(f.settled());
        QCOMPARE(f.session->document()->baseline, -1); // another task
        f.session->documents().setParams({});
        QVERIFY(f.settled());
        QCOMPARE(f.session->document()->baseline, 3);
        const QString file = f.folder.filePath(QStringLiteral("s.loopscope"));
        QCOMPARE(f.session->file().save(file, {}), QString());
        const QString log = f.session->document()->logPath;
        const QString name = f.session->document()->trials[3].recordName();
        const auto reopen = [&] {
            f.restart();
            QVERIFY(f.session->file().load(file, nullptr));
            QTRY_VERIFY(f.session->document() && f.session->document()->trials.size() >= 7 &&
                        !f.session->file().restoring());
            QVERIFY(f.idle());
        };
        reopen();
        QCOMPARE(f.session->document()->baseline, 3);
        QCOMPARE(f.session->document()->trials[3].recordName(), name);
        // Without its record.
        QFile lines(log);
        QVERIFY(lines.open(QIODevice::ReadOnly));
        QByteArrayList left = lines.readAll().split('\n');
        lines.close();
        int records = 0;
        for (qsizetype i = 0; i < left.size(); ++i)
            if (left[i].startsWith('{') && records++ == 3) left.removeAt(i--);
        QVERIFY(lines.open(QIODevice::WriteOnly | QIODevice::Truncate));
        lines.write(left.join('\n'));
        lines.close();
        reopen();
        QCOMPARE(f.session->document()->baseline, -1);
        bool told = false;
        for (const Message &message : f.session->messages().all())
            told = told || message.text.contains(QStringLiteral("has no baseline any more"));
        QVERIFY(told);
    }

    void oneTruthAboutTheBest() {
        ScriptedSession f;
        const auto moods = std::make_shared<Moods>();
        script(f, moods);
        f.openMatmul(8);
        QSignalSpy changed(&f.session->trials(), &TaskTrials::trialsChanged);
        f.session->search().start();
        QVERIFY(f.ended());
        const Document &document = *f.session->document();
        QVERIFY(document.best > 0); // the fluke was measured first
        const TrialEntry &best = bestOf(document);
        QVERIFY(changed.count() >= 1);
        // The naive schedule took part, and the ratio is of that comparison alone.
        QCOMPARE(moods->compared.size(), size_t{5});
        QCOMPARE(moods->compared.back(), stepsText({}));
        QVERIFY(speedUp(document));
        QVERIFY(qAbs(*speedUp(document) - moods->naive / scriptedSeconds(best.trial.steps.unpack())) < 1e-6);
        // The fluke is known for what it is; the best shows the time of the comparison with its interval.
        QVERIFY(unconfirmed(document, 0));
        QVERIFY(best.later->compared.known());
        QCOMPARE(best.seconds(), best.later->compared.seconds);
        QVERIFY(qAbs(best.seconds() / (1.5 * scriptedSeconds(best.trial.steps.unpack())) - 1) < 0.01);
        QVERIFY(best.later->compared.low < best.seconds() && best.seconds() < best.later->compared.high);
        QVERIFY(qAbs(best.gflops - document.flops() / best.seconds() * 1e-9) < 1e-9);
        for (size_t t = 0; t < document.trials.size(); ++t)
            QVERIFY(static_cast<int>(t) == document.best || standing(document, static_cast<int>(t)) >= 1);
        // The log says the same.
        const RecordLog log = loadRecordLog(std8(document.logPath));
        const auto record = bestRecord(log, *document.task);
        QVERIFY(record.ok());
        QCOMPARE(static_cast<int>(*record), best.logRecord);

        // And after the next start.
        const int number = document.best;
        const TimeInterval time = best.later->compared;
        const QString file = f.folder.filePath(QStringLiteral("s.loopscope"));
        QCOMPARE(f.session->file().save(file, {}), QString());
        f.restart();
        QByteArray window;
        QVERIFY(f.session->file().load(file, &window));
        QTRY_VERIFY(f.session->document() && f.session->document()->trials.size() == 8);
        QVERIFY(f.idle());
        const Document &again = *f.session->document();
        QCOMPARE(again.best, number);
        QCOMPARE(bestOf(again).later->compared, time);
        QVERIFY(unconfirmed(again, 0));
        QVERIFY(speedUp(again));
    }

    void measuringAgainComparesWithTheBestAndTheNaiveSchedule() {
        ScriptedSession f;
        const auto moods = std::make_shared<Moods>();
        script(f, moods);
        f.openMatmul(8);
        f.session->search().start();
        QVERIFY(f.ended());
        const int best = f.session->document()->best;
        int other = 0; // that did not take part, and is no fluke
        for (int t = 1; t < 8; ++t)
            if (!f.session->document()->trials[static_cast<size_t>(t)].later->compared.known()) other = t;
        QVERIFY(other > 0);
        const_cast<Document *>(f.session->document())->trials[static_cast<size_t>(other)].trial.unstable = true;
        QSignalSpy changed(&f.session->trials(), &TaskTrials::trialsChanged);
        f.session->search().remeasure({other});
        QTRY_COMPARE(changed.count(), 1);
        const Document &document = *f.session->document();
        const Steps steps = document.trials[static_cast<size_t>(other)].trial.steps.unpack();
        const std::set<std::string> took(moods->compared.begin(), moods->compared.end());
        QCOMPARE(took, (std::set<std::string>{stepsText(steps), stepsText(bestOf(document).trial.steps.unpack()),
                                              stepsText({})}));
        const ScheduleRef ref{ScheduleRef::Kind::Trial, other};
        QVERIFY(comparedTogether(document, ref, {ScheduleRef::Kind::Trial, best}));
        QVERIFY(comparedTogether(document, ref, {}));
        QCOMPARE(document.best, best);
        QVERIFY(!document.trials[static_cast<size_t>(other)].trial.unstable);
        QVERIFY(bestRecord(loadRecordLog(std8(document.logPath)), *document.task).ok());
        // Alone it goes against the naive schedule all the same.
        f.session->search().remeasure({best});
        QTRY_COMPARE(changed.count(), 2);
        QCOMPARE(moods->compared.size(), size_t{2});
    }
};

LOOPSCOPE_TEST(SessionComparisonTest)
#include "session_comparison_test.moc"
