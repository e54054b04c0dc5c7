// A grouping told again from what it recorded: the groups after each of its merges, their totals, and what was weighed.

#include "language/dag/compute_dag.h"
#include "language/te/workload.h"
#include "schedule/grouping/image_bounds.h"
#include "schedule/grouping/merge_history.h"
#include "test_program.h"

#include <QtTest>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

using namespace loopscope;

namespace merge_history_test {

namespace {

Grouping grouped(const QString &name, GroupingMode mode) {
    const DagPtr dag = ComputeDag::fromWorkload(
        loadWorkload(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/" + name.toStdString() + ".te", {}));
    Pipeline pipeline = pipelineOf(dag);
    if (mode == GroupingMode::Compat) boundImagesAtRunTime(pipeline);
    return groupPipeline(std::move(pipeline), MachineParameters{}, mode);
}

std::string groupsText(const Pipeline &pipeline, const std::vector<Group> &groups) {
    std::string text;
    for (const Group &group : groups) {
        text += pipeline.nodeName(group.output) + ":";
        for (const int node : group.members)
            text += fmt::format(" {}{}", pipeline.nodeName(node),
                                group.inlined[static_cast<size_t>(pipeline.node(node).stage)] ? "'" : "");
        text += fmt::format(" {} {}/{}\n", fmt::join(group.tile, "x"), group.cost.arith, group.cost.memory);
    }
    return text;
}

void expect(const std::string &text, const std::string &expected) {
    QVERIFY2(text == expected, (text + "instead of\n" + expected).c_str());
}

} // namespace

class MergeHistoryTest : public QObject {
    Q_OBJECT
  private slots:
    /// By itself the first merge of camera_raw's photograph costs more than it saves, and all behind it depends on
    /// that: fixed goes there as compat does.
    void mergesThatOthersDependOn() {
        const Grouping grouping = grouped(QStringLiteral("camera_raw"), GroupingMode::Fixed);
        QCOMPARE(grouping.groups.size(), size_t(3)); // the matrix, the curve, and all else
        QVERIFY(std::ranges::any_of(grouping.merges, [](const GroupMerge &merge) { return *merge.benefit < 0; }));
        const auto total = [&](size_t merges) {
            const GroupingTotals of = totalsOf(groupsAfter(grouping, merges));
            return of.arith + of.memory;
        };
        for (size_t merges = 1; merges <= grouping.merges.size(); ++merges)
            QCOMPARE(total(merges - 1) - total(merges), *grouping.merges[merges - 1].benefit);
    }

    /// Merges are told while others are still to be decided: who ends the grouping then has what was done so far, or
    /// the whole of a way that was tried before.
    void waysAreToldAsTheyAreTried() {
        const DagPtr dag = grouped(QStringLiteral("camera_raw"), GroupingMode::Fixed).pipeline.dag;
        std::vector<size_t> told; // by attempt
        const auto group = [&](int lastAttempt, size_t lastMerge) {
            told.assign(3, 0);
            return groupPipeline(pipelineOf(dag), MachineParameters{}, GroupingMode::Fixed, [&](const Grouping &known) {
                size_t &merges = told.at(static_cast<size_t>(known.attempt) - 1);
                if (known.merges.size() != ++merges || known.rounds.empty()) return false;
                return known.attempt < lastAttempt || merges < lastMerge;
            });
        };
        const Grouping whole = group(4, 0);
        const std::vector<size_t> all = told;
        QVERIFY2(std::ranges::none_of(all, [](size_t merges) { return merges == 0; }),
                 fmt::format("{}", fmt::join(all, " ")).c_str());
        QCOMPARE(whole.attempt, 3);
        QCOMPARE(whole.merges.size(), all[2]);
        const Grouping ended = group(1, 4);
        QCOMPARE(told, (std::vector<size_t>{4, 0, 0}));
        QCOMPARE(ended.merges.size(), size_t(4));
        expect(groupsText(ended.pipeline, groupsAfter(ended, 4)), groupsText(ended.pipeline, ended.groups));
        const Grouping first = group(3, 2);
        QCOMPARE(told, (std::vector<size_t>{all[0], all[1], 2}));
        QCOMPARE(first.attempt, 1);
        QCOMPARE(first.merges.size(), all[0]);
    }

    void eachStepOfUnsharp() {
        const Grouping grouping = grouped(QStringLiteral("unsharp"), GroupingMode::Compat);
        const auto total = [&](size_t merges) {
            const GroupingTotals of = totalsOf(groupsAfter(grouping, merges));
            return of.arith + of.memory;
        };
        QCOMPARE(grouping.merges.size(), size_t(5));
        for (size_t merges = 0; merges <= 5; ++merges) {
            QCOMPARE(groupsAfter(grouping, merges).size(), 6 - merges);
            if (merges > 0) QCOMPARE(total(merges - 1) - total(merges), *grouping.merges[merges - 1].benefit);
        }
        QCOMPARE(total(0), int64_t{489273196 + 22770262000});
        QCOMPARE(total(5), int64_t{373310640 + 6085817280});
    }

    void theEndIsTheGrouping_data() {
        QTest::addColumn<QString>("name");
        for (const char *name : {"unsharp", "harris", "interpolate", "matmul", "stencil_chain", "histogram_equalize"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void theEndIsTheGrouping() {
        QFETCH(QString, name);
        for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
            const Grouping grouping = grouped(name, mode);
            expect(groupsText(grouping.pipeline, groupsAfter(grouping, grouping.merges.size())),
                   groupsText(grouping.pipeline, grouping.groups));
            const GroupingTotals before = totalsOf(groupsAfter(grouping, 0));
            QCOMPARE(before.arith, grouping.before.arith);
            QCOMPARE(before.memory, grouping.before.memory);
        }
    }

    /// Every merge that was done is weighed as it was; the others come to the benefit that was recorded.
    void candidatesAreWeighedAgain() {
        const Grouping grouping = grouped(QStringLiteral("unsharp"), GroupingMode::Fixed);
        size_t merges = 0;
        for (size_t round = 0; round < grouping.rounds.size(); ++round) {
            QCOMPARE(mergesBefore(grouping, round), merges);
            const GroupingRound &of = grouping.rounds[round];
            for (size_t c = 0; c < of.candidates.size(); ++c) {
                const GroupMerge &candidate = of.candidates[c];
                const std::vector<WeighedGroup> weighed = weighMerge(grouping, round, candidate);
                QCOMPARE(weighed.size(), candidate.consumers.size());
                int64_t arith = 0;
                int64_t memory = 0;
                for (const WeighedGroup &one : weighed) {
                    arith += one.after.cost.arith;
                    memory += one.after.cost.memory;
                }
                QCOMPARE(arith, candidate.after.arith);
                QCOMPARE(memory, candidate.after.memory);
                if (static_cast<int>(c) != of.best) continue;
                const GroupMerge &done = grouping.merges[merges];
                for (size_t i = 0; i < weighed.size(); ++i) {
                    QCOMPARE(weighed[i].after.tile, done.chosen[i]);
                    QCOMPARE(weighed[i].tiles.size(), done.tiles[i].size());
                }
            }
            if (of.best >= 0) ++merges;
        }
        QCOMPARE(merges, grouping.merges.size());
    }
};

LOOPSCOPE_TEST(MergeHistoryTest)

} // namespace merge_history_test
#include "merge_history_test.moc"
