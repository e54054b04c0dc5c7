// New logs from old ones, and the notes beside them.

#include "base/outcome.h"
#include "log_lines.h"
#include "made_records.h"
#include "records/logs/close_records.h"
#include "records/logs/manage_logs.h"
#include "records/logs/sidecar.h"
#include "test_program.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <sys/stat.h>

using namespace loopscope;

namespace {

std::string bytesOf(const std::string &path) {
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::ReadOnly)) return "no file";
    return file.readAll().toStdString();
}

std::string refusalOf(const std::function<void()> &work) {
    try {
        work();
    } catch (const Error &error) {
        return error.what();
    }
    return "it was done";
}

} // namespace

class ManageLogsTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    [[nodiscard]] std::string at(const char *name) const { return m_folder.filePath(name).toStdString(); }

  private slots:
    void distilKeepsTheBestOfEachTask() {
        const std::string slow = madeLine({.seconds = {3e-3}, .tile = 2});
        const std::string best = "# build 0.31 s, error 0.02\n# unstable\n" + madeLine({.seconds = {1e-3}, .tile = 4});
        const std::string again = madeLine({.seconds = {1.1e-3}, .tile = 4}); // the same schedule
        const std::string second = madeLine({.seconds = {2e-3}, .tile = 8});
        const std::string failed = "# failed: too slow\n" + madeLine({.seconds = {}, .tile = 16});
        const std::string other = madeLine({.key = R"(["b", [4]])", .seconds = {5e-3}});
        const std::string flat = madeLine({.key = R"(["b", 4])", .seconds = {4e-3}, .tile = 4}); // the same task
        const std::string elsewhere = madeLine({.target = "cuda -keys=cuda,gpu"});
        const TestLog file("# a remark\n" + slow + best + again + failed + other + second + flat + elsewhere);
        const LogDocument log = LogDocument::open(file.path());
        const NewLogSummary one = distilLog(log, 1, at("one.json"));
        QCOMPARE(bytesOf(one.path), best + flat + elsewhere);
        QCOMPARE(one.records, size_t{3});
        QCOMPARE(one.bytes, uint64_t{(best + flat + elsewhere).size()});
        QCOMPARE(bytesOf(distilLog(log, 2, at("two.json")).path), best + other + second + flat + elsewhere);
        QCOMPARE(bytesOf(file.path()),
                 "# a remark\n" + slow + best + again + failed + other + second + flat + elsewhere);
    }

    /// Times with weights in caches do not compare with those of kernels in a network, which go first.
    void timesInANetworkGoFirst() {
        const std::string cached = madeLine({.seconds = {1e-3}, .tile = 2});
        const std::string cachedToo = madeLine({.seconds = {1.1e-3}, .tile = 4});
        const std::string there =
            "# 5000000 bytes of weights between calls\n" + madeLine({.seconds = {2e-3}, .tile = 2});
        const TestLog file(cached + cachedToo + there);
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.tasks().at(0).best, size_t{2});
        QCOMPARE(bytesOf(distilLog(log, 1, at("there.json")).path), there);
        QCOMPARE(bytesOf(distilLog(log, 2, at("both.json")).path), cachedToo + there);
        QCOMPARE(bytesOf(mergeLogs({&log}, false, at("one-each.json")).path), cachedToo + there);
        const CloseToBest close = closeToBest(log).at(0);
        QCOMPARE(close.best, uint32_t{2});
        QVERIFY(close.close.empty());
    }

    void mergeHasEachScheduleOnce() {
        const std::string slow = madeLine({.seconds = {3e-3}, .tile = 2});
        const std::string fast = madeLine({.seconds = {2e-3}, .tile = 2});
        const std::string failed = madeLine({.seconds = {}, .tile = 4});
        const std::string ran = madeLine({.seconds = {9e-3}, .tile = 4});
        const std::string otherLayout = madeLine({.seconds = {1e-3}, .tile = 2, .layoutRewrite = 2});
        const TestLog first(slow + failed + otherLayout);
        const TestLog second(fast + ran + otherLayout + fast);
        const LogDocument a = LogDocument::open(first.path());
        const LogDocument b = LogDocument::open(second.path());
        QCOMPARE(bytesOf(mergeLogs({&a, &b}, false, at("merged.json")).path), otherLayout + fast + ran);
        QCOMPARE(bytesOf(mergeLogs({&a, &b}, true, at("all.json")).path), slow + failed + otherLayout + fast + ran);
    }

    void splitNamesItsLogs() {
        const std::string a = madeLine({});
        const std::string b = "# unstable\n" + madeLine({.key = R"(["0123456789abcdef0123456789abcdef", [1, 8]])"});
        const std::string c = madeLine({.target = "cuda -keys=cuda,gpu -arch=sm_86"});
        const TestLog file(a + b + a + c);
        const LogDocument log = LogDocument::open(file.path());
        const auto byTask = splitLog(log, SplitBy::Task, at("tasks"));
        QCOMPARE(byTask.size(), size_t{3});
        QCOMPARE(byTask[0].path, at("tasks/000-matmul-llvm.json"));
        QCOMPARE(byTask[1].path, at("tasks/001-01234567-llvm.json"));
        QCOMPARE(bytesOf(byTask[0].path), a + a);
        QCOMPARE(bytesOf(byTask[1].path), b);
        const auto byTarget = splitLog(log, SplitBy::Target, at("targets"));
        QCOMPARE(byTarget.size(), size_t{2});
        QCOMPARE(byTarget[0].path, at("targets/000-llvm-znver3.json"));
        QCOMPARE(bytesOf(byTarget[0].path), a + b + a);
        QVERIFY(refusalOf([&] { (void)splitLog(log, SplitBy::Task, at("tasks")); }).find("a new or an empty folder") !=
                std::string::npos);
    }

    void convertMakesTheNewestVersion() {
        const std::string oldest = madeLine({.version = "v0.2", .elements = 2});
        const std::string older = madeLine({.version = "v0.4", .elements = 4});
        const std::string oldGpu = madeLine({.target = "cuda -keys=cuda,gpu", .version = "v0.1", .elements = 2});
        const std::string newest = madeLine({.layoutRewrite = 2});
        const TestLog file(oldest + "# unstable\n" + older + oldGpu + newest);
        const LogDocument log = LogDocument::open(file.path());
        const ConvertedLog converted = convertLog(log, at("new.json"));
        QCOMPARE(converted.changed, size_t{3});
        QCOMPARE(converted.hardware, size_t{2});
        const LogDocument made = LogDocument::open(at("new.json"));
        QCOMPARE(made.size(), size_t{4});
        for (size_t i = 0; i < made.size(); ++i) {
            const Record before = log.record(i);
            const Record record = made.record(i);
            QCOMPARE(record.version, std::string("v0.6"));
            QCOMPARE(record.taskElements, 6);
            QCOMPARE(record.key, before.key);
            QCOMPARE(record.trial.seconds, before.trial.seconds);
            QVERIFY(record.trial.steps == before.trial.steps);
            QCOMPARE(record.trial.unstable, before.trial.unstable);
        }
        QCOMPARE(made.record(0).hardware->numCores, 4); // the target says so
        QCOMPARE(made.record(2).hardware->maxThreadsPerBlock, 1024);
        QCOMPARE(made.line(3) + "\n", newest);
    }

    void aTargetWithoutDefaultIsRefused() {
        const TestLog file(madeLine({.target = "vulkan -keys=vulkan,gpu", .elements = 2}));
        const LogDocument log = LogDocument::open(file.path());
        QVERIFY(refusalOf([&] { (void)convertLog(log, at("vulkan.json")); }).find("does not say its hardware") !=
                std::string::npos);
        QVERIFY(!QFile::exists(m_folder.filePath("vulkan.json")));
    }

    void whereALogCannotGo() {
        const TestLog file(madeLine({}));
        const LogDocument log = LogDocument::open(file.path());
        const auto refusal = [&](const std::string &path) { return refusalOf([&] { (void)distilLog(log, 1, path); }); };
        const std::string link = at("link.json");
        QVERIFY(QFile::link(QString::fromStdString(file.path()), QString::fromStdString(link)));
        QVERIFY(refusal(file.path()).find("this is the log that is read") != std::string::npos);
        QVERIFY(refusal(link).find("this is the log that is read") != std::string::npos);
        QVERIFY(refusal(m_folder.path().toStdString()).find("this is no file") != std::string::npos);
        QVERIFY(refusal(at("nowhere/out.json")).find("cannot be written") != std::string::npos);
        const TestLog text("workload matmul()\n", "matmul.te");
        QVERIFY(refusal(text.path()).find("which is no tuning log") != std::string::npos);
        QCOMPARE(bytesOf(text.path()), std::string("workload matmul()\n"));
        QCOMPARE(bytesOf(file.path()), madeLine({}));
        // An older log is replaced, and nothing is left beside it.
        const TestLog older(madeLine({.seconds = {7e-3}}));
        QCOMPARE(refusal(older.path()), std::string("it was done"));
        QCOMPARE(bytesOf(older.path()), madeLine({}));
        const QFileInfo info(QString::fromStdString(older.path()));
        QCOMPARE(info.dir().entryList(QDir::Files), QStringList{info.fileName()});
    }

    // --- notes beside a log ---------------------------------------------------------------------------------------

    void notesStandBesideTheLog() {
        const TestLog file(madeLine({}));
        const std::string before = bytesOf(file.path());
        QVERIFY(loadLogNotes(file.path()).records.empty());
        LogNotes notes;
        notes.set("0123456789abcdef", {"fast, but \"odd\"\nsee 12", {"keep", "keep", "odd"}, true});
        notes.set("fedcba9876543210", {"", {}, true});
        notes.set("0000000000000000", {});
        QCOMPARE(notes.records.size(), size_t{2});
        QCOMPARE(notes.of("0123456789abcdef").tags, (std::vector<std::string>{"keep", "odd"}));
        saveLogNotes(file.path(), notes);
        QCOMPARE(bytesOf(file.path()), before);
        QVERIFY(loadLogNotes(file.path()) == notes);
        QVERIFY(notesPath(file.path()).ends_with("log.json.notes.json"));
        saveLogNotes(file.path(), {});
        QVERIFY(!QFile::exists(QString::fromStdString(notesPath(file.path()))));
    }

    void notesThatCannotBeRead_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("why");
        const QByteArray begin = R"({"format": "loopscope log notes", "version": )";
        QTest::newRow("no JSON") << QByteArray("notes") << QByteArray("the text is not JSON");
        QTest::newRow("cut off") << begin << QByteArray("the text is not JSON");
        QTest::newRow("another file") << QByteArray("{}") << QByteArray("does not begin with");
        QTest::newRow("newer") << begin + "2, \"records\": {}}" << QByteArray("written by a newer Loopscope");
        QTest::newRow("no version") << begin + "\"x\", \"records\": {}}" << QByteArray("its version is no number");
        QTest::newRow("no records") << begin + "1}" << QByteArray("it has no records");
        QTest::newRow("a number") << begin + R"(1, "records": {"a": 3}})"
                                  << QByteArray("the note of record a is no object");
        QTest::newRow("text") << begin + R"(1, "records": {"a": {"text": 3}}})"
                              << QByteArray("the text noted of record a");
        QTest::newRow("pin") << begin + R"(1, "records": {"a": {"pinned": 3}}})"
                             << QByteArray("whether record a is pinned");
        QTest::newRow("tags") << begin + R"(1, "records": {"a": {"tags": 3}}})" << QByteArray("the tags of record a");
        QTest::newRow("tag") << begin + R"(1, "records": {"a": {"tags": [3]}}})" << QByteArray("a tag of record a");
        QTest::newRow("deep") << QByteArray(100, '[') << QByteArray("nests deeper");
    }
    void notesThatCannotBeRead() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, why);
        const TestLog log(madeLine({}));
        QFile file(QString::fromStdString(notesPath(log.path())));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        const std::string loaded = refusalOf([&] { (void)loadLogNotes(log.path()); });
        QVERIFY2(QByteArray::fromStdString(loaded).contains(why), loaded.c_str());
        LogNotes notes;
        notes.set("a", {"new", {}, false});
        QVERIFY(refusalOf([&] { saveLogNotes(log.path(), notes); }) != "it was done");
        QCOMPARE(bytesOf(notesPath(log.path())), text.toStdString());
    }

    void notesThatCannotBeWritten() {
        LogNotes notes;
        notes.set("a", {"new", {}, false});
        QVERIFY(refusalOf([&] { saveLogNotes(at("nowhere/log.json"), notes); }).find("the notes cannot be written") !=
                std::string::npos);
    }
};

LOOPSCOPE_TEST(ManageLogsTest)
#include "manage_logs_test.moc"
