// Explains a name that is read before it is defined. Only looked at when parsing has already failed, so it works on the
// bare tokens.

#include "language/te/language/workload_parser.h"

#include <map>
#include <set>

namespace loopscope {

namespace {

struct Definition {
    size_t offset = 0;
    std::set<std::string> reads;
};

bool isWord(const Token &token) { return token.kind == TokenKind::Name || token.kind == TokenKind::Text; }

/// Handles by statement: a name at bracket depth 0 that `=`, or axes in parentheses and `=`, follow.
std::map<std::string, Definition> findDefinitions(const TokenCursor &cursor) {
    const std::vector<Token> &tokens = cursor.tokens();
    std::map<std::string, Definition> definitions;
    Definition *current = nullptr;
    int depth = 0;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
        const Token &token = tokens[i];
        if (token.is("(") || token.is("[")) ++depth;
        if (token.is(")") || token.is("]")) --depth;
        if (!isWord(token)) continue;
        if (depth == 0 && token.firstOfLine) {
            size_t after = i + 1;
            if (tokens[after].kind == TokenKind::Text) ++after;
            if (tokens[after].is("(")) after = cursor.closing(after) + 1;
            if (after < tokens.size() && tokens[after].is("=")) {
                current = &definitions[token.text];
                current->offset = token.offset;
                continue;
            }
        }
        if (current != nullptr) current->reads.insert(token.text);
    }
    return definitions;
}

} // namespace

std::string laterDefinition(const TokenCursor &cursor, const std::string &name, const std::string &user) {
    const std::map<std::string, Definition> definitions = findDefinitions(cursor);
    const auto found = definitions.find(name);
    if (found == definitions.end()) return {};
    if (name == user)
        return "the definition of `" + name + "` is cyclic: it reads itself; a scan may, as in scan(i; from x[i]; " +
               name + "[i - 1] + x[i])";

    // A path name -> ... -> user over "reads" closes a cycle.
    std::map<std::string, std::string> cameFrom = {{name, ""}};
    std::vector<std::string> queue = {name};
    for (size_t i = 0; i < queue.size() && !cameFrom.contains(user); ++i) {
        const auto definition = definitions.find(queue[i]);
        if (definition == definitions.end()) continue;
        for (const std::string &read : definition->second.reads)
            if (cameFrom.emplace(read, queue[i]).second) queue.push_back(read);
    }
    const std::string line = std::to_string(cursor.source().placeOf(found->second.offset).line);
    if (!cameFrom.contains(user))
        return "`" + name + "` is read before its definition in line " + line + "; move the definition up";
    std::string path = "`" + user + "`";
    for (std::string at = cameFrom[user]; !at.empty(); at = cameFrom[at]) path = "`" + at + "`, which reads " + path;
    return "the definitions are cyclic: `" + user + "` reads " + path;
}

} // namespace loopscope
