#include "views/network_graph/folds.h"

#include "views/session/text.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace loopscope {

namespace {

constexpr double kFewLayers = 30; // boxes one would like to see

bool isNode(const NodeFact &fact) { return fact.id.value >= 0; }

/// "conv2_1/x1" in the words that separators cut it into, each with the separator behind it.
std::vector<QString> partsOf(const QString &layer) {
    std::vector<QString> parts{QString()};
    for (const QChar c : layer) {
        const bool separator = c == u'/' || c == u'.' || c == u'_';
        if (separator && parts.back().isEmpty()) continue;
        if (separator)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    if (parts.back().isEmpty()) parts.pop_back();
    return parts;
}

/// The first `depth` parts with what stands between them.
QString prefixOf(const QString &layer, size_t depth) {
    size_t parts = 0;
    bool inside = false;
    for (qsizetype i = 0; i < layer.size(); ++i) {
        const bool separator = layer[i] == u'/' || layer[i] == u'.' || layer[i] == u'_';
        if (separator && inside && ++parts == depth) return layer.left(i);
        inside = !separator;
    }
    return layer;
}

std::vector<Fold> layerFolds(const NetworkFacts &facts) {
    size_t deepest = 1;
    for (const NodeFact &node : facts.nodes) deepest = std::max(deepest, partsOf(node.layer).size());
    std::vector<Fold> best;
    double bestDistance = INFINITY;
    for (size_t depth = 1; depth <= std::min<size_t>(deepest, 8); ++depth) {
        std::map<QString, size_t> foldOf;
        std::vector<Fold> folds;
        for (size_t i = 0; i < facts.nodes.size(); ++i) {
            if (!isNode(facts.nodes[i]) || facts.nodes[i].layer.isEmpty()) continue;
            const QString prefix = prefixOf(facts.nodes[i].layer, depth);
            const auto [at, fresh] = foldOf.try_emplace(prefix, folds.size());
            if (fresh) {
                Fold fold;
                fold.key = QStringLiteral("layer ") + prefix;
                fold.title = prefix;
                folds.push_back(std::move(fold));
            }
            folds[at->second].nodes.push_back(static_cast<int>(i));
        }
        if (folds.size() < 2) continue;
        const double distance = std::fabs(std::log(static_cast<double>(folds.size()) / kFewLayers));
        if (distance >= bestDistance) continue;
        bestDistance = distance;
        best = std::move(folds);
    }
    return best;
}

/// What makes two blocks the same: operators, attributes, shapes, and who reads whom inside.
QString signatureOf(const NetworkFacts &facts, const std::vector<std::vector<int>> &readsOf, int first, int last) {
    QStringList words;
    for (int i = first; i <= last; ++i) {
        const NodeFact &node = facts.nodes[static_cast<size_t>(i)];
        QString word = node.op + u' ' + node.details + u' ' + node.shape;
        for (const int read : readsOf[static_cast<size_t>(i)])
            word += QStringLiteral(" %1").arg(read < first ? -1 : read - first);
        words << word;
    }
    return words.join(u'\n');
}

/// What the layers of all nodes begin with; nodes without one do not count.
QString commonLayer(const NetworkFacts &facts, const std::vector<int> &nodes) {
    std::vector<QString> common;
    QString first;
    for (const int number : nodes) {
        const QString &layer = facts.nodes[static_cast<size_t>(number)].layer;
        if (layer.isEmpty()) continue;
        const std::vector<QString> parts = partsOf(layer);
        if (first.isEmpty()) {
            first = layer;
            common = parts;
        }
        size_t same = 0;
        while (same < std::min(common.size(), parts.size()) && common[same] == parts[same]) ++same;
        common.resize(same);
    }
    return common.empty() ? QString() : prefixOf(first, common.size());
}

/// Between places where one value alone is still to be read.
std::vector<Fold> blockFolds(const NetworkFacts &facts) {
    const int count = static_cast<int>(facts.nodes.size());
    std::vector<std::vector<int>> readsOf(facts.nodes.size());
    std::vector<int> lastReader(facts.nodes.size(), -1);
    for (const FlowFact &flow : facts.flows) {
        readsOf[static_cast<size_t>(flow.to)].push_back(flow.from);
        lastReader[static_cast<size_t>(flow.from)] = std::max(lastReader[static_cast<size_t>(flow.from)], flow.to);
    }
    std::vector<int> ends(facts.nodes.size(), 0); // values whose last reader is there
    for (const int last : lastReader)
        if (last >= 0) ++ends[static_cast<size_t>(last)];
    std::vector<Fold> folds;
    std::map<QString, std::vector<size_t>> alike;
    int open = 0, first = -1;
    for (int i = 0; i < count; ++i) {
        const NodeFact &node = facts.nodes[static_cast<size_t>(i)];
        open -= ends[static_cast<size_t>(i)];
        open += lastReader[static_cast<size_t>(i)] >= 0 ? 1 : 0;
        if (!isNode(node)) {
            first = -1;
            continue;
        }
        if (first < 0) first = i;
        if (open > 1) continue;
        if (i - first + 1 >= 3) {
            Fold fold;
            for (int k = first; k <= i; ++k) fold.nodes.push_back(k);
            alike[signatureOf(facts, readsOf, first, i)].push_back(folds.size());
            folds.push_back(std::move(fold));
        }
        first = -1;
    }
    for (const auto &[signature, same] : alike)
        for (const size_t fold : same) folds[fold].times = static_cast<int>(same.size());
    std::map<size_t, int> numberOf; // by the first of those that are the same
    int number = 0;
    std::map<size_t, size_t> firstOf;
    for (const auto &[signature, same] : alike)
        for (const size_t fold : same) firstOf[fold] = same.front();
    for (size_t i = 0; i < folds.size(); ++i) {
        const auto [at, fresh] = numberOf.try_emplace(firstOf[i], number);
        if (fresh) ++number;
        folds[i].likeness = at->second;
        QString letter(QChar(u'A' + at->second % 26));
        if (at->second >= 26) letter += QString::number(at->second / 26);
        const QString layer = commonLayer(facts, folds[i].nodes);
        folds[i].title = folds[i].times > 1 ? QStringLiteral("block %1").arg(letter) : QStringLiteral("block");
        if (!layer.isEmpty())
            folds[i].title = folds[i].times > 1 ? QStringLiteral("%1 (block %2)").arg(layer, letter) : layer;
        folds[i].key = QStringLiteral("block %1").arg(folds[i].nodes.front());
    }
    return folds;
}

std::vector<Fold> kernelFolds(const NetworkFacts &facts, const NetworkKernels &kernels) {
    std::map<std::string, size_t> kernelOf; // by source, the first that has it
    for (size_t i = 0; i < kernels.sources.size(); ++i)
        for (const std::string &source : kernels.sources[i]) kernelOf.try_emplace(source, i);
    const bool same = facts.function == kernels.function;
    std::map<size_t, std::vector<int>> nodes;
    for (size_t i = 0; i < facts.nodes.size(); ++i) {
        const NodeFact &node = facts.nodes[i];
        if (!isNode(node)) continue;
        if (same) {
            nodes[kernels.partition.kernelOf[node.id.index()]].push_back(static_cast<int>(i));
            continue;
        }
        for (const std::string &source : node.sources)
            if (const auto found = kernelOf.find(source); found != kernelOf.end()) {
                nodes[found->second].push_back(static_cast<int>(i));
                break;
            }
    }
    std::vector<Fold> folds;
    for (auto &[kernel, of] : nodes) {
        if (of.size() < 2) continue;
        Fold fold;
        fold.key = QStringLiteral("kernel %1").arg(kernel);
        fold.title = qt(kernels.partition.kernels[kernel].name);
        fold.nodes = std::move(of);
        const int task = kernels.taskOf[kernel];
        fold.likeness = task + 1;
        if (task >= 0) fold.times = kernels.tasks[static_cast<size_t>(task)].weight;
        folds.push_back(std::move(fold));
    }
    return folds;
}

} // namespace

std::vector<Fold> withoutCycles(const NetworkFacts &facts, std::vector<Fold> folds) {
    for (;;) {
        // Boxes in an order; what is left over stands in cycles or behind them.
        std::vector<int> boxOf(facts.nodes.size());
        for (size_t i = 0; i < boxOf.size(); ++i) boxOf[i] = static_cast<int>(folds.size() + i);
        for (size_t f = 0; f < folds.size(); ++f)
            for (const int node : folds[f].nodes) boxOf[static_cast<size_t>(node)] = static_cast<int>(f);
        const size_t count = folds.size() + facts.nodes.size();
        std::vector<std::vector<int>> after(count), before(count);
        std::vector<int> into(count, 0), out(count, 0), ready;
        for (const FlowFact &flow : facts.flows) {
            const int from = boxOf[static_cast<size_t>(flow.from)], to = boxOf[static_cast<size_t>(flow.to)];
            if (from == to) continue;
            after[static_cast<size_t>(from)].push_back(to);
            before[static_cast<size_t>(to)].push_back(from);
            ++into[static_cast<size_t>(to)];
            ++out[static_cast<size_t>(from)];
        }
        std::vector<bool> free(count, false);
        const auto strip = [&](std::vector<int> &open, const std::vector<std::vector<int>> &next) {
            ready.clear();
            for (size_t i = 0; i < count; ++i)
                if (open[i] == 0 && !free[i]) ready.push_back(static_cast<int>(i));
            while (!ready.empty()) {
                const auto box = static_cast<size_t>(ready.back());
                ready.pop_back();
                free[box] = true;
                for (const int other : next[box])
                    if (--open[static_cast<size_t>(other)] == 0 && !free[static_cast<size_t>(other)])
                        ready.push_back(other);
            }
        };
        strip(into, after);
        // What is only behind a cycle goes from the other end: nothing left reads from what is free.
        strip(out, before);
        const size_t had = folds.size();
        // The largest of them first: it is most likely the one.
        size_t worst = had;
        for (size_t f = 0; f < had; ++f)
            if (!free[f] && (worst == had || folds[f].nodes.size() > folds[worst].nodes.size())) worst = f;
        if (worst == had) return folds;
        // Its nodes may still go together in runs without anybody between them.
        Fold broken = std::move(folds[worst]);
        folds.erase(folds.begin() + static_cast<ptrdiff_t>(worst));
        std::vector<Fold> runs;
        int last = -2;
        for (const int node : broken.nodes) {
            if (node != last + 1 || runs.empty()) {
                Fold run = broken;
                run.nodes.clear();
                run.key += QStringLiteral(" from %1").arg(node);
                runs.push_back(std::move(run));
            }
            runs.back().nodes.push_back(node);
            last = node;
        }
        for (Fold &run : runs)
            if (run.nodes.size() > 1 && run.nodes.size() < broken.nodes.size()) folds.push_back(std::move(run));
    }
}

std::vector<Fold> foldsOf(const NetworkFacts &facts, FoldBy by, const NetworkKernels *kernels) {
    std::vector<Fold> folds;
    if (by == FoldBy::Layers) folds = layerFolds(facts);
    if (by == FoldBy::Blocks) folds = blockFolds(facts);
    if (by == FoldBy::Kernels && kernels != nullptr) folds = kernelFolds(facts, *kernels);
    std::erase_if(folds, [](const Fold &fold) { return fold.nodes.size() < 2; });
    return withoutCycles(facts, std::move(folds));
}

} // namespace loopscope
