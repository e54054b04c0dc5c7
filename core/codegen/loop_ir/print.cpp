// One statement a line, four blanks per level. Line 1 is the kernel's head; an `else` has a line of its own.

#include "codegen/loop_ir/program.h"
#include "codegen/loop_ir/shared_layout.h"

#include <cctype>

namespace loopscope {

namespace {

std::string_view scopeName(MemoryScope scope) {
    switch (scope) {
    case MemoryScope::Argument:
        return "argument";
    case MemoryScope::Heap:
        return "heap";
    case MemoryScope::Stack:
        return "stack";
    case MemoryScope::Register:
        return "register";
    case MemoryScope::Shared:
        return "shared";
    case MemoryScope::Local:
        return "local";
    }
    return "";
}

void appendShape(std::string &out, const std::vector<int64_t> &shape) {
    out += '[';
    for (size_t d = 0; d < shape.size(); ++d) {
        if (d > 0) out += ", ";
        out += std::to_string(shape[d]);
    }
    out += ']';
}

void appendBuffer(std::string &out, const Buffer &buffer) {
    out += buffer.name;
    out += ": ";
    out += dtypeName(buffer.dtype);
    appendShape(out, buffer.shape);
}

/// Which dimension's neighbours lie side by side, where it is not the last one, and from where to where a row reaches,
/// where that is further than its elements.
void appendLayout(std::string &out, const Buffer &buffer) {
    for (size_t d = 0; d + 1 < buffer.shape.size(); ++d)
        if (buffer.shape[d] > 1 && buffer.strides[d] < buffer.strides.back())
            out += ", dimension " + std::to_string(d) + " fastest";
    int64_t row = 0; // its length, and the next larger stride
    int64_t apart = 0;
    for (size_t d = 0; d < buffer.shape.size(); ++d) {
        if (buffer.shape[d] < 2) continue;
        if (buffer.strides[d] == 1) row = buffer.shape[d];
        if (buffer.strides[d] > 1 && (apart == 0 || buffer.strides[d] < apart)) apart = buffer.strides[d];
    }
    if (row > 0 && apart > row) out += ", rows " + std::to_string(apart) + " apart";
}

/// Functions by the names people know, as in a workload's text: task keys alone say `tir.exp`.
void appendPlain(std::string &out, Expr e) {
    constexpr std::string_view kSpace = "tir.";
    const size_t from = out.size();
    appendText(out, e);
    for (size_t at = out.find(kSpace, from); at != std::string::npos; at = out.find(kSpace, at)) {
        size_t end = at + kSpace.size();
        while (end < out.size() && (std::isalnum(static_cast<unsigned char>(out[end])) != 0 || out[end] == '_')) ++end;
        const bool begins =
            at == 0 || (std::isalnum(static_cast<unsigned char>(out[at - 1])) == 0 && out[at - 1] != '_');
        if (begins && end < out.size() && out[end] == '(')
            out.erase(at, kSpace.size());
        else
            at = end;
    }
}

class Printer {
  public:
    Printer(std::string &out, std::map<int, int> *lineOf) : m_out(out), m_lineOf(lineOf) {}

    void head(const LoopProgram &program) {
        m_out += program.name;
        m_out += '(';
        bool first = true;
        for (const ProgramArg &arg : program.args) {
            if (!first) m_out += ", ";
            first = false;
            if (arg.output) m_out += "out ";
            appendBuffer(m_out, *arg.buffer);
            if (arg.packing.empty()) continue;
            m_out += " packed from ";
            appendShape(m_out, arg.originalShape);
        }
        m_out += ")\n";
    }

    void print(Stmt stmt, int depth) {
        note(stmt);
        switch (stmt->kind) {
        case StmtKind::Block:
            for (const Stmt child : stmt->body()) print(child, depth);
            return;
        case StmtKind::For:
            indent(depth);
            m_out += loopKindName(stmt->loop);
            m_out += ' ';
            m_out += stmt->var->name();
            m_out += " in ";
            expression(stmt->min ? stmt->min : zero());
            m_out += " .. ";
            if (stmt->min && !isInt(stmt->min, 0)) {
                expression(stmt->min);
                m_out += " + ";
            }
            expression(stmt->extent);
            if (stmt->unrollMaxStep >= 0) m_out += "  unroll up to " + std::to_string(stmt->unrollMaxStep);
            return body(stmt->children[0], depth);
        case StmtKind::Store:
            indent(depth);
            m_out += stmt->buffer->name;
            m_out += '[';
            for (size_t i = 0; i < stmt->indexCount; ++i) {
                if (i > 0) m_out += ", ";
                expression(stmt->indices[i]);
            }
            m_out += "] = ";
            expression(stmt->value);
            return newline();
        case StmtKind::If:
            indent(depth);
            m_out += stmt->likely ? "if likely " : "if ";
            expression(stmt->value);
            body(stmt->children[0], depth);
            if (stmt->childCount < 2) return;
            indent(depth);
            m_out += "else";
            return body(stmt->children[1], depth);
        case StmtKind::Let:
            indent(depth);
            m_out += "let ";
            m_out += stmt->var->name();
            m_out += " = ";
            expression(stmt->value);
            newline();
            return print(stmt->children[0], depth);
        case StmtKind::Allocate:
            indent(depth);
            m_out += "allocate ";
            appendBuffer(m_out, *stmt->buffer);
            m_out += ' ';
            m_out += scopeName(stmt->buffer->scope);
            appendLayout(m_out, *stmt->buffer);
            if (const int64_t byte = allocatedAt(stmt); byte >= 0) m_out += " from byte " + std::to_string(byte);
            newline();
            return print(stmt->children[0], depth);
        case StmtKind::Barrier:
            indent(depth);
            m_out += "barrier";
            return newline();
        }
    }

  private:
    void expression(Expr e) { appendPlain(m_out, e); }
    Expr zero() {
        static const ExprNode node{.kind = ExprKind::IntImm,
                                   .dtype = DType::Int32,
                                   .intrinsic = {},
                                   .argCount = 0,
                                   .intValue = 0,
                                   .args = nullptr};
        return Expr(&node);
    }
    void note(Stmt stmt) {
        if (m_lineOf != nullptr) (*m_lineOf)[stmt->id] = m_line;
    }
    void indent(int depth) { m_out.append(static_cast<size_t>(depth) * 4, ' '); }
    void newline() {
        m_out += '\n';
        ++m_line;
    }
    void body(Stmt stmt, int depth) {
        m_out += ':';
        newline();
        print(stmt, depth + 1);
    }

    std::string &m_out;
    std::map<int, int> *m_lineOf;
    int m_line = 2;
};

} // namespace

std::string printProgram(const LoopProgram &program, std::map<int, int> *lineOf) {
    std::string out;
    Printer printer(out, lineOf);
    printer.head(program);
    printer.print(program.root, 1);
    return out;
}

} // namespace loopscope
