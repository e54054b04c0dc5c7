// The loop view's values and models, as text: the tree of a lowered program, of a sketch, of a refused schedule; steps
// in words; buffers.

#include "views/loops/loop_tree.h"
#include "views/loops/loop_tree_delegate.h"
#include "views/loops/loop_tree_model.h"
#include "views/loops/stage_loops.h"
#include "views/loops/step_lines.h"
#include "views/loops/step_list_model.h"
#include "views/loops/storage_model.h"
#include "views/loops/table_text.h"

#include "harness/sample_dags.h"
#include "schedule/steps_json.h"
#include "search/sketch/sketch.h"
#include "test_program.h"

#include <QAbstractItemModelTester>
#include <QtTest>

#include <nlohmann/json.hpp>

#include <cmath>

namespace loopscope {

namespace {

const char *const kTiledMatmul =
    R"([["SP", 2, 0, 64, [4, 8], 1], ["SP", 2, 3, 64, [2, 16], 1], ["SP", 2, 6, 64, [4], 1],)"
    R"( ["RE", 2, [0, 3, 1, 4, 6, 2, 7, 5]], ["FU", 2, [0, 1]], ["AN", 2, 0, 3], ["AN", 2, 6, 2],)"
    R"( ["PR", 2, 0, "auto_unroll_max_step$16"]])";

/// A record of Ansor's for the conv2d layer of ResNet-50.
const char *const kConv2dRecord =
    R"([["CI", 5], ["SP", 3, 0, 1, [1, 1, 1], 1], ["SP", 3, 4, 512, [16, 2, 1], 1], ["SP", 3, 8, 7, [1, 1, 1], 1],)"
    R"( ["SP", 3, 12, 7, [1, 1, 1], 1], ["SP", 3, 16, 512, [1], 1], ["SP", 3, 18, 3, [3], 1], ["SP", 3, 20, 3, [1], 1],)"
    R"( ["RE", 3, [0, 4, 8, 12, 1, 5, 9, 13, 16, 18, 20, 2, 6, 10, 14, 17, 19, 21, 3, 7, 11, 15]], ["CR", 6],)"
    R"( ["CA", 1, 3, 1], ["FU", 3, [0, 1]], ["AN", 3, 0, 3], ["FU", 6, [0, 1]], ["AN", 6, 0, 3],)"
    R"( ["PR", 3, 0, "auto_unroll_max_step$0"], ["AN", 1, 3, 2], ["AN", 3, 20, 2], ["AN", 6, 2, 2]])";

Target smallTarget() {
    Target target = parseTarget("llvm -num-cores=2");
    target.l1Bytes = 32 * 1024;
    target.l2Bytes = 512 * 1024;
    target.l3Bytes = 8 * 1024 * 1024;
    return target;
}

Steps stepsOf(const char *text) { return stepsFromJson(nlohmann::json::parse(text)); }

RepresentationsPtr representationsOf(const DagPtr &dag, const Steps &steps,
                                     const ScheduleRef &ref = {ScheduleRef::Kind::Trial, 0}) {
    return makeRepresentations(makeTask(dag, smallTarget()), ref, steps, 0);
}

LoopTreePtr treeOf(const DagPtr &dag, const Steps &steps) {
    return makeLoopTree(*representationsOf(dag, steps), smallTarget());
}

QString columnText(const LoopTree &tree, int column) {
    QStringList cells;
    for (const LoopRow &row : tree.rows) cells << loopColumns(row).at(column);
    return cells.join(u'|');
}

QString modelText(const QAbstractItemModel &model, const QModelIndex &parent = {}, int depth = 0) {
    QString text;
    for (int r = 0; r < model.rowCount(parent); ++r) {
        const QModelIndex index = model.index(r, 0, parent);
        text +=
            QString(qsizetype{2} * depth, u' ') + index.data().toString() + u'\n' + modelText(model, index, depth + 1);
    }
    return text;
}

} // namespace

class LoopTreeTest : public QObject {
    Q_OBJECT

  private slots:
    void naiveMatmul() {
        const LoopTreePtr tree = treeOf(matmulDag(8, 16, 32), {});
        QVERIFY(tree->fromProgram);
        const QString text = loopTreeText(*tree);
        QVERIFY2(text.startsWith(QLatin1String("for i (8)\n")), qPrintable(text));
        QVERIFY2(text.contains(QLatin1String("for k (32) reduction")), qPrintable(text));
        int statements = 0;
        for (const LoopRow &row : tree->rows) {
            if (row.kind != RowKind::Statement || row.identity) continue;
            QVERIFY(row.total == 8.0 * 16 * 32 || row.total == 8.0 * 16);
            QCOMPARE(row.stage, QStringLiteral("C"));
            ++statements;
        }
        QVERIFY(statements > 0);
    }

    void tiledMatmul() {
        const LoopTreePtr tree = treeOf(matmulDag(64, 64, 64), stepsOf(kTiledMatmul));
        const QString text = loopTreeText(*tree);
        const QStringList lines = text.split(u'\n');
        QVERIFY2(lines[0].startsWith(QLatin1String("parallel i.0@j.0@")), qPrintable(text));
        QVERIFY2(lines[0].contains(QLatin1String("(4)")), qPrintable(text));
        QVERIFY2(text.contains(QLatin1String("vectorized j.2 (16) tile level 2")), qPrintable(text));
        QVERIFY2(text.contains(QLatin1String("reduction tile level 0")), qPrintable(text));
        QCOMPARE(tree->rows[0].axes, (QStringList{QStringLiteral("i"), QStringLiteral("j")}));
        QCOMPARE(tree->rows[0].unrollUpTo, 16);
    }

    /// Too small for threads: the loop says so, where it stands.
    void loopsThatRunSeriallySayWhy() {
        const LoopTreePtr tree = treeOf(matmulDag(8, 8, 8), stepsOf(R"([["AN", 2, 0, 3]])"));
        QCOMPARE(tree->rows[0].loop, LoopKind::Serial);
        QCOMPARE(tree->rows[0].serialised,
                 QStringLiteral("Annotated as parallel, but runs serially: its work is too little "
                                "to start threads for"));
        LoopTreeModel model;
        model.setTree(tree);
        QVERIFY(model.index(0, LoopTreeModel::LoopColumn)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(tree->rows[0].serialised));
        QVERIFY(treeOf(matmulDag(64, 64, 64), stepsOf(kTiledMatmul))->rows[0].serialised.isEmpty());
    }

    void totalsAreProductsOfExtents() {
        const LoopTreePtr tree = treeOf(matmulDag(64, 64, 64), stepsOf(kTiledMatmul));
        int compared = 0;
        for (const LoopRow &row : tree->rows) {
            if (row.kind != RowKind::Loop || row.extent < 0) continue;
            const double outside = row.parent < 0 ? 1 : tree->row(row.parent).total;
            QCOMPARE(row.total, outside * static_cast<double>(row.extent));
            ++compared;
        }
        QVERIFY(compared > 3);
    }

    void conv2dRecord() {
        const LoopTreePtr tree = treeOf(conv2dBiasReluNchwDag(), stepsOf(kConv2dRecord));
        const QString text = loopTreeText(*tree);
        QVERIFY2(tree->refusal.isEmpty(), qPrintable(tree->refusal));
        // The padding stands inside the tiles of the convolution; the addition is inlined.
        QVERIFY2(text.contains(QLatin1String("T_add inlined into compute")), qPrintable(text));
        QVERIFY2(text.contains(QLatin1String("parallel")), qPrintable(text));
        int paddingDepth = -1;
        bool allocated = false;
        for (const LoopRow &row : tree->rows) {
            if (row.kind == RowKind::Statement && row.stage == QLatin1String("pad_temp"))
                paddingDepth = std::max(paddingDepth, row.depth);
            if (row.kind == RowKind::Allocation && row.stage == QLatin1String("pad_temp")) {
                allocated = true;
                QVERIFY2(row.storage == QLatin1String("heap, 162.0 KiB, in L2"), qPrintable(row.storage));
            }
        }
        QVERIFY(paddingDepth >= 2);
        QVERIFY(allocated);
        QCOMPARE(tree->absent.count(QStringLiteral("data")), size_t(1));
    }

    void everyNodeHasItsRow() {
        const RepresentationsPtr representations = representationsOf(conv2dBiasReluNchwDag(), stepsOf(kConv2dRecord));
        const LoopTreePtr tree = makeLoopTree(*representations, smallTarget());
        QVERIFY(representations->nodes().size() > 10);
        for (const ProgramNode &node : representations->nodes()) {
            const int row = tree->rowAt(node.id);
            if (node.kind == StmtKind::Block) continue;
            QVERIFY(row >= 0);
            QCOMPARE(tree->row(row).node, node.id);
        }
        QCOMPARE(tree->rowAt(-1), -1);
        QCOMPARE(tree->rowAt(1 << 20), -1);
    }

    void sketchHasOpenExtents() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const std::vector<Sketch> sketches = generateSketches(dag, smallTarget());
        QVERIFY(!sketches.empty());
        const LoopTreePtr tree = treeOf(dag, sketches[0].state.steps());
        QVERIFY(!tree->fromProgram);
        QVERIFY(!tree->refusal.isEmpty());
        const QString extents = columnText(*tree, LoopTreeModel::ExtentColumn);
        QVERIFY2(extents.contains(QLatin1String("?|?|?")), qPrintable(extents));
        const LoopRow &last = tree->rows.back();
        QCOMPARE(last.kind, RowKind::Statement);
        QVERIFY(std::isnan(last.total));
        QCOMPARE(loopColumns(last).at(LoopTreeModel::TotalColumn), QStringLiteral("?"));
        bool deepest = false;
        for (const LoopRow &row : tree->rows) deepest |= row.tileLevel == 3;
        QVERIFY(deepest);
    }

    void refusedScheduleKeepsItsSentence() {
        const LoopTreePtr tree = treeOf(matmulDag(64, 64, 64), stepsOf(R"([["SP", 2, 9, 64, [4], 1]])"));
        QVERIFY(!tree->fromProgram);
        QVERIFY2(tree->refusal.contains(QLatin1String("9")), qPrintable(tree->refusal));
    }

    void onlyOneStage() {
        const LoopTreePtr whole = treeOf(conv2dBiasReluNchwDag(), stepsOf(kConv2dRecord));
        const LoopTreePtr part = onlyStage(*whole, QStringLiteral("compute"));
        QVERIFY(!part->rows.empty());
        QVERIFY(part->rows.size() < whole->rows.size());
        for (const LoopRow &row : part->rows) QVERIFY(row.stage == QLatin1String("compute") || !row.children.empty());
        LoopTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setTree(part);
        model.setTree(whole);
        model.setTree(nullptr);
    }

    void modelShowsTheTree() {
        LoopTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const LoopTreePtr tree = treeOf(matmulDag(64, 64, 64), stepsOf(kTiledMatmul));
        model.setTree(tree);
        QString expected;
        for (const LoopRow &row : tree->rows)
            expected += QString(qsizetype{2} * row.depth, u' ') + rowText(row) + u'\n';
        QCOMPARE(modelText(model), expected);
        QCOMPARE(model.columnCount(), loopColumnNames().size());
        for (size_t r = 0; r < tree->rows.size(); ++r)
            QCOMPARE(model.indexOf(static_cast<int>(r)).data(LoopTreeModel::RowRole).toInt(), static_cast<int>(r));
    }

    void marksFollowNames() {
        LoopTreeModel model;
        model.setTree(treeOf(matmulDag(64, 64, 64), stepsOf(kTiledMatmul)));
        const QString stage = QStringLiteral("C");
        const auto ofStage = model.rowsOf(stage, {});
        QVERIFY(ofStage.size() > 6);
        const auto exact = model.rowsOf(stage, QStringLiteral("j.2"));
        QVERIFY(!exact.empty());
        for (const int row : exact) QCOMPARE(model.tree()->row(row).iterator, QStringLiteral("j.2"));
        // An axis of the op stands for all loops over it.
        const auto axis = model.rowsOf(stage, QStringLiteral("j"));
        QVERIFY(axis.size() > exact.size());
        QVERIFY(model.rowsOf(QStringLiteral("nothing"), {}).empty());
        model.setMarks(exact);
        QVERIFY(model.indexOf(exact.front()).data(LoopTreeModel::MarkRole).toBool());
        QVERIFY(!model.indexOf(0).data(LoopTreeModel::MarkRole).toBool());
    }

    void findsTextWhateverTheCase() {
        LoopTreeModel model;
        model.setTree(treeOf(matmulDag(64, 64, 64), stepsOf(kTiledMatmul)));
        const auto found = model.find(QStringLiteral("VECTORIZED"));
        QVERIFY(!found.empty());
        for (const int row : found) QCOMPARE(model.tree()->row(row).loop, LoopKind::Vectorized);
        QVERIFY(model.find({}).empty());
    }

    void stepsInWords() {
        const std::vector<StepLine> lines = describeSteps(matmulDag(64, 64, 64), stepsOf(kTiledMatmul));
        QStringList text;
        for (const StepLine &line : lines)
            text << QStringLiteral("%1 %2 %3 | %4 | %5")
                        .arg(line.number)
                        .arg(line.word, line.stage, line.loop, line.parameters);
        const QStringList expected = {
            QStringLiteral("0 split C | i | 64 \u2192 2 \u00d7 4 \u00d7 8"),
            QStringLiteral("1 split C | j | 64 \u2192 2 \u00d7 2 \u00d7 16"),
            QStringLiteral("2 split C | k | 64 \u2192 16 \u00d7 4"),
            QStringLiteral("3 reorder C |  | i.0, j.0, i.1, j.1, k.0, i.2, k.1, j.2"),
            QStringLiteral("4 fuse C | i.0, j.0 | \u2192 i.0@j.0@"),
            QStringLiteral("5 annotate C | i.0@j.0@ | parallel"),
            QStringLiteral("6 annotate C | j.2 | vectorized"),
            QStringLiteral("7 pragma C | i.0@j.0@ | unroll up to 16 steps"),
        };
        QCOMPARE(text, expected);
        // A split concerns the loops that came of it, as they are called in the end.
        const std::vector<LoopTarget> ofSplit = {{QStringLiteral("C"), QStringLiteral("i.0@j.0@")},
                                                 {QStringLiteral("C"), QStringLiteral("i.1")},
                                                 {QStringLiteral("C"), QStringLiteral("i.2")}};
        QCOMPARE(lines[0].targets, ofSplit);
    }

    void everyStepOfARecordHasWords() {
        const std::vector<StepLine> lines = describeSteps(conv2dBiasReluNchwDag(), stepsOf(kConv2dRecord));
        QCOMPARE(lines.size(), size_t(19));
        QCOMPARE(lines[0].word, QStringLiteral("inline"));
        QCOMPARE(lines[0].parameters, QStringLiteral("into compute"));
        QCOMPARE(lines[10].word, QStringLiteral("compute at"));
        QCOMPARE(lines[10].parameters, QStringLiteral("inside ff.0 of conv2d_nchw"));
        for (const StepLine &line : lines) QVERIFY2(line.problem.isEmpty(), qPrintable(line.problem));
    }

    void refusedStepSaysWhy() {
        const std::vector<StepLine> lines =
            describeSteps(matmulDag(64, 64, 64), stepsOf(R"([["AN", 2, 0, 3], ["SP", 2, 9, 64, [4], 1], ["CR", 2]])"));
        QVERIFY(lines[0].problem.isEmpty());
        QVERIFY(!lines[1].problem.isEmpty());
        QCOMPARE(lines[2].stage, QStringLiteral("stage 2"));
    }

    void stepModel() {
        Theme theme;
        StepListModel model(theme);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSteps(describeSteps(matmulDag(64, 64, 64), stepsOf(kTiledMatmul)));
        QCOMPARE(model.rowCount(), 8);
        QCOMPARE(model.stepsOf(QStringLiteral("C"), QStringLiteral("j.2")), (std::vector<int>{1, 6}));
        model.setMarked({1});
        QVERIFY(model.index(1, 0).data(Qt::BackgroundRole).isValid());
        QVERIFY(!model.index(2, 0).data(Qt::BackgroundRole).isValid());
        const QString text = tableText(model, {model.index(4, 0)}, TableFormat::Csv);
        QCOMPARE(text, QStringLiteral("#,Step,Stage,Loop,Parameters\n4,fuse,C,\"i.0, j.0\",\u2192 i.0@j.0@\n"));
    }

    void storageFacts() {
        const LoopTreePtr tree = treeOf(conv2dBiasReluNchwDag(), stepsOf(kConv2dRecord));
        std::map<QString, StorageFact> byName;
        for (const StorageFact &fact : tree->storage) byName[fact.buffer] = fact;
        QVERIFY(byName.contains(QStringLiteral("kernel")));
        const StorageFact &kernel = byName[QStringLiteral("kernel")];
        QCOMPARE(kernel.bytes, int64_t(512) * 512 * 9 * 4);
        QCOMPARE(kernel.fits, QStringLiteral("memory"));
        QCOMPARE(kernel.note, QStringLiteral("input"));
        QVERIFY(byName.contains(QStringLiteral("pad_temp")));
        QCOMPARE(byName[QStringLiteral("pad_temp")].fits, QStringLiteral("L2"));
        QVERIFY(!byName[QStringLiteral("pad_temp")].within.isEmpty());
        Theme theme;
        StorageModel model(theme);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setFacts(tree->storage);
        QCOMPARE(model.rowCount(), static_cast<int>(tree->storage.size()));
        model.setMarkedStage(QStringLiteral("pad_temp"));
    }

    void memoriesAndLoopsOfAGpu() {
        const char *const tiled = R"([["CHW",2,"local"],["SP",2,0,16,[1,4,1,2],1],["SP",2,5,24,[2,2,1,2],1],
            ["SP",2,10,12,[2,3],1],["RE",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],["FSP",3,0,1,3],["FSP",3,4,2,3],
            ["RE",3,[0,4,1,5,2,6,3,7]],["CA",2,3,5],["CHR",1,"shared",[2]],["CA",2,3,6],["CHR",0,"shared",[3]],
            ["CA",1,4,6],["FU",5,[0,1]],["AN",5,0,5],["FU",5,[1,2]],["AN",5,1,4],["FU",5,[2,3]],["AN",5,2,6],
            ["FU",1,[0,1]],["FFSP",1,0,[1,2],1,1],["AN",1,1,6],["FU",3,[0,1]],["FFSP",3,0,[1,2],1,1],["AN",3,1,6]])";
        const Target target = parseTarget("cuda");
        const auto representations = makeRepresentations(makeTask(matmulDag(16, 24, 12), target),
                                                         {ScheduleRef::Kind::Trial, 0}, stepsOf(tiled), 0);
        QCOMPARE(representations->refusal, QString());
        const LoopTreePtr tree = makeLoopTree(*representations, target);
        QStringList bound, kept;
        for (const LoopRow &row : tree->rows) {
            if (row.kind == RowKind::Loop && row.loop >= LoopKind::BlockX)
                bound << loopKindText(row.loop) + u' ' +
                             QString::number(static_cast<int>(roleOf(row.loop)) - static_cast<int>(Role::BlockBound));
            if (row.kind == RowKind::Allocation) kept << row.storage;
        }
        QVERIFY2(bound.contains(QStringLiteral("blockIdx.x 0")), qPrintable(bound.join(u'|')));
        QVERIFY(bound.contains(QStringLiteral("threadIdx.x 2")));
        QVERIFY2(!kept.filter(QStringLiteral("shared, ")).isEmpty(), qPrintable(kept.join(u'|')));
        QCOMPARE(roleOf(LoopKind::VThread), Role::VThreadBound);
        QCOMPARE(memoryRole(MemoryScope::Shared), Role::SharedMemory);
        QCOMPARE(memoryRole(MemoryScope::Heap), Role::QuietText);
        const auto shared = std::find_if(tree->storage.begin(), tree->storage.end(),
                                         [](const StorageFact &fact) { return fact.scope == MemoryScope::Shared; });
        QVERIFY(shared != tree->storage.end());
        QCOMPARE(placeText(MemoryScope::Shared, 192, target), QStringLiteral("0.4 % of a block's"));
        QCOMPARE(shared->fits, placeText(MemoryScope::Shared, shared->bytes, target));
        QCOMPARE(gpuMemoryText(MemoryScope::Shared, 192, target),
                 QStringLiteral("Shared memory: the threads of a block see it, and each block has its own; "
                                "192 B of the 48.00 KiB a block may use."));
        QCOMPARE(shared->tip, gpuMemoryText(MemoryScope::Shared, shared->bytes, target));
        QCOMPARE(placeText(MemoryScope::Shared, 50000, target), QStringLiteral("more than a block may use"));
        QCOMPARE(storageText(MemoryScope::Argument, 1024, target), QStringLiteral("global, 1.000 KiB"));
    }

    void smallestCaches() {
        const Target target = smallTarget();
        QCOMPARE(smallestCache(32 * 1024, target), QStringLiteral("L1"));
        QCOMPARE(smallestCache(32 * 1024 + 1, target), QStringLiteral("L2"));
        QCOMPARE(smallestCache(int64_t(8) << 20, target), QStringLiteral("L3"));
        QCOMPARE(smallestCache((int64_t(8) << 20) + 1, target), QStringLiteral("memory"));
        QCOMPARE(storageText(MemoryScope::Register, 64, target), QStringLiteral("registers, 64 B"));
        QCOMPARE(storageText(MemoryScope::Heap, int64_t(16) << 20, target),
                 QStringLiteral("heap, 16.00 MiB, larger than L3"));
    }
};

LOOPSCOPE_WINDOW_TEST(LoopTreeTest)
} // namespace loopscope

#include "loop_tree_test.moc"
