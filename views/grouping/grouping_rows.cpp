#include "views/grouping/grouping_rows.h"

#include "schedule/stage_facts.h"
#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

namespace {

TableCell word(const QString &text) { return {text, {}}; }
TableCell cost(int64_t value) { return {costText(value), QVariant::fromValue(static_cast<qlonglong>(value))}; }
TableCell number(int64_t value) { return {exactText(value), QVariant::fromValue(static_cast<qlonglong>(value))}; }

QString consumerNames(const Pipeline &pipeline, const GroupMerge &merge) {
    QStringList names;
    for (const int node : merge.consumers)
        if (const QString name = qt(pipeline.stageOf(node).name); !names.contains(name)) names << name;
    return names.join(QStringLiteral(", "));
}

QString kindText(const GroupMerge &merge) { return merge.inlining ? QObject::tr("inline") : QObject::tr("merge"); }

QString tasksText(const ShownGrouping &result, int64_t tasks) {
    return QObject::tr("%1 of the %2 parallel tasks wanted").arg(tasks).arg(result.grouping.machine.parallelism);
}

} // namespace

QString candidateVerdict(const ShownGrouping &result, const GroupMerge &candidate, bool best) {
    if (!candidate.after.defined) return QObject::tr("its cost is not known");
    if (candidate.tooLong) return QObject::tr("would read more than %1 elements at once").arg(kMaxReads);
    if (!candidate.benefit) return QObject::tr("would leave %1").arg(tasksText(result, candidate.after.parallelism));
    if (best) return QObject::tr("saves most");
    return *candidate.benefit > 0 ? QObject::tr("saves less than another") : QObject::tr("would cost more");
}

TableContent roundRows(const ShownGrouping &result) {
    const Grouping &grouping = result.grouping;
    TableContent content{{QObject::tr("Round"), QObject::tr("Does"), QObject::tr("Stage"), QObject::tr("Into"),
                          QObject::tr("Saves"), QObject::tr("Tile"), QObject::tr("Possible")},
                         {}};
    size_t merges = 0;
    for (size_t round = 0; round < grouping.rounds.size(); ++round) {
        const GroupingRound &of = grouping.rounds[round];
        TableRow row;
        row.number = static_cast<int>(round) + 1;
        row.tip = placeTitle(result, round + 1);
        row.cells.push_back(number(row.number));
        if (of.best < 0) {
            row.quiet = true;
            row.cells.insert(row.cells.end(),
                             {word(of.inlining ? QObject::tr("ends inlining") : QObject::tr("ends merging")), word({}),
                              word({}), word({}), word({})});
        } else {
            const GroupMerge &merge = grouping.merges[merges++];
            QStringList tiles;
            for (size_t i = 0; i < merge.chosen.size(); ++i)
                tiles << tileText(result.pipeline(), merge.consumers[i], merge.chosen[i]);
            tiles.removeDuplicates();
            row.cells.insert(row.cells.end(),
                             {word(kindText(merge)), word(stageName(result.pipeline(), merge.producer)),
                              word(consumerNames(result.pipeline(), merge)), cost(merge.benefit.value_or(0)),
                              word(merge.inlining ? QString() : tiles.join(QStringLiteral("; ")))});
        }
        row.cells.push_back(number(static_cast<int64_t>(of.candidates.size())));
        content.rows.push_back(std::move(row));
    }
    return content;
}

TableContent candidateRows(const ShownGrouping &result, size_t place) {
    TableContent content{{QObject::tr("Stage"), QObject::tr("Into"), QObject::tr("Saves"), QObject::tr("Verdict"),
                          QObject::tr("Operations"), QObject::tr("Memory"), QObject::tr("Tasks")},
                         {}};
    if (place == 0 || place > result.grouping.rounds.size()) return content;
    const GroupingRound &round = result.grouping.rounds[place - 1];
    for (size_t c = 0; c < round.candidates.size(); ++c) {
        const GroupMerge &candidate = round.candidates[c];
        TableRow row;
        row.number = static_cast<int>(c);
        row.marked = static_cast<int>(c) == round.best;
        row.quiet = !candidate.benefit || *candidate.benefit <= 0;
        row.tip =
            QObject::tr("%1 %2 into %3: %4")
                .arg(kindText(candidate), stageName(result.pipeline(), candidate.producer),
                     consumerNames(result.pipeline(), candidate), candidateVerdict(result, candidate, row.marked));
        if (candidate.benefit) row.tip += QObject::tr("; it saves %1").arg(exactText(*candidate.benefit));
        row.cells = {word(stageName(result.pipeline(), candidate.producer)),
                     word(consumerNames(result.pipeline(), candidate)),
                     candidate.benefit ? cost(*candidate.benefit) : word(QStringLiteral("\u2013")),
                     word(candidateVerdict(result, candidate, row.marked)),
                     candidate.tooLong ? word({}) : cost(candidate.after.arith),
                     candidate.tooLong ? word({}) : cost(candidate.after.memory),
                     candidate.tooLong ? word({}) : number(candidate.after.parallelism)};
        content.rows.push_back(std::move(row));
    }
    return content;
}

TableContent tileRows(const ShownGrouping &result, const WeighedGroup &weighed) {
    TableContent content{{QObject::tr("Tile"), QObject::tr("Operations"), QObject::tr("Memory"), QObject::tr("Total"),
                          QObject::tr("Tasks"), QObject::tr("Verdict")},
                         {}};
    const int64_t wanted = result.grouping.machine.parallelism;
    const int64_t least = weighed.tiles[weighed.best].cost.total();
    for (size_t t = 0; t < weighed.tiles.size(); ++t) {
        const TileCost &tile = weighed.tiles[t];
        TableRow row;
        row.number = static_cast<int>(t);
        row.marked = t == weighed.best;
        const bool parallel = tile.cost.parallelism >= wanted;
        QString verdict;
        if (row.marked)
            verdict = parallel ? QObject::tr("chosen") : QObject::tr("chosen, with too few tasks");
        else if (!parallel && t == 0)
            verdict = QObject::tr("compared with"); // no tile is where the search begins, whatever its tasks
        else if (!parallel)
            verdict = QObject::tr("fewer than %1 tasks").arg(wanted);
        else if (least > 0)
            verdict = deltaText(static_cast<double>(tile.cost.total()) / static_cast<double>(least) - 1);
        row.quiet = !parallel && !row.marked;
        row.tip = QObject::tr("%1\n%2 operations\n%3 for memory\n%4 altogether\n%5")
                      .arg(namedTileText(result.pipeline(), weighed.after.output, tile.tile),
                           exactText(tile.cost.arith), exactText(tile.cost.memory), exactText(tile.cost.total()),
                           tasksText(result, tile.cost.parallelism));
        row.cells = {word(tileText(result.pipeline(), weighed.after.output, tile.tile)),
                     cost(tile.cost.arith),
                     cost(tile.cost.memory),
                     cost(tile.cost.total()),
                     number(tile.cost.parallelism),
                     word(verdict)};
        row.cells[0].key = QVariant::fromValue(static_cast<qlonglong>(t));
        content.rows.push_back(std::move(row));
    }
    return content;
}

TableContent regionRows(const ShownGrouping &result, const OverlappedTile &tile,
                        const std::function<int(int)> &colours) {
    TableContent content{{QObject::tr("Stage"), QObject::tr("Region"), QObject::tr("Repeated"), QObject::tr("Points"),
                          QObject::tr("How")},
                         {}};
    for (size_t r = 0; r < tile.regions.size(); ++r) {
        const TileRegion &region = tile.regions[r];
        QStringList sizes;
        QStringList ranges;
        for (const Interval range : region.region) {
            sizes << QString::number(range.max - range.min + 1);
            ranges << QObject::tr("%1 to %2").arg(range.min).arg(range.max);
        }
        TableRow row;
        row.number = region.buffer;
        if (colours) row.colour = colours(region.buffer);
        row.quiet = region.input || region.inlined;
        row.tip = ranges.join(QStringLiteral(", "));
        const bool computed = !region.input && !region.inlined;
        row.cells = {word(stageName(result.pipeline(), region.buffer)), word(sizes.join(QStringLiteral(" \u00d7 "))),
                     computed && r > 0 ? TableCell{percentText(region.repeated), region.repeated} : word({}),
                     number(boxPoints(region.region)),
                     word(region.input     ? QObject::tr("read")
                          : region.inlined ? QObject::tr("inlined")
                          : r == 0         ? QObject::tr("the tile")
                                           : QObject::tr("computed for the tile"))};
        content.rows.push_back(std::move(row));
    }
    return content;
}

} // namespace loopscope
