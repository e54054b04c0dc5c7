#pragma once
// Parts of CUDA text, for tests that compare them word for word.

#include "codegen/cuda/cuda_source.h"
#include "harness/sample_targets.h"

#include <QString>
#include <QStringList>

namespace loopscope {

inline QString cudaOf(const LoopProgram &program) {
    const Outcome<CudaSource> source = emitCuda(program, gpuTarget());
    return QString::fromStdString(source ? source->code.text : source.why());
}

/// The kernels alone, and what stands before them.
inline QString kernelsOf(const LoopProgram &program) {
    return cudaOf(program).section(QStringLiteral("\n#ifndef"), 0, 0);
}

/// What stands inside the one kernel, without the declarations of its block and thread.
inline QString bodyOf(const LoopProgram &program) {
    QStringList lines = kernelsOf(program).split(u'\n');
    QStringList body;
    bool inside = false;
    for (const QString &line : lines) {
        if (line == u"}") inside = false;
        if (inside && !line.contains(QStringLiteral("= threadIdx.x;")) &&
            !line.contains(QStringLiteral("= blockIdx.x;")))
            body << line.mid(4);
        inside = inside || line.startsWith(QStringLiteral("extern \"C\""));
    }
    return body.join(u'\n') + u'\n';
}

} // namespace loopscope
