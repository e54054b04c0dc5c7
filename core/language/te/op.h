#pragma once
// What to compute: placeholders and computes, with the reductions they carry. An Op is immutable once built and shared;
// its expressions live in an arena that the ComputeDag (or Workload) built from it keeps alive.
//
// All extents are compile-time constants (int64, >= 1); every axis counts from 0.

#include "language/expr/expr.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace loopscope {

struct Op;

/// One output of an op. Loads refer to it by address, so tensors never move once their op is built.
struct Tensor : TensorSymbol {
    const Op *op = nullptr;
    int outputIndex = 0;
};

inline const Tensor &asTensor(const TensorSymbol *symbol) { return static_cast<const Tensor &>(*symbol); }

struct Axis {
    Expr var; // its name is the axis name
    int64_t extent = 1;
    int64_t origin =
        0; // what the workload's text calls the first one (language/te/axis_origins.h); the variable counts from 0
    [[nodiscard]] std::string_view name() const { return var->name(); }
};

/// A commutative reduction over tuples: combine(left..., right...) -> result..., with its identity.
/// Plain sum/prod/min/max are the one-element tuples `x + y`, `x*y`, `min(x, y)`, `max(x, y)`.
struct Combiner {
    std::vector<Expr> left;  // variables, one per output
    std::vector<Expr> right; // variables, one per output
    std::vector<Expr> result;
    std::vector<Expr> identity;
};

enum class ReduceKind : uint8_t { Sum, Prod, Min, Max, Other };
ReduceKind reduceKind(const Combiner &combiner);

struct Reduction {
    Combiner combiner;
    std::vector<Axis> axes;
    Expr condition; // DType::Bool; null = always
};

using AttrValue = std::variant<int64_t, std::string, std::vector<std::string>>;
using Attrs = std::map<std::string, AttrValue>;

enum class OpKind : uint8_t { Placeholder, Compute };

struct Op {
    OpKind kind = OpKind::Placeholder;
    std::string name;
    std::string tag;
    Attrs attrs; // Ansor's names: auto_scheduler_*, layout_free_placeholders, FLOP, const_matrix, ...
    std::vector<Axis> axes;
    std::optional<Reduction> reduction;
    /// One expression per output: the value, or for a reduction its source.
    std::vector<Expr> body;
    std::vector<std::unique_ptr<Tensor>> outputs;

    [[nodiscard]] bool isPlaceholder() const { return kind == OpKind::Placeholder; }
    [[nodiscard]] const Tensor &output(size_t k = 0) const { return *outputs[k]; }
    [[nodiscard]] const std::vector<int64_t> &shape() const { return outputs[0]->shape; }
    /// Number of reduce axes (0 without a reduction).
    [[nodiscard]] size_t reduceRank() const { return reduction ? reduction->axes.size() : 0; }
};

using OpPtr = std::shared_ptr<const Op>;

// --- Building (in the current arena) --------------------------------------------------------------------------------

OpPtr makePlaceholder(std::string name, std::vector<int64_t> shape, DType dtype = DType::Float32);
/// Output dtypes are those of `body` (for a reduction: of its sources).
OpPtr makeCompute(std::string name, std::vector<Axis> axes, std::vector<Expr> body,
                  std::optional<Reduction> reduction = std::nullopt, Attrs attrs = {}, std::string tag = {});
/// Sum/Prod/Min/Max over one value of the given type; identity 0, 1, +max (inf), lowest (-inf).
Combiner makeCombiner(ReduceKind kind, DType type);

/// A name unique among tensors prints as NAME, output k of a multi-output op as NAME.vK.
std::string tensorText(const Tensor &tensor);

/// Distinct producers in Ansor's input order: first occurrence in a post-order walk of the bodies; for a
/// reduction: sources, init, condition.
std::vector<const Tensor *> inputTensors(const Op &op);

} // namespace loopscope
