#pragma once
// The forms in which a schedule can be taken away, each with what it is good for: one list, which the command line
// prints and the window offers.

#include "language/target/target.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace loopscope {

enum class ExportFormat : uint8_t {
    Record,
    Script,
    TePython,
    TirPython,
    Halide,
    Cpp,
    C,
    Cuda,
    Llvm,
    Assembly,
    Object,
    Library,
    Reproducer,
};

/// What is written where the user says.
enum class ExportShape : uint8_t {
    File,        // that file
    FileAndMore, // that file, and beside it others of its name
    Folder,      // that folder
};

/// Of whose schedules a format can be.
enum class ExportTargets : uint8_t { All, Processors, Gpus };

struct ExportFormatInfo {
    ExportFormat format = ExportFormat::Record;
    std::string_view name;  // "c"
    std::string_view title; // "C with OpenMP"
    std::string_view what;  // a sentence
    ExportShape shape = ExportShape::File;
    std::string_view suffix; // of the file, with its dot; empty for folders
    ExportTargets targets = ExportTargets::Processors;
};

const std::vector<ExportFormatInfo> &exportFormats();
const ExportFormatInfo &infoOf(ExportFormat format);
/// Null when there is none of that name.
const ExportFormatInfo *exportFormatNamed(std::string_view name);
/// "all targets", "processors", "GPUs".
std::string_view targetsText(ExportTargets targets);
bool servesTarget(const ExportFormatInfo &info, const Target &target);
/// "file", "file with others beside it", "folder".
std::string_view shapeText(ExportShape shape);

} // namespace loopscope
