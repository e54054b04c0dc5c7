#pragma once
// A function while a pass changes it: nodes stand in an order that new ones are put into, values are replaced by
// others, what nobody reads any more goes away, and the report is told of it. The function it began with is not
// copied: what stays is read there, so that looking at a million nodes costs little and a pass that changes nothing
// hands back the same pointer.
//
// Ids are those of the function it began with; nodes and values that are added get the numbers behind them. Whoever
// reads a node's inputs asks `input`, which knows what stands for a value now. Not for passes that reorder nodes.

#include "networks/graph/function.h"
#include "networks/passes/joined_sources.h"
#include "networks/passes/pass_report.h"
#include "networks/passes/reading_nodes.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace loopscope {

class FunctionEdit {
  public:
    /// `report` outlives it.
    FunctionEdit(FunctionPtr from, std::string pass, PassReport &report);

    /// In order; invalid behind the last one. A node that is removed keeps its way to the next one.
    [[nodiscard]] NodeId first() const;
    [[nodiscard]] NodeId next(NodeId node) const;
    [[nodiscard]] bool alive(NodeId node) const { return m_places[node.index()].alive; }
    [[nodiscard]] size_t blockOf(NodeId node) const { return m_places[node.index()].block; }
    /// All ids of nodes, of removed ones too, are below it.
    [[nodiscard]] size_t nodeLimit() const { return m_places.size(); }

    [[nodiscard]] const Node &node(NodeId node) const;
    /// What it reads now; invalid where it was left out or is beyond the last one.
    [[nodiscard]] ValueId input(NodeId node, size_t at) const;
    [[nodiscard]] std::vector<ValueId> inputs(NodeId node) const;
    [[nodiscard]] ValueId output(NodeId of) const { return node(of).outputs[0]; }

    /// What stands for a value now; itself, where nothing replaced it. Values that were kept aside are asked for so.
    [[nodiscard]] ValueId current(ValueId value) const;
    [[nodiscard]] const Value &value(ValueId value) const;
    [[nodiscard]] NodeId producer(ValueId value) const { return this->value(value).producer; }
    /// Null when it is none, or left out.
    [[nodiscard]] const HostTensor *constant(ValueId value) const;
    /// Null before types are inferred.
    [[nodiscard]] const TensorType *type(ValueId value) const;
    /// How many inputs read it, a result counted as one.
    [[nodiscard]] size_t uses(ValueId value) const { return m_uses[value.index()]; }
    [[nodiscard]] bool isResult(ValueId value) const { return m_results.contains(value.value); }
    /// Nodes that read it, in no particular order, each once.
    [[nodiscard]] std::vector<NodeId> readers(ValueId value);

    ValueId addConstant(const std::string &name, HostTensor value);
    /// Before a node that it is made in the place of (whose sources it shares); what it reads stands before that one.
    /// Its one output has a type where the catalogue can tell.
    ValueId add(NodeId before, std::string op, std::vector<ValueId> inputs, Attributes attributes = {});
    /// The same with so many outputs.
    NodeId addNode(NodeId before, std::string op, std::vector<ValueId> inputs, Attributes attributes, size_t outputs);

    /// Readers of `old` read `now`, which has the same numbers, from here on; a new value takes over the name. What is
    /// not read any more goes, and its sources go to the node that `now` comes from, or to the one that is named as
    /// `heir`. False, and nothing done, where `old` is a result that has to keep its name and `now` cannot take it.
    bool replace(ValueId old, ValueId now, std::string_view sentence, NodeId heir = {});
    /// Removes nodes that no result depends on; says how many.
    size_t removeDead(std::string_view sentence);
    /// Constants that nobody reads are left out of the function that is made.
    void dropUnusedConstants();

    /// The function it began with where nothing changed.
    FunctionPtr finish();

  private:
    struct Place {
        int next = -1;
        int previous = -1;
        uint32_t block = 0;
        int position = 0; // of the node of the old function that it stands at
        bool alive = true;
    };
    Value &changedValue(ValueId value);
    void remove(NodeId node, NodeId into, std::string_view sentence);
    void removeUnread(NodeId node, NodeId into, std::string_view sentence);
    std::string nameFor(NodeId before, std::string_view op);

    FunctionPtr m_from;
    std::string m_pass;
    PassReport &m_report;
    bool m_changed = false;
    std::vector<Place> m_places; // by node; the order as a list through them
    int m_first = -1;
    std::deque<Node> m_newNodes;
    std::deque<Value> m_newValues;
    std::unordered_map<int, Value> m_changedValues;
    std::unordered_set<int> m_fresh;    // new values that have not taken over a name
    mutable std::vector<int> m_forward; // by value: what stands for it; itself
    std::vector<uint32_t> m_uses;
    std::unordered_set<int> m_results;
    ReadingNodes m_readers;
    JoinedSources m_joined;
    std::unordered_set<std::string> m_names; // of values, once one is made
};

/// Of a value all of whose extents are known.
std::optional<std::vector<int64_t>> knownDims(const FunctionEdit &edit, ValueId value);
/// Its type leaves it none: what it is is known, whatever computes it.
bool hasNoElements(const FunctionEdit &edit, ValueId value);

} // namespace loopscope
