#pragma once
// The machine's limits as lines: how fast a computation can at most be that does so many operations for every byte it
// must move. A task has one intensity, its operations over the bytes of its inputs and outputs, each moved once.

#include "language/task/task.h"

#include <QString>

#include <limits>
#include <vector>

namespace loopscope {

struct MemoryRoof {
    QString name;             // "L1", "DRAM"
    double oneCoreBytes = 0;  // per second; 0 unknown
    double allCoresBytes = 0; // per second; 0 unknown
};

/// What the machine was measured to do, or is said to do by whoever made it.
struct MachineRooflines {
    int cores = 1;
    double oneCoreGflops = 0;
    double allCoresGflops = 0;
    std::vector<MemoryRoof> memories;            // nearest to the core first
    QString whole = QStringLiteral("all cores"); // what all of it is called; empty: a GPU, which has no single cores
};

/// One roofline: rises with the bandwidth up to the ridge, then is flat.
struct Roofline {
    QString name;  // "DRAM, all cores"
    QString whole; // of the machine
    bool allCores = false;
    double bytesPerSecond = 0;
    double peakGflops = 0;
    double ridge = 0; // operations per byte where the flat part begins
    /// GFLOP/s that can be had at this intensity.
    [[nodiscard]] double at(double intensity) const;
};
/// All cores first, then one; none for what is unknown.
std::vector<Roofline> rooflinesOf(const MachineRooflines &machine);

/// Inputs and outputs, each once.
double compulsoryBytes(const ComputeDag &dag);
/// Operations per byte; NaN when the operations cannot be counted.
double intensityOf(const Task &task);

/// "at 12.3 FLOP/byte the machine allows 143.7 GFLOP/s (DRAM, all cores)"; empty when nothing is known.
QString limitText(const std::vector<Roofline> &rooflines, double intensity);
/// The most GFLOP/s that all cores can do at this intensity; NaN unknown.
double attainable(const std::vector<Roofline> &rooflines, double intensity);

} // namespace loopscope
