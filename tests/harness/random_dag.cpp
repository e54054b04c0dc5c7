#include "harness/random_dag.h"

#include "harness/sample_dags.h"
#include "language/te/scan.h"
#include "language/te/scatter.h"

#include <array>

namespace loopscope {

namespace {

class DagDrawer {
  public:
    DagDrawer(Random &random, const RandomDagOptions &options)
        : m_random(random), m_maxWork(options.maxWork), m_maxOps(options.maxOps), m_hints(options.hints),
          m_ordered(options.ordered), m_shortExtents(options.shortExtents) {
        constexpr std::array<DType, 8> types = {DType::Float32, DType::Float32, DType::Float32, DType::Float64,
                                                DType::Int32,   DType::Int8,    DType::Float16, DType::BFloat16};
        constexpr std::array<DType, 5> narrow = {DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::UInt32};
        m_type = types[random.index(types.size())];
        if (m_type == DType::Int8) m_type = narrow[random.index(narrow.size())];
        // Narrow types lose too much in long chains for a comparison to tell much; half of them compute in float32.
        m_stored = m_type;
        if ((m_type == DType::Float16 || m_type == DType::BFloat16) && (m_hints || chance(0.5)))
            m_type = DType::Float32;
    }

    DagPtr run() {
        add(input(1 + below(3)));
        const int ops = 1 + below(m_maxOps);
        for (int i = 0; i < ops; ++i) step();
        std::vector<const Tensor *> outputs;
        for (size_t i = 0; i < m_tensors.size(); ++i)
            if (!m_read[i] && !m_tensors[i]->op->isPlaceholder()) outputs.push_back(m_tensors[i]);
        if (outputs.empty()) {
            unary(*m_tensors.back());
            outputs.push_back(m_tensors.back());
        }
        return m_builder.build(outputs, "random");
    }

  private:
    int below(int n) { return static_cast<int>(m_random.below(static_cast<uint64_t>(n))); }
    bool chance(double p) { return m_random.uniform() < p; }
    int64_t extent() {
        if (m_shortExtents && chance(0.67)) return 1 + below(2);
        constexpr std::array<int64_t, 12> extents = {1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 9};
        return extents[m_random.index(extents.size())];
    }
    std::string name() { return "t" + std::to_string(m_tensors.size()); }
    std::string axisName() { return "a" + std::to_string(m_axes++); }
    Axis newAxis(int64_t e) { return axis(axisName(), e); }

    void add(const Tensor &tensor) {
        m_tensors.push_back(&tensor);
        m_read.push_back(false);
    }
    Expr read(const Tensor &tensor, const std::vector<Expr> &indices) {
        for (size_t i = 0; i < m_tensors.size(); ++i)
            if (m_tensors[i] == &tensor) m_read[i] = true;
        const Expr value = makeLoad(tensor, indices);
        return tensor.dtype == m_type ? value : castTo(m_type, value);
    }

    const Tensor &input(int rank) {
        std::vector<int64_t> shape;
        for (int d = 0; d < rank; ++d) shape.push_back(extent());
        return m_builder.placeholder(name(), shape, m_stored);
    }
    const Tensor &inputOf(std::vector<int64_t> shape) {
        const Tensor &tensor = m_builder.placeholder(name(), std::move(shape), m_stored);
        add(tensor);
        return tensor;
    }
    const Tensor &any() { return *m_tensors[m_random.index(m_tensors.size())]; }

    std::vector<Axis> axesOf(const Tensor &tensor) {
        std::vector<Axis> result;
        for (const int64_t e : tensor.shape) result.push_back(newAxis(e));
        return result;
    }
    static std::vector<Expr> vars(const std::vector<Axis> &axes) {
        std::vector<Expr> result;
        for (const Axis &a : axes) result.push_back(a.var);
        return result;
    }
    static int64_t work(const std::vector<Axis> &axes) {
        int64_t product = 1;
        for (const Axis &a : axes) product *= a.extent;
        return product;
    }
    static Attrs layoutFree(const Tensor &weight) {
        return {{"layout_free_placeholders", std::vector<std::string>{weight.op->name}}};
    }
    /// `attrs` and, now and then, one that names some or all of the axes.
    Attrs hinted(const std::vector<Axis> &axes, const std::vector<Axis> &reduce = {}, Attrs attrs = {}) {
        if (!m_hints || !chance(0.3)) return attrs;
        constexpr std::array<const char *, 3> keys = {"auto_scheduler_no_split_at_inner",
                                                      "auto_scheduler_always_unroll_inner",
                                                      "auto_scheduler_simplify_const_tensor_indices"};
        const char *key = keys[m_random.index(keys.size())];
        const double share = chance(0.4) ? 1.0 : 0.5;
        std::vector<std::string> names;
        for (const Axis &a : axes)
            if (chance(share)) names.emplace_back(a.name());
        for (const Axis &a : reduce)
            if (chance(share) || key == keys[2]) names.emplace_back(a.name());
        attrs.emplace(key, std::move(names));
        if (key == keys[2] && chance(0.5)) attrs.emplace("vectors_inside_const_tensor_indices", int64_t{1});
        return attrs;
    }
    /// Another tensor of the shape wanted, -1 standing for any extent; null when there is none.
    const Tensor *another(const Tensor &than, const std::vector<int64_t> &shape) {
        std::vector<const Tensor *> found;
        for (const Tensor *tensor : m_tensors) {
            if (tensor == &than || tensor->shape.size() != shape.size()) continue;
            bool fits = true;
            for (size_t d = 0; d < shape.size(); ++d) fits = fits && (shape[d] < 0 || shape[d] == tensor->shape[d]);
            if (fits) found.push_back(tensor);
        }
        return found.empty() ? nullptr : found[m_random.index(found.size())];
    }
    Expr constant(int64_t value) {
        return isFloat(m_type) ? makeFloat(static_cast<double>(value) * 0.5, m_type) : makeInt(value, m_type);
    }

    void step() {
        const Tensor &a = any();
        if (m_ordered && chance(0.5)) return chance(0.5) ? scan(a) : scatter(a);
        const int kind = below(m_hints ? 15 : 12);
        if (!m_hints && kind == 11) return gather(a);
        switch (kind) {
        case 0:
            return unary(a);
        case 1:
            return broadcast(a);
        case 2:
            return transpose(a);
        case 3:
            return product(a);
        case 4:
        case 5:
            return window(a);
        case 6:
            return pad(a);
        case 7:
            return reduceLast(a);
        case 8:
            return argmax(a);
        case 9:
            return reshape(a);
        case 11:
        case 12:
            return residual(a);
        case 13:
        case 14:
            return productOfTwo(a);
        default:
            return normalize(a);
        }
    }

    void unary(const Tensor &a) {
        const std::vector<Axis> axes = axesOf(a);
        const Expr x = read(a, vars(axes));
        Expr value = x + constant(3);
        const int kind = below(5);
        if (kind == 0) value = maxOf(x, constant(0));
        if (kind == 1) value = x * constant(2);
        if (kind == 2 && isFloat(m_type)) value = callMath(Intrinsic::Tanh, x);
        if (kind == 3 && !axes.empty())
            value = select(fold(ExprKind::Lt, floorMod(axes[0].var, 3), makeInt(2)), x, constant(1));
        add(m_builder.compute(name(), axes, value, hinted(axes)));
    }

    void broadcast(const Tensor &a) {
        const std::vector<Axis> axes = axesOf(a);
        if (axes.empty()) return unary(a);
        const size_t d = m_random.index(axes.size());
        const Tensor &b = inputOf({axes[d].extent});
        const Expr x = read(a, vars(axes));
        const Expr y = read(b, {axes[d].var});
        add(m_builder.compute(name(), axes, chance(0.5) ? x + y : x * y));
    }

    void transpose(const Tensor &a) {
        const std::vector<Axis> original = axesOf(a);
        const std::vector<Axis> reversed(original.rbegin(), original.rend());
        add(m_builder.compute(name(), reversed, read(a, vars(original)) + constant(1)));
    }

    void product(const Tensor &a) {
        if (a.shape.empty()) return unary(a);
        std::vector<Axis> axes = axesOf(a);
        const Axis k = axes.back();
        axes.pop_back();
        const Axis j = newAxis(extent());
        if (work(axes) * j.extent * k.extent > m_maxWork) return unary(a);
        const bool transposed = chance(0.5);
        const Tensor &b = transposed ? inputOf({j.extent, k.extent}) : inputOf({k.extent, j.extent});
        std::vector<Expr> indices = vars(axes);
        indices.push_back(k.var);
        axes.push_back(j);
        const Expr other = transposed ? read(b, {j.var, k.var}) : read(b, {k.var, j.var});
        add(m_builder.reduce(name(), axes, ReduceKind::Sum, {k}, read(a, indices) * other,
                             hinted(axes, {k}, layoutFree(b))));
    }

    /// What was made before, added at the end: the same input reaches a stage on two ways.
    void residual(const Tensor &a) {
        const Tensor *b = another(a, a.shape);
        if (b == nullptr) return unary(a);
        const std::vector<Axis> axes = axesOf(a);
        const Expr x = read(a, vars(axes));
        add(m_builder.compute(name(), axes, x + read(*b, vars(axes)), hinted(axes)));
    }

    void productOfTwo(const Tensor &a) {
        if (a.shape.size() != 2) return product(a);
        const Tensor *b = another(a, {a.shape[1], -1});
        const int64_t columns = b == nullptr ? a.shape[chance(0.5) ? 0 : 1] : b->shape[1];
        const std::vector<Axis> axes = {newAxis(a.shape[0]), newAxis(columns)};
        const Axis k = newAxis(a.shape[1]);
        if (work(axes) * k.extent > m_maxWork) return unary(a);
        const Tensor &other = b == nullptr ? inputOf({k.extent, columns}) : *b;
        const Expr x = read(a, {axes[0].var, k.var});
        add(m_builder.reduce(name(), axes, ReduceKind::Sum, {k}, x * read(other, {k.var, axes[1].var}),
                             hinted(axes, {k})));
    }

    /// Convolution or pooling over one or two trailing dimensions, with stride and dilation.
    void window(const Tensor &a) {
        if (a.shape.empty()) return unary(a);
        const size_t windowed = a.shape.size() > 1 && chance(0.5) ? 2 : 1;
        const size_t first = a.shape.size() - windowed;
        std::vector<Axis> axes;
        std::vector<Axis> reduce;
        std::vector<Expr> indices;
        for (size_t d = 0; d < a.shape.size(); ++d) {
            if (d < first) {
                axes.push_back(newAxis(a.shape[d]));
                indices.push_back(axes.back().var);
                continue;
            }
            const int64_t kernel = std::min<int64_t>(1 + below(3), a.shape[d]);
            int64_t dilation = 1 + below(2);
            if ((kernel - 1) * dilation + 1 > a.shape[d]) dilation = 1;
            const int64_t stride = 1 + below(2);
            axes.push_back(newAxis((a.shape[d] - (kernel - 1) * dilation - 1) / stride + 1));
            reduce.push_back(newAxis(kernel));
            indices.push_back(axes.back().var * stride + reduce.back().var * dilation);
        }
        const Expr x = read(a, indices);
        if (chance(0.3)) {
            add(m_builder.reduce(name(), axes, chance(0.5) ? ReduceKind::Max : ReduceKind::Min, reduce, x));
            return;
        }
        std::vector<int64_t> weightShape;
        std::vector<Expr> weightIndices;
        if (first > 0) { // depthwise
            weightShape.push_back(axes[0].extent);
            weightIndices.push_back(axes[0].var);
        }
        for (const Axis &r : reduce) {
            weightShape.push_back(r.extent);
            weightIndices.push_back(r.var);
        }
        const Tensor &weight = inputOf(weightShape);
        add(m_builder.reduce(name(), axes, ReduceKind::Sum, reduce, x * read(weight, weightIndices),
                             hinted(axes, reduce, layoutFree(weight))));
    }

    void pad(const Tensor &a) {
        std::vector<Axis> axes;
        std::vector<Expr> indices;
        Expr inside = makeBool(true);
        for (const int64_t e : a.shape) {
            const int64_t before = below(3);
            axes.push_back(newAxis(e + before + below(3)));
            indices.push_back(axes.back().var - before);
            inside = logicalAnd(inside, fold(ExprKind::Ge, axes.back().var, makeInt(before)));
            inside = logicalAnd(inside, fold(ExprKind::Lt, axes.back().var, makeInt(e + before)));
        }
        if (work(axes) > m_maxWork) return unary(a);
        add(m_builder.compute(name(), axes, ifThenElse(inside, read(a, indices), constant(0))));
    }

    void reduceLast(const Tensor &a) {
        if (a.shape.empty()) return unary(a);
        std::vector<Axis> axes = axesOf(a);
        const std::vector<Expr> indices = vars(axes);
        const size_t d = m_random.index(axes.size());
        const Axis r = axes[d];
        axes.erase(axes.begin() + static_cast<ptrdiff_t>(d));
        constexpr std::array<ReduceKind, 3> kinds = {ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min};
        add(m_builder.reduce(name(), axes, kinds[m_random.index(3)], {r}, read(a, indices), hinted(axes, {r})));
    }

    /// Value and place of the largest element along the last dimension.
    void argmax(const Tensor &a) {
        if (a.shape.empty()) return unary(a);
        std::vector<Axis> axes = axesOf(a);
        const Expr x = read(a, vars(axes));
        const Axis k = axes.back();
        axes.pop_back();
        Combiner combiner;
        combiner.left = {makeVar("li"), makeVar("lv", m_type)};
        combiner.right = {makeVar("ri"), makeVar("rv", m_type)};
        const Expr takeLeft = logicalOr(fold(ExprKind::Gt, combiner.left[1], combiner.right[1]),
                                        logicalAnd(fold(ExprKind::Eq, combiner.left[1], combiner.right[1]),
                                                   fold(ExprKind::Lt, combiner.left[0], combiner.right[0])));
        combiner.result = {select(takeLeft, combiner.left[0], combiner.right[0]),
                           select(takeLeft, combiner.left[1], combiner.right[1])};
        combiner.identity = {makeInt(1000000), makeCombiner(ReduceKind::Max, m_type).identity[0]};
        Reduction reduction{combiner, {k}, {}};
        const auto outputs = m_builder.computeTuple(name(), axes, {k.var, x}, reduction);
        add(*outputs[0]);
        m_read.back() = true; // an index: not for further arithmetic in the drawn type
        add(*outputs[1]);
        // Both outputs reach an argument.
        const std::vector<Axis> again = axesOf(*outputs[1]);
        const Expr both = castTo(m_type, makeLoad(*outputs[0], vars(again))) + read(*outputs[1], vars(again));
        m_read[m_tensors.size() - 1] = true;
        m_tensors.erase(m_tensors.end() - 2);
        m_read.erase(m_read.end() - 2);
        add(m_builder.compute(name() + "s", again, both));
    }

    void reshape(const Tensor &a) {
        if (a.shape.size() < 2) return unary(a);
        const int64_t inner = a.shape.back();
        const int64_t outer = a.shape[a.shape.size() - 2];
        std::vector<Axis> axes;
        for (size_t d = 0; d + 2 < a.shape.size(); ++d) axes.push_back(newAxis(a.shape[d]));
        std::vector<Expr> indices = vars(axes);
        axes.push_back(newAxis(inner * outer));
        indices.push_back(floorDiv(axes.back().var, inner));
        indices.push_back(floorMod(axes.back().var, inner));
        add(m_builder.compute(name(), axes, read(a, indices) + constant(1)));
    }

    /// Slices of one dimension in the order of an index tensor; sometimes weighted and added up.
    void gather(const Tensor &a) {
        if (a.shape.empty()) return unary(a);
        std::vector<Axis> axes = axesOf(a);
        const size_t d = m_random.index(axes.size());
        axes[d] = newAxis(extent());
        if (work(axes) > m_maxWork) return unary(a);
        const Tensor &places =
            m_builder.placeholder(name() + "i", {axes[d].extent}, chance(0.5) ? DType::Int32 : DType::Int64);
        const Expr place = makeLoad(places, std::vector<Expr>{axes[d].var});
        std::vector<Expr> indices = vars(axes);
        const Expr last = makeInt(a.shape[d] - 1, places.dtype), first = makeInt(0, places.dtype);
        if (chance(0.3)) { // read only where it lies inside
            indices[d] = place;
            const Expr inside = logicalAnd(fold(ExprKind::Ge, place, first), fold(ExprKind::Le, place, last));
            add(m_builder.compute(name(), axes, ifThenElse(inside, read(a, indices), constant(1))));
            return;
        }
        indices[d] = minOf(maxOf(place, first), last);
        if (chance(0.5)) {
            add(m_builder.compute(name(), axes, read(a, indices)));
            return;
        }
        const Tensor &weight = inputOf({axes[d].extent});
        const Expr term = read(a, indices) * read(weight, {axes[d].var});
        const Axis bag = axes[d];
        axes.erase(axes.begin() + static_cast<ptrdiff_t>(d));
        add(m_builder.reduce(name(), axes, ReduceKind::Sum, {bag}, term));
    }

    /// x - max(x) along the last dimension, then a sum: two consumers of one tensor.
    void normalize(const Tensor &a) {
        if (a.shape.empty()) return unary(a);
        std::vector<Axis> axes = axesOf(a);
        const Expr x = read(a, vars(axes));
        const Axis k = axes.back();
        axes.pop_back();
        const Tensor &most = m_builder.reduce(name() + "m", axes, ReduceKind::Max, {k}, x);
        const std::vector<Axis> all = axesOf(a);
        const std::vector<Axis> rows(all.begin(), all.end() - 1);
        Expr difference = read(a, vars(all)) - makeLoad(most, vars(rows));
        if (isFloat(m_type)) difference = callMath(Intrinsic::Exp, difference);
        add(m_builder.compute(name(), all, difference));
    }

    /// Sums, filters and extremes so far, along any axis, from either end, of one value or two.
    void scan(const Tensor &a) {
        if (a.shape.empty()) return unary(a);
        const std::vector<Axis> axes = axesOf(a);
        const size_t along = m_random.index(axes.size());
        const bool backwards = chance(0.4);
        const bool reachesTwo = axes[along].extent > 2 && chance(0.3);
        const bool pair = chance(0.25);
        const Expr x = read(a, vars(axes));
        ScanDraft draft(name(), axes, along, pair ? std::vector<Expr>{x, x + constant(1)} : std::vector<Expr>{x});
        const auto before = [&](size_t output, int64_t distance) {
            std::vector<Expr> indices = vars(axes);
            indices[along] = backwards ? indices[along] + distance : indices[along] - distance;
            return makeLoad(draft.op().output(output), indices);
        };
        const int kind = below(3);
        Expr value = before(0, 1) + x;
        if (kind == 0) value = maxOf(before(0, 1), x);
        if (kind == 1) value = before(0, 1) * constant(1) + x;
        if (reachesTwo) value = value + minOf(before(0, 2), x);
        std::vector<Expr> start = {x};
        std::vector<Expr> next = {value};
        if (pair) {
            start.push_back(x + constant(1));
            next.push_back(maxOf(before(1, 1), before(0, 1)));
        }
        const auto outputs = m_builder.add(draft.finish(start, next, hinted(axes), {}));
        add(*outputs[0]);
        if (!pair) return;
        const std::vector<Axis> again = axesOf(*outputs[0]);
        const Expr both = read(*outputs[0], vars(again)) + read(*outputs[1], vars(again));
        add(m_builder.compute(name(), again, both));
    }

    /// Terms along one axis go to places that are computed or read.
    void scatter(const Tensor &a) {
        if (a.shape.empty()) return unary(a);
        const std::vector<Axis> all = axesOf(a);
        const size_t d = m_random.index(all.size());
        const Axis r = all[d];
        std::vector<Axis> axes = all;
        axes.erase(axes.begin() + static_cast<ptrdiff_t>(d));
        std::vector<Axis> bins = {newAxis(1 + below(9))};
        if (chance(0.25)) bins.push_back(newAxis(1 + below(4)));
        if (work(all) * bins[0].extent > m_maxWork) return unary(a);
        std::vector<Expr> indices;
        for (const Axis &bin : bins) {
            const bool perTerm = chance(0.4);
            if (!perTerm && chance(0.4)) {
                indices.push_back(floorMod(r.var, bin.extent));
                continue;
            }
            const std::vector<int64_t> shape = perTerm ? a.shape : std::vector<int64_t>{r.extent};
            const Tensor &places =
                m_builder.placeholder(name() + "p" + std::to_string(indices.size()), shape, DType::Int32);
            const Expr place = makeLoad(places, perTerm ? vars(all) : std::vector<Expr>{r.var});
            indices.push_back(minOf(maxOf(place, makeInt(0)), makeInt(bin.extent - 1)));
        }
        for (const Axis &bin : bins)
            axes.insert(axes.begin() + static_cast<ptrdiff_t>(m_random.index(axes.size() + 1)), bin);
        std::vector<ScatterPlace> places;
        for (size_t i = 0; i < bins.size(); ++i)
            for (size_t at = 0; at < axes.size(); ++at)
                if (axes[at].var.is(bins[i].var)) places.push_back({at, indices[i]});
        constexpr std::array<ReduceKind, 4> kinds = {ReduceKind::Sum, ReduceKind::Sum, ReduceKind::Max,
                                                     ReduceKind::Min};
        const ReduceKind kind = kinds[m_random.index(kinds.size())];
        Reduction reduction{makeCombiner(kind, m_type), {r}, {}};
        if (chance(0.3)) reduction.condition = fold(ExprKind::Lt, floorMod(r.var, 3), makeInt(2));
        Attrs attrs = hinted(axes, {r});
        scatterTo(std::move(places), axes, reduction, attrs);
        const auto outputs =
            m_builder.add(makeCompute(name(), axes, {read(a, vars(all))}, std::move(reduction), std::move(attrs)));
        add(*outputs[0]);
        if (kind == ReduceKind::Sum) return;
        // Where no term goes is the largest or the least number there is.
        const std::vector<Axis> again = axesOf(*outputs[0]);
        const Expr value = read(*outputs[0], vars(again));
        m_tensors.pop_back(); // nothing else reads that: sums of it would be no number in one order or another
        m_read.pop_back();
        add(m_builder.compute(name(), again,
                              kind == ReduceKind::Max ? maxOf(value, constant(0)) : minOf(value, constant(3))));
    }

    Random &m_random;
    int64_t m_maxWork;
    int m_maxOps;
    bool m_hints;
    bool m_ordered;
    bool m_shortExtents;
    DType m_type;
    DType m_stored;
    DagBuilder m_builder;
    std::vector<const Tensor *> m_tensors;
    std::vector<bool> m_read;
    int m_axes = 0;
};

} // namespace

DagPtr randomDag(Random &random, const RandomDagOptions &options) { return DagDrawer(random, options).run(); }

} // namespace loopscope
