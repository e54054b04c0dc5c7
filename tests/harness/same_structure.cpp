#include "harness/same_structure.h"

#include <algorithm>
#include <bit>
#include <map>

namespace loopscope {

namespace {

/// Symbols by where they first occur.
class SymbolOrder {
  public:
    std::string canonical(const Dim &dim) {
        for (const std::string &symbol : dim.symbols())
            m_names.try_emplace(symbol, "s" + std::to_string(m_names.size()));
        return dim.renamed(m_names).text();
    }

  private:
    std::map<std::string, std::string, std::less<>> m_names;
};

/// Values by the order in which they are made: parameters, then outputs. Constants have no number, their content
/// counts.
std::vector<int> numbersOf(const GraphFunction &function) {
    std::vector<int> numbers(function.valueCount(), -1);
    int next = 0;
    for (const ValueId parameter : function.parameters()) numbers[parameter.index()] = next++;
    for (size_t i = 0; i < function.nodeCount(); ++i)
        for (const ValueId output : function.node(NodeId(i)).outputs) numbers[output.index()] = next++;
    return numbers;
}

uint64_t wordOf(double number) { return std::bit_cast<uint64_t>(number); }

bool sameAttribute(const Attribute &a, const Attribute &b) {
    if (a.index() != b.index()) return false;
    if (const auto *tensor = std::get_if<HostTensor>(&a)) return tensor->sameAs(std::get<HostTensor>(b));
    // By bits, so that what is no number equals itself.
    const auto sameNumber = [](double x, double y) { return wordOf(x) == wordOf(y); };
    if (const auto *number = std::get_if<double>(&a)) return sameNumber(*number, std::get<double>(b));
    if (const auto *numbers = std::get_if<std::vector<double>>(&a)) {
        const auto &others = std::get<std::vector<double>>(b);
        return std::equal(numbers->begin(), numbers->end(), others.begin(), others.end(), sameNumber);
    }
    if (const auto *integer = std::get_if<int64_t>(&a)) return *integer == std::get<int64_t>(b);
    if (const auto *text = std::get_if<std::string>(&a)) return *text == std::get<std::string>(b);
    if (const auto *integers = std::get_if<std::vector<int64_t>>(&a))
        return *integers == std::get<std::vector<int64_t>>(b);
    return std::get<std::vector<std::string>>(a) == std::get<std::vector<std::string>>(b);
}

/// Walks two functions side by side.
class StructureComparison {
  public:
    StructureComparison(const GraphFunction &a, const GraphFunction &b)
        : m_a(a), m_b(b), m_numbersA(numbersOf(a)), m_numbersB(numbersOf(b)) {}

    bool same() {
        if (m_a.parameters().size() != m_b.parameters().size() || m_a.results().size() != m_b.results().size() ||
            m_a.blocks().size() != m_b.blocks().size())
            return false;
        for (size_t i = 0; i < m_a.parameters().size(); ++i)
            if (!sameType(m_a.parameters()[i], m_b.parameters()[i])) return false;
        for (size_t i = 0; i < m_a.blocks().size(); ++i)
            if (!sameBlock(m_a.blocks()[i], m_b.blocks()[i])) return false;
        return sameValues(m_a.results(), m_b.results());
    }

  private:
    bool sameBlock(const Block &a, const Block &b) {
        return a.kind == b.kind && std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                                              [this](const Node &x, const Node &y) { return sameNode(x, y); });
    }

    bool sameNode(const Node &a, const Node &b) {
        if (a.op != b.op || a.attributes.size() != b.attributes.size() || a.outputs.size() != b.outputs.size())
            return false;
        const auto same = [](const auto &x, const auto &y) {
            return x.first == y.first && sameAttribute(x.second, y.second);
        };
        if (!std::equal(a.attributes.begin(), a.attributes.end(), b.attributes.begin(), same)) return false;
        for (size_t i = 0; i < a.outputs.size(); ++i)
            if (!sameType(a.outputs[i], b.outputs[i])) return false;
        return sameValues(a.inputs, b.inputs);
    }

    bool sameValues(const std::vector<ValueId> &a, const std::vector<ValueId> &b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [this](ValueId x, ValueId y) {
            if (x.value < 0 || y.value < 0) return x.value < 0 && y.value < 0;
            const HostTensor *constantX = m_a.constant(x);
            const HostTensor *constantY = m_b.constant(y);
            if (constantX && constantY) return constantX->sameAs(*constantY);
            return !constantX && !constantY && m_numbersA[x.index()] == m_numbersB[y.index()];
        });
    }

    bool sameType(ValueId a, ValueId b) {
        const auto &x = m_a.value(a).type;
        const auto &y = m_b.value(b).type;
        if (!x || !y) return !x && !y;
        return x->dtype == y->dtype && std::equal(x->dims.begin(), x->dims.end(), y->dims.begin(), y->dims.end(),
                                                  [this](const Dim &i, const Dim &j) {
                                                      if (i.isConstant() || j.isConstant()) return i == j;
                                                      return m_symbolsA.canonical(i) == m_symbolsB.canonical(j);
                                                  });
    }

    const GraphFunction &m_a;
    const GraphFunction &m_b;
    std::vector<int> m_numbersA;
    std::vector<int> m_numbersB;
    SymbolOrder m_symbolsA;
    SymbolOrder m_symbolsB;
};

} // namespace

bool sameStructure(const GraphFunction &a, const GraphFunction &b) { return StructureComparison(a, b).same(); }

bool sameStructure(const Module &a, const Module &b) {
    if (a.functions.size() != b.functions.size()) return false;
    return std::all_of(a.functions.begin(), a.functions.end(), [&](const FunctionPtr &function) {
        const FunctionPtr other = b.find(function->name());
        return other && sameStructure(*function, *other);
    });
}

} // namespace loopscope
