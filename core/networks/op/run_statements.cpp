#include "networks/op/run_statements.h"

#include "networks/graph/statement.h"
#include "networks/op/suppression.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace loopscope {

namespace {

using Results = Outcome<std::vector<WideTensor>>;

std::string wideText(const WideTensor &tensor) { return typeText({tensor.dtype, asDims(tensor.dims)}); }

/// The one element of a condition or a number of trips; a tensor of another size has been handed in otherwise.
Outcome<int64_t> onlyElement(const Node &node, const WideTensor &tensor, DType dtype, std::string_view what) {
    if (tensor.dtype != dtype || tensor.integers.size() != 1)
        return Refusal{
            fmt::format("{}: {} is {}, it has to be one {}", nodeText(node), what, wideText(tensor), dtypeName(dtype))};
    return tensor.integers[0];
}

std::vector<WideTensor> copies(std::span<const WideTensor *const> inputs) {
    std::vector<WideTensor> tensors;
    for (const WideTensor *input : inputs) tensors.push_back(*input);
    return tensors;
}

std::string tripsText(int64_t trips) {
    return fmt::format("more than {} trips and calls are run in all; the reference stops there, since a loop may have "
                       "no end",
                       trips);
}

Results runNamed(const Node &node, std::string_view attribute, std::vector<WideTensor> inputs, StatementRun &run) {
    const FunctionPtr function = run.module.find(regionName(node, attribute));
    auto results = run.run(*function, std::move(inputs));
    if (results) return results;
    return Refusal{fmt::format("{}: in function `{}`: {}", nodeText(node), function->name(), results.why())};
}

/// The pieces of one scanned output, along a new first axis.
class ScannedOutput {
  public:
    /// False when the piece is of another size than those before it.
    bool add(const WideTensor &piece) {
        if (m_count == 0) m_all = {piece.dtype, piece.dims, {}, {}};
        if (m_all.dtype != piece.dtype || m_all.dims != piece.dims) return false;
        m_all.floats.insert(m_all.floats.end(), piece.floats.begin(), piece.floats.end());
        m_all.integers.insert(m_all.integers.end(), piece.integers.begin(), piece.integers.end());
        ++m_count;
        return true;
    }
    [[nodiscard]] size_t size() const { return m_all.size(); }
    [[nodiscard]] std::string pieceText() const { return wideText(m_all); }
    WideTensor finish() && {
        m_all.dims.insert(m_all.dims.begin(), m_count);
        return std::move(m_all);
    }

  private:
    WideTensor m_all;
    int64_t m_count = 0;
};

/// Of a scanned output of no trip: dims that nothing tells are 0, there is no element anyway.
Outcome<WideTensor> noPieces(const Node &node, const GraphFunction &body, ValueId result, std::string_view output) {
    const auto &type = body.value(result).type;
    if (!type)
        return Refusal{
            fmt::format("{}: no trip is run, and the type of output `{}` is not inferred", nodeText(node), output)};
    std::vector<int64_t> dims = {0};
    for (const Dim &dim : type->dims) dims.push_back(dim.isConstant() ? dim.value() : 0);
    return WideTensor::zeros(type->dtype, std::move(dims));
}

class LoopRun {
  public:
    LoopRun(const GraphFunction &function, const Node &node, StatementRun &run)
        : m_function(function), m_node(node), m_run(run), m_body(*run.module.find(regionName(node, "body"))),
          m_carriedCount(*carriedCount(node)), m_scanned(node.outputs.size() - m_carriedCount) {}

    Results run(std::span<const WideTensor *const> inputs) {
        int64_t trips = std::numeric_limits<int64_t>::max();
        if (inputs[0]) {
            const auto given = onlyElement(m_node, *inputs[0], DType::Int64, "the number of trips");
            if (!given) return given.refusal();
            trips = *given;
        }
        if (inputs[1]) {
            const auto given = onlyElement(m_node, *inputs[1], DType::Bool, "the condition");
            if (!given) return given.refusal();
            m_goesOn = *given != 0;
        }
        m_carried = copies(inputs.subspan(2, m_carriedCount));
        const auto read = inputs.subspan(2 + m_carriedCount);
        int64_t trip = 0;
        for (; trip < trips && m_goesOn; ++trip) {
            if (m_run.tripsLeft-- <= 0)
                return Refusal{fmt::format("{}: trip {}: {}", nodeText(m_node), trip, tripsText(m_run.maxTrips))};
            if (auto wrong = once(trip, read))
                return Refusal{
                    fmt::format("{}: in trip {} of `{}`: {}", nodeText(m_node), trip, m_body.name(), *wrong)};
        }
        return finish(trip);
    }

  private:
    /// As the body wants it, with or without an axis.
    [[nodiscard]] WideTensor single(size_t parameter, DType dtype, int64_t value) const {
        const auto &type = m_body.value(m_body.parameters()[parameter]).type;
        return {dtype, std::vector<int64_t>(type ? type->dims.size() : 0, 1), {}, {value}};
    }

    std::optional<std::string> once(int64_t trip, std::span<const WideTensor *const> read) {
        std::vector<WideTensor> arguments = {single(0, DType::Int64, trip), single(1, DType::Bool, 1)};
        for (WideTensor &tensor : m_carried) arguments.push_back(std::move(tensor));
        for (const WideTensor *tensor : read) arguments.push_back(*tensor);
        auto results = m_run.run(m_body, std::move(arguments));
        if (!results) return results.why();
        const auto goesOn = onlyElement(m_node, (*results)[0], DType::Bool, "the condition for the next trip");
        if (!goesOn) return goesOn.why();
        m_goesOn = *goesOn != 0;
        for (size_t i = 0; i < m_carriedCount; ++i) m_carried[i] = std::move((*results)[1 + i]);
        for (size_t i = 0; i < m_scanned.size(); ++i) {
            const WideTensor &piece = (*results)[1 + m_carriedCount + i];
            const std::string &name = m_function.value(m_node.outputs[m_carriedCount + i]).name;
            if (m_scanned[i].size() + piece.size() > static_cast<size_t>(m_run.maxElements))
                return fmt::format("output `{}` has more than {} elements", name, m_run.maxElements);
            if (!m_scanned[i].add(piece))
                return fmt::format("the piece of output `{}` is {}, those before it are {}", name, wideText(piece),
                                   m_scanned[i].pieceText());
        }
        return std::nullopt;
    }

    Results finish(int64_t trips) {
        std::vector<WideTensor> outputs = std::move(m_carried);
        for (size_t i = 0; i < m_scanned.size(); ++i) {
            if (trips > 0) {
                outputs.push_back(std::move(m_scanned[i]).finish());
                continue;
            }
            auto none = noPieces(m_node, m_body, m_body.results()[1 + m_carriedCount + i],
                                 m_function.value(m_node.outputs[m_carriedCount + i]).name);
            if (!none) return none.refusal();
            outputs.push_back(*std::move(none));
        }
        return outputs;
    }

    const GraphFunction &m_function;
    const Node &m_node;
    StatementRun &m_run;
    const GraphFunction &m_body;
    size_t m_carriedCount;
    std::vector<WideTensor> m_carried;
    std::vector<ScannedOutput> m_scanned;
    bool m_goesOn = true;
};

Results runIf(const Node &node, std::span<const WideTensor *const> inputs, StatementRun &run) {
    const auto condition = onlyElement(node, *inputs[0], DType::Bool, "the condition");
    if (!condition) return condition.refusal();
    return runNamed(node, *condition != 0 ? "then" : "else", copies(inputs.subspan(1)), run);
}

Results runMatch(const GraphFunction &function, const Node &node, const WideTensor &given, SymbolNumbers &symbols) {
    const TensorType &pattern = *function.value(node.outputs[0]).type;
    const std::string &name = function.value(node.inputs[0]).name;
    if (pattern.dtype != given.dtype || pattern.dims.size() != given.dims.size())
        return Refusal{
            fmt::format("{}: `{}` is {}, it has to be {}", nodeText(node), name, wideText(given), typeText(pattern))};
    if (const auto wrong = matchDims(pattern.dims, given.dims, symbols))
        return Refusal{fmt::format("{}: `{}` is {}: {}", nodeText(node), name, wideText(given), wrong->sentence)};
    return std::vector<WideTensor>{given};
}

/// Ascending, NaN at the end and once; of the two zeros the negative one.
Results runUnique(const WideTensor &given) {
    WideTensor found = {given.dtype, {}, given.floats, given.integers};
    const auto less = [](double a, double b) {
        if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
        return a < b || (a == b && std::signbit(a) && !std::signbit(b));
    };
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    std::sort(found.floats.begin(), found.floats.end(), less);
    found.floats.erase(std::unique(found.floats.begin(), found.floats.end(), same), found.floats.end());
    std::sort(found.integers.begin(), found.integers.end());
    found.integers.erase(std::unique(found.integers.begin(), found.integers.end()), found.integers.end());
    found.dims = {static_cast<int64_t>(found.size())};
    return std::vector<WideTensor>{std::move(found)};
}

} // namespace

Outcome<std::vector<WideTensor>> runStatement(const GraphFunction &function, const Node &node,
                                              std::span<const WideTensor *const> inputs, StatementRun &run) {
    const StatementKind kind = *statementKind(node);
    if (kind == StatementKind::Match) return runMatch(function, node, *inputs[0], run.symbols);
    if (kind == StatementKind::Unique) return runUnique(*inputs[0]);
    if (kind == StatementKind::Suppression) return suppressOverlaps(node, inputs);
    if (kind == StatementKind::Packed) return callPacked(function, node, inputs, run.symbols, run.packed);
    if (kind == StatementKind::Loop) return LoopRun(function, node, run).run(inputs);
    if (run.tripsLeft-- <= 0) return Refusal{fmt::format("{}: {}", nodeText(node), tripsText(run.maxTrips))};
    if (kind == StatementKind::If) return runIf(node, inputs, run);
    return runNamed(node, "function", copies(inputs), run);
}

} // namespace loopscope
