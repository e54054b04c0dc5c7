// The tree of edits as a whole: whatever is offered applies from any node, whatever is refused is refused by the core
// with the same sentence, and every node stays what it was made, however one goes about in the tree.

#include "session_fixture.h"

#include "base/random.h"
#include "schedule/bound_inference.h"
#include "schedule/script/schedule_script.h"
#include "schedule/steps_json.h"
#include "search/moves/offered_moves.h"
#include "test_program.h"
#include "views/session/edited_schedules.h"
#include "views/session/text.h"

using namespace loopscope;

namespace {

using Kind = ScheduleRef::Kind;

/// All that a state is: its steps as logs have them, its text, and its script.
std::string everythingOf(const EditNode &node) {
    const LoopState &state = node.steps.state();
    const auto bounded = inferBounds(state, std::make_shared<ExprArena>());
    const auto script = scriptOf(state.originalDag(), state.steps());
    return stepsText(state.steps()) + '\n' + (bounded ? bounded->state.text() : state.text()) + '\n' +
           (script ? *script : script.why());
}

/// A step that need not be legal: one that is offered somewhere, with a number changed.
Step corrupted(Step step, Random &random) {
    if (auto *split = std::get_if<SplitStep>(&step)) split->iter = IterId(static_cast<int>(random.below(12)));
    if (auto *annotate = std::get_if<AnnotateStep>(&step)) annotate->iter = IterId(static_cast<int>(random.below(12)));
    if (auto *fuse = std::get_if<FuseStep>(&step)) fuse->iters.back() = IterId(static_cast<int>(random.below(12)));
    if (auto *reorder = std::get_if<ReorderStep>(&step)) reorder->order.pop_back();
    if (auto *at = std::get_if<ComputeAtStep>(&step)) at->targetIter = IterId(static_cast<int>(random.below(20)));
    if (auto *cache = std::get_if<CacheReadStep>(&step)) cache->readers.push_back(StageId(0));
    return step;
}

} // namespace

class EditTreeTest : public QObject {
    Q_OBJECT

  private slots:
    void anyNodeCanBeGoneBackTo() {
        SessionFixture f;
        f.session->files().open({f.write(QStringLiteral("m.te"), SessionFixture::matmul(12))});
        QVERIFY(f.settled());
        EditedSchedules &edits = f.session->edits();
        Selection &selection = f.session->selection();
        const Target target = f.session->document()->task->target;
        const std::vector<EditNode> &nodes = f.session->document()->edited;
        std::vector<std::string> made;
        const auto note = [&] {
            while (made.size() < nodes.size()) made.push_back(everythingOf(nodes[made.size()]));
        };
        Random random(2026, 22);
        edits.begin({});
        note();
        int refused = 0;
        for (int i = 0; i < 150; ++i) {
            selection.selectSchedule({Kind::Edited, static_cast<int>(random.below(nodes.size()))}); // any node
            const ScheduleRef from = selection.now().schedule;
            const LoopState state = edits.node(from.number)->steps.state();
            const std::vector<Step> moves = offeredMoves(state, target);
            QVERIFY(!moves.empty());
            const Step &move = moves[random.index(moves.size())];
            const Step bad = corrupted(move, random);
            const size_t before = nodes.size();
            const QString why = edits.apply(from, bad);
            const auto core = makeMove(state, bad);
            QCOMPARE(why.isEmpty(), core.ok());
            if (!core) {
                QCOMPARE(why, qt(core.why()));
                QCOMPARE(nodes.size(), before);
                ++refused;
            }
            note();
            const QString offered = edits.apply(from, move);
            QVERIFY2(offered.isEmpty(), qPrintable(offered));
            note();
        }
        QVERIFY2(refused > 30, qPrintable(QString::number(refused)));
        QVERIFY2(nodes.size() > 100, qPrintable(QString::number(nodes.size())));
        // About the tree by undo, redo and jumps: what is shown is what was made.
        for (int i = 0; i < 400; ++i) {
            const uint64_t way = random.below(3);
            if (way == 0) edits.undo();
            if (way == 1) edits.redo();
            if (way == 2) selection.selectSchedule({Kind::Edited, static_cast<int>(random.below(nodes.size()))});
            const int at = selection.now().schedule.number;
            QCOMPARE(everythingOf(*edits.node(at)), made[static_cast<size_t>(at)]);
        }
        // Script -> state -> script is the identity, of every node.
        for (const EditNode &node : nodes) {
            const auto script = scriptOf(node.steps.state().originalDag(), node.steps.state().steps());
            QVERIFY(script.ok());
            const AppliedScript applied = applyScript(node.steps.state().originalDag(), *script);
            QVERIFY(!applied.problem);
            QCOMPARE(stepsText(applied.state.steps()), stepsText(node.steps.state().steps()));
            QCOMPARE(*scriptOf(node.steps.state().originalDag(), applied.state.steps()), *script);
        }
    }
};

LOOPSCOPE_TEST(EditTreeTest)
#include "edit_tree_test.moc"
