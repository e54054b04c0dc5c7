#pragma once
// The derivation of the sketches as it happened: states, the rules that led from one to the next, the rules that were
// refused and why, and the finished sketches at the ends. Plain data made from the trace of generateSketches; what of
// it is shown, and where, is not decided here.

#include "schedule/loop_state.h"
#include "search/sketch/sketch.h"

#include <QString>
#include <QStringList>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

/// A rule asked on a stage of a state.
struct RuleTried {
    QString rule;
    QString stage;            // name of the op
    bool placeholder = false; // the stage is an input
    QString reason;           // why it applies, or why it was refused
};

struct DerivationNode {
    int number = 0;  // SketchStep's; index in DerivationTree::nodes
    int parent = -1; // -1: the naive state
    RuleTried by;    // what made it; empty for the naive state
    int way = 0;     // of several results of one application of the rule, from 1; 0 = the only one
    int ways = 0;
    std::vector<int> children;
    std::vector<RuleTried> refused; // in the order asked
    std::shared_ptr<const LoopState> state;
    int sketch = -1;    // finished: which sketch it is
    bool again = false; // finished: the sketch was reached before, on another way

    [[nodiscard]] bool skipped() const { return by.rule == QLatin1String("SkipStage"); }
};

struct DerivationTree {
    std::vector<DerivationNode> nodes; // by number; parents stand before their children
    std::vector<int> endOf;            // by sketch: the node it ended as first; -1 when the trace does not know
    int applied = 0;
    int refused = 0;
    QStringList stages; // that a rule was asked on, in the order met
    QStringList rules;  // in the order asked

    [[nodiscard]] bool empty() const { return nodes.empty(); }
    /// From the naive state to `node`, both included.
    [[nodiscard]] std::vector<int> pathTo(int node) const;
};

/// Makes a tree in slices: the derivation of a long chain of stages has tens of thousands of steps, too many to read
/// between two frames and too many to copy into a job.
class DerivationReader {
  public:
    explicit DerivationReader(DagPtr dag);
    /// Steps not read so far, at most `most`; true when all are.
    bool read(const std::vector<SketchStep> &steps, size_t most);
    DerivationTree finish(const std::vector<Sketch> &sketches);

  private:
    DerivationNode &node(int number);
    QString text(std::string_view text);
    [[nodiscard]] RuleTried triedOf(const SketchStep &step, const LoopState *state);
    DagPtr m_dag;
    DerivationTree m_tree;
    size_t m_read = 0;
    /// Tens of thousands of refusals share some dozens of texts: each is kept once.
    std::map<std::string, QString, std::less<>> m_texts;
};

/// "Tiling · conv2d (way 1 of 2)"; "skip data" for SkipStage.
QString ruleText(const DerivationNode &node);
/// One sentence: "Tiling was refused on T_relu: it has no data reuse to tile for."
QString refusalText(const RuleTried &tried);
/// What the rules made, without the stages skipped: "AlwaysInline T_add · Tiling conv2d"; "naive loops" when nothing.
QString rulesText(const Sketch &sketch);

} // namespace loopscope
