#include "views/limits/limit_rows.h"

#include "views/session/text.h"

#include <QObject>
#include <QStringList>

#include <algorithm>

namespace loopscope {

namespace {

double shareOf(int64_t used, int64_t allowed) {
    if (allowed <= 0) return used > 0 ? 1 : 0;
    return static_cast<double>(used) / static_cast<double>(allowed);
}

QString fitText(int64_t blocks) { return blocks == kBlocksUnlimited ? QString() : QString::number(blocks); }

int64_t fitOf(const KernelFacts &kernel, OccupancyLimiter resource) {
    return kernel.fit[static_cast<size_t>(resource)];
}

bool decides(const KernelFacts &kernel, OccupancyLimiter resource) {
    return kernel.limits.occupancy.limiter == resource;
}

LimitRow threadRow(const KernelFacts &kernel, const Target &target) {
    const int most = target.hardware.maxThreadsPerBlock;
    LimitRow row;
    row.what = QObject::tr("Threads a block");
    row.used = QString::number(kernel.limits.threads);
    row.allowed = QString::number(most);
    row.share = shareOf(kernel.limits.threads, most);
    row.refused = kernel.limits.threads > most;
    const int warp = std::max(1, target.hardware.warpSize);
    row.warns = kernel.limits.threads % warp != 0;
    row.tip = row.refused ? QObject::tr("%1 threads a block are more than the %2 that the target runs: shorten the "
                                        "loops bound to threadIdx")
                                .arg(kernel.limits.threads)
                                .arg(most)
              : row.warns ? QObject::tr("%1 threads are no whole number of warps of %2: the last one runs partly idle")
                                .arg(kernel.limits.threads)
                                .arg(warp)
                          : QObject::tr("%1 warps of %2").arg(kernel.limits.threads / warp).arg(warp);
    row.fit = fitText(fitOf(kernel, OccupancyLimiter::Threads));
    row.decides = decides(kernel, OccupancyLimiter::Threads);
    return row;
}

LimitRow sharedRow(const KernelFacts &kernel, const Target &target) {
    const int64_t most = target.hardware.maxSharedMemoryPerBlock;
    const int64_t used = kernel.limits.sharedBytes;
    LimitRow row;
    row.what = QObject::tr("Shared a block");
    row.used = used == 0 ? QObject::tr("none") : bytesText(used);
    row.allowed = bytesText(most);
    row.share = shareOf(used, most);
    row.refused = used > most;
    row.tip = row.refused
                  ? QObject::tr("%1 of shared memory are more than the %2 a block may have: shorten the tiles that are "
                                "kept there")
                        .arg(bytesText(used), bytesText(most))
                  : QObject::tr("%1 bytes of %2").arg(used).arg(most);
    row.fit = fitText(fitOf(kernel, OccupancyLimiter::Shared));
    row.decides = decides(kernel, OccupancyLimiter::Shared);
    return row;
}

LimitRow registerRow(const KernelFacts &kernel, const Target &target, const QString &uncompiled) {
    LimitRow row;
    row.what = QObject::tr("Registers a thread");
    row.allowed = QString::number(target.gpu.registersPerThread);
    if (!kernel.limits.resources) {
        row.used = uncompiled;
        row.tip = QObject::tr("Known once the kernel is compiled; until then they do not limit the occupancy shown");
        return row;
    }
    const int registers = kernel.registers();
    row.used = QString::number(registers);
    row.share = shareOf(registers, target.gpu.registersPerThread);
    row.refused = fitOf(kernel, OccupancyLimiter::Registers) == 0;
    row.tip = row.refused ? QObject::tr("%1 threads of %2 registers are more than the %3 registers a block may have: "
                                        "the launch would fail; use fewer threads or less of a tile in a thread")
                                .arg(kernel.limits.threads)
                                .arg(registers)
                                .arg(target.gpu.registersPerBlock)
                          : QObject::tr("As ptxas says");
    row.fit = fitText(fitOf(kernel, OccupancyLimiter::Registers));
    row.decides = decides(kernel, OccupancyLimiter::Registers);
    return row;
}

LimitRow spillRow(const KernelResources &resources) {
    LimitRow row;
    row.what = QObject::tr("Spills a thread");
    row.warns = resources.spillStoreBytes + resources.spillLoadBytes > 0;
    row.used = row.warns ? QObject::tr("%1 written, %2 read")
                               .arg(bytesText(resources.spillStoreBytes), bytesText(resources.spillLoadBytes))
                         : QObject::tr("none");
    row.tip = row.warns ? QObject::tr("Values for which there was no register go to memory and back; a smaller tile of "
                                      "a thread needs fewer")
                        : QObject::tr("Every value has a register");
    return row;
}

LimitRow slotRow(const KernelFacts &kernel, const Target &target) {
    LimitRow row;
    row.what = QObject::tr("Blocks at once");
    row.used = QString::number(kernel.limits.occupancy.blocks);
    row.allowed = QString::number(target.gpu.blocksPerMultiprocessor);
    row.share = shareOf(kernel.limits.occupancy.blocks, target.gpu.blocksPerMultiprocessor);
    row.fit = fitText(fitOf(kernel, OccupancyLimiter::Blocks));
    row.decides = decides(kernel, OccupancyLimiter::Blocks);
    row.tip = QObject::tr("Blocks that run on a multiprocessor at once, and that it has places for");
    return row;
}

LimitRow warpRow(const KernelFacts &kernel, const Target &target) {
    const int most = std::max(1, target.gpu.threadsPerMultiprocessor / std::max(1, target.hardware.warpSize));
    LimitRow row;
    row.what = QObject::tr("Warps at once");
    row.used = QString::number(kernel.limits.occupancy.warps);
    row.allowed = QString::number(most);
    row.share = kernel.limits.occupancy.fraction;
    row.refused = kernel.limits.occupancy.blocks == 0;
    row.tip = QObject::tr("Warps on a multiprocessor; occupancy %1").arg(occupancyText(kernel.limits.occupancy));
    return row;
}

LimitRow waveRow(const KernelFacts &kernel, const Target &target) {
    const int64_t atOnce = static_cast<int64_t>(kernel.limits.occupancy.blocks) * target.gpu.multiprocessors;
    LimitRow row;
    row.what = QObject::tr("Blocks of the grid");
    row.used = QString::number(kernel.blocks());
    row.allowed = QObject::tr("%1 at once").arg(atOnce);
    row.share = atOnce > 0 ? std::min(1.0, shareOf(kernel.blocks(), atOnce)) : -1;
    row.warns = atOnce > 0 && kernel.blocks() < target.gpu.multiprocessors;
    row.tip = row.warns ? QObject::tr("Fewer blocks than the GPU has multiprocessors (%1): the others stay idle")
                              .arg(target.gpu.multiprocessors)
                        : QObject::tr("On all %1 multiprocessors").arg(target.gpu.multiprocessors);
    return row;
}

} // namespace

std::vector<KernelRows> limitRows(const std::vector<KernelFacts> &kernels, const Target &target,
                                  const QString &uncompiled) {
    std::vector<KernelRows> all;
    for (const KernelFacts &kernel : kernels) {
        KernelRows rows;
        rows.name = qt(kernel.limits.kernel);
        rows.launch =
            QObject::tr("%1 of %2")
                .arg(kernel.blocks() == 1 ? QObject::tr("1 block")
                                          : QObject::tr("%1 blocks").arg(extentsText(kernel.limits.grid)),
                     kernel.limits.threads == 1 ? QObject::tr("1 thread")
                                                : QObject::tr("%1 threads").arg(extentsText(kernel.limits.block)));
        rows.occupancy = occupancyText(kernel.limits.occupancy);
        rows.advice = whatWouldFit(kernel, target);
        rows.node = kernel.node;
        rows.rows = {waveRow(kernel, target), threadRow(kernel, target), sharedRow(kernel, target),
                     registerRow(kernel, target, uncompiled)};
        if (kernel.limits.resources) rows.rows.push_back(spillRow(*kernel.limits.resources));
        rows.rows.push_back(slotRow(kernel, target));
        rows.rows.push_back(warpRow(kernel, target));
        rows.refusal = qt(kernel.limits.refused);
        rows.refused = !rows.refusal.isEmpty() ||
                       std::any_of(rows.rows.begin(), rows.rows.end(), [](const LimitRow &r) { return r.refused; });
        all.push_back(std::move(rows));
    }
    return all;
}

QString machineText(const Target &target) {
    const GpuLimits &gpu = target.gpu;
    const auto arch = target.attrs.find("arch");
    QString name = gpu.model.empty() ? QObject::tr("a GPU") : qt(gpu.model);
    if (arch != target.attrs.end()) name += QStringLiteral(" (%1)").arg(qt(arch->second));
    return QObject::tr("%1: %2, each with %3 of shared memory, %4 registers and room for %5")
        .arg(name, countedText(static_cast<size_t>(gpu.multiprocessors), "multiprocessor"),
             bytesText(gpu.sharedPerMultiprocessor), QString::number(gpu.registersPerMultiprocessor),
             countedText(static_cast<size_t>(gpu.threadsPerMultiprocessor / std::max(1, target.hardware.warpSize)),
                         "warp"));
}

} // namespace loopscope
