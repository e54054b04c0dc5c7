// Files become DAGs: every sample passes validation, and MD5 reproduces published keys from their texts.

#include "harness/shared_data.h"
#include "language/dag/compute_dag.h"
#include "language/dag/md5.h"
#include "language/interpret/interpreter.h"
#include "test_program.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QTest>

#include <algorithm>
#include <set>

using namespace loopscope;

class WorkloadDagTest : public QObject {
    Q_OBJECT

  private slots:
    void samples_data() {
        QTest::addColumn<QString>("path");
        const QDir folder(LOOPSCOPE_SOURCE_DIR "/samples");
        const auto files = folder.entryInfoList({"*.te"});
        QVERIFY(!files.isEmpty());
        for (const QFileInfo &file : files) QTest::newRow(qPrintable(file.fileName())) << file.filePath();
    }
    void samples() {
        QFETCH(QString, path);
        const Workload workload = loadWorkload(path.toStdString());
        const DagPtr dag = ComputeDag::fromWorkload(workload);
        QCOMPARE(dag->args(), workload.args);
        for (const Tensor *arg : workload.args) QVERIFY(dag->indexOf(arg->op) >= 0);
        static const std::set<std::string> onlyMoveNumbers = {"concat", "gather", "pad", "transpose"};
        QCOMPARE(dag->flops() > 0, !onlyMoveNumbers.contains(workload.name));
        QCOMPARE(dag->key().substr(0, 2), std::string("[\""));
    }

    void refusalsHaveTheirPlace_data() {
        QTest::addColumn<QString>("definition");
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("under");
        QTest::newRow("unbounded index tensor")
            << "out(i < N) = 2 * table[places[i]]"
            << "t.te:4:18: 'out' reads table[places[i]]: index places[i] of dimension 0 may leave the tensor (its "
               "range "
               "is [-2147483648, 2147483647], legal is [0, 99]); clamp it, as in min(max(places[i], 0), 99)"
            << "out(i < N) = 2 * table[places[i]]\n                 ^";
        QTest::newRow("clamped to one too many")
            << "out(i < N) = table[min(max(places[i], 0), 100)]"
            << "t.te:4:14: 'out' reads table[min(max(places[i], 0), 100)]: index min(max(places[i], 0), 100) of "
               "dimension "
               "0 may leave the tensor (its range is [0, 100], legal is [0, 99]); clamp it, as in "
               "min(max(min(max(places[i], 0), 100), 0), 99)"
            << "out(i < N) = table[min(max(places[i], 0), 100)]\n             ^";
        QTest::newRow("affine")
            << "out(i < N) = float32(places[i]) + table[i + 97]"
            << "t.te:4:35: 'out' reads table[(i + 97)]: index (i + 97) of dimension 0 may leave the tensor (its range "
               "is "
               "[97, 104], legal is [0, 99]); change the extents, or guard the load with if_then_else (a select "
               "evaluates "
               "both of its sides)"
            << "out(i < N) = float32(places[i]) + table[i + 97]\n                                  ^";
        QTest::newRow("one axis twice") << "out(i < N) = sum(i < 4; table[i] + places[i])"
                                        << ""
                                        << "";
    }
    void refusalsHaveTheirPlace() {
        QFETCH(QString, definition);
        QFETCH(QString, what);
        QFETCH(QString, under);
        const QString text = "workload t(N = 8)\ntable = placeholder [100] float32\nplaces = placeholder [N] int32\n" +
                             definition + "\n";
        try {
            ComputeDag::fromWorkload(parseWorkload(text.toStdString(), "t.te"));
            QFAIL("it was accepted");
        } catch (const Error &error) {
            QCOMPARE(error.line(), 4);
            if (what.isEmpty()) return;
            QCOMPARE(QString(error.what()), what);
            QCOMPARE(QString::fromStdString(error.excerpt()), under);
        }
    }

    void gathersAreRead() {
        const DagPtr dag = ComputeDag::fromWorkload(parseWorkload(
            "workload t(N = 400, V = 30)\ntable = placeholder [V, 3] float32\nplaces = placeholder [N] int32\n"
            "out(i < N, d < 3) = table[min(max(places[i], 0), V - 1), d]\n",
            "t.te"));
        const auto inputs = randomInputs(*dag, 1);
        const std::vector<int64_t> &places = inputs[1].integers;
        std::set<int64_t> inside;
        int beside = 0;
        for (const int64_t place : places) {
            QVERIFY(place >= -2 && place <= 31);
            if (place < 0 || place >= 30)
                ++beside; // what the clamp is for
            else
                inside.insert(place);
        }
        QVERIFY(inside.size() == 30 && beside > 0 && beside < 60);
        const TensorValue out = interpret(*dag, inputs)[0];
        QVERIFY(out.bounds.empty());
        for (size_t i = 0; i < 400; ++i)
            for (size_t d = 0; d < 3; ++d)
                QCOMPARE(out.floats[i * 3 + d],
                         inputs[0].floats[static_cast<size_t>(std::clamp<int64_t>(places[i], 0, 29)) * 3 + d]);
    }

    void publishedTexts() {
        const auto path = sharedDataFile("dag-keys.jsonl");
        if (!path) QSKIP("dag-keys.jsonl is not present");
        const auto lines = readLines(*path);
        QVERIFY(!lines.empty());
        for (const std::string &line : lines) {
            const auto json = nlohmann::json::parse(line);
            QCOMPARE(md5Hex(json.at("simple_text").get<std::string>()), json.at("md5").get<std::string>());
        }
    }

    void md5OfKnownTexts() {
        QCOMPARE(md5Hex(""), std::string("d41d8cd98f00b204e9800998ecf8427e"));
        QCOMPARE(md5Hex("abc"), std::string("900150983cd24fb0d6963f7d28e17f72"));
    }
};

LOOPSCOPE_TEST(WorkloadDagTest)
#include "workload_dag_test.moc"
