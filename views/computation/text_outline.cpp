#include "views/computation/text_outline.h"

#include "outcome.h"
#include "te/language/lexer.h"
#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

namespace {

bool opens(const Token &token) { return token.is("(") || token.is("["); }
bool closes(const Token &token) { return token.is(")") || token.is("]"); }

/// Index behind the bracket that closes the one at `open`; the end when none does.
size_t behindBracket(const std::vector<Token> &tokens, size_t open) {
    int depth = 0;
    for (size_t i = open; i < tokens.size(); ++i) {
        if (opens(tokens[i])) ++depth;
        if (closes(tokens[i]) && --depth == 0) return i + 1;
    }
    return tokens.size();
}

bool isWord(const Token &token) { return token.kind == TokenKind::Name || token.kind == TokenKind::Text; }

/// "conv.local" -> "conv": what a step made a stage from.
QString withoutStep(const QString &stage) {
    const qsizetype dot = stage.lastIndexOf(u'.');
    return dot <= 0 ? QString() : stage.left(dot);
}

} // namespace

std::vector<int> TextOutline::linesOf(const QString &stage) const {
    for (QString name = stage; !name.isEmpty(); name = withoutStep(name)) {
        for (const Definition &definition : definitions) {
            if (definition.name != name && definition.handle != name && !definition.ops.contains(name)) continue;
            std::vector<int> lines;
            for (int line = definition.firstLine; line <= definition.lastLine; ++line) lines.push_back(line);
            return lines;
        }
    }
    return {};
}

const Definition *TextOutline::definitionAt(int line) const {
    for (const Definition &definition : definitions)
        if (line >= definition.firstLine && line <= definition.lastLine) return &definition;
    return nullptr;
}

QString TextOutline::stageAt(int line) const {
    const Definition *definition = definitionAt(line);
    return definition == nullptr ? QString() : definition->name;
}

TextOutline outlineText(const QString &text) {
    TextOutline outline;
    const std::string bytes = std8(text);
    const SourceText source{bytes, {}};
    std::vector<Token> tokens;
    try {
        tokens = tokenize(source);
    } catch (const Error &) {
        return outline; // the analysis says so, with its place
    }
    std::vector<int> lineOf; // per token; one pass, as placeOf counts from the beginning
    int line = 1;
    size_t at = 0;
    for (const Token &token : tokens) {
        for (; at < token.offset && at < bytes.size(); ++at) line += bytes[at] == '\n' ? 1 : 0;
        lineOf.push_back(line);
    }
    int depth = 0;
    Definition *current = nullptr;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
        const Token &token = tokens[i];
        if (token.firstOfLine && depth <= 0 && isWord(token)) {
            depth = 0;
            size_t after = i + 1;
            if (token.isName("workload")) {
                current = nullptr;
                for (size_t k = i + 2; k + 1 < behindBracket(tokens, i + 2); ++k)
                    if (tokens[k].kind == TokenKind::Name && tokens[k + 1].is("="))
                        outline.params << qt(tokens[k].text);
            } else if (token.isName("let") && isWord(tokens[after])) {
                current = nullptr;
                outline.constants << qt(tokens[after].text);
            } else if ((token.isName("args") || token.isName("output")) && !tokens[after].is("=")) {
                current = nullptr;
            } else {
                QString name = qt(token.text);
                if (tokens[after].kind == TokenKind::Text) name = qt(tokens[after++].text);
                if (tokens[after].is("(")) after = behindBracket(tokens, after);
                if (after < tokens.size() && tokens[after].is("=")) {
                    outline.definitions.push_back({qt(token.text), name, lineOf[i], lineOf[i], {name}});
                    current = &outline.definitions.back();
                }
            }
        }
        if (opens(token)) ++depth;
        if (closes(token)) --depth;
        if (current != nullptr) current->lastLine = lineOf[i];
    }
    return outline;
}

void attachOps(TextOutline &outline, const Workload &workload) {
    // Ops stand in file order; those of one definition end with the op of its name.
    size_t next = 0;
    for (Definition &definition : outline.definitions) {
        const std::string name = std8(definition.name);
        size_t last = next;
        while (last < workload.ops.size() && workload.ops[last]->name != name) ++last;
        if (last == workload.ops.size()) continue;
        definition.ops.clear();
        for (; next <= last; ++next) definition.ops << qt(workload.ops[next]->name);
    }
}

} // namespace loopscope
