// Pipelines whose loops read everything in the order it lies in keep it so (E10: B1, B3 and B15 of the pipelines), as
// written and grouped.

#include "grouping/group_dag.h"
#include "grouping/grouped_schedule.h"
#include "grouping/loop_plan.h"
#include "layout/choice.h"
#include "layout/memory_model.h"
#include "target/target.h"
#include "te/workload.h"

#include <QtTest>

#include <string>

using namespace loopscope;

class NoLayoutTest : public QObject {
    Q_OBJECT
  private slots:
    void pipelinesStayAsTheyAre_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<bool>("grouped");
        for (const char *file : {"blur", "harris", "stencil_chain"}) {
            QTest::addRow("%s", file) << QString(file) << false;
            QTest::addRow("%s, grouped", file) << QString(file) << true;
        }
    }

    void pipelinesStayAsTheyAre() {
        QFETCH(QString, file);
        QFETCH(bool, grouped);
        const std::string path = std::string(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/") + file.toStdString() + ".te";
        const DagPtr dag = ComputeDag::fromWorkload(loadWorkload(path));
        const Target target = parseTarget("llvm -num-cores=4");
        LoopState state(dag);
        if (grouped) {
            const Grouping grouping = groupDag(dag, target, {});
            auto schedule = groupedSchedule(grouping, planLoops(grouping));
            QVERIFY2(schedule.ok(), schedule ? "" : schedule.why().c_str());
            state = std::move(schedule->state);
        }
        LayoutChoiceOptions options;
        options.model = memoryModelOf(target);
        const auto choice = chooseLayouts(state, options);
        QVERIFY2(choice.ok(), choice ? "" : choice.why().c_str());
        QVERIFY(!choice->tensors.empty());
        QString why;
        for (const TensorLayouts &of : choice->tensors) why += QString::fromStdString(of.tensor + ": " + of.why + "; ");
        QVERIFY2(choice->requests.empty(), qPrintable(why));
        QCOMPARE(choice->after.cycles, choice->before.cycles);
    }
};

QTEST_APPLESS_MAIN(NoLayoutTest)
#include "no_layout_test.moc"
