// What the search view shows, as text: series, facts of the status strip, buttons, scores, rooflines, descent.

#include <QTest>

#ifndef Q_MOC_RUN // moc stumbles over <concepts>
#include "search/ancestor.h"
#include "test_program.h"
#include "trials_from_text.h"
#include "views/search_progress/roofline.h"
#include "views/search_progress/round_scores.h"
#include "views/search_progress/search_facts.h"
#include "views/session/standing.h"
#include "views/trial_plots/trial_tip.h"

#include <cmath>
#endif

using namespace loopscope;

namespace {

QString text(const TrialSeries &series) {
    QStringList lines;
    const auto points = [](const char *name, const std::vector<SeriesPoint> &list) {
        QString line = QLatin1String(name);
        for (const auto &point : list)
            line += QStringLiteral(" %1@%2=%3").arg(point.trial).arg(point.elapsed).arg(point.seconds * 1e3);
        return line;
    };
    lines << points("valid", series.valid()) << points("records", series.records());
    QString failed = QStringLiteral("failed");
    for (const auto &failure : series.failures())
        failed += QStringLiteral(" %1@%2=%3").arg(failure.trial).arg(failure.elapsed).arg(failureText(failure.error));
    lines << failed;
    return lines.join(QLatin1Char('\n'));
}

TaskState stateOf(const char *trials) {
    TaskState state;
    state.trials = trialsFromText(QString::fromUtf8(trials));
    return state;
}

Document documentOf(const QString &trials) {
    Document document;
    document.id = 1;
    document.name = QStringLiteral("matmul");
    document.trials = trialsFromText(trials);
    for (size_t i = 0; i < document.trials.size(); ++i)
        if (document.trials[i].valid() &&
            (document.best < 0 || document.trials[i].seconds() < document.trials[size_t(document.best)].seconds()))
            document.best = static_cast<int>(i);
    return document;
}

SearchFacts factsOf(const Document &document, double trialSeconds = -1) {
    TrialSeries series;
    series.append(document, 0, document.trials.size());
    return searchFacts(document, series, document.search.elapsed, trialSeconds);
}

/// "[Search] stop continue": what can be done now is in brackets.
QString buttonsText(const SearchButtons &buttons) {
    using Primary = SearchButtons::Primary;
    const char *names[] = {"search", "pause", "resume"};
    const auto word = [](const char *name, bool can) {
        return can ? QStringLiteral("[%1]").arg(QLatin1String(name)) : QLatin1String(name);
    };
    static_assert(int(Primary::Resume) == 2);
    return QStringList{word(names[int(buttons.primary)], buttons.canPrimary), word("stop", buttons.canStop),
                       word("continue", buttons.canContinue)}
        .join(QLatin1Char(' '));
}

} // namespace

class SearchDataTest : public QObject {
    Q_OBJECT

  private slots:
    void series();
    void seriesAfterAComparison();
    void unstableTimesAreNoRecords();
    void checkedAndNotTimed();
    void seriesGrowsByPieces();
    void runsFollowEachOther();
    void failuresByKind();
    void table();
    void stations();
    void factsWhileMeasuring();
    void factsWhenOver();
    void timeLeft();
    void buttons_data();
    void buttons();
    void reasons();
    void predictions();
    void rankQualityByRound();
    void generations();
    void refusalsOfARound();
    void violinOutline();
    void rooflines();
    void intensity();
    void descent();
    void tip();
};

void SearchDataTest::series() {
    TrialSeries series;
    const TaskState state = stateOf("5@1 !wrong-answer@2 4@3 6@4 !run-timeout@9 3@10");
    series.append(state, 0, state.trials.size());
    QCOMPARE(text(series), QStringLiteral("valid 0@1=5 2@3=4 3@4=6 5@10=3\n"
                                          "records 0@1=5 2@3=4 5@10=3\n"
                                          "failed 1@2=wrong answer 4@9=run timeout"));
    QCOMPARE(series.count(), 6);
}

void SearchDataTest::seriesAfterAComparison() {
    // The fastest first time, 3 ms, was a fluke: in the comparison trial 3 wins with 4.2 ms. The curve ends there; what
    // was not compared and promised less is not confirmed either.
    Document document = documentOf(QStringLiteral("5@1 3@2 4@3 3.5@4 6@5"));
    QCOMPARE(bestTrial(document), 1);
    takeComparison(document, {{1, {7e-3, 6.9e-3, 7.1e-3}}, {2, {4.2e-3, 4.1e-3, 4.3e-3}}, {-1, {42e-3, 41e-3, 43e-3}}});
    document.best = bestTrial(document);
    QCOMPARE(document.best, 2);
    TrialSeries series;
    series.append(document, 0, document.trials.size());
    QCOMPARE(text(series), QStringLiteral("valid 0@1=5 1@2=7 2@3=4.2 3@4=3.5 4@5=6\n"
                                          "records 0@1=5 2@3=4.2\n"
                                          "failed"));
    QString doubtful;
    for (const auto &point : series.valid()) doubtful += point.unconfirmed ? QString::number(point.trial) : QString();
    QCOMPARE(doubtful, QStringLiteral("13"));
    const auto facts = factsOf(document);
    QCOMPARE(facts.best, QStringLiteral("4.200 ms (4.100 ms to 4.300 ms)"));
    QCOMPARE(facts.speedUp, QStringLiteral("10.0 \u00d7 naive"));
    QVERIFY(trialTable(document).contains(QStringLiteral(",0.0042,")));
    QVERIFY(trialTip(document, 1, 0).contains(QStringLiteral("Not confirmed")));
    QVERIFY(!trialTip(document, 2, 0).contains(QStringLiteral("Not confirmed")));
}

void SearchDataTest::checkedAndNotTimed() {
    Document document;
    document.id = 1;
    document.trials = trialsFromText(QStringLiteral("?@1#1~0.5 !wrong-answer@2#1~0.9 ?@3#1~0.7 ?@4#2~0.2"));
    document.best = bestTrial(document);
    QCOMPARE(document.best, -1);
    QCOMPARE(rankedFirst(document), 2);
    TrialSeries series;
    series.append(document, 0, document.trials.size());
    QCOMPARE(text(series), QStringLiteral("valid\nrecords\nfailed 1@2=wrong answer"));
    QCOMPARE(series.untimed(), 3);
    QCOMPARE(whyNoTimes(series), QStringLiteral("3 trials are checked and right, and not timed: a time has its place "
                                                "here once they are measured on a GPU."));
    const auto facts = factsOf(document);
    QCOMPARE(facts.best, QStringLiteral("none timed; trial 3 is ranked first"));
    QCOMPARE(facts.bestSpeed, QString());
    QCOMPARE(facts.failures, QStringLiteral("1 (1 wrong answer)"));
    const auto points = predictedTrials(document.trials); // of what has no time nothing can be said
    QCOMPARE(points.size(), size_t{1});
    QVERIFY(points[0].failed);
    QVERIFY(rankQuality(document.trials).empty());
    const QString tip = trialTip(document, 2, 0);
    QVERIFY2(tip.contains(QStringLiteral("checked, not timed")), qPrintable(tip));
    for (const QString &shown : {tip, trialTable(document)})
        for (const char *bad : {"inf", "nan"}) QVERIFY2(!shown.contains(QLatin1String(bad)), qPrintable(shown));

    document.setup.options.randomModel = true; // scores were drawn
    QCOMPARE(rankedFirst(document), -1);
    document.setup.options.randomModel = false;
    document.trials.push_back(trialsFromText(QStringLiteral("4@5#2~0.1")).front());
    QCOMPARE(rankedFirst(document), -1); // there is a time, which says more
    series.append(document, 4, 1);
    QCOMPARE(whyNoTimes(series), QString());
    document.trials.back().later.change().machine = QStringLiteral("gpubox: NVIDIA A100; NVRTC 12.4");
    document.best = 4;
    QCOMPARE(factsOf(document).best, QStringLiteral("4.000 ms on gpubox: NVIDIA A100"));
}

void SearchDataTest::unstableTimesAreNoRecords() {
    Document document = documentOf(QStringLiteral("2@1 5@2 1@3 4@4"));
    document.trials[0].trial.unstable = document.trials[2].trial.unstable = true;
    document.best = bestTrial(document);
    QCOMPARE(document.best, 3);
    TrialSeries series;
    series.append(document, 0, document.trials.size());
    QCOMPARE(text(series).section(QLatin1Char('\n'), 1, 1), QStringLiteral("records 0@1=2 1@2=5 3@4=4"));
    QVERIFY(series.valid()[0].unconfirmed && series.valid()[2].unconfirmed && !series.valid()[3].unconfirmed);
}

void SearchDataTest::seriesGrowsByPieces() {
    const TaskState state = stateOf("5@1 !wrong-answer@2 4@3 6@4 3@10");
    TrialSeries whole;
    whole.append(state, 0, state.trials.size());
    TrialSeries pieces;
    for (size_t i = 0; i < state.trials.size(); ++i) pieces.append(state, i, 1);
    QCOMPARE(text(pieces), text(whole));
    pieces.clear();
    QCOMPARE(text(pieces), QStringLiteral("valid\nrecords\nfailed"));
}

void SearchDataTest::runsFollowEachOther() {
    TrialSeries series;
    const TaskState state = stateOf("5@1 4@8 6@2 3@4"); // a second run counts from zero
    series.append(state, 0, state.trials.size());
    QCOMPARE(text(series).section(QLatin1Char('\n'), 0, 0), QStringLiteral("valid 0@1=5 1@8=4 2@10=6 3@12=3"));
    QCOMPARE(series.elapsed(), 12.);
}

void SearchDataTest::failuresByKind() {
    TrialSeries series;
    QCOMPARE(failureSummary(series.failuresByKind()), QStringLiteral("none"));
    const TaskState state = stateOf("!run-timeout !wrong-answer 4 !run-timeout");
    series.append(state, 0, state.trials.size());
    QCOMPARE(failureSummary(series.failuresByKind()), QStringLiteral("3 (1 wrong answer, 2 run timeout)"));
    QCOMPARE(series.kindsSeen(), (std::vector<TrialError>{TrialError::WrongAnswer, TrialError::RunTimeout}));
}

void SearchDataTest::table() {
    QCOMPARE(trialTable(stateOf("2@1#1~0.5 !wrong-answer@2#1")),
             QStringLiteral("trial,round,elapsed_s,time_s,spread,gflops,best_so_far_s,predicted,sketch,generation,"
                            "mutation,error,reason\n"
                            "1,1,1,0.002,0,0.5,0.002,0.5,,,,,\n"
                            "2,1,2,,,,0.002,,,,,wrong-answer,\"because, of \"\"that\"\"\"\n"));
}

void SearchDataTest::stations() {
    SearchStatus status;
    QVERIFY(!stationOf(status));
    status.state = SearchState::Running;
    QCOMPARE(stationName(*stationOf(status)), QStringLiteral("prepare"));
    const std::vector<std::pair<SearchPhase, const char *>> all{{SearchPhase::PreparingReference, "prepare"},
                                                                {SearchPhase::Sketching, "sketch"},
                                                                {SearchPhase::Sampling, "sample"},
                                                                {SearchPhase::Evolving, "evolve"},
                                                                {SearchPhase::Training, "train"},
                                                                {SearchPhase::Building, "build"},
                                                                {SearchPhase::Measuring, "measure"},
                                                                {SearchPhase::ComparingFinalists, "compare"}};
    for (const auto &[phase, name] : all) {
        status.at = phase;
        QCOMPARE(stationName(*stationOf(status)), QLatin1String(name));
        QVERIFY(!stationTip(*stationOf(status)).isEmpty());
    }
    status.state = SearchState::Finished;
    QVERIFY(!stationOf(status));
}

void SearchDataTest::factsWhileMeasuring() {
    Document document = documentOf(QStringLiteral("4@2 !wrong-answer@4 2@6 3@8"));
    document.naiveSeconds = 25e-3;
    document.setup.options.timeLimitSeconds = 60;
    auto &status = document.search;
    status.state = SearchState::Running;
    status.at = SearchPhase::Measuring;
    status.phase = QStringLiteral("measuring kernels: trials 1 to 16 of 64");
    status.round = 1;
    status.measuring = 4;
    status.total = 64;
    status.done = 4;
    status.elapsed = 8;
    auto facts = factsOf(document, 3);
    QCOMPARE(facts.headline, QStringLiteral("Measuring trial 5 of 64, 3.0 s"));
    QCOMPARE(facts.detail, QStringLiteral("Measuring kernels: trials 1 to 16 of 64"));
    QCOMPARE(facts.trials, QStringLiteral("4 of 64"));
    QCOMPARE(facts.failures, QStringLiteral("1 (1 wrong answer)"));
    QCOMPARE(facts.best, QStringLiteral("2.000 ms"));
    QCOMPARE(facts.bestSpeed, QStringLiteral("0.500 GFLOP/s"));
    QCOMPARE(facts.speedUp, QString()); // timed at different moments
    QCOMPARE(facts.elapsed, QStringLiteral("8.0 s"));
    QCOMPARE(facts.remaining, QStringLiteral("about 52 s")); // the budget ends it before the trials do
    QCOMPARE(facts.budget, QStringLiteral("52 s"));
    QCOMPARE(facts.share, 4. / 64);
    document.setup.options.timeLimitSeconds = 0;
    facts = factsOf(document);
    QCOMPARE(facts.remaining, QStringLiteral("about 2 min 0 s"));
    QCOMPARE(facts.budget, QString());
    status.building = true;
    QCOMPARE(factsOf(document).headline, QStringLiteral("Building trial 5 of 64"));
    status.measuring = -1;
    status.phase = QStringLiteral("evolving schedules: generation 3 of 4");
    facts = factsOf(document);
    QCOMPARE(facts.headline, QStringLiteral("Evolving schedules: generation 3 of 4"));
    QCOMPARE(facts.detail, QString()); // said once
}

void SearchDataTest::factsWhenOver() {
    QCOMPARE(factsOf(Document()).headline, QStringLiteral("No search yet"));
    Document document = documentOf(QStringLiteral("4@2 2@6"));
    QCOMPARE(factsOf(document).headline, QStringLiteral("Not searching; 2 trials from a log"));
    document.search.state = SearchState::Finished;
    document.search.ended = QStringLiteral("stopped after 2 of 64 trials");
    document.search.total = 64;
    auto facts = factsOf(document);
    QCOMPARE(facts.headline, QStringLiteral("Stopped after 2 of 64 trials"));
    QCOMPARE(facts.elapsed, QString()); // not known of a search of another day: no "0.0 s"
    QCOMPARE(facts.remaining, QString());
    QVERIFY(!facts.problem);
    document.search.state = SearchState::Failed;
    document.search.ended = QStringLiteral("the worker cannot be started");
    facts = factsOf(document);
    QCOMPARE(facts.headline, QStringLiteral("Failed: the worker cannot be started"));
    QVERIFY(facts.problem);
}

void SearchDataTest::timeLeft() {
    SearchStatus status;
    status.state = SearchState::Running;
    status.elapsed = 10;
    status.total = 30;
    const auto left = [&](int resumed, int measured, double limit) {
        status.resumed = resumed;
        status.done = resumed + measured;
        return status.secondsLeft(limit);
    };
    QVERIFY(!left(0, 1, 0)); // one trial is no rate
    QVERIFY(!left(20, 1, 0));
    QCOMPARE(*left(0, 5, 0), 50.);
    QCOMPARE(*left(10, 10, 0), 10.); // ten came from a log and took no time
    QCOMPARE(*left(0, 5, 15), 5.);
    QCOMPARE(*left(35, 5, 0), 0.);
    status.state = SearchState::Finished;
    QVERIFY(!left(0, 5, 0));
}

void SearchDataTest::buttons_data() {
    QTest::addColumn<int>("state");
    QTest::addColumn<bool>("trials");
    QTest::addColumn<QString>("whyNot");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *name, SearchState state, bool trials, const char *whyNot, const char *expected) {
        QTest::newRow(name) << int(state) << trials << QString::fromLatin1(whyNot) << QString::fromLatin1(expected);
    };
    row("new", SearchState::Idle, false, "", "[search] stop continue");
    row("broken text", SearchState::Idle, false, "The workload has an error.", "search stop continue");
    row("log opened", SearchState::Idle, true, "", "[search] stop [continue]");
    row("running", SearchState::Running, true, "The search is running.", "[pause] [stop] continue");
    row("pausing", SearchState::Pausing, true, "The search is running.", "[resume] [stop] continue");
    row("paused", SearchState::Paused, true, "The search is running.", "[resume] [stop] continue");
    row("stopping", SearchState::Stopping, true, "The search is running.", "pause stop continue");
    row("finished", SearchState::Finished, true, "", "[search] stop [continue]");
    row("failed at once", SearchState::Failed, false, "", "[search] stop continue");
}

void SearchDataTest::buttons() {
    QFETCH(int, state);
    QFETCH(bool, trials);
    QFETCH(QString, whyNot);
    QFETCH(QString, expected);
    Document document = documentOf(trials ? QStringLiteral("4@2") : QString());
    document.search.state = SearchState(state);
    const auto buttons = searchButtons(&document, whyNot, whyNot);
    QCOMPARE(buttonsText(buttons), expected);
    // What cannot be done says why.
    QCOMPARE(buttons.whyNotPrimary.isEmpty(), buttons.canPrimary);
    QCOMPARE(buttons.whyNotStop.isEmpty(), buttons.canStop);
    QCOMPARE(buttons.whyNotContinue.isEmpty(), buttons.canContinue);
}

void SearchDataTest::reasons() {
    QCOMPARE(buttonsText(searchButtons(nullptr, {}, {})), QStringLiteral("search stop continue"));
    Document document = documentOf(QStringLiteral("4@2"));
    QVERIFY(searchButtons(&document, {}, {}).whyNotEdit.isEmpty());
    document.search.state = SearchState::Paused;
    QVERIFY(!searchButtons(&document, {}, {}).whyNotEdit.isEmpty());
    // All trials are there: no new start, but more of them.
    document.search.state = SearchState::Finished;
    QCOMPARE(buttonsText(searchButtons(&document, QStringLiteral("All 64 trials are there."), {})),
             QStringLiteral("search stop [continue]"));
}

void SearchDataTest::predictions() {
    const auto points = predictedTrials(trialsFromText(QStringLiteral("4#1~0.5 2#1~0.9 !wrong-answer#2~0.7 8")));
    QCOMPARE(points.size(), size_t(3)); // the last has no score
    QCOMPARE(points[0].measured, 0.5);
    QCOMPARE(points[1].measured, 1.);
    QVERIFY(points[2].failed);
    QCOMPARE(points[2].measured, 0.);
    QCOMPARE(points[2].round, 2);
}

void SearchDataTest::rankQualityByRound() {
    const auto quality = rankQuality(
        trialsFromText(QStringLiteral("4#1~0.5 2#1~0.9 1#1~0.7 4#2~0.9 2#2~0.1 !wrong-answer#2~1 4#3~1 4")));
    QCOMPARE(quality.size(), size_t(3));
    QCOMPARE(quality[0].round, 1);
    QCOMPARE(quality[0].ranksRight, 2. / 3);
    QCOMPARE(quality[1].ranksRight, 0.);
    QCOMPARE(quality[1].trials, 2);     // a failure has no rank
    QVERIFY(quality[2].ranksRight < 0); // one trial is no pair
}

void SearchDataTest::generations() {
    RoundInfo round;
    round.round = 2;
    round.generations = {{0, 100, 0, 0.5F, 0.25F, {}}, {1, 100, 7, 0.75F, 0.5F, {}}};
    QCOMPARE(generationTable({round}), QStringLiteral("round,generation,population,invalid,best,median\n"
                                                      "2,0,100,0,0.5,0.25\n"
                                                      "2,1,100,7,0.75,0.5\n"));
}

void SearchDataTest::refusalsOfARound() {
    RoundInfo round;
    round.sampled = PopulationSampled{2, 100, 90, {{"few", 1}, {"many", 9}}, {}, 0};
    round.generations = {{0, 100, 0, 0.5F, 0.25F, {}, {}},
                         {1, 100, 5, 0.75F, 0.5F, {}, {{"a", 2}, {"b", 3}}},
                         {2, 100, 2, 0.75F, 0.5F, {}, {{"a", 2}}}};
    const RoundRefusals lost = refusalsOf(round);
    QCOMPARE(lost.bred, 200);
    QCOMPARE(lost.children, 7);
    QCOMPARE(lost.mostFrequent, QStringLiteral("a"));
    QCOMPARE(lost.all, (QStringList{QStringLiteral("Sampled schedules:"), QStringLiteral("9 \u00d7 many"),
                                    QStringLiteral("1 \u00d7 few"), QStringLiteral("Children:"),
                                    QStringLiteral("4 \u00d7 a"), QStringLiteral("3 \u00d7 b")}));
}

void SearchDataTest::violinOutline() {
    const auto outline = violin({{0, 1, 10}, {1, 2, 0}, {2, 3, 5}}, 4, 0.4);
    QCOMPARE(outline.size(), size_t(13)); // two corners a bin and side, closed
    QCOMPARE(outline[0].x, 4.4);          // the widest
    QCOMPARE(outline[2].x, 4.);           // none there
    QCOMPARE(outline[4].x, 4.2);
    QCOMPARE(outline[12].x, outline[0].x);
    for (const auto &point : outline) QVERIFY(point.x >= 3.6 && point.x <= 4.4 && point.y >= 0 && point.y <= 3);
    QVERIFY(violin({}, 0, 1).empty());
}

void SearchDataTest::rooflines() {
    const MachineRooflines machine{
        4, 50, 200, {{QStringLiteral("L1"), 1e11, 4e11}, {QStringLiteral("DRAM"), 1e10, 2e10}}};
    const auto all = rooflinesOf(machine);
    QStringList lines;
    for (const auto &roofline : all)
        lines << QStringLiteral("%1: %2 at 1, ridge %3").arg(roofline.name).arg(roofline.at(1)).arg(roofline.ridge);
    QCOMPARE(lines.join(QLatin1Char('\n')), QStringLiteral("L1, all cores: 200 at 1, ridge 0.5\n"
                                                           "DRAM, all cores: 20 at 1, ridge 10\n"
                                                           "L1, one core: 50 at 1, ridge 0.5\n"
                                                           "DRAM, one core: 10 at 1, ridge 5"));
    QCOMPARE(attainable(all, 1), 20.);
    QCOMPARE(attainable(all, 100), 200.);
    QCOMPARE(limitText(all, 2), QStringLiteral("At 2 FLOP/byte this machine allows 40.00 GFLOP/s (DRAM, all cores)."));
    QCOMPARE(limitText(all, 100),
             QStringLiteral("At 100 FLOP/byte this machine allows 200.0 GFLOP/s (arithmetic, all cores)."));
    QCOMPARE(limitText({}, 2), QString());
    QVERIFY(std::isnan(attainable({}, 2)));
    QVERIFY(rooflinesOf({4, 0, 0, {{QStringLiteral("L1"), 1e11, 4e11}}}).empty());
}

void SearchDataTest::intensity() {
    const Workload workload = parseWorkload("workload matmul(N = 64)\n"
                                            "a = placeholder [N, N] float32\n"
                                            "b = placeholder [N, N] float32\n"
                                            "c(i < N, j < N) = sum(k < N; a[i, k] * b[k, j])\n",
                                            "matmul.te");
    const Task task = makeTask(ComputeDag::fromWorkload(workload), parseTarget("llvm"));
    QCOMPARE(compulsoryBytes(*task.dag), 3. * 64 * 64 * 4);
    QCOMPARE(intensityOf(task), 2. * 64 * 64 * 64 / (3. * 64 * 64 * 4));
}

void SearchDataTest::descent() {
    auto trials = trialsFromText(QStringLiteral("4#2 !wrong-answer#2 5"));
    const auto origin = makeOrigin({});
    origin->sketch = 1;
    origin->round = 2;
    origin->score = 0.25F;
    const auto child = makeDescendant(origin, {}, {});
    child->mutation = "tile-size";
    child->generation = 1;
    child->round = 2;
    const auto last = makeDescendant(child, {}, {});
    last->mutation = "crossover";
    last->generation = 3;
    last->round = 2;
    last->score = 0.75F;
    trials[0].ancestry = trials[1].ancestry = last;
    QCOMPARE(descentText(trials[0], 0),
             QString::fromUtf8("sampled from sketch 1 (0.250) → tile size, generation 1 → crossover, generation 3 "
                               "(0.750) → trial 1: 4.000 ms"));
    QVERIFY(descentText(trials[1], 1).endsWith(QString::fromUtf8("→ trial 2: wrong answer")));
    QCOMPARE(descentText(trials[2], 2), QString());
    origin->trial = 7;
    QCOMPARE(descentOf(trials[0]).front().what, QStringLiteral("trial 7, measured before"));
}

void SearchDataTest::tip() {
    Document document = documentOf(QStringLiteral("4@1#2~0.5 !wrong-answer@2#2"));
    document.trials[0].sketch = 1;
    document.trials[0].generation = 3;
    document.trials[0].mutation = QStringLiteral("tile-size");
    const QString valid = trialTip(document, 0, 1);
    for (const char *part :
         {"Trial 1", "the best", "4.000 ms", "0.250 GFLOP/s", "25.0 %", "Sketch", "Generation", "tile size", "0.500"})
        QVERIFY2(valid.contains(QLatin1String(part)), part);
    const QString failed = trialTip(document, 1, 1);
    QVERIFY(failed.contains(QStringLiteral("wrong answer")));
    QVERIFY(failed.contains(QStringLiteral("because, of &quot;that&quot;")));
    QCOMPARE(trialTip(document, 2, 1), QString());
}

LOOPSCOPE_TEST(SearchDataTest)
#include "search_data_test.moc"
