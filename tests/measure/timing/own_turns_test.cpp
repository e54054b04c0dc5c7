// Tests do not wait for what their user runs, nor for each other: started by ctest or by hand, each has a folder of its
// own to take turns in.

#include "measure/timing/machine_use.h"

#include <QProcess>
#include <QTest>

#include <cstdio>
#include <filesystem>
#include <unistd.h>

using namespace loopscope;

class OwnTurnsTest : public QObject {
    Q_OBJECT

  private slots:
    void aTestHasAFolderOfItsOwn() {
        QProcess process; // as from a shell that knows nothing of folders
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove("LOOPSCOPE_LOCK_FOLDER");
        process.setProcessEnvironment(environment);
        process.start(QCoreApplication::applicationFilePath(), {"--folder"});
        QVERIFY(process.waitForFinished(60000));
        const std::filesystem::path folder = process.readAllStandardOutput().trimmed().toStdString();
        QCOMPARE(folder.filename().string(), std::string("own_turns_test"));
        QVERIFY(folder != "/tmp/loopscope-" + std::to_string(::geteuid()));
        QVERIFY(std::filesystem::exists(folder.parent_path()));
    }

    void whatATestRunsTakesTurnsWithIt() {
        QCOMPARE(machineLockFolder(), qgetenv("LOOPSCOPE_LOCK_FOLDER").toStdString());
    }
};

int main(int argc, char **argv) {
    const QCoreApplication application(argc, argv);
    if (QCoreApplication::arguments().contains("--folder")) {
        std::puts(machineLockFolder().c_str());
        return 0;
    }
    OwnTurnsTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "own_turns_test.moc"
