#include "views/computation/text_outline.h"

#include "base/outcome.h"
#include "language/te/language/lexer.h"
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
    return definition == nullptr || definition->ops.isEmpty() ? QString() : definition->ops.back();
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
                const bool axes = tokens[after].is("(");
                if (axes) after = behindBracket(tokens, after);
                if (after < tokens.size() && tokens[after].is("=")) {
                    Definition made;
                    made.handle = qt(token.text);
                    made.name = name;
                    made.firstLine = lineOf[i];
                    made.begin = token.offset;
                    made.input = !axes && after + 1 < tokens.size() && tokens[after + 1].isName("placeholder");
                    made.call = !axes && !made.input;
                    if (!made.call) made.ops << name;
                    outline.definitions.push_back(std::move(made));
                    current = &outline.definitions.back();
                }
            }
        }
        if (opens(token)) ++depth;
        if (closes(token)) --depth;
        if (current == nullptr) continue;
        current->lastLine = lineOf[i];
        current->end = token.offset + token.length;
        if (isWord(token) && token.offset != current->begin) current->reads.insert(token.text);
    }
    return outline;
}

void attachOps(TextOutline &outline, const std::string &text, const ParamOverrides &params) {
    std::set<std::string> read; // by the definitions so far
    try {
        for (size_t d = 0; d < outline.definitions.size(); ++d) {
            Definition &definition = outline.definitions[d];
            read.insert(definition.reads.begin(), definition.reads.end());
            if (!definition.call) continue;
            // The text up to here, without the inputs that only later definitions read: the language refuses those.
            std::string part = text.substr(0, definition.end);
            size_t known = 0; // ops that earlier definitions made
            for (size_t e = 0; e < d; ++e) {
                const Definition &earlier = outline.definitions[e];
                const size_t length = earlier.end - earlier.begin;
                if (earlier.input && !read.contains(std8(earlier.handle)))
                    part.replace(earlier.begin, length, length, ' ');
                else
                    known += static_cast<size_t>(earlier.ops.size());
            }
            const Workload workload = parseWorkload(part, {}, params);
            definition.ops.clear();
            for (; known < workload.ops.size(); ++known) definition.ops << qt(workload.ops[known]->name);
        }
    } catch (const Error &) {
        return; // the text has changed since it was good; what is known so far holds
    }
}

} // namespace loopscope
