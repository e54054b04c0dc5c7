// Refusals as values: every rule is broken once by the fixtures in refusals/*.txt, the value prints the sentence that
// replay gives, and what it calls legal is: put in the place of what was refused, no suggestion breaks the same rule.

#include "fixture.h"
#include "schedule/steps_json.h"
#include "schedule/stepwise_replay.h"
#include "test_program.h"

#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

using namespace loopscope;

namespace {

using Variants = std::vector<Steps>; // lists to apply instead of the refused step; one of them must be free of the rule

template <typename Change> void with(Variants &out, const Step &step, Change &&change) {
    Step changed = step;
    change(changed);
    out.push_back({changed});
}

/// The refused step with a stage, loop or number in each place where one can stand.
Variants withStage(const Step &step, StageId stage) {
    Variants out;
    with(out, step, [&](Step &s) { setStage(s, stage); });
    if (std::holds_alternative<ComputeAtStep>(step))
        with(out, step, [&](Step &s) { std::get<ComputeAtStep>(s).target = stage; });
    if (const auto *read = std::get_if<CacheReadStep>(&step)) {
        with(out, step, [&](Step &s) { std::get<CacheReadStep>(s).readers = {stage}; });
        for (size_t i = 0; i < read->readers.size(); ++i)
            with(out, step, [&](Step &s) { std::get<CacheReadStep>(s).readers[i] = stage; });
    }
    return out;
}

Variants withLoop(const Step &step, IterId loop) {
    Variants out;
    std::visit(StepVisitor{
                   [&](const FuseStep &fuse) {
                       out.push_back({FuseStep{fuse.stage, {loop}}});
                       for (size_t i = 0; i < fuse.iters.size(); ++i)
                           with(out, step, [&](Step &s) { std::get<FuseStep>(s).iters[i] = loop; });
                   },
                   [&](const ReorderStep &reorder) {
                       for (size_t i = 0; i < reorder.order.size(); ++i)
                           with(out, step, [&](Step &s) { std::get<ReorderStep>(s).order[i] = loop; });
                   },
                   [&](const ComputeAtStep &) {
                       with(out, step, [&](Step &s) { std::get<ComputeAtStep>(s).targetIter = loop; });
                   },
                   [&](const ComputeInlineStep &) {},
                   [&](const ComputeRootStep &) {},
                   [&](const CacheReadStep &) {},
                   [&](const CacheWriteStep &) {},
                   [&](const auto &kind) {
                       auto changed = kind;
                       changed.iter = loop;
                       out.push_back({changed});
                   },
               },
               step);
    return out;
}

Variants withNumber(const Step &step, int64_t number) {
    Variants out;
    const int small = static_cast<int>(number);
    const auto count = static_cast<size_t>(number);
    std::visit(
        StepVisitor{
            [&](const SplitStep &split) {
                with(out, step, [&](Step &s) { std::get<SplitStep>(s).lengths = {number}; });
                for (size_t i = 0; i < split.lengths.size(); ++i)
                    with(out, step, [&](Step &s) { std::get<SplitStep>(s).lengths[i] = number; });
                if (number < 1000)
                    with(out, step, [&](Step &s) { std::get<SplitStep>(s).lengths.assign(count - 1, 1); });
            },
            [&](const FollowSplitStep &) {
                with(out, step, [&](Step &s) { std::get<FollowSplitStep>(s).parts = small; });
            },
            [&](const FollowFusedSplitStep &) {
                with(out, step, [&](Step &s) { std::get<FollowFusedSplitStep>(s).level = small; });
            },
            [&](const StorageAlignStep &) {
                with(out, step, [&](Step &s) { std::get<StorageAlignStep>(s).factor = small; });
                with(out, step, [&](Step &s) { std::get<StorageAlignStep>(s).offset = small; });
            },
            [&](const RfactorStep &) {
                with(out, step, [&](Step &s) { std::get<RfactorStep>(s).factorIter = small; });
            },
            [&](const FuseStep &) { with(out, step, [&](Step &s) { std::get<FuseStep>(s).iters.resize(count); }); },
            [&](const auto &) {},
        },
        step);
    return out;
}

/// For each suggested value the lists that put it somewhere.
std::vector<Variants> cures(const Step &step, const Suggestion &suggestion) {
    std::vector<Variants> out;
    std::visit(StepVisitor{
                   [&](const LegalStages &legal) {
                       for (const StageId stage : legal.stages) out.push_back(withStage(step, stage));
                   },
                   [&](const LegalLoops &legal) {
                       if (const auto *reorder = std::get_if<ReorderStep>(&step);
                           reorder != nullptr && reorder->order.size() != legal.loops.size() &&
                           legal.loops.size() > 1) {
                           out.push_back({{ReorderStep{legal.stage, legal.loops}}});
                           return;
                       }
                       for (const IterId loop : legal.loops) out.push_back(withLoop(step, loop));
                   },
                   [&](const LegalAttachPoints &legal) {
                       for (const AttachPoint &point : legal.points)
                           out.push_back({{ComputeAtStep{stageOf(step), point.stage, point.iter}}});
                   },
                   [&](const LegalSources &legal) {
                       for (const StepId id : legal.steps) {
                           Variants variants;
                           if (std::holds_alternative<FollowSplitStep>(step))
                               with(variants, step, [&](Step &s) { std::get<FollowSplitStep>(s).source = id; });
                           else
                               with(variants, step, [&](Step &s) { std::get<FollowFusedSplitStep>(s).sources = {id}; });
                           out.push_back(variants);
                       }
                   },
                   [&](const LegalNumbers &legal) {
                       std::vector<int64_t> numbers = legal.sensible;
                       numbers.push_back(legal.least);
                       numbers.push_back(legal.most);
                       for (const int64_t number : numbers) out.push_back(withNumber(step, number));
                   },
                   [&](const LegalAnnotations &legal) {
                       for (const Annotation annotation : legal.annotations) {
                           Step changed = step;
                           std::get<AnnotateStep>(changed).annotation = annotation;
                           out.push_back({{changed}});
                       }
                   },
                   [&](const LegalWords &legal) {
                       for (const std::string &word : legal.words) {
                           Step changed = step;
                           if (auto *pragma = std::get_if<PragmaStep>(&changed)) pragma->text = word;
                           if (auto *read = std::get_if<CacheReadStep>(&changed)) read->scope = word;
                           if (auto *write = std::get_if<CacheWriteStep>(&changed)) write->scope = word;
                           out.push_back({{changed}});
                       }
                   },
                   [&](const ApplyFirst &first) { out.push_back({{first.step, step}}); },
               },
               suggestion);
    return out;
}

bool breaks(const LoopState &state, const Steps &steps, ScheduleRule rule) {
    StepwiseReplay replay(state);
    for (const Step &step : steps)
        if (const Refused refused = replay.apply(step)) return refused->rule == rule;
    return false;
}

struct Refusing {
    Fixture fixture;
    LoopState state; // in front of the refused step
    Step step;
    ScheduleRefusal refusal;
};

/// Fixtures in which a step is refused (others refuse a text, or bounds).
std::vector<Refusing> refusing() {
    std::vector<Refusing> out;
    for (const Fixture &fixture : loadFixtures("refusals")) {
        Steps steps;
        try {
            steps = stepsFromJson(nlohmann::json::parse(fixture.at("steps")));
        } catch (const Error &) {
            continue;
        }
        StepwiseReplay replay(fixtureDag(fixture.at("dag")));
        for (const Step &step : steps) {
            const LoopState before = replay.state();
            Refused refused = replay.apply(step);
            if (!refused) continue;
            out.push_back({fixture, before, step, *std::move(refused)});
            break;
        }
    }
    return out;
}

} // namespace

class ScheduleRefusalTest : public QObject {
    Q_OBJECT
  private slots:
    void valuesPrintTheSentence();
    void everyRuleIsBrokenOnce();
    void suggestionsAreLegal();
    void namesOutliveTheState();
};

void ScheduleRefusalTest::valuesPrintTheSentence() {
    for (const Refusing &r : refusing()) {
        QCOMPARE(QString::fromStdString(r.refusal.sentence()), QString::fromStdString(r.fixture.at("refused")));
        QCOMPARE(r.refusal.step.index(), r.state.steps().size());
        QCOMPARE(QString::fromUtf8(r.refusal.tag.data()), QString::fromUtf8(stepTag(r.step).data()));
        const Outcome<LoopState> alone = r.state.apply(r.step); // without the number
        QVERIFY(!alone.ok());
        QCOMPARE(QString::fromStdString("step " + std::to_string(r.state.steps().size()) + ": " + alone.why()),
                 QString::fromStdString(r.fixture.at("refused")));
    }
}

void ScheduleRefusalTest::everyRuleIsBrokenOnce() {
    std::set<ScheduleRule> seen = {ScheduleRule::StageNamedIsThere, ScheduleRule::LoopNamedIsThere,
                                   ScheduleRule::FollowedStepIsThere}; // of edited lists: edit_steps_test
    for (const Refusing &r : refusing()) seen.insert(r.refusal.rule);
    for (int rule = 0; rule <= static_cast<int>(ScheduleRule::FactorPositionInRange); ++rule)
        QVERIFY2(seen.contains(static_cast<ScheduleRule>(rule)), std::to_string(rule).c_str());
}

void ScheduleRefusalTest::suggestionsAreLegal() {
    // Where a number is too much for the stage or the DAG, nothing but less of it helps.
    const std::set<ScheduleRule> without = {ScheduleRule::StageLimit, ScheduleRule::FusedNameLimit};
    int tried = 0;
    for (const Refusing &r : refusing()) {
        QVERIFY2(!r.refusal.legal.empty() || without.contains(r.refusal.rule), r.fixture.name.c_str());
        if (r.refusal.rule == ScheduleRule::FactorLengthsFilled) continue; // lengths of the step before
        for (const Suggestion &suggestion : r.refusal.legal)
            for (const Variants &variants : cures(r.step, suggestion)) {
                const bool cured = std::any_of(variants.begin(), variants.end(), [&](const Steps &steps) {
                    return !breaks(r.state, steps, r.refusal.rule);
                });
                QVERIFY2(cured, (r.fixture.path + " " + r.fixture.name).c_str());
                ++tried;
            }
    }
    QVERIFY2(tried > 100, std::to_string(tried).c_str());
}

void ScheduleRefusalTest::namesOutliveTheState() {
    std::optional<ScheduleRefusal> refusal;
    {
        StepwiseReplay replay(fixtureDag("matmul"));
        QVERIFY(!replay.apply(SplitStep{StageId(2), IterId(0), 512, {8}, true}));
        refusal = replay.apply(AnnotateStep{StageId(2), IterId(3), Annotation::Parallel});
    }
    QVERIFY(refusal.has_value());
    QCOMPARE(refusal->rule, ScheduleRule::IterationsIndependent);
    QCOMPARE(refusal->stage.id, StageId(2));
    QCOMPARE(refusal->stage.name, std::string("C"));
    QCOMPARE(refusal->loop.id, IterId(3));
    QCOMPARE(refusal->loop.name, std::string("k"));
    QCOMPARE(refusal->step, StepId(1));
    QCOMPARE(std::get<LegalLoops>(refusal->legal.at(0)).loops, (std::vector{IterId(0), IterId(1), IterId(2)}));
    QCOMPARE(std::get<LegalAnnotations>(refusal->legal.at(1)).annotations, std::vector{Annotation::Unroll});
}

LOOPSCOPE_TEST(ScheduleRefusalTest)
#include "schedule_refusal_test.moc"
