#include "views/search_progress/roofline.h"

#include "views/session/text.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {
const double kUnknown = std::numeric_limits<double>::quiet_NaN();
}

double Roofline::at(double intensity) const { return std::min(peakGflops, intensity * bytesPerSecond * 1e-9); }

std::vector<Roofline> rooflinesOf(const MachineRooflines &machine) {
    std::vector<Roofline> rooflines;
    const auto add = [&](bool all, double gflops) {
        if (gflops <= 0) return;
        for (const auto &memory : machine.memories) {
            const double bytes = all ? memory.allCoresBytes : memory.oneCoreBytes;
            if (bytes <= 0) continue;
            const QString who = all ? machine.whole : QStringLiteral("one core");
            rooflines.push_back({who.isEmpty() ? memory.name : QStringLiteral("%1, %2").arg(memory.name, who),
                                 machine.whole, all, bytes, gflops, gflops * 1e9 / bytes});
        }
    };
    add(true, machine.allCoresGflops);
    add(false, machine.oneCoreGflops);
    return rooflines;
}

double compulsoryBytes(const ComputeDag &dag) {
    double bytes = 0;
    for (const Tensor *tensor : dag.args()) {
        double elements = 1;
        for (const int64_t extent : tensor->shape) elements *= static_cast<double>(extent);
        bytes += elements * dtypeBytes(tensor->dtype);
    }
    return bytes;
}

double intensityOf(const Task &task) {
    const double flops = task.dag->flops();
    const double bytes = compulsoryBytes(*task.dag);
    return flops > 0 && bytes > 0 ? flops / bytes : kUnknown;
}

double attainable(const std::vector<Roofline> &rooflines, double intensity) {
    double least = kUnknown;
    for (const auto &roofline : rooflines)
        if (roofline.allCores && !(least <= roofline.at(intensity))) least = roofline.at(intensity);
    return least;
}

QString limitText(const std::vector<Roofline> &rooflines, double intensity) {
    const double most = attainable(rooflines, intensity);
    if (!std::isfinite(most)) return {};
    for (const auto &roofline : rooflines) {
        if (!roofline.allCores || roofline.at(intensity) > most) continue;
        const bool gpu = roofline.whole.isEmpty();
        const QString arithmetic = gpu ? QStringLiteral("arithmetic") : QStringLiteral("arithmetic, all cores");
        return QStringLiteral("At %1 FLOP/byte %2 allows %3 (%4).")
            .arg(intensity, 0, 'g', 3)
            .arg(gpu ? QStringLiteral("this GPU") : QStringLiteral("this machine"), gflopsText(most),
                 intensity >= roofline.ridge ? arithmetic : roofline.name);
    }
    return {};
}

} // namespace loopscope
