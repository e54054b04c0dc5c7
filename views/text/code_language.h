#pragma once
// The languages that Loopscope shows.

#include <cstdint>

namespace loopscope {

enum class CodeLanguage : uint8_t { Plain, Te, Script, LoopProgram, C, LlvmIr, Assembly, Cuda, Ptx, Sass };
inline constexpr int kCodeLanguages = static_cast<int>(CodeLanguage::Sass) + 1;

} // namespace loopscope
