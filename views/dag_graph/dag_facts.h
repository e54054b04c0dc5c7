#pragma once
// Everything the ComputeDAG view says about a DAG, as values: what a stage computes over which axes, what the access
// analysis knows about it, and how each stage reads another. Made in a job; the view only draws it.

#include "language/dag/compute_dag.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>
#include <vector>

namespace loopscope {

enum class StageKind : uint8_t { Placeholder, Compute, ConstantMatrix, Output };

/// What the access analysis and the attributes say, as short marks on the node.
enum class Badge : uint8_t {
    NeedsTiling,
    Inlineable,
    Output,
    Reduction,
    ConstantMatrix,
    Branch,
    Expensive,
    ConstantIndices,
    LayoutFree,
};
QString badgeText(Badge badge);    // "needs tiling"
QString badgeMeaning(Badge badge); // one sentence, for the tooltip and the legend

struct AxisFact {
    QString name;
    int64_t extent = 1;
    bool reduce = false;
};

struct StageFact {
    QString name;
    StageKind kind = StageKind::Compute;
    std::vector<AxisFact> axes; // spatial, then reduce
    QString shape;              // "1 × 512 × 7 × 7"
    QString dtype;
    QString expression; // "+= A[i, k] * B[k, j]"; empty for placeholders
    QStringList attributes;
    double flops = 0; // -1 when they cannot be counted
    double share = 0; // of the whole DAG's, 0 to 1
    std::vector<Badge> badges;
    std::vector<int> producers; // stage numbers
    std::vector<int> consumers;
    /// Reads its inputs point by point and reduces nothing: may be a link of a collapsed chain.
    bool elementwise = false;

    [[nodiscard]] bool has(Badge badge) const;
};

/// How `to` reads `from`.
struct ReadFact {
    int from = 0;
    int to = 0;
    QString indices;    // "pad_temp[nn, rc, yy + ry, xx + rx]"; several reads separated by line breaks
    QString how;        // "window 3 × 3", "elementwise", "broadcast over i"
    double reuse = 1;   // reads per element of `from` that is read at all
    bool direct = true; // elementwise, in the consumer's own order
};

struct DagFacts {
    std::vector<StageFact> stages;
    std::vector<ReadFact> reads; // by consumer, then in input order
    double flops = -1;

    [[nodiscard]] int find(const QString &name) const; // -1 when absent
};
using DagFactsPtr = std::shared_ptr<const DagFacts>;

DagFactsPtr dagFacts(const ComputeDag &dag);
ReadFact readFact(const ComputeDag &dag, int from, int to); // read_facts.cpp

/// "×49 reuse"; empty when every element is read once.
QString reuseText(double reuse);

} // namespace loopscope
