// The script of a schedule, a primitive a line (core/schedule/script/schedule_script.h).

#include "views/text/line_scanner.h"

#include <array>
#include <utility>

namespace loopscope {

namespace {

constexpr auto kPrimitives = std::to_array<std::string_view>(
    {"bind", "cache_read", "cache_write", "compute_at", "compute_inline", "compute_root", "follow_fused_split",
     "follow_split", "fuse", "parallel", "pragma", "reorder", "rfactor", "serial", "split", "storage_align",
     "tensorize", "unroll", "vectorize"});
constexpr auto kBetween = std::to_array<std::string_view>({"at", "into", "level", "like", "of", "outer", "parts"});

bool ofName(char c) { return LineScanner::isDotted(c) || c == '$' || c == '?' || c == '-' || c == '~'; }

/// Annotations in the colours they have everywhere.
CodeStyle styleOf(std::string_view primitive) {
    if (primitive == "parallel") return CodeStyle::Parallel;
    if (primitive == "vectorize") return CodeStyle::Vector;
    if (primitive == "unroll") return CodeStyle::Unroll;
    if (primitive == "bind") return CodeStyle::ThreadBound;
    return CodeStyle::Keyword;
}

} // namespace

void styleScript(LineScanner &scan) {
    bool primitive = false; // behind it
    bool stage = false;     // the word behind that
    while (!scan.done()) {
        const char c = scan.peek();
        if (c == '#') {
            scan.takeRest(CodeStyle::Comment);
        } else if (c == '"') {
            scan.takeQuoted(primitive && !std::exchange(stage, true) ? CodeStyle::Function : CodeStyle::String);
        } else if (!ofName(c)) {
            scan.take(1, CodeStyle::Text);
        } else {
            const std::string_view word = scan.look(ofName);
            CodeStyle style = CodeStyle::Text;
            if (!primitive && isOneOf(word, kPrimitives)) {
                style = styleOf(word);
                primitive = true;
            } else if (!primitive) {
                style = CodeStyle::Label;
            } else if (!std::exchange(stage, true)) {
                style = CodeStyle::Function;
            } else if (isOneOf(word, kBetween)) {
                style = CodeStyle::Quiet;
            } else if (word.find_first_not_of("0123456789") == std::string_view::npos) {
                style = CodeStyle::Number;
            } else {
                style = CodeStyle::Register;
            }
            scan.take(word.size(), style);
        }
    }
}

} // namespace loopscope
