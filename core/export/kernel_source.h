#pragma once
// The C function of a schedule: its name, its arguments and how they lie, its header and its text. Internal to export.

#include "codegen/kernel_launch.h"
#include "export/export_schedule.h"

#include <string>
#include <vector>

namespace loopscope {

struct KernelSource {
    std::string function;
    std::string stem;               // of its files
    std::vector<KernelArg> args;    // types and layout
    std::vector<std::string> names; // of args, in C
    std::string header;             // text of STEM.h
    std::string code;               // text of STEM.c
    std::string layout;             // what each argument is and how it lies, a line each
};

/// Refused when the schedule does not apply or cannot be lowered.
Outcome<KernelSource> kernelSource(const ExportRequest &request);

/// A name of C for the workload's function, which no library's function and nothing around it in the exports has.
std::string exportedFunction(const std::string &workload);
/// Each line of the text behind `mark`.
std::string commented(const std::string &text, const std::string &mark);
/// "512 x 512".
std::string shapeOf(const std::vector<int64_t> &shape);
/// "const float *".
std::string pointerType(const KernelArg &arg);
/// `text` with every key of `values` replaced by its value.
std::string filledIn(std::string text, const std::vector<std::pair<std::string, std::string>> &values);

} // namespace loopscope
