#pragma once
// Schedules of real workloads in all their forms, for the tests of the code view.

#include "codegen/assembly_summary.h"
#include "measure/listing.h"
#include "views/session/analysis.h"
#include "views/session/schedule_forms.h"

#include <QFile>

namespace loopscope {

inline const char *const kMatmulText = R"(workload matmul(N = 32, M = 32, K = 32)
A = placeholder [N, K]
B = placeholder [K, M]
C(i < N, j < M) = sum(k < K; A[i, k] * B[k, j])
D(i < N, j < M) = max(C[i, j], 0)
)";

inline Analysis analysedText(const std::string &text) {
    AnalysisInput input;
    input.text = text;
    input.target = "llvm -mcpu=haswell -num-cores=2";
    input.sketch = {.inlineMore = false, .packInputs = false};
    return analyseWorkload(input);
}

inline std::string sampleText(const char *name) {
    QFile file(QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/%1.te").arg(QLatin1String(name)));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

/// Rows in tiles of eight, parallel; columns as vectors; the copy at the end on its own.
inline Steps tiledMatmul() {
    Steps steps;
    steps.push_back(SplitStep{StageId(2), IterId(0), 32, {8}, true});
    steps.push_back(SplitStep{StageId(2), IterId(2), 32, {8}, true});
    steps.push_back(ReorderStep{StageId(2), {IterId(0), IterId(2), IterId(4), IterId(1), IterId(3)}});
    steps.push_back(AnnotateStep{StageId(2), IterId(0), Annotation::Parallel});
    steps.push_back(AnnotateStep{StageId(2), IterId(4), Annotation::Vectorize});
    return steps;
}

/// As the worker makes it, but here.
inline KernelListing listingOf(const Task &task, const ScheduleForms &forms) {
    KernelListing listing;
    listing.loops = printProgram(*forms.program);
    auto code =
        LlvmCompiler(task.target).compile(*forms.program, {.wantIr = true, .wantAssembly = true, .debugLines = true});
    if (!code) qFatal("%s", code.why().c_str());
    listing.ir = code->ir;
    listing.assembly = code->assembly;
    listing.summary = summarizeAssembly(code->assembly, code->object);
    return listing;
}

} // namespace loopscope
