#pragma once
// Shapes that real networks run, by workload: the layers of ResNet-50, BERT, MobileNet and others in words, and the
// shapes that auto-tuners are compared on, read from samples/benchmarks.txt. A preset only names parameters; which
// presets fit a workload follows from the parameters it has.

#include "language/te/workload.h"

#include <QString>

#include <vector>

namespace loopscope {

struct ShapePreset {
    QString name;   // "ResNet-50 conv3_x 3×3, 28×28×128"
    QString source; // group in the list: "Networks", "Benchmark C2D"
    ParamOverrides params;
    bool operator==(const ShapePreset &) const = default;
};

/// A line of benchmarks.txt: class, file, parameters. Lines that are none are skipped.
struct BenchmarkLine {
    QString kind; // "C2D"
    QString file; // "conv2d_nhwc.te"
    ParamOverrides params;
};
std::vector<BenchmarkLine> parseBenchmarks(const QString &text);

/// Presets for a workload of that name (or file name without suffix) with those parameters: networks first.
std::vector<ShapePreset> presetsFor(const QString &workload, const std::vector<WorkloadParam> &params,
                                    const std::vector<BenchmarkLine> &benchmarks);

/// Which preset the values are those of; -1 for none. Parameters a preset does not name have the file's value.
int presetOf(const std::vector<ShapePreset> &presets, const std::vector<WorkloadParam> &params);

} // namespace loopscope
