// Schedules as text: steps -> script -> steps is the identity for random schedules of all step kinds, and each thing
// that can be wrong with a line is said with its place and with what would be legal.

#include "harness/ordered_dags.h"
#include "harness/random_schedule.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "schedule/script/schedule_script.h"
#include "schedule/script/script_words.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace loopscope;

namespace {

QString jsonOf(const Steps &steps) { return QString::fromStdString(stepsText(steps)); }

QStringList listOf(const std::vector<std::string> &texts) {
    QStringList list;
    for (const std::string &text : texts) list << QString::fromStdString(text);
    return list;
}

/// Applied without a problem, or the problem as the test's failure.
AppliedScript appliedScript(const DagPtr &dag, const std::string &script) {
    AppliedScript applied = applyScript(dag, script);
    if (applied.problem) throw std::runtime_error(applied.problem->text("script"));
    return applied;
}

/// Those of scans and scatters behind the others.
std::vector<DagPtr> everyDag() {
    std::vector<DagPtr> dags = smallDags();
    for (const DagPtr &dag : orderedDags()) dags.push_back(dag);
    return dags;
}

} // namespace

class ScheduleScriptTest : public QObject {
    Q_OBJECT
  private slots:
    void aMatmulByHand() {
        const DagPtr dag = matmulDag(512, 512, 512);
        const std::string script = "split C i into 4, 2, 16\n"
                                   "split C j into 2, 1, 32\n"
                                   "split C k into 8\n"
                                   "reorder C i.0, j.0, i.1, j.1, k.0, i.2, j.2, k.1, i.3, j.3\n"
                                   "fuse C i.0, j.0\n"
                                   "parallel C i.0@j.0@\n"
                                   "pragma C i.0@j.0@ auto_unroll_max_step$64\n"
                                   "vectorize C j.3\n";
        const AppliedScript applied = appliedScript(dag, script);
        QCOMPARE(jsonOf(applied.state.steps()),
                 QString(R"([["SP", 2, 0, 512, [4, 2, 16], 1], ["SP", 2, 4, 512, [2, 1, 32], 1], )"
                         R"(["SP", 2, 8, 512, [8], 1], ["RE", 2, [0, 4, 1, 5, 8, 2, 6, 9, 3, 7]], )"
                         R"(["FU", 2, [0, 1]], ["AN", 2, 0, 3], ["PR", 2, 0, "auto_unroll_max_step$64"], )"
                         R"(["AN", 2, 8, 2]])"));
        QCOMPARE(applied.lines, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
        QCOMPARE(QString::fromStdString(scriptOf(dag, applied.state.steps()).value()), QString::fromStdString(script));
    }

    void everyPrimitiveReadsAndWrites() {
        const DagPtr dag = matmulBiasReluDag(64, 64, 64);
        std::map<std::string_view, int> seen;
        const std::vector<const char *> scripts = {
            "cache_write D global\n"
            "s1: split D.global i_c into 4, ?\n"
            "s2: split D.global j_c of 0 into outer 8\n"
            "compute_at C D.global i_c.0\n"
            "compute_root C\n"
            "cache_read A local C\n"
            "storage_align C i 16 8\n"
            "serial D j\n"
            "unroll D i\n"
            "tensorize D i\n",
            "s0: split C i into 4, 8\n"
            "s1: split C j into 4, 2\n"
            "follow_split D i like s0 parts 1\n"
            "follow_fused_split D j like s0, s1 level 1\n"
            "follow_fused_split D j.0 like s0 level 0 outer\n"
            "bind D i.0 blockIdx.x\n"
            "compute_at C D i.0\n",
            "split C k into 8\n"
            "rfactor C k.0 at 2\n"
            "compute_inline D\n",
        };
        for (const char *script : scripts) {
            const AppliedScript applied = applyScript(dag, script);
            for (const Step &step : applied.state.steps()) ++seen[primitiveOf(step)];
            if (applied.problem) { // the last line of a list may be refused, but not its reading
                QVERIFY2(applied.problem->rule != "syntax" && applied.problem->rule != "name" &&
                             applied.problem->rule != "label",
                         applied.problem->text("script").c_str());
                continue;
            }
            QCOMPARE(QString::fromStdString(scriptOf(dag, applied.state.steps()).value()), QString(script));
        }
        for (const char *primitive : {"split", "follow_split", "follow_fused_split", "bind", "compute_at", "rfactor",
                                      "cache_write", "cache_read", "storage_align", "unroll", "serial", "compute_root"})
            QVERIFY2(seen[primitive] > 0, primitive);
    }

    void randomSchedulesComeBack_data() {
        QTest::addColumn<int>("dag");
        for (size_t i = 0; i < everyDag().size(); ++i) QTest::addRow("dag %zu", i) << static_cast<int>(i);
    }
    void randomSchedulesComeBack() {
        QFETCH(int, dag);
        const DagPtr of = everyDag()[static_cast<size_t>(dag)];
        Random random(7, static_cast<uint64_t>(dag));
        for (int n = 0; n < 40; ++n) {
            const LoopState state = randomSchedule(of, random, {.shared = true});
            const auto script = scriptOf(of, state.steps());
            QVERIFY(script.ok());
            const AppliedScript applied = applyScript(of, *script);
            QVERIFY2(!applied.problem,
                     (applied.problem ? applied.problem->text("script") + "\n" + *script : std::string()).c_str());
            QCOMPARE(jsonOf(applied.state.steps()), jsonOf(state.steps()));
            QCOMPARE(applied.state.text(false), state.text(false));
            QCOMPARE(scriptOf(of, applied.state.steps()).value(), *script);
            QCOMPARE(applied.lines.size(), state.steps().size());
        }
    }

    void commentsBlanksAndLabels() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const AppliedScript applied = appliedScript(dag, "# by hand\n\n  rows: split  C i into 8 # eight\r\n"
                                                         "\tfollow_split C j like rows parts 1\n\n"
                                                         "vectorize C j.1");
        QCOMPARE(applied.lines, (std::vector<int>{3, 4, 6}));
        QCOMPARE(jsonOf(applied.state.steps()),
                 QString(R"([["SP", 2, 0, 64, [8], 1], ["FSP", 2, 2, 0, 1], ["AN", 2, 3, 2]])"));
        QVERIFY(appliedScript(dag, "").state.steps().empty());
        QVERIFY(appliedScript(dag, "\n# nothing\n").state.steps().empty());
    }

    void namesThatAreNoWordsStandInQuotes() {
        for (const char *name : {"C", "i.0@j.0@", "data.local", "a b", "say \"x\"", "back\\slash", "two\nlines",
                                 "größe", "#", "a,b", "a~2", ""})
            for (const int occurrence : {0, 1, 11}) {
                const auto tokens = scriptTokens(scriptName(name, occurrence) + " # comment");
                QCOMPARE(tokens.size(), size_t{2});
                QVERIFY(tokens.front().kind == ScriptToken::Kind::Word);
                QCOMPARE(tokens.front().text, std::string(name));
                QCOMPARE(tokens.front().occurrence, occurrence);
            }
    }

    void aLoopOfTheSameNameIsCounted() {
        const DagPtr dag = matmulDag(64, 64, 64);
        // i.0 of the second split and the first loop's own part are both called so once i.0 is split and fused again.
        const LoopState state = stateOf(dag, R"([["SP", 2, 0, 64, [8], 1], ["FU", 2, [0]], ["SP", 2, 0, 8, [2], 1]])");
        const auto &iters = state.stage(StageId(2)).iters;
        for (size_t i = 0; i < iters.size(); ++i) {
            const auto token = scriptTokens(scriptLoop(state, StageId(2), IterId(i))).front();
            int before = 0;
            for (size_t k = 0; k < i; ++k) before += iters[k].name == iters[i].name ? 1 : 0;
            QCOMPARE(token.text, iters[i].name);
            QCOMPARE(token.occurrence, before);
        }
    }

    void problems_data() {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("place"); // LINE:COLUMN PRIMITIVE RULE
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QStringList>("legal");
        const auto row = [](const char *name, const char *script, const char *place, const char *reason,
                            const QStringList &legal) {
            QTest::newRow(name) << QString(script) << QString(place) << QString(reason) << legal;
        };
        const QStringList splitLine = {"split STAGE LOOP [of EXTENT] into [outer] N, N, ..."};
        const QString splitReads = QString("; the line reads: ") + splitLine.front();
        row("misspelt primitive", "splitt C i into 4", "1:1 splitt name",
            "there is no primitive `splitt` (did you mean `split`?)", {});
        row("no stage", "split", "1:6 split syntax",
            ("a stage is missing: the line ends here" + splitReads).toUtf8().constData(), splitLine);
        row("unknown stage", "\nparallel D i", "2:10 parallel name", "there is no stage `D` here", {"A", "B", "C"});
        row("unknown loop", "split C x into 4", "1:9 split name", "there is no loop `x` in C, which has i, j, k",
            {"i", "j", "k"});
        row("loop of a placeholder", "parallel A i", "1:12 parallel name",
            "there is no loop `i` in A, which has no loops", {});
        row("second of one", "parallel C i~2", "1:12 parallel name",
            "there is no loop `i~2` in C, which has i, j, k (did you mean `i`?)", {"i", "j", "k"});
        row("no `into`", "split C i 4", "1:11 split syntax",
            ("`into` is missing: here stands `4`" + splitReads).toUtf8().constData(), {"into"});
        row("no number", "split C i into four", "1:16 split syntax",
            ("a length is a whole number, and `four` is none up to 1099511627776" + splitReads).toUtf8().constData(),
            {"1", "2", "4", "8", "16", "32", "64"});
        row("no length", "split C i into 0", "1:16 split syntax",
            ("a length is at least 1; `?` leaves it open" + splitReads).toUtf8().constData(),
            {"1", "2", "4", "8", "16", "32", "64"});
        row("more behind the end", "compute_root C now", "1:16 compute_root syntax",
            "the line goes on behind its end; the line reads: compute_root STAGE", {"compute_root STAGE"});
        row("unknown label", "rows: split C i into 4\nfollow_split C j like row parts 1", "2:23 follow_split label",
            "no line in front of this one is labelled `row` (did you mean `rows`?); a line is labelled so: row: split "
            "...",
            {"rows"});
        row("label twice", "a: split C i into 4\na: split C j into 4", "2:1  label",
            "there is a line labelled `a` already; labels differ", {});
        row("open quote", "split \"C i into 4", "1:7  syntax", "the quoted name has no end: a \" is missing", {});
        row("strange character", "split C i; into 4", "1:10  syntax",
            "a name with characters besides letters, digits and _.@$?- stands in quotes", {});
        row("nothing behind ~", "split C i~ into 4", "1:10  syntax",
            "behind ~ stands which of that name is meant, from 1", {});
        row("unknown thread", "bind C i blockIdx.w", "1:10 bind name",
            "`blockIdx.w` is no thread; there are vthread, blockIdx.x, threadIdx.x, blockIdx.y, threadIdx.y, "
            "blockIdx.z, threadIdx.z",
            {"vthread", "blockIdx.x", "threadIdx.x", "blockIdx.y", "threadIdx.y", "blockIdx.z", "threadIdx.z"});
    }
    void problems() {
        QFETCH(QString, script);
        QFETCH(QString, place);
        QFETCH(QString, reason);
        QFETCH(QStringList, legal);
        const AppliedScript applied = applyScript(matmulDag(64, 64, 64), script.toStdString());
        QVERIFY(applied.problem.has_value());
        const ScriptProblem &problem = *applied.problem;
        QCOMPARE(QString("%1:%2 %3 %4")
                     .arg(problem.line)
                     .arg(problem.column)
                     .arg(QString::fromStdString(problem.primitive), QString::fromStdString(problem.rule)),
                 place);
        QCOMPARE(QString::fromStdString(problem.reason), reason);
        if (!legal.isEmpty()) QCOMPARE(listOf(problem.legal), legal);
    }

    void aRefusedLineKeepsThoseBeforeIt() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const AppliedScript applied = applyScript(dag, "split C i into 4\nfuse C i.0, j\nparallel C i.0\n");
        QVERIFY(applied.problem.has_value());
        QCOMPARE(applied.problem->line, 2);
        QCOMPARE(applied.problem->rule, std::string("fused-consecutive"));
        QCOMPARE(applied.lines, std::vector<int>{1});
        QCOMPARE(applied.state.steps().size(), size_t{1});
        // The same sentence as the core's own refusal, without a number of a step.
        const auto refused = applied.state.apply(FuseStep{StageId(2), {IterId(0), IterId(2)}});
        QVERIFY(!refused.ok());
        QCOMPARE(applied.problem->reason, refused.why());
    }

    void refusalsSayWhatIsLegalByName() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const AppliedScript reduced = applyScript(dag, "parallel C i\nvectorize C i\n");
        QVERIFY(reduced.problem.has_value());
        QCOMPARE(reduced.problem->rule, std::string("annotated-once"));
        QVERIFY2(!reduced.problem->legal.empty(), reduced.problem->reason.c_str());
        const AppliedScript order = applyScript(dag, "reorder C j, i\n");
        QVERIFY(order.problem.has_value());
        QCOMPARE(order.problem->rule, std::string("order-lists-all"));
        const AppliedScript scope = applyScript(dag, "cache_write C \"\"\n");
        QVERIFY(scope.problem.has_value());
        QCOMPARE(scope.problem->rule, std::string("scope-named"));
    }

    void corruptScriptsAreToldWhere_data() {
        QTest::addColumn<int>("dag");
        for (size_t i = 0; i < smallDags().size(); ++i) QTest::addRow("dag %zu", i) << static_cast<int>(i);
    }
    void corruptScriptsAreToldWhere() {
        QFETCH(int, dag);
        const DagPtr of = smallDags()[static_cast<size_t>(dag)];
        Random random(13, static_cast<uint64_t>(dag));
        const std::string pieces[] = {"99999999999999999999",
                                      "-3",
                                      "0",
                                      "?",
                                      "~",
                                      "~0",
                                      "~99999999999",
                                      "\"",
                                      "\\",
                                      ",",
                                      ",,",
                                      ":",
                                      "#",
                                      "@",
                                      "@7",
                                      " ",
                                      "\n",
                                      "\t",
                                      std::string(1, '\0'),
                                      "\xc3",
                                      "split",
                                      "rfactor",
                                      "like s0",
                                      "into 1099511627776",
                                      "of 1099511627776",
                                      "level -1",
                                      "parts 2147483647",
                                      "at 2147483647",
                                      "auto_unroll_max_step$-1"};
        int refused = 0;
        for (int n = 0; n < 200; ++n) {
            std::string script = scriptOf(of, randomSchedule(of, random, {.attempts = 15}).steps()).value();
            for (uint64_t edits = 1 + random.below(3); edits > 0; --edits) {
                const size_t at = random.below(script.size() + 1);
                const std::string &piece = pieces[random.below(std::size(pieces))];
                if (random.below(2) == 0)
                    script.insert(at, piece);
                else
                    script.replace(at, std::min<size_t>(script.size() - at, 1 + random.below(6)), piece);
            }
            const AppliedScript applied = applyScript(of, script);
            const auto lines = static_cast<int>(std::count(script.begin(), script.end(), '\n')) + 1;
            for (const int line : applied.lines) QVERIFY(line >= 1 && line <= lines);
            QCOMPARE(applied.lines.size(), applied.state.steps().size());
            if (!applied.problem) {
                QVERIFY(scriptOf(of, applied.state.steps()).ok());
                continue;
            }
            ++refused;
            std::istringstream text(script);
            std::string line;
            for (int i = 0; i < applied.problem->line; ++i) std::getline(text, line);
            QVERIFY2(applied.problem->line <= lines && applied.problem->column >= 1 &&
                         applied.problem->column <= static_cast<int>(line.size()) + 1,
                     (script + "\n" + applied.problem->text("script")).c_str());
            QVERIFY(!applied.problem->rule.empty() && !applied.problem->reason.empty());
        }
        QVERIFY(refused > 50);
    }

    void primitivesAreTold() {
        for (const Primitive &primitive : primitives()) {
            QVERIFY(std::string(primitive.usage).starts_with(std::string(primitive.name) + " "));
            const AppliedScript applied = applyScript(matmulDag(8, 8, 8), std::string(primitive.name));
            QVERIFY(applied.problem.has_value());
            QCOMPARE(applied.problem->rule, std::string("syntax"));
        }
    }
};

LOOPSCOPE_TEST(ScheduleScriptTest)
#include "schedule_script_test.moc"
