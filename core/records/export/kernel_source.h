#pragma once
// The function of a schedule: its name, its arguments and how they lie, its header and its text, which is C, or CUDA
// C++ for a GPU. Internal to export.

#include "codegen/kernel_launch.h"
#include "records/export/export_schedule.h"

#include <string>
#include <vector>

namespace loopscope {

struct KernelSource {
    std::string function;
    std::string stem;               // of its files
    std::vector<KernelArg> args;    // types and layout
    std::vector<std::string> names; // of args, in C
    std::string header;             // text of STEM.h
    std::string code;               // text of STEM.c, or of STEM.cu
    std::string layout;             // what each argument is and how it lies, a line each
    std::string called;       // by the main of a check: `function`, or what copies for it (records/export/cuda_code.h)
    bool timesItself = false; // `called` has a last argument more, how often, and returns the seconds of that
};

/// Refused when the schedule does not apply or cannot be lowered.
Outcome<KernelSource> kernelSource(const ExportRequest &request);

/// A name of C and CUDA C++ for the workload's function, which no library's function and nothing around it in the
/// exports has.
std::string exportedFunction(const std::string &workload);
/// C's function that lays an argument out as the kernel reads it; `type` is that of its elements.
std::string packFunction(const KernelArg &arg, const std::string &name, const std::string &function,
                         const std::string &type);
/// Each line of the text behind `mark`, as commentText has it.
std::string commented(const std::string &text, const std::string &mark);
/// "512 x 512".
std::string shapeOf(const std::vector<int64_t> &shape);
/// `text` with every key of `values` replaced by its value.
std::string filledIn(std::string text, const std::vector<std::pair<std::string, std::string>> &values);

} // namespace loopscope
