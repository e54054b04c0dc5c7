// One writer a log, what happens to a log behind a writer's back, and verdicts that name a record by what it is.

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "records/record/record_writer.h"
#include "test_program.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace loopscope;

namespace {

/// Every one with steps of its own, so that each is another schedule.
Record numbered(int number) {
    Record record;
    record.key = "[\"k\", 8]";
    record.targetText = "llvm -keys=cpu";
    record.trial.steps = {SplitStep{StageId(2), IterId(0), 64, {number + 1}, true}};
    record.trial.seconds = {0.5 + number};
    record.trial.buildSeconds = 0.25;
    record.trial.runSeconds = 0.5;
    record.trial.timestamp = 1700000000 + number;
    return record;
}

QByteArray bytesOf(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void overwrite(const QString &path, const QByteArray &text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text), text.size());
}

std::vector<int64_t> timesOf(const RecordLog &log) {
    std::vector<int64_t> stamps;
    for (const Record &record : log.records) stamps.push_back(record.trial.timestamp - 1700000000);
    return stamps;
}

} // namespace

class RecordWriterTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath("log.json");
        m_said.clear();
    }

    void aSecondWriterIsRefused() {
        auto first = std::make_unique<RecordWriter>(path());
        first->append(numbered(0));
        try {
            RecordWriter second(path());
            QFAIL("two writers of one log");
        } catch (const LogBusy &busy) {
            QVERIFY(busy.byThisProcess());
            QCOMPARE(std::string(busy.what()), path() + ": the log is being written by another search of this program");
        }
        QCOMPARE(loadRecordLog(path()).records.size(), size_t{1}); // readers take no lock
        QVERIFY(logHolder(path()));
        first.reset();
        QVERIFY(!logHolder(path()));
        QVERIFY(!logHolder(m_folder->filePath("nowhere.json").toStdString()));
        RecordWriter(path()).append(numbered(1));
        QCOMPARE(timesOf(loadRecordLog(path())), (std::vector<int64_t>{0, 1}));
    }

    void theHolderIsNamed() {
        int ready[2];
        QCOMPARE(::pipe(ready), 0);
        const pid_t child = ::fork();
        QVERIFY(child >= 0);
        if (child == 0) {
            RecordWriter writer(path());
            char done = 1;
            (void)!::write(ready[1], &done, 1);
            ::pause();
            ::_exit(0);
        }
        char done = 0;
        QCOMPARE(::read(ready[0], &done, 1), ssize_t{1});
        std::string why;
        int pid = -1;
        try {
            RecordWriter second(path());
        } catch (const LogBusy &busy) {
            why = busy.what();
            pid = busy.holder().pid;
            QVERIFY(!busy.byThisProcess());
        }
        ::kill(child, SIGKILL); // the lock goes with it
        ::waitpid(child, nullptr, 0);
        ::close(ready[0]);
        ::close(ready[1]);
        QCOMPARE(pid, static_cast<int>(child));
        QVERIFY2(why.find(program_invocation_short_name) != std::string::npos, why.c_str());
        QVERIFY2(why.find("(process " + std::to_string(child) + ")") != std::string::npos, why.c_str());
        QVERIFY2(why.find("wait until it ends, or write another log") != std::string::npos, why.c_str());
        RecordWriter(path()).append(numbered(0));
    }

    void waitsForAnotherSearchOfThisProgram() {
        auto first = std::make_unique<RecordWriter>(path());
        std::atomic<bool> cancelled{true};
        QVERIFY(writerWhenFree(path(), {}, cancelled) == nullptr);
        cancelled = false;
        const std::jthread ending([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(60));
            first.reset();
        });
        const auto second = writerWhenFree(path(), {}, cancelled);
        QVERIFY(second != nullptr);
    }

    /// Between the refusal of a lock and the look at who has it, the holder may have let go: it is not somebody
    /// unknown.
    void aHolderThatJustLetGoIsNoStranger() {
        const auto use = [this] {
            for (int i = 0; i < 2000; ++i) {
                try {
                    const RecordWriter writer(path());
                } catch (const LogBusy &busy) {
                    if (!busy.byThisProcess()) return std::string(busy.what());
                }
            }
            return std::string();
        };
        auto other = std::async(std::launch::async, use);
        const std::string here = use();
        const std::string there = other.get();
        QVERIFY2(here.empty(), here.c_str());
        QVERIFY2(there.empty(), there.c_str());
    }

    void whoLooksHoldsNothing() {
        RecordWriter(path()).append(numbered(0));
        std::atomic<bool> done{false};
        const std::jthread looking([&] {
            while (!done) logHolder(path());
        });
        std::string why;
        try {
            for (int i = 0; i < 2000; ++i) RecordWriter{path()};
        } catch (const LogBusy &busy) {
            why = busy.what();
        }
        done = true;
        QVERIFY2(why.empty(), why.c_str());
    }

    void aPipeIsNoLog() {
        const std::string pipe = path() + ".pipe";
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        for (const std::string &name : {pipe, std::string("/dev/null")}) {
            QString why;
            try {
                RecordWriter writer(name); // at once, although nobody reads
            } catch (const Error &error) {
                why = QString::fromUtf8(error.what());
            }
            QVERIFY2(why.contains("this is a pipe or a device, and a log is a file"), qPrintable(why));
        }
        ::unlink(pipe.c_str());
    }

    void aFileThatIsNoLogIsLeftAlone_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("line");
        QTest::newRow("workload") << QByteArray("# C = A x B\n\nworkload w(N = 4)\n") << 3;
        QTest::newRow("session") << QByteArray("{\"loopscope_session\":1}\n") << 1;
        QTest::newRow("no text") << QByteArray("\x7f"
                                               "ELF\0\0",
                                               6)
                                 << 1;
    }
    void aFileThatIsNoLogIsLeftAlone() {
        QFETCH(QByteArray, text);
        QFETCH(int, line);
        overwrite(m_path, text);
        QString why;
        try {
            RecordWriter writer(path(), said());
        } catch (const Error &error) {
            why = QString::fromUtf8(error.what());
        }
        QVERIFY2(why.contains(QString(":%1: this is no tuning log").arg(line)), qPrintable(why));
        QCOMPARE(bytesOf(m_path), text);
    }
    void anArchiveIsLeftAlone() {
        for (const QByteArray &archive :
             {QByteArray("\x1f\x8b\x08\x00\x01", 5), QByteArray("\x28\xb5\x2f\xfd\x01", 5)}) {
            overwrite(m_path, archive);
            QString why;
            try {
                RecordWriter writer(path(), said());
            } catch (const Error &error) {
                why = QString::fromUtf8(error.what());
            }
            QVERIFY2(why.endsWith(": this log is an archive, to which no record can be appended; unpack it, or name "
                                  "another file"),
                     qPrintable(why));
            QCOMPARE(bytesOf(m_path), archive);
        }
    }
    void whatIsLeftOfALogIsWrittenTo_data() {
        QTest::addColumn<QByteArray>("text");
        const QByteArray line = QByteArray::fromStdString(recordLine(numbered(0)));
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("remarks") << QByteArray("# a remark\n\n");
        QTest::newRow("cut at once") << QByteArray("{\"");
        QTest::newRow("cut later") << line.left(40);
        QTest::newRow("marked as UTF-8") << "\xEF\xBB\xBF" + line + "\n";
    }
    void whatIsLeftOfALogIsWrittenTo() {
        QFETCH(QByteArray, text);
        overwrite(m_path, text);
        {
            RecordWriter writer(path(), said());
            writer.append(numbered(1));
        }
        const RecordLog log = loadRecordLog(path());
        QVERIFY(!log.records.empty());
        QCOMPARE(recordName(log.records.back()), recordName(numbered(1)));
        if (text.startsWith("\xEF")) QCOMPARE(log.records.size(), size_t{2}); // the mark is no part of a record
    }

    void aDeletedLogIsWrittenAgain() {
        overwrite(m_path, "# the user's own remark\n");
        RecordWriter writer(path(), said());
        writer.append(numbered(0));
        writer.append(numbered(1));
        const QByteArray before = bytesOf(m_path);
        QVERIFY(QFile::remove(m_path));
        writer.append(numbered(2));
        QVERIFY(bytesOf(m_path).startsWith(before));
        QCOMPARE(timesOf(loadRecordLog(path())), (std::vector<int64_t>{0, 1, 2}));
        QCOMPARE(m_said.size(), size_t{1});
        QCOMPARE(m_said[0],
                 "the log was deleted while it was being written; 2 records are written again from memory: " + path());
        writer.append(numbered(3)); // said once
        QCOMPARE(m_said.size(), size_t{1});
        QVERIFY_THROWS_EXCEPTION(LogBusy, RecordWriter{path()}); // the new file is locked as the old one was
    }

    void aDeletedFolderComesBack() {
        const QString folder = m_folder->filePath("logs");
        QVERIFY(QDir().mkpath(folder));
        m_path = folder + "/log.json";
        RecordWriter writer(path(), said());
        writer.append(numbered(0));
        QVERIFY(QDir(folder).removeRecursively());
        writer.append(numbered(1));
        QCOMPARE(timesOf(loadRecordLog(path())), (std::vector<int64_t>{0, 1}));
    }

    void aTruncatedLogIsRepaired() {
        RecordWriter writer(path(), said());
        for (int i = 0; i < 3; ++i) writer.append(numbered(i));
        const QByteArray before = bytesOf(m_path);
        QVERIFY(QFile::resize(m_path, before.size() / 2)); // within a line
        writer.append(numbered(3));
        QVERIFY(bytesOf(m_path).startsWith(before));
        QVERIFY(QFile::resize(m_path, 0));
        writer.append(numbered(4));
        const RecordLog log = loadRecordLog(path());
        QVERIFY(log.skipped.empty());
        QCOMPARE(timesOf(log), (std::vector<int64_t>{0, 1, 2, 3, 4}));
        QCOMPARE(m_said.size(), size_t{2});
        QVERIFY2(m_said[0].find(" was cut from ") != std::string::npos, m_said[0].c_str());
    }

    /// As an editor does that saves a log it changed: what it kept is not written twice.
    void aReplacedLogGetsWhatItLacks() {
        RecordWriter writer(path(), said());
        for (int i = 0; i < 3; ++i) writer.append(numbered(i));
        const QString other = m_folder->filePath("other.json");
        RecordWriter(other.toStdString()).append(numbered(7));
        RecordWriter(other.toStdString()).append(numbered(1));
        QVERIFY(QFile::remove(m_path));
        QVERIFY(QFile::rename(other, m_path));
        writer.append(numbered(3));
        QCOMPARE(timesOf(loadRecordLog(path())), (std::vector<int64_t>{7, 1, 0, 2, 3}));
        QVERIFY2(m_said.at(0).find("was replaced by another file while it was being written; 2 records") !=
                     std::string::npos,
                 m_said[0].c_str());
    }

    void aLogThatCannotComeBackIsAnError() {
        RecordWriter writer(path());
        writer.append(numbered(0));
        QVERIFY(QFile::remove(m_path));
        QVERIFY(QDir().mkpath(m_path));
        QVERIFY_THROWS_EXCEPTION(Error, writer.append(numbered(1)));
    }

    /// A program that knows no lock appends: both stand there, and the verdict names the right one.
    void verdictsNameARecordByWhatItIs() {
        RecordWriter writer(path());
        writer.append(numbered(0));
        writer.append(numbered(1));
        QFile foreign(m_path);
        QVERIFY(foreign.open(QIODevice::Append));
        foreign.write(QByteArray::fromStdString(recordLine(numbered(5))) + "\n");
        foreign.close();
        writer.append(numbered(2));
        writer.appendVerdict(numbered(2), {0.125, 0.12, 0.13}, RunnerUp{recordName(numbered(1)), {0.15, 0.14, 0.16}});
        const RecordLog log = loadRecordLog(path());
        QCOMPARE(timesOf(log), (std::vector<int64_t>{0, 1, 5, 2}));
        QCOMPARE(log.verdicts.size(), size_t{1});
        QCOMPARE(log.verdicts[0].record, size_t{3});
        QCOMPARE(log.verdicts[0].after, size_t{4});
        QCOMPARE(log.verdicts[0].time, (TimeInterval{0.125, 0.12, 0.13}));
        QVERIFY(bytesOf(m_path).endsWith(QByteArray::fromStdString(
            "# best of an interleaved comparison: " + recordName(numbered(2)) + ", 0.125 s (0.12 to 0.13 s); next is " +
            recordName(numbered(1)) + ", 0.15 s (0.14 to 0.16 s), 1.200 times as long (1.077 to 1.333)\n")));

        // Lines in front may come and go.
        QByteArray text = bytesOf(m_path);
        text.remove(0, text.indexOf("# build", 10));
        overwrite(m_folder->filePath("shorter.json"), text);
        const RecordLog shorter = loadRecordLog(m_folder->filePath("shorter.json").toStdString());
        QCOMPARE(shorter.verdicts.at(0).record, size_t{2});
        QVERIFY(shorter.skipped.empty());
    }

    void theNextOfAComparison() {
        const auto name = [](int trial) { return "trial " + std::to_string(trial); };
        const TimeInterval fast{1, 0.9, 1.1}, slow{3, 2.9, 3.1}, slower{4, 3.9, 4.1}, unknown;
        QVERIFY(!runnerUp({{2, fast}, {5, unknown}}, 2, name));
        QCOMPARE(runnerUp({{-1, slow}, {2, fast}}, 2, name)->name, std::string("the naive schedule"));
        // A trial comes before the naive schedule, whichever is faster: it is what could have been taken instead.
        for (const auto &entries : {std::vector<ComparedTime>{{-1, slow}, {7, unknown}, {4, slower}, {2, fast}},
                                    {{2, fast}, {4, slower}, {-1, slow}}}) {
            QCOMPARE(runnerUp(entries, 2, name)->name, std::string("trial 4"));
            QCOMPARE(runnerUp(entries, 2, name)->time, slower);
        }
        QCOMPARE(runnerUp({{4, slower}, {3, slow}, {2, fast}}, 2, name)->name, std::string("trial 3"));
    }

    void measuredTwiceTheFasterIsMeant() {
        RecordWriter writer(path());
        Record again = numbered(0);
        again.trial.seconds = {0.25};
        again.trial.timestamp += 9;
        writer.append(numbered(0));
        writer.append(again);
        writer.append(numbered(1));
        writer.appendVerdict(numbered(0), {0.125, 0.12, 0.13}, {});
        QCOMPARE(loadRecordLog(path()).verdicts.at(0).record, size_t{1});
    }

    void oldVerdictsAreRead() {
        RecordWriter(path()).append(numbered(0));
        RecordWriter(path()).append(numbered(1));
        QFile file(m_path);
        QVERIFY(file.open(QIODevice::Append));
        file.write("# best of an interleaved comparison: record 1, 0.00123 s\n");
        file.close();
        const RecordLog log = loadRecordLog(path());
        QCOMPARE(log.verdicts.size(), size_t{1});
        QCOMPARE(log.verdicts[0].record, size_t{1});
        QCOMPARE(log.verdicts[0].time, (TimeInterval{0.00123, 0.00123, 0.00123})); // no interval yet
    }

    void aVerdictOnNobodyIsSaid() {
        RecordWriter writer(path());
        writer.append(numbered(0));
        writer.appendVerdict(numbered(9), {0.125, 0.12, 0.13}, {});
        const RecordLog log = loadRecordLog(path());
        QVERIFY(log.verdicts.empty());
        QCOMPARE(log.skipped.size(), size_t{1});
        QCOMPARE(log.skipped[0].reason,
                 "the comparison was won by record " + recordName(numbered(9)) + ", which is not in front of it");
    }

    void namesTellSchedulesApart() {
        const Record one = numbered(0);
        QCOMPARE(recordName(one), recordName(parseRecord(recordLine(one), "", 1)));
        QCOMPARE(recordName(one).size(), size_t{16});
        Record other = one;
        other.trial.seconds = {9}; // measured again
        QCOMPARE(recordName(other), recordName(one));
        other.layoutRewrite = 2;
        QVERIFY(recordName(other) != recordName(one));
        other = one;
        other.targetText += " -num-cores=2";
        QVERIFY(recordName(other) != recordName(one));
        other = one;
        other.key = "[\"k\", 9]";
        QVERIFY(recordName(other) != recordName(one));
        QVERIFY(recordName(numbered(1)) != recordName(one));
    }

  private:
    [[nodiscard]] std::string path() const { return m_path.toStdString(); }
    RecordWriter::Tell said() {
        return [this](const std::string &sentence) { m_said.push_back(sentence); };
    }
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
    std::vector<std::string> m_said;
};

LOOPSCOPE_TEST(RecordWriterTest)
#include "record_writer_test.moc"
