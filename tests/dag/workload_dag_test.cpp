// Files become DAGs: every sample passes validation, and MD5 reproduces published keys from their texts.

#include "dag/compute_dag.h"
#include "dag/md5.h"
#include "harness/shared_data.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QTest>

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
        static const std::set<std::string> onlyMoveNumbers = {"concat", "pad", "transpose"};
        QCOMPARE(dag->flops() > 0, !onlyMoveNumbers.contains(workload.name));
        QCOMPARE(dag->key().substr(0, 2), std::string("[\""));
    }

    void publishedTexts() {
        const auto path = sharedDataFile("dag-keys.jsonl");
        if (!path) QSKIP("dag-keys.jsonl is not present");
        for (const std::string &line : readLines(*path)) {
            const auto json = nlohmann::json::parse(line);
            QCOMPARE(md5Hex(json.at("simple_text").get<std::string>()), json.at("md5").get<std::string>());
        }
    }

    void md5OfKnownTexts() {
        QCOMPARE(md5Hex(""), std::string("d41d8cd98f00b204e9800998ecf8427e"));
        QCOMPARE(md5Hex("abc"), std::string("900150983cd24fb0d6963f7d28e17f72"));
    }
};

QTEST_GUILESS_MAIN(WorkloadDagTest)
#include "workload_dag_test.moc"
