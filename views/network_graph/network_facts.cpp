#include "views/network_graph/network_facts.h"

#include "networks/op/operator.h"
#include "views/session/network_contents.h"
#include "views/session/text.h"

#include <algorithm>
#include <map>

namespace loopscope {

namespace {

BoxKind kindOfNode(const Node &node) {
    const Operator *of = findOperator(node.op);
    if (of == nullptr) return BoxKind::Other;
    switch (of->pattern) {
    case PatternKind::Elementwise:
    case PatternKind::Broadcast:
        return BoxKind::Elementwise;
    case PatternKind::Injective:
    case PatternKind::Tuple:
        return BoxKind::Movement;
    case PatternKind::Reduction:
        return BoxKind::Reduction;
    case PatternKind::OutputFusable:
        return BoxKind::Heavy;
    case PatternKind::Opaque:
        return BoxKind::Other;
    }
    return BoxKind::Other;
}

/// What exporters put behind the name of a layer to tell its weights apart.
QString withoutWeightWords(QString name) {
    static const QStringList words{
        QStringLiteral("w"),   QStringLiteral("b"),       QStringLiteral("weight"), QStringLiteral("bias"),
        QStringLiteral("bn"),  QStringLiteral("s"),       QStringLiteral("scale"),  QStringLiteral("mean"),
        QStringLiteral("var"), QStringLiteral("riv"),     QStringLiteral("rm"),     QStringLiteral("0"),
        QStringLiteral("1"),   QStringLiteral("running"), QStringLiteral("gamma"),  QStringLiteral("beta"),
    };
    bool cutWord = false;
    for (;;) {
        const qsizetype at = std::max({name.lastIndexOf(u'_'), name.lastIndexOf(u'.'), name.lastIndexOf(u'/')});
        if (at <= 0) return name;
        const QString last = name.mid(at + 1);
        const bool number = last == QLatin1String("0") || last == QLatin1String("1");
        if (!words.contains(last) || (number && cutWord)) return name; // "res2_0" keeps its number
        cutWord = cutWord || !number;
        name.truncate(at);
    }
}

/// A name that says where the node stands: "/layer1/conv1/Conv", "encoder.0.matmul"; not "n12", "Conv_3", "r4".
bool tellsPlace(const QString &name) { return name.contains(u'/') || name.contains(u'.'); }

int64_t bytesOf(const TensorType &type) {
    const auto dims = constantDims(type.dims);
    const int64_t elements = dims ? elementCount(*dims) : -1;
    return elements < 0 ? 0 : elements * dtypeBytes(type.dtype);
}

QString flowTip(const NetworkFacts &facts, const Value &value) {
    if (!value.type) return qt(value.name);
    const QString first = QStringLiteral("%1: %2").arg(qt(value.name), qt(typeText(*value.type)));
    const QString symbols = symbolLines(facts, *value.type);
    return symbols.isEmpty() ? first : first + u'\n' + symbols;
}

/// The first value in whose dims a symbol stands gives it its number: alone along an axis where there is such a one,
/// solved for it otherwise.
void bindSymbols(NetworkFacts &facts, const Value &value, int node) {
    if (!value.type) return;
    for (const bool alone : {true, false})
        for (size_t axis = 0; axis < value.type->dims.size(); ++axis) {
            const Dim &dim = value.type->dims[axis];
            const std::vector<std::string> symbols = dim.symbols();
            if (alone && (symbols.size() != 1 || dim != Dim::symbol(symbols[0]))) continue;
            for (const std::string &symbol : symbols) {
                if (facts.symbol(qt(symbol)) != nullptr) continue;
                QString where = QStringLiteral("axis %1 of %2").arg(axis).arg(qt(value.name));
                if (!alone) where += QStringLiteral(", which is %1").arg(qt(dim.text()));
                facts.symbols.push_back({qt(symbol), node, where});
            }
        }
}

void describe(NodeFact &fact, const Value &value) {
    if (!value.type) return;
    fact.shape = dimsWords(value.type->dims);
    fact.dtype = qt(dtypeName(value.type->dtype));
}

QString haystack(const NetworkFacts &facts, const NodeFact &node) {
    QStringList words{node.op,
                      node.name,
                      node.layer,
                      node.shape,
                      QString(node.shape).replace(u'\u00d7', u'x'),
                      QString(node.shape).remove(u' ').replace(u'\u00d7', u'x'),
                      node.dtype,
                      node.details};
    for (const std::string &source : node.sources) words << qt(source);
    if (node.id.value >= 0)
        for (const auto &[name, value] : facts.function->node(node.id).attributes)
            words << QStringLiteral("%1 %2").arg(qt(name), attributeWords(value))
                  << QStringLiteral("%1=%2").arg(qt(name), attributeWords(value));
    return words.join(u'\n');
}

/// By name of the node in the file.
std::map<std::string, QString> layersOf(const FunctionPtr &imported) {
    std::map<std::string, QString> layers;
    const NetworkFactsPtr facts = networkFacts(imported);
    for (const NodeFact &node : facts->nodes)
        for (const std::string &source : node.sources) layers.try_emplace(source, node.layer);
    return layers;
}

} // namespace

const SymbolFact *NetworkFacts::symbol(const QString &name) const {
    const auto found = std::ranges::find(symbols, name, &SymbolFact::symbol);
    return found == symbols.end() ? nullptr : &*found;
}

QString symbolLines(const NetworkFacts &facts, const TensorType &type) {
    QStringList lines;
    for (const Dim &dim : type.dims)
        for (const std::string &symbol : dim.symbols())
            if (const SymbolFact *fact = facts.symbol(qt(symbol)))
                if (const QString line = QStringLiteral("%1 is bound by %2").arg(fact->symbol, fact->where);
                    !lines.contains(line))
                    lines << line;
    return lines.join(u'\n');
}

std::vector<int> NetworkFacts::nodesOf(const std::set<std::string> &wanted) const {
    std::vector<int> found;
    if (wanted.empty()) return found;
    for (size_t i = 0; i < nodes.size(); ++i)
        if (std::ranges::any_of(nodes[i].sources, [&](const auto &one) { return wanted.contains(one); }))
            found.push_back(static_cast<int>(i));
    return found;
}

NetworkFactsPtr networkFacts(const FunctionPtr &function, const FunctionPtr &imported) {
    const auto layers = imported && imported != function ? layersOf(imported) : std::map<std::string, QString>();
    auto facts = std::make_shared<NetworkFacts>();
    facts->function = function;
    std::vector<int> makerOf(function->valueCount(), -1);
    for (const ValueId parameter : function->parameters()) {
        const Value &value = function->value(parameter);
        NodeFact fact;
        fact.kind = BoxKind::Input;
        fact.value = parameter;
        fact.op = QStringLiteral("input");
        fact.name = qt(value.name);
        fact.sources = {"input " + value.name}; // no name of a node
        describe(fact, value);
        if (value.type) fact.activationBytes = bytesOf(*value.type);
        makerOf[parameter.index()] = static_cast<int>(facts->nodes.size());
        bindSymbols(*facts, value, makerOf[parameter.index()]);
        facts->nodes.push_back(std::move(fact));
    }
    std::set<int> constants;
    const auto flow = [&](ValueId value, int to) {
        const int from = makerOf[value.index()];
        if (from < 0) return;
        const Value &of = function->value(value);
        facts->flows.push_back({from, to, of.type ? dimsWords(of.type->dims) : QString(), flowTip(*facts, of)});
    };
    for (size_t i = 0; i < function->nodeCount(); ++i) {
        const Node &node = function->node(NodeId(i));
        NodeFact fact;
        fact.kind = kindOfNode(node);
        fact.id = NodeId(i);
        fact.op = qt(node.op);
        fact.name = qt(node.name);
        const auto sources = sourcesOf(node);
        fact.sources = {sources.begin(), sources.end()};
        fact.details = attributeSummary(*function, node);
        fact.flops = flopsOf(*function, node);
        for (const std::string &source : sources)
            if (const auto known = layers.find(source); known != layers.end() && fact.layer.isEmpty())
                fact.layer = known->second;
        if (fact.layer.isEmpty() && tellsPlace(fact.name))
            fact.layer = fact.name.left(std::max(fact.name.lastIndexOf(u'/'), fact.name.lastIndexOf(u'.')));
        if (!node.outputs.empty()) {
            fact.value = node.outputs[0];
            describe(fact, function->value(node.outputs[0]));
        }
        for (const ValueId output : node.outputs) {
            makerOf[output.index()] = static_cast<int>(facts->nodes.size());
            bindSymbols(*facts, function->value(output), makerOf[output.index()]);
            if (const auto &type = function->value(output).type) fact.activationBytes += bytesOf(*type);
        }
        const int here = static_cast<int>(facts->nodes.size());
        int latest = -1; // of those it reads
        for (const ValueId input : node.inputs) {
            if (input.value < 0) continue;
            if (const HostTensor *constant = function->constant(input)) {
                ++fact.constants;
                fact.weightBytes += static_cast<int64_t>(constant->byteSize());
                if (constants.insert(input.value).second)
                    facts->weightBytes += static_cast<int64_t>(constant->byteSize());
                if (fact.layer.isEmpty() && layers.empty() && constant->elements() > 1)
                    fact.layer = withoutWeightWords(qt(function->value(input).name));
                continue;
            }
            latest = std::max(latest, makerOf[input.index()]);
            flow(input, here);
        }
        if (fact.layer.isEmpty() && latest >= 0) fact.layer = facts->nodes[static_cast<size_t>(latest)].layer;
        facts->flops += fact.flops;
        facts->nodes.push_back(std::move(fact));
    }
    for (const ValueId result : function->results()) {
        const Value &value = function->value(result);
        NodeFact fact;
        fact.kind = BoxKind::Output;
        fact.value = result;
        fact.op = QStringLiteral("output");
        fact.name = qt(value.name);
        fact.sources = {"output " + value.name};
        describe(fact, value);
        const int here = static_cast<int>(facts->nodes.size());
        facts->nodes.push_back(std::move(fact));
        flow(result, here);
    }
    facts->constants = static_cast<int>(constants.size());
    return facts;
}

std::vector<int> findNodes(const NetworkFacts &facts, const QString &words) {
    const QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
    std::vector<int> first, others;
    if (wanted.isEmpty()) return first;
    const auto allIn = [&wanted](const QString &text) {
        return std::ranges::all_of(wanted,
                                   [&text](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
    };
    for (size_t i = 0; i < facts.nodes.size(); ++i) {
        const NodeFact &node = facts.nodes[i];
        if (allIn(node.name + u'\n' + node.op))
            first.push_back(static_cast<int>(i));
        else if (allIn(haystack(facts, node)))
            others.push_back(static_cast<int>(i));
    }
    first.insert(first.end(), others.begin(), others.end());
    return first;
}

} // namespace loopscope
