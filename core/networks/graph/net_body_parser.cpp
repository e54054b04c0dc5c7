#include "networks/graph/net_body_parser.h"

#include "base/nearest_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

void NetBodyParser::functionBody(const NetToken &name) {
    const std::optional<Meanings> results = statements(Body::Function);
    if (!results) throw m_cursor.error(name, fmt::format("function `{}` returns nothing", m_builder.soFar().name()));
    for (const NetMeaning &result : *results) m_builder.addResult(std::get<ValueId>(result));
}

std::optional<NetBodyParser::Meanings> NetBodyParser::statements(Body body) {
    for (;;) {
        const NetToken token = m_cursor.peek();
        if (m_cursor.accept("}")) return std::nullopt;
        if (token.kind == NetTokenKind::End) throw m_cursor.unexpected("a statement or `}`");
        if (m_cursor.acceptName("return")) {
            if (body == Body::Block || body == Body::Repetition)
                throw m_cursor.error(token, "`return` ends functions and macros, nothing else");
            return returned(body);
        }
        if (m_cursor.acceptName("let")) {
            let(m_cursor, m_scopes, m_values);
        } else if (m_cursor.acceptName("repeat")) {
            repetition(token);
        } else if (m_cursor.acceptName("dataflow") || m_cursor.acceptName("effect")) {
            if (body != Body::Function) throw m_cursor.error(token, "blocks stand directly in functions");
            block(token);
        } else {
            const bool variable = m_cursor.acceptName("var");
            assignment(variable);
        }
    }
}

NetBodyParser::Meanings NetBodyParser::returned(Body body) {
    Meanings results;
    do {
        results.emplace_back(m_values.value(false));
    } while (m_cursor.accept(","));
    m_cursor.expect("}", body == Body::Macro ? "behind what a macro returns" : "behind what a function returns");
    return results;
}

void NetBodyParser::let(NetCursor &cursor, NetScopes &scopes, NetValueParser &values) {
    const NetToken token = cursor.peek();
    const std::string name = cursor.takeName("a name");
    cursor.expect("=", "behind the name");
    const int64_t value = values.integer();
    if (!scopes.define(name, {value, false, token.offset}))
        throw cursor.error(token, fmt::format("`{}` is defined already", name));
}

void NetBodyParser::repetition(const NetToken &place) {
    const NetToken variable = m_cursor.peek();
    const std::string name = m_cursor.takeName("the name of what counts the repetitions");
    m_cursor.expect("<", "behind the name");
    const int64_t count = m_values.integer();
    const NetToken opening = m_cursor.peek();
    m_cursor.expect("{", "behind the number of repetitions");
    const size_t body = m_cursor.at();
    if (count <= 0) {
        m_cursor.skipBraces(opening);
        return;
    }
    m_cursor.enterExpansion(place);
    for (int64_t i = 0; i < count; ++i) {
        constexpr size_t round = 16; // what one costs that does nothing
        m_cursor.charge(round);
        if (i > 0) m_cursor.moveTo(body);
        m_scopes.push(false);
        m_scopes.define(name, {i, false, variable.offset});
        statements(Body::Repetition);
        m_scopes.pop();
    }
    m_cursor.leaveExpansion();
}

void NetBodyParser::block(const NetToken &place) {
    m_cursor.expect("{", "behind the kind of the block");
    m_builder.beginBlock(place.text == "effect" ? BlockKind::Effect : BlockKind::Dataflow);
    m_blockClosed = false;
    m_scopes.push(false);
    statements(Body::Block);
    m_blockClosed = true;
    // Constants belong to the function, wherever they stand.
    std::vector<std::pair<std::string, NetBinding>> outside;
    for (const auto &[name, binding] : m_scopes.innermost())
        if (const auto *value = std::get_if<ValueId>(&binding.meaning))
            if (m_builder.soFar().isConstant(*value)) outside.emplace_back(name, binding);
    if (m_cursor.acceptName("yield")) {
        do {
            const NetToken token = m_cursor.peek();
            const ValueId value = m_values.value(false);
            const std::string name =
                token.kind == NetTokenKind::Text ? netUnquoted(token.text) : std::string(token.text);
            if (!m_scopes.innermost().contains(name))
                throw m_cursor.error(token, fmt::format("`{}` is not made in the block of line {}", name,
                                                        m_cursor.lineOf(place.offset)));
            if (!m_builder.soFar().isConstant(value))
                outside.emplace_back(name, NetBinding{value, false, token.offset});
        } while (m_cursor.accept(","));
    }
    m_scopes.popHidden();
    for (auto &[name, binding] : outside) m_scopes.define(name, std::move(binding));
}

void NetBodyParser::assignment(bool variable) {
    std::vector<Target> targets;
    do {
        Target target;
        target.token = m_cursor.peek();
        target.name = m_cursor.takeName("the name of a value");
        if (m_cursor.accept(":")) target.type = m_values.type();
        for (const Target &other : targets)
            if (other.name == target.name)
                throw m_cursor.error(target.token, fmt::format("`{}` stands twice on the left", target.name));
        targets.push_back(std::move(target));
    } while (m_cursor.accept(","));
    m_cursor.expect("=", targets.back().type ? "behind the type" : "behind the name of a value");
    for (const Target &target : targets) checkFree(target);
    const Meanings meanings = rightSide(targets);
    if (meanings.size() != targets.size())
        throw m_cursor.error(targets[0].token, fmt::format("names on the left: {}, values on the right: {}",
                                                           targets.size(), meanings.size()));
    for (size_t i = 0; i < targets.size(); ++i) define(targets[i], meanings[i], variable);
}

void NetBodyParser::checkFree(const Target &target) {
    const NetBinding *known = m_scopes.find(target.name);
    if (known && known->variable) return;
    const auto own = m_scopes.innermost().find(target.name);
    if (own != m_scopes.innermost().end())
        throw m_cursor.error(target.token,
                             fmt::format("`{}` has a value already, from line {}; `var` there would let it get another",
                                         target.name, m_cursor.lineOf(own->second.offset)));
    if (!m_cursor.expanding() && m_builder.nameTaken(target.name))
        throw m_cursor.error(target.token,
                             fmt::format("another value of the function is called `{}` already", target.name));
}

void NetBodyParser::define(const Target &target, NetMeaning meaning, bool variable) {
    NetBinding *known = m_scopes.find(target.name);
    if (known && known->variable && !variable) {
        known->meaning = std::move(meaning);
        return;
    }
    if (!m_scopes.define(target.name, {std::move(meaning), variable, target.token.offset}))
        throw m_cursor.error(target.token, fmt::format("`{}` has a value already", target.name));
}

NetBodyParser::Meanings NetBodyParser::rightSide(const std::vector<Target> &targets) {
    const NetToken token = m_cursor.peek();
    if (m_cursor.acceptName("constant")) {
        if (targets.size() != 1) throw m_cursor.error(token, "a constant has one name");
        return constant(targets[0]);
    }
    if (!m_cursor.peekSecond().is("(")) {
        if (targets[0].type) throw m_cursor.error(targets[0].token, "another name for a value has no type of its own");
        return {m_values.value(true)};
    }
    const std::string name = m_cursor.takeName("an operator");
    const auto macro = token.kind == NetTokenKind::Name ? m_macros.find(name) : m_macros.end();
    if (macro == m_macros.end()) return operatorCall(token, targets);
    for (const Target &target : targets)
        if (target.type) throw m_cursor.error(target.token, "what a macro returns has its type already");
    return macroCall(token, macro->second, targets[0].name);
}

NetBodyParser::Meanings NetBodyParser::constant(const Target &target) {
    if (target.type) throw m_cursor.error(target.token, "a constant's type stands behind `constant`");
    const std::string name = fullName(target.name);
    if (m_cursor.expanding()) m_cursor.charge(name.size());
    return {m_builder.addConstant(name, m_values.tensor(name))};
}

NetBodyParser::Meanings NetBodyParser::macroCall(const NetToken &name, const NetMacro &macro,
                                                 const std::string &target) {
    Arguments given = macroArguments(name, macro);
    const std::string called = givenName().value_or(target);
    const std::string prefix = std::exchange(m_prefix, fullName(called));
    const size_t behind = m_cursor.at();

    m_cursor.enterExpansion(name);
    m_cursor.charge(m_prefix.size());
    m_scopes.push(true);
    for (auto &[parameter, binding] : given) m_scopes.define(parameter, std::move(binding));
    fallbacks(name, macro);
    m_cursor.moveTo(macro.body);
    std::optional<Meanings> results = statements(Body::Macro);
    if (!results) throw m_cursor.error(name, fmt::format("macro `{}` returns nothing", name.text));
    m_scopes.pop();
    m_cursor.leaveExpansion();
    m_prefix = prefix;
    m_cursor.moveTo(behind);
    return std::move(*results);
}

NetBodyParser::Arguments NetBodyParser::macroArguments(const NetToken &name, const NetMacro &macro) {
    m_cursor.expect("(", "behind the macro");
    std::vector<std::string> names;
    for (const NetMacro::Parameter &parameter : macro.parameters) names.push_back(parameter.name);
    Arguments given;
    size_t positional = 0;
    bool byName = false;
    for (bool first = true; !m_cursor.accept(")"); first = false) {
        if (!first) m_cursor.expect(",", "or `)` behind an argument");
        const NetToken token = m_cursor.peek();
        std::string parameter;
        if (token.kind == NetTokenKind::Name && m_cursor.peekSecond().is("=")) {
            parameter = m_cursor.takeName("an argument");
            m_cursor.next();
            byName = true;
            if (std::find(names.begin(), names.end(), parameter) == names.end())
                throw m_cursor.error(token, fmt::format("macro `{}` has no parameter `{}`{}", name.text, parameter,
                                                        suggestion(parameter, names)));
        } else {
            if (byName) throw m_cursor.error(token, "arguments without a name stand before those with one");
            if (positional == names.size())
                throw m_cursor.error(token,
                                     fmt::format("macro `{}` has fewer parameters ({})", name.text, names.size()));
            parameter = names[positional++];
        }
        if (!given.emplace(parameter, NetBinding{m_values.argument(), false, token.offset}).second)
            throw m_cursor.error(token, fmt::format("parameter `{}` is given twice", parameter));
    }
    return given;
}

void NetBodyParser::fallbacks(const NetToken &call, const NetMacro &macro) {
    for (const NetMacro::Parameter &parameter : macro.parameters) {
        if (m_scopes.innermost().contains(parameter.name)) continue;
        if (!parameter.fallback)
            throw m_cursor.error(call, fmt::format("macro `{}` needs a `{}`", std::string(call.text), parameter.name));
        m_cursor.moveTo(*parameter.fallback);
        m_scopes.define(parameter.name, {m_values.argument(), false, *parameter.fallback});
    }
}

NetBodyParser::Meanings NetBodyParser::operatorCall(const NetToken &name, const std::vector<Target> &targets) {
    Node node;
    node.op = name.kind == NetTokenKind::Text ? netUnquoted(name.text) : std::string(name.text);
    arguments(node, targets[0].name);
    if (const std::optional<std::string> given = givenName()) node.name = fullName(*given);
    if (m_cursor.acceptName("from")) {
        m_cursor.expect("[", "behind from");
        do {
            const NetToken source = m_cursor.peek();
            if (source.kind != NetTokenKind::Text) throw m_cursor.unexpected("the name of an imported node in quotes");
            m_cursor.next();
            node.sources.push_back(netUnquoted(source.text));
        } while (m_cursor.accept(","));
        m_cursor.expect("]", "behind the last name");
    }
    std::vector<std::string> outputs;
    for (const Target &target : targets) outputs.push_back(fullName(target.name));
    if (m_cursor.expanding())
        for (const std::string &output : outputs) m_cursor.charge(2 * output.size());
    if (std::exchange(m_blockClosed, false)) m_builder.beginBlock(BlockKind::Dataflow);
    const NodeId id = m_builder.addNode(std::move(node), outputs);
    m_places.push_back({name.offset, name.text.size()});
    Meanings meanings;
    const std::vector<ValueId> &made = m_builder.soFar().node(id).outputs;
    for (size_t i = 0; i < targets.size(); ++i) {
        if (targets[i].type) m_builder.setType(made[i], targets[i].type);
        meanings.emplace_back(made[i]);
    }
    return meanings;
}

void NetBodyParser::arguments(Node &node, const std::string &target) {
    m_cursor.expect("(", "behind the operator");
    for (bool first = true; !m_cursor.accept(")"); first = false) {
        if (!first) m_cursor.expect(",", "or `)` behind an argument");
        const NetToken token = m_cursor.peek();
        const bool named = token.kind == NetTokenKind::Name || token.kind == NetTokenKind::Text;
        if (named && m_cursor.peekSecond().is("=")) {
            const std::string attribute =
                token.kind == NetTokenKind::Text ? netUnquoted(token.text) : std::string(token.text);
            m_cursor.next();
            m_cursor.next();
            if (!node.attributes.emplace(attribute, m_values.attribute()).second)
                throw m_cursor.error(token, fmt::format("attribute `{}` is given twice", attribute));
            continue;
        }
        if (!node.attributes.empty()) throw m_cursor.error(token, "inputs stand before attributes");
        node.inputs.push_back(input(fullName(target) + "." + std::to_string(node.inputs.size())));
    }
}

ValueId NetBodyParser::input(const std::string &constantName) {
    const NetToken token = m_cursor.peek();
    if (token.kind == NetTokenKind::Text || token.isName("_")) return m_values.value(true);
    if (token.kind == NetTokenKind::Name && !isNetWord(token.text)) {
        const NetBinding *binding = m_scopes.find(std::string(token.text));
        if (!binding || std::holds_alternative<ValueId>(binding->meaning)) return m_values.value(true);
    }
    if (m_cursor.expanding()) m_cursor.charge(constantName.size());
    const Attribute held = m_values.attribute();
    if (const auto *integers = std::get_if<std::vector<int64_t>>(&held))
        return m_builder.addConstant(constantName, integerTensor({static_cast<int64_t>(integers->size())}, *integers));
    if (const auto *numbers = std::get_if<std::vector<double>>(&held)) {
        const std::vector<float> floats(numbers->begin(), numbers->end());
        return m_builder.addConstant(constantName, floatTensor({static_cast<int64_t>(floats.size())}, floats));
    }
    if (const auto *number = std::get_if<double>(&held))
        return m_builder.addConstant(constantName, HostTensor::scalar(DType::Float32, *number));
    if (const auto *tensor = std::get_if<HostTensor>(&held)) return m_builder.addConstant(constantName, *tensor);
    throw m_cursor.error(token,
                         "an input is a value, a number with a point, or a list; others are constants with a type");
}

std::optional<std::string> NetBodyParser::givenName() {
    if (!m_cursor.accept("@")) return std::nullopt;
    const NetToken token = m_cursor.peek();
    if (token.kind != NetTokenKind::Text) throw m_cursor.unexpected("a name in quotes");
    m_cursor.next();
    return interpolated(token);
}

std::string NetBodyParser::interpolated(const NetToken &token) {
    const std::string raw = netUnquoted(token.text, true);
    std::string name;
    for (size_t at = 0; at < raw.size(); ++at) {
        if (raw[at] == '\\') {
            name += raw[++at];
        } else if (raw[at] != '{') {
            name += raw[at];
        } else {
            const size_t end = raw.find('}', at);
            const std::string inside = end == std::string::npos ? std::string() : raw.substr(at + 1, end - at - 1);
            const NetBinding *binding = m_scopes.find(inside);
            const auto *value = binding ? std::get_if<int64_t>(&binding->meaning) : nullptr;
            if (!value)
                throw m_cursor.error(token,
                                     fmt::format("between braces stands the name of an integer, not `{}`; a brace "
                                                 "itself is written \\{{",
                                                 inside));
            name += std::to_string(*value);
            at = end;
        }
    }
    return name;
}

} // namespace loopscope
