#include "views/dag_graph/dag_facts.h"

#include "language/expr/readable_text.h"
#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr size_t kLongestExpression = 20000; // characters kept; constant matrices select among hundreds of numbers

/// Without the pair of parentheses round the whole.
std::string assignment(const Op &op) {
    if (!op.reduction) return "= ";
    switch (reduceKind(op.reduction->combiner)) {
    case ReduceKind::Sum:
        return "+= ";
    case ReduceKind::Prod:
        return "*= ";
    case ReduceKind::Min:
        return "min= ";
    case ReduceKind::Max:
        return "max= ";
    case ReduceKind::Other:
        return "combine= ";
    }
    return "= ";
}

QString expressionText(const Op &op) {
    if (op.isPlaceholder()) return {};
    std::string text;
    for (size_t k = 0; k < op.body.size(); ++k) {
        if (k > 0) text += "; ";
        if (op.body.size() > 1) text.append("v").append(std::to_string(k)).append(" ");
        text += assignment(op) + readableText(op.body[k]);
        if (text.size() > kLongestExpression) {
            text.resize(kLongestExpression);
            return qt(text) + QStringLiteral(" …");
        }
    }
    if (op.reduction && op.reduction->condition) text += " where " + readableText(op.reduction->condition);
    return qt(text);
}

QStringList attributeTexts(const Op &op) {
    QStringList list;
    for (const auto &[name, value] : op.attrs) {
        if (const auto *number = std::get_if<int64_t>(&value)) {
            list << QStringLiteral("%1 = %2").arg(qt(name)).arg(*number);
        } else if (const auto *word = std::get_if<std::string>(&value)) {
            list << QStringLiteral("%1 = %2").arg(qt(name), qt(*word));
        } else {
            QStringList words;
            for (const std::string &word : std::get<std::vector<std::string>>(value)) words << qt(word);
            list << QStringLiteral("%1 = %2").arg(qt(name), words.join(QStringLiteral(", ")));
        }
    }
    if (!op.tag.empty()) list << QStringLiteral("tag = %1").arg(qt(op.tag));
    return list;
}

bool layoutFree(const ComputeDag &dag, const Op &placeholder) {
    for (const OpPtr &op : dag.ops()) {
        const auto found = op->attrs.find("layout_free_placeholders");
        if (found == op->attrs.end()) continue;
        const auto *names = std::get_if<std::vector<std::string>>(&found->second);
        if (names && std::find(names->begin(), names->end(), placeholder.name) != names->end()) return true;
    }
    return false;
}

std::vector<Badge> badgesOf(const ComputeDag &dag, size_t number) {
    const Op &op = dag.op(number);
    const OpAccess &access = dag.access(number);
    std::vector<Badge> badges;
    const auto add = [&badges](Badge badge, bool holds) {
        if (holds) badges.push_back(badge);
    };
    if (op.isPlaceholder()) {
        add(Badge::LayoutFree, layoutFree(dag, op));
        return badges;
    }
    add(Badge::NeedsTiling, access.needsMultiLevelTiling);
    add(Badge::Reduction, op.reduction.has_value());
    add(Badge::Inlineable, access.strictlyInlineable && !access.isOutput);
    add(Badge::Output, access.isOutput);
    add(Badge::ConstantMatrix, op.attrs.contains("const_matrix"));
    add(Badge::ConstantIndices, op.attrs.contains("auto_scheduler_simplify_const_tensor_indices"));
    add(Badge::Branch, access.hasBranch);
    add(Badge::Expensive, access.hasExpensive);
    return badges;
}

StageKind kindOf(const Op &op, const OpAccess &access) {
    if (op.isPlaceholder()) return StageKind::Placeholder;
    if (op.attrs.contains("const_matrix")) return StageKind::ConstantMatrix;
    return access.isOutput ? StageKind::Output : StageKind::Compute;
}

bool isElementwise(const Op &op, const OpAccess &access) {
    if (op.isPlaceholder() || op.reduction || access.loads.empty()) return false;
    return std::all_of(access.loads.begin(), access.loads.end(),
                       [](const LoadAccess &load) { return load.simple && load.sameOrder && !load.axisDuplicated; });
}

StageFact stageFact(const ComputeDag &dag, size_t number, double total) {
    const Op &op = dag.op(number);
    const OpAccess &access = dag.access(number);
    StageFact fact;
    fact.name = qt(op.name);
    fact.kind = kindOf(op, access);
    for (const Axis &axis : op.axes) fact.axes.push_back({qt(axis.name()), axis.extent, false});
    if (op.reduction)
        for (const Axis &axis : op.reduction->axes) fact.axes.push_back({qt(axis.name()), axis.extent, true});
    fact.shape = shapeText(op.shape());
    QStringList types;
    for (const auto &output : op.outputs) types << qt(dtypeName(output->dtype));
    types.removeDuplicates();
    fact.dtype = types.join(QStringLiteral(", "));
    if (op.outputs.size() > 1) fact.dtype += QStringLiteral(" (%1 outputs)").arg(op.outputs.size());
    fact.expression = expressionText(op);
    fact.attributes = attributeTexts(op);
    fact.flops = dag.flopsOf(number);
    fact.share = total > 0 && fact.flops > 0 ? fact.flops / total : 0;
    fact.badges = badgesOf(dag, number);
    fact.producers = access.producers;
    fact.consumers = access.consumers;
    fact.elementwise = isElementwise(op, access);
    return fact;
}

} // namespace

QString badgeText(Badge badge) {
    switch (badge) {
    case Badge::NeedsTiling:
        return QStringLiteral("needs tiling");
    case Badge::Inlineable:
        return QStringLiteral("inlineable");
    case Badge::Output:
        return QStringLiteral("output");
    case Badge::Reduction:
        return QStringLiteral("reduction");
    case Badge::ConstantMatrix:
        return QStringLiteral("constant");
    case Badge::Branch:
        return QStringLiteral("branch");
    case Badge::Expensive:
        return QStringLiteral("exp");
    case Badge::ConstantIndices:
        return QStringLiteral("constant indices");
    case Badge::LayoutFree:
        return QStringLiteral("layout free");
    }
    return {};
}

QString badgeMeaning(Badge badge) {
    switch (badge) {
    case Badge::NeedsTiling:
        return QStringLiteral("Reads elements again and again: worth tiling on several levels.");
    case Badge::Inlineable:
        return QStringLiteral("Cheap and read point by point: its expression can be put into its consumers.");
    case Badge::Output:
        return QStringLiteral("No other stage reads it: a result of the workload.");
    case Badge::Reduction:
        return QStringLiteral("Combines values along its reduction axes.");
    case Badge::ConstantMatrix:
        return QStringLiteral("A matrix of constants that the search unrolls into its readers.");
    case Badge::Branch:
        return QStringLiteral("Contains an if_then_else or select, so it is not inlined without a reason.");
    case Badge::Expensive:
        return QStringLiteral("Computes exp, so it is not inlined to be computed again.");
    case Badge::ConstantIndices:
        return QStringLiteral("Its small loops are unrolled, so that constant tensors disappear from it.");
    case Badge::LayoutFree:
        return QStringLiteral("A weight whose layout in memory may be changed to suit the schedule.");
    }
    return {};
}

bool StageFact::has(Badge badge) const { return std::find(badges.begin(), badges.end(), badge) != badges.end(); }

int DagFacts::find(const QString &name) const {
    const auto found =
        std::find_if(stages.begin(), stages.end(), [&name](const StageFact &stage) { return stage.name == name; });
    return found == stages.end() ? -1 : static_cast<int>(found - stages.begin());
}

DagFactsPtr dagFacts(const ComputeDag &dag) {
    auto facts = std::make_shared<DagFacts>();
    facts->flops = dag.flops();
    for (size_t i = 0; i < dag.size(); ++i) {
        facts->stages.push_back(stageFact(dag, i, facts->flops));
        for (const int producer : dag.access(i).producers)
            facts->reads.push_back(readFact(dag, producer, static_cast<int>(i)));
    }
    return facts;
}

QString reuseText(double reuse) {
    if (reuse < 1.05) return {};
    const double whole = std::round(reuse);
    const QString number = reuse < 9.95      ? QString::number(reuse, 'g', 2)
                           : whole < 1000000 ? QString::number(whole, 'f', 0)
                                             : countText(whole);
    return QStringLiteral("×%1 reuse").arg(number);
}

} // namespace loopscope
