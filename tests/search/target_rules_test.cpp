// What is tried for which kind of target.

#include "harness/sample_dags.h"
#include "search/sketch/sketch.h"
#include "search/target_rules.h"
#include "test_program.h"

#include <QtTest>

using namespace loopscope;

namespace {

template <typename Rule> std::vector<std::string> namesOf(const std::vector<const Rule *> &rules) {
    std::vector<std::string> names;
    for (const Rule *rule : rules) names.emplace_back(rule->name);
    return names;
}

Target ofKind(TargetKind kind) {
    Target target;
    target.kind = kind;
    target.hardware.numCores = 2;
    return target;
}

} // namespace

class TargetRulesTest : public QObject {
    Q_OBJECT
  private slots:
    void processorsHaveAnsorsRulesInItsOrder() {
        const TargetRules &rules = rulesFor(TargetKind::Llvm);
        QVERIFY(rules.annotateRules == (std::vector<const AnnotateRule *>{&kChooseComputeLocation, &kChooseParallel,
                                                                          &kChooseUnroll, &kChooseVectorize}));
        QVERIFY(rules.mutations ==
                (std::vector<const Mutation *>{&kMutateTileSize, &kMutateComputeLocation, &kMutateUnroll,
                                               &kMutateVectorize, &kMutateParallel}));
        QVERIFY(rules.unrollLimits == (std::vector<int>{0, 16, 64, 512}));
        QVERIFY(!rules.nestsParallelLoops);
    }

    /// TileScan is for scans, which Ansor does not know.
    void whatOptionsLeaveOutIsNotTried() {
        const Target cpu = ofKind(TargetKind::Llvm);
        const auto ansors = sketchRules(cpu, {});
        const std::vector<const SketchRule *> expected = {
            &kAlwaysInline,  &kSimplifyConstTensor, &kTileScan, &kAddRfactor,
            &kAddCacheWrite, &kTilingWithFusion,    &kTiling,   &kSkipStage};
        QVERIFY2(ansors == expected, QString::fromStdString(namesOf(ansors).front()).toUtf8());
        const SketchOptions more{
            .inlineMore = true, .packInputs = true, .vectorizeWeights = true, .keepPrologues = true};
        const auto all = sketchRules(cpu, more);
        QCOMPARE(all.size(), expected.size() + 4);
        QVERIFY(all[0] == &kKeepPrologue && all[2] == &kInlineMore && all[3] == &kPackInput &&
                all[8] == &kVectorizeWeights);
        // GPUs know none of them, whatever the options say.
        const Target gpu = ofKind(TargetKind::Cuda);
        QVERIFY(sketchRules(gpu, {}) == sketchRules(gpu, more));
        QCOMPARE(sketchRules(gpu, {}).size(), size_t{9});
    }

    void gpusHaveAnsorsRulesInItsOrder() {
        const TargetRules &rules = rulesFor(TargetKind::Cuda);
        QVERIFY(rules.annotateRules == (std::vector<const AnnotateRule *>{&kChooseThreads, &kChooseUnroll}));
        QVERIFY(rules.unrollLimits == (std::vector<int>{0, 16, 64, 512, 1024}));
        QVERIFY(rules.nestsParallelLoops);
        QVERIFY(!rules.mutations.empty());
    }
};

LOOPSCOPE_TEST(TargetRulesTest)
#include "target_rules_test.moc"
