// A record line and back: every version, the exact text, and a sentence for each way a line can be broken.

#include <QTest>

#include "records/record/record.h"
#include "test_program.h"
#include <cmath>

using namespace loopscope;

namespace {

const std::string kSteps =
    std::string(R"([[], [["CI", 5], ["SP", 2, 0, 64, [4, 1, 8], 1], ["FU", 2, [0, 1]], ["AN", 2, 0, 3], )") +
    R"(["PR", 2, 0, "auto_unroll_max_step$16"], ["RE", 2, [0, 2, 1]], ["CA", 1, 2, 1]]])";

std::string lineWith(const std::string &task, const std::string &result, const std::string &version) {
    return R"({"i": [)" + task + ", " + kSteps + R"(], "r": )" + result + R"(, "v": ")" + version + "\"}";
}

const char *const kResult = "[[0.000957008, 0.00012, 1e-05], 0, 0.97113, 1795231419]";

} // namespace

class RecordLineTest : public QObject {
    Q_OBJECT

  private slots:
    void everyVersionComesBackAsItWas_data() {
        QTest::addColumn<QByteArray>("line");
        const std::string params = "[-1, 16, 64, 49152, 2147483647, 1024, 8, 32]";
        const std::string key = "\"[\\\"matmul\\\", 64, 64, 64]\", \"llvm -keys=cpu \"";
        const auto add = [](const char *name, const std::string &line) {
            QTest::newRow(name) << QByteArray::fromStdString(line);
        };
        add("v0.1", lineWith("[" + key + "]", kResult, "v0.1"));
        add("v0.2", lineWith("[" + key + "]", kResult, "v0.2"));
        add("v0.3", lineWith("[" + key + ", " + params + "]", kResult, "v0.3"));
        add("v0.4", lineWith("[" + key + ", " + params + "]", kResult, "v0.4"));
        add("v0.4 with host", lineWith("[" + key + ", " + params + R"(, "llvm -mtriple=a"])", kResult, "v0.4"));
        add("v0.5", lineWith("[" + key + ", " + params + R"(, "", 1])", kResult, "v0.5"));
        add("v0.6", lineWith("[" + key + ", " + params + R"(, "", 2, []])", kResult, "v0.6"));
        add("input names", lineWith("[" + key + ", " + params + R"(, "", 0, ["a", "b"]])", kResult, "v0.6"));
        add("escapes", lineWith("[\"a\\\"\\\\\\n\\r\\tü€\", \"llvm -keys=cpu\"]", kResult, "v0.2"));
        // Members that no version knows, as they are spelled and where they are.
        const std::string plain = lineWith("[" + key + "]", kResult, "v0.2");
        const size_t result = plain.find("\"r\"");
        add("extra member at the end", plain.substr(0, plain.size() - 1) + ", \"host\": \"a, b\"}");
        add("extra members in front", "{\"note\":{\"a\": [1.50, \"}\\\"\"]}, \"b\": null, " + plain.substr(1));
        add("extra members everywhere", "{\"n\": 1, " + plain.substr(1, result - 1) + "\"\\u00fc\": true, " +
                                            plain.substr(result, plain.size() - result - 1) + ", \"z\": [[], {}]}");
        // Elements that a later version may have appended.
        add("seventh task element",
            lineWith("[" + key + ", " + params + R"(, "", 2, ["a"], {"of": [1, 2]}, "x, y"])", kResult, "v0.7"));
        add("fifth result element",
            lineWith("[" + key + "]", R"([[0.5], 0, 0.9, 1700000000, [1, "a, b"], 0.10])", "v0.2"));
        add("failed", lineWith("[" + key + "]", "[[1e+10], 7, 11.5, 1700000000]", "v0.2"));
    }
    void everyVersionComesBackAsItWas() {
        QFETCH(QByteArray, line);
        const Record record = parseRecord(line.toStdString(), "log.json", 3);
        QCOMPARE(record.line, 3);
        QCOMPARE(record.trial.steps.size(), size_t{7});
        QCOMPARE(QByteArray::fromStdString(recordLine(record)), line);
    }

    void readsValues() {
        const Record record = parseRecord(
            lineWith("[\"[\\\"m\\\", 1]\", \"llvm\", [4, 64, 32, 5, 6, 7, 8, 9], \"h\", 2, [\"x\"]]", kResult, "v0.6"),
            "", 1);
        QCOMPARE(record.key, std::string(R"(["m", 1])"));
        QCOMPARE(record.targetText, std::string("llvm"));
        QVERIFY(record.hardware == (HardwareParams{4, 64, 32, 5, 6, 7, 8, 9}));
        QCOMPARE(record.targetHost, std::string("h"));
        QCOMPARE(record.layoutRewrite, 2);
        QCOMPARE(record.inputNames, std::vector<std::string>{"x"});
        QCOMPARE(record.trial.seconds, (std::vector<double>{0.000957008, 0.00012, 1e-05}));
        QCOMPARE(record.trial.median(), 0.00012);
        QCOMPARE(record.trial.timestamp, int64_t{1795231419});
        QCOMPARE(record.trial.runSeconds, 0.97113);
        QVERIFY(record.trial.valid());
    }

    void readsAnySpacingOrderUnicodeAndUnknownMembers() {
        const Record record = parseRecord(
            "{\"v\":\"v0.2\",\"extra\":[1],\"r\":[[2],0,1.5,1.7e9],\"i\":[[\"\\u00fc\",\"llvm\"],[[],[]]]}", "", 1);
        QCOMPARE(record.key, std::string("ü"));
        QCOMPARE(record.trial.timestamp, int64_t{1700000000});
        QVERIFY(record.trial.steps.empty());
    }

    void failuresHaveAnsorsCost() {
        Record record = parseRecord(lineWith(R"(["k", "llvm"])", kResult, "v0.2"), "", 1);
        record.trial.error = TrialError::WrongAnswer;
        record.trial.seconds.clear();
        const std::string line = recordLine(record);
        QVERIFY2(line.find(R"("r": [[1e+10], 5, )") != std::string::npos, line.c_str());
        QVERIFY(parseRecord(line, "", 1).trial.seconds.empty());
        QVERIFY(std::isinf(parseRecord(line, "", 1).trial.median()));
    }

    void controlCharactersComeBack() {
        Record record = parseRecord(lineWith(R"(["k", "llvm"])", kResult, "v0.2"), "", 1);
        record.key = "k\x01\x1f";
        const std::string line = recordLine(record);
        QVERIFY2(line.find("k\\u0001\\u001f") != std::string::npos, line.c_str());
        QCOMPARE(parseRecord(line, "", 1).key, record.key);
    }

    void roundsToSixDigits() {
        Record record = parseRecord(lineWith(R"(["k", "llvm"])", kResult, "v0.2"), "", 1);
        record.trial.seconds = {0.00095700812345, 1.0 / 3, 12345678.9};
        record.trial.buildSeconds = 0.1;
        record.trial.runSeconds = 0.2;
        const std::string line = recordLine(record);
        QVERIFY2(line.find(R"([[0.000957008, 0.333333, 1.23457e+07], 0, 0.3, )") != std::string::npos, line.c_str());
        const Trial back = parseRecord(line, "", 1).trial;
        for (size_t i = 0; i < back.seconds.size(); ++i)
            QCOMPARE(back.seconds[i], loggedSeconds(record.trial.seconds[i]));
    }

    void targetsOfTodayAreRead() {
        const auto targetOf = [](const char *escaped) {
            return parseRecord(lineWith(R"(["k", ")" + std::string(escaped) + R"("])", kResult, "v0.6"), "", 1)
                .targetText;
        };
        QCOMPARE(
            targetOf(
                R"({\"kind\": \"llvm\", \"mcpu\": \"cascadelake\", \"num-cores\": 2, \"keys\": [\"cpu\"], \"tag\": \"\"})"),
            std::string("llvm -mcpu=cascadelake -num-cores=2 -keys=cpu"));
        QCOMPARE(targetOf("llvm -mcpu=znver3"), std::string("llvm -mcpu=znver3"));
        QCOMPARE(targetOf(R"({\"kind\": {}})"), std::string(R"({"kind": {}})")); // for whoever needs it to refuse
    }

    void saysWhatIsBroken_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("sentence"); // its beginning
        const std::string task = R"(["k", "llvm"])";
        const auto add = [](const char *name, const std::string &line, const char *sentence) {
            QTest::newRow(name) << QByteArray::fromStdString(line) << QByteArray(sentence);
        };
        const std::string whole = lineWith(task, kResult, "v0.6");
        add("cut off", whole.substr(0, whole.size() / 2), "the line is not JSON: it ");
        add("not an object", "[1, 2]", "a record is a JSON object, not array");
        add("no result", R"({"i": [["k", "llvm"], [[], []]], "v": "v0.6"})", "the record has no \"r\"");
        add("one task element", lineWith(R"(["k"])", kResult, "v0.6"), "the task must have 2 to 6 elements, not 1");
        add("key", lineWith(R"([1, "llvm"])", kResult, "v0.6"), "the workload key must be a string, not number");
        add("params", lineWith(R"(["k", "llvm", [1, 2]])", kResult, "v0.6"),
            "the hardware parameters must have 8 elements, not 2");
        add("rewrite", lineWith(R"(["k", "llvm", [1,1,1,1,1,1,1,1], "", 3])", kResult, "v0.6"),
            "the layout rewrite option must be 0, 1 or 2, not 3");
        add("stages", R"({"i": [["k", "llvm"], [[1], []]], "r": [[1], 0, 1, 1], "v": "v0.6"})",
            "the state's list of stages must have 0 elements, not 1");
        add("no times", lineWith(task, "[[], 0, 1, 1]", "v0.6"),
            "the list of times must have at least 1 element, not 0");
        add("no such number", lineWith(task, "[[1e999], 0, 1, 1]", "v0.6"),
            "the line holds a number that is out of range");
        add("nesting", std::string(100'000, '['), "the line nests deeper than 64 levels");
        add("nesting of objects", std::string(70, '{'), "the line nests deeper than 64 levels");
        add("negative time", lineWith(task, "[[0.1, -1], 0, 1, 1]", "v0.6"),
            "a time must be a positive number of seconds, not -1");
        add("zero time", lineWith(task, "[[0], 0, 1, 1]", "v0.6"),
            "a time must be a positive number of seconds, not 0");
        add("error number", lineWith(task, "[[1], 9, 1, 1]", "v0.6"), "the error number must be 0 to 8, not 9");
        add("short result", lineWith(task, "[[1], 0, 1]", "v0.6"), "the result must have 4 elements, not 3");
        add("AutoTVM",
            R"({"input": ["llvm", "conv2d_nchw.x86", [], {}], "config": {"index": 3}, "result": [[0.1], 0, 1, 1], "version": 0.2})",
            "this is a record of AutoTVM");
        add("old AutoTVM",
            R"({"i": ["llvm", "topi_x86_conv2d", [], {}, null, {"i": 3}], "r": [[0.1], 0, 1, 1], "v": 0.1})",
            "this is a record of AutoTVM");
        add("MetaSchedule", R"([0, [[[["GetSBlock", [], ["C", "main"], ["b0"]]], []], [0.1], {"kind": "llvm"}, []]])",
            "this is a tuning record of MetaSchedule");
        add("MetaSchedule workload", R"(["14096637468064709962", "xWAAAAAAAAB7"])",
            "this is a workload of MetaSchedule");
        add("open length",
            R"({"i": [["k", "llvm"], [[], [["SP", 2, 0, 64, [null], 1]]]], "r": [[1], 0, 1, 1], "v": "v0.6"})",
            "step 0 (SP) has an open length; a measured schedule has none");
    }
    void saysWhatIsBroken() {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, sentence);
        try {
            (void)parseRecord(line.toStdString(), "log.json", 12);
        } catch (const Error &error) {
            QVERIFY2(QByteArray::fromStdString(error.sentence()).startsWith(sentence), error.what());
            QVERIFY2(QByteArray(error.what()).startsWith("log.json:12:"), error.what());
            return;
        }
        QFAIL("the line was accepted");
    }

    void unknownStepNamesLineAndStep() {
        const std::string line = R"({"i": [["k", "llvm"], [[], [["XX", 1]]]], "r": [[1], 0, 1, 1], "v": "v0.6"})";
        try {
            (void)parseRecord(line, "log.json", 4);
        } catch (const Error &error) {
            QVERIFY2(QByteArray(error.what()).startsWith("log.json:4: "), error.what());
            QVERIFY2(QByteArray(error.what()).contains("XX"), error.what());
            return;
        }
        QFAIL("the line was accepted");
    }
};

LOOPSCOPE_TEST(RecordLineTest)
#include "record_line_test.moc"
