#include "views/network_graph/details_page.h"

#include "networks/op/operator.h"
#include "views/session/text.h"
#include "views/settings/theme.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace loopscope {

namespace {

constexpr int64_t kMaxLookedAt = 1 << 20; // elements of a constant

QString escaped(const QString &text) { return text.toHtmlEscaped(); }

QString head(const QString &title, const QString &below, const Theme &theme) {
    return QStringLiteral("<p style='margin-bottom:2px'><b style='font-size:large'>%1</b></p>"
                          "<p style='margin-top:0; color:%2'>%3</p>")
        .arg(escaped(title), theme.color(Role::QuietText).name(), escaped(below));
}

QString section(const QString &title) {
    return QStringLiteral("<p style='margin-bottom:2px'><b>%1</b></p>").arg(title);
}

class Rows {
  public:
    void add(const QString &name, const QString &html) {
        m_text += QStringLiteral("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>").arg(escaped(name), html);
    }
    [[nodiscard]] QString html() const {
        return m_text.isEmpty() ? QString()
                                : QStringLiteral("<table cellspacing='0' cellpadding='1'>%1</table>").arg(m_text);
    }

  private:
    QString m_text;
};

QString nodeLink(const NetworkFacts &facts, int node) {
    const NodeFact &fact = facts.nodes[static_cast<size_t>(node)];
    return QStringLiteral("<a href='node:%1'>%2</a> %3").arg(node).arg(escaped(fact.name), escaped(fact.op));
}

QString typeWords(const Value &value) {
    return value.type
               ? escaped(QStringLiteral("%1  %2").arg(dimsWords(value.type->dims), qt(dtypeName(value.type->dtype))))
               : QStringLiteral("type not known");
}

/// What the inputs of an operator are called.
QString inputName(const Node &node, size_t input) {
    const Operator *of = findOperator(node.op);
    if (of == nullptr || of->inputs.empty()) return QStringLiteral("%1").arg(input);
    if (input < of->inputs.size()) return qt(of->inputs[input].name);
    return QStringLiteral("%1 %2").arg(qt(of->inputs.back().name)).arg(input - of->inputs.size() + 2);
}

QString amounts(double flops, int constants, int64_t weights, int64_t results) {
    Rows rows;
    if (flops > 0) {
        const QString count = countText(flops);
        rows.add(QStringLiteral("FLOPs"), count);
    }
    if (constants > 0)
        rows.add(
            QStringLiteral("weights"),
            QStringLiteral("%1, %2").arg(countedText(static_cast<size_t>(constants), "constant"), bytesText(weights)));
    if (results > 0) rows.add(QStringLiteral("results"), bytesText(results));
    return rows.html();
}

QString taskLine(const NetworkKernels &kernels, int task, const Theme &theme) {
    if (task < 0) return {};
    const NetworkTask &of = kernels.tasks[static_cast<size_t>(task)];
    QString facts = countedText(static_cast<size_t>(of.weight), "use") + QStringLiteral(" in the network");
    if (of.flops > 0) facts += QStringLiteral(", %1 FLOP each").arg(countText(of.flops));
    QString html = section(QStringLiteral("Task")) + QStringLiteral("<p style='margin-top:0'>");
    html += kernels.canOpen(task)
                ? QStringLiteral("<a href='task:%1'>Open %2 in the workbench</a>").arg(task).arg(escaped(qt(of.name)))
                : escaped(qt(of.name));
    html += QStringLiteral("<br/><span style='color:%1'>%2</span>").arg(theme.color(Role::QuietText).name(), facts);
    if (!of.searchable) html += QStringLiteral("<br/>%1").arg(escaped(asSentence(qt(of.whyNot))));
    return html + QStringLiteral("</p>");
}

/// Which kernel a node is in, with whom, and why not with more.
QString kernelLines(const NetworkKernels &kernels, const std::set<std::string> &sources, const Theme &theme) {
    size_t kernel = 0;
    while (kernel < kernels.sources.size() && !meet(kernels.sources[kernel], sources)) ++kernel;
    if (kernel == kernels.sources.size()) return {};
    const Kernel &of = kernels.partition.kernels[kernel];
    QStringList lines{QStringLiteral("%1, of %2").arg(escaped(qt(of.name)), countedText(of.nodes.size(), "node"))};
    const auto named = [&](NodeId id) {
        const Node &node = kernels.function->node(id);
        return QStringLiteral("%1 %2").arg(escaped(qt(node.op)), escaped(qt(node.name)));
    };
    constexpr qsizetype kMaxCuts = 8;
    for (const CutEdge &cut : kernels.partition.cuts) {
        const bool in = kernels.partition.kernelOf[cut.consumer.index()] == kernel;
        const bool out = kernels.partition.kernelOf[cut.producer.index()] == kernel;
        if ((!in && !out) || lines.size() > kMaxCuts) continue;
        lines << QStringLiteral("<span style='color:%1'>not with %2: %3</span>")
                     .arg(theme.color(Role::QuietText).name(), named(in ? cut.producer : cut.consumer),
                          escaped(qt(cut.reason)));
    }
    return section(QStringLiteral("Kernel")) +
           QStringLiteral("<p style='margin-top:0'>%1</p>").arg(lines.join(QStringLiteral("<br/>")));
}

} // namespace

QString constantWords(const HostTensor &constant) {
    const int64_t count = std::min(constant.elements(), kMaxLookedAt);
    if (count <= 0) return QStringLiteral("no elements");
    const auto number = [](double value) { return QString::number(value, 'g', 4); };
    if (constant.isSplat()) return QStringLiteral("all %1").arg(number(constant.number(0)));
    double low = INFINITY, high = -INFINITY, sum = 0;
    int64_t odd = 0;
    for (int64_t i = 0; i < count; ++i) {
        const double value = constant.number(i);
        if (!std::isfinite(value)) {
            ++odd;
            continue;
        }
        low = std::min(low, value);
        high = std::max(high, value);
        sum += value;
    }
    if (count == odd) return QStringLiteral("no number is finite");
    QString text = count == 1    ? number(low)
                   : low == high ? QStringLiteral("all %1").arg(number(low))
                                 : QStringLiteral("%1 to %2, mean %3")
                                       .arg(number(low), number(high), number(sum / static_cast<double>(count - odd)));
    if (odd > 0) text += QStringLiteral("; %1 not finite").arg(odd);
    if (constant.elements() > count)
        text += QStringLiteral(" (of the first %1)").arg(countText(static_cast<double>(count)));
    return text;
}

QString nodePage(const NetworkFacts &facts, int number, const NetworkKernels *kernels, const Theme &theme) {
    const NodeFact &fact = facts.nodes[static_cast<size_t>(number)];
    const GraphFunction &function = *facts.function;
    QString html = head(fact.op, fact.name, theme);
    std::map<int, std::vector<int>> readersOf; // by value, nodes of the facts
    if (fact.id.value < 0) {
        const Value &value = function.value(fact.value);
        Rows rows;
        rows.add(fact.op, typeWords(value));
        html += rows.html();
        if (fact.kind == BoxKind::Output) return html;
    } else {
        const Node &node = function.node(fact.id);
        if (const Operator *of = findOperator(node.op); of != nullptr && !of->doc.empty())
            html += QStringLiteral("<p>%1</p>").arg(escaped(asSentence(qt(of->doc))));
        html += amounts(fact.flops, fact.constants, fact.weightBytes, fact.activationBytes);
        if (kernels != nullptr)
            html +=
                taskLine(*kernels, kernels->taskAt(fact.sources), theme) + kernelLines(*kernels, fact.sources, theme);
        Rows attributes;
        for (const auto &[name, value] : node.attributes) attributes.add(qt(name), escaped(attributeWords(value)));
        if (const QString rows = attributes.html(); !rows.isEmpty())
            html += section(QStringLiteral("Attributes")) + rows;
        Rows inputs;
        std::map<int, int> makers; // value -> node of the facts
        for (size_t i = 0; i < facts.nodes.size(); ++i) {
            const NodeFact &other = facts.nodes[i];
            if (other.kind == BoxKind::Output) continue;
            if (other.id.value < 0)
                makers[other.value.value] = static_cast<int>(i);
            else
                for (const ValueId output : function.node(other.id).outputs) makers[output.value] = static_cast<int>(i);
        }
        for (size_t i = 0; i < node.inputs.size(); ++i) {
            const ValueId input = node.inputs[i];
            if (input.value < 0) continue;
            const Value &value = function.value(input);
            QString words = typeWords(value);
            if (value.constant)
                words += QStringLiteral("<br/>constant %1<br/><span style='color:%2'>%3</span>")
                             .arg(escaped(qt(value.name)), theme.color(Role::QuietText).name(),
                                  escaped(constantWords(*value.constant)));
            else if (const auto maker = makers.find(input.value); maker != makers.end())
                words += QStringLiteral("<br/>from %1").arg(nodeLink(facts, maker->second));
            inputs.add(inputName(node, i), words);
        }
        html += section(QStringLiteral("Inputs")) + inputs.html();
    }
    Rows outputs;
    std::vector<ValueId> made = fact.id.value < 0 ? std::vector{fact.value} : function.node(fact.id).outputs;
    for (const ValueId output : made) {
        const Value &value = function.value(output);
        QString words = typeWords(value);
        for (const FlowFact &flow : facts.flows) {
            if (flow.from != number) continue;
            const NodeFact &reader = facts.nodes[static_cast<size_t>(flow.to)];
            const bool reads = reader.id.value < 0 ? reader.value == output
                                                   : std::ranges::count(function.node(reader.id).inputs, output) > 0;
            if (reads) words += QStringLiteral("<br/>to %1").arg(nodeLink(facts, flow.to));
        }
        outputs.add(qt(value.name), words);
    }
    html += section(QStringLiteral("Outputs")) + outputs.html();
    if (fact.id.value >= 0) {
        QStringList sources;
        for (const std::string &source : fact.sources) sources << escaped(qt(source));
        html += section(QStringLiteral("In the file")) +
                QStringLiteral("<p style='margin-top:0'>%1</p>").arg(sources.join(QStringLiteral("<br/>")));
    }
    return html;
}

QString nodesPage(const NetworkFacts &facts, const std::vector<int> &nodes, const NetworkKernels *kernels,
                  const Theme &theme) {
    double flops = 0;
    int constants = 0;
    int64_t weights = 0, results = 0;
    std::set<std::string> sources;
    for (const int number : nodes) {
        const NodeFact &node = facts.nodes[static_cast<size_t>(number)];
        flops += node.flops;
        constants += node.constants;
        weights += node.weightBytes;
        results += node.activationBytes;
        sources.insert(node.sources.begin(), node.sources.end());
    }
    QString html =
        head(countedText(nodes.size(), "node"), QString(), theme) + amounts(flops, constants, weights, results);
    if (kernels != nullptr) {
        std::set<int> tasks;
        for (size_t kernel = 0; kernel < kernels->sources.size(); ++kernel)
            if (meet(kernels->sources[kernel], sources)) tasks.insert(kernels->taskOf[kernel]);
        if (tasks.size() == 1)
            html += taskLine(*kernels, *tasks.begin(), theme);
        else if (!tasks.empty())
            html += QStringLiteral("<p>Of %1.</p>").arg(countedText(tasks.size(), "task"));
    }
    constexpr size_t kMaxListed = 200;
    html += section(QStringLiteral("Nodes")) + QStringLiteral("<p style='margin-top:0'>");
    for (size_t i = 0; i < std::min(kMaxListed, nodes.size()); ++i)
        html += nodeLink(facts, nodes[i]) + QStringLiteral("<br/>");
    if (nodes.size() > kMaxListed) html += QStringLiteral("and %1 more").arg(nodes.size() - kMaxListed);
    return html + QStringLiteral("</p>");
}

QString networkPage(const NetworkFacts &facts, const OpenNetwork &network, const Theme &theme) {
    QString html = head(network.name(), network.path == network.name() ? QString() : network.path, theme);
    Rows rows;
    std::map<QString, size_t> counts;
    size_t nodes = 0;
    int64_t results = 0;
    for (size_t i = 0; i < facts.nodes.size(); ++i) {
        const NodeFact &node = facts.nodes[i];
        if (node.id.value < 0) {
            const QString words = QStringLiteral("<a href='node:%1'>%2</a>  %3")
                                      .arg(i)
                                      .arg(escaped(node.name), typeWords(facts.function->value(node.value)));
            rows.add(node.op, words);
            continue;
        }
        ++nodes;
        ++counts[node.op];
        results += node.activationBytes;
    }
    rows.add(QStringLiteral("nodes"), QString::number(nodes));
    rows.add(QStringLiteral("FLOPs"), countText(facts.flops));
    rows.add(QStringLiteral("constants"),
             QStringLiteral("%1, %2").arg(facts.constants).arg(bytesText(facts.weightBytes)));
    rows.add(QStringLiteral("results"), bytesText(results));
    if (network.kernels) {
        rows.add(QStringLiteral("kernels"), QString::number(network.kernels->kernelCount()));
        rows.add(QStringLiteral("tasks"), QStringLiteral("%1 to tune").arg(network.kernels->searchable()));
    } else if (!network.kernelsProblem.isEmpty()) {
        rows.add(QStringLiteral("kernels"), escaped(network.kernelsProblem));
    }
    html += rows.html();
    Rows symbols;
    for (const SymbolFact &symbol : facts.symbols)
        symbols.add(symbol.symbol,
                    QStringLiteral("bound by <a href='node:%1'>%2</a>").arg(symbol.node).arg(escaped(symbol.where)));
    if (const QString bound = symbols.html(); !bound.isEmpty()) html += section(QStringLiteral("Sizes")) + bound;
    std::vector<std::pair<size_t, QString>> byCount;
    for (const auto &[op, count] : counts) byCount.emplace_back(count, op);
    std::ranges::stable_sort(byCount, [](const auto &a, const auto &b) { return a.first > b.first; });
    Rows operators;
    for (const auto &[count, op] : byCount) operators.add(op, QString::number(count));
    return html + section(QStringLiteral("Operators")) + operators.html();
}

QString problemsPage(const NetworkContents &contents) {
    if (contents.problems.empty()) return {};
    // One below the other: beside the graph there is no room for columns.
    QString html;
    for (const NetworkProblem &problem : contents.problems) {
        const QString place = problem.place();
        html += QStringLiteral("<p>%1%2</p>")
                    .arg(place.isEmpty() ? QString() : QStringLiteral("<b>%1</b><br>").arg(escaped(place)),
                         escaped(problem.reason));
    }
    return html;
}

} // namespace loopscope
