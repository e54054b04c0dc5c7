#include "views/tiles/tile_facts.h"

#include "views/session/text.h"

#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

QString counted(int64_t value) { return QLocale(QLocale::English).toString(static_cast<qlonglong>(value)); }

QString dims(const std::array<int64_t, 3> &sizes) {
    std::vector<int64_t> shown(sizes.begin(), sizes.end());
    while (shown.size() > 1 && shown.back() == 1) shown.pop_back();
    return shapeText(shown);
}

QString loopNames(const std::vector<TileLoop> &loops) {
    QStringList names;
    for (const TileLoop &loop : loops) names << QStringLiteral("%1 of %2").arg(qt(loop.name)).arg(loop.extent);
    return names.join(QStringLiteral(", "));
}

void setLoops(TileFact &fact, const TiledStage &stage, const std::vector<TileLoop> &loops) {
    fact.note = loopNames(loops);
    for (const TileLoop &loop : loops) fact.loops.push_back({qt(stage.name), qt(loop.name)});
}

TileFact levelFact(const TiledStage &stage, const TileLevel &level, int depth) {
    TileFact fact;
    fact.count = counted(level.count);
    fact.tile = shapeText(level.shape);
    if (!level.whole) {
        fact.tile += QStringLiteral(", interleaved");
        fact.tip = QStringLiteral("Elements of other tiles lie between those of one");
    }
    setLoops(fact, stage, level.loops);
    switch (level.kind) {
    case TileKind::Block:
        fact.what = QStringLiteral("Blocks");
        fact.role = Role::BlockBound;
        break;
    case TileKind::VirtualThread:
        fact.what = QStringLiteral("Virtual threads");
        fact.role = Role::VThreadBound;
        break;
    case TileKind::Thread:
        fact.what = QStringLiteral("Threads");
        fact.role = Role::ThreadBound;
        break;
    case TileKind::Parallel:
        fact.what = QStringLiteral("Parallel tiles");
        fact.role = Role::Parallel;
        break;
    case TileKind::Vector:
        fact.what = QStringLiteral("Lanes");
        fact.role = Role::Vector;
        break;
    case TileKind::Inner:
        fact.what = QStringLiteral("Inner tiles");
        fact.role = static_cast<Role>(static_cast<int>(Role::TileLevel0) + std::clamp(depth, 0, 3));
        break;
    }
    return fact;
}

void addLevels(std::vector<TileFact> &facts, const TiledStage &stage) {
    int depth = 0;
    for (const TileLevel &level : stage.levels) {
        const bool elements =
            std::all_of(level.shape.begin(), level.shape.end(), [](int64_t size) { return size == 1; });
        TileFact fact = levelFact(stage, level, depth++);
        if (elements && level.kind == TileKind::Inner) fact.what = QStringLiteral("Elements");
        facts.push_back(std::move(fact));
    }
}

void addReductions(std::vector<TileFact> &facts, const TiledStage &stage) {
    for (const TileLoop &loop : stage.reductions) {
        if (loop.extent <= 1 && stage.reductions.size() > 1) continue;
        TileFact fact;
        const bool threads = loop.annotation >= Annotation::VThread && loop.annotation <= Annotation::ThreadZ;
        fact.what = threads ? QStringLiteral("Reduced by threads") : QStringLiteral("Reduction");
        fact.role = threads ? Role::ThreadBound : Role::Reduction;
        fact.count = counted(loop.extent);
        fact.tile = threads ? QString() : QStringLiteral("one after the other");
        setLoops(fact, stage, {loop});
        facts.push_back(std::move(fact));
    }
}

QString timesText(double times) {
    if (times == 1) return QStringLiteral("once");
    return QStringLiteral("%1 times")
        .arg(times >= 10 ? counted(static_cast<int64_t>(std::llround(times))) : QString::number(times, 'g', 3));
}

TileFact keptFact(const TiledStage &stage, const KernelTiles &kernel) {
    TileFact fact;
    fact.what = qt(stage.name);
    fact.count = bytesText(stage.bytes());
    fact.tile = shapeText(stage.shape);
    if (stage.copies > 1) fact.tile += QStringLiteral(", %1 times").arg(counted(stage.copies));
    QStringList notes;
    if (stage.memory == ScopeRank::Shared) {
        fact.role = Role::SharedMemory;
        notes << QStringLiteral("shared");
        if (stage.thread.digits.empty())
            notes << QStringLiteral("fetched by the first thread alone");
        else
            notes << QStringLiteral("%1 a thread").arg(countedText(static_cast<size_t>(stage.perThread), "element"));
        if (stage.vector > 1)
            notes << QStringLiteral("%1 loads of %2")
                         .arg(counted((stage.perThread + stage.vector - 1) / stage.vector))
                         .arg(stage.vector);
        if (stage.allocated > stage.elements()) notes << QStringLiteral("rows apart by storage_align");
        fact.warning = stage.thread.digits.empty() && kernel.threadCount() > 1;
    } else if (stage.memory == ScopeRank::Local) {
        fact.role = Role::LocalMemory;
        notes << QStringLiteral("local, of each thread");
    }
    notes << QStringLiteral("at %1 of %2").arg(qt(stage.atLoop), qt(stage.atStage));
    if (stage.times > 1) notes << QStringLiteral("computed %1 times").arg(counted(stage.times));
    if (stage.reuse > 0) notes << QStringLiteral("each element read %1").arg(timesText(stage.reuse));
    fact.note = notes.join(QStringLiteral(", "));
    fact.tip = fact.note;
    fact.loops.push_back({qt(stage.name), QString()});
    return fact;
}

int64_t elementsOfThread(const KernelTiles &kernel) {
    int64_t elements = 1;
    for (const TileLevel &level : kernel.output.levels)
        if (level.kind != TileKind::Block && level.kind != TileKind::Thread) elements *= level.count;
    return elements;
}

} // namespace

std::vector<TileFact> tileFacts(const KernelTiles &kernel, const Target &target) {
    std::vector<TileFact> facts;
    addLevels(facts, kernel.output);
    if (kernel.gpu) {
        TileFact each;
        each.what = QStringLiteral("Elements a thread");
        each.count = counted(elementsOfThread(kernel));
        each.note = QStringLiteral("grid %1, block %2").arg(dims(kernel.blocks), dims(kernel.threads));
        facts.push_back(std::move(each));
    } else if (kernel.work >= 0) {
        addLevels(facts, kernel.worker());
    }
    addReductions(facts, kernel.worker());
    if (kernel.gpu && target.hardware.warpSize > 0) {
        TileFact warps;
        const int64_t warp = target.hardware.warpSize;
        warps.what = QStringLiteral("Warps a block");
        warps.count = counted((kernel.threadCount() + warp - 1) / warp);
        if (kernel.threadCount() % warp != 0) {
            warps.note = QStringLiteral("the last has %1 of %2 threads").arg(kernel.threadCount() % warp).arg(warp);
            warps.warning = true;
        }
        facts.push_back(std::move(warps));
    }
    for (const TiledStage &stage : kernel.inside) facts.push_back(keptFact(stage, kernel));
    if (kernel.sharedBytes() > 0) {
        TileFact shared;
        shared.what = QStringLiteral("Shared memory");
        shared.count = bytesText(kernel.sharedBytes());
        shared.role = Role::SharedMemory;
        const int64_t most = target.hardware.maxSharedMemoryPerBlock;
        if (target.isGpu() && most > 0) shared.note = QStringLiteral("of %1 that a block may use").arg(bytesText(most));
        shared.tip =
            kernel.sharedAsLowered
                ? QStringLiteral("What the kernel has, in whole words: beside the tiles above perhaps second ones, "
                                 "fetched while the others are read, and partial results of threads")
                : QStringLiteral("What the tiles ask for; the kernel was not lowered, which may add second tiles");
        shared.warning = target.isGpu() && most > 0 && kernel.sharedBytes() > most;
        facts.push_back(std::move(shared));
    }
    return facts;
}

QString tileSummary(const KernelTiles &kernel) {
    if (!kernel.gpu) {
        const TileLevel *parallel = kernel.output.level(TileKind::Parallel);
        return parallel == nullptr ? QStringLiteral("no parallel loop")
                                   : QStringLiteral("%1 parallel tiles of %2")
                                         .arg(counted(parallel->count), shapeText(parallel->shape));
    }
    QString text = QStringLiteral("%1 %2 of %3 %4, %5 %6 each")
                       .arg(counted(kernel.blockCount()),
                            kernel.blockCount() == 1 ? QStringLiteral("block") : QStringLiteral("blocks"),
                            counted(kernel.threadCount()),
                            kernel.threadCount() == 1 ? QStringLiteral("thread") : QStringLiteral("threads"),
                            counted(elementsOfThread(kernel)),
                            elementsOfThread(kernel) == 1 ? QStringLiteral("element") : QStringLiteral("elements"));
    if (kernel.sharedBytes() > 0) text += QStringLiteral(", %1 shared").arg(bytesText(kernel.sharedBytes()));
    return text;
}

// --- As a table
// ------------------------------------------------------------------------------------------------------

TileFactModel::TileFactModel(Theme &theme, QObject *parent)
    : TableModel(tableColumns(
                     {QStringLiteral("What"), QStringLiteral("Count"), QStringLiteral("Each"), QStringLiteral("Loops")},
                     {CountColumn}),
                 parent),
      m_theme(theme) {
    connect(&theme, &Theme::changed, this, [this] {
        if (!m_facts.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    });
}

void TileFactModel::setFacts(std::vector<TileFact> facts) {
    beginResetModel();
    m_facts = std::move(facts);
    endResetModel();
}

int TileFactModel::rowOf(const TileLoopRef &loop) const {
    for (size_t row = 0; row < m_facts.size(); ++row) {
        const auto &loops = m_facts[row].loops;
        if (std::find(loops.begin(), loops.end(), loop) != loops.end()) return static_cast<int>(row);
    }
    return -1;
}

int TileFactModel::rowsShown() const { return static_cast<int>(m_facts.size()); }

QVariant TileFactModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid()) return {};
    const TileFact &fact = m_facts[static_cast<size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case WhatColumn:
            return fact.what;
        case CountColumn:
            return fact.count;
        case TileColumn:
            return fact.tile;
        case NoteColumn:
            return fact.note;
        default:
            return {};
        }
    case Qt::ToolTipRole:
        return fact.tip.isEmpty() ? fact.note : fact.tip;
    case Qt::ForegroundRole:
        if (fact.warning && index.column() == NoteColumn) return m_theme.color(Role::Warning);
        return m_theme.color(index.column() == WhatColumn ? fact.role : Role::Text);
    case Qt::TextAlignmentRole:
        return sideOf(index.column());
    default:
        return {};
    }
}

} // namespace loopscope
