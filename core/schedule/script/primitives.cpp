#include "schedule/script/schedule_script.h"
#include "schedule/script/script_words.h"

#include <charconv>
#include <fmt/format.h>

namespace loopscope {

namespace {

bool plainCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '@' || c == '$' || c == '?' || c == '-';
}

/// Reads a word that begins at `at`, quoted or not, and moves behind it.
ScriptToken readWord(std::string_view line, size_t &at) {
    ScriptToken word;
    word.kind = ScriptToken::Kind::Word;
    word.column = static_cast<int>(at) + 1;
    if (line[at] == '"') {
        for (++at; at < line.size() && line[at] != '"'; ++at) {
            const bool escaped = line[at] == '\\' && at + 1 < line.size();
            if (escaped) ++at;
            word.text += escaped && line[at] == 'n' ? '\n' : line[at];
        }
        if (at == line.size()) {
            word.kind = ScriptToken::Kind::Bad;
            word.text = "the quoted name has no end: a \" is missing";
            return word;
        }
        ++at;
    } else {
        for (; at < line.size() && plainCharacter(line[at]); ++at) word.text += line[at];
    }
    if (at == line.size() || line[at] != '~') return word;
    int count = 0;
    const char *begin = line.data() + at + 1;
    const auto read = std::from_chars(begin, line.data() + line.size(), count);
    if (read.ec != std::errc() || count < 1) {
        word.kind = ScriptToken::Kind::Bad;
        word.text = "behind ~ stands which of that name is meant, from 1";
        word.column = static_cast<int>(at) + 1;
        return word;
    }
    word.occurrence = count - 1;
    at = static_cast<size_t>(read.ptr - line.data());
    return word;
}

} // namespace

const std::vector<Primitive> &primitives() {
    static const std::vector<Primitive> list = {
        {"split", "split STAGE LOOP [of EXTENT] into [outer] N, N, ...", "cuts a loop into loops of these lengths"},
        {"follow_split", "follow_split STAGE LOOP like LABEL parts N", "splits as the line of that label does"},
        {"follow_fused_split", "follow_fused_split STAGE LOOP like LABEL, LABEL, ... level N [outer]",
         "splits by the product of what several splits made at that level"},
        {"fuse", "fuse STAGE LOOP, LOOP, ...", "makes one loop of neighbours"},
        {"reorder", "reorder STAGE LOOP, LOOP, ...", "puts all loops of a stage into this order"},
        {"parallel", "parallel STAGE LOOP", "shares the iterations among threads"},
        {"vectorize", "vectorize STAGE LOOP", "makes the iterations lanes of vectors"},
        {"unroll", "unroll STAGE LOOP", "writes the iterations out"},
        {"serial", "serial STAGE LOOP", "takes the loop's annotation away"},
        {"bind", "bind STAGE LOOP THREAD", "makes it blockIdx.x, threadIdx.y, vthread, ... of a GPU"},
        {"tensorize", "tensorize STAGE LOOP", "leaves the loop to a tensor instruction"},
        {"pragma", "pragma STAGE LOOP TEXT", "tells the code generator, as auto_unroll_max_step$512 does"},
        {"storage_align", "storage_align STAGE LOOP FACTOR OFFSET", "pads rows of the stage's buffer"},
        {"compute_at", "compute_at STAGE READER LOOP", "computes a stage inside a loop of its reader"},
        {"compute_inline", "compute_inline STAGE", "computes a stage where it is read"},
        {"compute_root", "compute_root STAGE", "computes a stage on its own"},
        {"cache_read", "cache_read STAGE SCOPE READER, READER, ...", "copies what these stages read"},
        {"cache_write", "cache_write STAGE SCOPE", "computes into a copy that is written out afterwards"},
        {"rfactor", "rfactor STAGE LOOP at N", "makes a loop of a sum a loop of partial sums"},
    };
    return list;
}

std::string scriptName(std::string_view name, int occurrence) {
    bool plain = !name.empty();
    for (const char c : name) plain = plain && plainCharacter(c);
    std::string text;
    if (plain) {
        text = name;
    } else {
        text = "\"";
        for (const char c : name) {
            if (c == '"' || c == '\\' || c == '\n') text += '\\';
            text += c == '\n' ? 'n' : c;
        }
        text += '"';
    }
    return occurrence == 0 ? text : text + fmt::format("~{}", occurrence + 1);
}

std::string scriptStage(const LoopState &state, StageId id) {
    const std::string &name = state.stage(id).op->name;
    int occurrence = 0;
    for (size_t i = 0; i < id.index(); ++i) occurrence += state.stage(StageId(i)).op->name == name ? 1 : 0;
    return scriptName(name, occurrence);
}

std::string scriptLoop(const LoopState &state, StageId stage, IterId loop) {
    const auto &iters = state.stage(stage).iters;
    const std::string &name = iters[loop.index()].name;
    int occurrence = 0;
    for (size_t i = 0; i < loop.index(); ++i) occurrence += iters[i].name == name ? 1 : 0;
    return scriptName(name, occurrence);
}

std::vector<ScriptToken> scriptTokens(std::string_view line) {
    std::vector<ScriptToken> tokens;
    size_t at = 0;
    while (at < line.size() && line[at] != '#') {
        const char c = line[at];
        const int column = static_cast<int>(at) + 1;
        if (c == ' ' || c == '\t' || c == '\r') {
            ++at;
        } else if (c == ',' || c == ':') {
            tokens.push_back({c == ',' ? ScriptToken::Kind::Comma : ScriptToken::Kind::Colon, {c}, 0, column});
            ++at;
        } else if (c == '"' || plainCharacter(c)) {
            tokens.push_back(readWord(line, at));
            if (tokens.back().kind == ScriptToken::Kind::Bad) return tokens;
        } else {
            tokens.push_back({ScriptToken::Kind::Bad,
                              "a name with characters besides letters, digits and _.@$?- stands in quotes", 0, column});
            return tokens;
        }
    }
    tokens.push_back({ScriptToken::Kind::End, {}, 0, static_cast<int>(at) + 1});
    return tokens;
}

} // namespace loopscope
