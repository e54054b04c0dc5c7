// Packed steps are the steps, whatever they hold, in an eighth of the memory; kept with others like them, in less.

#include "harness/random_schedule.h"
#include "schedule/packed_steps.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <limits>
#include <malloc.h>

using namespace loopscope;

namespace packed_steps_test {

namespace {

constexpr int kMost = std::numeric_limits<int>::max();
constexpr int64_t kLongest = std::numeric_limits<int64_t>::max();

template <size_t... kinds> Step emptyStep(size_t kind, std::index_sequence<kinds...>) {
    Step step;
    ((kind == kinds ? void(step.emplace<kinds>()) : void()), ...);
    return step;
}
Step emptyStep(size_t kind) { return emptyStep(kind, std::make_index_sequence<std::variant_size_v<Step>>()); }

/// A step of that kind whose numbers are small or as large as they can be.
Step randomStep(size_t kind, Random &random) {
    const auto integer = [&] { return random.index(4) == 0 ? -kMost : static_cast<int>(random.index(300)) - 20; };
    const auto ids = [&]<typename Ids>(Ids &list) {
        for (size_t left = random.index(5); left > 0; --left) list.emplace_back(integer());
    };
    const auto text = [&] {
        return random.index(2) == 0 ? "auto_unroll_max_step$" + std::to_string(integer())
                                    : std::string(random.index(200), 'x');
    };
    const auto fill = StepVisitor{
        [&](AnnotateStep &s) { s = {StageId(integer()), IterId(integer()), Annotation(random.index(12))}; },
        [&](FuseStep &s) { ids(s.iters); },
        [&](PragmaStep &s) { s = {StageId(integer()), IterId(integer()), text()}; },
        [&](ReorderStep &s) { ids(s.order); },
        [&](SplitStep &s) {
            s = {StageId(integer()),
                 IterId(integer()),
                 random.index(4) == 0 ? kLongest : integer(),
                 {},
                 random.index(2) == 0};
            ids(s.lengths);
        },
        [&](FollowSplitStep &s) { s = {StageId(integer()), IterId(integer()), StepId(integer()), integer()}; },
        [&](FollowFusedSplitStep &s) {
            s = {StageId(integer()), IterId(integer()), {}, integer(), random.index(2) == 0};
            ids(s.sources);
        },
        [&](StorageAlignStep &s) { s = {StageId(integer()), IterId(integer()), integer(), integer()}; },
        [&](ComputeAtStep &s) { s = {StageId(integer()), StageId(integer()), IterId(integer())}; },
        [&](ComputeInlineStep &s) { s.stage = StageId(integer()); },
        [&](ComputeRootStep &s) { s.stage = StageId(integer()); },
        [&](CacheReadStep &s) {
            s = {StageId(integer()), text(), {}};
            ids(s.readers);
        },
        [&](CacheWriteStep &s) { s = {StageId(integer()), text()}; },
        [&](RfactorStep &s) { s = {StageId(integer()), IterId(integer()), integer()}; }};
    Step step = emptyStep(kind);
    std::visit(fill, step);
    return step;
}

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
    void keptAreEqual();
    void skeletonsAreShared();
    void skeletonsAreForgotten();
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
}

void PackedStepsTest::keptAreEqual() {
    constexpr size_t kinds = std::variant_size_v<Step>;
    StepSkeletons skeletons;
    StepSkeletons others;
    std::array<size_t, kinds> seen{};
    for (uint64_t round = 0; round < 400; ++round) {
        Random random(7, round);
        Steps steps;
        for (size_t left = 1 + random.index(30); left > 0; --left) {
            const size_t kind = random.index(kinds);
            ++seen[kind];
            steps.push_back(randomStep(kind, random));
        }
        const PackedSteps packed = steps;
        const PackedSteps kept = skeletons.keep(packed);
        QVERIFY2(packed.unpack() == steps, stepsText(steps).c_str());
        QVERIFY2(kept.unpack() == steps, stepsText(steps).c_str());
        QCOMPARE(kept.size(), steps.size());
        for (size_t i = 0; i < steps.size(); ++i) {
            QVERIFY2(packed.at(i) == steps[i], stepText(steps[i]).c_str());
            QVERIFY2(kept.at(i) == steps[i], stepText(steps[i]).c_str());
        }
        QVERIFY(kept == packed && packed == kept);
        QVERIFY(kept == skeletons.keep(kept));
        QVERIFY(kept == others.keep(packed)); // skeletons of another table
        Steps changed = steps;
        for (const Step &step : steps) // by one number alone, where there is a list of lengths
            if (const auto *split = std::get_if<SplitStep>(&step); split != nullptr && !split->lengths.empty())
                ++std::get<SplitStep>(changed[static_cast<size_t>(&step - steps.data())]).lengths.back();
        if (changed == steps) changed.pop_back();
        QVERIFY(!(kept == skeletons.keep(changed)) && !(kept == PackedSteps(changed)));
    }
    QVERIFY(*std::min_element(seen.begin(), seen.end()) > 100);
    QVERIFY(skeletons.keep({}).empty());
}

void PackedStepsTest::skeletonsAreShared() {
    StepSkeletons skeletons;
    const auto listOf = [](int64_t length, const char *pragma, int stage) {
        return PackedSteps{SplitStep{StageId(stage), IterId(0), 512, {length, 4}, true},
                           PragmaStep{StageId(stage), IterId(0), pragma}};
    };
    const PackedSteps one = skeletons.keep(listOf(8, "auto_unroll_max_step$16", 2));
    const PackedSteps two = skeletons.keep(listOf(16, "auto_unroll_max_step$512", 2));
    QCOMPARE(skeletons.size(), size_t{1});
    QVERIFY(!(one == two));
    const PackedSteps three = skeletons.keep(listOf(8, "auto_unroll_max_step$16", 3)); // another stage is another one
    QCOMPARE(skeletons.size(), size_t{2});
}

void PackedStepsTest::skeletonsAreForgotten() {
    StepSkeletons skeletons;
    PackedSteps kept;
    for (int stage = 0; stage < 10; ++stage) kept = skeletons.keep({ComputeRootStep{StageId(stage)}});
    QCOMPARE(skeletons.size(), size_t{10});
    skeletons.forgetUnused();
    QCOMPARE(skeletons.size(), size_t{1});
    QVERIFY(kept == PackedSteps{ComputeRootStep{StageId(9)}});
    kept = {};
    skeletons.forgetUnused();
    QCOMPARE(skeletons.size(), size_t{0});
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

LOOPSCOPE_TEST(PackedStepsTest)

} // namespace packed_steps_test
#include "packed_steps_test.moc"
