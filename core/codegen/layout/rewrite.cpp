#include "codegen/layout/rewrite.h"

#include "base/check.h"
#include "codegen/layout/layout_attribute.h"
#include "language/dag/layout_free.h"
#include "language/dag/stays_in_memory.h"
#include "language/expr/walk.h"
#include "language/te/scan.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace loopscope {

namespace {

const Tensor *tensorNamed(const ComputeDag &dag, const std::string &name) {
    for (const OpPtr &op : dag.ops())
        for (const auto &output : op->outputs)
            if (tensorText(*output) == name) return output.get();
    return nullptr;
}

/// Other ops; a scan reads itself.
std::vector<const Op *> readersOf(const ComputeDag &dag, const Tensor &tensor) {
    std::vector<const Op *> readers;
    for (size_t i = 0; i < dag.size(); ++i) {
        if (&dag.op(i) == tensor.op) continue;
        const auto &loads = dag.access(i).loads;
        if (std::any_of(loads.begin(), loads.end(), [&](const LoadAccess &load) { return load.tensor == &tensor; }))
            readers.push_back(&dag.op(i));
    }
    return readers;
}

bool copies(const Op &op, const Tensor &tensor) { return isLayoutCopy(op) && inputTensors(op).front() == &tensor; }

/// The index that the digits of an axis come from: the one that has these digits, else their sum.
Expr indexOf(const std::vector<size_t> &pieces, const Layout &layout, std::span<const Expr> digits) {
    Expr sum;
    for (const size_t p : pieces) {
        const Expr term = digits[p] * layout.pieces()[p].step;
        sum = sum ? sum + term : term;
    }
    if (!sum) return makeInt(0);
    if (pieces.size() < 2) return sum;
    const Expr slowest = digits[pieces.front()];
    if (slowest->kind != ExprKind::FloorDiv) return sum;
    const Expr index = slowest->arg(0);
    Expr rest = index;
    for (const size_t p : pieces) {
        if (!structurallyEqual(floorDiv(rest, layout.pieces()[p].step), digits[p])) return sum;
        rest = floorMod(rest, layout.pieces()[p].step);
    }
    return index;
}

/// From indices into a tensor that lies so to those into the tensor itself.
std::vector<Expr> logicalIndices(const Layout &layout, std::span<const Expr> digits) {
    std::vector<Expr> indices;
    for (size_t d = 0; d < layout.shape().size(); ++d) {
        std::vector<size_t> pieces;
        for (size_t p = 0; p < layout.pieces().size(); ++p)
            if (layout.pieces()[p].axis == static_cast<int>(d)) pieces.push_back(p);
        std::sort(pieces.begin(), pieces.end(),
                  [&](size_t a, size_t b) { return layout.pieces()[a].step > layout.pieces()[b].step; });
        indices.push_back(indexOf(pieces, layout, digits));
    }
    return indices;
}

class Rewriter {
  public:
    Rewriter(const ComputeDag &dag, const Tensor &tensor, Layout layout)
        : m_dag(dag), m_tensor(tensor), m_layout(std::move(layout)), m_arena(std::make_shared<ExprArena>()),
          m_scope(m_arena) {}

    Outcome<RewrittenWorkload> rewrite(const LayoutRequest &request) {
        if (auto refusal = chooseReaders(request)) return *refusal;
        if (auto refusal = composeLayouts()) return *refusal;
        const LaidOutBy by = chooseWay(request);
        if (by == LaidOutBy::Nobody && m_source == &m_tensor) return unchanged();
        m_name = by == LaidOutBy::Producer ? m_source->op->name
                 : m_dropped != nullptr    ? m_dropped->name
                                           : freeName(m_source->op->name + "_packed");
        for (const OpPtr &op : m_dag.ops()) emit(op, by);
        std::vector<const Tensor *> args;
        for (const Tensor *arg : m_dag.args()) args.push_back(mapped(*arg));
        RewrittenWorkload result;
        result.text = printWorkload(m_dag.name(), m_ops, args);
        try {
            result.workload = parseWorkload(result.text, {});
            ComputeDag::fromWorkload(result.workload);
        } catch (const Error &error) { // an index of which nobody can say any more that it stays inside
            return Refusal{fmt::format("layout of {}: {}", request.tensor, error.sentence())};
        }
        result.stored = tensorText(*m_stored);
        result.layout = m_whole;
        result.by = by;
        if (by == LaidOutBy::Prepack) result.prepack = prepackWorkload();
        return result;
    }

  private:
    std::optional<Refusal> chooseReaders(const LayoutRequest &request) {
        const std::vector<const Op *> all = readersOf(m_dag, m_tensor);
        for (const std::string &name : request.readers) {
            const auto found = std::find_if(all.begin(), all.end(), [&](const Op *op) { return op->name == name; });
            if (found != all.end()) continue;
            std::string legal;
            for (const Op *op : all) legal += (legal.empty() ? "" : ", ") + op->name;
            return Refusal{fmt::format("layout of {}: {} does not read it; it is read by {}", request.tensor, name,
                                       legal.empty() ? "nobody" : legal)};
        }
        m_everyReader = true;
        for (const Op *op : all) {
            const bool chosen =
                request.readers.empty()
                    ? !copies(*op, m_tensor) // a second layout of the tensor stays a copy of its own
                    : std::find(request.readers.begin(), request.readers.end(), op->name) != request.readers.end();
            if (chosen)
                m_readers.insert(op);
            else
                m_everyReader = false;
        }
        if (m_readers.empty())
            return Refusal{fmt::format("layout of {}: {}", request.tensor,
                                       all.empty() ? "nobody reads it, and an output lies as its caller has it"
                                                   : "all that read it are copies of it in layouts; choose theirs")};
        return std::nullopt;
    }

    /// A layout of a copy is one of what it copies.
    std::optional<Refusal> composeLayouts() {
        m_source = &m_tensor;
        m_whole = m_layout.canonical();
        if (!isLayoutCopy(*m_tensor.op)) {
            const auto earlier = layoutOf(*m_tensor.op); // its producer stores it in one
            const auto both = earlier ? composed(*earlier, m_whole) : Outcome<Layout>(m_whole);
            if (!both) return both.refusal();
            return std::nullopt;
        }
        m_copied = layoutOf(*m_tensor.op);
        const auto both = composed(*m_copied, m_layout);
        if (!both) return both.refusal();
        m_source = inputTensors(*m_tensor.op).front();
        m_whole = both->canonical();
        if (m_everyReader) m_dropped = m_tensor.op;
        return std::nullopt;
    }

    LaidOutBy chooseWay(const LayoutRequest &request) {
        if (m_whole.isIdentity()) return LaidOutBy::Nobody;
        for (const OpPtr &op : m_dag.ops()) {
            if (op.get() == m_tensor.op || m_readers.contains(op.get()) || !copies(*op, *m_source) ||
                !layoutOf(*op)->sameAddresses(m_whole))
                continue;
            m_existing = op; // one copy of a tensor for each layout
            return LaidOutBy::CopyStage;
        }
        const bool whole = m_everyReader && (m_source == &m_tensor || readersOf(m_dag, *m_source).size() == 1);
        if (!whole || request.copyOnly) return LaidOutBy::CopyStage;
        if (m_source->op->isPlaceholder())
            return isLayoutFree(m_dag, m_source) || (m_source != &m_tensor && isLayoutFree(m_dag, &m_tensor))
                       ? LaidOutBy::Prepack
                       : LaidOutBy::CopyStage;
        return mayStoreOtherwise(m_dag, *m_source->op) ? LaidOutBy::Producer : LaidOutBy::CopyStage;
    }

    Outcome<RewrittenWorkload> unchanged() const {
        RewrittenWorkload result;
        result.text = printWorkload(m_dag.name(), m_dag.ops(), m_dag.args());
        result.workload = parseWorkload(result.text, {});
        result.stored = tensorText(m_tensor);
        result.layout = m_whole;
        return result;
    }

    std::string freeName(const std::string &preferred) const {
        const auto taken = [&](const std::string &name) {
            return std::any_of(m_dag.ops().begin(), m_dag.ops().end(),
                               [&](const OpPtr &op) { return op->name == name; });
        };
        std::string name = preferred;
        for (int n = 2; taken(name); ++n) name = fmt::format("{}_{}", preferred, n);
        return name;
    }

    [[nodiscard]] const Tensor *mapped(const Tensor &tensor) const {
        const auto found = m_mapped.find(&tensor);
        return found == m_mapped.end() ? &tensor : found->second;
    }

    void emit(const OpPtr &op, LaidOutBy by) {
        if (op.get() == m_dropped || op == m_existing) return;
        if (op.get() != m_source->op) return add(*op, rebuilt(op));
        if (by == LaidOutBy::Prepack) {
            m_ops.push_back(makePlaceholder(m_name, m_whole.physicalShape(), m_source->dtype));
            m_stored = &m_ops.back()->output();
            m_mapped[m_source] = m_stored;
            return;
        }
        const OpPtr same = rebuilt(op);
        add(*op, by == LaidOutBy::Producer ? laidOutProducer(*same, m_whole) : same);
        if (by == LaidOutBy::CopyStage && m_existing == nullptr)
            m_ops.push_back(layoutCopy(m_name, *mapped(*m_source), m_whole, axisNamesOf(m_dag, *m_source)));
        if (m_existing != nullptr) add(*m_existing, rebuilt(m_existing)); // before all that will read it
        m_stored = by == LaidOutBy::CopyStage ? &m_ops.back()->output() : mapped(*m_source);
    }

    void add(const Op &from, OpPtr op) {
        for (size_t k = 0; k < from.outputs.size(); ++k) m_mapped[from.outputs[k].get()] = op->outputs[k].get();
        m_ops.push_back(std::move(op));
    }

    Expr moved(Expr e, bool reader) const {
        return rewriteBottomUp(e, [&](Expr node) {
            if (node->kind != ExprKind::Load) return node;
            const Tensor &read = asTensor(node->symbol);
            if (!reader || &read != &m_tensor) {
                const Tensor *now = mapped(read);
                return now == &read ? node : makeLoad(*now, node->operands());
            }
            LOOPSCOPE_CHECK(m_stored != nullptr, "a tensor is read before it is laid out");
            const auto indices = m_copied ? logicalIndices(*m_copied, node->operands())
                                          : std::vector<Expr>(node->operands().begin(), node->operands().end());
            const bool asItWas = m_whole.isIdentity();
            return makeLoad(*m_stored, asItWas ? indices : packedIndices(m_whole, indices));
        });
    }

    OpPtr rebuilt(const OpPtr &op) const {
        const bool reader = m_readers.contains(op.get());
        const auto inputs = inputTensors(*op);
        if (!reader &&
            std::none_of(inputs.begin(), inputs.end(), [&](const Tensor *input) { return mapped(*input) != input; }))
            return op;
        std::vector<Expr> body;
        for (const Expr value : op->body) body.push_back(moved(value, reader));
        std::optional<Reduction> reduction = op->reduction;
        if (reduction && reduction->condition) reduction->condition = moved(reduction->condition, reader);
        return rebuiltCompute(*op, std::move(body), std::move(reduction), reader ? attrsOf(*op) : op->attrs);
    }

    /// Lowering packs weights as it likes; of one that is packed already it must not.
    [[nodiscard]] Attrs attrsOf(const Op &op) const {
        Attrs attrs = op.attrs;
        const auto found = attrs.find("layout_free_placeholders");
        if (found == attrs.end() || !m_source->op->isPlaceholder()) return attrs;
        std::vector<std::string> names;
        if (const auto *several = std::get_if<std::vector<std::string>>(&found->second)) names = *several;
        if (const auto *one = std::get_if<std::string>(&found->second)) names = {*one};
        std::erase(names, m_source->op->name);
        if (names.empty())
            attrs.erase(found);
        else
            found->second = names;
        return attrs;
    }

    [[nodiscard]] Workload prepackWorkload() const {
        const OpPtr input = makePlaceholder(m_source->op->name, m_source->shape, m_source->dtype);
        const OpPtr copy = layoutCopy(m_name, input->output(), m_whole, axisNamesOf(m_dag, *m_source));
        return parseWorkload(
            printWorkload(m_dag.name() + "_prepack", {input, copy}, {&input->output(), &copy->output()}), {});
    }

    const ComputeDag &m_dag;
    const Tensor &m_tensor;
    const Layout m_layout;
    const ArenaPtr m_arena;
    const ArenaScope m_scope;
    std::set<const Op *> m_readers; // those whose reads are rewritten
    bool m_everyReader = false;
    const Tensor *m_source = nullptr;      // what is laid out: the tensor, or what it copies
    Layout m_whole = Layout::identity({}); // of the source
    std::optional<Layout> m_copied;        // the tensor is a copy in this layout
    const Op *m_dropped = nullptr;         // that copy, when nobody reads it any more
    OpPtr m_existing;                      // a copy of the source in the requested layout
    std::string m_name;                    // of the op that lies so
    const Tensor *m_stored = nullptr;
    std::vector<OpPtr> m_ops;
    std::map<const Tensor *, const Tensor *> m_mapped;
};

} // namespace

bool mayStoreOtherwise(const ComputeDag &dag, const Op &op) {
    if (op.isPlaceholder() || op.outputs.size() != 1 || scanOf(op)) return false;
    if (std::find(dag.args().begin(), dag.args().end(), &op.output()) != dag.args().end()) return false;
    return std::none_of(op.attrs.begin(), op.attrs.end(), [](const auto &attr) {
        return attr.first != kLayoutAttribute && attr.first != "layout_free_placeholders";
    });
}

std::string_view laidOutByText(LaidOutBy by) {
    switch (by) {
    case LaidOutBy::Nobody:
        return "as it is";
    case LaidOutBy::CopyStage:
        return "a copy stage";
    case LaidOutBy::Producer:
        return "its producer";
    case LaidOutBy::Prepack:
        return "packing ahead of time";
    }
    return "";
}

namespace {

/// `j` of the index `j_o*16 + j_i` in a copy into a layout.
std::string nameBeforeCut(Expr index) {
    std::string name;
    postOrder(index, [&](Expr e) {
        if (e->kind == ExprKind::Var && name.empty()) name = std::string(e->name());
    });
    const size_t cut = name.rfind('_');
    return index->kind == ExprKind::Var || cut == std::string::npos || cut == 0 ? name : name.substr(0, cut);
}

} // namespace

std::vector<std::string> axisNamesOf(const ComputeDag &dag, const Tensor &tensor) {
    std::vector<std::string> names(tensor.shape.size());
    if (!tensor.op->isPlaceholder()) {
        for (size_t d = 0; d < names.size(); ++d) names[d] = std::string(tensor.op->axes[d].name());
    } else {
        for (size_t i = 0; i < dag.size(); ++i)
            for (const LoadAccess &load : dag.access(i).loads)
                for (size_t d = 0; d < names.size() && load.tensor == &tensor; ++d) {
                    const Expr index = load.indices[d].expr;
                    if (!names[d].empty()) continue;
                    if (index->kind == ExprKind::Var) names[d] = std::string(index->name());
                    if (isLayoutCopy(dag.op(i))) names[d] = nameBeforeCut(index);
                }
    }
    // Only plain names can stand in brackets, each once.
    std::set<std::string> used;
    for (size_t d = 0; d < names.size(); ++d) {
        const bool plain = !names[d].empty() && names[d].find_first_of("[]%/+") == std::string::npos &&
                           names[d].find_first_not_of("0123456789") != std::string::npos;
        if (!plain || !used.insert(names[d]).second) names[d] = fmt::format("d{}", d);
    }
    return names;
}

Outcome<RewrittenWorkload> rewriteForLayout(const ComputeDag &dag, const LayoutRequest &request) {
    const Tensor *tensor = tensorNamed(dag, request.tensor);
    if (tensor == nullptr) {
        std::string legal;
        for (const OpPtr &op : dag.ops())
            for (const auto &output : op->outputs) legal += (legal.empty() ? "" : ", ") + tensorText(*output);
        return Refusal{fmt::format("layout of {}: there is no such tensor; there are {}", request.tensor, legal)};
    }
    if (request.layout.shape() != tensor->shape)
        return Refusal{fmt::format("layout of {}: it has the shape [{}], and the layout is one of [{}]", request.tensor,
                                   fmt::join(tensor->shape, ", "), fmt::join(request.layout.shape(), ", "))};
    return Rewriter(dag, *tensor, request.layout).rewrite(request);
}

} // namespace loopscope
