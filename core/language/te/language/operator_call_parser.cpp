#include "language/te/language/operator_call_parser.h"

namespace loopscope {

const Tensor &OperatorCallParser::parse(const std::string &givenName) {
    constexpr int maxCallNesting = 64;
    const Token &name = m_cursor.next();
    if (++m_nesting > maxCallNesting)
        throw m_cursor.error(name, "operator calls are nested too deeply; give the inner ones names of their own");
    const OperatorSpec *spec = findOperatorSpec(name.text);
    if (spec == nullptr) {
        const std::string hint = suggestion(name.text, operatorNames());
        throw m_cursor.error(name, "there is no operator `" + name.text + "`" + hint +
                                       (hint.empty() ? "; a compute names its axes, as in name(i < N) = ..." : ""));
    }
    m_cursor.expect("(", "");
    std::vector<ArgValue> positional;
    NamedArgs named;
    while (!m_cursor.peek().is(")")) {
        const Token &start = m_cursor.peek();
        if (start.kind == TokenKind::Name && m_cursor.peek(1).is("=")) {
            const OperatorArg *arg = nullptr;
            std::vector<std::string> known;
            for (const OperatorArg &candidate : spec->args) {
                known.push_back(candidate.name);
                if (candidate.name == start.text) arg = &candidate;
            }
            if (arg == nullptr)
                throw m_cursor.error(start, "`" + name.text + "` has no argument `" + start.text + "`" +
                                                suggestion(start.text, known) + "; it is " + signatureText(*spec));
            for (const auto &[other, value] : named)
                if (other == start.text) throw m_cursor.error(start, "`" + start.text + "` is given twice");
            m_cursor.next();
            m_cursor.next();
            named.emplace_back(arg->name, parseArgument(*arg));
        } else {
            if (!named.empty()) throw m_cursor.error(start, "an argument without a name cannot follow one with a name");
            if (positional.size() >= spec->args.size())
                throw m_cursor.error(start, "too many arguments; it is " + signatureText(*spec));
            positional.push_back(parseArgument(spec->args[positional.size()]));
        }
        if (!m_cursor.accept(",")) break;
    }
    m_cursor.expect(")", "after the arguments of " + name.text);
    --m_nesting;
    try {
        const size_t before = m_ops.size();
        const Tensor &result = callOperator(m_ops, *spec, positional, named, givenName);
        for (size_t i = before; i < m_ops.size(); ++i) {
            const Op &op = *m_ops[i];
            m_computes.checkSizes(name, op.name, op.axes, op.reduction);
            for (const int64_t extent : op.shape()) {
                const std::string complaint = extentComplaint("an extent of `" + op.name + "`", extent);
                if (!complaint.empty()) throw m_cursor.error(name, complaint);
            }
        }
        return result;
    } catch (const Error &problem) {
        if (problem.line() > 0) throw;
        throw m_cursor.error(name, problem.sentence());
    }
}

const Tensor *OperatorCallParser::parseTensorArgument() {
    const Token &token = m_cursor.peek();
    if (token.kind == TokenKind::Name && m_cursor.peek(1).is("(")) return &parse({});
    const Token &name = m_cursor.expectName("a tensor");
    const auto found = m_names.tensors.find(name.text);
    if (found != m_names.tensors.end()) return found->second.tensor;
    if (const auto tuple = m_names.tuples.find(name.text); tuple != m_names.tuples.end())
        throw m_cursor.error(name, "`" + name.text + "` has " + std::to_string(tuple->second) +
                                       " outputs; name one of them, as in " + name.text + ".v0");
    m_expressions.failUnknownTensor(name);
}

ArgValue OperatorCallParser::parseArgument(const OperatorArg &arg) {
    const Token &start = m_cursor.peek();
    const auto list = [&](auto parseItem) {
        m_cursor.expect("[", "and the list for `" + arg.name + "`");
        if (!m_cursor.peek().is("]")) {
            do {
                parseItem();
            } while (m_cursor.accept(","));
        }
        m_cursor.expect("]", "after the list for `" + arg.name + "`");
    };
    switch (arg.kind) {
    case ArgKind::Tensor:
        return parseTensorArgument();
    case ArgKind::Tensors: {
        std::vector<const Tensor *> tensors;
        list([&] { tensors.push_back(parseTensorArgument()); });
        return tensors;
    }
    case ArgKind::Int:
        return m_expressions.parseConstantInt("`" + arg.name + "`");
    case ArgKind::Ints: {
        std::vector<int64_t> values;
        const auto item = [&] { values.push_back(m_expressions.parseConstantInt("`" + arg.name + "`")); };
        if (start.is("["))
            list(item);
        else
            item();
        return values;
    }
    case ArgKind::Number: {
        const TypedExpr value = m_expressions.parseConstant("`" + arg.name + "`");
        return value.e->kind == ExprKind::FloatImm ? value.e->floatValue : static_cast<double>(value.e->intValue);
    }
    case ArgKind::Text:
        break;
    }
    if (start.kind != TokenKind::Text) throw m_cursor.unexpected("a quoted text for `" + arg.name + "`");
    return m_cursor.next().text;
}

} // namespace loopscope
