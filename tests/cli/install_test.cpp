// What `cmake --install` puts where shells, man and the desktop look for it.

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

class InstallTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_prefix;

    QByteArray installed(const QString &path) {
        QFile file(m_prefix.filePath(path));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

  private slots:
    void initTestCase() {
        QProcess cmake;
        cmake.start("cmake", {"--install", QString(LOOPSCOPE_BIN_DIR) + "/..", "--prefix", m_prefix.path()});
        QVERIFY(cmake.waitForFinished(120000));
        QVERIFY2(cmake.exitCode() == 0, cmake.readAllStandardError());
    }

    void whatIsInstalledIsWhatTheProgramPrints_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("bash") << "share/bash-completion/completions/loopscope-cli" << QStringList{"completion", "bash"};
        QTest::newRow("zsh") << "share/zsh/site-functions/_loopscope-cli" << QStringList{"completion", "zsh"};
        QTest::newRow("fish") << "share/fish/vendor_completions.d/loopscope-cli.fish"
                              << QStringList{"completion", "fish"};
        QTest::newRow("manual") << "share/man/man1/loopscope-cli.1" << QStringList{"manual"};
    }
    void whatIsInstalledIsWhatTheProgramPrints() {
        QFETCH(QString, path);
        QFETCH(QStringList, arguments);
        QVERIFY(!installed(path).isEmpty());
        QCOMPARE(QString::fromUtf8(installed(path)), runCli(arguments).out);
    }

    void theWindowHasItsManualPage() {
        QProcess window;
        window.start(m_prefix.filePath("bin/loopscope"), {"--manual"});
        QVERIFY(window.waitForFinished(60000));
        QVERIFY2(window.exitCode() == 0, window.readAllStandardError());
        const QByteArray page = installed("share/man/man1/loopscope.1");
        QVERIFY(page.startsWith(".TH LOOPSCOPE 1 "));
        QCOMPARE(page, window.readAllStandardOutput());
        // Every option that --help lists is on it.
        window.start(m_prefix.filePath("bin/loopscope"), {"--help"});
        QVERIFY(window.waitForFinished(60000));
        QRegularExpression names("--([a-z-]+)  *");
        int options = 0;
        for (const QByteArray &line : window.readAllStandardOutput().split('\n')) {
            if (!line.startsWith("  ")) continue;
            const QString name = names.match(QString::fromUtf8(line)).captured(1);
            QVERIFY2(page.contains("\\fB\\-\\-" + name.toUtf8().replace("-", "\\-") + "\\fR"), line);
            ++options;
        }
        QCOMPARE(options, 6);
    }

    void theManualPagesAreWellFormed_data() {
        QTest::addColumn<QString>("page");
        QTest::newRow("window") << "share/man/man1/loopscope.1";
        QTest::newRow("command line") << "share/man/man1/loopscope-cli.1";
    }
    void theManualPagesAreWellFormed() {
        QFETCH(QString, page);
        if (QStandardPaths::findExecutable("groff").isEmpty()) QSKIP("groff is not installed");
        QProcess groff;
        groff.start("groff", {"-man", "-Tutf8", "-ww", "-z", m_prefix.filePath(page)});
        QVERIFY(groff.waitForFinished(60000));
        QCOMPARE(groff.exitCode(), 0);
        QCOMPARE(QString::fromUtf8(groff.readAllStandardError()), QString());
    }

    void theInstalledProgramRuns() {
        QProcess cli;
        cli.start(m_prefix.filePath("bin/loopscope-cli"),
                  {"show", m_prefix.filePath("share/loopscope/samples/matmul.te"), "--as", "asm-summary"});
        QVERIFY(cli.waitForFinished(60000));
        QVERIFY2(cli.exitCode() == 0, cli.readAllStandardError()); // it found its worker beside itself
    }
};

LOOPSCOPE_TEST(InstallTest)
#include "install_test.moc"
