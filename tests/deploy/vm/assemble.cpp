#include "assemble.h"

#include "base/nearest_name.h"
#include "base/source_text.h"
#include "networks/graph/net_cursor.h"
#include "networks/graph/net_lexer.h"

#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace loopscope {

namespace {

class ProgramParser {
  public:
    ProgramParser(const SourceText &source, const Module &network) : m_cursor(source) { m_program.network = network; }

    Program run() {
        word("program");
        const NetToken name = m_cursor.peek();
        if (quoted("the network's name", true) != m_program.network.name)
            throw m_cursor.error(
                name, fmt::format("the program is of another network; this one is \"{}\"", m_program.network.name));
        while (m_cursor.peek().kind != NetTokenKind::End) function();
        return std::move(m_program);
    }

  private:
    void word(std::string_view expected) {
        if (!m_cursor.acceptName(expected)) throw m_cursor.unexpected(fmt::format("`{}`", expected));
    }

    std::string quoted(std::string_view what, bool mayBeEmpty = false) {
        const NetToken token = m_cursor.peek();
        if (token.kind != NetTokenKind::Text) throw m_cursor.unexpected(fmt::format("{} in quotes", what));
        m_cursor.next();
        std::string text = netUnquoted(token.text);
        if (text.empty() && !mayBeEmpty) throw m_cursor.error(token, fmt::format("{} has no characters", what));
        return text;
    }

    int64_t number(int64_t most) {
        const NetToken token = m_cursor.peek();
        int64_t value = 0;
        const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
        if (token.kind != NetTokenKind::Integer || error != std::errc() || end != token.text.data() + token.text.size())
            throw m_cursor.unexpected("a whole number");
        if (value > most) throw m_cursor.error(token, fmt::format("is more than {}", most));
        m_cursor.next();
        return value;
    }
    int small() { return static_cast<int>(number(std::numeric_limits<int>::max())); }

    static std::optional<int> registerIn(std::string_view text, char kind) {
        if (text.size() < 2 || text.front() != kind) return std::nullopt;
        int value = 0;
        const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
        return value;
    }

    int registerOf(char kind, bool mayBeLeftOut = false) {
        const NetToken token = m_cursor.peek();
        if (mayBeLeftOut && token.isName("_")) {
            m_cursor.next();
            return -1;
        }
        const auto value = token.kind == NetTokenKind::Name ? registerIn(token.text, kind) : std::nullopt;
        if (!value) throw m_cursor.unexpected(fmt::format("a register {}0, {}1, ...", kind, kind));
        m_cursor.next();
        return *value;
    }

    std::vector<int> registersInParentheses(char kind, bool mayBeLeftOut) {
        std::vector<int> all;
        m_cursor.expect("(", "before registers");
        while (!m_cursor.accept(")")) {
            if (!all.empty()) m_cursor.expect(",", "between registers");
            all.push_back(registerOf(kind, mayBeLeftOut));
        }
        return all;
    }

    DType dtype() {
        const NetToken token = m_cursor.peek();
        const auto type = token.kind == NetTokenKind::Name ? dtypeFromName(token.text) : std::nullopt;
        if (!type) throw m_cursor.unexpected("an element type");
        m_cursor.next();
        return *type;
    }

    /// A dim ends before a comma or bracket that is not inside parentheses.
    Dim dim() {
        const NetToken first = m_cursor.peek();
        int depth = 0;
        while (m_cursor.peek().kind != NetTokenKind::End) {
            const NetToken &token = m_cursor.peek();
            if (depth == 0 && (token.is(",") || token.is("]"))) break;
            depth += token.is("(") ? 1 : token.is(")") ? -1 : 0;
            m_cursor.next();
        }
        const auto read = parseDim(m_cursor.source().text.substr(first.offset, m_cursor.at() - first.offset));
        if (!read) throw m_cursor.error(first, "is no dim, such as 3, n or 2*n + 1");
        return *read;
    }

    TensorType type() {
        TensorType type = {dtype(), {}};
        m_cursor.expect("[", "before dims");
        while (!m_cursor.accept("]")) {
            if (!type.dims.empty()) m_cursor.expect(",", "between dims");
            type.dims.push_back(dim());
        }
        return type;
    }

    std::optional<TensorType> typeOrNone() {
        if (m_cursor.acceptName("untyped")) return std::nullopt;
        return type();
    }

    void function() {
        word("func");
        BytecodeFunction made;
        const NetToken place = m_cursor.peek();
        made.name = quoted("the function's name");
        m_of = m_program.network.find(made.name);
        if (!m_of) throw m_cursor.error(place, "the network has no function of that name");
        parameters(made);
        symbols(made);
        word("tensors");
        made.tensors = small();
        word("integers");
        made.integers = small();
        word("stacks");
        made.stacks = small();
        m_cursor.expect("{", "before the instructions");
        while (!m_cursor.accept("}")) {
            const NetToken at = m_cursor.peek();
            if (static_cast<size_t>(small()) != made.code.size())
                throw m_cursor.error(at, fmt::format("this is instruction {}", made.code.size()));
            m_cursor.expect(":", "behind the number of an instruction");
            made.code.push_back(instruction());
        }
        m_program.functions.push_back(std::move(made));
    }

    void parameters(BytecodeFunction &made) {
        m_cursor.expect("(", "before parameters");
        while (!m_cursor.accept(")")) {
            if (!made.parameters.empty()) m_cursor.expect(",", "between parameters");
            const NetToken at = m_cursor.peek();
            if (static_cast<size_t>(registerOf('t')) != made.parameters.size())
                throw m_cursor.error(at, fmt::format("this parameter is handed over in t{}", made.parameters.size()));
            BytecodeParameter &parameter = made.parameters.emplace_back();
            parameter.name = quoted("the parameter's name");
            m_cursor.expect(":", "before the parameter's type");
            parameter.type = type();
        }
    }

    void symbols(BytecodeFunction &made) {
        word("symbols");
        m_cursor.expect("(", "before symbols");
        while (!m_cursor.accept(")")) {
            if (!made.symbols.empty()) m_cursor.expect(",", "between symbols");
            const NetToken at = m_cursor.peek();
            std::string name = quoted("the symbol's name");
            m_cursor.expect("=", "before the symbol's register");
            if (!made.symbols.emplace(std::move(name), registerOf('i')).second)
                throw m_cursor.error(at, "this symbol has a register already");
        }
    }

    Instruction instruction() {
        const NetToken token = m_cursor.peek();
        const auto opcode = token.kind == NetTokenKind::Name ? opcodeFromName(token.text) : std::nullopt;
        if (!opcode) {
            std::vector<std::string> names;
            for (size_t i = 0; i < kOpcodes; ++i) names.emplace_back(shapeOf(static_cast<Opcode>(i)).name);
            throw m_cursor.error(token, fmt::format("is no instruction{}", suggestion(token.text, names)));
        }
        m_cursor.next();
        Instruction made;
        made.opcode = *opcode;
        outputs(made);
        body(made);
        if (m_cursor.accept("@")) origin(made);
        return made;
    }

    void outputs(Instruction &made) {
        const OpcodeShape &shape = shapeOf(made.opcode);
        if (shape.outputKind == 0) return;
        while (!m_cursor.peek().is("=")) {
            if (!made.outputs.empty()) m_cursor.expect(",", "between registers");
            made.outputs.push_back(registerOf(shape.outputKind));
        }
        m_cursor.expect("=", "behind the registers that are written");
    }

    void body(Instruction &made) {
        const char kind = shapeOf(made.opcode).inputKind;
        switch (made.opcode) {
        case Opcode::Kernel:
        case Opcode::Call:
            made.name = quoted("the function's name");
            made.inputs = registersInParentheses('t', made.opcode == Opcode::Kernel);
            if (made.opcode == Opcode::Call && m_cursor.acceptName("trip")) made.trip = registerOf('i');
            break;
        case Opcode::Const:
            made.name = quoted("the constant's name");
            break;
        case Opcode::Eval:
            made.steps = steps();
            break;
        case Opcode::Item:
            made.inputs = {registerOf(kind)};
            made.type = TensorType{dtype(), {}};
            made.name = quoted("what it is");
            break;
        case Opcode::Box:
        case Opcode::Match:
            made.inputs = {registerOf(kind)};
            made.type = type();
            break;
        case Opcode::Alias:
        case Opcode::Seal:
        case Opcode::Free:
            made.inputs = {registerOf(kind)};
            break;
        case Opcode::Stack:
            made.name = quoted("the output's name");
            made.type = typeOrNone();
            break;
        case Opcode::Push:
        case Opcode::Ret:
            made.inputs = registersInParentheses(kind, false);
            break;
        case Opcode::Branch:
            made.inputs = {registerOf(kind)};
            m_cursor.expect(",", "before the instruction to go to");
            made.target = small();
            m_cursor.expect(",", "before the instruction to go to otherwise");
            made.otherwise = small();
            break;
        case Opcode::Jump:
            made.target = small();
            break;
        }
    }

    std::vector<EvalStep> steps() {
        std::vector<EvalStep> all;
        m_cursor.expect("(", "before what is computed");
        while (!m_cursor.accept(")")) all.push_back(step());
        return all;
    }

    EvalStep step() {
        const NetToken token = m_cursor.peek();
        if (m_cursor.accept("-")) return {EvalKind::Number, -number(std::numeric_limits<int64_t>::max())};
        if (token.kind == NetTokenKind::Integer) return {EvalKind::Number, number(std::numeric_limits<int64_t>::max())};
        for (const EvalKind kind :
             {EvalKind::Add, EvalKind::Sub, EvalKind::Mul, EvalKind::FloorDiv, EvalKind::Less, EvalKind::And})
            if (m_cursor.acceptName(evalName(kind))) return {kind, 0};
        return {EvalKind::Register, registerOf('i')};
    }

    void origin(Instruction &made) {
        const NetToken at = m_cursor.peek();
        const int node = small();
        const NetToken name = m_cursor.peek();
        const std::string said = quoted("the node's name", true);
        if (static_cast<size_t>(node) >= m_of->nodeCount())
            throw m_cursor.error(at, fmt::format("the network's function has {} nodes", m_of->nodeCount()));
        made.node = NodeId(node);
        if (const std::string &is = m_of->node(made.node).name; is != said)
            throw m_cursor.error(name, fmt::format("node {} is {}", node, netQuoted(is)));
    }

    NetCursor m_cursor;
    Program m_program;
    FunctionPtr m_of;
};

} // namespace

Program parseProgram(const std::string &text, const std::string &path, const Module &network) {
    const SourceText source = {text, path};
    return ProgramParser(source, network).run();
}

} // namespace loopscope
