#pragma once
// What a schedule's machine code is made of, as commands tell it: instruction mix, spills, vector width and the ports
// of the hottest block, and the compiler's remarks.

#include "choice.h"
#include "measure/disassembly.h"
#include "search/explain/loops_at_line.h"

#include <nlohmann/json.hpp>
#include <string>

namespace loopscope {

struct CodeFacts {
    LoopProgram program; // as it was compiled
    Disassembly disassembly;
};
/// Compiled in a child. Refused with one sentence, also for targets without a code generator.
Outcome<CodeFacts> codeFactsOf(const LoadedTask &loaded, const ChosenSchedule &schedule);

nlohmann::ordered_json codeJson(const Outcome<CodeFacts> &facts); // {"problem"} where there is none
std::string codeText(const Outcome<CodeFacts> &facts);            // lines of people's text
nlohmann::ordered_json remarksJson(const CodeFacts &facts);
/// Of the `most` first lines; empty when there is no remark.
std::string remarksText(const CodeFacts &facts, size_t most);

} // namespace loopscope
