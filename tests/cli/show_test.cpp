// Every form of `show`, as text and as JSON, on samples of every kind.

#include "cli_process.h"
#include "test_program.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>
#include <map>

using namespace loopscope;

namespace {

QStringList keysOf(const QString &form) {
    static const std::map<QString, QStringList> keys = {
        {"dag", {"text"}},
        {"simple-dag", {"text"}},
        {"key", {"key", "hash", "flops", "input_bytes", "output_bytes", "intermediate_bytes", "intensity"}},
        {"access", {"ops"}},
        {"te", {"text"}},
        {"loops", {"text", "serial_loops"}},
        {"c", {"text", "links", "loops"}},
        {"llvm", {"text", "links", "loops"}},
        {"asm", {"text", "links", "loops"}},
        {"asm-summary",
         {"instructions", "fmas", "loads", "stores", "spill_stores", "spill_reloads", "bytes", "vector_registers",
          "gp_registers", "stack_bytes", "innermost_loops"}},
        {"features", {"names", "buffers", "features", "corrected"}},
        {"steps", {"steps", "text"}},
        {"script", {"text"}},
    };
    return keys.at(form);
}

QStringList all() {
    return {"dag", "simple-dag", "key", "access", "te", "sketches", "loops", "c", "features", "steps", "script"};
}

} // namespace

class ShowTest : public QObject {
    Q_OBJECT
  private slots:
    void everyFormOfEverySample_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("form");
        const QDir folder(sample(""));
        for (const QString &name : folder.entryList({"*.te"}, QDir::Files, QDir::Name))
            for (const QString &form : all())
                QTest::addRow("%s %s", qPrintable(name), qPrintable(form)) << folder.filePath(name) << form;
        for (const QString form : {"llvm", "asm", "asm-summary"})
            for (const QString name : {"conv2d_bias_relu.te", "softmax.te", "argmax.te"})
                QTest::addRow("%s %s", qPrintable(name), qPrintable(form)) << folder.filePath(name) << form;
    }
    void everyFormOfEverySample() {
        QFETCH(QString, path);
        QFETCH(QString, form);
        const CliRun text = runCli({"show", path, "--as", form});
        QVERIFY2(text.exitCode == 0, text.story());
        // The naive schedule of an op without parameters to choose has no steps, but always a text.
        QVERIFY2(text.out.size() > 10, text.story());
        QVERIFY2(text.error.isEmpty(), text.story());
        const CliRun run = runCli({"show", path, "--as", form, "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        QVERIFY2(!run.json().isNull(), run.story());
        if (form == "sketches") {
            const QJsonArray sketches = run.json().array();
            QVERIFY(!sketches.isEmpty());
            for (const auto &sketch : sketches)
                for (const char *key : {"rules", "steps", "text"}) QVERIFY(sketch.toObject().contains(key));
            return;
        }
        const QJsonObject json = run.json().object();
        for (const QString &key : keysOf(form)) QVERIFY2(json.contains(key), qPrintable(key));
        QCOMPARE(static_cast<int>(json.size()), static_cast<int>(keysOf(form).size()));
        if (json.contains("text") && form != "steps") QCOMPARE(json["text"].toString(), text.out);
    }

    void featuresAreAsManyAsTheirNames() {
        const auto json = runCli({"show", sample("conv2d_bias_relu.te"), "--as", "features", "--json"}).json().object();
        QCOMPARE(json["names"].toArray().size(), 164);
        QCOMPARE(json["features"].toArray().size(), json["buffers"].toArray().size());
        for (const auto &row : json["features"].toArray()) QCOMPARE(row.toArray().size(), 164);
        for (const auto &row : json["corrected"].toArray()) QCOMPARE(row.toArray().size(), 164);
    }

    void linksPointIntoCodeAndLoops() {
        for (const QString form : {"c", "llvm", "asm"}) {
            const auto json = runCli({"show", sample("softmax.te"), "--as", form, "--json"}).json().object();
            const auto links = json["links"].toArray();
            QVERIFY(!links.isEmpty());
            const auto codeLines = json["text"].toString().count('\n');
            const auto loopLines = json["loops"].toString().count('\n');
            for (const auto &link : links) {
                QVERIFY(link[0].toInt() >= 1 && link[0].toInt() <= codeLines);
                QVERIFY(link[1].toInt() >= 1 && link[1].toInt() <= loopLines);
            }
        }
    }

    void parametersChangeTheKey() {
        const auto key = [](const QStringList &more) {
            return runCli(QStringList{"show", sample("matmul.te"), "--as", "key"} + more).out;
        };
        QCOMPARE(key({"--param", "N=512"}), key({}));
        QVERIFY(key({"--param", "N=256"}) != key({}));
        QVERIFY(key({"--param", "N=2039", "--param", "M=2039", "--param", "K=2039"}).contains("[2039, 2039]"));
    }

    void teTextIsAWorkloadAgain() {
        QTemporaryDir folder;
        const QString path = folder.filePath("again.te");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(runCli({"show", sample("conv2d_bias_relu.te"), "--as", "te"}).out.toUtf8());
        file.close();
        QCOMPARE(runCli({"show", path, "--as", "key"}).out,
                 runCli({"show", sample("conv2d_bias_relu.te"), "--as", "key"}).out);
    }

    void targetsAreAccepted() {
        const CliRun run = runCli({"show", sample("matmul.te"), "--as", "asm", "--target", "llvm -mcpu=x86-64-v3"});
        QVERIFY2(run.exitCode == 0, run.story());
        const CliRun gpu = runCli({"show", sample("matmul.te"), "--as", "sketches", "--target", "cuda", "--json"});
        QVERIFY2(gpu.exitCode == 0, gpu.story());
        QCOMPARE(gpu.json().array().size(), 1);
    }
};

LOOPSCOPE_TEST(ShowTest)
#include "show_test.moc"
