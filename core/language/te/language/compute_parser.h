#pragma once
// The right-hand side of a compute: its axes, its value or tuple of values, its reduction.
//
//   sum(k < K; x[i, k])                                     also prod, min, max
//   sum(k < K where k <= i; x[i, k])                        only where the condition holds
//   reduce(k < K; (i1, v1), (i2, v2) -> (select(v1 >= v2, i1, i2), max(v1, v2)); from (-1, lowest(float32)); (k, x[k]))
//                                                           any other: how two partial results combine, from what
//                                                           identity
//   sum(k < K at b = index[k]; x[k])                        each term at a place of axis b (language/te/scatter.h)
//   scan(i; from x[i]; s[i - 1] + x[i])                     of s itself: its first elements, then each from those
//   before
//                                                           it (language/te/scan.h)

#include "language/te/language/expr_parser.h"
#include "language/te/scan.h"
#include "language/te/scatter.h"

#include <optional>

namespace loopscope {

struct ComputeBody {
    std::vector<Expr> values; // one per output
    std::optional<Reduction> reduction;
    std::vector<ScatterPlace> places; // of the reduction's terms
    std::optional<ScanDraft> scan;    // the values are its steps
    std::vector<Expr> start;          // of the scan
};

/// The compute a body belongs to, as far as it has been read.
struct ComputeHead {
    std::string handle; // what the text calls it
    std::string name;
    const std::vector<Axis> &axes;
};

class ComputeParser {
  public:
    ComputeParser(TokenCursor &cursor, Names &names, ExprParser &expressions)
        : m_cursor(cursor), m_names(names), m_expressions(expressions) {}

    /// `n < N, -3 <= y < H` up to (not including) the closing symbol; pushes the variables. `owner` names the op in
    /// errors.
    std::vector<Axis> parseAxes(std::string_view closing, const std::string &owner);
    ComputeBody parseBody(const ComputeHead &head);

    /// Refuses axes whose tensor or whose loop nest would be too large.
    void checkSizes(const Token &place, const std::string &owner, const std::vector<Axis> &axes,
                    const std::optional<Reduction> &reduction) const;

  private:
    [[nodiscard]] bool startsWithOrigin(std::string_view closing) const;
    int64_t parseOrigin();
    std::vector<TypedExpr> parseTuple();
    std::vector<std::string> parseVariables();
    ComputeBody parseReduction(const ComputeHead &head);
    std::vector<ScatterPlace> parsePlaces(const ComputeHead &head);
    ScatterPlace parsePlace(const ComputeHead &head, const std::vector<ScatterPlace> &before);
    void checkSource(const Token &place, const ComputeHead &head, const ComputeBody &body) const;
    ComputeBody parseScan(const ComputeHead &head);
    size_t parseScanAxis(const ComputeHead &head);
    Combiner parseCombiner(const std::vector<Expr> &sources);

    TokenCursor &m_cursor;
    Names &m_names;
    ExprParser &m_expressions;
};

constexpr int64_t kMaxExtent = (int64_t{1} << 31) - 1;
constexpr int64_t kMaxElements = int64_t{1} << 40;
constexpr int64_t kMaxIterations = int64_t{1} << 53; // still exact in a double

/// Refuses an extent below 1 or above kMaxExtent; `what` begins the sentence.
std::string extentComplaint(const std::string &what, int64_t extent);
/// Product, or nothing when it is above `limit`.
std::optional<int64_t> boundedProduct(const std::vector<int64_t> &extents, int64_t limit);

} // namespace loopscope
