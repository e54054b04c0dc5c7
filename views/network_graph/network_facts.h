#pragma once
// Everything the network view says about a function, as values: what each node does, to which shapes, with what weights
// and how much of it. Made in a job; the view only draws it. Constants are no nodes: they are counted where they are
// read.

#include "networks/graph/function.h"
#include "views/settings/theme.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

/// What kind of thing a box stands for; its colour.
enum class BoxKind : uint8_t { Input, Output, Heavy, Elementwise, Movement, Reduction, Other };
Role boxColor(BoxKind kind);
QString boxMeaning(BoxKind kind); // for the legend

struct NodeFact {
    BoxKind kind = BoxKind::Other;
    NodeId id;       // invalid: a parameter or a result
    ValueId value;   // the first that it makes, or the parameter or result
    QString op;      // "conv"; "input", "output"
    QString name;    // as the file has it
    QString layer;   // "conv2_1/x1": of the name, or of its weights where the name says nothing; may be empty
    QString shape;   // of its first output: "1 × 64 × 56 × 56"
    QString dtype;   // of the same
    QString details; // "3 × 3, stride 2, pad 1"
    std::set<std::string> sources;
    int constants = 0;
    int64_t weightBytes = 0;
    int64_t activationBytes = 0; // of what it makes; 0 where a dim is not a number
    double flops = 0;            // of multiplications and additions, as usual; 0 where nobody counts any
};

/// A value on its way from the node that makes it to one that reads it.
struct FlowFact {
    int from = 0;
    int to = 0;
    QString shape;
    QString tip; // name and full type
};

/// A dim without a number: a letter on the arrows.
struct SymbolFact {
    QString symbol;
    int node = 0;  // whose value gives it its number
    QString where; // "axis 0 of x"
};

struct NetworkFacts {
    FunctionPtr function;
    std::vector<NodeFact> nodes; // inputs, then nodes in order, then results
    std::vector<FlowFact> flows;
    std::vector<SymbolFact> symbols; // in the order in which they are bound
    int constants = 0;
    int64_t weightBytes = 0; // each constant once
    double flops = 0;

    /// Those whose sources meet these.
    [[nodiscard]] std::vector<int> nodesOf(const std::set<std::string> &wanted) const;
    /// Null: nothing binds it.
    [[nodiscard]] const SymbolFact *symbol(const QString &name) const;
};
using NetworkFactsPtr = std::shared_ptr<const NetworkFacts>;

/// `imported`: the network as its file has it, where `function` is what passes made of it: layers are named as there.
NetworkFactsPtr networkFacts(const FunctionPtr &function, const FunctionPtr &imported = nullptr);

/// Nodes in which every word occurs (in any letter case) in operator, name, layer, shape, type or attributes. Those
/// whose name or operator matches first.
std::vector<int> findNodes(const NetworkFacts &facts, const QString &words);

/// "n is bound by axis 0 of x", a line for each symbol of the type that has a place; empty for none.
QString symbolLines(const NetworkFacts &facts, const TensorType &type);

/// "1 × 64 × 56 × 56", "n × 3", "scalar".
QString dimsWords(const Dims &dims);
/// Of one attribute, shortened: "2, 2", "0.1", "float32 8 × 3".
QString attributeWords(const Attribute &attribute);
/// Those that tell convolutions and pools apart, in short.
QString attributeSummary(const GraphFunction &function, const Node &node);
/// Two for each multiply-add of convolutions and products, one for each element that is computed otherwise.
double flopsOf(const GraphFunction &function, const Node &node);

} // namespace loopscope
