#pragma once
// The words of a schedule script: how a name is written so that it reads back, and what a line is cut into.

#include "schedule/loop_state.h"

#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// A name as scripts write it: quoted where it has characters of its own, with `~2` where it is the second of them.
std::string scriptName(std::string_view name, int occurrence = 0);
std::string scriptStage(const LoopState &state, StageId id);
std::string scriptLoop(const LoopState &state, StageId stage, IterId loop);

struct ScriptToken {
    enum class Kind : uint8_t { Word, Comma, Colon, End, Bad } kind = Kind::End;
    std::string text;   // of a word, without its quotes; of what cannot be read: why
    int occurrence = 0; // of a word: which of that name, from 0
    int column = 0;     // from 1
};
/// The line without its comment; the last token is the end.
std::vector<ScriptToken> scriptTokens(std::string_view line);

} // namespace loopscope
