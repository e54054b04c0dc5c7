// `run`: a picture goes in, pictures come out.

#include "cli_process.h"

#include "picture/array_file.h"
#include "picture/png_file.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

class RunTest : public QObject {
    Q_OBJECT
  private:
    QTemporaryDir m_folder;
    QString m_negative;
    [[nodiscard]] QString at(const char *name) const { return m_folder.filePath(name); }

  private slots:
    void initTestCase() {
        m_negative = written(m_folder, "negative.te",
                             "workload negative(H = 3, W = 4)\nin = placeholder [H, W] uint8\n"
                             "dark(y < H, x < W) = in[y, x] / 2\n"
                             "out(y < H, x < W) = 255 - dark[y, x]\n");
        Picture picture{4, 3, 1, 8, {}};
        for (int i = 0; i < 12; ++i) picture.samples.push_back(static_cast<uint16_t>(i * 20));
        writePng(at("in.png").toStdString(), picture);
    }

    void picturesGoThrough() {
        const CliRun run = runCli({"run", m_negative, "--input", "in=" + at("in.png"), "--output",
                                   "out=" + at("out.png"), "--output", "dark=" + at("dark.npy")});
        QVERIFY2(run.exitCode == 0, run.story());
        const Picture out = readPng(at("out.png").toStdString());
        const TensorValue dark = readArray(at("dark.npy").toStdString());
        for (size_t i = 0; i < 12; ++i) {
            QCOMPARE(dark.integers[i], static_cast<int64_t>(i) * 10);
            QCOMPARE(int64_t{out.samples[i]}, 255 - static_cast<int64_t>(i) * 10);
        }
        QVERIFY2(run.out.startsWith("out: [3, 4] uint8, 145 to 255, 200 in the mean, written to "), run.story());
    }

    void factsForMachines() {
        const CliRun run = runCli(
            {"run", m_negative, "--json", "--input", "in=" + at("in.png"), "--output", "dark=" + at("dark.png")});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject output = run.json().object()["outputs"].toArray()[0].toObject();
        QCOMPARE(output["name"].toString(), QString("dark"));
        QCOMPARE(output["shape"].toArray(), (QJsonArray{3, 4}));
        QCOMPARE(output["greatest"].toDouble(), 110.0);
        QCOMPARE(output["beyond_black_and_white"].toInt(), 0);
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("sentence");
        const QStringList run = {"run", m_negative};
        const QString in = "in=" + at("in.png");
        const QString out = "out=" + at("refused.png");
        QTest::newRow("no output") << run + QStringList{"--input", in} << 2 << "no --output is given";
        QTest::newRow("no input") << run + QStringList{"--output", out} << 2 << "no --input is given for `in`";
        QTest::newRow("no such input") << run + QStringList{"--input", "im=" + at("in.png"), "--output", out} << 2
                                       << "--input im: the workload has no such input; it has `in`";
        QTest::newRow("no such stage")
            << run + QStringList{"--input", in, "--output", "light=" + at("l.png")} << 2
            << "--output light: the workload computes no such stage; it computes `dark`, `out`";
        QTest::newRow("no name") << run + QStringList{"--input", at("in.png"), "--output", out} << 2
                                 << "NAME=FILE is wanted";
        QTest::newRow("twice") << run + QStringList{"--input", in, "--output", out, "--output", out} << 2
                               << "--output out: it is given twice";
        QTest::newRow("ending") << run + QStringList{"--input", "in=photo.jpeg", "--output", out} << 1
                                << "photo.jpeg: values are read from and written to pictures";
        QTest::newRow("size") << run + QStringList{"--param", "W=5", "--input", in, "--output", out} << 1
                              << "the picture has 4 x 3 pixels of 1 channel, `in` is [3, 5]";
    }
    void refusals() {
        QFETCH(const QStringList, arguments);
        QFETCH(const int, exitCode);
        QFETCH(const QString, sentence);
        const CliRun run = runCli(arguments);
        QCOMPARE(run.exitCode, exitCode);
        QVERIFY2(run.error.contains(sentence), run.story());
        QVERIFY(!QFile::exists(at("refused.png")));
    }
};

QTEST_GUILESS_MAIN(RunTest)
#include "run_test.moc"
