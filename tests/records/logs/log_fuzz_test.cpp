// The index of a log takes a line for a record exactly when parseRecord does, and reads the same of it; whatever stands
// in a line, nothing crashes, hangs or keeps memory. A line that fails is printed; its number brings it back
// (LOOPSCOPE_FUZZ_LINE); LOOPSCOPE_FUZZ_SEED gives other lines, LOOPSCOPE_FUZZ_COUNT more or fewer. With
// LOOPSCOPE_LONG_TESTS there are a million.

#include "base/outcome.h"
#include "base/random.h"
#include "generated_log.h"
#include "log_lines.h"
#include "record_mutations.h"
#include "records/logs/block_index.h"
#include "records/logs/log_document.h"
#include "records/record/log_text.h"
#include "records/record/record.h"
#include "strange_lines.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

using namespace loopscope;

namespace log_fuzz_test {

namespace {

constexpr uint64_t kSeed = 20261123;
const char *const kRecordBegin = "record of ";
constexpr double kMaxGrowth = 64; // MiB

double residentMebibytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        double kibibytes = 0;
        if (word == "VmRSS:" && status >> kibibytes) return kibibytes / 1024;
    }
    return 0;
}

/// Lines as logs have them: of every step kind, every version, failed and valid.
std::vector<std::string> wholeLines() {
    std::vector<std::string> lines;
    for (const char *name : {"matmul", "conv2d_bias_relu", "softmax", "norm", "depthwise_conv2d_nhwc", "matmul_cuda"}) {
        std::ifstream file(fmt::format("{}/tests/records/record/fuzz/{}.json", LOOPSCOPE_SOURCE_DIR, name));
        for (std::string line; std::getline(file, line);) lines.push_back(line);
    }
    for (int elements = 2; elements <= 6; ++elements)
        for (const int error : {0, 7})
            lines.push_back(logLine({.task = error, .elements = elements, .error = error, .times = "0.5, 0.25"}));
    for (size_t i = 0; lines.size() < 100; i += 61) {
        std::string line = GeneratedLog(3).lines(i);
        line.pop_back();
        if (!line.starts_with('#')) lines.push_back(line);
    }
    lines.push_back(
        R"({"i": [["k", "t"], [[], [["SA", 1, 2, 3, 4], ["CR", 2], ["CHW", 3, "local"], ["RF", 1, 2, 3]]]], )"
        R"("r": [[3], 0, 1, 1.5e9], "v": "v0.2"})");
    return lines;
}

/// What was read of a line, as text.
std::string textOf(const LogTask &task, int elements, const LineFacts &facts, uint64_t structure) {
    return fmt::format("{}{} {} {} {} {} {:x} {:x} {} {} {}", kRecordBegin, taskIdentity(task), elements, facts.seconds,
                       facts.spread, facts.timestamp, facts.steps, structure, facts.stepCount, facts.repeats,
                       static_cast<int>(facts.error));
}

std::string readByIndex(BlockIndexer &indexer, const std::string &line) {
    const BlockIndex block = indexer.index(line, 0);
    if (block.unreadable.size() + block.rows.size() + block.comments + block.emptyLines != 1) return "lost";
    if (!block.unreadable.empty()) return block.unreadable[0].reason;
    if (block.rows.empty()) return "comment";
    const LogRow &row = block.rows[0];
    LineFacts facts;
    facts.seconds = row.seconds;
    facts.spread = row.spread;
    facts.timestamp = row.timestamp;
    facts.steps = row.steps;
    facts.stepCount = row.stepCount;
    facts.repeats = row.repeats;
    facts.error = row.error;
    return textOf(block.tasks.at(row.task), row.taskElements, facts, block.structures.at(row.structure));
}

std::string readInFull(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (isLogComment(line)) return "comment";
    try {
        const Record record = parseRecord(line, "", 0);
        const LineFacts facts = factsOf(record);
        return textOf(taskOf(record), record.taskElements, facts, facts.structure);
    } catch (const Error &error) {
        return error.sentence();
    }
}

} // namespace

class LogFuzzTest : public QObject {
    Q_OBJECT

    /// Of all lines, at least one in `shareRead` is a record.
    template <typename Change> void compareLines(Change &&change, size_t shareRead) {
        bool other = false;
        const int asked = qEnvironmentVariableIntValue("LOOPSCOPE_FUZZ_SEED", &other);
        const uint64_t seed = other ? static_cast<uint64_t>(asked) : kSeed;
        int count = qEnvironmentVariableIntValue("LOOPSCOPE_LONG_TESTS") > 0 ? 1'000'000 : 1'500;
        if (const int wanted = qEnvironmentVariableIntValue("LOOPSCOPE_FUZZ_COUNT"); wanted > 0) count = wanted;
        bool one = false;
        const int only = qEnvironmentVariableIntValue("LOOPSCOPE_FUZZ_LINE", &one);

        const std::vector<std::string> lines = wholeLines();
        BlockIndexer indexer("fuzz.json");
        for (const std::string &line : lines) (void)indexer.index(line, 0);
        size_t records = 0;
        size_t unreadable = 0;
        double memory = 0;
        for (int n = one ? only : 0; n < (one ? only + 1 : count); ++n) {
            std::string line = change(lines, seed, static_cast<uint64_t>(n));
            std::replace(line.begin(), line.end(), '\n', ' ');
            if (line.empty()) continue;
            const std::string whole = readInFull(line);
            const std::string indexed = readByIndex(indexer, line);
            if (indexed != whole)
                QFAIL(fmt::format("line {}: indexed as {}, read as {}\n{}", n, indexed, whole, line).c_str());
            ++(whole.starts_with(kRecordBegin) ? records : unreadable);
            if (n == count / 10) memory = residentMebibytes();
        }
        if (one) return;
        QVERIFY2(records > static_cast<size_t>(count) / shareRead, std::to_string(records).c_str());
        QVERIFY2(unreadable > static_cast<size_t>(count) / 20, std::to_string(unreadable).c_str());
        [[maybe_unused]] const double growth = residentMebibytes() - memory;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they keep what is given back
        QVERIFY2(growth < kMaxGrowth, fmt::format("{} MiB more", growth).c_str());
#endif
    }

  private slots:
    void readsWholeLinesWithoutParsing() {
        BlockIndexer indexer("fuzz.json");
        for (const std::string &line : wholeLines()) {
            (void)indexer.index(line, 0); // the task is known from now on
            const size_t before = indexer.parsedLines();
            QCOMPARE(readByIndex(indexer, line), readInFull(line));
            QCOMPARE(indexer.parsedLines(), before);
        }
    }

    void readsMutatedLinesAsParseRecordDoes() { compareLines(mutatedLine, 4); }
    void readsStrangeLinesAsParseRecordDoes() { compareLines(strangeLine, 4); }

    /// What later versions and other programs add costs no parsing.
    void passesOverWhatNobodyKnows_data() {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<bool>("parsed");
        QTest::newRow("nothing") << QByteArray() << QByteArray() << false;
        QTest::newRow("member") << QByteArray("\"v\"")
                                << QByteArray("\"note\": {\"by\": [\"\xC3\xA4\", -1.5e3]}, \"v\"") << false;
        QTest::newRow("first") << QByteArray("{\"i\"") << QByteArray("{\"id\": null, \"i\"") << false;
        QTest::newRow("last") << QByteArray("\"v0.6\"}") << QByteArray("\"v0.6\", \"\": \"\\n\"}") << false;
        QTest::newRow("order") << QByteArray("{\"i\"") << QByteArray("{\"v\": \"v0.6\", \"i\"") << true; // twice
        QTest::newRow("result") << QByteArray(", 1700000001]") << QByteArray(", 1700000001, true, [0]]") << false;
        QTest::newRow("task") << QByteArray("1, []], [[]") << QByteArray("1, [], \"]\"], [[]") << false;
        QTest::newRow("escaped name") << QByteArray("\"v\"") << QByteArray("\"\\u0069\": 0, \"v\"") << true;
        QTest::newRow("blank in a tag") << QByteArray("\"SP\"") << QByteArray("\"SP \"") << true;
        QTest::newRow("blank before a tag") << QByteArray("\"SP\"") << QByteArray("\" SP\"") << true;
        QTest::newRow("infinite") << QByteArray("\"v\"") << QByteArray("\"x\": 1e400, \"v\"") << true;
    }
    void passesOverWhatNobodyKnows() {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(bool, parsed);
        QByteArray line = QByteArray::fromStdString(logLine({}));
        QVERIFY(from.isEmpty() || line.contains(from));
        if (!from.isEmpty()) line.replace(from, to);
        BlockIndexer indexer("fuzz.json");
        (void)indexer.index(line.toStdString(), 0);
        const size_t before = indexer.parsedLines();
        const std::string again = line.toStdString();
        QCOMPARE(readByIndex(indexer, again), readInFull(again));
        QCOMPARE(indexer.parsedLines() - before, parsed ? 1U : 0U);
    }

    /// Damaged anywhere, newlines included: the same records, the same sentences in the same lines as the loader's.
    void readsWholeLogsAsTheLoaderDoes() {
        const std::vector<std::string> lines = wholeLines();
        size_t records = 0;
        size_t unreadable = 0;
        for (uint64_t n = 0; n < 16; ++n) {
            Random random(kSeed, n);
            std::string text = n % 4 == 3 ? "\xEF\xBB\xBF" : "";
            for (int i = 0; i < 150; ++i) {
                const uint64_t kind = random.below(12);
                if (kind == 0) text += "# failed: number " + std::to_string(i);
                if (kind == 2) text += ' ';
                if (kind > 5) text += lines[random.index(lines.size())];
                if (kind == 1) text += strangeLine(lines, kSeed + n, static_cast<uint64_t>(i));
                if (kind > 1 && kind <= 5) text += mutatedLine(lines, kSeed + n, static_cast<uint64_t>(i));
                if (random.below(4) == 0) text += '\r';
                if (random.below(30) != 0) text += '\n';
            }
            const TestLog file(text);
            LogDocument::Options options;
            options.threads = static_cast<int>(n % 3) + 1;
            const LogDocument log = LogDocument::open(file.path(), options);
            const RecordLog loaded = loadRecordLog(file.path());
            QCOMPARE(log.size(), loaded.records.size());
            for (size_t i = 0; i < log.size(); ++i) {
                const Record record = log.record(i);
                QCOMPARE(record.line, loaded.records[i].line);
                QCOMPARE(recordComment(record) + recordLine(record),
                         recordComment(loaded.records[i]) + recordLine(loaded.records[i]));
            }
            QCOMPARE(log.unreadable().size(), loaded.skipped.size());
            for (size_t i = 0; i < loaded.skipped.size(); ++i) {
                QCOMPARE(log.unreadable()[i].line, loaded.skipped[i].line);
                QCOMPARE(log.unreadable()[i].reason, loaded.skipped[i].reason);
            }
            records += log.size();
            unreadable += loaded.skipped.size();
        }
        QVERIFY2(records > 500 && unreadable > 150, fmt::format("{} {}", records, unreadable).c_str());
    }
};

LOOPSCOPE_TEST(LogFuzzTest)

} // namespace log_fuzz_test
#include "log_fuzz_test.moc"
