#include "base/outcome.h"
#include "generated_log.h"
#include "log_lines.h"
#include "packed_text.h"
#include "records/logs/log_document.h"
#include "records/record/record.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <atomic>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace loopscope;

namespace {

std::string generated(size_t from, size_t to) {
    std::string text;
    for (size_t i = from; i < to; ++i) text += GeneratedLog(4).lines(i);
    return text;
}

} // namespace

class LogArchiveTest : public QObject {
    Q_OBJECT

  private slots:
    void readsArchivesOfSeveralParts_data() { bothKinds(); }
    void readsArchivesOfSeveralParts() {
        QFETCH(bool, zstd);
        // The second part begins within a line.
        const std::string text = generated(0, 6000);
        const TestLog file(packed(zstd, text.substr(0, 700'010)) + packed(zstd, text.substr(700'010)), "log.txt");
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.size(), size_t{6000});
        QVERIFY(log.unreadable().empty());
        QVERIFY(log.complete() && log.endsInNewline());
        QCOMPARE(log.bytes(), static_cast<uint64_t>(text.size()));
        const TestLog plain(text);
        const LogDocument same = LogDocument::open(plain.path());
        for (const size_t record : {0U, 1234U, 5999U}) QCOMPARE(log.line(record), same.line(record));
        QCOMPARE(log.record(5999).line, same.record(5999).line);
        QCOMPARE(loadRecordLog(file.path()).records.size(), size_t{6000});
        QCOMPARE(countRecords(file.path()), size_t{6000});
        LogDocument followed = LogDocument::open(file.path());
        QVERIFY(followed.follow() == LogDocument::Change::None);
    }

    void whatCanBeReadOfACutArchiveIsRead_data() { bothKinds(); }
    void whatCanBeReadOfACutArchiveIsRead() {
        QFETCH(bool, zstd);
        const std::string whole = packed(zstd, generated(0, 3000)) + packed(zstd, generated(3000, 6000));
        const TestLog file(whole.substr(0, whole.size() * 3 / 4));
        const LogDocument log = LogDocument::open(file.path());
        QVERIFY(log.size() >= 3000 && log.size() < 6000);
        QVERIFY(!log.unreadable().empty());
        const QString said = QString::fromStdString(log.unreadable().back().reason);
        QVERIFY2(said.startsWith(zstd ? "the zstd archive is cut off here: what stood behind these "
                                      : "the gzip archive is cut off here: what stood behind these "),
                 qPrintable(said));
        QVERIFY(said.endsWith(" bytes of text is lost"));
        const RecordLog loaded = loadRecordLog(file.path());
        QCOMPARE(loaded.records.size(), log.size());
        QCOMPARE(QString::fromStdString(loaded.skipped.back().reason), said);
        QCOMPARE(loaded.skipped.back().line, log.unreadable().back().line);
    }

    void whatCanBeReadOfADamagedArchiveIsRead_data() { bothKinds(); }
    void whatCanBeReadOfADamagedArchiveIsRead() {
        QFETCH(bool, zstd);
        const TestLog file(packed(zstd, generated(0, 3000)) + "no archive");
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.size(), size_t{3000});
        QCOMPARE(log.unreadable().size(), size_t{1});
        const QString said = QString::fromStdString(log.unreadable().back().reason);
        QVERIFY2(said.contains(zstd
                                   ? "the zstd archive is damaged here (Unknown frame descriptor): what stands behind "
                                   : "the gzip archive is damaged here (what stands behind its end is no gzip): what "),
                 qPrintable(said));
    }

    void zerosBehindAGzipAreNothing() {
        const TestLog file(gzipped(generated(0, 10)) + std::string(1000, '\0'));
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.size(), size_t{10});
        QVERIFY(log.unreadable().empty());
    }

    void readsPipesAndStandardInput_data() {
        QTest::addColumn<bool>("packed");
        QTest::newRow("text") << false;
        QTest::newRow("gzip") << true;
    }
    void readsPipesAndStandardInput() {
        QFETCH(bool, packed);
        const std::string text = generated(0, 5000);
        const std::string bytes = packed ? gzipped(text) : text;
        std::array<int, 2> ends{};
        QCOMPARE(::pipe(ends.data()), 0);
        const int before = ::dup(STDIN_FILENO);
        QVERIFY(::dup2(ends[0], STDIN_FILENO) >= 0);
        std::thread writer([&] {
            for (size_t at = 0; at < bytes.size();) {
                const ssize_t done = ::write(ends[1], bytes.data() + at, std::min<size_t>(bytes.size() - at, 10'000));
                if (done <= 0) break;
                at += static_cast<size_t>(done);
            }
            ::close(ends[1]);
        });
        const LogDocument log = LogDocument::open("-");
        writer.join();
        ::dup2(before, STDIN_FILENO);
        ::close(before);
        ::close(ends[0]);
        QCOMPARE(log.size(), size_t{5000});
        QCOMPARE(log.bytes(), static_cast<uint64_t>(text.size()));
        QVERIFY(!log.line(4999).empty());
    }

    void aPipeThatNobodyWritesIsCancelled() {
        const TestLog folder("");
        const std::string path = folder.path() + ".pipe";
        QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
        const int writer = ::open(path.c_str(), O_RDWR | O_CLOEXEC); // keeps the other end open
        std::atomic<bool> cancelled = false;
        std::thread user([&] { cancelled = true; });
        LogDocument::Options options;
        options.cancelled = &cancelled;
        const LogDocument log = LogDocument::open(path, options);
        user.join();
        ::close(writer);
        QVERIFY(!log.complete());
        QCOMPARE(log.size(), size_t{0});
    }

    void noRoomForTheTextIsAnError() {
        const TestLog file(gzipped(generated(0, 10)));
        const QByteArray before = qgetenv("TMPDIR");
        qputenv("TMPDIR", "/dev/null/nowhere");
        std::string said;
        try {
            (void)LogDocument::open(file.path());
        } catch (const Error &error) {
            said = error.what();
        }
        before.isNull() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", before);
        QVERIFY2(
            said.starts_with(file.path() + ": the log needs a temporary file for its text, which cannot be made in "),
            said.c_str());
    }

  private:
    static void bothKinds() {
        QTest::addColumn<bool>("zstd");
        QTest::newRow("gzip") << false;
        QTest::newRow("zstd") << true;
    }
};

LOOPSCOPE_TEST(LogArchiveTest)
#include "log_archive_test.moc"
