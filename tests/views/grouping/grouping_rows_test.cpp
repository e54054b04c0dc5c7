// What the grouping view says, as text: places of the history, rounds, candidates, tiles and regions; how a tile is
// drawn; what the machine's sliders and entries read.

#include "language/te/workload.h"
#include "test_program.h"
#include "views/grouping/grouping_picture.h"
#include "views/grouping/grouping_rows.h"
#include "views/grouping/machine_form.h"
#include "views/grouping/overlap_picture.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>

#include <limits>

namespace loopscope {

namespace {

/// Groups and stages, a line each.
QString stepText(const ShownGrouping &result, const StepFacts &facts) {
    QString text;
    for (const ShownGroup &group : facts.groups) {
        QStringList names;
        for (const int stage : group.stages) names << stageName(result.pipeline(), stage);
        names.sort();
        text += QStringLiteral("group %1 (%2): %3\n")
                    .arg(stageName(result.pipeline(), group.stage))
                    .arg(group.colour)
                    .arg(names.join(QStringLiteral(" ")));
    }
    for (size_t stage = 0; stage < facts.stages.size(); ++stage) {
        const StageState &state = facts.stages[stage];
        text += QStringLiteral("%1: %2").arg(stageName(result.pipeline(), static_cast<int>(stage)), state.where);
        if (!state.loops.isEmpty()) text += QStringLiteral(" | ") + state.loops;
        text += u'\n';
    }
    return text;
}

/// Columns and rows, a line each, in the content's order; the marked one with a star.
QString contentText(const TableContent &content) {
    QString text = content.columns.join(QStringLiteral(" | ")) + u'\n';
    for (const TableRow &row : content.rows) {
        QStringList cells;
        for (const TableCell &cell : row.cells) cells << cell.text;
        text += (row.marked ? QStringLiteral("* ") : QString()) + cells.join(QStringLiteral(" | ")) + u'\n';
    }
    return text;
}

ShownGroupingPtr groupedDag(const DagPtr &dag, GroupingMode mode) {
    return makeGrouping({dag, parseTarget("llvm -num-cores=2"), {mode, {}}});
}

ShownGroupingPtr grouped(const QString &text) {
    return groupedDag(ComputeDag::fromWorkload(parseWorkload(text.toStdString(), "test.te")), GroupingMode::Compat);
}

ShownGroupingPtr sample(const char *name, GroupingMode mode = GroupingMode::Compat) {
    const std::string path = std::string(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/") + name + ".te";
    return groupedDag(ComputeDag::fromWorkload(loadWorkload(path, {})), mode);
}

void compare(const QString &text, const QString &expected) {
    QVERIFY2(text == expected, qPrintable(text + QStringLiteral("instead of\n") + expected));
}

OverlapBox boxOf(const ShownGrouping &result, const OverlappedTile &tile, const std::vector<OverlapBox> &boxes,
                 const char *stage) {
    for (const OverlapBox &box : boxes)
        if (stageName(result.pipeline(), tile.regions[box.region].buffer) == QLatin1String(stage)) return box;
    return {std::numeric_limits<size_t>::max(), {}, {}};
}

} // namespace

class GroupingRowsTest : public QObject {
    Q_OBJECT
  private slots:
    void placesOfBlur() {
        const ShownGroupingPtr result = sample("blur");
        // Inlining ends at once, then a merge, then there is nothing left.
        QCOMPARE(lastPlace(result->grouping), size_t(3));
        compare(stepText(*result, stepFacts(*result, 0)),
                QStringLiteral("group bx (-1): bx\ngroup by (-1): by\nbx: root | parallel y · vector 8\n"
                               "by: root | parallel y · vector 8\n"));
        compare(stepText(*result, stepFacts(*result, 3)),
                QStringLiteral("group by (0): bx by\nbx: at x_o of by | vector 8\n"
                               "by: root, tiles 256 × 256 | parallel y_o, x_o · vector 8\n"));
        QCOMPARE(placeTitle(*result, 0), QStringLiteral("Before the first merge: every stage for itself"));
        QCOMPARE(placeTitle(*result, 1), QStringLiteral("Inlining ends: none of 1 possible merge saves anything"));
        QCOMPARE(placeTitle(*result, 2), QStringLiteral("Merge 1 of 1: bx into by saves 2.315 G"));
        QCOMPARE(placeTitle(*result, 3), QStringLiteral("Merging ends: there is nothing to merge"));
        QCOMPARE(placeChange(*result, stepFacts(*result, 2)),
                 QStringLiteral("tile none → 256 × 256 · operations 70.81 M → 71.06 M (+0.4\u2009%) · memory 4.783 G → "
                                "2.468 G (−48.4\u2009%)"));
        QVERIFY(stepFacts(*result, 2).merge.has_value());
        QVERIFY(!stepFacts(*result, 1).merge.has_value());
    }

    void inlinedStages() {
        const ShownGroupingPtr result = sample("harris");
        const StepFacts end = stepFacts(*result, lastPlace(result->grouping));
        QCOMPARE(end.groups.size(), size_t(1));
        const auto role = [&](const char *stage) {
            return end.stages[static_cast<size_t>(result->pipeline().stageNamed(stage))].role;
        };
        QCOMPARE(role("output"), StageRole::Root);
        QCOMPARE(role("gray"), StageRole::Member);
        QCOMPARE(role("Ixx"), StageRole::Inlined);
        QCOMPARE(role("Sxx"), StageRole::InlinedEarly);
        // Those inlined early stand in the group of what reads them.
        QCOMPARE(end.groups[0].stages.size(), result->pipeline().stages.size());
        // Without what is inlined, arrows go through it.
        GroupingPictureOptions options;
        options.inlined = false;
        const GroupingPicture picture = groupingPicture(*result, end, options);
        QCOMPARE(picture.hidden, result->pipeline().stages.size() - 4);
        QCOMPARE(picture.boxes.size(), size_t(5));
        QCOMPARE(picture.arrows.size(), size_t(5)); // input, gray, Ix and Iy, both to the output
        options.inlined = true;
        QVERIFY(!groupingPicture(*result, end, options).sameShape(picture));
        options.inlined = false;
        QVERIFY(groupingPicture(*result, end, options).sameShape(picture));
    }

    void groupsThatReadOneAnotherDiffer() {
        const ShownGroupingPtr result = sample("stencil_chain", GroupingMode::Fixed);
        const StepFacts end = stepFacts(*result, lastPlace(result->grouping));
        QVERIFY(end.groups.size() > 4);
        for (size_t stage = 0; stage < result->reads.size(); ++stage)
            for (const BufferNumber read : result->reads[stage]) {
                if (result->pipeline().isInput(read)) continue;
                const int a = end.groupOf(static_cast<int>(stage));
                const int b = end.groupOf(read);
                if (a == b) continue;
                const int colour = end.groups[static_cast<size_t>(a)].colour;
                QVERIFY(colour < 0 || colour != end.groups[static_cast<size_t>(b)].colour);
            }
    }

    void roundsAndCandidates() {
        const ShownGroupingPtr result = sample("unsharp");
        compare(contentText(roundRows(*result)),
                QStringLiteral("Round | Does | Stage | Into | Saves | Tile | Possible\n"
                               "1 | inline | repeat_edge | gray | 3.886 G |  | 5\n"
                               "2 | inline | kernel | blur_y, ratio | 759.2 M |  | 4\n"
                               "3 | ends inlining |  |  |  |  | 3\n"
                               "4 | merge | blur_y | ratio | 4.658 G | y 1 | 2\n"
                               "5 | merge | gray | ratio | 5.170 G | 256 × 256 | 2\n"
                               "6 | merge | ratio | output | 2.328 G | 256 × 256 × 4 | 1\n"
                               "7 | ends merging |  |  |  |  | 0\n"));
        const QString candidates = contentText(candidateRows(*result, 1));
        QVERIFY2(candidates.contains(QStringLiteral("* repeat_edge | gray | 3.886 G | saves most |")),
                 qPrintable(candidates));
        QVERIFY(candidates.contains(QStringLiteral("kernel | blur_y, ratio | 759.2 M | saves less than another |")));
        QVERIFY(candidates.contains(QStringLiteral("blur_y | ratio | −19.67 G | would cost more |")));
        QVERIFY(candidateRows(*result, 0).rows.empty());
    }

    void whatLeavesTooFewTasks() {
        const ShownGroupingPtr result =
            grouped(QStringLiteral("workload w(W = 64, H = 8)\nin = placeholder [H + 2, W + 2] float32\n"
                                   "bx(y < H + 2, x < W) = (in[y, x] + in[y, x + 1] + in[y, x + 2]) / 3\n"
                                   "by(y < H, x < W) = (bx[y, x] + bx[y + 1, x] + bx[y + 2, x]) / 3\n"));
        const QString all = contentText(candidateRows(*result, lastPlace(result->grouping)));
        QVERIFY2(all.contains(QStringLiteral("would leave 1 of the 16 parallel tasks wanted")), qPrintable(all));
    }

    void tilesOfBlur() {
        const ShownGroupingPtr result = sample("blur");
        const auto weighed = weighMerge(result->grouping, 1, result->grouping.rounds[1].candidates[0]);
        const QString text = contentText(tileRows(*result, weighed[0]));
        QVERIFY2(text.startsWith(QStringLiteral("Tile | Operations | Memory | Total | Tasks | Verdict\n"
                                                "none | 70.81 M | 4.783 G | 4.854 G | 1 | compared with\n")),
                 qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("* 256 × 256 | 71.06 M | 2.468 G | 2.539 G | 60 | chosen\n")),
                 qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("x 64 | 70.81 M | 2.518 G | 2.589 G | 24 | +2.0\u2009%\n")),
                 qPrintable(text));
        QCOMPARE(tileRows(*result, weighed[0]).rows.size(), size_t(19));
    }

    void regionsOfUnsharp() {
        const ShownGroupingPtr result = sample("unsharp");
        const OverlappedTile tile = overlappedTile(result->grouping, result->grouping.groups[0]);
        const QString text = contentText(regionRows(*result, tile));
        QVERIFY2(text.contains(QStringLiteral("blur_y | 262 × 256 | 2.3 % | 67\u2009072 | computed for the tile\n")),
                 qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("gray | 262 × 262 | 4.7 % | 68\u2009644 | computed for the tile\n")));
        QVERIFY(text.contains(QStringLiteral("repeat_edge | 262 × 262 × 3 |  | 205\u2009932 | inlined\n")));
        const int output = result->pipeline().stageNamed("output");
        const auto boxes = overlapBoxes(result->pipeline(), tile, output, 0, 1);
        QCOMPARE(boxes.size(), size_t(4));
        QCOMPARE(boxOf(*result, tile, boxes, "blur_y").across, (Overlap{3, 3}));
        QCOMPARE(boxOf(*result, tile, boxes, "blur_y").down, (Overlap{0, 0}));
        QCOMPARE(boxOf(*result, tile, boxes, "gray").down, (Overlap{3, 3}));
        // ratio and output lie where the tile lies.
        const auto rings = overlapRings(boxes);
        QCOMPARE(rings.size(), size_t(3));
        QCOMPARE(rings[2].regions.size(), size_t(2));
        QCOMPARE(rings[2].colour, -1);
        // Along the channels all but the output stay where they are.
        QCOMPARE(boxOf(*result, tile, overlapBoxes(result->pipeline(), tile, output, 2, 1), "gray").across,
                 (Overlap{0, 0}));
    }

    void theModelSorts() {
        Theme theme;
        RowTableModel model(theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const ShownGroupingPtr result = sample("unsharp");
        model.setContent(candidateRows(*result, 1));
        QCOMPARE(model.rowCount(), 5);
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("blur_y"));
        const QPersistentModelIndex kept = model.index(0, 0);
        model.sort(2, Qt::DescendingOrder);
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("repeat_edge"));
        QCOMPARE(kept.data().toString(), QStringLiteral("blur_y"));
        QCOMPARE(kept.row(), 4);
        QCOMPARE(model.numberAt(0), 4);
        QCOMPARE(model.rowOf(0), 4);
        QCOMPARE(model.index(0, 0).data(Qt::BackgroundRole).value<QColor>(), theme.tint(Role::Good));
        model.sort(-1);
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("blur_y"));
        model.sort(2, Qt::AscendingOrder);
        model.setContent(roundRows(*result)); // other columns
        QCOMPARE(model.rowCount(), 7);
        model.setContent({});
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(model.numberAt(0), -1);
    }

    void scales() {
        const LogScale tasks{1, 4096, 2, 1};
        QCOMPARE(tasks.stops(), 24);
        QCOMPARE(tasks.at(8), 16.0);
        QCOMPARE(tasks.stopOf(16), 8);
        QCOMPARE(tasks.at(9), 23.0);
        QCOMPARE(tasks.stopOf(1e9), 24);
        QCOMPARE(cacheText(16 << 20), QStringLiteral("16M"));
        QCOMPARE(cacheText(48 << 10), QStringLiteral("48k"));
        QCOMPARE(cacheText(1000), QStringLiteral("1000"));
    }

    void theMachineByHand() {
        Theme theme;
        MachineForm form(theme);
        form.setPresets(machinePresets(parseTarget("llvm -num-cores=2")));
        QSignalSpy changes(&form, &MachineForm::changed);
        QCOMPARE(form.entry(MachineField::LastLevelCache).text(), QStringLiteral("16M"));
        QCOMPARE(form.presets().currentText(), QStringLiteral("Halide's default"));
        form.slider(MachineField::Parallelism).setValue(6);
        QCOMPARE(form.machine().parallelism, 8);
        QCOMPARE(changes.count(), 1);
        QCOMPARE(form.presets().currentText(), QStringLiteral("Custom"));
        QLineEdit &cache = form.entry(MachineField::LastLevelCache);
        cache.clear();
        QTest::keyClicks(&cache, QStringLiteral("256k\r"));
        QCOMPARE(form.machine().lastLevelCache, int64_t{256} << 10);
        QCOMPARE(changes.count(), 2);
        cache.clear();
        QTest::keyClicks(&cache, QStringLiteral("much\r"));
        QCOMPARE(form.machine().lastLevelCache, int64_t{256} << 10);
        QCOMPARE(form.problem(),
                 QStringLiteral("'much' is no number of bytes; one from 1 to 1e15 is, such as 16M or 512k"));
        QLineEdit &tasks = form.entry(MachineField::Parallelism);
        tasks.clear();
        QTest::keyClicks(&tasks, QStringLiteral("1.5\r"));
        QCOMPARE(form.problem(), QStringLiteral("'1.5' is no whole number from 1 to 1e15, such as 16"));
        QCOMPARE(changes.count(), 2);
        QVERIFY(form.entry(MachineField::CoreCache).isEnabled());
        form.modes().setCurrentIndex(1);
        QCOMPARE(form.mode(), GroupingMode::Compat);
        QVERIFY(!form.entry(MachineField::CoreCache).isEnabled());
        QCOMPARE(changes.count(), 3);
        form.presets().setCurrentIndex(0);
        Q_EMIT form.presets().activated(0);
        QCOMPARE(form.machine().parallelism, 16);
        QVERIFY(form.problem().isEmpty());
    }
};

LOOPSCOPE_WINDOW_TEST(GroupingRowsTest)
} // namespace loopscope

#include "grouping_rows_test.moc"
