#pragma once
// Generated text as a person reads it: without the debug information that carries the links, with the links beside it.

#include "codegen/kernel_code.h"

#include <string>
#include <string_view>

namespace loopscope {

/// Assembly as LLVM prints it with line tables: `.loc` lines become links, they and the debug sections leave the text.
LinkedText readAssembly(std::string_view printed);

/// IR in which every instruction ends with `irLineMark` and its program line: the marks become links; metadata of debug
/// information leaves the text.
inline constexpr std::string_view irLineMark = ";@line ";
LinkedText readIr(std::string_view printed);

} // namespace loopscope
