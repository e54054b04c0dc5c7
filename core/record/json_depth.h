#pragma once
// The JSON library copies, compares and prints a document by recursion as deep as the document nests; text that was
// never meant to be read as one could end the program. So depth is looked at before anything is parsed.

#include <string_view>

namespace loopscope {

inline bool nestsDeeperThan(std::string_view json, int most) {
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (quoted && c == '\\') {
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && (c == '[' || c == '{')) {
            if (++depth > most) return true;
        } else if (!quoted && (c == ']' || c == '}')) {
            --depth;
        }
    }
    return false;
}

} // namespace loopscope
