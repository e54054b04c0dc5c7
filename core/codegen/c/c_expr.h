#pragma once
// Expressions of a loop program as text of C, or of a language like it (c_dialect.h). Indices are computed in 64 bits,
// or in 32 where the dialect says so and they fit; float16 and bfloat16 are storage types whose values are floats;
// integers wrap.

#include "codegen/c/c_dialect.h"
#include "codegen/loop_ir/program.h"
#include "language/expr/interval.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

std::string_view cTypeName(DType type);    // of a value
std::string_view cStorageName(DType type); // of an element in memory

/// Without parentheses around all of it, which Clang takes for a mistyped assignment.
std::string bareCondition(const std::string &text);
/// `// B is packed: 4 of dimension 1 in steps of 16, then ...`
std::string packingComment(const ProgramArg &arg);

class CNames {
  public:
    explicit CNames(const CDialect &dialect = cDialect()) : m_dialect(dialect) {}

    /// An identifier made from `wanted`, not given out before.
    std::string unique(std::string_view wanted);
    /// The same, and no closed function takes it back.
    std::string uniqueInFile(std::string_view wanted);
    /// The name of something whose scope has ended.
    void giveBack(const std::string &name);
    /// Names given out from here to closeFunction may be given out again after it.
    void openFunction() { m_function.clear(); }
    void closeFunction();

  private:
    const CDialect &m_dialect;
    std::set<std::string> m_taken;
    std::set<std::string> m_function; // of the names taken, those of the function that is open
};

/// Where values are kept between two stores.
enum class CFloats : uint8_t {
    AsTyped, // float32 and narrower: float
    Wide,    // every float: double, sums in registers too; rounded to its type where it is stored in a tensor
};

class CExprWriter {
  public:
    explicit CExprWriter(CNames &names, CFloats floats = CFloats::AsTyped, const CDialect &dialect = cDialect())
        : m_names(names), m_floats(floats), m_dialect(dialect) {}

    std::string value(Expr e);
    /// `A[i*16 + j]` as it stands in memory.
    std::string element(const Buffer &buffer, std::span<const Expr> indices);
    /// What is stored for a value of the buffer's type.
    std::string stored(const Buffer &buffer, Expr e);

    /// Types of a value and of an element in memory, as this text has them.
    [[nodiscard]] std::string_view valueType(DType type) const;
    [[nodiscard]] std::string_view storageType(const Buffer &buffer) const;

    const std::string &nameOf(const Buffer &buffer);
    /// Declares a variable; loop variables with their range.
    const std::string &declare(Expr var, Interval range);
    [[nodiscard]] Interval rangeOf(Expr e) const { return intervalOf(e, m_ranges); }
    [[nodiscard]] VarRanges ranges() const { return m_ranges; }
    /// Of a loop variable with that range.
    [[nodiscard]] std::string_view indexType(Interval range) const;
    void forget() { m_ranges.pop_back(); }

    /// Definitions of the helper functions that were used, one a line.
    [[nodiscard]] std::vector<std::string> helpers() const;
    /// Lines of the constants that were read by index.
    [[nodiscard]] const std::vector<std::string> &tables() const { return m_tables; }

  private:
    std::string text(Expr e);
    std::string binary(Expr e);
    std::string division(Expr e);
    std::string call(Expr e);
    std::string cast(Expr e);
    [[nodiscard]] std::string literal(Expr e) const;
    /// The values of `e` before anything wraps; `narrow` becomes false when what is computed on the way needs 64 bits.
    Interval exactRange(Expr e, bool &narrow) const;
    [[nodiscard]] bool fitsNarrow(Expr e) const;
    [[nodiscard]] bool fitsNarrow(const Buffer &buffer, std::span<const Expr> indices) const;
    [[nodiscard]] std::string integerHelper(const std::string &name, DType type) const;
    /// A row of selects among constants as an element of a table; empty when it is none, or short.
    std::string tableElement(Expr e);
    [[nodiscard]] bool isDouble(DType type) const {
        return type == DType::Float64 || (m_floats == CFloats::Wide && isFloat(type));
    }
    [[nodiscard]] bool keptWide(const Buffer &buffer) const {
        return m_floats == CFloats::Wide && buffer.scope == MemoryScope::Register && isFloat(buffer.dtype);
    }
    std::string use(const std::string &helper);
    std::string helperCall(const std::string &helper, const std::string &a, const std::string &b);

    CNames &m_names;
    CFloats m_floats;
    const CDialect &m_dialect;
    bool m_wide = false; // 64 bits are needed where text is being written
    std::map<const TensorSymbol *, std::string> m_buffers;
    std::map<const ExprNode *, std::string> m_vars;
    std::vector<VarRange> m_ranges;
    std::set<std::string> m_used;
    std::map<std::string, std::string> m_tableNames; // by type, extents and elements
    std::vector<std::string> m_tables;
};

} // namespace loopscope
