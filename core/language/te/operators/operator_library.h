#pragma once
// Operators by name: what `conv = conv2d_nchw(data, kernel, stride = 2)` builds. One file per family; each family hands
// in a table of OperatorSpec rows, and operator_library.cpp joins the tables. Names of ops and axes are those that
// Ansor's users know (TVM's operator library, or with `style = "benchmark"` its benchmark workloads), because the task
// key depends on them.

#include "language/te/op.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace loopscope {

enum class ArgKind : uint8_t {
    Tensor,
    Tensors, // list of tensors
    Int,
    Ints, // list of integers; one integer counts as a list of one
    Number,
    Text,
};

using ArgValue = std::variant<std::monostate, const Tensor *, std::vector<const Tensor *>, int64_t,
                              std::vector<int64_t>, double, std::string>;

struct OperatorArg {
    std::string name;
    ArgKind kind = ArgKind::Int;
    ArgValue fallback;     // nothing: must be given, unless optional
    bool optional = false; // may be left out without a fallback
};

class OperatorCall;

struct OperatorSpec {
    std::string name;
    std::string doc; // one line
    std::vector<OperatorArg> args;
    /// Adds the ops to the call and returns the result; throws Error (without a place) for shapes that do not fit.
    const Tensor *(*build)(OperatorCall &call) = nullptr;
};

/// The arguments of one call, bound to their names, and the ops it has built.
class OperatorCall {
  public:
    OperatorCall(const OperatorSpec &spec, std::vector<ArgValue> values, std::string resultName)
        : m_spec(spec), m_values(std::move(values)), m_resultName(std::move(resultName)) {}

    [[nodiscard]] bool has(std::string_view name) const { return value(name).index() != 0; }
    [[nodiscard]] const Tensor &tensor(std::string_view name) const;
    [[nodiscard]] const std::vector<const Tensor *> &tensors(std::string_view name) const;
    [[nodiscard]] int64_t integer(std::string_view name) const;
    /// At least 1, for strides, groups and sizes.
    [[nodiscard]] int64_t positive(std::string_view name) const;
    [[nodiscard]] std::vector<int64_t> integers(std::string_view name) const;
    /// `count` integers >= `least`; one given integer stands for all.
    [[nodiscard]] std::vector<int64_t> perDimension(std::string_view name, size_t count, int64_t least) const;
    /// Padding {before..., after...} of `count` dimensions from one integer, `count` integers, or twice as many.
    [[nodiscard]] std::vector<int64_t> padding(std::string_view name, size_t count) const;
    [[nodiscard]] double number(std::string_view name) const;
    /// One of the allowed words.
    [[nodiscard]] const std::string &text(std::string_view name, std::span<const std::string_view> allowed) const;
    /// Whether `style` names the benchmark workloads' op names rather than the operator library's.
    [[nodiscard]] bool benchmarkStyle() const;

    /// The name for the final op: the one the caller asked for, or the given one.
    [[nodiscard]] std::string resultName(std::string_view usual) const {
        return m_resultName.empty() ? std::string(usual) : m_resultName;
    }
    const Tensor &addOp(OpPtr op) {
        ops.push_back(std::move(op));
        return ops.back()->output();
    }
    [[noreturn]] void refuse(const std::string &sentence) const;
    void require(bool condition, const std::string &sentence) const {
        if (!condition) refuse(sentence);
    }
    /// Refuses a tensor that does not have the rank.
    void requireRank(std::string_view name, size_t rank, std::string_view layout) const;

    std::vector<OpPtr> ops;

  private:
    [[nodiscard]] const ArgValue &value(std::string_view name) const;
    const OperatorSpec &m_spec;
    std::vector<ArgValue> m_values;
    std::string m_resultName;
};

/// All operators, by name.
const std::vector<const OperatorSpec *> &operatorTable();
const OperatorSpec *findOperatorSpec(std::string_view name);
std::vector<std::string> operatorNames();
/// `conv2d_nchw(data, kernel, stride = 1, pad = 0)`
std::string signatureText(const OperatorSpec &spec);

using NamedArgs = std::vector<std::pair<std::string, ArgValue>>;

/// Binds the arguments, builds, and appends the ops to `ops`; the result is an output of one of them. Throws Error.
const Tensor &callOperator(std::vector<OpPtr> &ops, const OperatorSpec &spec, const std::vector<ArgValue> &positional,
                           const NamedArgs &named = {}, const std::string &resultName = {});
const Tensor &callOperator(std::vector<OpPtr> &ops, std::string_view name, const std::vector<ArgValue> &positional,
                           const NamedArgs &named = {}, const std::string &resultName = {});

} // namespace loopscope
