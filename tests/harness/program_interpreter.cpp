#include "harness/program_interpreter.h"

#include "check.h"
#include "expr/half.h"
#include "expr/interval.h"
#include "loop_ir/walk.h"

#include <cmath>
#include <stdexcept>
#include <unordered_map>

namespace loopscope {

namespace {

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

union Value {
    int64_t i;
    double f;
};

struct Memory {
    const Buffer *buffer = nullptr;
    std::vector<Value> elements;
    std::vector<bool> written;
};

int64_t wrapped(int64_t value, DType type) {
    switch (type) {
    case DType::Bool:
        return value != 0 ? 1 : 0;
    case DType::Int8:
        return static_cast<int8_t>(value);
    case DType::UInt8:
        return static_cast<uint8_t>(value);
    case DType::Int32:
        return static_cast<int32_t>(value);
    default:
        return value;
    }
}

class Machine {
  public:
    Machine() = default;

    Memory &memoryOf(const TensorSymbol *symbol) {
        const auto found = m_memory.find(symbol);
        if (found == m_memory.end()) throw Failure("access to " + symbol->name + ", which has no memory");
        return found->second;
    }
    void allocate(const Buffer &buffer) {
        Memory &memory = m_memory[&buffer];
        memory.buffer = &buffer;
        memory.elements.assign(static_cast<size_t>(buffer.elements()), Value{.i = -77});
        memory.written.assign(memory.elements.size(), false);
    }

    void run(Stmt stmt) {
        switch (stmt->kind) {
        case StmtKind::Block:
            for (const Stmt child : stmt->body()) run(child);
            return;
        case StmtKind::For: {
            const int64_t min = stmt->min ? eval(stmt->min).i : 0;
            const int64_t extent = eval(stmt->extent).i;
            const bool backwards = stmt->loop == LoopKind::Parallel;
            Value &var = m_vars[stmt->var.node()];
            for (int64_t i = 0; i < extent; ++i) {
                var.i = min + (backwards ? extent - 1 - i : i);
                run(stmt->children[0]);
            }
            return;
        }
        case StmtKind::Store: {
            const Value value = eval(stmt->value);
            Memory &memory = memoryOf(stmt->buffer);
            const size_t at = offset(memory, stmt->index());
            const DType type = stmt->buffer->dtype;
            if (isFloat(type))
                memory.elements[at].f = roundToType(value.f, type);
            else
                memory.elements[at].i = wrapped(value.i, type);
            memory.written[at] = true;
            ++stores;
            return;
        }
        case StmtKind::If:
            if (eval(stmt->value).i != 0)
                run(stmt->children[0]);
            else if (stmt->childCount > 1)
                run(stmt->children[1]);
            return;
        case StmtKind::Let:
            m_vars[stmt->var.node()] = eval(stmt->value);
            run(stmt->children[0]);
            return;
        case StmtKind::Allocate:
            allocate(*stmt->buffer);
            run(stmt->children[0]);
            return;
        case StmtKind::Barrier:
            return;
        }
    }

    int64_t stores = 0;

  private:
    size_t offset(const Memory &memory, std::span<const Expr> indices) {
        const Buffer &buffer = *memory.buffer;
        int64_t at = 0;
        for (size_t d = 0; d < indices.size(); ++d) {
            const int64_t index = eval(indices[d]).i;
            const auto fail = [&](int64_t low, int64_t end) {
                throw Failure("index " + std::to_string(d) + " of " + buffer.name + " is " + std::to_string(index) +
                              ", outside [" + std::to_string(low) + ", " + std::to_string(end) + ")");
            };
            if (index < 0 || index >= buffer.shape[d]) fail(0, buffer.shape[d]);
            if (!buffer.regionExtent.empty()) {
                const int64_t low = buffer.regionMin[d] ? eval(buffer.regionMin[d]).i : 0;
                if (index < low || index >= low + buffer.regionExtent[d]) fail(low, low + buffer.regionExtent[d]);
            }
            at += index * buffer.strides[d];
        }
        return static_cast<size_t>(at);
    }

    Value load(Expr e) {
        const Memory &memory = memoryOf(e->symbol);
        const size_t at = offset(memory, e->operands());
        if (!memory.written[at]) throw Failure("element of " + e->symbol->name + " read before it is written");
        return memory.elements[at];
    }

    static Value ofInt(int64_t i) { return Value{.i = i}; }
    static Value ofFloat(double f) { return Value{.f = f}; }

    Value cast(Expr e) {
        const Expr from = e->arg(0);
        const Value value = eval(from);
        if (isFloat(e->dtype))
            return ofFloat(roundToType(isFloat(from->dtype) ? value.f : static_cast<double>(value.i), e->dtype));
        return ofInt(wrapped(isFloat(from->dtype) ? static_cast<int64_t>(value.f) : value.i, e->dtype));
    }

    Value call(Expr e) {
        if (e->intrinsic == Intrinsic::IfThenElse) return eval(e->arg(eval(e->arg(0)).i != 0 ? 1 : 2));
        const double x = eval(e->arg(0)).f;
        switch (e->intrinsic) {
        case Intrinsic::Exp:
            return ofFloat(std::exp(x));
        case Intrinsic::Log:
            return ofFloat(std::log(x));
        case Intrinsic::Sqrt:
            return ofFloat(std::sqrt(x));
        case Intrinsic::Tanh:
            return ofFloat(std::tanh(x));
        case Intrinsic::Erf:
            return ofFloat(std::erf(x));
        case Intrinsic::Sigmoid:
            return ofFloat(1 / (1 + std::exp(-x)));
        case Intrinsic::Fabs:
            return ofFloat(std::fabs(x));
        case Intrinsic::Pow:
            return ofFloat(std::pow(x, eval(e->arg(1)).f));
        default:
            throw Failure("call of " + std::string(intrinsicName(e->intrinsic)) + ", which this interpreter lacks");
        }
    }

    Value compare(Expr e) {
        const Value a = eval(e->arg(0));
        const Value b = eval(e->arg(1));
        const auto with = [&](auto x, auto y) {
            switch (e->kind) {
            case ExprKind::Eq:
                return x == y;
            case ExprKind::Ne:
                return x != y;
            case ExprKind::Lt:
                return x < y;
            case ExprKind::Le:
                return x <= y;
            case ExprKind::Gt:
                return x > y;
            default:
                return x >= y;
            }
        };
        return ofInt(isFloat(e->arg(0)->dtype) ? with(a.f, b.f) : with(a.i, b.i));
    }

    Value arithmetic(Expr e) {
        const Value a = eval(e->arg(0));
        const Value b = eval(e->arg(1));
        if (isFloat(e->dtype)) {
            switch (e->kind) {
            case ExprKind::Add:
                return ofFloat(a.f + b.f);
            case ExprKind::Sub:
                return ofFloat(a.f - b.f);
            case ExprKind::Mul:
                return ofFloat(a.f * b.f);
            case ExprKind::Div:
                return ofFloat(a.f / b.f);
            case ExprKind::Min:
                return ofFloat(std::min(a.f, b.f));
            case ExprKind::Max:
                return ofFloat(std::max(a.f, b.f));
            default:
                throw Failure("a float operation this interpreter lacks: " + toText(e));
            }
        }
        const auto nonZero = [&] {
            if (b.i == 0) throw Failure("division by zero in " + toText(e));
        };
        switch (e->kind) {
        case ExprKind::Add:
            return ofInt(wrapped(a.i + b.i, e->dtype));
        case ExprKind::Sub:
            return ofInt(wrapped(a.i - b.i, e->dtype));
        case ExprKind::Mul:
            return ofInt(wrapped(a.i * b.i, e->dtype));
        case ExprKind::Min:
            return ofInt(std::min(a.i, b.i));
        case ExprKind::Max:
            return ofInt(std::max(a.i, b.i));
        case ExprKind::Div:
            nonZero();
            return ofInt(a.i / b.i);
        case ExprKind::Mod:
            nonZero();
            return ofInt(a.i % b.i);
        case ExprKind::FloorDiv:
            nonZero();
            return ofInt(floorDivInt(a.i, b.i));
        default:
            nonZero();
            return ofInt(floorModInt(a.i, b.i));
        }
    }

    Value eval(Expr e) {
        switch (e->kind) {
        case ExprKind::IntImm:
            return ofInt(e->intValue);
        case ExprKind::FloatImm:
            return ofFloat(e->floatValue);
        case ExprKind::Var:
            return m_vars.at(e.node());
        case ExprKind::Cast:
            return cast(e);
        case ExprKind::And:
            return ofInt(eval(e->arg(0)).i != 0 && eval(e->arg(1)).i != 0);
        case ExprKind::Or:
            return ofInt(eval(e->arg(0)).i != 0 || eval(e->arg(1)).i != 0);
        case ExprKind::Not:
            return ofInt(eval(e->arg(0)).i == 0);
        case ExprKind::Select: {
            const Value yes = eval(e->arg(1));
            const Value no = eval(e->arg(2));
            return eval(e->arg(0)).i != 0 ? yes : no;
        }
        case ExprKind::Call:
            return call(e);
        case ExprKind::Load:
            return load(e);
        case ExprKind::Let:
            m_vars[e->arg(0).node()] = eval(e->arg(1));
            return eval(e->arg(2));
        case ExprKind::StringImm:
            throw Failure("a string is no value");
        default:
            return isComparison(e->kind) ? compare(e) : arithmetic(e);
        }
    }

    std::unordered_map<const TensorSymbol *, Memory> m_memory;
    std::unordered_map<const ExprNode *, Value> m_vars;
};

Value elementOf(const TensorValue &tensor, size_t i) {
    Value value{};
    if (isFloat(tensor.dtype))
        value.f = tensor.floats[i];
    else
        value.i = tensor.integers[i];
    return value;
}

/// The input as the caller of the program must lay it out.
void fill(Memory &memory, const ProgramArg &arg, const TensorValue &input) {
    if (arg.packing.empty()) {
        for (size_t i = 0; i < memory.elements.size(); ++i) memory.elements[i] = elementOf(input, i);
        memory.written.assign(memory.elements.size(), true);
        return;
    }
    std::vector<int64_t> strides(arg.originalShape.size());
    int64_t stride = 1;
    for (size_t d = strides.size(); d > 0; --d) {
        strides[d - 1] = stride;
        stride *= arg.originalShape[d - 1];
    }
    for (size_t i = 0; i < memory.elements.size(); ++i) {
        std::vector<int64_t> original(strides.size());
        size_t rest = i;
        for (size_t p = arg.packing.size(); p > 0; --p) {
            const PackedDim &dim = arg.packing[p - 1];
            original[static_cast<size_t>(dim.origin)] +=
                static_cast<int64_t>(rest % static_cast<size_t>(dim.extent)) * dim.stride;
            rest /= static_cast<size_t>(dim.extent);
        }
        bool inside = true;
        int64_t at = 0;
        for (size_t d = 0; d < original.size(); ++d) {
            inside = inside && original[d] < arg.originalShape[d];
            at += original[d] * strides[d];
        }
        memory.elements[i] = inside ? elementOf(input, static_cast<size_t>(at)) : Value{};
        memory.written[i] = true;
    }
}

} // namespace

ProgramRun runProgram(const LoopProgram &program, const std::vector<TensorValue> &inputs) {
    Machine machine;
    ProgramRun result;
    size_t nextInput = 0;
    for (const ProgramArg &arg : program.args) {
        machine.allocate(*arg.buffer);
        if (!arg.output) fill(machine.memoryOf(arg.buffer), arg, inputs.at(nextInput++));
    }
    try {
        machine.run(program.root);
    } catch (const Failure &failure) {
        result.failure = failure.what();
    }
    result.stores = machine.stores;
    for (const ProgramArg &arg : program.args) {
        if (!arg.output) continue;
        const Memory &memory = machine.memoryOf(arg.buffer);
        TensorValue value{arg.buffer->dtype, arg.buffer->shape, {}, {}};
        for (size_t i = 0; i < memory.elements.size(); ++i) {
            if (!memory.written[i] && result.failure.empty())
                result.failure = "element " + std::to_string(i) + " of " + arg.buffer->name + " is never written";
            if (isFloat(value.dtype))
                value.floats.push_back(memory.elements[i].f);
            else
                value.integers.push_back(memory.elements[i].i);
        }
        result.outputs.push_back(std::move(value));
    }
    return result;
}

std::string compareOutputs(const ComputeDag &dag, const std::vector<TensorValue> &got,
                           const std::vector<TensorValue> &expected) {
    for (size_t k = 0; k < expected.size(); ++k) {
        const Tolerance tolerance = toleranceFor(dag, k);
        for (size_t i = 0; i < expected[k].size(); ++i) {
            const bool floats = isFloat(expected[k].dtype);
            const double a = floats ? got[k].floats[i] : static_cast<double>(got[k].integers[i]);
            const double b = floats ? expected[k].floats[i] : static_cast<double>(expected[k].integers[i]);
            const bool same = floats
                                  ? std::abs(a - b) <= tolerance.absolute + tolerance.relative * std::abs(b) || a == b
                                  : got[k].integers[i] == expected[k].integers[i];
            if (!same && !(std::isnan(a) && std::isnan(b)))
                return "output " + std::to_string(k) + " is " + std::to_string(a) + " at element " + std::to_string(i) +
                       " where the reference is " + std::to_string(b);
        }
    }
    return {};
}

} // namespace loopscope
