#pragma once
// Schedules of real workloads in all their representations, for the tests of the code view.

#include "codegen/assembly_summary.h"
#include "codegen/code_generator.h"
#include "measure/disassembly.h"
#include "views/session/analysis.h"
#include "views/session/representations.h"

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
inline Disassembly disassemblyOf(const Task &task, const Representations &representations) {
    Disassembly disassembly;
    disassembly.loops = printProgram(*representations.program);
    const auto generator = makeCodeGenerator(task.target);
    if (!generator) qFatal("%s", generator.why().c_str());
    auto code =
        (*generator)->compile(*representations.program, {.wantIr = true, .wantAssembly = true, .debugLines = true});
    if (!code) qFatal("%s", code.why().c_str());
    disassembly.ir = code->ir;
    disassembly.assembly = code->assembly;
    disassembly.summary = summarizeAssembly(code->assembly, code->kernel.object);
    return disassembly;
}

} // namespace loopscope
