#include "schedule/grouping/group_evaluation.h"

#include "schedule/grouping/tile_candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace loopscope {

namespace {

/// Of a row of elements that lie next to each other: what its vectors compute, the last one whole, and what it takes to
/// come to the row at all, in points of the first stage.
int64_t pointsOfRow(const Interval &row, int lanes) {
    const int64_t length = row.max - row.min + 1;
    return (length + lanes - 1) / lanes * lanes;
}

/// Operations' worth of starting a row: some cycles, in each of which a vector could have been computed.
constexpr int64_t kRowStart = 8;
/// Bytes' worth of starting a row of main memory: lines that are fetched before the next ones are guessed, and guessed
/// ones beyond its end.
constexpr double kRunStart = 192;

/// Steps of a reduction that is a stencil: a buffer is read again soon. Of longer ones much else comes between.
constexpr int64_t kFewSteps = 64;

/// Stretches of memory that a box of a buffer consists of.
int64_t runsOf(std::span<const Interval> box, std::span<const Interval> whole) {
    size_t d = 0;
    while (d < box.size() && box[d].max - box[d].min >= whole[d].max - whole[d].min) ++d;
    return d >= box.size() ? 1 : boxPoints(box.subspan(d + 1));
}

int64_t roundedCost(double cost) {
    constexpr double most = 9.0e18;
    return cost >= most ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(std::llround(cost));
}

} // namespace

GroupEvaluation::GroupEvaluation(const Pipeline &pipeline, const MachineParameters &machine, GroupingMode mode)
    : m_pipeline(pipeline), m_machine(machine), m_mode(mode), m_regions(pipeline), m_whole(m_regions.ofWholePipeline()),
      m_tile{{}, {m_regions.none(), m_regions.none()}, 0, {}, {}, {}, {}, {}},
      m_points(pipeline, mode == GroupingMode::Compat ? IndexCost::Counted : IndexCost::Free) {
    for (size_t b = 0; b < pipeline.bufferCount(); ++b)
        m_elementBytes.push_back(pipeline.bytesOf(static_cast<BufferNumber>(b)));
    for (const PipelineNode &node : pipeline.nodes) m_lanes.push_back(lanesOf(node, machine));
    for (size_t i = 0; i < pipeline.nodes.size(); ++i) {
        const PipelineNode &node = pipeline.nodes[i];
        Box bounds;
        if (m_whole.has(node.stage))
            bounds = loopsFor(node, m_whole.box(node.stage));
        else
            for (size_t loop = 0; loop < node.reduceLoops; ++loop) bounds.push_back(node.loops[loop].range());
        m_nodeBounds.push_back(std::move(bounds));
    }
}

Box GroupEvaluation::tileBounds(int node, const TileSizes &tile) const {
    Box bounds;
    tileBounds(node, tile, bounds);
    return bounds;
}

void GroupEvaluation::tileBounds(int node, const TileSizes &tile, Box &bounds) const {
    bounds = nodeBounds(node);
    for (size_t loop = 0; loop < tile.size(); ++loop) {
        const int64_t extent = bounds[loop].max - bounds[loop].min + 1;
        const bool cut = m_mode == GroupingMode::Compat ? extent >= 2 * tile[loop] : extent > tile[loop];
        if (tile[loop] > 0 && cut) bounds[loop] = Interval::upTo(tile[loop]);
    }
}

NeededRegions GroupEvaluation::needed(const Group &group, const TileSizes &tile) const {
    return m_regions.needed(group.output, tileBounds(group.output, tile), group.holds);
}

Regions GroupEvaluation::readBy(int node, const Box &loops, const std::vector<bool> &inlined) const {
    return m_regions.needed(node, loops, inlined).computed;
}

void GroupEvaluation::findNeeded(const Group &group, const TileSizes &tile) {
    tileBounds(group.output, tile, m_tile.bounds);
    m_regions.needed(group.output, m_tile.bounds, group.holds, m_tile.needed);
}

int64_t GroupEvaluation::loadFactor(int64_t footprint) const {
    const auto balance = static_cast<float>(m_machine.balance);
    const float slope = balance / static_cast<float>(m_machine.lastLevelCache);
    return static_cast<int64_t>(std::min(1.0F + static_cast<float>(footprint) * slope, balance));
}

GroupEvaluation::Weighed GroupEvaluation::weigh(const Group &group) {
    Weighed weighed;
    const int outputStage = m_pipeline.node(group.output).stage;
    for (size_t stage = 0; stage < m_pipeline.stages.size(); ++stage) {
        if (!group.holds[stage] || group.inlined[stage] || static_cast<int>(stage) == outputStage) continue;
        for (const int node : m_pipeline.stages[stage].nodes)
            weighed.members.emplace_back(node, &pointCost(node, group.inlined));
    }
    weighed.output = &pointCost(group.output, group.inlined);
    weighed.outputNode = group.output;
    weighed.lifetimes.resize(m_pipeline.bufferCount());
    int nest = 0;
    const auto touch = [&](const PointCost &point) {
        for (const auto &[buffer, bytes] : point.bytes) {
            Lifetime &lifetime = weighed.lifetimes[static_cast<size_t>(buffer)];
            if (lifetime.first < 0) lifetime.first = nest;
            lifetime.last = nest;
        }
        ++nest;
    };
    for (const auto &[node, point] : weighed.members) touch(*point);
    touch(*weighed.output);
    return weighed;
}

GroupCost GroupEvaluation::cost(const Group &group, const TileSizes &tile) { return cost(group, weigh(group), tile); }

bool GroupEvaluation::isLocal(const Group &group, BufferNumber buffer) const {
    return !m_pipeline.isInput(buffer) && group.holds[static_cast<size_t>(buffer)] &&
           buffer != m_pipeline.node(group.output).stage;
}

void GroupEvaluation::findWork(const Weighed &weighed) {
    m_tile.arith = 0;
    m_tile.bytes.assign(m_pipeline.bufferCount(), 0);
    m_tile.streamed.assign(m_pipeline.bufferCount(), 0);
    m_tile.regions.assign(m_pipeline.bufferCount(), -1);
    Box loops;
    for (const auto &[node, point] : weighed.members) {
        const PipelineNode &member = m_pipeline.node(node);
        if (!m_tile.needed.computed.has(member.stage)) continue;
        loopsFor(member, m_tile.needed.computed.box(member.stage), loops);
        addWork(node, *point, loops, weighed.outputNode);
    }
    addWork(weighed.outputNode, *weighed.output, m_tile.bounds, weighed.outputNode);
}

void GroupEvaluation::addWork(int node, const PointCost &point, const Box &loops, int outputNode) {
    const auto regionBytes = [&](BufferNumber buffer) {
        int64_t &bytes = m_tile.regions[static_cast<size_t>(buffer)];
        if (bytes < 0)
            bytes = mulSaturating(boxPoints(regionOf(buffer, outputNode)), m_elementBytes[static_cast<size_t>(buffer)]);
        return bytes;
    };
    const int64_t points = boxPoints(loops);
    const int64_t steps = boxPoints(std::span(loops).first(m_pipeline.node(node).reduceLoops));
    m_tile.arith = addSaturating(m_tile.arith, arithOf(node, point, loops));
    for (const auto &[buffer, count] : point.bytes) {
        int64_t &sum = m_tile.bytes[static_cast<size_t>(buffer)];
        const int64_t touched = mulSaturating(points, count);
        sum = addSaturating(sum, touched);
        if (m_mode == GroupingMode::Compat) continue;
        int64_t &first = m_tile.streamed[static_cast<size_t>(buffer)];
        first = addSaturating(first, steps > kFewSteps ? touched : std::min(touched, regionBytes(buffer)));
    }
}

int64_t GroupEvaluation::arithOf(int node, const PointCost &point, const Box &loops) const {
    const int64_t points = boxPoints(loops);
    const PipelineNode &which = m_pipeline.node(node);
    if (m_mode == GroupingMode::Compat || which.loopOf.empty()) return mulSaturating(points, point.arith);
    const int lanes = m_lanes[static_cast<size_t>(node)];
    const auto alongRow = static_cast<size_t>(which.loopOf[0]);
    if (alongRow != which.reduceLoops) return mulSaturating(mulSaturating(points, point.arith), lanes);
    const Interval &row = loops[alongRow];
    const int64_t one = addSaturating(mulSaturating(pointsOfRow(row, lanes), point.arith), kRowStart * lanes);
    return mulSaturating(points / (row.max - row.min + 1), one);
}

int64_t GroupEvaluation::memoryBySize(const Group &group) {
    int64_t memory = 0;
    for (size_t b = 0; b < m_tile.bytes.size(); ++b) {
        if (m_tile.bytes[b] == 0) continue;
        const auto buffer = static_cast<BufferNumber>(b);
        int64_t points = 0;
        if (isLocal(group, buffer)) {
            m_tile.needed.allocated(buffer, m_tile.box);
            points = boxPoints(m_tile.box);
        } else {
            points = boxPoints(m_whole.box(buffer));
        }
        const int64_t footprint = mulSaturating(points, m_elementBytes[b]);
        memory = addSaturating(memory, mulSaturating(loadFactor(footprint), m_tile.bytes[b]));
    }
    return memory;
}

GroupCost GroupEvaluation::cost(const Group &group, const Weighed &weighed, const TileSizes &tile, int64_t most) {
    if (m_mode == GroupingMode::Fixed) return fixedCost(group, weighed, tile, most);
    const PipelineNode &output = m_pipeline.node(group.output);
    GroupCost cost;
    int64_t tiles = 1;
    const Box &whole = nodeBounds(group.output);
    for (size_t loop = 0; loop < tile.size(); ++loop) {
        if (tile[loop] == 0) continue;
        const int64_t count = (whole[loop].max - whole[loop].min + tile[loop]) / tile[loop];
        tiles = mulSaturating(tiles, count);
        if (!isSerial(output, loop)) cost.parallelism = mulSaturating(cost.parallelism, count);
    }
    findNeeded(group, tile);
    findWork(weighed);
    cost.arith = mulSaturating(tiles, m_tile.arith);
    if (cost.arith >= most) return cost;
    cost.memory = mulSaturating(tiles, memoryBySize(group));
    return cost;
}

const Box &GroupEvaluation::regionOf(BufferNumber buffer, int outputNode) {
    const PipelineNode &output = m_pipeline.node(outputNode);
    if (buffer == output.stage)
        writtenBy(m_pipeline, output, m_tile.bounds, m_tile.box);
    else
        m_tile.needed.allocated(buffer, m_tile.box);
    return m_tile.box;
}

double GroupEvaluation::memoryOfTile(const Group &group, const Weighed &weighed) {
    m_tile.touched.clear();
    for (size_t b = 0; b < m_tile.bytes.size(); ++b) {
        if (m_tile.bytes[b] == 0) continue;
        const auto buffer = static_cast<BufferNumber>(b);
        const auto element = static_cast<double>(m_elementBytes[b]);
        const Box &box = regionOf(buffer, group.output);
        const double region = static_cast<double>(boxPoints(box)) * element;
        const double whole = static_cast<double>(boxPoints(m_whole.box(buffer))) * element;
        const bool local = isLocal(group, buffer);
        const bool fresh = buffer == m_pipeline.node(group.output).stage && !m_pipeline.stageOf(group.output).output;
        m_tile.touched.push_back(
            {static_cast<double>(m_tile.bytes[b]), static_cast<double>(m_tile.streamed[b]), region, whole, local, fresh,
             local ? 0 : kRunStart * static_cast<double>(runsOf(box, m_whole.box(buffer))), weighed.lifetimes[b]});
    }
    return memoryByReuse(m_machine, m_tile.touched);
}

GroupCost GroupEvaluation::fixedCost(const Group &group, const Weighed &weighed, const TileSizes &tile, int64_t most) {
    const PipelineNode &output = m_pipeline.node(group.output);
    GroupCost cost;
    double tiles = 1;
    const Box &whole = nodeBounds(group.output);
    for (size_t loop = 0; loop < tile.size(); ++loop) {
        const int64_t extent = whole[loop].max - whole[loop].min + 1;
        if (tile[loop] == 0 || tile[loop] >= extent) continue;
        tiles *= static_cast<double>(extent) / static_cast<double>(tile[loop]);
        if (!isSerial(output, loop))
            cost.parallelism = mulSaturating(cost.parallelism, (extent + tile[loop] - 1) / tile[loop]);
    }
    // A nest without members needs no tiles to run in parallel.
    if (weighed.members.empty() && tiles == 1)
        for (size_t loop = output.reduceLoops; loop < whole.size(); ++loop)
            cost.parallelism = mulSaturating(cost.parallelism, whole[loop].max - whole[loop].min + 1);
    findNeeded(group, tile);
    findWork(weighed);
    cost.arith = roundedCost(tiles * static_cast<double>(m_tile.arith));
    if (cost.arith >= most) return cost;
    cost.memory = roundedCost(tiles * memoryOfTile(group, weighed));
    return cost;
}

std::vector<TileCost> GroupEvaluation::allTiles(const Group &group) {
    const Weighed weighed = weigh(group);
    const PipelineNode &output = m_pipeline.node(group.output);
    std::vector<TileCost> tiles;
    const TileSizes none(output.loops.size(), 0);
    tiles.push_back({none, cost(group, weighed, none)});
    for (TileSizes &tile : tileCandidates(output, m_mode)) {
        const GroupCost found = cost(group, weighed, tile);
        tiles.push_back({std::move(tile), found});
    }
    return tiles;
}

int lanesOf(const PipelineNode &node, const MachineParameters &machine) {
    int most = 0;
    for (const Expr value : node.values) {
        const int bytes = isFloat(value->dtype) ? machine.vectorBytes : machine.integerVectorBytes;
        most = std::max(most, bytes / dtypeBytes(value->dtype));
    }
    return most;
}

size_t GroupEvaluation::bestTile(const std::vector<TileCost> &tiles) const {
    size_t best = 0;
    for (size_t i = 1; i < tiles.size(); ++i)
        if (tiles[i].cost.total() < tiles[best].cost.total() && parallelEnough(tiles[i].cost)) best = i;
    return best;
}

int64_t GroupEvaluation::maxParallel(const Group &group, const TileSizes &tile) const {
    const PipelineNode &output = m_pipeline.node(group.output);
    const Box &whole = nodeBounds(group.output);
    int64_t tiles = 1;
    for (size_t loop = 0; loop < tile.size(); ++loop)
        if (tile[loop] > 0 && !isSerial(output, loop))
            tiles = mulSaturating(tiles, (whole[loop].max - whole[loop].min + tile[loop]) / tile[loop]);
    return tiles;
}

TileCost GroupEvaluation::cheapestTile(const Group &group) {
    const Weighed weighed = weigh(group);
    const PipelineNode &output = m_pipeline.node(group.output);
    TileCost best;
    best.tile.assign(output.loops.size(), 0);
    best.cost = cost(group, weighed, best.tile);
    const bool manyPoints = weighed.members.empty(); // in fixed each of them may be a task
    for (TileSizes &tile : tileCandidates(output, m_mode)) {
        if (!manyPoints && maxParallel(group, tile) < m_machine.parallelism) continue;
        const GroupCost found = cost(group, weighed, tile, best.cost.total());
        if (found.total() >= best.cost.total() || !parallelEnough(found)) continue;
        best.tile = std::move(tile);
        best.cost = found;
    }
    return best;
}

} // namespace loopscope
