// Packed steps are the steps, whatever they hold, in an eighth of the memory.

#include "harness/random_schedule.h"
#include "schedule/packed_steps.h"
#include "schedule/steps_json.h"

#include <QTest>
#include <limits>
#include <malloc.h>

using namespace loopscope;

namespace {

constexpr int kMost = std::numeric_limits<int>::max();
constexpr int64_t kLongest = std::numeric_limits<int64_t>::max();

size_t allocated() { return mallinfo2().uordblks; }

/// What keeping so many copies made anew costs each.
template <typename Kept> double bytesEach(const Steps &steps) {
    constexpr size_t count = 200;
    std::vector<Kept> kept;
    kept.reserve(count);
    const size_t before = allocated();
    for (size_t i = 0; i < count; ++i) kept.push_back(Kept(steps));
    return static_cast<double>(allocated() - before) / count + sizeof(Kept);
}

} // namespace

class PackedStepsTest : public QObject {
    Q_OBJECT
  private slots:
    void randomSchedules();
    void anyValue();
    void copiesShare();
    void anEighthOfTheMemory();
};

void PackedStepsTest::randomSchedules() {
    uint64_t stream = 0;
    for (const DagPtr &dag : smallDags())
        for (int round = 0; round < 20; ++round) {
            Random random(5, stream++);
            const Steps steps = randomSchedule(dag, random).steps();
            const PackedSteps packed(steps);
            QCOMPARE(packed.size(), steps.size());
            QCOMPARE(packed.empty(), steps.empty());
            QVERIFY2(packed.unpack() == steps, stepsText(steps).c_str());
            for (size_t i = 0; i < steps.size(); ++i) QVERIFY2(packed.at(i) == steps[i], stepText(steps[i]).c_str());
            QVERIFY(packed == PackedSteps(packed.unpack()));
            if (!steps.empty()) QVERIFY(!(packed == PackedSteps(std::span(steps).first(steps.size() - 1))));
        }
}

void PackedStepsTest::anyValue() {
    // What logs may hold, sense or not.
    const Steps steps = {SplitStep{StageId(kMost), IterId(-kMost), kLongest, {-kLongest - 1, 0, kLongest}, false},
                         SplitStep{},
                         PragmaStep{StageId(2), IterId(0), "auto_unroll_max_step$512"},
                         PragmaStep{StageId(2), IterId(0), "auto_unroll_max_step"},
                         PragmaStep{StageId(2), IterId(0), std::string("a\0b \xff", 5)},
                         FuseStep{},
                         ReorderStep{StageId(0), {IterId(300), IterId(-1)}},
                         FollowSplitStep{StageId(1), IterId(2), StepId(-7), 3},
                         FollowFusedSplitStep{StageId(1), IterId(2), {StepId(0), StepId(kMost)}, -1, false},
                         StorageAlignStep{StageId(1), IterId(2), kMost, -kMost - 1},
                         ComputeAtStep{StageId(3), StageId(2), IterId(1)},
                         ComputeInlineStep{StageId(64)},
                         ComputeRootStep{StageId(127)},
                         CacheReadStep{StageId(1), "", {StageId(4), StageId(128)}},
                         CacheWriteStep{StageId(1), std::string(1000, 'x')},
                         RfactorStep{StageId(1), IterId(2), 3},
                         AnnotateStep{StageId(1), IterId(2), Annotation::Tensorize}};
    const PackedSteps packed = steps;
    QVERIFY(packed.unpack() == steps);
    for (size_t i = 0; i < steps.size(); ++i) QVERIFY2(packed.at(i) == steps[i], std::to_string(i).c_str());
    QVERIFY(PackedSteps().unpack().empty());
    const PackedSteps none;
    const PackedSteps ofNone = Steps{};
    QVERIFY(none == ofNone);
    QVERIFY(!(none == packed));
    QVERIFY_THROWS_EXCEPTION(std::logic_error, (void)packed.at(steps.size()));
}

void PackedStepsTest::copiesShare() {
    const PackedSteps packed = {SplitStep{StageId(2), IterId(0), 512, {8, 16}, true}};
    std::vector<PackedSteps> copies;
    copies.reserve(100);
    const size_t before = allocated();
    for (int i = 0; i < 100; ++i) copies.push_back(packed);
    QCOMPARE(allocated(), before);
    QVERIFY(copies.back() == packed);
    const PackedSteps copy = packed.copied();
    QVERIFY(copy == packed);
    QVERIFY(PackedSteps().copied().empty());
}

void PackedStepsTest::anEighthOfTheMemory() {
    Steps steps; // as long as those of a convolution
    for (int i = 0; i < 12; ++i) {
        steps.emplace_back(SplitStep{StageId(3), IterId(4 * i), 512, {4, 1, 8}, true});
        steps.emplace_back(AnnotateStep{StageId(3), IterId(i), Annotation::Unroll});
        steps.emplace_back(FollowSplitStep{StageId(5), IterId(i), StepId(2 * i), 2});
    }
    std::vector<IterId> order;
    for (int i = 0; i < 20; ++i) order.emplace_back(i);
    steps.emplace_back(ReorderStep{StageId(3), order});
    steps.emplace_back(ReorderStep{StageId(5), order});
    steps.emplace_back(PragmaStep{StageId(3), IterId(0), "auto_unroll_max_step$512"});
    if (allocated() == 0) QSKIP("the allocator of this build does not tell what is allocated");
    const double packed = bytesEach<PackedSteps>(steps);
    const double plain = bytesEach<Steps>(steps);
    QVERIFY2(packed * 8 < plain, qPrintable(QStringLiteral("%1 of %2 bytes").arg(packed).arg(plain)));
}

QTEST_GUILESS_MAIN(PackedStepsTest)
#include "packed_steps_test.moc"
