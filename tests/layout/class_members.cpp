#include "class_members.h"

#include <cctype>
#include <regex>

namespace loopscope {

namespace {

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Comments, literals and directives become blanks, so that every brace left is one of the code.
std::string codeOnly(const std::string &text) {
    std::string code;
    const auto skipTo = [&](size_t &at, const std::string &end) {
        const size_t found = text.find(end, at);
        at = found == std::string::npos ? text.size() : found + end.size();
    };
    bool lineBegins = true;
    for (size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (text.compare(at, 2, "//") == 0 || (lineBegins && c == '#')) {
            while (at < text.size() && text[at] != '\n') at += text[at] == '\\' && at + 1 < text.size() ? 2 : 1;
            code += ' ';
        } else if (text.compare(at, 2, "/*") == 0) {
            skipTo(at, "*/");
            code += ' ';
        } else if (text.compare(at, 2, "R\"") == 0 && (at == 0 || !isWord(text[at - 1]))) {
            const size_t open = text.find('(', at);
            const std::string end = ")" + text.substr(at + 2, open - at - 2) + "\"";
            at = open;
            skipTo(at, end);
            code += "\"\"";
        } else if (c == '"' || (c == '\'' && (at == 0 || !isWord(text[at - 1])))) { // 1'000 is a number
            for (++at; at < text.size() && text[at] != c; ++at)
                if (text[at] == '\\') ++at;
            ++at;
            code += "\"\"";
        } else {
            code += c;
            ++at;
        }
        if (!code.empty() && code.back() != ' ' && code.back() != '\t') lineBegins = code.back() == '\n';
    }
    return code;
}

/// The place of the brace that closes the one at `open`.
size_t closing(const std::string &code, size_t open) {
    int depth = 0;
    for (size_t at = open; at < code.size(); ++at) {
        if (code[at] == '{') ++depth;
        if (code[at] == '}' && --depth == 0) return at;
    }
    return code.size();
}

/// What stands between the braces of a class, statement by statement; of what has braces itself, what stands before
/// them.
std::vector<std::string> statementsOf(const std::string &body) {
    std::vector<std::string> statements;
    std::string statement;
    for (size_t at = 0; at < body.size(); ++at) {
        if (body[at] == ';') {
            statements.push_back(std::exchange(statement, {}));
        } else if (body[at] == '{') {
            at = closing(body, at);
            const size_t next = body.find_first_not_of(" \t\n", at + 1);
            // A member initialised in braces; the constructor's own come later.
            if (next != std::string::npos && (body[next] == ',' || body[next] == '{')) continue;
            statements.push_back(std::exchange(statement, {}));
        } else if (body[at] == ':' && (at == 0 || body[at - 1] != ':') &&
                   (at + 1 == body.size() || body[at + 1] != ':')) {
            static const std::regex access(R"((?:^|\s)(public|protected|private|signals)(?:\s+slots)?\s*$)");
            std::smatch match;
            if (std::regex_search(statement, match, access))
                statement = match[1] == "signals" ? "signals:" : (statements.push_back("access"), "");
            else
                statement += ':';
        } else {
            statement += body[at];
        }
    }
    return statements;
}

/// Without what stands in angle brackets, where functions are types.
std::string withoutAngles(std::string text) {
    static const std::regex angles("<[^<>]*>");
    for (;;) {
        std::string next = std::regex_replace(text, angles, "");
        if (next == text) return text;
        text = std::move(next);
    }
}

bool declaresFunction(const std::string &statement) {
    static const std::regex attribute(R"(\[\[.*?\]\]|Q_OBJECT|Q_DISABLE_COPY\(\w+\))");
    static const std::regex operators(R"(operator\s*(?:\(\s*\)|[^\s\w(]+))");
    static const std::regex other(R"(^\s*(?:using|friend|typedef|static_assert|class|struct|enum|union)\b)");
    static const std::regex notItsOwn(R"(=\s*(?:default|delete)\s*$|\b(?:override|final)\b)");
    const std::string text =
        withoutAngles(std::regex_replace(std::regex_replace(statement, attribute, ""), operators, "op"));
    if (std::regex_search(text, other) || std::regex_search(text, notItsOwn)) return false;
    return text.find('(') < text.find('='); // no bracket: npos < npos or a place is false
}

int functionsOf(const std::string &body) {
    int count = 0;
    bool inSignals = false;
    for (const std::string &statement : statementsOf(body)) {
        if (statement.starts_with("signals:")) inSignals = true;
        if (statement == "access") inSignals = false;
        if (!inSignals && declaresFunction(statement)) ++count;
    }
    return count;
}

} // namespace

std::vector<ClassMembers> classesOf(const std::string &text) {
    static const std::regex head(R"(\b(enum\s+)?(?:class|struct)\s+([\w:]+)(?:\s+final)?\s*(?::[^;{}()]*)?\{)");
    const std::string code = codeOnly(text);
    std::vector<ClassMembers> classes;
    for (std::sregex_iterator at(code.begin(), code.end(), head), end; at != end; ++at) {
        if ((*at)[1].matched) continue;
        const auto open = static_cast<size_t>(at->position() + at->length() - 1);
        const size_t close = closing(code, open);
        const std::string name = (*at)[2];
        const size_t colon = name.rfind(':');
        classes.push_back({colon == std::string::npos ? name : name.substr(colon + 1),
                           functionsOf(code.substr(open + 1, close - open - 1))});
    }
    return classes;
}

std::set<std::string> definedIn(const std::string &text) {
    // Definitions begin at the left margin; the class is the first name of the qualified one before the bracket.
    static const std::regex definition(R"(^\w[^;=\n{}()]*?\b(\w+)::(?:\w+::)*(?:~?\w+|operator[^\s(\w]+)\()");
    static const std::regex constructor(R"(^(\w+)::(?:\w+::)*~?\w+\()");
    const std::string code = codeOnly(text);
    std::set<std::string> classes;
    size_t begin = 0;
    while (begin < code.size()) {
        const size_t end = std::min(code.find('\n', begin), code.size());
        const std::string line = code.substr(begin, end - begin);
        std::smatch match;
        if (std::regex_search(line, match, constructor) || std::regex_search(line, match, definition))
            classes.insert(match[1]);
        begin = end + 1;
    }
    return classes;
}

} // namespace loopscope
