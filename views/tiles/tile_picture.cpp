#include "views/tiles/tile_picture.h"

#include "views/session/text.h"

#include <QLocale>
#include <QStringList>

#include <algorithm>

namespace loopscope {

namespace {

constexpr size_t kMaxParts = 20000;
constexpr size_t kMaxPanels = 8;

QString number(int64_t value) { return QLocale(QLocale::English).toString(static_cast<qlonglong>(value)); }

QString levelWord(TileKind kind, int64_t count) {
    switch (kind) {
    case TileKind::Block:
        return count == 1 ? QStringLiteral("block") : QStringLiteral("blocks");
    case TileKind::VirtualThread:
        return count == 1 ? QStringLiteral("virtual thread") : QStringLiteral("virtual threads");
    case TileKind::Thread:
        return count == 1 ? QStringLiteral("thread") : QStringLiteral("threads");
    case TileKind::Parallel:
        return QStringLiteral("parallel tiles");
    case TileKind::Vector:
        return QStringLiteral("lanes");
    case TileKind::Inner:
        break;
    }
    return count == 1 ? QStringLiteral("tile") : QStringLiteral("tiles");
}

Role levelRole(TileKind kind, int depth) {
    switch (kind) {
    case TileKind::Block:
        return Role::BlockBound;
    case TileKind::VirtualThread:
        return Role::VThreadBound;
    case TileKind::Thread:
        return Role::ThreadBound;
    case TileKind::Parallel:
        return Role::Parallel;
    case TileKind::Vector:
        return Role::Vector;
    case TileKind::Inner:
        break;
    }
    return static_cast<Role>(static_cast<int>(Role::TileLevel0) + std::clamp(depth, 0, 3));
}

/// `inner` numbers within `outer`.
TileNumber joined(const TileNumber &outer, const TileNumber &inner, int64_t innerCount) {
    TileNumber both;
    for (const auto &[node, factor] : outer.digits) both.digits.emplace_back(node, factor * innerCount);
    both.digits.insert(both.digits.end(), inner.digits.begin(), inner.digits.end());
    return both;
}

class PictureMaker {
  public:
    PictureMaker(const KernelTiles &kernel, const TileFocus &focus) : m_kernel(kernel), m_focus(focus) {}

    TilePicture make() {
        if (m_kernel.gpu)
            addGpuPanels();
        else
            addLevels(kResultStage);
        if (!m_kernel.gpu && m_kernel.work >= 0) addLevels(m_kernel.work);
        addStrips();
        return std::move(m_picture);
    }

  private:
    [[nodiscard]] TilePlane planeFor(int stage) const {
        const TiledStage &tiled = tiledStage(m_kernel, stage);
        TilePlane plane = planeOf(tiled);
        if (stage == kResultStage && m_focus.columns && m_focus.rows) {
            plane.rows = *m_focus.rows;
            plane.columns = *m_focus.columns;
        }
        const auto found = m_focus.elements.find(stage);
        if (found != m_focus.elements.end() && found->second.size() == plane.through.size())
            plane.through = found->second;
        return plane;
    }

    TilePanel panel(int stage, const TilePlane &plane, const TileWindow &window, const TileNumber &cells) const {
        const TiledStage &tiled = tiledStage(m_kernel, stage);
        TilePanel out;
        out.stage = stage;
        out.plane = plane;
        out.window = window;
        out.number = cells;
        std::vector<int64_t> nodes;
        tiled.map.nodesOf(plane.through, nodes);
        out.marked = cells.of(nodes);
        out.parts = partsOf(tiled, cells, plane, window, kMaxParts);
        if (out.parts.parts.empty()) out.cuts = cutsOf(tiled, cells, plane, window);
        if (plane.rows >= 0) out.rowAxis = qt(tiled.axes[static_cast<size_t>(plane.rows)]);
        if (!tiled.axes.empty()) out.columnAxis = qt(tiled.axes[static_cast<size_t>(plane.columns)]);
        return out;
    }

    static void addLoops(TilePanel &out, const TiledStage &stage, const TileLevel &level) {
        for (const TileLoop &loop : level.loops) out.loops.push_back({qt(stage.name), qt(loop.name)});
    }

    static QString named(const TiledStage &stage) {
        return stage.shape.empty() ? qt(stage.name)
                                   : QStringLiteral("%1  %2").arg(qt(stage.name), shapeText(stage.shape));
    }

    static QString sizeOf(const TileWindow &window) { return shapeText({window.height, window.width}); }

    void add(TilePanel out) {
        if (m_picture.panels.size() < kMaxPanels) m_picture.panels.push_back(std::move(out));
    }

    void addGpuPanels() {
        const TiledStage &result = m_kernel.output;
        const TilePlane plane = planeFor(kResultStage);
        TileWindow window = wholePlane(result, plane);
        if (const TileLevel *block = result.level(TileKind::Block)) {
            TilePanel out = panel(kResultStage, plane, window, result.block);
            out.title = named(result);
            out.subtitle = QStringLiteral("%1 %2 of %3")
                               .arg(number(m_kernel.blockCount()), levelWord(TileKind::Block, m_kernel.blockCount()),
                                    shapeText(block->shape));
            addLoops(out, result, *block);
            out.entered = true;
            add(std::move(out));
            window = windowOf(result, result.block, plane, block->shape);
        }
        addBlockPanel(plane, window);
        addThreadPanel(plane);
        for (size_t i = 0; i < m_kernel.inside.size(); ++i)
            if (m_kernel.inside[i].memory == ScopeRank::Shared) addFetchPanel(static_cast<int>(i));
    }

    void addBlockPanel(const TilePlane &plane, const TileWindow &window) {
        const TiledStage &result = m_kernel.output;
        const TileLevel *threads = result.level(TileKind::Thread);
        const TileLevel *virtualThreads = result.level(TileKind::VirtualThread);
        if (threads == nullptr && virtualThreads == nullptr) return addOwnLevels(plane, window);
        TilePanel out =
            panel(kResultStage, plane, window, joined(result.virtualThread, result.thread, m_kernel.threadCount()));
        out.title = QStringLiteral("A block of %1  %2").arg(qt(result.name), sizeOf(window));
        out.threads = m_kernel.threadCount();
        out.look = TilePanel::Look::ByVirtualThread;
        out.role = Role::ThreadBound;
        QStringList words;
        if (virtualThreads != nullptr) {
            words << QStringLiteral("%1 virtual threads (colours)").arg(number(m_kernel.virtualThreads));
            out.strong = cutsOf(result, result.virtualThread, plane, window);
            addLoops(out, result, *virtualThreads);
        }
        if (threads != nullptr) {
            words << QStringLiteral("%1 %2").arg(number(threads->count), levelWord(TileKind::Thread, threads->count));
            addLoops(out, result, *threads);
        }
        out.subtitle = words.join(QStringLiteral(" of "));
        add(std::move(out));
    }

    /// A block whose threads share what one of them would do: by the loops inside.
    void addOwnLevels(const TilePlane &plane, const TileWindow &window) {
        const TiledStage &result = m_kernel.output;
        const auto inner = std::find_if(result.levels.begin(), result.levels.end(),
                                        [](const TileLevel &level) { return level.kind >= TileKind::Parallel; });
        if (inner == result.levels.end()) return;
        TilePanel out = panel(kResultStage, plane, window, inner->number);
        out.title = QStringLiteral("A block of %1  %2").arg(qt(result.name), sizeOf(window));
        out.subtitle = QStringLiteral("no thread computes elements of its own");
        out.role = levelRole(inner->kind, 0);
        addLoops(out, result, *inner);
        add(std::move(out));
    }

    void addThreadPanel(const TilePlane &plane) {
        const TiledStage &worker = m_kernel.worker();
        const bool local = m_kernel.work >= 0 && worker.memory == ScopeRank::Local;
        const int stage = local ? m_kernel.work : kResultStage;
        const TiledStage &shown = tiledStage(m_kernel, stage);
        const TilePlane own = local ? planeFor(stage) : plane;
        TileWindow window = wholePlane(shown, own);
        if (!local) {
            const TileLevel *thread = shown.level(TileKind::Thread);
            if (thread == nullptr ||
                std::all_of(thread->shape.begin(), thread->shape.end(), [](int64_t size) { return size == 1; }))
                return;
            window = windowOf(shown,
                              joined(shown.block, joined(shown.virtualThread, shown.thread, m_kernel.threadCount()),
                                     m_kernel.threadCount() * m_kernel.virtualThreads),
                              own, thread->shape);
        }
        TileNumber cells;
        std::vector<const TileLevel *> levels;
        for (const TileLevel &level : shown.levels)
            if (level.kind == TileKind::Inner) {
                cells = joined(cells, level.number, level.count);
                levels.push_back(&level);
            }
        TilePanel out = panel(stage, own, window, cells);
        out.marked = -1;
        out.title = local ? named(shown) : QStringLiteral("A thread of %1  %2").arg(qt(shown.name), sizeOf(window));
        out.subtitle = QStringLiteral("elements of a thread");
        if (local) out.subtitle = QStringLiteral("in local memory of each thread");
        if (local && shown.copies > 1)
            out.subtitle += QStringLiteral("\n%1 times: for each virtual thread").arg(number(shown.copies));
        out.role = local ? Role::LocalMemory : Role::ThreadBound;
        for (const TileLevel *level : levels) addLoops(out, shown, *level);
        if (!levels.empty() && levels.size() > 1) out.strong = cutsOf(shown, levels.front()->number, own, window);
        add(std::move(out));
    }

    void addFetchPanel(int stage) {
        const TiledStage &shown = tiledStage(m_kernel, stage);
        const TilePlane plane = planeFor(stage);
        TilePanel out = panel(stage, plane, wholePlane(shown, plane), shown.thread);
        out.title = named(shown);
        out.look = TilePanel::Look::ByThread;
        out.role = Role::SharedMemory;
        std::vector<int64_t> nodes;
        m_kernel.output.map.nodesOf(planeFor(kResultStage).through, nodes);
        out.marked = m_kernel.output.thread.of(nodes);
        QStringList words;
        if (shown.thread.digits.empty()) {
            words << QStringLiteral("by the first thread alone");
            out.marked = 0;
        } else {
            words << QStringLiteral("%1 a thread").arg(countedText(static_cast<size_t>(shown.perThread), "element"));
        }
        if (shown.vector > 1) words << QStringLiteral("in vectors of %1").arg(number(shown.vector));
        out.subtitle = QStringLiteral("in shared memory\n") + words.join(QStringLiteral(", "));
        for (const TileLevel &level : shown.levels)
            if (level.kind == TileKind::Thread) addLoops(out, shown, level);
        for (const TileLevel &level : shown.levels)
            if (level.kind == TileKind::Inner && level.count > 1 && &level == &shown.levels.front()) {
                out.strong = cutsOf(shown, level.number, plane, out.window);
                addLoops(out, shown, level);
            }
        add(std::move(out));
    }

    /// Of a stage on a processor: level in level.
    void addLevels(int stage) {
        const TiledStage &shown = tiledStage(m_kernel, stage);
        const TilePlane plane = planeFor(stage);
        TileWindow window = wholePlane(shown, plane);
        TileNumber outside;
        int depth = 0;
        const size_t first = m_picture.panels.size();
        for (const TileLevel &level : shown.levels) {
            const bool elements =
                std::all_of(level.shape.begin(), level.shape.end(), [](int64_t size) { return size == 1; });
            // Single elements of a large window are no picture.
            if (elements && depth > 0 && window.height * window.width > static_cast<int64_t>(kMaxParts)) break;
            const TileNumber inside = joined(outside, level.number, level.count);
            TilePanel out = panel(stage, plane, window, inside);
            out.title =
                depth == 0 ? named(shown) : QStringLiteral("A tile of %1  %2").arg(qt(shown.name), sizeOf(window));
            out.subtitle = QStringLiteral("%1 %2 of %3")
                               .arg(number(level.count), levelWord(level.kind, level.count), shapeText(level.shape));
            out.role = levelRole(level.kind, depth);
            addLoops(out, shown, level);
            if (m_picture.panels.size() > first) m_picture.panels.back().entered = true;
            add(std::move(out));
            window = windowOf(shown, inside, plane, level.shape);
            outside = inside;
            ++depth;
        }
    }

    void addStrips() {
        const TiledStage &worker = m_kernel.worker();
        int64_t inside = 1;
        for (const TileLoop &loop : worker.reductions) inside *= std::max<int64_t>(1, loop.extent);
        for (const TileLoop &loop : worker.reductions) {
            const int64_t steps = std::max<int64_t>(1, loop.extent);
            inside /= steps;
            if (steps == 1 && worker.reductions.size() > 1) continue;
            TileStrip strip;
            strip.steps = steps;
            strip.loop = {qt(worker.name), qt(loop.name)};
            const bool threads = loop.annotation >= Annotation::VThread && loop.annotation <= Annotation::ThreadZ;
            strip.text =
                threads
                    ? QStringLiteral("%1: %2 threads reduce %3 each").arg(qt(loop.name), number(steps), number(inside))
                    : QStringLiteral("%1: %2 steps of %3").arg(qt(loop.name), number(steps), number(inside));
            if (threads) strip.role = Role::ThreadBound;
            QStringList fetched;
            for (const TiledStage &stage : m_kernel.inside)
                if (stage.atStage == worker.name && stage.atLoop == loop.name) fetched << qt(stage.name);
            if (!fetched.isEmpty())
                strip.subtitle = QStringLiteral("each computes %1").arg(fetched.join(QStringLiteral(" and ")));
            if (!fetched.isEmpty() && m_kernel.gpu)
                strip.subtitle = QStringLiteral("each fetches %1").arg(fetched.join(QStringLiteral(" and ")));
            m_picture.strips.push_back(std::move(strip));
        }
    }

    const KernelTiles &m_kernel;
    const TileFocus &m_focus;
    TilePicture m_picture;
};

} // namespace

TilePicture tilePicture(const KernelTiles &kernel, const TileFocus &focus) {
    return PictureMaker(kernel, focus).make();
}

const TiledStage &tiledStage(const KernelTiles &kernel, int stage) {
    return stage == kResultStage ? kernel.output : kernel.inside[static_cast<size_t>(stage)];
}

QString placeText(const TiledStage &stage, const std::vector<int64_t> &element) {
    std::vector<int64_t> nodes;
    stage.map.nodesOf(element, nodes);
    QStringList parts;
    for (const TileLevel &level : stage.levels)
        for (const TileLoop &loop : level.loops) {
            const auto node = static_cast<size_t>(stage.map.nodeOfLoop(loop.iter.index()));
            QString name = qt(loop.name);
            if (loop.annotation >= Annotation::VThread && loop.annotation <= Annotation::ThreadZ)
                name = QStringLiteral("%1 %2").arg(qt(annotationText(loop.annotation)), name);
            parts << QStringLiteral("%1 = %2 of %3").arg(name).arg(nodes[node]).arg(loop.extent);
        }
    return parts.join(u'\n');
}

QString elementText(const TiledStage &stage, const std::vector<int64_t> &element) {
    QStringList indices;
    for (const int64_t index : element) indices << QString::number(index);
    return indices.isEmpty() ? qt(stage.name)
                             : QStringLiteral("%1[%2]").arg(qt(stage.name), indices.join(QStringLiteral(", ")));
}

bool hasTiles(const KernelTiles &kernel) {
    const auto tiled = [](const TiledStage &stage) {
        return stage.levels.size() > 1 || (!stage.levels.empty() && stage.levels.front().kind != TileKind::Inner);
    };
    return kernel.gpu || tiled(kernel.output) || (kernel.work >= 0 && tiled(kernel.worker()));
}

int mainKernel(const std::vector<KernelTiles> &kernels) {
    int best = 0;
    double most = -1;
    for (size_t k = 0; k < kernels.size(); ++k) {
        const TiledStage &worker = kernels[k].worker();
        double work = 1;
        for (const int64_t size : kernels[k].output.shape) work *= static_cast<double>(size);
        for (const TileLoop &loop : worker.reductions) work *= static_cast<double>(std::max<int64_t>(1, loop.extent));
        if (work <= most) continue;
        most = work;
        best = static_cast<int>(k);
    }
    return best;
}

} // namespace loopscope
