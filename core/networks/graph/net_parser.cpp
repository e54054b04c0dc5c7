#include "networks/graph/net_text.h"

#include "base/input_file.h"
#include "base/nearest_name.h"
#include "networks/graph/net_body_parser.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kMaxText = size_t{1} << 31;

class NetParser {
  public:
    NetParser(const SourceText &source, const NetParameters &parameters)
        : m_cursor(source), m_values(m_cursor, m_scopes), m_given(parameters) {}

    void run(Module &module, NetPlaces &places) {
        if (!m_cursor.acceptName("network")) throw m_cursor.unexpected("`network` and its name");
        // It may have none.
        if (m_cursor.peek().text == "\"\"")
            m_cursor.next();
        else
            module.name = m_cursor.takeName("the name of the network");
        if (m_cursor.accept("(")) networkParameters();
        // What is no parameter may be a symbol among the dims.
        for (const auto &[name, value] : m_given)
            if (!m_scopes.find(name)) m_values.give(name, value);
        const std::vector<std::string> parameters = m_scopes.visible();
        while (m_cursor.peek().kind != NetTokenKind::End) {
            if (m_cursor.acceptName("let"))
                NetBodyParser::let(m_cursor, m_scopes, m_values);
            else if (m_cursor.acceptName("macro"))
                macro();
            else if (m_cursor.acceptName("func"))
                function(module, places);
            else
                throw m_cursor.unexpected("`func`, `macro` or `let`");
        }
        for (const auto &[name, value] : m_given)
            if (std::ranges::find(parameters, name) == parameters.end() && !m_values.met(name))
                throw unknownParameter(name, parameters);
        if (!module.find("main")) throw m_cursor.error(m_cursor.peek(), "the network has no function `main`");
    }

  private:
    void networkParameters() {
        while (!m_cursor.accept(")")) {
            if (!m_scopes.innermost().empty()) m_cursor.expect(",", "or `)` behind a parameter");
            const NetToken token = m_cursor.peek();
            const std::string name = m_cursor.takeName("the name of a parameter");
            m_cursor.expect("=", "and its value behind a parameter");
            const int64_t written = m_values.integer();
            const auto given = m_given.find(name);
            if (!m_scopes.define(name, {given == m_given.end() ? written : given->second, false, token.offset}))
                throw m_cursor.error(token, fmt::format("`{}` is a parameter already", name));
        }
    }

    [[nodiscard]] Error unknownParameter(const std::string &name, const std::vector<std::string> &parameters) const {
        return {m_cursor.source().path, 0, 0,
                fmt::format("the network has no parameter `{}`, and no dim has such a symbol{}", name,
                            suggestion(name, parameters))};
    }

    /// Up to the `,` or `)` behind it.
    void skipArgument() {
        for (int open = 0; open > 0 || (!m_cursor.peek().is(",") && !m_cursor.peek().is(")")); m_cursor.next()) {
            const NetToken &token = m_cursor.peek();
            if (token.kind == NetTokenKind::End) throw m_cursor.unexpected("`)` behind the parameters");
            if (token.is("(") || token.is("[")) ++open;
            if (token.is(")") || token.is("]")) --open;
        }
    }

    void macro() {
        const NetToken token = m_cursor.peek();
        const std::string name = m_cursor.takeName("the name of a macro");
        NetMacro macro;
        macro.offset = token.offset;
        m_cursor.expect("(", "behind the name");
        while (!m_cursor.accept(")")) {
            if (!macro.parameters.empty()) m_cursor.expect(",", "or `)` behind a parameter");
            const NetToken place = m_cursor.peek();
            NetMacro::Parameter parameter = {m_cursor.takeName("the name of a parameter"), std::nullopt};
            for (const NetMacro::Parameter &other : macro.parameters)
                if (other.name == parameter.name)
                    throw m_cursor.error(place, fmt::format("`{}` is a parameter already", parameter.name));
            if (m_cursor.accept("=")) {
                parameter.fallback = m_cursor.at();
                skipArgument();
            }
            macro.parameters.push_back(std::move(parameter));
        }
        const NetToken opening = m_cursor.peek();
        m_cursor.expect("{", "behind the parameters");
        macro.body = m_cursor.at();
        m_cursor.skipBraces(opening);
        if (!m_macros.emplace(name, std::move(macro)).second)
            throw m_cursor.error(token, fmt::format("macro `{}` is defined already", name));
    }

    void function(Module &module, NetPlaces &places) {
        const NetToken token = m_cursor.peek();
        const std::string name = m_cursor.takeName("the name of a function");
        if (module.find(name)) throw m_cursor.error(token, fmt::format("function `{}` is defined already", name));
        FunctionBuilder builder(name);
        m_values.useGiven(name == "main");
        m_scopes.push(true);
        m_cursor.expect("(", "behind the name");
        for (bool first = true; !m_cursor.accept(")"); first = false) {
            if (!first) m_cursor.expect(",", "or `)` behind a parameter");
            const NetToken place = m_cursor.peek();
            const std::string parameter = m_cursor.takeName("the name of a parameter");
            m_cursor.expect(":", "and its type behind a parameter");
            if (builder.nameTaken(parameter))
                throw m_cursor.error(place, fmt::format("`{}` is a parameter already", parameter));
            m_scopes.define(parameter, {builder.addParameter(parameter, m_values.type()), false, place.offset});
        }
        m_cursor.expect("{", "behind the parameters");
        NetBodyParser(m_cursor, m_scopes, m_macros, m_values, builder, places.operators[name]).functionBody(token);
        m_scopes.pop();
        m_scopes.forgetHidden();
        module.functions.push_back(std::move(builder).finish());
    }

    NetCursor m_cursor;
    NetScopes m_scopes;
    NetValueParser m_values;
    NetMacros m_macros;
    const NetParameters &m_given;
};

} // namespace

ParsedNet parseNet(std::string text, const std::string &path, const NetParameters &parameters) {
    ParsedNet parsed;
    parsed.module.path = path;
    parsed.places.path = path;
    parsed.places.text = std::make_shared<const std::string>(std::move(text));
    const SourceText source = {*parsed.places.text, path};
    NetParser(source, parameters).run(parsed.module, parsed.places);
    return parsed;
}

ParsedNet loadNet(const std::string &path, const NetParameters &parameters) {
    return parseNet(readInputFile(path, "the network", kMaxText), path, parameters);
}

Error NetPlaces::error(std::string_view function, NodeId node, const std::string &sentence) const {
    const auto at = operators.find(function);
    if (!text || at == operators.end() || node.value < 0 || node.index() >= at->second.size())
        return {path, 0, 0, sentence};
    const Operator &place = at->second[node.index()];
    return SourceText{*text, path}.error(place.offset, sentence, place.length);
}

} // namespace loopscope
