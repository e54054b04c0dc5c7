// Which region every stage computes for one tile, and how much of it other tiles compute, too.

#include "language/dag/compute_dag.h"
#include "language/te/workload.h"
#include "schedule/grouping/overlapped_tile.h"
#include "test_program.h"

#include <QtTest>
#include <fmt/format.h>

using namespace loopscope;

namespace overlapped_tile_test {

namespace {

Grouping groupsOf(const DagPtr &dag) { return groupPipeline(pipelineOf(dag), MachineParameters{}); }

std::string tileText(const Grouping &grouping, const OverlappedTile &tile) {
    std::string text = fmt::format("{} tiles\n", tile.tiles);
    for (const TileRegion &region : tile.regions) {
        text += grouping.pipeline.nameOf(region.buffer);
        for (const Interval range : region.region) text += fmt::format(" {}..{}", range.min, range.max);
        text += region.input ? " read" : fmt::format(" {:.1f} %", region.repeated * 100);
        text += region.inlined ? " inlined\n" : "\n";
    }
    return text;
}

void compare(const std::string &text, const std::string &expected) {
    QVERIFY2(text == expected, (text + "instead of\n" + expected).c_str());
}

} // namespace

class OverlappedTileTest : public QObject {
    Q_OBJECT
  private slots:
    void unsharp() {
        const Grouping grouping =
            groupsOf(ComputeDag::fromWorkload(loadWorkload(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/unsharp.te", {})));
        const Group &group = grouping.groups.at(0);
        // 256 x 256 of all channels, in the middle of 6 x 10.
        compare(tileText(grouping, overlappedTile(grouping, group)),
                "60 tiles\n"
                "output 512..767 1024..1279 0..2 0.0 %\nratio 512..767 1024..1279 0.0 %\n"
                "blur_y 509..770 1024..1279 2.3 %\nkernel 0..3 0.0 % inlined\n"
                "gray 509..770 1021..1282 4.7 %\nrepeat_edge 509..770 1021..1282 0..2 0.0 % inlined\n"
                "in 509..770 1021..1282 0..2 read\n");
        const OverlappedTile first = overlappedTile(grouping, group, {0, 0, 0});
        QCOMPARE(first.at, (std::vector<int64_t>{0, 0, 0}));
        for (const TileRegion &region : first.regions)
            if (region.input && grouping.pipeline.nameOf(region.buffer) == "in") QCOMPARE(region.region[0].max, 258);
    }

    void withoutTilesNothingIsRepeated() {
        const Grouping grouping = groupsOf(ComputeDag::fromWorkload(parseWorkload("workload w(N = 64)\n"
                                                                                  "A = placeholder [N] float32\n"
                                                                                  "B(i < N - 2) = A[i] + A[i + 2]\n",
                                                                                  "w.te")));
        compare(tileText(grouping, overlappedTile(grouping, grouping.groups.at(0))), "1 tiles\n"
                                                                                     "B 1..62 0.0 %\n"
                                                                                     "A 0..63 read\n");
    }

    /// A producer without the axis that is cut is computed anew for each tile of it; half the resolution needs half a
    /// region.
    void tilesThatShareAllOrHalf() {
        Grouping grouping = groupsOf(
            ComputeDag::fromWorkload(parseWorkload("workload w(N = 64)\n"
                                                   "A = placeholder [2 * N] float32\n"
                                                   "D(i < N) = A[2 * i] + A[2 * i + 1]\n"
                                                   "U(c < 4, i < 2 * N - 2) = D[i // 2] * D[(i + 2) // 2] * A[c]\n",
                                                   "w.te")));
        Group group = grouping.alone.back();
        QCOMPARE(grouping.pipeline.nodeName(group.output), std::string("U"));
        group = mergedGroup(group, grouping.pipeline.stageNamed("D"), {&grouping.alone.front()}, false);
        group.tile = {32, 1};
        compare(tileText(grouping, overlappedTile(grouping, group, {1, 2})), "16 tiles\n"
                                                                             "U 32..63 2..2 0.0 %\n"
                                                                             "D 16..32 325.0 %\n"
                                                                             "A 2..65 read\n");
    }
};

LOOPSCOPE_TEST(OverlappedTileTest)

} // namespace overlapped_tile_test
#include "overlapped_tile_test.moc"
