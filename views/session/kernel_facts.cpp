#include "views/session/kernel_facts.h"

#include "codegen/kernel_parameters.h"
#include "views/session/text.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <limits>
#include <utility>

namespace loopscope {

namespace {

void measure(KernelFacts &kernel, const Target &target) {
    const auto threads = static_cast<int>(std::min<int64_t>(kernel.limits.threads, std::numeric_limits<int>::max()));
    kernel.fit = blocksThatFit(target, threads, kernel.registers(), kernel.limits.sharedBytes);
}

/// Whether more than now would fit if the kernel asked for that.
bool wouldGain(const KernelFacts &kernel, const Target &target, int64_t threads, int registers, int64_t sharedBytes) {
    return occupancyOf(target, static_cast<int>(threads), registers, sharedBytes).blocks >
           kernel.limits.occupancy.blocks;
}

} // namespace

std::vector<KernelFacts> kernelFacts(const LoopProgram &program, const Target &target) {
    std::vector<KernelFacts> facts;
    if (!describeLaunch(program, TargetKind::Cuda, program.name)) return facts;
    for (KernelLimits &limits : limitsOf(program, target)) facts.push_back({std::move(limits), {}, -1});
    const std::vector<GpuKernel> kernels = gpuKernelsOf(program);
    for (size_t i = 0; i < facts.size() && i < kernels.size(); ++i) facts[i].node = kernels[i].root->id;
    for (KernelFacts &kernel : facts) measure(kernel, target);
    return facts;
}

void addResources(std::vector<KernelFacts> &kernels, const std::vector<KernelResources> &resources,
                  const Target &target) {
    for (KernelFacts &kernel : kernels) {
        std::vector<KernelLimits> one{std::move(kernel.limits)};
        addResources(one, resources, target);
        kernel.limits = std::move(one.front());
        measure(kernel, target);
    }
}

QString extentsText(const std::array<int64_t, 3> &extents) {
    QStringList parts;
    const size_t last = extents[2] != 1 ? 2 : extents[1] != 1 ? 1 : 0;
    for (size_t i = 0; i <= last; ++i) parts << QString::number(extents[i]);
    return parts.join(QStringLiteral(" \u00d7 "));
}

QString occupancyText(const Occupancy &occupancy) {
    const QString limiter = qt(limiterName(occupancy.limiter));
    if (occupancy.blocks == 0) return QObject::tr("no block fits: %1").arg(limiter);
    return QObject::tr("%1, limited by %2").arg(percentText(occupancy.fraction), limiter);
}

QString resourcesText(const KernelResources &resources) {
    const QString registers = countedText(static_cast<size_t>(resources.registers), "register");
    if (resources.spillStoreBytes == 0 && resources.spillLoadBytes == 0)
        return QObject::tr("%1, no spills").arg(registers);
    return QObject::tr("%1, spills %2 written, %3 read")
        .arg(registers, bytesText(resources.spillStoreBytes), bytesText(resources.spillLoadBytes));
}

QString kernelText(const KernelFacts &kernel) {
    QStringList parts{QObject::tr("%1 of %2")
                          .arg(countedText(static_cast<size_t>(kernel.blocks()), "block"),
                               countedText(static_cast<size_t>(kernel.limits.threads), "thread"))};
    if (kernel.limits.sharedBytes > 0) parts << QObject::tr("%1 shared").arg(bytesText(kernel.limits.sharedBytes));
    if (kernel.limits.resources) parts << resourcesText(*kernel.limits.resources);
    parts << QObject::tr("occupancy %1").arg(occupancyText(kernel.limits.occupancy));
    return parts.join(QStringLiteral(" \u00b7 "));
}

QString whatWouldFit(const KernelFacts &kernel, const Target &target) {
    const int registers = kernel.registers();
    const int64_t shared = kernel.limits.sharedBytes;
    switch (kernel.limits.occupancy.limiter) {
    case OccupancyLimiter::Registers:
        for (int fewer = 1; fewer < registers; ++fewer)
            if (wouldGain(kernel, target, kernel.limits.threads, registers - fewer, shared))
                return QObject::tr("with %1 fewer in each thread another block runs")
                    .arg(countedText(static_cast<size_t>(fewer), "register"));
        return {};
    case OccupancyLimiter::Shared: {
        const int64_t unit = std::max(1, target.gpu.sharedUnit);
        for (int64_t fewer = unit; fewer <= shared; fewer += unit)
            if (wouldGain(kernel, target, kernel.limits.threads, registers, shared - fewer))
                return QObject::tr("with %1 less of shared memory another block runs").arg(bytesText(fewer));
        return {};
    }
    case OccupancyLimiter::Threads: {
        if (kernel.limits.occupancy.fraction >= 1) return QObject::tr("a multiprocessor holds no more threads");
        const int64_t warp = std::max(1, target.hardware.warpSize);
        for (int64_t fewer = warp; fewer < kernel.limits.threads; fewer += warp)
            if (wouldGain(kernel, target, kernel.limits.threads - fewer, registers, shared))
                return QObject::tr("with %1 fewer in each block another one runs")
                    .arg(countedText(static_cast<size_t>(fewer), "thread"));
        return {};
    }
    case OccupancyLimiter::Blocks:
        return QObject::tr("a multiprocessor runs no more blocks; larger ones fill it");
    }
    return {};
}

} // namespace loopscope
