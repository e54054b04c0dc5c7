// Completion as a shell does it, and the manual page as man reads it.

#include "cli_process.h"
#include "test_program.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace {

struct Shell {
    int exitCode = -1;
    QString out;
    QString error;
    [[nodiscard]] QByteArray story() const { return (out + "\n" + error).toUtf8(); }
};

Shell run(const QString &program, const QStringList &arguments, const QString &folder, const QByteArray &input = {}) {
    QProcess process;
    process.setWorkingDirectory(folder);
    process.start(program, arguments);
    process.write(input);
    process.closeWriteChannel();
    Shell shell;
    if (process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit)
        shell.exitCode = process.exitCode();
    shell.out = QString::fromUtf8(process.readAllStandardOutput());
    shell.error = QString::fromUtf8(process.readAllStandardError());
    return shell;
}

} // namespace

class CompletionTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString m_bash;

    QStringList completed(const QStringList &words) {
        // As readline calls it: the words so far, of which the last is completed.
        QString line = "source " + m_bash + "; complete -p loopscope-cli >/dev/null || exit 9; COMP_WORDS=(";
        for (const QString &word : words) line += "'" + word + "' ";
        line += QString("); COMP_CWORD=%1; _loopscope_cli; printf '%s\\n' \"${COMPREPLY[@]}\" | sort -u")
                    .arg(words.size() - 1);
        const Shell shell = run("bash", {"--norc", "-c", line}, m_folder.path());
        if (shell.exitCode != 0) return {"failed: " + shell.error};
        return shell.out.split('\n', Qt::SkipEmptyParts);
    }

  private slots:
    void initTestCase() {
        m_bash = m_folder.filePath("complete.bash");
        QFile file(m_bash);
        QVERIFY(file.open(QIODevice::WriteOnly));
        const CliRun script = runCli({"completion", "bash"});
        QVERIFY2(script.exitCode == 0, script.story());
        file.write(script.out.toUtf8());
        file.close();
        for (const char *name : {"one.te", "two words.te", "log.json", "notes.txt"}) {
            QFile other(m_folder.filePath(name));
            QVERIFY(other.open(QIODevice::WriteOnly));
        }
        QVERIFY(QDir(m_folder.path()).mkdir("nets"));
    }

    void bash_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QStringList>("expected");
        const QString cli = "loopscope-cli";
        QTest::newRow("commands") << QStringList{cli, "m"}
                                  << QStringList{"machine", "manual", "measure", "moves", "mutate"};
        QTest::newRow("all commands and options")
            << QStringList{cli, ""}
            << QStringList{"--help",   "--version", "-h",         "apply",  "bench",  "bundle", "choices",
                           "compare",  "complete",  "completion", "export", "group",  "layout", "log",
                           "machine",  "manual",    "measure",    "moves",  "mutate", "net",    "run",
                           "schedule", "show",      "targets",    "tune",   "why"};
        QTest::newRow("commands of a group") << QStringList{cli, "log", "d"} << QStringList{"diff", "distil"};
        QTest::newRow("options of a group's command")
            << QStringList{cli, "log", "diff", "a.json", "--w"} << QStringList{"--weights"};
        QTest::newRow("a group's command has files of its own")
            << QStringList{cli, "log", "info", ""} << QStringList{"log.json", "nets"};
        QTest::newRow("options of a network's command")
            << QStringList{cli, "net", "dispatch", "open.net", "--s"} << QStringList{"--seed", "--sizes"};
        QTest::newRow("values in a group")
            << QStringList{cli, "log", "split", "log.json", "--by", "t"} << QStringList{"target", "task"};
        QTest::newRow("options of a command")
            << QStringList{cli, "tune", "--t"}
            << QStringList{"--target", "--task-order", "--threads", "--time-limit", "--trials", "--trials-per-round"};
        QTest::newRow("forms") << QStringList{cli, "show", "one.te", "--as", "s"}
                               << QStringList{"sass", "script", "simple-dag", "sketches", "steps"};
        QTest::newRow("layouts") << QStringList{cli, "tune", "one.te", "--layouts", ""} << QStringList{"try"};
        QTest::newRow("schedulers") << QStringList{cli, "schedule", "one.te", "--by", ""}
                                    << QStringList{"grouping", "naive", "search"};
        QTest::newRow("workloads") << QStringList{cli, "show", ""} << QStringList{"nets", "one.te", "two words.te"};
        QTest::newRow("workloads by their beginning")
            << QStringList{cli, "tune", "--resume", "tw"} << QStringList{"two words.te"};
        QTest::newRow("another workload") << QStringList{cli, "tune", "one.te", "tw"} << QStringList{"two words.te"};
        QTest::newRow("logs") << QStringList{cli, "measure", "one.te", "--log", ""} << QStringList{"log.json", "nets"};
        QTest::newRow("records") << QStringList{cli, "show", "one.te", "--record", ""} << QStringList{"best"};
        QTest::newRow("a list") << QStringList{cli, "bench", "one.te", "--against", "naive,o"}
                                << QStringList{"naive,onednn", "naive,openblas"};
        QTest::newRow("a number") << QStringList{cli, "tune", "one.te", "--trials", ""} << QStringList{};
        QTest::newRow("shells") << QStringList{cli, "completion", ""} << QStringList{"bash", "fish", "zsh"};
        QTest::newRow("a command with no words") << QStringList{cli, "manual", "x"} << QStringList{};
    }
    void bash() {
        QFETCH(QStringList, words);
        QFETCH(QStringList, expected);
        QCOMPARE(completed(words), expected);
    }

    void bashDescribesEveryOptionOfTheHelp() {
        for (const char *command :
             {"tune", "show", "apply", "moves", "mutate", "complete", "why", "choices", "compare", "measure", "bench",
              "machine", "targets", "completion", "group", "run", "schedule"}) {
            const QStringList offered = completed({"loopscope-cli", command, "--"});
            const QString help = runCli({command, "--help"}).out;
            auto options = QRegularExpression("--[a-z-]+", QRegularExpression::NoPatternOption)
                               .globalMatch(help.section("Options:", 1));
            int seen = 0;
            while (options.hasNext()) {
                const QString name = options.next().captured();
                if (!help.contains(
                        QRegularExpression("^  (-h,)?" + name + "[ \\n]", QRegularExpression::MultilineOption)))
                    continue; // named in a description
                ++seen;
                QVERIFY2(offered.contains(name), qPrintable(QString(command) + " " + name));
            }
            QVERIFY2(seen >= 1, command);
        }
    }

    void theScriptsAreRead_data() {
        QTest::addColumn<QString>("shell");
        for (const char *shell : {"bash", "zsh", "fish"}) QTest::newRow(shell) << shell;
    }
    void theScriptsAreRead() {
        QFETCH(QString, shell);
        const CliRun script = runCli({"completion", shell});
        QVERIFY2(script.exitCode == 0, script.story());
        for (const char *word : {"tune", "trials-per-round", "asm-summary", "openblas"})
            QVERIFY2(script.out.contains(word), script.story());
        if (QStandardPaths::findExecutable(shell).isEmpty())
            QSKIP(qPrintable(shell + " is not installed, so the script is not read by it"));
        const QString path = m_folder.filePath("read." + shell);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(script.out.toUtf8());
        file.close();
        const Shell read = run(shell, {"-n", path}, m_folder.path());
        QVERIFY2(read.exitCode == 0 && read.error.isEmpty(), read.story());
    }

    void fishCompletes() {
        if (QStandardPaths::findExecutable("fish").isEmpty()) QSKIP("fish is not installed");
        const QString script = m_folder.filePath("complete.fish");
        QFile file(script);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(runCli({"completion", "fish"}).out.toUtf8());
        file.close();
        const auto offers = [&](const QString &line) {
            const Shell shell = run("fish", {"--no-config", "-c", "source " + script + "; complete -C '" + line + "'"},
                                    m_folder.path());
            QStringList words;
            for (const QString &word : shell.out.split('\n', Qt::SkipEmptyParts)) words << word.section('\t', 0, 0);
            return words;
        };
        QCOMPARE(offers("loopscope-cli m"), (QStringList{"machine", "manual", "measure", "moves", "mutate"}));
        QCOMPARE(offers("loopscope-cli show one.te --as s"),
                 (QStringList{"sass", "script", "simple-dag", "sketches", "steps"}));
        QVERIFY(offers("loopscope-cli show ").contains("one.te"));
        QVERIFY(!offers("loopscope-cli tune --t").contains("--as"));
        QCOMPARE(offers("loopscope-cli log d"), (QStringList{"diff", "distil"}));
        QVERIFY(!offers("loopscope-cli log show --").contains("--script"));
        QVERIFY(offers("loopscope-cli log diff --").contains("--html"));
        QVERIFY(offers("loopscope-cli tune --t").contains("--trials"));
    }

    void theManualNamesEverything() {
        const CliRun page = runCli({"manual"});
        QVERIFY2(page.exitCode == 0, page.story());
        for (const char *section : {".SH NAME", ".SH SYNOPSIS", ".SH COMMANDS", ".SS tune", ".SS show", ".SS bench",
                                    ".SH EXIT STATUS", ".SH EXAMPLES"})
            QVERIFY2(page.out.contains(section), section);
        if (QStandardPaths::findExecutable("man").isEmpty()) QSKIP("man is not installed, so the page is not read");
        const Shell read =
            run("env", {"MANWIDTH=100", "man", "--warnings=mac", "-l", "-"}, m_folder.path(), page.out.toUtf8());
        if (read.exitCode != 0 && read.error.contains("troff"))
            QSKIP("man is installed without groff, so the page is not read");
        QVERIFY2(read.exitCode == 0 && read.error.isEmpty(), read.story());
        for (const char *word : {"--trials-per-round N", "asm-summary", "completion shell"})
            QVERIFY2(read.out.contains(word), read.story());
    }

    void mandocFindsNoFault() {
        if (QStandardPaths::findExecutable("mandoc").isEmpty()) QSKIP("mandoc is not installed");
        const Shell lint =
            run("mandoc", {"-T", "lint", "-W", "error"}, m_folder.path(), runCli({"manual"}).out.toUtf8());
        QVERIFY2(lint.exitCode == 0, lint.story());
    }
};

LOOPSCOPE_TEST(CompletionTest)
#include "completion_test.moc"
