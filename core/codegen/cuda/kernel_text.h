#pragma once
// The statements of one kernel as CUDA C++. A statement of the program becomes one line, with its pragma or closing
// brace; a vectorized loop becomes loads and stores of words where it can (vector_text.h). Internal to codegen.

#include "codegen/c/c_expr.h"
#include "codegen/cuda/text_lines.h"
#include "codegen/kernel_parameters.h"

#include <map>
#include <string>

namespace loopscope {

/// What the texts of all kernels share.
struct CudaText {
    CNames &names;
    CExprWriter &expr;
    TextLines &lines;
    const std::map<int, int> &lineOf; // id of a statement -> its line in the printed program

    [[nodiscard]] int at(Stmt stmt) const { return lineOf.at(stmt->id); }
};

/// `extern "C" __global__ void ... {`, its body, `}`.
void writeKernel(CudaText &text, const GpuKernel &kernel);

/// `const float *__restrict__ A, ...`
std::string parameterList(CExprWriter &expr, const std::vector<KernelParameter> &parameters);

} // namespace loopscope
