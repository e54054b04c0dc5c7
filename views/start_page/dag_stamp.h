#pragma once
// A ComputeDAG as a picture the size of a stamp: dots in layers and lines between them. Its own simple layering,
// because thirty of them are drawn before anybody has asked for one.

#include "language/dag/compute_dag.h"
#include "views/settings/theme.h"

#include <QPointF>

#include <vector>

class QPainter;
class QRectF;

namespace loopscope {

struct DagStamp {
    enum class Kind : uint8_t { Input, Elementwise, Reduction, Constant };
    struct Node {
        QPointF at; // 0 to 1 in both directions, inputs on top
        Kind kind = Kind::Input;
        bool output = false;
    };
    std::vector<Node> nodes;
    std::vector<std::pair<int, int>> edges; // producer, consumer
    int layers = 0;
    int widest = 0;
    double flops = -1;
    int stages = 0; // computes, placeholders left out
};

DagStamp drawDag(const ComputeDag &dag);

void paintDagStamp(QPainter &painter, const QRectF &area, const DagStamp &picture, const Theme &theme);

} // namespace loopscope
