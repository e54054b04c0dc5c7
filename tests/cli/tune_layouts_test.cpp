// tune --layouts try: other layouts of the tensors searched beside the workload, with one log and one number of trials.

#include "cli_process.h"
#include "language/picture/array_file.h"
#include "log_lines.h"
#include "test_program.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QSet>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace tune_layouts_test {

namespace {

/// Small, and B too large for the first cache: walked down, as the loops have it, it is worth turning.
const QByteArray kTurned = "workload product(N = 320)\n"
                           "A = placeholder [8, N] float32\n"
                           "B = placeholder [N, N] float32\n"
                           "C(i < 8, j < N) = sum(k < N; A[i, k] * B[k, j])\n";
const QByteArray kConstant = kTurned + "    @layout_free_placeholders[\"B\"]\n";
const QByteArray kRows = "workload rows(N = 64)\n"
                         "A = placeholder [N, N] float32\n"
                         "B(i < N, j < N) = A[i, j] + 1.0\n";

/// Small whole numbers, whose sums are exact in any order.
TensorValue wholeNumbers(std::vector<int64_t> shape) {
    TensorValue value{.dtype = DType::Float32, .shape = std::move(shape), .floats = {}, .integers = {}};
    const auto count = static_cast<size_t>(value.shape[0] * value.shape[1]);
    for (size_t i = 0; i < count; ++i) value.floats.push_back(static_cast<double>((i * 7 + i / 5) % 13) - 6);
    return value;
}

QMap<QString, int> trialsByKey(const QString &log) {
    QMap<QString, int> counts;
    for (const QByteArray &line : records(log))
        ++counts[QJsonDocument::fromJson(line).object()["i"].toArray()[0].toArray()[0].toString()];
    return counts;
}

} // namespace

class TuneLayoutsTest : public QObject {
    Q_OBJECT
  private slots:
    void alternativesShareTheTrialsAndTheBestOfAllWins() {
        const QTemporaryDir folder;
        const QString file = written(folder, "product.te", kTurned);
        const QString log = folder.filePath("product.json");
        const QStringList command{"tune",  file,       "--layouts", "try",    "--layout-alternatives",
                                  "2",     "--trials", "9",         "--seed", "3",
                                  "--log", log,        "--json"};
        const CliRun run = runCli(command);
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject report = run.json().object();
        const QJsonArray alternatives = report["alternatives"].toArray();
        QCOMPARE(alternatives.size(), 3);
        QCOMPARE(report["trials"].toInt(), 9);
        const QMap<QString, int> counts = trialsByKey(log);
        QCOMPARE(counts.size(), 3);
        QCOMPARE(records(log).size(), 9);
        for (const auto &value : alternatives) {
            const QJsonObject one = value.toObject();
            QVERIFY2(one["trials"].toInt() >= 1, run.story());
            QCOMPARE(counts[one["key"].toString()], one["trials"].toInt());
            QCOMPARE(one["valid"].toInt(), one["trials"].toInt()); // every answer is the workload's
            QVERIFY(one["best"].toObject()["seconds"].toDouble() > 0);
            // Its records are read again with the file that was written.
            const CliRun show = runCli({"show", one["file"].toString(), "--as", "steps", "--log", log, "--record",
                                        QString::number(one["best"].toObject()["record"].toInt())});
            QVERIFY2(show.exitCode == 0, show.story());
        }
        QCOMPARE(alternatives[0]["layout"], QJsonValue());
        QCOMPARE(alternatives[1]["layout"].toString(), "B [j][k]");
        QCOMPARE(alternatives[1]["file"].toString(), folder.filePath("product.B_j_k.te"));
        QVERIFY2(alternatives[1]["cost_share"].toDouble() < 1, run.story());
        const QJsonObject best = report["best"].toObject();
        const QJsonObject winner = alternatives[best["alternative"].toInt()].toObject();
        QCOMPARE(best["layout"], winner["layout"]);
        QCOMPARE(best["record"].toInt(), winner["best"].toObject()["record"].toInt());
        QVERIFY(best["seconds"].toDouble() > 0);

        // What is there counts, for each; more trials go to whom they are due.
        QStringList more = command;
        more[more.indexOf("9")] = "12";
        more << "--resume";
        const CliRun again = runCli(more);
        QVERIFY2(again.exitCode == 0, again.story());
        QCOMPARE(records(log).size(), 12);
        QCOMPARE(again.json().object()["trials"].toInt(), 12);
        int resumed = 0;
        const QJsonArray goneOn = again.json().object()["alternatives"].toArray();
        for (const auto &one : goneOn) resumed += one.toObject()["resumed"].toInt();
        QCOMPARE(resumed, 9);
    }

    /// Each alternative's best, replayed from the log, computes what the interpreter makes of the workload as it was.
    void alternativesAnswerAsTheWorkloadDoes() {
        const QTemporaryDir folder;
        const QString file = written(folder, "product.te", kTurned);
        const QString log = folder.filePath("product.json");
        writeArray(folder.filePath("A.npy").toStdString(), wholeNumbers({8, 320}));
        writeArray(folder.filePath("B.npy").toStdString(), wholeNumbers({320, 320}));
        const QStringList inputs{"--input", "A=" + folder.filePath("A.npy"), "--input",
                                 "B=" + folder.filePath("B.npy")};
        const auto answerOf = [&](const QStringList &what) {
            const QString path = folder.filePath("C.npy");
            QFile::remove(path);
            const CliRun run = runCli(QStringList{"run"} + what + inputs + QStringList{"--output", "C=" + path});
            if (run.exitCode != 0) qFatal("%s", run.story().constData());
            return readArray(path.toStdString()).floats;
        };
        const std::vector<double> expected = answerOf({file});
        const CliRun tuned = runCli({"tune", file, "--layouts", "try", "--layout-alternatives", "2", "--trials", "6",
                                     "--seed", "1", "--log", log, "--json"});
        QVERIFY2(tuned.exitCode == 0, tuned.story());
        const QJsonArray alternatives = tuned.json().object()["alternatives"].toArray();
        QCOMPARE(alternatives.size(), 3);
        QSet<QString> scripts;
        for (const auto &value : alternatives) {
            const QJsonObject one = value.toObject();
            // The best of the log is that of the workload it is asked for.
            const QStringList best{one["file"].toString(), "--log", log, "--record", "best"};
            const CliRun shown = runCli(QStringList{"show", "--as", "loops"} + best);
            QVERIFY2(shown.exitCode == 0, shown.story());
            QVERIFY2(shown.out.contains("C["), shown.story());
            QCOMPARE(shown.out.contains("B_packed["), !one["layout"].isNull());
            QVERIFY2(answerOf(best) == expected, qPrintable(one["file"].toString()));
            // No other alternative's record is taken for one of its own.
            const QJsonObject other = alternatives[(scripts.size() + 1) % 3].toObject();
            scripts.insert(one["file"].toString());
            const CliRun wrong = runCli({"show", one["file"].toString(), "--as", "steps", "--log", log, "--record",
                                         QString::number(other["best"].toObject()["record"].toInt())});
            QCOMPARE(wrong.exitCode, 1);
            QVERIFY2(wrong.error.contains("another"), wrong.story());
        }
    }

    void textSaysWhichIsBest() {
        const QTemporaryDir folder;
        const QString log = folder.filePath("constant.json");
        const CliRun run = runCli({"tune", written(folder, "constant.te", kConstant), "--layouts", "try",
                                   "--layout-alternatives", "1", "--trials", "4", "--log", log});
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(run.out.startsWith("product as it is: "), run.story());
        QVERIFY2(run.out.contains("\n\nproduct, B [j][k]: "), run.story());
        const QString last = run.out.trimmed().split('\n').last();
        QVERIFY2(last.startsWith("best of all: ") && last.contains("record "), run.story());
        QVERIFY2(run.error.contains("by the loops of the naive schedule its memory costs 0."), run.story());
        // A constant arrives packed; what packs it is written, too.
        QVERIFY(QFile::exists(folder.filePath("constant.B_j_k.te")));
        const QByteArray pack = contents(folder.filePath("constant.B_j_k.B_prepack.te"));
        QVERIFY2(pack.contains("B = placeholder"), pack);
    }

    void whereNoLayoutIsWorthATryTheWorkloadIsSearched() {
        const QTemporaryDir folder;
        const QString log = folder.filePath("rows.json");
        const CliRun run = runCli(
            {"tune", written(folder, "rows.te", kRows), "--layouts", "try", "--trials", "2", "--log", log, "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(run.error.contains("rows: no layout is worth a try, and the workload is searched as it is: A, the "
                                    "dearest tensor: "),
                 run.story());
        QCOMPARE(run.json().object()["alternatives"].toArray().size(), 1);
        QCOMPARE(records(log).size(), 2);
        QCOMPARE(QDir(folder.path()).entryList({"rows.*.te"}).size(), 0);
    }

    void filesOfOthersAreNotWrittenOver() {
        const QTemporaryDir folder;
        const QString other = written(folder, "product.B_j_k.te", kRows);
        const CliRun run = runCli({"tune", written(folder, "product.te", kTurned), "--layouts", "try", "--trials", "8",
                                   "--log", folder.filePath("product.json")});
        QVERIFY2(run.exitCode == 1, run.story());
        QVERIFY2(
            run.error.contains("product.B_j_k.te: the file is there and is not B [j][k] of this workload, so it is "
                               "not written over"),
            run.story());
        QCOMPARE(contents(other), kRows);
        QCOMPARE(QDir(folder.path()).entryList({"*.te"}).size(), 2); // nor any other
    }

    void refused_data() {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("unknown word") << QStringList{"--layouts", "all"} << "--layouts";
        QTest::newRow("GPU") << QStringList{"--layouts", "try", "--target", "cuda -arch=sm_80", "--runner", "executor"}
                             << "tune: --layouts try: the target is a GPU";
        QTest::newRow("several workloads") << QStringList{"--layouts", "try", sample("matmul.te")}
                                           << "--layouts try is about the tensors of one workload";
        QTest::newRow("start") << QStringList{"--layouts", "try", "--start-from", "naive"}
                               << "--start-from and --layouts try do not go together";
        QTest::newRow("lock") << QStringList{"--layouts", "try", "--lock", "C"}
                              << "--lock and --layouts try do not go together";
        QTest::newRow("group") << QStringList{"--layouts", "try", "--group", "C"}
                               << "--group and --layouts try do not go together";
        QTest::newRow("mode") << QStringList{"--layouts", "try", "--mode", "compat"}
                              << "--machine and --mode and --layouts try do not go together";
        QTest::newRow("order") << QStringList{"--layouts", "try", "--task-order", "gradient"}
                               << "--layouts try has an order of its own";
        QTest::newRow("number alone") << QStringList{"--layout-alternatives", "2"}
                                      << "--layout-alternatives belongs to --layouts try";
        QTest::newRow("too many") << QStringList{"--layouts", "try", "--layout-alternatives", "100"}
                                  << "--layout-alternatives";
        QTest::newRow("few trials") << QStringList{"--layouts", "try", "--trials", "2"}
                                    << "--trials 2 are of all alternatives together, of which there are 4";
        QTest::newRow("bundles") << QStringList{"--layouts", "try", "--runner", "bundle:nowhere"}
                                 << "it does not go together with --runner bundle:DIR";
    }
    void refused() {
        QFETCH(QStringList, more);
        QFETCH(QString, sentence);
        const QTemporaryDir folder;
        const CliRun run = runCli(QStringList{"tune", written(folder, "product.te", kTurned)} + more);
        QVERIFY2(run.exitCode == 1 || run.exitCode == 2, run.story());
        QVERIFY2(run.error.contains(sentence), run.story());
        QVERIFY2(run.out.isEmpty(), run.story());
    }
};

LOOPSCOPE_TEST(TuneLayoutsTest)

} // namespace tune_layouts_test
#include "tune_layouts_test.moc"
