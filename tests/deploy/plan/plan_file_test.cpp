// Plans as files: read as written, and refused with one sentence when damaged.
#include "copying_plan.h"
#include "deploy/plan/plan_file.h"
#include "deploy/plan/plan_runner.h"
#include "test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <functional>

using namespace loopscope;

namespace {

QByteArray contentOf(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void setContent(const QString &path, const QByteArray &content) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(content);
}

/// The sentence with which reading is refused, the folder left out; empty when it is not.
QString refusalOf(const QTemporaryDir &folder) {
    try {
        (void)readPlan(folder.filePath("p").toStdString());
    } catch (const Error &error) {
        return QString(error.what()).replace(folder.path() + "/", "");
    }
    return {};
}

} // namespace

class PlanFileTest : public QObject {
    Q_OBJECT

  private slots:
    void isReadAsWritten() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("p").toStdString();
        const ExecutionPlan plan = copyingPlan();
        writePlan(plan, path);
        const ExecutionPlan read = readPlan(path);
        QCOMPARE(read.network, plan.network);
        QCOMPARE(read.calls.size(), plan.calls.size());
        QCOMPARE(read.calls[1].sources, plan.calls[1].sources);
        QVERIFY(read.constants[0].value.sameAs(plan.constants[0].value));
        QVERIFY(read.constants[1].value.isSplat() && read.constants[1].value.sameAs(plan.constants[1].value));
        QCOMPARE(read.values[0].offset, size_t{64});
        const QByteArray first = contentOf(folder.filePath("p"));
        writePlan(read, path);
        QCOMPARE(contentOf(folder.filePath("p")), first);
        QVERIFY(first.size() > 0 && contentOf(folder.filePath("p.bin")).size() < 300); // a splat is one element
    }

    /// An older plan of the name, read or running, has what it needs.
    void theFileMayChangeMeanwhile() {
        const QTemporaryDir folder;
        const ExecutionPlan plan = copyingPlan();
        writePlan(plan, folder.filePath("p").toStdString());
        const ExecutionPlan read = readPlan(folder.filePath("p").toStdString());
        PlanRunner runner(read);
        setContent(folder.filePath("p.bin"), "");
        runner.setInput(0, floatTensor({2, 3}, std::array<float, 6>{1, 2, 3, 4, 5, 6}));
        runner.run();
        QVERIFY(runner.output(1).sameAs(plan.constants[0].value));
        QVERIFY(read.constants[0].value.sameAs(plan.constants[0].value));
    }

    void runsAsPlanned() {
        const ExecutionPlan plan = copyingPlan();
        PlanRunner runner(plan);
        const HostTensor x = floatTensor({2, 3}, std::array<float, 6>{1, 2, 3, 4, 5, 6});
        runner.setInput(0, x);
        runner.run();
        QVERIFY(runner.output(0).sameAs(x));
        QVERIFY(runner.output(1).sameAs(plan.constants[0].value));
        QVERIFY(runner.output(2).sameAs(plan.constants[1].value));
    }

    void inputsOfAnotherTypeAreRefused() {
        const ExecutionPlan plan = copyingPlan();
        PlanRunner runner(plan);
        QString sentence;
        try {
            runner.setInput(0, HostTensor::zeros(DType::Float32, {3, 2}));
        } catch (const Error &error) {
            sentence = error.what();
        }
        QCOMPARE(sentence, QString("the tensor for input `x` is float32[3, 2], the network takes float32[2, 3]"));
    }

    void damagedFilesAreRefused_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("another format") << "p" << QByteArray("loopscope execution plan") << QByteArray("other")
                                        << "p: this is no plan: its \"format\" is not \"loopscope execution plan\"";
        QTest::newRow("a version to come") << "p" << QByteArray("\"version\": 1") << QByteArray("\"version\": 2")
                                           << "p: this plan has version 2, and this program reads version 1";
        QTest::newRow("changed") << "p" << QByteArray("\"copies\"") << QByteArray("\"other\"")
                                 << "p: the plan was changed or damaged: its check sum is that of another plan";
        QTest::newRow("changed bytes") << "p.bin" << QByteArray(1, '\x07') << QByteArray(1, '\x06')
                                       << "p.bin: code or constants of the plan were changed or damaged: the check sum "
                                          "is another";
    }
    void damagedFilesAreRefused() {
        QFETCH(QString, file);
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QString, sentence);
        const QTemporaryDir folder;
        writePlan(copyingPlan(), folder.filePath("p").toStdString());
        QCOMPARE(refusalOf(folder), QString());
        QByteArray content = contentOf(folder.filePath(file));
        QVERIFY(content.contains(from));
        setContent(folder.filePath(file), content.replace(content.indexOf(from), from.size(), to));
        QCOMPARE(refusalOf(folder), sentence);
    }

    void truncatedFilesAreRefused() {
        const QTemporaryDir folder;
        writePlan(copyingPlan(), folder.filePath("p").toStdString());
        const QByteArray json = contentOf(folder.filePath("p"));
        const QByteArray data = contentOf(folder.filePath("p.bin"));
        for (const auto keep : {qsizetype{0}, qsizetype{1}, json.size() / 2, json.size() - 3}) {
            setContent(folder.filePath("p"), json.left(keep));
            QVERIFY2(refusalOf(folder).contains(
                         "this is no plan, or it was cut off: the text is not JSON: it ends too early"),
                     qPrintable(refusalOf(folder)));
        }
        setContent(folder.filePath("p"), json);
        setContent(folder.filePath("p.bin"), data.left(data.size() - 64));
        QCOMPARE(refusalOf(folder), QString("p.bin: the plan wants %1 bytes of this file, which has %2")
                                        .arg(data.size())
                                        .arg(data.size() - 64));
        QVERIFY(QFile::remove(folder.filePath("p.bin")));
        QVERIFY(refusalOf(folder).startsWith("p.bin: cannot be opened"));
        QVERIFY(QFile::remove(folder.filePath("p")));
        QVERIFY(!refusalOf(folder).isEmpty());
    }

    void plansThatCannotRunAreRefused() {
        using Change = std::function<void(ExecutionPlan &)>;
        const std::pair<Change, const char *> changes[] = {
            {[](auto &plan) { plan.arenaBytes = 64; }, "call 0 (copy) has argument 1 outside the arena"},
            {[](auto &plan) { plan.calls[1].arguments[0].at = 60; }, "call 1 (copy) has argument 0 outside the arena"},
            {[](auto &plan) { plan.calls[1].arguments[1].at = 5; }, "call 1 (copy) names output 5 of 3"},
            {[](auto &plan) {
                 plan.calls[0].arguments[0].kind = StorageKind::Output;
                 plan.calls[0].arguments[0].at = 1;
                 plan.calls[0].arguments[0].bytes = 25;
             },
             "call 0 (copy) has argument 0 of 25 bytes in a place of 24"},
            {[](auto &plan) { plan.calls[2].arguments.pop_back(); },
             "call 2 (copy) copies from one place to another and has not two of them"},
            {[](auto &plan) { plan.calls[2].action = KernelAction::Run; }, "call 2 (copy) names kernel "},
            {[](auto &plan) { plan.calls[1].arguments[1] = {StorageKind::Input, 0, 24, "x"}; },
             "call 1 (copy) writes to its argument 1, which is no place for results"},
            {[](auto &plan) { plan.packed[1].constant = 2; }, "packed constant 1 is made of constant 2 of 2"},
            {[](auto &plan) { plan.packed[1].packing = {{1, 1, 1000}}; },
             "packed constant 1 is laid out by an index map that does not fit its constant"},
            {[](auto &plan) { plan.packed[1].packing = {{0, 1, 999}}; },
             "packed constant 1 has 4000 bytes, its index map another number"},
        };
        QVERIFY(!problemOf(copyingPlan()));
        for (const auto &[change, sentence] : changes) {
            ExecutionPlan plan = copyingPlan();
            change(plan);
            const auto problem = problemOf(plan);
            QVERIFY2(problem && problem->starts_with(sentence), problem ? problem->c_str() : sentence);
            QVERIFY_THROWS_EXCEPTION(Error, PlanRunner{plan});
        }
    }
};

LOOPSCOPE_TEST(PlanFileTest)
#include "plan_file_test.moc"
