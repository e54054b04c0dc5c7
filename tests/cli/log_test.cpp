// `log ...`: what is in logs, logs from logs, logs against each other, as a user types it. Nothing is built or run.

#include "cli_process.h"
#include "log_lines.h"
#include "made_records.h"
#include "test_program.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace {

const QString kUnknown = R"(["0123456789abcdef0123456789abcdef", [3, 5], [3, 5]])";

MadeRecord unknown(std::vector<double> seconds, int tile = 8) {
    return {.key = kUnknown.toStdString(), .seconds = std::move(seconds), .tile = tile};
}

QByteArray line(const MadeRecord &made) { return QByteArray::fromStdString(madeLine(made)); }

QByteArray twoTasks() {
    return "# a remark\n" + line(unknown({2e-3, 2.1e-3})) + "# failed: too slow\n" + line(unknown({}, 4)) +
           "this is no record\n\n" + line({.key = "[\"dense\", 4]", .seconds = {1e-5}}) +
           line(unknown({1e-3, 1.1e-3}, 2));
}

} // namespace

class LogTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString m_log;
    [[nodiscard]] QString at(const QString &name) const { return m_folder.filePath(name); }

  private slots:
    void initTestCase() { m_log = written(m_folder, "log.json", twoTasks()); }

    void info() {
        const CliRun run = runCli({"log", "info", m_log, "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        QCOMPARE(value["records"].toInt(), 4);
        QCOMPARE(value["comments"].toInt(), 2);
        const QJsonArray unreadable = value["unreadable"].toArray();
        QCOMPARE(unreadable.size(), 1);
        QCOMPARE(unreadable[0].toObject()["line"].toInt(), 5);
        QVERIFY(unreadable[0].toObject()["reason"].toString().contains("not JSON"));
        const QJsonArray tasks = value["tasks"].toArray();
        QCOMPARE(tasks.size(), 2);
        const QJsonObject first = tasks[0].toObject();
        QCOMPARE(first["key"].toString(), kUnknown);
        QCOMPARE(first["target"].toString(), QString("llvm -keys=cpu -mcpu=znver3 -num-cores=4"));
        QCOMPARE(first["records"].toInt(), 3);
        QCOMPARE(first["failures"].toInt(), 1);
        QCOMPARE(first["best_seconds"].toDouble(), 1.05e-3);
        QVERIFY(first["workload"].isNull());
        QVERIFY(!first["unresolved_because"].toString().isEmpty());
        const CliRun text = runCli({"log", "info", m_log});
        QVERIFY2(text.exitCode == 0 && text.out.contains("4 records of 2 tasks") && text.out.contains("line 5: "),
                 text.story());
        QVERIFY2(text.error.contains(m_log + ":5: line skipped: "), text.story());
    }

    void infoOfSeveralAndOfStandardInput() {
        const CliRun two = runCli({"log", "info", m_log, m_log, "--json"});
        QCOMPARE(two.json().array().size(), 2);
        QProcess process;
        process.start(cliPath(), {"log", "info", "-", "--json"});
        process.write(twoTasks());
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished(60000));
        const QJsonObject value = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QCOMPARE(value["records"].toInt(), 4);
    }

    void infoNamesWhatAFileDescribes() {
        // The sample is a workload of that name and parameter order.
        const QString log = written(m_folder, "matmul.json", line({}));
        const CliRun run = runCli({"log", "info", log, "--te", sample("matmul.te"), "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject task = run.json().object()["tasks"].toArray()[0].toObject();
        QVERIFY2(task["workload"].isNull() != task["unresolved_because"].isNull(), run.story());
    }

    void list() {
        const CliRun run = runCli({"log", "list", m_log, "--sort", "time", "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonArray rows = run.json().array();
        QCOMPARE(rows.size(), 4);
        QCOMPARE(rows[0].toObject()["record"].toInt(), 2);
        QCOMPARE(rows[1].toObject()["line"].toInt(), 8);
        QVERIFY(rows[3].toObject()["seconds"].isNull());
        QCOMPARE(rows[3].toObject()["error"].toString(), QString("run-timeout"));
        const CliRun filtered = runCli({"log", "list", m_log, "--filter", "time < 1.5ms", "--task", "0"});
        QVERIFY2(filtered.out.count('\n') == 2 && filtered.out.contains("1.050 ms"), filtered.story());
        const CliRun limited = runCli({"log", "list", m_log, "--limit", "1"});
        QVERIFY2(limited.out.count('\n') == 2 && limited.error.contains("1 of 4 records are listed"), limited.story());
    }

    void show() {
        const CliRun run = runCli({"log", "show", m_log, "3", "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        QCOMPARE(value["line"].toInt(), 8);
        QCOMPARE(value["times"].toArray().size(), 2);
        QCOMPARE(value["key"].toString(), kUnknown);
        QCOMPARE(value["hardware"].toObject()["num_cores"].toInt(), 4);
        QCOMPARE(value["step_list"].toArray()[0].toObject()["words"].toString(),
                 QString("split loop 0 of stage 2 (extent 64) into ? x 2 x 2"));
        QCOMPARE(value["text"].toString() + "\n", QString::fromUtf8(line(unknown({1e-3, 1.1e-3}, 2))));
        const CliRun failed = runCli({"log", "show", m_log, "1"});
        QVERIFY2(failed.out.contains("failed    run-timeout: too slow"), failed.story());
        QVERIFY2(failed.out.contains("not resolved: "), failed.story());
    }

    void best() {
        const CliRun run = runCli({"log", "best", m_log, "-k", "2", "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonArray tasks = run.json().object()["tasks"].toArray();
        QCOMPARE(tasks.size(), 2);
        QCOMPARE(tasks[0].toObject()["best"].toArray().size(), 2);
        QCOMPARE(tasks[0].toObject()["best"].toArray()[0].toObject()["record"].toInt(), 3);
        const CliRun one = runCli({"log", "best", m_log, "--task", "1"});
        QVERIFY2(one.out.contains("10.00 us  record 2, line 7") && !one.out.contains("record 3"), one.story());
    }

    void diff() {
        const QString other =
            written(m_folder, "other.json", line(unknown({0.5e-3, 0.51e-3}, 16)) + line({.key = "[\"new\", 1]"}));
        const QString html = at("diff.html");
        const QString csv = at("diff.csv");
        const CliRun run = runCli({"log", "diff", m_log, other, "--html", html, "--csv", csv, "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        const QJsonArray tasks = value["tasks"].toArray();
        QCOMPARE(tasks.size(), 3);
        const QJsonObject first = tasks[0].toObject();
        QCOMPARE(first["key"].toString(), kUnknown);
        QCOMPARE(first["a"].toObject()["best_seconds"].toDouble(), 1.05e-3);
        QCOMPARE(first["a"].toObject()["records"].toInt(), 3);
        QCOMPARE(first["b"].toObject()["records"].toInt(), 1);
        QVERIFY(qAbs(first["ratio"].toDouble() - 0.505 / 1.05) < 1e-6);
        QCOMPARE(first["verdict"].toString(), QString("better"));
        QVERIFY(tasks[1].toObject()["b"].isNull() && tasks[2].toObject()["a"].isNull());
        QVERIFY(tasks[1].toObject()["ratio"].isNull());
        QVERIFY(qAbs(value["geomean"].toDouble() - 0.505 / 1.05) < 1e-6);
        QCOMPARE(value["won"].toInt(), 1);
        QCOMPARE(value["lost"].toInt(), 0);
        QCOMPARE(value["only_a"].toInt(), 1);
        QCOMPARE(value["only_b"].toInt(), 1);
        QVERIFY(contents(html).startsWith("<!DOCTYPE html>") && contents(html).contains("<svg"));
        QCOMPARE(contents(csv).count('\n'), 4);
        const CliRun text = runCli({"log", "diff", m_log, other, "--html", html}); // an older report is replaced
        QVERIFY2(text.exitCode == 0 && text.out.contains("B takes 51.9 % less time than A"), text.story());
        const CliRun over = runCli({"log", "diff", m_log, other, "--html", other});
        QVERIFY2(over.exitCode == 1 && over.error.contains("which is no such report"), over.story());
        const QString weights = written(m_folder, "weights.json", "{\"a\": -1}");
        const CliRun weighed = runCli({"log", "diff", m_log, other, "--weights", weights});
        QVERIFY2(weighed.exitCode == 1 && weighed.error.contains("must be a number of at least 0"), weighed.story());
    }

    void logsFromLogs() {
        const auto madeBy = [&](QStringList arguments, const QString &name) {
            const CliRun run = runCli(QStringList{"log"} + arguments + QStringList{"--out", at(name), "--json"});
            return run.exitCode == 0 ? run.json().object()["records"].toInt() : -1;
        };
        QCOMPARE(madeBy({"distil", m_log}, "best.json"), 2);
        QCOMPARE(records(at("best.json")).size(), 2);
        QCOMPARE(madeBy({"merge", m_log, at("best.json")}, "merged.json"), 4);
        QCOMPARE(madeBy({"filter", m_log, "--where", "failed"}, "failed.json"), 1);
        QVERIFY(contents(at("failed.json")).startsWith("# failed: too slow\n{"));
        QCOMPARE(madeBy({"convert", m_log}, "converted.json"), 4);
        const CliRun split = runCli({"log", "split", m_log, "--by", "task", "--out", at("parts"), "--json"});
        QVERIFY2(split.exitCode == 0, split.story());
        QCOMPARE(split.json().object()["logs"].toArray().size(), 2);
        QCOMPARE(contents(m_log), twoTasks());
    }

    void notes() {
        const CliRun set = runCli({"log", "note", m_log, "3", "--text", "the one", "--tag", "ship", "--pin", "--json"});
        QVERIFY2(set.exitCode == 0, set.story());
        QCOMPARE(set.json().object()["text"].toString(), QString("the one"));
        QVERIFY(set.json().object()["pinned"].toBool());
        QVERIFY(QFileInfo::exists(m_log + ".notes.json"));
        QVERIFY(runCli({"log", "show", m_log, "3"}).out.contains("note      the one\n"));
        // Lists tell it, and filters ask for it.
        const CliRun listed = runCli({"log", "list", m_log, "--filter", "tag:ship pinned"});
        QVERIFY2(listed.out.count('\n') == 2 && listed.out.contains("  pinned  #ship  the one\n"), listed.story());
        const QJsonArray rows = runCli({"log", "list", m_log, "--json"}).json().array();
        QVERIFY(rows[0].toObject()["note"].isNull());
        QCOMPARE(rows[3].toObject()["note"].toObject()["tags"].toArray()[0].toString(), QString("ship"));
        const QString part = at("noted.json");
        QVERIFY(runCli({"log", "filter", m_log, "--where", "note:one", "--out", part}).exitCode == 0);
        QCOMPARE(records(part).size(), 1);
        const CliRun changed = runCli({"log", "note", m_log, "3", "--untag", "ship", "--text", "", "--unpin"});
        QVERIFY2(changed.out.contains("nothing is noted"), changed.story());
        QVERIFY(!QFileInfo::exists(m_log + ".notes.json"));
        QCOMPARE(contents(m_log), twoTasks());
    }

    void damagedNotesKeepNobodyFromListing() {
        const QString log = written(m_folder, "damaged.json", line({}));
        (void)written(m_folder, "damaged.json.notes.json", "no notes");
        const CliRun listed = runCli({"log", "list", log});
        QVERIFY2(listed.exitCode == 0 && listed.out.count('\n') == 2, listed.story());
        QVERIFY2(listed.error.contains("the notes are damaged") && listed.error.contains("notes are not listed"),
                 listed.story());
        const CliRun asked = runCli({"log", "list", log, "--filter", "pinned"});
        QVERIFY2(asked.exitCode == 1 && asked.error.contains("the notes are damaged"), asked.story());
    }

    void whatIsAlikeIsTold() {
        const QString log =
            written(m_folder, "alike.json",
                    line(unknown({1e-3, 1.02e-3}, 8)) + line(unknown({1.02e-3, 1.021e-3}, 4)) +
                        line(unknown({2e-3, 2.01e-3}, 2)) + line({.key = "[\"dense\", 4]", .seconds = {1e-5}}));
        const CliRun run = runCli({"log", "info", log, "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonArray tasks = run.json().object()["tasks"].toArray();
        const QJsonObject close = tasks[0].toObject()["close_to_best"].toObject();
        QCOMPARE(close["other_schedules"].toInt(), 2);
        QCOMPARE(close["within_noise"].toInt(), 1);
        QVERIFY(!close["noise_guessed"].toBool());
        QCOMPARE(close["records"].toArray()[0].toObject()["record"].toInt(), 1);
        QVERIFY(tasks[1].toObject()["close_to_best"].toObject()["second"].isNull());
        const CliRun text = runCli({"log", "info", log});
        QVERIFY2(text.out.contains("another schedule is within noise of it: record 1\n"), text.story());

        const CliRun shown = runCli({"log", "show", log, "2", "--json"});
        const QJsonArray groups = shown.json().object()["near_duplicates"].toArray();
        QVERIFY2(groups.size() == 1, shown.story());
        const QJsonObject group = groups[0].toObject();
        QCOMPARE(group["differ_in"].toString(), QString("length 1 of 2 of the split of loop 0 of stage 2 (step 0)"));
        QVERIFY(group["apart"].toBool());
        QCOMPARE(group["records"].toArray().size(), 3);
        QCOMPARE(group["records"].toArray()[2].toObject()["value"].toString(), QString("2"));
        const CliRun words = runCli({"log", "show", log, "2"});
        QVERIFY2(words.out.contains("near      length 1 of 2 of the split of loop 0 of stage 2 (step 0): 8 takes 1.010 "
                                    "ms (record 0), 4 takes 1.021 ms (record 1), 2 takes 2.005 ms (record 2)"),
                 words.story());
    }

    void followTellsWhatComes() {
        const QString path = written(m_folder, "grows.json", line({}));
        QProcess process;
        process.start(cliPath(), {"log", "follow", path, "--until", "2", "--json"});
        QVERIFY(process.waitForStarted());
        process.setReadChannel(QProcess::StandardError);
        QVERIFY(process.waitForReadyRead(60000)); // it has read what is there
        QFile file(path);
        QVERIFY(file.open(QIODevice::Append));
        file.write(line({.seconds = {5e-3}}));
        const QByteArray second = line({.seconds = {6e-3}});
        file.write(second.left(20)); // a line that is not whole yet
        file.flush();
        file.write(second.mid(20));
        file.close();
        QVERIFY(process.waitForFinished(60000));
        process.setReadChannel(QProcess::StandardOutput);
        const QList<QByteArray> lines = process.readAllStandardOutput().trimmed().split('\n');
        QCOMPARE(lines.size(), 2);
        QCOMPARE(QJsonDocument::fromJson(lines[0]).object()["seconds"].toDouble(), 5e-3);
        QCOMPARE(QJsonDocument::fromJson(lines[1]).object()["record"].toInt(), 2);
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *name, const QStringList &arguments, int exitCode, const QString &why) {
            QTest::newRow(name) << arguments << exitCode << why;
        };
        row("no command", {}, 2, "a command of log is missing: info, list,");
        row("mistyped", {"inof", "LOG"}, 2, "log has no command inof (did you mean `info`?)");
        row("an option", {"info", "LOG", "--jsno"}, 2, "log info has no option --jsno (did you mean `--json`?)");
        row("no log", {"info"}, 2, "files is required");
        row("one log", {"diff", "LOG"}, 2, "At least 2");
        row("no file", {"info", "/nowhere/log.json"}, 1, "/nowhere/log.json");
        row("no task", {"list", "LOG", "--task", "2"}, 2, "--task 2: the log has 2 tasks");
        row("no column", {"list", "LOG", "--sort", "tiem"}, 2, "did you mean `time`");
        row("no filter", {"list", "LOG", "--filter", "time < x"}, 2, "(at character");
        row("no record", {"show", "LOG", "4"}, 2, "no record 4");
        row("no such note", {"note", "LOG", "4"}, 2, "no record 4");
        row("notes of a pipe", {"note", "-", "0"}, 2, "standard input has no place for them");
        row("two pipes", {"diff", "-", "-"}, 2, "can be named once");
        row("merged pipes", {"merge", "-", "-", "--out", "OUT"}, 2, "can be named once");
        row("over its input", {"distil", "LOG", "--out", "LOG"}, 1, "this is the log that is read");
        row("no out", {"distil", "LOG"}, 2, "--out is required");
        row("split by what", {"split", "LOG", "--out", "OUT", "--by", "record"}, 2, "none of task, target");
        row("of which task", {"apply", "LOG", "--as", "c", "--out", "OUT"}, 2, "holds 2 tasks");
        row("unresolved", {"apply", "LOG", "--task", "0", "--as", "c", "--out", "OUT"}, 1,
            "it is not known what record 3");
        row("best without out", {"best", "LOG", "--task", "0", "--as", "c"}, 2, "give --out PATH");
        row("a failed record", {"verify", "LOG", "--record", "1"}, 2, "record 1 failed");
        row("unresolved records", {"verify", "LOG"}, 1, "of 2 records none can be measured");
        row("no key table", {"info", "LOG", "--keys", "/nowhere/keys.json"}, 1, "/nowhere/keys.json");
        row("no workloads", {"info", "LOG", "--te", "/nowhere"}, 1, "/nowhere");
    }
    void refusals() {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        QFETCH(QString, why);
        for (QString &argument : arguments) {
            if (argument == "LOG") argument = m_log;
            if (argument == "OUT") argument = at("out");
        }
        const CliRun run = runCli(QStringList{"log"} + arguments);
        QVERIFY2(run.exitCode == exitCode && run.error.contains(why), run.story());
        QVERIFY(!QFileInfo::exists(at("out")));
        const CliRun json = runCli(QStringList{"log"} + arguments + QStringList{"--json"});
        if (!arguments.isEmpty() && arguments[0] != "inof" && !arguments.contains("--jsno"))
            QVERIFY2(json.json().object()["error"].toString().contains(why), json.story());
    }
};

LOOPSCOPE_TEST(LogTest)
#include "log_test.moc"
