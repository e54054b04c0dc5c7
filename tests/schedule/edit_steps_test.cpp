// Step lists that are edited: what a step names is found again by name, what does not apply any more is marked and
// comes back when its loop does. Random edits of random legal lists keep what they must.

#include "harness/random_schedule.h"
#include "harness/sample_dags.h"
#include "schedule/edit_steps.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QTest>
#include <nlohmann/json.hpp>

using namespace loopscope;

namespace {

Steps stepsOf(const char *json) { return stepsFromJson(nlohmann::json::parse(json)); }

Step stepOf(const char *json) { return stepFromJson(nlohmann::json::parse(json), 0); }

QString listed(const EditedSteps &edited) {
    Steps steps;
    for (size_t i = 0; i < edited.size(); ++i) steps.push_back(edited.step(i));
    return QString::fromStdString(stepsText(steps));
}

QString why(const EditedSteps &edited, size_t at) {
    return edited.refused(at) ? QString::fromStdString(edited.refused(at)->sentence()) : QString();
}

QString text(const LoopState &state) { return QString::fromStdString(state.text(false)); }

/// Stages and loops a step names, by name, read off the state in front of it. Written apart from the editor: a step
/// printed as JSON, its numbers looked up by kind.
std::vector<std::string> namesIn(const Step &step, const LoopState &state) {
    std::vector<std::string> names;
    const auto stage = [&](StageId id) { names.push_back(state.stage(id).op->name); };
    const auto loop = [&](StageId id, IterId iter) { names.push_back(state.stage(id).iters.at(iter.index()).name); };
    if (!std::holds_alternative<PragmaStep>(step)) stage(stageOf(step));
    if (const auto *s = std::get_if<AnnotateStep>(&step)) loop(s->stage, s->iter);
    if (const auto *s = std::get_if<SplitStep>(&step)) loop(s->stage, s->iter);
    if (const auto *s = std::get_if<FollowSplitStep>(&step)) loop(s->stage, s->iter);
    if (const auto *s = std::get_if<FollowFusedSplitStep>(&step)) loop(s->stage, s->iter);
    if (const auto *s = std::get_if<StorageAlignStep>(&step)) loop(s->stage, s->iter);
    if (const auto *s = std::get_if<RfactorStep>(&step)) loop(s->stage, s->iter);
    if (const auto *s = std::get_if<FuseStep>(&step))
        for (const IterId iter : s->iters) loop(s->stage, iter);
    if (const auto *s = std::get_if<ReorderStep>(&step))
        for (const IterId iter : s->order) loop(s->stage, iter);
    if (const auto *s = std::get_if<CacheReadStep>(&step))
        for (const StageId reader : s->readers) stage(reader);
    if (const auto *s = std::get_if<ComputeAtStep>(&step)) {
        stage(s->target);
        loop(s->target, s->targetIter);
    }
    return names;
}

std::vector<size_t> followed(const Step &step) {
    std::vector<size_t> sources;
    if (const auto *s = std::get_if<FollowSplitStep>(&step)) sources = {s->source.index()};
    if (const auto *s = std::get_if<FollowFusedSplitStep>(&step))
        for (const StepId source : s->sources) sources.push_back(source.index());
    return sources;
}

/// Of a random other schedule of the DAG: legal somewhere, and often enough here.
Step randomStep(const DagPtr &dag, Random &random) {
    const LoopState other = randomSchedule(dag, random, {.attempts = 12});
    if (other.steps().empty()) return ComputeRootStep{StageId(random.below(dag->size()))};
    return other.steps()[random.below(other.steps().size())];
}

} // namespace

class EditStepsTest : public QObject {
    Q_OBJECT
  private slots:
    void splitInsertedRenumbersLoops();
    void cacheStepInsertedRenumbersStages();
    void deletedSplitMarksWhatNamesItsParts();
    void followedStepsAreRenumbered();
    void movedStepsKeepTheirLoops();
    void changedStepKeepsItsParts();
    void goesOnBehindARefusedStep();
    void refusalsNumberTheList();
    void listsAreReadBackWithTheirMeaning();
    void nothingThere();
    void longListsAreMadeAnewBetweenStates();
    void randomEdits();
};

void EditStepsTest::splitInsertedRenumbersLoops() {
    EditedSteps edited(matmulDag(), stepsOf(R"([["SP",2,2,512,[8],1],["RE",2,[0,2,1,3]],["AN",2,2,1]])"));
    const QString before = text(edited.state());
    QCOMPARE(edited.legalPrefix(), size_t(3));
    edited.insert(1, stepOf(R"(["SP",2,0,512,[4],1])"));
    // i is not there any more: the order that names it does not apply, and without it j stands elsewhere.
    QCOMPARE(why(edited, 2), QStringLiteral("step 2: reorder is about loop i of C, which is not there any more: "
                                            "name a loop that is, or take the step out"));
    QVERIFY(!edited.refused(3));
    QCOMPARE(listed(edited), QStringLiteral(R"([["SP", 2, 2, 512, [8], 1], ["SP", 2, 0, 512, [4], 1], )"
                                            R"(["RE", 2, [0, 3, 2, 4]], ["AN", 2, 2, 1]])"));
    QCOMPARE(edited.legalPrefix(), size_t(2));
    QCOMPARE(edited.before(2).stage(StageId(2)).iters.size(), size_t(5));
    edited.erase(1);
    QCOMPARE(text(edited.state()), before);
    QCOMPARE(edited.legalPrefix(), size_t(3));

    edited.insert(2, stepOf(R"(["SP",2,0,512,[4],1])")); // behind the order
    QCOMPARE(listed(edited), QStringLiteral(R"([["SP", 2, 2, 512, [8], 1], ["RE", 2, [0, 2, 1, 3]], )"
                                            R"(["SP", 2, 0, 512, [4], 1], ["AN", 2, 3, 1]])"));
}

void EditStepsTest::cacheStepInsertedRenumbersStages() {
    EditedSteps edited(matmulBiasReluDag(), stepsOf(R"([["SP",2,2,512,[8],1],["CI",4],["CA",2,5,1]])"));
    const LoopState naive(matmulBiasReluDag());
    for (size_t i = 0; i < edited.size(); ++i) QVERIFY2(!edited.refused(i), qPrintable(why(edited, i)));
    edited.insert(0, stepOf(R"(["CHR",0,"shared",[2]])"));
    for (size_t i = 0; i < edited.size(); ++i) QVERIFY2(!edited.refused(i), qPrintable(why(edited, i)));
    QCOMPARE(listed(edited), QStringLiteral(R"([["CHR", 0, "shared", [2]], ["SP", 3, 2, 512, [8], 1], ["CI", 5], )"
                                            R"(["CA", 3, 6, 1]])"));
    edited.erase(0);
    QCOMPARE(listed(edited), QStringLiteral(R"([["SP", 2, 2, 512, [8], 1], ["CI", 4], ["CA", 2, 5, 1]])"));
}

void EditStepsTest::deletedSplitMarksWhatNamesItsParts() {
    EditedSteps edited(matmulDag(),
                       stepsOf(R"([["SP",2,0,512,[8],1],["AN",2,0,3],["SP",2,2,512,[16],1],["AN",2,3,2]])"));
    const QString before = text(edited.state());
    edited.erase(0);
    QCOMPARE(why(edited, 0), QStringLiteral("step 0: annotate is about loop i.0 of C, which is not there any more: "
                                            "name a loop that is, or take the step out"));
    QCOMPARE(edited.refused(0)->rule, ScheduleRule::LoopNamedIsThere);
    QCOMPARE(std::get<LegalLoops>(edited.refused(0)->legal.at(0)).loops.size(), size_t(3));
    QVERIFY(!edited.refused(1));
    QVERIFY(!edited.refused(2)); // j.1
    QCOMPARE(std::get<AnnotateStep>(edited.step(2)).iter, IterId(2));
    QCOMPARE(edited.state().stage(StageId(2)).iters[2].annotation, Annotation::Vectorize);
    edited.insert(0, stepOf(R"(["SP",2,0,512,[8],1])")); // its parts have the same names
    QCOMPARE(text(edited.state()), before);
    QCOMPARE(edited.legalPrefix(), edited.size());
    // Without the stage of a cache, what names that stage is marked.
    EditedSteps cached(matmulDag(), stepsOf(R"([["CHW",2,"local"],["AN",2,0,1],["AN",3,0,3]])"));
    cached.erase(0);
    QCOMPARE(why(cached, 0),
             QStringLiteral("step 0: annotate is about stage C.local, which is not there any more: name a "
                            "stage that is, or take the step out"));
    QCOMPARE(cached.refused(0)->rule, ScheduleRule::StageNamedIsThere);
    QVERIFY(!cached.refused(1));
    QCOMPARE(stageOf(cached.step(1)), StageId(2));
}

void EditStepsTest::followedStepsAreRenumbered() {
    EditedSteps edited(matmulBiasReluDag(),
                       stepsOf(R"([["SP",2,0,512,[4,8],1],["SP",2,3,512,[16],1],["FSP",5,0,0,1],["FSP",5,2,1,1]])"));
    QCOMPARE(edited.legalPrefix(), size_t(4));
    edited.insert(0, stepOf(R"(["AN",5,1,2])"));
    QCOMPARE(std::get<FollowSplitStep>(edited.step(3)).source, StepId(1));
    QCOMPARE(std::get<FollowSplitStep>(edited.step(4)).source, StepId(2));
    // Refused steps stand in the list, and are not counted among those that apply.
    edited.insert(1, stepOf(R"(["AN",5,9,2])"));
    QVERIFY(edited.refused(1).has_value());
    QCOMPARE(std::get<FollowSplitStep>(edited.step(4)).source, StepId(2));
    QCOMPARE(std::get<FollowSplitStep>(edited.state().steps()[3]).source, StepId(1));
    QVERIFY(!edited.refused(4) && !edited.refused(5));
    edited.erase(3);
    QCOMPARE(why(edited, 4), QStringLiteral("step 4: follow_split on E follows a split that is not there any more: "
                                            "follow another split, or take the step out")
                                 .replace(QStringLiteral("on E"), QStringLiteral("on %1").arg(QString::fromStdString(
                                                                      edited.state().stage(StageId(5)).op->name))));
    QCOMPARE(std::get<LegalSources>(edited.refused(4)->legal.at(0)).steps, std::vector{StepId(2)}); // of the list
    QVERIFY(!edited.refused(3));
    edited.change(2, stepOf(R"(["SP",2,9,512,[4,8],1])"));
    QCOMPARE(edited.refused(3)->rule, ScheduleRule::FollowedStepIsThere);
    QVERIFY(why(edited, 3).contains(QStringLiteral("follows step 2, which does not apply any more")));
    edited.move(3, 1); // in front of what it follows
    QCOMPARE(edited.refused(1)->rule, ScheduleRule::FollowedStepBefore);
    QVERIFY2(why(edited, 1).contains(QStringLiteral("follows step 3, but only steps 0 to 0 come before it")),
             qPrintable(why(edited, 1)));
}

void EditStepsTest::movedStepsKeepTheirLoops() {
    EditedSteps edited(matmulDag(), stepsOf(R"([["SP",2,0,512,[8],1],["SP",2,2,512,[16],1],["AN",2,4,1]])"));
    const QString before = text(edited.state());
    edited.move(0, 1);
    QCOMPARE(listed(edited),
             QStringLiteral(R"([["SP", 2, 1, 512, [16], 1], ["SP", 2, 0, 512, [8], 1], ["AN", 2, 4, 1]])"));
    QCOMPARE(text(edited.state()), before);
    edited.move(2, 0);
    QCOMPARE(listed(edited),
             QStringLiteral(R"([["AN", 2, 2, 1], ["SP", 2, 1, 512, [16], 1], ["SP", 2, 0, 512, [8], 1]])"));
    QCOMPARE(text(edited.state()), before);
}

void EditStepsTest::changedStepKeepsItsParts() {
    EditedSteps edited(matmulDag(), stepsOf(R"([["SP",2,0,512,[8],1],["AN",2,0,3],["AN",2,2,1]])"));
    edited.change(0, stepOf(R"(["SP",2,0,512,[4,8],1])"));
    QCOMPARE(listed(edited), QStringLiteral(R"([["SP", 2, 0, 512, [4, 8], 1], ["AN", 2, 0, 3], ["AN", 2, 3, 1]])"));
    QCOMPARE(edited.legalPrefix(), size_t(3));
    edited.change(0, stepOf(R"(["SP",2,0,512,[],1])"));
    QCOMPARE(edited.refused(0)->rule, ScheduleRule::LengthGiven);
    QVERIFY(edited.refused(1).has_value()); // i.0
    QVERIFY(!edited.refused(2));            // j
    QCOMPARE(edited.legalPrefix(), size_t(0));
}

void EditStepsTest::goesOnBehindARefusedStep() {
    const EditedSteps edited(matmulDag(), stepsOf(R"([["AN",2,0,3],["AN",2,2,3],["AN",2,1,2]])"));
    QVERIFY(!edited.refused(0));
    QCOMPARE(edited.refused(1)->rule, ScheduleRule::IterationsIndependent);
    QVERIFY(!edited.refused(2));
    QCOMPARE(edited.legalPrefix(), size_t(1));
    QCOMPARE(edited.state().steps().size(), size_t(2));
    QCOMPARE(text(edited.before(1)), text(edited.before(2)));
    const Outcome<LoopState> applied = replay(matmulDag(), edited.state().steps());
    QVERIFY(applied.ok());
    QCOMPARE(text(*applied), text(edited.state()));
}

void EditStepsTest::refusalsNumberTheList() {
    // Step 3 of the list is the second of those that apply.
    const EditedSteps edited(
        matmulDag(), stepsOf(R"([["AN",2,7,3],["AN",2,7,3],["SP",2,0,512,[8],1],["AN",2,3,1],["FSP",2,2,3,1]])"));
    QCOMPARE(edited.refused(1)->step, StepId(1));
    QCOMPARE(why(edited, 4), QStringLiteral("step 4: follow_split on C follows step 3, which is no split but annotate: "
                                            "only a split can be followed"));
    QCOMPARE(std::get<LegalSources>(edited.refused(4)->legal.at(0)).steps, std::vector{StepId(2)});
}

/// Of every list that random edits make: what is written down and read back behaves the same from then on.
void EditStepsTest::listsAreReadBackWithTheirMeaning() {
    const DagPtr dag = matmulDag(64, 64, 64);
    const auto readBack = [&](const EditedSteps &edited) {
        EditedSteps again(dag);
        for (size_t i = 0; i < edited.size(); ++i)
            if (!again.append(edited.step(i), edited.meaning(i))) return EditedSteps(dag);
        return again;
    };
    EditedSteps edited(dag, stepsOf(R"([["SP", 2, 0, 64, [4], 1], ["SP", 2, 2, 64, [8], 1], ["FSP", 2, 4, 1, 1],
                                        ["AN", 2, 0, 3], ["AN", 2, 3, 2]])"));
    for (size_t i = 0; i < edited.size(); ++i) QCOMPARE(why(edited, i), QString());
    const EditedSteps whole = edited;
    edited.erase(1); // what follows it and what names its part are refused
    QVERIFY(edited.refused(1) && edited.refused(3));
    edited.move(0, 3);
    EditedSteps again = readBack(edited);
    QCOMPARE(listed(again), listed(edited));
    for (size_t i = 0; i < edited.size(); ++i) QCOMPARE(why(again, i), why(edited, i));
    again.move(3, 0);
    edited.move(3, 0);
    again.insert(1, whole.step(1));
    edited.insert(1, whole.step(1));
    QCOMPARE(listed(again), listed(edited));
    for (size_t i = 0; i < edited.size(); ++i) QCOMPARE(why(again, i), why(edited, i));
    QVERIFY(!again.refused(4)); // its loop is back
    // A meaning that is none of the step's.
    QVERIFY(!again.append(stepOf(R"(["CI", 2])"), {}));
    QVERIFY(!again.append(stepOf(R"(["CI", 2])"), whole.meaning(0)));
    QCOMPARE(again.size(), edited.size());
}

void EditStepsTest::nothingThere() {
    EditedSteps nowhere(matmulDag(), stepsOf(R"([["SP",2,0,512,[8],1],["FSP",9,0,0,1]])"));
    QCOMPARE(nowhere.refused(1)->rule, ScheduleRule::StageExists);
    nowhere.erase(0); // what it follows is gone, too
    QCOMPARE(nowhere.refused(0)->rule, ScheduleRule::StageExists);
    EditedSteps edited(matmulDag());
    QCOMPARE(edited.size(), size_t(0));
    QCOMPARE(edited.legalPrefix(), size_t(0));
    edited.insert(0, stepOf(R"(["AN",2,0,3])"));
    QVERIFY(!edited.refused(0));
    edited.erase(0);
    QCOMPARE(text(edited.state()), text(LoopState(matmulDag())));
}

void EditStepsTest::randomEdits() {
    const int rounds = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? 400 : 30;
    uint64_t stream = 0;
    int renumbered = 0;
    int marked = 0;
    for (const DagPtr &dag : smallDags()) {
        for (int round = 0; round < rounds; ++round) {
            Random random(11, stream++);
            const Steps steps = randomSchedule(dag, random, {.attempts = 20}).steps();
            EditedSteps edited(dag, steps);
            QCOMPARE(listed(edited), QString::fromStdString(stepsText(steps)));
            QCOMPARE(edited.legalPrefix(), steps.size());
            for (int edit = 0; edit < 4; ++edit) {
                const EditedSteps before = edited;
                const size_t size = before.size();
                const size_t at = random.below(size + 1);
                size_t unedited = at;    // so many steps in front are as they were
                std::vector<size_t> old; // number before of each step now; size: none
                for (size_t i = 0; i < size; ++i) old.push_back(i);
                const auto kind = size == 0 || at == size ? 0 : random.below(4);
                const auto place = old.begin() + static_cast<std::ptrdiff_t>(at);
                if (kind == 0) {
                    edited.insert(at, randomStep(dag, random));
                    old.insert(place, size);
                    EditedSteps again = edited;
                    again.erase(at);
                    QCOMPARE(listed(again), listed(before));
                    QCOMPARE(text(again.state()), text(before.state()));
                    for (size_t i = 0; i < size; ++i) QCOMPARE(why(again, i), why(before, i));
                } else if (kind == 1) {
                    edited.erase(at);
                    old.erase(place);
                } else if (kind == 2) {
                    edited.change(at, randomStep(dag, random));
                    *place = size;
                } else {
                    const size_t to = random.below(size);
                    edited.move(at, to);
                    old.erase(place);
                    old.insert(old.begin() + static_cast<std::ptrdiff_t>(to), at);
                    unedited = std::min(at, to);
                }
                QCOMPARE(edited.size(), old.size());
                for (size_t i = 0; i < unedited; ++i) {
                    QCOMPARE(QString::fromStdString(stepText(edited.step(i))),
                             QString::fromStdString(stepText(before.step(i))));
                    QCOMPARE(why(edited, i), why(before, i));
                    QCOMPARE(text(edited.before(i)), text(before.before(i)));
                }
                size_t applied = 0;
                for (size_t i = 0; i < edited.size(); ++i) {
                    marked += edited.refused(i) ? 1 : 0;
                    if (edited.refused(i)) {
                        QCOMPARE(edited.refused(i)->step, StepId(i));
                        QVERIFY(!edited.refused(i)->sentence().empty());
                        QCOMPARE(text(edited.before(i + 1)), text(edited.before(i)));
                        continue;
                    }
                    ++applied;
                    if (old[i] == size || before.refused(old[i])) continue;
                    QCOMPARE(namesIn(edited.step(i), edited.before(i)),
                             namesIn(before.step(old[i]), before.before(old[i])));
                    std::vector<size_t> sources = followed(edited.step(i));
                    for (size_t &source : sources) source = kind == 2 && source == at ? at : old[source];
                    QCOMPARE(sources, followed(before.step(old[i])));
                    renumbered += stepText(edited.step(i)) == stepText(before.step(old[i])) ? 0 : 1;
                }
                QCOMPARE(edited.state().steps().size(), applied);
                const Outcome<LoopState> legal = replay(dag, edited.state().steps());
                QVERIFY2(legal.ok(), legal.ok() ? "" : legal.why().c_str());
                QCOMPARE(text(*legal), text(edited.state()));
            }
        }
    }
    QVERIFY(renumbered > 100);
    QVERIFY(marked > 100);
}

/// Of a long list few states are kept; all others are made anew, and the same, wherever it was edited.
void EditStepsTest::longListsAreMadeAnewBetweenStates() {
    const DagPtr dag = matmulBiasReluDag(64, 64, 64);
    EditedSteps edited(dag);
    // Split on split of the loop that is innermost, by one: as many as one likes.
    const auto split = [](int loop) { return Step(SplitStep{StageId(2), IterId(loop), 64, {1}}); };
    for (int i = 0; i < 140; ++i) edited.insert(edited.size(), split(i % 3));
    const auto check = [&](size_t wanted) {
        QCOMPARE(edited.size(), wanted);
        LoopState state = edited.before(0);
        QVERIFY(state.steps().empty());
        for (size_t i = 0; i < edited.size(); ++i) {
            QCOMPARE(edited.appliedBefore(i), state.steps().size());
            QCOMPARE(text(edited.before(i)), text(state));
            state = edited.after(i, std::move(state));
        }
        QCOMPARE(text(state), text(edited.state()));
        const auto again = replay(dag, edited.state().steps());
        QVERIFY(again.ok());
        QCOMPARE(text(*again), text(edited.state()));
    };
    check(140);
    Random random(3, 1);
    size_t size = 140;
    for (const size_t at : {size_t{64}, size_t{63}, size_t{0}, size_t{128}, size_t{139}}) {
        edited.insert(at, split(1));
        check(++size);
        edited.move(at, random.below(size));
        check(size);
        edited.change(std::min(at, size - 1), split(0));
        check(size);
    }
    // Down to a place where a state was kept, and over it.
    while (size > 60) {
        edited.erase(size - 1);
        --size;
        if (size % 64 < 2 || size % 64 == 63) check(size);
    }
    for (int i = 0; i < 20; ++i) edited.insert(edited.size(), split(2));
    check(size + 20);
}

LOOPSCOPE_TEST(EditStepsTest)
#include "edit_steps_test.moc"
