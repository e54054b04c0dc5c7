#pragma once
// What the loop tree says of the time: which part of the estimated cycles is spent inside a row and what most of them
// go to, and what a loop adds to the score of a model that learnt the trials (session/explanations.h).

#include "views/loops/loop_tree.h"
#include "views/session/explanations.h"

#include <QObject>

#include <limits>
#include <vector>

namespace loopscope {

class LoopTreeModel;
class Session;

/// Of a row of the tree.
struct RowReason {
    QString bound;        // "L2 loads 61 %"; empty: not known of this row
    double cycles = 0;    // inside, as a share of the program's: 0 .. 1
    bool traffic = false; // what bounds it is a memory, not the core
    QString boundTip;
    bool scored = false;
    double score = 0;    // its own contribution
    double relative = 0; // to the largest of the tree: -1 .. 1
    QString scoreTip;
};

/// By row. Loops are found by stage and name; of the statements of a stage the one reached most often.
std::vector<RowReason> reasonsOf(const LoopTree &tree, const Explained &explained);

/// Keeps the reasons of a tree model up to date.
class LoopReasons : public QObject {
    Q_OBJECT

  public:
    LoopReasons(Session &session, LoopTreeModel &model, QObject *parent);

  private:
    void refresh();

    Session &m_session;
    LoopTreeModel &m_model;
};

} // namespace loopscope
