// `choices`: in what the trials of a log differ, for people and machines.

#include "cli_process.h"
#include "test_program.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

class ChoicesTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() {
        m_log = m_folder.filePath("trials.json");
        const CliRun run = runCli(QStringList{"tune"} + smallMatmul() + QStringList{"--trials", "32", "--log", m_log});
        QVERIFY2(run.exitCode == 0, run.story());
    }

    void choicesAreWeighed() {
        const CliRun json = runCli(QStringList{"choices"} + smallMatmul() + QStringList{"--log", m_log, "--json"});
        QVERIFY2(json.exitCode == 0, json.story());
        const QJsonObject value = json.json().object();
        QCOMPARE(value["trials"].toInt(), 32);
        QVERIFY(value["valid"].toInt() >= 20);
        QVERIFY(value["explained"].isDouble());
        double sum = 0;
        double before = 1;
        QStringList names;
        for (const QJsonValue choice : value["choices"].toArray()) {
            names << choice["choice"].toString();
            QVERIFY2(choice["share"].toDouble() <= before, json.story()); // the weightiest first
            before = choice["share"].toDouble();
            sum += before;
            int trials = 0;
            for (const QJsonValue group : choice["values"].toArray()) trials += group["trials"].toInt();
            QCOMPARE(trials, 32);
        }
        QVERIFY2(qAbs(sum - 1) < 1e-6, json.story());
        QVERIFY2(names.contains("C.i[1]") || names.contains("C.j[1]"), json.story());
        const CliRun text = runCli(QStringList{"choices"} + smallMatmul() + QStringList{"--log", m_log});
        QVERIFY2(text.exitCode == 0, text.story());
        QVERIFY2(text.out.startsWith("32 trials, "), text.story());
        QVERIFY2(text.out.contains(names.first()), text.story());
    }

    void aFewTrialsWeighNothing() {
        QFile all(m_log);
        QVERIFY(all.open(QIODevice::ReadOnly));
        QFile few(m_folder.filePath("few.json"));
        QVERIFY(few.open(QIODevice::WriteOnly));
        for (int i = 0; i < 4; ++i) few.write(all.readLine());
        few.close();
        const QStringList arguments = QStringList{"choices"} + smallMatmul() + QStringList{"--log", few.fileName()};
        const CliRun text = runCli(arguments);
        QVERIFY2(text.exitCode == 0, text.story());
        QVERIFY2(text.out.contains("too few trials that are valid (20 are needed)"), text.story());
        const CliRun json = runCli(arguments + QStringList{"--json"});
        QVERIFY2(json.json().object()["explained"].isNull(), json.story());
        QVERIFY2(json.json().object()["choices"].toArray().first().toObject()["share"].isNull(), json.story());
    }

    void aLogOfAnotherTaskIsRefused() {
        const CliRun run = runCli({"choices", sample("conv2d_bias_relu.te"), "--log", m_log});
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.error.contains("there is no record of this task on this target in it"), run.story());
        const CliRun without = runCli(QStringList{"choices"} + smallMatmul());
        QCOMPARE(without.exitCode, 2);
    }

  private:
    QTemporaryDir m_folder;
    QString m_log;
};

LOOPSCOPE_TEST(ChoicesTest)
#include "choices_test.moc"
