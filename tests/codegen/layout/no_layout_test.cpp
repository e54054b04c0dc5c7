// Pipelines whose loops read everything in the order it lies in keep it so (E10: B1, B3 and B15 of the pipelines), as
// written and grouped, by the default options and by others.

#include "codegen/layout/choice.h"
#include "codegen/layout/memory_model.h"
#include "language/target/target.h"
#include "language/te/workload.h"
#include "schedule/grouping/group_dag.h"
#include "test_program.h"

#include <QtTest>

#include <string>
#include <vector>

using namespace loopscope;

namespace {

const std::string kWholeNumberBlur = R"(workload blur(W = 1536, H = 2560)
in = placeholder [H + 2, W + 2] uint16
bx(y < H + 2, x < W) = (in[y, x] + in[y, x + 1] + in[y, x + 2]) / 3
by(y < H, x < W) = (bx[y, x] + bx[y + 1, x] + bx[y + 2, x]) / 3
)";

enum class Loops : uint8_t { AsWritten, Fixed, Compat };

LoopState stateOf(const DagPtr &dag, const Target &target, Loops loops) {
    if (loops == Loops::AsWritten) return LoopState(dag);
    const GroupingMode mode = loops == Loops::Fixed ? GroupingMode::Fixed : GroupingMode::Compat;
    const Grouping grouping = groupDag(dag, target, {.mode = mode, .machine = {}});
    auto schedule = scheduleOn(target, grouping, planOn(target, grouping));
    if (!schedule) qFatal("%s", schedule.why().c_str());
    return std::move(schedule->state);
}

/// The default options, and those of the target with a beam; for loops as written also a machine of small caches.
std::vector<LayoutChoiceOptions> manyOptions(const Target &target, Loops loops) {
    LayoutChoiceOptions of;
    std::vector<LayoutChoiceOptions> all = {of};
    of.model = memoryModelOf(target);
    of.beam = 4;
    all.push_back(of);
    if (loops != Loops::AsWritten) return all;
    of.beam = 1;
    of.model.levels = {
        {"L1", 16 * 1024, 4, 14, 64}, {"L2", 128 * 1024, 8, 200, 64}, {"pages", 16 * 4096, 16, 30, 4096}};
    of.model.vectorBytes = 16;
    all.push_back(of);
    return all;
}

} // namespace

class NoLayoutTest : public QObject {
    Q_OBJECT
  private slots:
    void pipelinesStayAsTheyAre_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("loops");
        for (const char *file : {"blur", "blur of whole numbers", "harris", "stencil_chain"}) {
            QTest::addRow("%s", file) << QString(file) << static_cast<int>(Loops::AsWritten);
            QTest::addRow("%s, grouped", file) << QString(file) << static_cast<int>(Loops::Fixed);
            QTest::addRow("%s, grouped as Halide does", file) << QString(file) << static_cast<int>(Loops::Compat);
        }
    }

    void pipelinesStayAsTheyAre() {
        QFETCH(QString, file);
        QFETCH(int, loops);
        const std::string path = LOOPSCOPE_SOURCE_DIR "/samples/pipelines/";
        const DagPtr dag =
            ComputeDag::fromWorkload(file.contains(' ') ? parseWorkload(kWholeNumberBlur, "blur")
                                                        : loadWorkload(path + file.toStdString() + ".te"));
        const Target target = parseTarget("llvm -num-cores=4");
        const LoopState state = stateOf(dag, target, static_cast<Loops>(loops));
        for (const LayoutChoiceOptions &options : manyOptions(target, static_cast<Loops>(loops))) {
            const auto choice = chooseLayouts(state, options);
            QVERIFY2(choice.ok(), choice ? "" : choice.why().c_str());
            QVERIFY(!choice->tensors.empty());
            QString why = QString("%1 levels, beam %2: ").arg(options.model.levels.size()).arg(options.beam);
            for (const TensorLayouts &of : choice->tensors)
                why += QString::fromStdString(of.tensor + ": " + of.why + "; ");
            QVERIFY2(choice->requests.empty(), qPrintable(why));
            QCOMPARE(choice->after.cycles, choice->before.cycles);
            const auto same = applyLayouts(*dag, choice->requests);
            QVERIFY(same.ok() && same->prepacks.empty());
            QCOMPARE(ComputeDag::fromWorkload(same->workload)->key(), dag->key());
        }
    }
};

LOOPSCOPE_TEST(NoLayoutTest)
#include "no_layout_test.moc"
