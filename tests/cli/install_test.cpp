// What `cmake --install` puts where shells, man and the desktop look for it.

#include "cli_process.h"

#include <QDir>
#include <QFile>
#include <QProcess>
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

    void theInstalledProgramRuns() {
        QProcess cli;
        cli.start(m_prefix.filePath("bin/loopscope-cli"),
                  {"show", m_prefix.filePath("share/loopscope/samples/matmul.te"), "--as", "asm-summary"});
        QVERIFY(cli.waitForFinished(60000));
        QVERIFY2(cli.exitCode() == 0, cli.readAllStandardError()); // it found its worker beside itself
    }
};

QTEST_GUILESS_MAIN(InstallTest)
#include "install_test.moc"
