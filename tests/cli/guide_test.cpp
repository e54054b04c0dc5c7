// Every example of the guide to the command line, in its order, in a folder of its own with the samples: each has to
// end with exit code 0. Shapes are smaller than in the guide and searches shorter, so that it takes minutes at most.
// What cannot run here (a GPU, a cluster) is marked in the guide, with the reason: `<!-- not run: needs a GPU -->` in
// front of the block.

#include "cli_process.h"
#include "test_program.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <vector>

using namespace loopscope;

namespace guide_test {

struct Example {
    int line = 0; // of the guide, from 1
    QString command;
    QString notRun; // the reason; empty: it is run
};

/// The lines of code blocks that call loopscope-cli, without the remarks behind them.
std::vector<Example> examplesOf(const QString &guide) {
    static const QRegularExpression marker(QStringLiteral("^<!-- not run: (.+) -->$"));
    static const QRegularExpression remark(QStringLiteral("\\s+#.*$"));
    std::vector<Example> examples;
    QString notRun;
    bool inBlock = false;
    int number = 0;
    for (const QString &line : guide.split(u'\n')) {
        ++number;
        if (const auto match = marker.match(line); match.hasMatch()) {
            notRun = match.captured(1);
        } else if (line.startsWith(QStringLiteral("```"))) {
            inBlock = !inBlock;
            if (!inBlock) notRun.clear();
        } else if (inBlock && line.contains(QStringLiteral("loopscope-cli "))) {
            examples.push_back({number, QString(line).remove(remark), notRun});
        }
    }
    return examples;
}

QString textOf(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// In the copy of a sample.
bool replaced(const QString &path, const QString &before, const QString &after) {
    QString text = textOf(path);
    if (!text.contains(before)) return false;
    text.replace(before, after);
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0;
}

/// A search of the guide in as many trials as its alternatives need.
QString shorter(QString command) {
    static const QRegularExpression trials(QStringLiteral("--trials \\d+"));
    return command.replace(trials, QStringLiteral("--trials 4"));
}

class GuideTest : public QObject {
    Q_OBJECT
  private slots:
    void readsExamples() {
        const auto examples = examplesOf(QStringLiteral("loopscope-cli outside\n```\nloopscope-cli show a.te   # b\n"
                                                        "cc a.c\n```\n<!-- not run: needs a GPU -->\n```\n"
                                                        "loopscope-cli tune a.te\n```\n```\nloopscope-cli why 'a #'\n"
                                                        "```\n"));
        QCOMPARE(examples.size(), size_t{3});
        QCOMPARE(examples[0].line, 3);
        QCOMPARE(examples[0].command, QStringLiteral("loopscope-cli show a.te"));
        QVERIFY(examples[0].notRun.isEmpty() && examples[2].notRun.isEmpty());
        QCOMPARE(examples[1].notRun, QStringLiteral("needs a GPU"));
        QCOMPARE(shorter(QStringLiteral("tune --trials 64 --log a")), QStringLiteral("tune --trials 4 --log a"));
    }

    void samplesAreThere() {
        QVERIFY(m_folder.isValid());
        const QDir from(QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples"));
        const QDir to(m_folder.filePath(QStringLiteral("samples")));
        QDirIterator files(from.path(), QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString file = from.relativeFilePath(files.next());
            QVERIFY(QDir().mkpath(QFileInfo(to.filePath(file)).path()));
            QVERIFY(QFile::copy(from.filePath(file), to.filePath(file)));
            QVERIFY(QFile::setPermissions(to.filePath(file), QFile::ReadOwner | QFile::WriteOwner));
        }
        const auto smaller = [&](const char *file, const char *before, const char *after) {
            return replaced(to.filePath(QString::fromLatin1(file)), QString::fromLatin1(before),
                            QString::fromLatin1(after));
        };
        QVERIFY(smaller("conv2d_bias_relu.te", "CO = 512, CI = 512", "CO = 16, CI = 16"));
        QVERIFY(smaller("matmul.te", "M = 512, N = 512, K = 512", "M = 64, N = 64, K = 64"));
        QVERIFY(smaller("pipelines/matmul.te", "N = 1024", "N = 256"));
        QVERIFY(smaller("pipelines/unsharp.te", "W = 1536, H = 2560", "W = 96, H = 64"));
        QVERIFY(smaller("networks/simplenet.net", "224, 224", "24, 24"));
        QVERIFY(smaller("networks/dynamic_mlp.net", "hidden = 512", "hidden = 16"));
        QVERIFY(smaller("networks/dynamic_mlp.net", "784", "32"));
    }

    void everyExampleRuns_data() {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("notRun");
        const auto examples =
            examplesOf(textOf(QStringLiteral(LOOPSCOPE_SOURCE_DIR "/resources/guide/command-line.md")));
        int run = 0;
        for (const Example &example : examples) {
            QTest::addRow("line %d", example.line) << example.command << example.notRun;
            run += example.notRun.isEmpty() ? 1 : 0;
        }
        QVERIFY2(run > 60, qPrintable(QString::number(run)));
    }
    /// Later examples read what earlier ones wrote.
    void everyExampleRuns() {
        QFETCH(QString, command);
        QFETCH(QString, notRun);
        if (!notRun.isEmpty()) QSKIP(qPrintable(command + QStringLiteral(": ") + notRun));
        QProcess shell;
        shell.setWorkingDirectory(m_folder.path());
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("PATH"),
                           QFileInfo(cliPath()).path() + u':' + environment.value(QStringLiteral("PATH")));
        shell.setProcessEnvironment(environment);
        shell.start(QStringLiteral("bash"), {QStringLiteral("-c"), shorter(command)});
        const bool ended = shell.waitForFinished(600 * 1000);
        if (!ended) shell.kill();
        QVERIFY2(ended && shell.exitStatus() == QProcess::NormalExit && shell.exitCode() == 0,
                 qPrintable(QStringLiteral("%1\nexit code %2\n%3")
                                .arg(command)
                                .arg(shell.exitCode())
                                .arg(QString::fromUtf8(shell.readAllStandardError()))));
    }

  private:
    QTemporaryDir m_folder;
};

LOOPSCOPE_TEST(GuideTest)

} // namespace guide_test
#include "guide_test.moc"
