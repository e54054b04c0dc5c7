// The filter language: what it accepts, what it answers, and every sentence it refuses with.

#include "fabricated_trials.h"
#include "test_program.h"
#include "views/trials/filter_completion.h"
#include "views/trials/trial_facts.h"
#include "views/trials/trial_filter.h"

#include <QTest>

using namespace loopscope;

namespace trial_filter_test {

namespace {

const QStringList kTiles{QStringLiteral("C.i"), QStringLiteral("C.j"), QStringLiteral("C.k"),
                         QStringLiteral("C.local.i")};

QString u(const char *text) { return QString::fromUtf8(text); }

/// Ten trials with values chosen one by one.
std::unique_ptr<Document> tenTrials() {
    auto document = fabricateDocument(0);
    for (int t = 0; t < 10; ++t) {
        TrialEntry entry;
        entry.trial.steps = {SplitStep{StageId(2), IterId(0), 512, {8, 16, 1 << (t % 3)}, true},
                             SplitStep{StageId(2), IterId(4), 512, {t < 5 ? 4 : 8}, true}};
        entry.sketch = t % 3;
        entry.round = 1 + t / 4;
        entry.generation = t % 5;
        entry.mutation = u(t % 2 == 0 ? "tile-size" : "unroll");
        entry.predicted = static_cast<float>(t) / 10;
        entry.trial.maxError = 0.1 * t;
        entry.trial.buildSeconds = 0.5;
        entry.trial.seconds = {(t + 1) * 1e-3, (t + 1) * 1e-3, (t + 1) * 1e-3};
        document->trials.push_back(entry);
    }
    auto fail = [&](int t, TrialError error, const char *reason) {
        document->trials[static_cast<size_t>(t)].trial.error = error;
        document->trials[static_cast<size_t>(t)].trial.reason = reason;
        document->trials[static_cast<size_t>(t)].trial.seconds.clear();
    };
    fail(3, TrialError::WrongAnswer, "Wrong answer: C[1, 2] is 3.5");
    fail(6, TrialError::RunTimeout, "ran longer than 10 s");
    fail(9, TrialError::BuildTimeout, "LLVM took longer than 15 s");
    document->trials[1].pinned = true;
    document->trials[2].trial.unstable = true;
    document->trials[4].later.change().note = u("try with Packing");
    document->trials[5].later.change().again = {{1e-4, 1e-4, 1e-4}};
    document->trials[7].fromLog = true;
    document->best = 5;
    return document;
}

} // namespace

class TrialFilterTest : public QObject {
    Q_OBJECT

  private slots:
    void answers_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("trials"); // people's numbers
        const auto row = [](const char *text, const char *trials) { QTest::newRow(text) << u(text) << u(trials); };
        row("", "1 2 3 4 5 6 7 8 9 10");
        row("   ", "1 2 3 4 5 6 7 8 9 10");
        row("time < 3ms", "1 2 6");
        row("time<=3ms", "1 2 3 6");
        row("time < 3 ms", "1 2 6");
        row("time < 3000us", "1 2 6");
        row("time > 0.0075 s", "8 9");
        row("time = 2ms", "2");
        row("time = 2.4ms", "");
        row("time:1ms..3ms", "1 2 3");
        row("time != 2ms valid", "1 3 5 6 8 9");
        row("time <> 2ms valid", "1 3 5 6 8 9");
        row("time =< 3ms", "1 2 3 6");
        row("time => 8ms", "8 9");
        row("time:<3ms", "1 2 6");
        row("trial:>=9", "9 10");
        row("-time<3ms", "3 4 5 7 8 9 10");
        row("gflops > 100", "1 2 6");
        row("error > 0.5", "8 9"); // those that timed out were never compared
        row("error = 0.3", "4");
        row("spread < 5%", "1 2 3 5 6 8 9");
        row("peak > 10%", ""); // no peak measured
        row("trial:2..4", "2 3 4");
        row("trial >= 9", "9 10");
        row("rank = 1", "6");
        row("rank <= 3", "1 2 6");
        row("sketch:1", "2 5 8");
        row("sketch=1", "2 5 8");
        row("round:3", "9 10");
        row("gen >= 3", "4 5 9 10");
        row("generation:0", "1 6");
        row("predicted > 0.65", "8 9 10");
        row("score > -1", "1 2 3 4 5 6 7 8 9 10");
        row("build < 600ms", "1 2 3 4 5 6 7 8 9 10");
        row("again >= 1", "6");
        row("failed", "4 7 10");
        row("valid", "1 2 3 5 6 8 9");
        row("not failed", "1 2 3 5 6 8 9");
        row("-failed", "1 2 3 5 6 8 9");
        row("not not failed", "4 7 10");
        row("!failed", "1 2 3 5 6 8 9");
        row("pinned !unstable", "2");
        row("-unstable valid", "1 2 5 6 8 9");
        row("\u2212unstable valid", "1 2 5 6 8 9"); // as copied from a text
        row("failed && sketch:0", "4 7 10");
        row("failed&&error=0.3", "4");
        row("failed & sketch:0", "4 7 10");
        row("failed AND sketch:0", "4 7 10");
        row("valid && -unstable", "1 2 5 6 8 9");
        row("valid && !unstable", "1 2 5 6 8 9");
        row("pinned || unstable", "2 3");
        row("pinned||unstable", "2 3");
        row("pinned | unstable", "2 3");
        row("pinned OR unstable", "2 3");
        row("(pinned||unstable)&&!(time < 3ms)", "3");
        row("failed:yes", "4 7 10");
        row("failed = false", "1 2 3 5 6 8 9");
        row("failed != true", "1 2 3 5 6 8 9");
        row("pinned:1", "2");
        row("mutation != tile-size", "2 4 6 8 10");
        row("failure != timeout", "1 2 3 4 5 6 8 9");
        row("'answer: c'", "4");
        row("\u201canswer: c\u201d", "4");
        row("pinned", "2");
        row("PINNED", "2");
        row("unstable", "3");
        row("best", "6");
        row("noted", "5");
        row("remeasured", "6");
        row("logged", "8");
        row("mutation:tile-size", "1 3 5 7 9");
        row("mutation:TILE", "1 3 5 7 9");
        row("failure:wrong-answer", "4");
        row("failure:timeout", "7 10");
        row("reason:\"longer than\"", "7 10");
        row("reason:\"longer than # s\"", "7 10");
        row("reason:\"longer than 15\"", "10");
        row("note:packing", "5");
        row("longer", "7 10");
        row("wrong", "4");
        row("packing", "5");
        row("tile", "1 3 5 7 9");
        row("\"answer: c\"", "4");
        row("pinned or unstable", "2 3");
        row("pinned or unstable failed", "2");
        row("(pinned or unstable) time < 3ms", "2");
        row("pinned and valid", "2");
        row("sketch:0 failed", "4 7 10");
        row("-(failed or sketch:0)", "2 3 5 6 8 9");
        row("C.i[0] >= 2", "1 2 4 5 7 8 10");
        row("C.i[3]:4", "3 6 9");
        row("C.i[9] > 0", "");
        row("C.i:4x8x16x1", "1 4 7 10");
        row("C.i:?x8x?x2", "2 5 8");
        row("C.i=1x8x16x4", "3 6 9");
        row("C.i:4x8", "");
        row("C.j:128x4", "1 2 3 4 5");
        row("C.j != 128x4", "6 7 8 9 10");
        row("-C.j:128x4", "6 7 8 9 10");
        row("C.k[0] > 1", "");
    }

    void answers() {
        QFETCH(QString, text);
        QFETCH(QString, trials);
        const auto document = tenTrials();
        TrialFacts facts;
        facts.setDocument(document.get());
        QStringList tiles = facts.tileColumns();
        QCOMPARE(tiles, (QStringList{u("C.i"), u("C.j")}));
        tiles << u("C.k"); // known from another sketch
        const ParsedFilter parsed = parseTrialFilter(text, tiles);
        QVERIFY2(!parsed.problem, parsed.problem ? qPrintable(parsed.problem->sentence) : "");
        QStringList passed;
        for (int t = 0; t < facts.size(); ++t)
            if (!parsed.filter || parsed.filter->matches(facts, t)) passed << QString::number(t + 1);
        QCOMPARE(passed.join(QLatin1Char(' ')), trials);
    }

    void refusals_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("at"); // the part underlined
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *text, const char *at, const char *sentence) {
            QTest::newRow(text) << u(text) << u(at) << u(sentence);
        };
        row("time", "time", "‘time’ is a number to compare: write ‘time < 2ms’ (or \"time\" to look for the word).");
        row("time <", "<", "‘time <’ needs a number behind it, as in ‘time < 2ms’.");
        row("time < 2", "2", "A time needs its unit: ns, µs (or us), ms or s, as in ‘time < 2ms’.");
        row("time < 2h", "2h", "A time needs its unit: ns, µs (or us), ms or s, as in ‘time < 2ms’.");
        row("time < fast", "fast", "‘fast’ is no number; write one as in ‘time < 2ms’.");
        row("time ! 2ms", "!", "‘!’ compares nothing; there are <, <=, >, >=, = and !=.");
        row("round < 2ms", "2ms", "‘ms’ is no unit here; write the number as in ‘round:3’.");
        row("peak > 50q", "50q", "‘q’ is no unit here; write the number as in ‘peak > 50%’.");
        row("trial < 1..2", "1..2", "A range goes with ‘:’, as in ‘trial:10..20’.");
        row("trial:1..", "1..", "‘1..’ is no number; write one as in ‘trial:10..20’.");
        row("mutation", "mutation", "‘mutation’ is a text to look in: write ‘mutation:tile-size’.");
        row("mutation < 3", "<", "‘mutation’ is a text to look in: write ‘mutation:tile-size’.");
        row("note:", ":", "‘note:’ needs a word behind it, as in ‘note:try’.");
        row("note:\"open", "\"open", "This quote is never closed: add ‘\"’.");
        row("\"open", "\"open", "This quote is never closed: add ‘\"’.");
        row("failure:bad", "bad",
            "No kind of failure is called ‘bad’; there are instantiation, compile-host, compile-device, "
            "runtime-device, wrong-answer, build-timeout, run-timeout, unknown.");
        row("speed > 3", "speed",
            "There is no field ‘speed’; there are time, gflops, peak, spread, error, rank, trial, sketch, round, gen, "
            "predicted, build, run, again, mutation, failure, reason, note, and loops that are split, such as C.i.");
        row("D.x:1x2", "D.x", "No schedule here splits a loop ‘D.x’; there are C.i, C.j, C.k, C.local.i.");
        row("C.i[x] > 2", "C.i[x]",
            "‘x’ is no place among the factors: count them from 0, outermost first, as in ‘C.i[2] >= 8’.");
        row("C.i > 2", ">",
            "‘C.i’ has several factors: compare one of them, as in ‘C.i[2] >= 8’, or all, as in ‘C.i:1x8x16x4’.");
        row("C.i:", ":", "‘C.i:’ needs factors behind it, as in ‘C.i:1x8x16x4’.");
        row("C.i:1xy", "1xy",
            "‘1xy’ is no list of factors: write numbers joined by x, ? for any, as in ‘C.i:1x8x16x4’.");
        row("failed C.l", "C.l",
            "‘C.l’ begins the name of a loop that is split: compare its factors, as in ‘C.local.i:1x8x16x4’ or "
            "‘C.local.i[2] >= 8’.");
        row("not", "not", "‘not’ turns round what follows it, so a condition must follow, as in ‘not failed’.");
        row("failed -", "-", "‘-’ turns round what follows it, so a condition must follow, as in ‘not failed’.");
        row("or failed", "or",
            "A condition is missing here: write one on both sides of ‘and’ and ‘or’ and inside brackets, as in ‘pinned "
            "or rank <= 10’.");
        row("failed || ", "",
            "A condition is missing here: write one on both sides of ‘and’ and ‘or’ and inside brackets, as in ‘pinned "
            "or rank <= 10’.");
        row("failed &&", "",
            "A condition is missing here: write one on both sides of ‘and’ and ‘or’ and inside brackets, as in ‘pinned "
            "or rank <= 10’.");
        row("failed && && valid", "&&",
            "A condition is missing here: write one on both sides of ‘and’ and ‘or’ and inside brackets, as in ‘pinned "
            "or rank <= 10’.");
        row("and failed", "and",
            "A condition is missing here: write one on both sides of ‘and’ and ‘or’ and inside brackets, as in ‘pinned "
            "or rank <= 10’.");
        row("|| failed", "||",
            "A condition is missing here: write one on both sides of ‘and’ and ‘or’ and inside brackets, as in ‘pinned "
            "or rank <= 10’.");
        row("failed, pinned", ",",
            "‘,’ joins nothing here: conditions next to each other must all hold, and ‘or’ joins alternatives, as in "
            "‘pinned or failed’.");
        row("failed > 3", ">", "‘failed’ is a state, not a number: write ‘failed’ or ‘not failed’.");
        row("pinned:maybe", ":", "‘pinned’ is a state, not a number: write ‘pinned’ or ‘not pinned’.");
        row("rank:1-10", "1-10", "A range is written with two full stops, as in ‘1..10’.");
        row("time:1ms-2ms", "1ms-2ms", "A range is written with two full stops, as in ‘1ms..2ms’.");
        row("peak > 50", "50", "‘50’ alone would be 5000 %: write ‘50%’.");
        row("not && failed", "not",
            "‘not’ turns round what follows it, so a condition must follow, as in ‘not failed’.");
        row("()", ")",
            "A condition is missing here: write one on both sides of ‘and’ and ‘or’ and inside brackets, as in ‘pinned "
            "or rank <= 10’.");
        row("(failed", "(", "This bracket is never closed: add ‘)’.");
        row("failed)", ")", "This bracket closes nothing: take it away, or open one with ‘(’ in front.");
        row("< 3", "<", "‘<’ needs a field in front, as in ‘time < 2ms’.");
    }

    void refusals() {
        QFETCH(QString, text);
        QFETCH(QString, at);
        QFETCH(QString, sentence);
        const ParsedFilter parsed = parseTrialFilter(text, kTiles);
        QVERIFY(!parsed.filter);
        QVERIFY(parsed.problem.has_value());
        QCOMPARE(parsed.problem->sentence, sentence);
        QCOMPARE(text.mid(parsed.problem->at, parsed.problem->length), at);
    }

    void aMissingConditionIsPointedAtBehindTheText() {
        const ParsedFilter parsed = parseTrialFilter(u("failed or "), kTiles);
        QVERIFY(parsed.problem.has_value());
        QCOMPARE(parsed.problem->at, 10);
        QVERIFY(parsed.problem->length >= 1);
    }

    void hints_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("sentence"); // empty: none
        const auto row = [](const char *text, const char *sentence) { QTest::newRow(text) << u(text) << u(sentence); };
        row("faild", "‘faild’ stands in no reason, note or mutation here; did you mean ‘failed’?");
        row("stable", "‘stable’ stands in no reason, note or mutation here; did you mean ‘unstable’?");
        row("not pined", "‘pined’ stands in no reason, note or mutation here; did you mean ‘pinned’?");
        row("flops", "‘flops’ stands in no reason, note or mutation here; did you mean ‘gflops > 100’?");
        row("fail*", "‘fail*’ stands in no reason, note or mutation here; did you mean ‘failed’?");
        row("pinned or quick",
            "‘quick’ stands in no reason, note or mutation here. States are failed, valid, pinned, unstable, best, "
            "noted, remeasured, logged; numbers are compared, as in ‘time < 2ms’.");
        row("mutation:magic", "No mutation here is called ‘magic’; there are tile-size, unroll.");
        row("failure:compile", "No trial failed with ‘compile’.");
        row("note:zebra", "No note contains ‘zebra’.");
        row("reason:zebra", "No reason contains ‘zebra’.");
        row("time > 1s", "‘time’ goes from 100.0 µs to 9.000 ms here.");
        row("sketch:99", "‘sketch’ goes from 0 to 2 here.");
        row("build > 1s", "‘build’ is 500.0 ms in every trial that has one.");
        row("peak > 10%", "The peak of this machine is not measured yet, so no trial has a share of it.");
        row("C.k[0] > 1", "No schedule here splits C.k.");
        row("C.i[9] > 0", "No schedule here splits C.i in that way.");
        row("pinned failed", "Each condition holds for some trial, but no trial satisfies them together; ‘or’ joins "
                             "alternatives.");
        row("logged valid sketch:1", "");
        row("logged valid sketch:0", "Each condition holds for some trial, but no trial satisfies them together; ‘or’ "
                                     "joins alternatives.");
        row("pinned or time > 1s", ""); // something passes, and every word is one of the language
        row("failed", "");
    }

    void hints() {
        QFETCH(QString, text);
        QFETCH(QString, sentence);
        const auto document = tenTrials();
        TrialFacts facts;
        facts.setDocument(document.get());
        QStringList tiles = facts.tileColumns();
        const ParsedFilter parsed = parseTrialFilter(text, QStringList(tiles) << u("C.k"));
        QVERIFY2(!parsed.problem, parsed.problem ? qPrintable(parsed.problem->sentence) : "");
        bool nothing = true;
        for (int t = 0; t < facts.size(); ++t) nothing = nothing && !parsed.filter->matches(facts, t);
        QCOMPARE(parsed.filter->hint(facts, nothing), sentence);
    }

    void nestingIsLimited() {
        const ParsedFilter deep = parseTrialFilter(QString(100'000, QLatin1Char('(')), kTiles);
        QVERIFY(deep.problem.has_value());
        QCOMPARE(deep.problem->sentence, u("Brackets and ‘not’ go more than 100 deep here; fewer will do."));
        QVERIFY(parseTrialFilter(QString(100'000, QLatin1Char('-')) + u("failed"), kTiles).problem.has_value());
    }

    void anyTextIsAnsweredOneWayOrTheOther() {
        // Pieces of filters in random order: never both a filter and a problem, the place inside the text.
        const QStringList pieces{u("time"), u("<"),   u("2ms"), u("("),   u(")"),  u("-"),      u("not"),  u("or"),
                                 u("C.i"),  u("[2]"), u(":"),   u("1x2"), u("\""), u("failed"), u("note"), u(" "),
                                 u("="),    u(".."),  u("&&"),  u("||"),  u("!"),  u(","),      u("and")};
        unsigned random = 7;
        for (int round = 0; round < 20'000; ++round) {
            QString text;
            for (int i = 0; i < 7; ++i) {
                random = random * 1664525U + 1013904223U;
                text += pieces[static_cast<qsizetype>(random >> 16) % pieces.size()];
                if ((random & 4096U) != 0) text += QLatin1Char(' ');
            }
            const ParsedFilter parsed = parseTrialFilter(text, kTiles);
            QVERIFY2(parsed.filter == nullptr || !parsed.problem, qPrintable(text));
            QVERIFY2(parsed.filter != nullptr || parsed.problem || text.trimmed().isEmpty(), qPrintable(text));
            if (!parsed.problem) continue;
            QVERIFY2(parsed.problem->at >= 0 && parsed.problem->at <= text.size(), qPrintable(text));
            QVERIFY2(parsed.problem->length > 0 && parsed.problem->sentence.endsWith(QLatin1Char('.')),
                     qPrintable(text));
        }
    }

    void knowsWhatNewTrialsCanChange() {
        QVERIFY(parseTrialFilter(u("rank < 3"), {}).filter->relative());
        QVERIFY(parseTrialFilter(u("-(failed or best)"), {}).filter->relative());
        QVERIFY(!parseTrialFilter(u("time < 3ms failed"), {}).filter->relative());
    }

    void reasonsThatDifferInNumbersAreOne() {
        QCOMPARE(reasonPattern("wrote 4096 bytes past 0.5e-3 at 17."), std::string("wrote # bytes past # at #."));
        QCOMPARE(reasonPattern(""), std::string());
    }

    void completes_data() {
        QTest::addColumn<QString>("text"); // | is the cursor
        QTest::addColumn<QString>("words");
        QTest::newRow("field") << u("ti|") << u("time");
        QTest::newRow("flag") << u("time < 2ms pi|") << u("pinned");
        QTest::newRow("text field") << u("mu|") << u("mutation:");
        QTest::newRow("mutation") << u("mutation:t|") << u("tile-size");
        QTest::newRow("failure") << u("failure:r|") << u("runtime-device run-timeout");
        QTest::newRow("loop") << u("-C.l|") << u("C.local.i");
        QTest::newRow("in the middle") << u("fa| sketch:1") << u("failure: failed");
        QTest::newRow("number") << u("time < 2|") << u("");
        QTest::newRow("nothing typed") << u("failed |") << u("");
    }

    void completes() {
        QFETCH(QString, text);
        QFETCH(QString, words);
        const auto cursor = static_cast<int>(text.indexOf(QLatin1Char('|')));
        text.remove(cursor, 1);
        const FilterCompletion completion = completeFilter(text, cursor, false, kTiles, {u("tile-size"), u("unroll")});
        QStringList offered;
        for (const FilterOffer &offer : completion.offers) offered << offer.word;
        QCOMPARE(offered.join(QLatin1Char(' ')), words);
    }
};

LOOPSCOPE_TEST(TrialFilterTest)

} // namespace trial_filter_test
#include "trial_filter_test.moc"
