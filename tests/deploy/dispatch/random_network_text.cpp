#include "random_network_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace loopscope {

namespace {

constexpr int64_t kOpen = 0; // an extent: n times `times` instead

struct Dim {
    int64_t extent = 1;
    int64_t times = 0;
    bool operator==(const Dim &) const = default;
    [[nodiscard]] bool open() const { return extent == kOpen; }
    [[nodiscard]] std::string text() const {
        if (!open()) return std::to_string(extent);
        return times == 1 ? std::string("n") : fmt::format("{}*n", times);
    }
};

using Dims = std::vector<Dim>;

struct Value {
    std::string name;
    Dims dims;
};

class NetworkText {
  public:
    explicit NetworkText(Random &random) : m_random(random) {}

    std::string run() {
        const uint64_t inputs = 1 + m_random.below(2);
        std::string parameters;
        for (uint64_t i = 0; i < inputs; ++i) {
            Dims dims;
            const uint64_t rank = 1 + m_random.below(4);
            const uint64_t open = m_random.below(rank);
            for (uint64_t d = 0; d < rank; ++d) dims.push_back(d == open ? Dim{kOpen, 1} : Dim{extent()});
            parameters += fmt::format("{}x{}: {}", i == 0 ? "" : ", ", i, type(dims));
            m_values.push_back({fmt::format("x{}", i), dims});
        }
        for (const Value &input : std::vector<Value>(m_values)) add("tanh", input.name, input.dims); // all are read
        for (uint64_t left = 1 + m_random.below(7); left > 0; --left) grow();
        std::string results;
        for (size_t i = m_values.size() - std::min<size_t>(m_values.size(), 2); i < m_values.size(); ++i)
            results += (results.empty() ? "" : ", ") + m_values[i].name;
        return fmt::format("network drawn\nfunc main({}) {{\n{}  return {}\n}}", parameters, m_body, results);
    }

  private:
    int64_t extent() {
        constexpr int64_t kExtents[] = {1, 1, 2, 2, 3, 4, 5, 8};
        return kExtents[m_random.below(std::size(kExtents))];
    }
    template <typename T> const T &pick(const std::vector<T> &from) { return from[m_random.below(from.size())]; }
    static std::string type(const Dims &dims) {
        std::string inside;
        for (const Dim &dim : dims) inside += (inside.empty() ? "" : ", ") + dim.text();
        return fmt::format("float32[{}]", inside);
    }
    static std::string list(const std::vector<int64_t> &numbers) {
        return fmt::format("[{}]", fmt::join(numbers, ", "));
    }
    void add(const std::string &op, const std::string &arguments, const Dims &dims) {
        const std::string name = fmt::format("v{}", m_values.size());
        m_body += fmt::format("  {} = {}({})\n", name, op, arguments);
        m_values.push_back({name, dims});
    }
    std::string weights(const std::vector<int64_t> &dims) {
        const std::string name = fmt::format("w{}", m_weights++);
        m_body += fmt::format("  {} = constant float32{} random normal(deviation = 0.4)\n", name, list(dims));
        return name;
    }
    std::vector<size_t> axesOf(const Dims &dims, bool open) {
        std::vector<size_t> found;
        for (size_t d = 0; d < dims.size(); ++d)
            if (dims[d].open() == open) found.push_back(d);
        return found;
    }
    const Value &recent() {
        return m_values[m_values.size() - 1 - m_random.below(std::min<size_t>(3, m_values.size()))];
    }

    void grow() {
        const Value from = recent();
        const Dims &dims = from.dims;
        std::vector<std::string> same;
        for (const Value &value : m_values)
            if (value.dims == dims) same.push_back(value.name);
        const std::vector<size_t> fixed = axesOf(dims, false);
        switch (m_random.below(14)) {
        case 0:
            add(pick<std::string>({"relu", "sigmoid", "tanh", "neg", "abs"}), from.name, dims);
            return;
        case 1:
            add(pick<std::string>({"add", "sub", "mul", "maximum", "minimum"}), from.name + ", " + pick(same), dims);
            return;
        case 2: {
            std::vector<int64_t> kept;
            for (const Dim &dim : dims) kept.push_back(dim.open() || m_random.below(2) == 0 ? 1 : dim.extent);
            const std::string other = weights(kept);
            add(pick<std::string>({"add", "mul", "sub"}),
                m_random.below(2) == 0 ? from.name + ", " + other : other + ", " + from.name, dims);
            return;
        }
        case 3:
            add("softmax", fmt::format("{}, axis = {}", from.name, m_random.below(dims.size())), dims);
            return;
        case 4:
            if (dims.size() >= 2 && !dims.back().open()) {
                const std::string scale = weights({dims.back().extent});
                add("layer_norm", fmt::format("{}, {}, {}", from.name, scale, weights({dims.back().extent})), dims);
            }
            return;
        case 5:
        case 6: {
            const size_t axis = m_random.below(dims.size());
            Dims result = dims;
            const bool keep = dims.size() == 1 || m_random.below(2) == 0;
            if (keep)
                result[axis] = Dim{1};
            else
                result.erase(result.begin() + static_cast<ptrdiff_t>(axis));
            add(pick<std::string>({"reduce_sum", "reduce_mean", "reduce_max", "reduce_min"}),
                fmt::format("{}, axes = [{}], keep_dims = {}", from.name, axis, keep ? 1 : 0), result);
            return;
        }
        case 7: {
            std::vector<int64_t> order;
            for (size_t d = 0; d < dims.size(); ++d)
                order.insert(order.begin() + static_cast<ptrdiff_t>(m_random.below(order.size() + 1)),
                             static_cast<int64_t>(d));
            Dims result;
            for (const int64_t axis : order) result.push_back(dims[static_cast<size_t>(axis)]);
            add("transpose", fmt::format("{}, permutation = {}", from.name, list(order)), result);
            return;
        }
        case 8: {
            const size_t axis = m_random.below(dims.size());
            Dims result = dims;
            if (dims[axis].open())
                result[axis].times *= 2;
            else
                result[axis].extent *= 2;
            if (result[axis].times <= 4)
                add("concat", fmt::format("{}, {}, axis = {}", from.name, pick(same), axis), result);
            return;
        }
        case 9:
            if (dims.size() >= 2 && !dims.back().open()) {
                const int64_t columns = extent();
                Dims result = dims;
                result.back() = Dim{columns};
                add("matmul", from.name + ", " + weights({dims.back().extent, columns}), result);
            }
            return;
        case 10: // scores of all with all
            if (dims.size() == 2 && dims[0].open() && !dims[1].open()) {
                add("transpose", from.name + ", permutation = [1, 0]", {dims[1], dims[0]});
                add("matmul", from.name + ", " + std::string(m_values.back().name), {dims[0], dims[0]});
            }
            return;
        case 11:
            if (!fixed.empty()) {
                const size_t axis = pick(fixed);
                Dims result = dims;
                const auto begin = static_cast<int64_t>(m_random.below(static_cast<uint64_t>(dims[axis].extent)));
                result[axis].extent -= begin;
                add("slice", fmt::format("{}, [{}], [{}], [{}]", from.name, begin, dims[axis].extent, axis), result);
            }
            return;
        case 12:
            if (dims.size() < 4) {
                const size_t axis = m_random.below(dims.size() + 1);
                Dims result = dims;
                result.insert(result.begin() + static_cast<ptrdiff_t>(axis), Dim{1});
                add("unsqueeze", fmt::format("{}, axes = [{}]", from.name, axis), result);
            }
            return;
        default:
            if (dims.size() >= 3 && axesOf(dims, true) == std::vector<size_t>{0})
                add("reshape", from.name + ", [0, -1]", {dims[0], Dim{product(dims)}});
            return;
        }
    }
    static int64_t product(const Dims &dims) {
        int64_t result = 1;
        for (size_t d = 1; d < dims.size(); ++d) result *= dims[d].extent;
        return result;
    }

    Random &m_random;
    std::string m_body;
    std::vector<Value> m_values;
    int m_weights = 0;
};

} // namespace

std::string randomNetworkText(Random &random) { return NetworkText(random).run(); }

} // namespace loopscope
