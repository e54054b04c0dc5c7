// Logs against each other: which tasks are the same, whose best is better, and what the report says of it.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "log_lines.h"
#include "made_records.h"
#include "records/logs/diff_chart.h"
#include "records/logs/diff_report.h"
#include "records/logs/log_diff.h"
#include "records/logs/step_words.h"
#include "records/record/workload_key.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QTest>
#include <QXmlStreamReader>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace loopscope;

namespace {

/// The texts as logs, compared.
LogDiff diffOf(const std::vector<std::string> &texts, const DiffOptions &options = {}) {
    std::vector<std::unique_ptr<TestLog>> files;
    std::vector<LogDocument> logs;
    for (const std::string &text : texts) {
        files.push_back(std::make_unique<TestLog>(text));
        logs.push_back(LogDocument::open(files.back()->path()));
    }
    std::vector<const LogDocument *> all;
    for (const LogDocument &log : logs) all.push_back(&log);
    return diffLogs(all, options);
}

DiffVerdict verdictOf(const MadeRecord &first, const MadeRecord &other) {
    return diffOf({madeLine(first), madeLine(other)}).tasks.at(0).pairs.at(0).verdict;
}

const std::string kMatmul = R"(["matmul", 64, 64, 64])";

/// Two searches of one task with different seeds, and a task each that the other lacks.
std::string firstLog() {
    return madeLine({.seconds = {4e-3, 4.1e-3}, .tile = 2, .timestamp = 1000}) + madeLine({.seconds = {}, .tile = 64}) +
           madeLine({.seconds = {2e-3, 2.02e-3}, .tile = 4, .timestamp = 1005}) +
           madeLine({.seconds = {3e-3, 3.1e-3}, .tile = 8, .timestamp = 1010}) +
           madeLine({.key = R"(["softmax", 8, 8])", .seconds = {1e-5}});
}
std::string otherLog() {
    return madeLine({.seconds = {3e-3, 3.1e-3}, .tile = 8, .timestamp = 2000}) +
           madeLine({.seconds = {1e-3, 1.01e-3}, .tile = 16, .loop = 1, .timestamp = 2004}) +
           madeLine({.key = R"(["dense", 4, 4])", .seconds = {1e-6}});
}

} // namespace

class LogDiffTest : public QObject {
    Q_OBJECT
  private slots:
    void bestAgainstBest() {
        const LogDiff diff = diffOf({firstLog(), otherLog()});
        QCOMPARE(diff.tasks.size(), size_t{3});
        const TaskDiff &matmul = diff.tasks[0];
        QCOMPARE(matmul.task.key, kMatmul);
        QCOMPARE(matmul.task.by, MatchedBy::Key);
        QCOMPARE(matmul.sides[0]->records, size_t{4});
        QCOMPARE(matmul.sides[0]->failures, size_t{1});
        QCOMPARE(matmul.sides[0]->best, size_t{2});
        QCOMPARE(matmul.sides[1]->best, size_t{1});
        QVERIFY(std::fabs(*matmul.pairs[0].ratio - 1.005 / 2.01) < 1e-9);
        QCOMPARE(matmul.pairs[0].verdict, DiffVerdict::Better);
        QCOMPARE(diff.tasks[1].pairs[0].verdict, DiffVerdict::OnlyFirst);
        QCOMPARE(diff.tasks[2].pairs[0].verdict, DiffVerdict::OnlyOther);
        const DiffTotals &totals = diff.totals.at(0);
        QVERIFY(std::fabs(*totals.geomean - 0.5) < 1e-9);
        QCOMPARE(totals.won, size_t{1});
        QCOMPARE(totals.lost, size_t{0});
        QCOMPARE(totals.onlyFirst, size_t{1});
        QCOMPARE(totals.onlyOther, size_t{1});
        QCOMPARE(diffSentence(diff, 1),
                 std::string("B takes 50 % less time than A in the one task that both have: it is faster in 1, slower "
                             "in 0, and within noise in 0; 1 task only in A, 1 only in B."));
        QCOMPARE(diffSentence(diffOf({madeLine({}), madeLine({})}), 1),
                 std::string("No difference is seen between B and A: the times of their bests overlap in the one task "
                             "that both have (geometric mean of the ratios 1.000)."));
    }

    void curvesFallWhereTheBestDoes() {
        const DiffSide side = *diffOf({firstLog(), otherLog()}).tasks[0].sides[0];
        QCOMPARE(side.byTrial.size(), size_t{2});
        QCOMPARE(side.byTrial[0].x, 1.0);
        QCOMPARE(side.byTrial[1].x, 3.0);
        QCOMPARE(side.failedTrials, std::vector<uint32_t>{2});
        // The failed record has another clock: the time never runs backwards.
        for (size_t i = 1; i < side.byTime.size(); ++i) QVERIFY(side.byTime[i].x >= side.byTime[i - 1].x);
    }

    void structuresOfBoth() {
        const DiffPair pair = diffOf({firstLog(), otherLog()}).tasks[0].pairs[0];
        QCOMPARE(pair.structuresShared, size_t{1});
        QCOMPARE(pair.structuresInAll, size_t{2});
        QVERIFY(!pair.sameStructure);
    }

    void stepsOfTheBestsByNumber() {
        const DiffPair pair = diffOf({firstLog(), otherLog()}).tasks[0].pairs[0];
        QVERIFY(pair.stepsByNumber);
        QCOMPARE(pair.steps.size(), size_t{3});
        QCOMPARE(pair.steps[0].lineA, std::string("split loop 0 of stage 2 (extent 64) into ? x 4 x 2"));
        QCOMPARE(pair.steps[0].lineB, std::string("split loop 0 of stage 2 (extent 64) into ? x 16 x 2"));
        QCOMPARE(pair.steps[1].a + pair.steps[2].a, 0); // one in each, of another loop
        QCOMPARE(pair.steps[1].b + pair.steps[2].b, 0);
    }

    void stepsInWords_data() {
        QTest::addColumn<QString>("step");
        QTest::addColumn<QString>("words");
        const auto row = [](const char *step, const char *words) { QTest::newRow(step) << step << words; };
        row(R"(["AN", 1, 2, 3])", "annotate loop 2 of stage 1 as parallel");
        row(R"(["FU", 1, [0, 1]])", "fuse loops of stage 1: 0, 1");
        row(R"(["PR", 1, 0, "auto_unroll_max_step$16"])", "pragma at loop 0 of stage 1: auto_unroll_max_step$16");
        row(R"(["RE", 1, [1, 0]])", "reorder loops of stage 1 to 1, 0");
        row(R"(["SP", 1, 0, 64, [4, 8], 1])", "split loop 0 of stage 1 (extent 64) into ? x 4 x 8");
        row(R"(["SP", 1, 0, 0, [4, 8], 0])", "split loop 0 of stage 1 into 4 x 8 x ?");
        row(R"(["FSP", 1, 0, 3, 2])", "split loop 0 of stage 1 as step 3 does, into 3 parts");
        row(R"(["FFSP", 1, 0, [3, 4], 1, 1])",
            "split loop 0 of stage 1 by level 1 of steps 3, 4 multiplied, as inner length");
        row(R"(["SA", 1, 0, 32, 16])", "align storage at loop 0 of stage 1 to 32 elements, offset 16");
        row(R"(["CA", 1, 2, 3])", "compute stage 1 at loop 3 of stage 2");
        row(R"(["CI", 1])", "compute stage 1 inline");
        row(R"(["CR", 1])", "compute stage 1 at root");
        row(R"(["CHR", 1, "shared", [2, 3]])", "read stage 1 through a cache in shared, in stages 2, 3");
        row(R"(["CHW", 1, "local"])", "write stage 1 through a cache in local");
        row(R"(["RF", 1, 2, 0])", "factor the reduction by loop 2 of stage 1, as spatial axis 0");
    }
    void stepsInWords() {
        QFETCH(QString, step);
        QFETCH(QString, words);
        const Step read = stepFromJson(nlohmann::json::parse(step.toStdString()), 0);
        QCOMPARE(QString::fromStdString(stepWords(read).text), words);
        QVERIFY(words.startsWith(QString::fromStdString(stepWords(read).place)));
    }

    void keysAreFlattened() {
        const FlatKey nested = flatKeyOf(R"(["f", [1, [2]], ["TENSOR", [3], "float32"]])");
        QCOMPARE(nested.name, std::string("f"));
        QCOMPARE(nested.args, std::string("1,2,\"TENSOR\",3,\"float32\""));
        QVERIFY(nested == flatKeyOf(R"(["f", 1, 2, "TENSOR", 3, "float32"])"));
        QVERIFY(!(nested == flatKeyOf(R"(["f", 1, 2])")));
        QVERIFY(flatKeyOf(R"(["0123456789abcdef0123456789abcdef"])").isHash() && !nested.isHash());
        QCOMPARE(flatKeyOf("not JSON").name, std::string("not JSON"));
        const std::string deep = '[' + std::string(100, '[') + std::string(100, ']') + ']';
        QCOMPARE(flatKeyOf(deep).name, deep);
    }

    void verdicts() {
        const MadeRecord base{.seconds = {1e-3, 1.1e-3}};
        QCOMPARE(verdictOf(base, {.seconds = {1.08e-3, 1.2e-3}}), DiffVerdict::WithinNoise);
        QCOMPARE(verdictOf(base, {.seconds = {1.2e-3, 1.3e-3}}), DiffVerdict::Worse);
        QCOMPARE(verdictOf(base, {.seconds = {0.8e-3, 0.9e-3}}), DiffVerdict::Better);
        QCOMPARE(verdictOf(base, {.seconds = {}}), DiffVerdict::OnlyFirst);
        QCOMPARE(verdictOf({.seconds = {}}, base), DiffVerdict::OnlyOther);
        QCOMPARE(verdictOf({.seconds = {}}, {.seconds = {}}), DiffVerdict::NoneValid);
        // What was checked and not timed has not failed.
        const MadeRecord checked{.seconds = {}, .checked = true};
        QCOMPARE(verdictOf(base, checked), DiffVerdict::TimedInFirst);
        QCOMPARE(verdictOf(checked, base), DiffVerdict::TimedInOther);
        QCOMPARE(verdictOf(checked, {.seconds = {}}), DiffVerdict::NoneTimed);
        QCOMPARE(verdictText(DiffVerdict::TimedInOther, 2), std::string("timed only in C"));
        // One time each: taken to scatter by 3 %.
        QCOMPARE(verdictOf({.seconds = {1e-3}}, {.seconds = {1.02e-3}}), DiffVerdict::WithinNoise);
        QCOMPARE(verdictOf({.seconds = {1e-3}}, {.seconds = {1.05e-3}}), DiffVerdict::Worse);
    }

    void oldAndNewKeysAreOneTask() {
        const LogDiff diff =
            diffOf({madeLine({.key = R"(["abc", 1, 10, 1, 10])"}), madeLine({.key = R"(["abc", [1, 10], [1, 10]])"})});
        QCOMPARE(diff.tasks.size(), size_t{1});
        QCOMPARE(diff.tasks[0].task.by, MatchedBy::FlatKey);
        QVERIFY(diff.tasks[0].pairs[0].ratio.has_value());
    }

    void otherProcessorsAreOneTaskAndTold() {
        const LogDiff diff =
            diffOf({madeLine({}), madeLine({.target = "llvm -keys=cpu -mcpu=cascadelake", .cores = 8})});
        QCOMPARE(diff.tasks.size(), size_t{1});
        QVERIFY(diff.tasks[0].task.targetsDiffer);
        // Of several targets in one log none is the other's.
        const LogDiff several = diffOf({madeLine({}) + madeLine({.cores = 8}), madeLine({.cores = 2})});
        QCOMPARE(several.tasks.size(), size_t{3});
        // Another kind of target never is.
        QCOMPARE(diffOf({madeLine({}), madeLine({.target = "cuda -keys=cuda,gpu"})}).tasks.size(), size_t{2});
    }

    void layoutOptionsAreTold() {
        const LogDiff diff = diffOf({madeLine({}), madeLine({.layoutRewrite = 2})});
        QCOMPARE(diff.tasks.size(), size_t{1});
        QVERIFY(diff.tasks[0].task.layoutsDiffer);
        QVERIFY(diffHtml(diff).find("layout rewrite options differ") != std::string::npos);
    }

    void resolvedTasksAreMatchedByWorkload() {
        DiffOptions options;
        options.workloads = {{{"matmul 64x64x64", nullptr}}, {{"matmul 64x64x64", nullptr}}};
        const std::vector<std::string> texts{madeLine({.key = R"(["aaaa"])"}),
                                             madeLine({.key = R"(["bbbb", [64, 64]])"})};
        const LogDiff diff = diffOf(texts, options);
        QCOMPARE(diff.tasks.size(), size_t{1});
        QCOMPARE(diff.tasks[0].task.by, MatchedBy::Workload);
        QCOMPARE(taskTitle(diff.tasks[0].task), std::string("matmul 64x64x64"));
        QCOMPARE(diffOf(texts).tasks.size(), size_t{2});
    }

    void weights() {
        const std::string first = madeLine({.seconds = {1e-3}}) + madeLine({.key = R"(["b", [4]])", .seconds = {1e-3}});
        const std::string other = madeLine({.seconds = {2e-3}}) + madeLine({.key = R"(["b", [4]])", .seconds = {1e-3}});
        DiffOptions options;
        options.weights.byKey = {{R"(["b", 4])", 3}};
        LogDiff diff = diffOf({first, other}, options);
        QVERIFY(diff.weighted);
        QVERIFY(std::fabs(*diff.totals[0].geomean - std::sqrt(2.0)) < 1e-9);
        QVERIFY(std::fabs(*diff.totals[0].weightedGeomean - std::pow(2.0, 0.25)) < 1e-9);
        QVERIFY(std::fabs(diff.totals[0].secondsFirst - 4e-3) < 1e-12);
        QVERIFY(std::fabs(diff.totals[0].secondsOther - 5e-3) < 1e-12);
        weighTasks(diff, {.byRecords = true}); // two of each, in both logs together
        QVERIFY(diff.weighted);
        QCOMPARE(diff.tasks[1].weight, 2.0);
        QVERIFY(std::fabs(*diff.totals[0].weightedGeomean - std::sqrt(2.0)) < 1e-9);
        weighTasks(diff, {});
        QVERIFY(!diff.weighted);
        QVERIFY(std::fabs(diff.totals[0].secondsOther - 3e-3) < 1e-12);
    }

    void cancelledItHasTheTasksSoFar() {
        std::atomic<bool> cancelled = false;
        DiffOptions options;
        options.cancelled = &cancelled;
        options.progress = [&](size_t done, size_t) { cancelled = done == 1; };
        const LogDiff diff = diffOf({firstLog(), otherLog()}, options);
        QCOMPARE(diff.tasks.size(), size_t{1});
        QCOMPARE(diff.totals.size(), size_t{1});
    }

    void weightsThatAreNone_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("why");
        QTest::newRow("no JSON") << QByteArray("a = 2") << QByteArray("the file of weights is not JSON");
        QTest::newRow("a list") << QByteArray("[1]") << QByteArray("the weights are array");
        QTest::newRow("negative") << QByteArray(R"({"a": -1})") << QByteArray("must be a number of at least 0");
        QTest::newRow("a text") << QByteArray(R"({"a": "1"})") << QByteArray("must be a number of at least 0");
        QTest::newRow("deep") << QByteArray(1000, '[') << QByteArray("nests deeper");
    }
    void weightsThatAreNone() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, why);
        const TestLog file(text.toStdString(), "weights.json");
        try {
            (void)loadTaskWeights(file.path());
            QFAIL("it was read");
        } catch (const Error &error) {
            QVERIFY2(QByteArray(error.what()).contains(why), error.what());
        }
    }

    void threeLogs() {
        const LogDiff diff =
            diffOf({madeLine({.seconds = {2e-3}}), madeLine({.seconds = {1e-3}}), madeLine({.seconds = {4e-3}})});
        QCOMPARE(diff.totals.size(), size_t{2});
        QCOMPARE(*diff.totals[0].geomean, 0.5);
        QCOMPARE(*diff.totals[1].geomean, 2.0);
        const std::string html = diffHtml(diff);
        QVERIFY(html.find("C takes 100 % more time than A") != std::string::npos);
        // Several verdicts need room: each stands below its ratio.
        QVERIFY(html.find("0.500<br><span class=\"good\">better</span>") != std::string::npos);
        QVERIFY(html.find("2.000<br><span class=\"bad\">worse</span>") != std::string::npos);
        QVERIFY(
            diffCsv(diff).starts_with("key,target,workload,matched_by,weight,records_A,failures_A,best_seconds_A,low_A,"
                                      "high_A,records_B"));
    }

    void whatAThirdLogAloneHasIsInNeither() {
        const LogDiff diff = diffOf({madeLine({}), madeLine({}), madeLine({.key = R"(["third", 4])"})});
        QCOMPARE(diff.tasks.size(), size_t{2});
        QCOMPARE(diff.tasks[1].pairs[0].verdict, DiffVerdict::Neither);
        QCOMPARE(diff.tasks[1].pairs[1].verdict, DiffVerdict::OnlyOther);
        QCOMPARE(diff.totals[0].onlyFirst + diff.totals[0].onlyOther, size_t{0});
        QCOMPARE(diff.totals[1].onlyOther, size_t{1});
        QVERIFY(diffHtml(diff).find("in neither") != std::string::npos);
    }

    void nothingInCommon() {
        const LogDiff diff = diffOf({madeLine({}), ""});
        QVERIFY(!diff.totals[0].geomean);
        QCOMPARE(diffSentence(diff, 1),
                 std::string("A and B have no task in common that both have a timed record of; 1 "
                             "task only in A, 0 only in B."));
        QCOMPARE(diffOf({"", ""}).tasks.size(), size_t{0});
        QVERIFY(!diffHtml(diffOf({"", ""})).empty());
    }

    void cancelled() {
        const std::atomic<bool> yes = true;
        DiffOptions options;
        options.cancelled = &yes;
        QCOMPARE(diffOf({firstLog(), otherLog()}, options).tasks.size(), size_t{0});
    }

    /// One file, read as XML: tags are closed, nothing is fetched from elsewhere, no script runs.
    void theReportStandsAlone() {
        const std::string html = diffHtml(diffOf({firstLog() + madeLine({.key = "[\"<b>&\\\"x\", 1]"}), otherLog()}));
        QVERIFY(html.find("<b>&\"x") == std::string::npos); // what a log says is text
        for (const char *word : {"<script", "http://", "https://", "src=", "@import", "url("}) {
            std::string rest = html;
            const std::string svg = "http://www.w3.org/2000/svg"; // a name, not a place
            for (size_t at = rest.find(svg); at != std::string::npos; at = rest.find(svg)) rest.erase(at, svg.size());
            QVERIFY2(rest.find(word) == std::string::npos, word);
        }
        QVERIFY(html.find("prefers-color-scheme: dark") != std::string::npos);
        QVERIFY(html.find("1 of 1 trials failed") != std::string::npos);
        QVERIFY(html.find("+ split loop 0 of stage 2 (extent 64) into ? x 16 x 2") != std::string::npos);
        QString body = QString::fromStdString(html.substr(html.find("<body>")));
        body.truncate(body.lastIndexOf("</html>"));
        body.replace("<br>", "<br/>").replace("<details open>", "<details>");
        QXmlStreamReader reader(body);
        while (!reader.atEnd()) reader.readNext();
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    }

    void csvQuotesItsFields() {
        const std::string csv = diffCsv(diffOf({firstLog(), otherLog()}));
        QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), 4);
        QVERIFY2(csv.find("\n\"[\"\"matmul\"\", 64, 64, 64]\",llvm -keys=cpu -mcpu=znver3 "
                          "-num-cores=4,,key,1,4,1,0.00201,0.00197985,0.00204015,2,0,0.001005,0.000989925,") !=
                     std::string::npos,
                 csv.c_str());
    }

    void aChartNeedsPoints() {
        QCOMPARE(curveChart({}, ChartAxis::Trials), std::string());
        const LogDiff diff = diffOf({madeLine({.seconds = {}}), madeLine({.seconds = {}})});
        QCOMPARE(curveChart(diff.tasks[0].sides, ChartAxis::Trials), std::string());
        // All in one second: nothing can be said by time.
        const LogDiff instant = diffOf({madeLine({}), madeLine({})});
        QVERIFY(!curveChart(instant.tasks[0].sides, ChartAxis::Trials).empty());
        QCOMPARE(curveChart(instant.tasks[0].sides, ChartAxis::Time), std::string());
    }
};

LOOPSCOPE_TEST(LogDiffTest)
#include "log_diff_test.moc"
