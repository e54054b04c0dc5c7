#include "views/grouping/shown_grouping.h"

#include "schedule/grouping/grouped_schedule.h"
#include "schedule/grouping/loop_plan.h"
#include "schedule/script/schedule_script.h"
#include "views/session/text.h"

#include <QObject>
#include <algorithm>
#include <set>
#include <utility>

namespace loopscope {

namespace {

const QString kThinSpace = QStringLiteral("\u2009");

std::vector<std::vector<BufferNumber>> readsOf(const Pipeline &pipeline) {
    std::vector<std::vector<BufferNumber>> reads(pipeline.stages.size());
    for (size_t stage = 0; stage < reads.size(); ++stage) {
        std::set<BufferNumber> buffers;
        const Op &op = pipeline.dag->op(static_cast<size_t>(pipeline.stages[stage].op));
        for (const Tensor *tensor : inputTensors(op)) {
            const auto buffer = pipeline.buffers.find(tensor);
            if (buffer != pipeline.buffers.end()) buffers.insert(buffer->second);
        }
        buffers.erase(static_cast<BufferNumber>(stage));
        reads[stage].assign(buffers.begin(), buffers.end());
    }
    return reads;
}

QString joinedTile(const Pipeline &pipeline, int node, const TileSizes &tile, bool named) {
    QStringList parts;
    // Sizes alone mean all spatial loops; of some of them it has to be said which.
    const PipelineNode &of = pipeline.node(node);
    for (size_t i = of.reduceLoops; i < tile.size(); ++i) named = named || tile[i] == 0;
    const auto &loops = pipeline.node(node).loops;
    for (size_t i = 0; i < tile.size() && i < loops.size(); ++i)
        if (tile[i] > 0)
            parts << (named ? QStringLiteral("%1 %2").arg(qt(loops[i].name)).arg(tile[i]) : QString::number(tile[i]));
    if (parts.isEmpty()) return QObject::tr("none");
    return parts.join(named ? QStringLiteral(", ") : QStringLiteral(" \u00d7 "));
}

} // namespace

ShownGroupingPtr makeGrouping(const GroupingRequest &request, const std::atomic<bool> &cancelled) {
    auto result = std::make_shared<ShownGrouping>();
    result->request = request;
    result->grouping =
        groupDag(request.dag, request.target, request.options, [&](const Grouping &) { return !cancelled; });
    result->reads = readsOf(result->pipeline());
    const auto schedule = scheduleOn(request.target, result->grouping, planOn(request.target, result->grouping));
    if (!schedule) {
        result->refusal = qt(schedule.why());
        return result;
    }
    result->steps = schedule->state.steps();
    for (const std::string &note : schedule->notes) result->notes << qt(note);
    const auto script = scriptOf(request.dag, *result->steps);
    if (script)
        result->script = qt(script.value());
    else
        result->scriptRefusal = qt(script.why());
    return result;
}

std::vector<MachinePreset> machinePresets(const Target &target) {
    std::vector<MachinePreset> presets;
    const auto add = [&](const QString &name, const QString &tip, const MachineParameters &machine) {
        presets.push_back({name, tip, machine});
    };
    for (const auto &[name, machine] : namedMachines(target)) {
        if (name == "halide" && target.isGpu())
            add(QObject::tr("Halide's for GPUs"),
                QObject::tr("128 tasks, what a block may share, a byte costs 20 operations"), machine);
        else if (name == "halide")
            add(QObject::tr("Halide's default"), QObject::tr("16 tasks, 16 MiB, a byte costs 40 operations"), machine);
        else if (name == "detect" && target.isGpu())
            add(QObject::tr("The target"),
                QObject::tr("A task for each of its %1 at least")
                    .arg(countedText(static_cast<size_t>(target.gpu.multiprocessors), "multiprocessor")),
                machine);
        else if (name == "detect")
            add(QObject::tr("The target"),
                QObject::tr("Four tasks for each of its %1, and its caches")
                    .arg(countedText(static_cast<size_t>(target.hardware.numCores), "core")),
                machine);
        else if (name == "small")
            add(QObject::tr("Small processor"), QObject::tr("4 tasks, 1 MiB, 128 KiB a core"), machine);
        else
            add(QObject::tr("Many cores"), QObject::tr("128 tasks, 64 MiB, 1 MiB a core"), machine);
    }
    return presets;
}

QString stageName(const Pipeline &pipeline, BufferNumber buffer) { return qt(pipeline.nameOf(buffer)); }

QString tileText(const Pipeline &pipeline, int node, const TileSizes &tile) {
    return joinedTile(pipeline, node, tile, false);
}

QString namedTileText(const Pipeline &pipeline, int node, const TileSizes &tile) {
    return joinedTile(pipeline, node, tile, true);
}

QString costText(int64_t cost) {
    const QString size = countText(std::abs(static_cast<double>(cost)));
    return cost < 0 ? QStringLiteral("\u2212") + size : size;
}

QString exactText(int64_t cost) {
    QString digits = QString::number(cost);
    for (qsizetype at = digits.size() - 3; at > (cost < 0 ? 1 : 0); at -= 3) digits.insert(at, kThinSpace);
    return cost < 0 ? QStringLiteral("\u2212") + digits.mid(1) : digits;
}

} // namespace loopscope
