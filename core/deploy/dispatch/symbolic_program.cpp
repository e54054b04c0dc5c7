#include "deploy/dispatch/symbolic_program.h"

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/simplify_program.h"
#include "deploy/dispatch/program_aligner.h"
#include "language/expr/half.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace loopscope {

namespace {

/// Numbers that differ become variables.
class ProgramMerger : public ProgramAligner {
  public:
    ProgramMerger(SymbolicProgram &out, std::span<const int64_t> sizes)
        : ProgramAligner(pointers(out.samples)), m_out(out), m_sizes(sizes) {}

    std::string merge() { return align(m_out.program) ? std::string() : why(); }

  protected:
    Expr number(std::span<const int64_t> values, DType type) override {
        const auto form = formThrough(m_sizes, values);
        if (!form) {
            fail(fmt::format("a number is {} at sizes {}: no simple function of the size", listed(values),
                             listed(m_sizes)));
            return {};
        }
        return named(*form, type, false);
    }

    /// Whole numbers, or one over them.
    Expr number(std::span<const double> values, DType type) override {
        for (const bool reciprocal : {false, true}) {
            std::vector<int64_t> counts;
            for (const double value : values) {
                constexpr double most = 9007199254740992.0;
                const double count = std::nearbyint(reciprocal ? 1 / value : value);
                const bool exact = std::fabs(count) <= most && count != 0 &&
                                   roundToType(reciprocal ? 1 / count : count, type) == value;
                if (exact) counts.push_back(static_cast<int64_t>(count));
            }
            const auto form = counts.size() == values.size() ? formThrough(m_sizes, counts) : std::nullopt;
            if (form) return named(*form, type, reciprocal);
        }
        std::string text;
        for (const double value : values) text += fmt::format("{}{}", text.empty() ? "" : ", ", value);
        fail(fmt::format("a number is {} at sizes {}: no simple function of the size", text, listed(m_sizes)));
        return {};
    }

    bool dims(Buffer &joined, std::span<const Buffer *const> buffers) override {
        SymbolicProgram::Dims forms;
        const auto through = [&](std::vector<SizeForm> &into, const std::vector<int64_t> &(*of)(const Buffer &)) {
            for (size_t d = 0; d < of(*buffers[0]).size(); ++d) {
                std::vector<int64_t> values;
                for (const Buffer *one : buffers) values.push_back(of(*one)[d]);
                const auto form = formThrough(m_sizes, values);
                if (!form)
                    return fail(fmt::format("dim {} of {} is {} at sizes {}: no simple function of the size", d,
                                            joined.name, listed(values), listed(m_sizes)));
                into.push_back(*form);
            }
            return true;
        };
        if (!through(forms.shape, [](const Buffer &b) -> const std::vector<int64_t> & { return b.shape; }) ||
            !through(forms.strides, [](const Buffer &b) -> const std::vector<int64_t> & { return b.strides; }))
            return false;
        m_out.dims.emplace(&joined, std::move(forms));
        return true;
    }

    bool kind(std::span<const Stmt> loops, LoopKind &out) override {
        for (const Stmt loop : loops) {
            const bool threads = loop->loop == LoopKind::Parallel || out == LoopKind::Parallel;
            if (loop->loop == out) continue;
            if (!threads || (loop->loop != LoopKind::Serial && out != LoopKind::Serial))
                return fail(fmt::format("the loop {} is of another kind", loop->var->name()));
            out = LoopKind::Parallel; // where there is enough to do; a small size has fewer turns
        }
        return true;
    }

  private:
    Expr named(const SizeForm &form, DType type, bool reciprocal) {
        for (const SymbolicNumber &known : m_out.numbers)
            if (known.form == form && known.variable->dtype == type && known.reciprocal == reciprocal)
                return known.variable;
        m_out.numbers.push_back(
            {makeVar(fmt::format("{}_{}", m_out.symbol, m_out.numbers.size()), type), form, false, reciprocal});
        return m_out.numbers.back().variable;
    }
    static std::vector<const LoopProgram *> pointers(const std::vector<LoopProgram> &programs) {
        std::vector<const LoopProgram *> all;
        for (const LoopProgram &one : programs) all.push_back(&one);
        return all;
    }
    static std::string listed(std::span<const int64_t> values) {
        std::string text;
        for (const int64_t value : values) text += fmt::format("{}{}", text.empty() ? "" : ", ", value);
        return text;
    }

    SymbolicProgram &m_out;
    std::span<const int64_t> m_sizes;
};

/// Two programs with the same numbers.
class ProgramComparison : public ProgramAligner {
  public:
    /// `dims` of the first at that size.
    ProgramComparison(const LoopProgram &a, const LoopProgram &b, const SymbolicProgram &symbolic, int64_t size)
        : ProgramAligner({&a, &b}), m_symbolic(symbolic), m_size(size) {}

    std::string difference() {
        LoopProgram joined;
        return align(joined) ? std::string() : why();
    }

  protected:
    Expr number(std::span<const int64_t> values, DType) override {
        fail(fmt::format("a number is {} there and not {}", values[1], values[0]));
        return {};
    }
    Expr number(std::span<const double> values, DType) override {
        fail(fmt::format("a number is {} there and not {}", values[1], values[0]));
        return {};
    }
    bool dims(Buffer &joined, std::span<const Buffer *const> buffers) override {
        const SymbolicProgram::Dims &forms = m_symbolic.dims.at(buffers[0]);
        for (size_t d = 0; d < forms.strides.size(); ++d) {
            const int64_t extent = buffers[1]->shape[d];
            if (forms.shape[d].at(m_size) < extent ||
                (extent > 1 && forms.strides[d].at(m_size) != buffers[1]->strides[d]))
                return fail(fmt::format("{} lies otherwise in memory", joined.name));
        }
        return true;
    }
    bool kind(std::span<const Stmt>, LoopKind &out) override {
        out = LoopKind::Serial;
        return true;
    }

  private:
    const SymbolicProgram &m_symbolic;
    int64_t m_size;
};

Stmt simplified(Stmt root) {
    ProgramSimplifier simplifier;
    return simplifier.visit(root);
}

} // namespace

Expr SymbolicNumber::at(int64_t size) const {
    const int64_t value = form.at(size);
    if (!isFloat(variable->dtype)) return makeInt(value, variable->dtype);
    return makeFloat(reciprocal ? 1 / static_cast<double>(value) : static_cast<double>(value), variable->dtype);
}

std::string SymbolicProgram::text() const {
    std::string text;
    if (tile > 1) text += fmt::format("{}' = {}*ceil({} / {})\n", symbol, tile, symbol, tile);
    for (const SymbolicNumber &number : numbers) {
        const std::string form = number.form.text(number.padded ? symbol + "'" : symbol);
        text +=
            fmt::format("{} = {}\n", number.variable->name(), number.reciprocal ? fmt::format("1 / ({})", form) : form);
    }
    return text + printProgram(program);
}

Outcome<SymbolicProgramPtr> mergedProgram(std::vector<LoopProgram> programs, const std::vector<int64_t> &sizes,
                                          const std::string &symbol) {
    auto merged = std::make_shared<SymbolicProgram>();
    merged->symbol = symbol;
    merged->samples = std::move(programs);
    merged->program.arena = std::make_shared<ExprArena>();
    const ArenaScope scope(merged->program.arena);
    if (std::string why = ProgramMerger(*merged, sizes).merge(); !why.empty()) return Refusal{std::move(why)};
    numberNodes(merged->program);
    return SymbolicProgramPtr(std::move(merged));
}

std::string differenceAt(const SymbolicProgram &symbolic, int64_t size, const LoopProgram &fixed) {
    const auto arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    Substitution numbers;
    for (const SymbolicNumber &number : symbolic.numbers) numbers.emplace_back(number.variable.node(), number.at(size));
    LoopProgram there;
    there.args = symbolic.program.args;
    there.root = simplified(substituteStmt(symbolic.program.root, numbers));
    LoopProgram here;
    here.args = fixed.args;
    here.root = simplified(fixed.root);
    if (!there.root || !here.root) return there.root || here.root ? "one of them does nothing" : "";
    return ProgramComparison(there, here, symbolic, size).difference();
}

} // namespace loopscope
