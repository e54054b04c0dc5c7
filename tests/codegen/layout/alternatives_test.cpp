// Which layouts of a workload are tried beside it: the choice first, each once, the best few.

#include "codegen/layout/alternatives.h"
#include "example_nests.h"
#include "test_program.h"

#include <QtTest>

#include <set>
#include <string>
#include <vector>

using namespace loopscope;

namespace {

LayoutChoice choiceFor(const LoopState &state) {
    auto choice = chooseLayouts(state, {});
    if (!choice) qFatal("%s", choice.why().c_str());
    return std::move(choice).value();
}

std::vector<LayoutAlternative> tried(const LoopState &state, const std::vector<LayoutChoice> &choices, size_t most) {
    auto found = layoutAlternatives(*state.originalDag(), choices, most);
    if (!found) qFatal("%s", found.why().c_str());
    return std::move(found).value();
}

} // namespace

class LayoutAlternativesTest : public QObject {
    Q_OBJECT
  private slots:
    void theChoiceIsFirstAndEachIsThereOnce() {
        const LoopState state = exampleState(kExampleMatmul);
        const LayoutChoice choice = choiceFor(state);
        const auto found = tried(state, {choice, choice}, 4);
        QCOMPARE(found.size(), size_t{4});
        QCOMPARE(found.front().text, std::string("B [j][k]"));
        QVERIFY(found.front().costShare > 0 && found.front().costShare < 0.9);
        QCOMPARE(found.front().rewritten.text, applyLayouts(*state.originalDag(), choice.requests)->text);
        std::set<std::string> keys = {state.originalDag()->key()};
        for (const LayoutAlternative &one : found)
            QVERIFY2(keys.insert(ComputeDag::fromWorkload(one.rewritten.workload)->key()).second, one.text.c_str());
        QCOMPARE(tried(state, {choice}, 1).size(), size_t{1});
    }

    /// Two readers of opposite requests: the layout of each names it.
    void readersAreNamed() {
        const LoopState state = exampleState(kExampleE8, kLoopsOfE8);
        const auto found = tried(state, {choiceFor(state)}, 1);
        QCOMPARE(found.size(), size_t{1});
        QVERIFY2(found.front().text.ends_with(" for D"), found.front().text.c_str());
    }

    void loopsTakeTurns() {
        const LoopState naive = exampleState(kExampleMatmul);
        const LoopState tiled = exampleState(kExampleMatmul, kLoopsOfE3);
        const auto found = tried(naive, {choiceFor(naive), choiceFor(tiled)}, 4);
        QCOMPARE(found.size(), size_t{4});
        QCOMPARE(found[0].loops, size_t{0});
        QCOMPARE(found[1].loops, size_t{1});
        QVERIFY2(found[1].text.find('%') != std::string::npos || found[1].text.find("16") != std::string::npos,
                 found[1].text.c_str());
    }

    void whereNothingPaysNothingIsTried() {
        const LoopState state = exampleState(kExampleMatmul, kLoopsOfE2); // rows are walked as they lie
        QVERIFY(tried(state, {choiceFor(state)}, 3).empty());
        QVERIFY(tried(state, {}, 3).empty());
    }
};

LOOPSCOPE_TEST(LayoutAlternativesTest)
#include "alternatives_test.moc"
