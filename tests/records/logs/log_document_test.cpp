#include "base/outcome.h"
#include "log_lines.h"
#include "records/logs/log_document.h"
#include "records/record/record.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

using namespace loopscope;

namespace {

std::string whatOpenSays(const std::string &path) {
    try {
        (void)LogDocument::open(path);
    } catch (const Error &error) {
        return error.what();
    }
    return "opened";
}

/// Everything the documents hold, as text.
std::string textOf(const LogDocument &log) {
    std::string text;
    for (size_t i = 0; i < log.size(); ++i) {
        const LogRow &row = log.row(i);
        text += fmt::format("{} {} {} {} {} {} {} {:x} {} {} {} {} {} {} {} {}\n", row.offset, row.bytes, row.line,
                            row.task, row.spread, row.seconds, row.timestamp, row.steps, row.structure, row.comments,
                            row.reason, row.stepCount, row.repeats, static_cast<int>(row.error),
                            static_cast<int>(row.taskElements), static_cast<bool>(row.unstable));
    }
    for (const LogTask &task : log.tasks())
        text += fmt::format("{} {} {} {} {}\n", task.key, task.target, task.records, task.failures, task.best);
    for (const LogReason &reason : log.reasons())
        text += fmt::format("{} {} {}\n", reason.pattern, reason.records, reason.first);
    for (const SkippedLine &line : log.unreadable()) text += fmt::format("{} {}\n", line.line, line.reason);
    return text + fmt::format("{} {} {} {}\n", log.lines(), log.comments(), log.emptyLines(), log.structures());
}

/// Some megabytes of everything.
std::string largeLog() {
    std::string text;
    for (int i = 0; text.size() < size_t{5} << 20; ++i) {
        if (i % 7 == 0) text += "# build 0.31 s, error 0.02\n";
        const bool failed = i % 11 == 0;
        if (failed) text += fmt::format("# failed: element {} is {}, not {}.5\n", i, i * 2, i * 3);
        if (i % 5003 == 0) text += std::string(1 << 20, '\n');
        if (i % 997 == 0) text += std::string(3000, '#') + '\n';
        if (i % 301 == 0) text += "what is this?\n";
        text += logLine({.task = i % 13,
                         .number = i,
                         .elements = 2 + i % 5,
                         .error = failed ? 5 : 0,
                         .structure = i % 17,
                         .times = {}}) +
                (i % 3 == 0 ? "\r\n" : "\n");
    }
    return text;
}

} // namespace

class LogDocumentTest : public QObject {
    Q_OBJECT

  private slots:
    void readsWhatIsReadableAndListsTheRest() {
        const TestLog file("\xEF\xBB\xBF# a remark\r\n" + logLine({.number = 5, .times = "0.002, 0.004"}) + "\r\n\r\n" +
                           "garbage\n\n# failed: crashed at 17\n" +
                           logLine({.task = 1, .number = 6, .elements = 2, .error = 4}) + "\n# unstable\n" +
                           logLine({.number = 7, .elements = 3}) + "\n" + "{\"i\": [[\"half");
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.size(), size_t{3});
        QCOMPARE(log.lines(), size_t{10});
        QCOMPARE(log.comments(), size_t{3});
        QCOMPARE(log.emptyLines(), size_t{2});
        QVERIFY(log.complete());
        QVERIFY(!log.endsInNewline());

        const LogRow &first = log.row(0);
        QCOMPARE(first.line, 2U);
        QCOMPARE(first.seconds, 0.003);
        QVERIFY(std::fabs(first.spread - 2.0F / 3) < 1e-6F);
        QCOMPARE(first.repeats, uint16_t{2});
        QCOMPARE(first.stepCount, uint16_t{4});
        QCOMPARE(first.timestamp, int64_t{1700000005});
        QCOMPARE(static_cast<int>(first.taskElements), 6);
        QCOMPARE(first.bytes, static_cast<uint32_t>(logLine({.number = 5, .times = "0.002, 0.004"}).size()));
        const LogRow &second = log.row(1);
        QCOMPARE(second.line, 7U);
        QVERIFY(std::isinf(second.seconds));
        QVERIFY(second.error == TrialError::RuntimeDevice);
        QCOMPARE(log.reasons().at(0).pattern, std::string("crashed at #"));
        QCOMPARE(second.reason, uint16_t{1});
        QVERIFY(log.row(2).unstable);

        QCOMPARE(log.tasks().size(), size_t{3}); // without hardware it is another task
        QCOMPARE(log.tasks()[0].key, std::string(R"(["matmul", 64, 64, 64])"));
        QCOMPARE(log.tasks()[0].best, size_t{0});
        QCOMPARE(log.tasks()[1].failures, size_t{1});
        QCOMPARE(log.tasks()[1].best, SIZE_MAX);

        QCOMPARE(log.unreadable().size(), size_t{2});
        QCOMPARE(log.unreadable()[0].line, 4);
        QVERIFY2(log.unreadable()[0].reason.starts_with("the line is not JSON: "), log.unreadable()[0].reason.c_str());
        QCOMPARE(log.unreadable()[1].line, 10);
        QVERIFY2(log.unreadable()[1].reason.starts_with("the last line is cut off: the line is not JSON: "),
                 log.unreadable()[1].reason.c_str());
    }

    void linesAndRecordsComeFromTheFile() {
        const std::string failed = logLine({.number = 3, .error = 6});
        const TestLog file(logLine({.number = 2}) + "\n# build 0.25 s, error 0.5\n# failed: 15 s\\nwere not enough\n" +
                           failed + "\r\n");
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.line(0), logLine({.number = 2}));
        QCOMPARE(log.line(1), failed);
        QCOMPARE(log.comment(0), std::string());
        const Record record = log.record(1);
        QCOMPARE(record.line, 4);
        QCOMPARE(record.trial.reason, std::string("15 s\nwere not enough"));
        QCOMPARE(record.trial.buildSeconds, 0.25);
        QCOMPARE(recordLine(record), failed);
    }

    void membersThatNoVersionKnowsAreKept() {
        const std::string line = logLine({.number = 2});
        const std::string extra = line.substr(0, line.size() - 1) + ", \"run\": \"7/a\"}";
        const TestLog file(line + "\n" + extra + "\n");
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.size(), size_t{2});
        QCOMPARE(log.line(1), extra);
        QCOMPARE(recordLine(log.record(1)), extra);
        QCOMPARE(log.row(0).steps, log.row(1).steps);
    }

    void stepsAndStructuresTellSchedulesApart() {
        const TestLog file(logLine({.number = 1}) + "\n" + logLine({.number = 2}) + "\n" +
                           logLine({.number = 1, .elements = 2}) + "\n" + logLine({.number = 1, .structure = 1}) +
                           "\n" +
                           R"({"v":"x","r":[[1e-6],0,1,1],"i":[["k","t"],[[],[["SP",2,0,64,[1,1,8],true],)"
                           R"(["RE",2,[0,2,1,3]],["AN",2,0,3],["PR",2,0,"auto_unroll_max_step$32"]]]]})" +
                           "\n");
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.size(), size_t{5});
        QCOMPARE(log.structures(), size_t{2});
        QVERIFY(log.row(0).steps != log.row(1).steps);
        QCOMPARE(log.row(0).structure, log.row(1).structure);
        QCOMPARE(log.row(0).steps, log.row(2).steps);
        QVERIFY(log.row(0).steps != log.row(3).steps);
        QCOMPARE(log.row(3).structure, 1U);
        QCOMPARE(log.row(4).steps, log.row(0).steps); // however it is spelled
    }

    void isTheSameWithAnyNumberOfThreads() {
        const std::string text = largeLog();
        const TestLog file(text);
        std::string one;
        for (const int threads : {1, 2, 5}) {
            LogDocument::Options options;
            options.threads = threads;
            const LogDocument log = LogDocument::open(file.path(), options);
            if (threads == 1) one = textOf(log);
            QVERIFY(log.size() > 10'000);
            QVERIFY(textOf(log) == one);
        }
        // As the loader of whole logs has it.
        const LogDocument log = LogDocument::open(file.path());
        const RecordLog whole = loadRecordLog(file.path());
        QCOMPARE(log.size(), whole.records.size());
        QCOMPARE(log.unreadable().size(), whole.skipped.size());
        for (size_t i = 0; i < log.size(); ++i) {
            const Record &record = whole.records[i];
            QCOMPARE(static_cast<int>(log.row(i).line), record.line);
            QCOMPARE(log.row(i).reason > 0, !record.trial.reason.empty());
            if (i % 100 == 0)
                QCOMPARE(recordComment(log.record(i)) + log.line(i), recordComment(record) + recordLine(record));
        }
        QCOMPARE(log.reasons().size(), size_t{1});
        QCOMPARE(log.reasons()[0].pattern, std::string("element # is #, not #"));
    }

    void linesLongerThanAnyRecordAreListed() {
        const std::string tooLong((size_t{9} << 20) + 5, 'x');
        const TestLog file(logLine({}) + "\n" + tooLong + "\n" + logLine({}) + "\n" + tooLong);
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.size(), size_t{2});
        QCOMPARE(log.row(1).line, 3U);
        QCOMPARE(log.unreadable().size(), size_t{2});
        for (const SkippedLine &line : log.unreadable())
            QCOMPARE(QString::fromStdString(line.reason).remove("the last line is cut off: "),
                     QString("the line has 9437189 bytes, a record at most 8388608"));
        QCOMPARE(log.unreadable()[1].line, 4);
    }

    void anEmptyLogHasNoRecords() {
        const TestLog file("");
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.size(), size_t{0});
        QVERIFY(log.rowsFrom(0).empty());
        QVERIFY(log.endsInNewline());
        QVERIFY(log.unreadable().empty());
    }

    void whatCannotBeReadIsRefused() {
        const TestLog file("");
        QCOMPARE(whatOpenSays(file.path() + ".gone"),
                 file.path() + ".gone: the log cannot be opened: No such file or directory");
        const std::string folder = file.path().substr(0, file.path().rfind('/'));
        QCOMPARE(whatOpenSays(folder), folder + ": the log cannot be read: it is a directory");
        QCOMPARE(whatOpenSays("/dev/null"),
                 std::string("/dev/null: the log cannot be read: it is a device; give a file or a pipe"));
    }

    void tellsOfProgressAndOfFirstRowsAndIsCancelled() {
        const TestLog file(largeLog());
        std::atomic<bool> cancelled = false;
        size_t seen = 0;
        LogDocument::Options options;
        options.cancelled = &cancelled;
        options.progress = [&](uint64_t done, uint64_t of) { QVERIFY(done <= of); };
        options.grown = [&](const LogDocument &soFar) {
            seen = soFar.size();
            QVERIFY(!soFar.record(seen - 1).key.empty());
            cancelled = true;
        };
        const LogDocument log = LogDocument::open(file.path(), options);
        QVERIFY(seen >= 1000);
        QVERIFY(!log.complete());
        QCOMPARE(log.size(), seen);
    }

    void whatWasWrittenOverIsNotTakenForTheRecord() {
        TestLog file(logLine({.number = 2}) + "\n" + logLine({.number = 3}) + "\n");
        const LogDocument log = LogDocument::open(file.path());
        const auto said = [&] {
            try {
                return log.line(1);
            } catch (const Error &error) {
                return error.sentence();
            }
        };
        file.replace(logLine({.number = 2}) + "\n" + logLine({.number = 4}) + "\n");
        QCOMPARE(said(), std::string("the log is no longer what it was: another line stands here now; open it again"));
        file.replace("");
        QCOMPARE(said(), std::string("the log has become shorter since it was opened; open it again"));
    }

    void followsWhatIsAppended() {
        TestLog file(logLine({.number = 1}) + "\n" + logLine({.number = 2}).substr(0, 50));
        LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.size(), size_t{1});
        QCOMPARE(log.unreadable().size(), size_t{1});
        QVERIFY(log.follow() == LogDocument::Change::None);
        file.append(logLine({.number = 2}).substr(50));
        (void)log.follow();
        QCOMPARE(log.size(), size_t{1}); // its newline is missing
        QVERIFY(log.unreadable().empty());
        file.append("\n# failed: it crashed\n");
        QVERIFY(log.follow() == LogDocument::Change::Grown);
        QCOMPARE(log.size(), size_t{2});
        file.append(logLine({.number = 3, .error = 4}) + "\nnonsense\n");
        QVERIFY(log.follow() == LogDocument::Change::Grown);
        QCOMPARE(log.size(), size_t{3});
        QCOMPARE(log.row(2).line, 4U);
        QCOMPARE(log.record(2).trial.reason, std::string("it crashed"));
        QCOMPARE(log.reasons().size(), size_t{1});
        QVERIFY(textOf(log) == textOf(LogDocument::open(file.path())));
    }

    /// A writer in another thread, which ends lines when it likes.
    void followsAWriterOfHalfLines() {
        constexpr int records = 300;
        TestLog file("# a log\n");
        LogDocument log = LogDocument::open(file.path());
        std::atomic<bool> done = false;
        std::thread writer([&] {
            std::string text;
            for (int i = 0; i < records; ++i)
                text += (i % 9 == 0 ? "# failed: it crashed\n" : "") +
                        logLine({.task = i % 3, .number = i + 1, .error = i % 9 == 0 ? 4 : 0}) + "\n";
            for (size_t at = 0, piece = 1; at < text.size(); at += piece, piece = piece * 7 % 1999 + 1)
                file.append(text.substr(at, piece));
            done = true;
        });
        size_t seen = 0;
        int changes = 0;
        bool replaced = false;
        while (true) {
            const bool last = done;
            const LogDocument::Change change = log.follow();
            replaced = replaced || change == LogDocument::Change::Replaced;
            changes += change == LogDocument::Change::Grown ? 1 : 0;

            if (log.size() < seen || !log.unreadable().empty()) replaced = true; // a half line was taken
            seen = log.size();
            if (last) break;
        }
        writer.join();
        QVERIFY(!replaced);
        QVERIFY(changes > 0);
        QCOMPARE(log.size(), static_cast<size_t>(records));
        QVERIFY(textOf(log) == textOf(LogDocument::open(file.path())));
        QVERIFY(log.endsInNewline());
    }

    void goesOnBehindALastRecordWithoutNewline() {
        TestLog file(logLine({.number = 1}));
        LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.size(), size_t{1});
        QVERIFY(!log.endsInNewline());
        file.append("\n" + logLine({.number = 2}) + "\n");
        QVERIFY(log.follow() == LogDocument::Change::Grown);
        QVERIFY(textOf(log) == textOf(LogDocument::open(file.path())));

        TestLog other(logLine({.number = 1}));
        LogDocument broken = LogDocument::open(other.path());
        other.append("]\n");
        QVERIFY(broken.follow() == LogDocument::Change::Replaced);
    }

    void tellsThatTheFileIsAnother() {
        const std::string text = logLine({.number = 1}) + "\n" + logLine({.number = 2}) + "\n";
        TestLog file(text);
        LogDocument log = LogDocument::open(file.path());
        file.replace(text.substr(0, 20));
        QVERIFY(log.follow() == LogDocument::Change::Replaced);
        file.replace(logLine({.number = 7}) + "\n" + text);
        QVERIFY(log.follow() == LogDocument::Change::Replaced);
        file.replace(text);
        QVERIFY(log.follow() == LogDocument::Change::None);
        QCOMPARE(::unlink(file.path().c_str()), 0);
        QVERIFY(log.follow() == LogDocument::Change::Replaced);
        file.replace(text);
        QVERIFY(log.follow() == LogDocument::Change::Replaced);
    }
};

LOOPSCOPE_TEST(LogDocumentTest)
#include "log_document_test.moc"
