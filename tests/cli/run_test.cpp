// `run`: a picture goes in, pictures come out.

#include "cli_process.h"

#include "language/picture/array_file.h"
#include "language/picture/png_file.h"
#include "test_program.h"

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

    /// A kernel's picture is the interpreter's, pixel by pixel: whole numbers have no roundings.
    void kernelsPaintTheSame_data() {
        QTest::addColumn<QStringList>("schedule");
        QTest::addColumn<QString>("name");
        const QString script = written(m_folder, "hand.schedule", "split out x into 2\nvectorize out x.1\n");
        QTest::newRow("grouping") << QStringList{"--by", "grouping", "--machine", "2,1k,40"} << "the grouped schedule";
        QTest::newRow("naive") << QStringList{"--by", "naive"} << "the naive schedule";
        QTest::newRow("script") << QStringList{"--script", script} << "script " + script;
    }
    void kernelsPaintTheSame() {
        QFETCH(const QStringList, schedule);
        QFETCH(const QString, name);
        const QStringList files{"--input", "in=" + at("in.png"), "--output", "out=" + at("kernel.png")};
        const CliRun run = runCli(QStringList{"run", m_negative} + files + schedule);
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(run.out.startsWith("the kernel of " + name + ": "), run.story());
        QVERIFY2(run.out.contains("; right, largest error 0 of the tolerance against the interpreter\n"), run.story());
        const Picture out = readPng(at("kernel.png").toStdString());
        for (size_t i = 0; i < 12; ++i) QCOMPARE(int64_t{out.samples[i]}, 255 - static_cast<int64_t>(i) * 10);
    }

    void recordsRun() {
        const QStringList small{sample("pipelines/unsharp.te"), "--param", "W=192", "--param", "H=144"};
        const QString log = at("log.json");
        const CliRun made =
            runCli(QStringList{"schedule"} + small + QStringList{"--by", "grouping", "--measure", "--log", log});
        QVERIFY2(made.exitCode == 0, made.story());
        const CliRun run = runCli(QStringList{"run"} + small +
                                  QStringList{"--input", "in=" + sample("pipelines/pictures/photograph.png"),
                                              "--output", "output=" + at("sharp.npy"), "--log", log, "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject kernel = run.json().object()["kernel"].toObject();
        QCOMPARE(kernel["schedule"].toString(), QString("record 0"));
        QCOMPARE(kernel["checked"].toBool(), true);
        QVERIFY(kernel["cost"].toDouble() > 0);
        QVERIFY(kernel["error"].toDouble() <= 1);
        QCOMPARE(readArray(at("sharp.npy").toStdString()).size(), size_t{3 * 144 * 192});
    }

    /// What the interpreter would take minutes for is not compared unless it is asked for, and that is said.
    void largeWorkIsNotChecked() {
        const QString large = written(m_folder, "large.te",
                                      "workload large(N = 4096)\nin = placeholder [3, 4] uint8\n"
                                      "wide(i < N, j < N) = in[i % 3, j % 4] + 1\n"
                                      "high(i < N, j < N) = wide[j, i] + 1\n"
                                      "out(i < 4) = int32(high[i, i])\n");
        const CliRun run = runCli(
            {"run", large, "--input", "in=" + at("in.png"), "--output", "out=" + at("out.npy"), "--by", "grouping"});
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(run.out.contains("; not checked: the interpreter would compute 3.36e+07 elements beside it; --check "
                                  "has it do so\n"),
                 run.story());
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
        QTest::newRow("a stage on the way")
            << run + QStringList{"--input", in, "--output", "dark=" + at("refused.png"), "--by", "naive"} << 2
            << "--output dark: a kernel stores outputs alone, `out`; without --by, "
               "--log and --script the interpreter computes every stage";
        QTest::newRow("nothing to check") << run + QStringList{"--input", in, "--output", out, "--check"} << 2
                                          << "--check compares a kernel with the interpreter; give --by, --log or "
                                             "--script";
        QTest::newRow("a machine for naive")
            << run + QStringList{"--input", in, "--output", out, "--by", "naive", "--machine", "1,1k,40"} << 2
            << "--machine belongs to --by grouping";
        QTest::newRow("two schedules") << run + QStringList{"--input", in,      "--output", out,
                                                            "--by",    "naive", "--log",    "x.json"}
                                       << 2 << "--by excludes --log";
        QTest::newRow("a GPU that is not there")
            << run + QStringList{"--input", in, "--output", out, "--by", "naive", "--target", "cuda -arch=sm_80"} << 1
            << "no GPU here runs kernels of this target";
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

LOOPSCOPE_TEST(RunTest)
#include "run_test.moc"
