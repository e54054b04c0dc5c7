#include "views/network_passes/form_diff.h"

#include "views/session/network_contents.h"
#include "views/session/text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kMaxListed = 8; // elements of an attribute

template <typename List, typename Word> QString listed(const List &list, Word word) {
    QStringList words;
    for (size_t i = 0; i < std::min(kMaxListed, list.size()); ++i) words << word(list[i]);
    if (list.size() > kMaxListed) words << QStringLiteral("\u2026");
    return words.join(QStringLiteral(", "));
}

QString attributeText(const Attribute &attribute) {
    const auto real = [](double value) { return QString::number(value, 'g', 6); };
    if (const auto *integer = std::get_if<int64_t>(&attribute)) return QString::number(*integer);
    if (const auto *number = std::get_if<double>(&attribute)) return real(*number);
    if (const auto *text = std::get_if<std::string>(&attribute)) return qt(*text);
    if (const auto *integers = std::get_if<std::vector<int64_t>>(&attribute))
        return listed(*integers, [](int64_t value) { return QString::number(value); });
    if (const auto *numbers = std::get_if<std::vector<double>>(&attribute)) return listed(*numbers, real);
    if (const auto *texts = std::get_if<std::vector<std::string>>(&attribute))
        return listed(*texts, [](const std::string &text) { return qt(text); });
    const auto &tensor = std::get<HostTensor>(attribute);
    return QStringLiteral("%1 %2").arg(qt(dtypeName(tensor.dtype())), shapeText(tensor.dims()));
}

QString typeOf(const Value &value) { return value.type ? qt(typeText(*value.type)) : QStringLiteral("?"); }

QString nodeSays(const GraphFunction &function, const Node &node) {
    QStringList inputs, attributes, types;
    for (const ValueId input : node.inputs)
        inputs << (input.value >= 0 ? qt(function.value(input).name) : QStringLiteral("_"));
    for (const auto &[name, attribute] : node.attributes)
        attributes << QStringLiteral("%1 %2").arg(qt(name), attributeText(attribute));
    for (const ValueId output : node.outputs) types << typeOf(function.value(output));
    QString inside = inputs.join(QStringLiteral(", "));
    if (!attributes.isEmpty()) inside += QStringLiteral("; ") + attributes.join(QStringLiteral(", "));
    return QStringLiteral("%1(%2) \u2192 %3").arg(qt(node.op), inside, types.join(QStringLiteral(", ")));
}

bool sameAttribute(const Attribute &a, const Attribute &b) {
    if (a.index() != b.index()) return false;
    if (const auto *tensor = std::get_if<HostTensor>(&a)) return tensor->sameAs(std::get<HostTensor>(b));
    return std::visit(
        [&](const auto &value) {
            using Kept = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Kept, HostTensor>)
                return true; // above
            else
                return value == std::get<Kept>(b);
        },
        a);
}

bool sameNode(const GraphFunction &from, const Node &a, const GraphFunction &to, const Node &b) {
    const auto alike = [&](ValueId x, ValueId y) {
        if (x.value < 0 || y.value < 0) return x.value < 0 && y.value < 0;
        return from.value(x).name == to.value(y).name && from.value(x).type == to.value(y).type;
    };
    return a.op == b.op && std::ranges::equal(a.inputs, b.inputs, alike) &&
           std::ranges::equal(a.outputs, b.outputs, alike) &&
           std::ranges::equal(a.attributes, b.attributes, [](const auto &x, const auto &y) {
               return x.first == y.first && sameAttribute(x.second, y.second);
           });
}

FormChange nodeChange(FormChange::Kind kind, const Node &node) {
    FormChange change;
    change.kind = kind;
    change.name = qt(node.name);
    const std::vector<std::string> sources = sourcesOf(node);
    change.sources.insert(sources.begin(), sources.end());
    return change;
}

/// Nodes of both, those of `to` in order; false when cancelled.
bool compareNodes(const GraphFunction &from, const GraphFunction &to, const std::atomic<bool> &cancelled,
                  std::vector<FormChange> &changes) {
    using Kind = FormChange::Kind;
    std::map<std::string_view, size_t> before, after;
    for (size_t i = 0; i < from.nodeCount(); ++i) before.emplace(from.node(NodeId(i)).name, i);
    for (size_t i = 0; i < to.nodeCount(); ++i) after.emplace(to.node(NodeId(i)).name, i);
    size_t next = 0; // of `from`, whose nodes up to there have been told of
    const auto tellGone = [&](size_t end) {
        for (; next < end; ++next) {
            const Node &node = from.node(NodeId(next));
            if (after.contains(node.name)) continue;
            changes.push_back(nodeChange(Kind::Gone, node));
            changes.back().before = nodeSays(from, node);
        }
    };
    // Where the next node stood that both have: what a new node replaces is told of before it.
    std::vector<size_t> common(to.nodeCount() + 1, from.nodeCount());
    for (size_t i = to.nodeCount(); i-- > 0;) {
        const auto was = before.find(to.node(NodeId(i)).name);
        common[i] = was == before.end() ? common[i + 1] : was->second;
    }
    for (size_t i = 0; i < to.nodeCount(); ++i) {
        if (cancelled) return false;
        const Node &node = to.node(NodeId(i));
        const auto was = before.find(node.name);
        tellGone(common[i]);
        if (was == before.end()) {
            changes.push_back(nodeChange(Kind::New, node));
            changes.back().after = nodeSays(to, node);
            continue;
        }
        const Node &old = from.node(NodeId(was->second));
        if (sameNode(from, old, to, node)) continue;
        changes.push_back(nodeChange(Kind::Changed, node));
        changes.back().before = nodeSays(from, old);
        changes.back().after = nodeSays(to, node);
    }
    tellGone(from.nodeCount());
    return true;
}

std::vector<std::pair<std::string_view, const Value *>> constantsOf(const GraphFunction &function) {
    std::vector<std::pair<std::string_view, const Value *>> constants;
    for (size_t i = 0; i < function.valueCount(); ++i)
        if (const Value &value = function.value(ValueId(i)); value.constant) constants.emplace_back(value.name, &value);
    return constants;
}

QString constantSays(const Value &value) {
    return QStringLiteral("%1 %2, %3")
        .arg(qt(dtypeName(value.constant->dtype())), shapeText(value.constant->dims()),
             bytesText(static_cast<int64_t>(value.constant->byteSize())));
}

bool compareConstants(const GraphFunction &from, const GraphFunction &to, const std::atomic<bool> &cancelled,
                      std::vector<FormChange> &changes) {
    using Kind = FormChange::Kind;
    const auto before = constantsOf(from), after = constantsOf(to);
    const std::map<std::string_view, const Value *> old(before.begin(), before.end());
    const std::map<std::string_view, const Value *> now(after.begin(), after.end());
    const auto add = [&](Kind kind, const Value *was, const Value *is) {
        FormChange change{kind, true, qt((is != nullptr ? is : was)->name), {}, {}, {}};
        if (was != nullptr) change.before = constantSays(*was);
        if (is != nullptr) change.after = constantSays(*is);
        if (was != nullptr && is != nullptr && change.before == change.after)
            change.after = QCoreApplication::translate("FormDiff", "%1, other numbers").arg(change.after);
        changes.push_back(std::move(change));
    };
    for (const auto &[name, value] : before)
        if (!now.contains(name)) add(Kind::Gone, value, nullptr);
    for (const auto &[name, value] : after) {
        if (cancelled) return false;
        const auto was = old.find(name);
        if (was == old.end())
            add(Kind::New, nullptr, value);
        else if (!was->second->constant->sameAs(*value->constant))
            add(Kind::Changed, was->second, value);
    }
    return true;
}

} // namespace

size_t FormDiff::count(FormChange::Kind kind, bool constants) const {
    return static_cast<size_t>(std::ranges::count_if(
        changes, [&](const FormChange &change) { return change.kind == kind && change.constant == constants; }));
}

std::optional<FormDiff> compareForms(const GraphFunction &from, const GraphFunction &to,
                                     const std::atomic<bool> &cancelled) {
    FormDiff diff;
    if (!compareNodes(from, to, cancelled, diff.changes)) return std::nullopt;
    if (!compareConstants(from, to, cancelled, diff.changes)) return std::nullopt;
    return diff;
}

QString formDiffSentence(const FormDiff &diff) {
    using Kind = FormChange::Kind;
    const auto say = [](const char *text) { return QCoreApplication::translate("FormDiff", text); };
    QStringList parts;
    for (const bool constants : {false, true}) {
        QStringList counts;
        const auto add = [&](Kind kind, const QString &word) {
            const size_t count = diff.count(kind, constants);
            if (count == 0) return;
            counts << (counts.isEmpty() ? countedText(count, constants ? "constant" : "node")
                                        : QString::number(count)) +
                          u' ' + word;
        };
        add(Kind::Gone, say("gone"));
        add(Kind::New, say("new"));
        add(Kind::Changed, say("changed"));
        if (!counts.isEmpty()) parts << counts.join(QStringLiteral(", "));
    }
    return parts.isEmpty() ? say("Nothing differs") : parts.join(QStringLiteral("; "));
}

} // namespace loopscope
