#include "language/te/workload.h"

#include "base/input_file.h"
#include "base/outcome.h"
#include "language/te/language/workload_parser.h"

#include <cstdio>

namespace loopscope {

namespace {

/// A control character, or where UTF-8 breaks; the size when all is text. Shown in a terminal such bytes do harm, and
/// names with them could not be written to JSON.
size_t firstByteThatIsNoText(std::string_view text) {
    for (size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const size_t length = byte < 0x80                   ? 1
                              : byte >= 0xC2 && byte < 0xE0 ? 2
                              : byte >= 0xE0 && byte < 0xF0 ? 3
                              : byte >= 0xF0 && byte < 0xF5 ? 4
                                                            : 0;
        const bool blank = byte == '\t' || byte == '\n' || byte == '\r';
        if (length == 0 || i + length > text.size() || (byte < 0x20 && !blank) || byte == 0x7F) return i;
        for (size_t k = 1; k < length; ++k)
            if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return i;
        i += length;
    }
    return text.size();
}

/// A carriage return alone ends a line in files of some systems. Of the same length, so that places stay.
std::string withLineFeeds(std::string text) {
    for (size_t i = text.find('\r'); i != std::string::npos; i = text.find('\r', i + 1))
        if (i + 1 == text.size() || text[i + 1] != '\n') text[i] = '\n';
    return text;
}

} // namespace

Error WorkloadPlaces::error(const Op &op, Expr load, const std::string &sentence) const {
    const SourceText source{text, path};
    if (load)
        if (const auto found = loads.find(load.node()); found != loads.end())
            return source.error(found->second, sentence);
    if (const auto found = ops.find(&op); found != ops.end())
        return source.error(found->second, sentence, op.name.size());
    return Error(path, 0, 0, sentence);
}

Workload parseWorkload(std::string_view text, const std::string &path, const ParamOverrides &overrides) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3); // editors of another system begin files with it
    const std::string lines = withLineFeeds(std::string(text));
    const SourceText source{lines, path};
    return WorkloadParser(source, overrides).parse();
}

Workload loadWorkload(const std::string &path, const ParamOverrides &overrides) {
    constexpr size_t maxBytes = size_t{16} << 20;
    const std::string content = withLineFeeds(readInputFile(path, "the workload file", maxBytes));
    if (const size_t byte = firstByteThatIsNoText(content); byte < content.size()) {
        const SourceText::Place place = SourceText{content, path}.placeOf(byte);
        char hex[8];
        std::snprintf(hex, sizeof hex, "0x%02x", static_cast<unsigned char>(content[byte]));
        throw Error(path, place.line, place.column,
                    std::string("this is no workload file: the byte ") + hex + " does not belong to UTF-8 text");
    }
    return parseWorkload(content, path, overrides);
}

} // namespace loopscope
