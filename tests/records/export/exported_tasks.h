#pragma once
// Workloads small enough to run at once that between them have padding, reductions of every kind, narrow types, indices
// that are read, weights that may be packed, scans, scatters, and extents that no tile divides; each with a schedule
// drawn for it.

#include "harness/random_schedule.h"
#include "language/te/workload.h"
#include "records/export/export_schedule.h"
#include "records/export/write_files.h"

#include <QDir>
#include <QString>
#include <QTest>

#include <string>
#include <vector>

namespace loopscope {

struct SmallWorkload {
    const char *name;
    const char *file; // from the root of the checkout
    ParamOverrides params;
};

inline const std::vector<SmallWorkload> &smallWorkloads() {
    static const std::vector<SmallWorkload> list = {
        {"matmul of odd extents", "samples/matmul.te", {{"M", 37}, {"N", 41}, {"K", 29}}},
        {"convolution with padding", "samples/conv2d_bias_relu.te", {{"H", 6}, {"W", 6}, {"CO", 16}, {"CI", 8}}},
        {"depthwise", "samples/depthwise_conv2d_nchw.te", {{"C", 6}, {"H", 14}, {"W", 14}}},
        {"softmax", "samples/softmax.te", {{"M", 12}, {"N", 40}}},
        {"layer norm", "samples/layer_norm.te", {{"M", 9}, {"N", 48}}},
        {"int8", "samples/matmul_int8.te", {{"M", 24}, {"N", 20}, {"K", 36}}},
        {"argmax", "samples/argmax.te", {{"M", 14}, {"N", 50}}},
        {"gather", "samples/gather.te", {{"N", 11}, {"V", 60}, {"D", 24}}},
        {"float16", "tests/data/matmul_float16.te", {{"M", 24}, {"N", 20}, {"K", 36}}},
        {"bfloat16", "tests/data/matmul_bfloat16.te", {{"M", 24}, {"N", 20}, {"K", 36}}},
        {"constants by index", "samples/winograd_bias_relu_nhwc.te", {{"H", 6}, {"W", 6}, {"CI", 4}, {"CO", 8}}},
        {"scans both ways", "samples/pipelines/iir_blur.te", {{"W", 19}, {"H", 13}}},
        {"scatter and scan", "samples/pipelines/histogram_equalize.te", {{"W", 23}, {"H", 14}}},
        {"scatter into a grid", "samples/pipelines/bilateral_grid.te", {{"W", 27}, {"H", 22}}},
    };
    return list;
}

inline Task smallTask(const SmallWorkload &workload) {
    const std::string path = std::string(LOOPSCOPE_SOURCE_DIR) + "/" + workload.file;
    Task task =
        makeTask(ComputeDag::fromWorkload(loadWorkload(path, workload.params)), parseTarget("llvm -num-cores=2"));
    task.target.minParallelStores = 0; // or nothing so small would be parallel
    return task;
}

/// With packed weights where the workload has such.
inline ExportRequest drawnSchedule(const SmallWorkload &workload, uint64_t seed) {
    ExportRequest request{smallTask(workload), {}, 2, std::nullopt, {}, {}};
    Random random(seed);
    request.steps = randomSchedule(request.task.dag, random, {.attempts = 30, .maxIterations = 200000}).steps();
    return request;
}

/// The export in the folder, or fails the test.
inline void exportInto(const QString &path, ExportRequest request, ExportFormat format) {
    request.stem = stemFor(format, path.toStdString());
    const Outcome<ExportedFiles> files = exportSchedule(request, format);
    QVERIFY2(files.ok(), files.ok() ? "" : files.why().c_str());
    const auto written = writeFiles(*files, format, path.toStdString());
    QVERIFY2(written.ok(), written.ok() ? "" : written.why().c_str());
}

} // namespace loopscope
