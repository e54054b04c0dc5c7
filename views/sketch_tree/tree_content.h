#pragma once
// What the sketch tree shows: the derivation of the task, read in slices between two frames, the part of it that was
// chosen, and what the search made of every sketch. Knows no picture.

#include "views/session/session.h"
#include "views/sketch_tree/shown_tree.h"
#include "views/sketch_tree/sketch_statistics.h"

#include <QTimer>

#include <memory>

namespace loopscope {

class TreeContent : public QObject {
    Q_OBJECT

  public:
    TreeContent(Session &session, TreeChoice choice);
    ~TreeContent() override;

    [[nodiscard]] const DerivationTree &tree() const { return m_tree; }
    [[nodiscard]] const TreeChoice &choice() const { return m_choice; }
    [[nodiscard]] const ShownTree &shown() const { return m_shown; }
    [[nodiscard]] const SketchStatistics &statistics() const { return m_statistics; }
    [[nodiscard]] bool reading() const { return m_reader != nullptr; }
    /// The shown node and the derivation node of an index in shown().
    [[nodiscard]] const ShownNode &shownAt(int index) const { return m_shown.nodes[static_cast<size_t>(index)]; }
    [[nodiscard]] const DerivationNode &nodeAt(int index) const;
    [[nodiscard]] int indexOf(int number) const;              // in shown(); -1 not shown
    [[nodiscard]] int nodeOf(const Selected &selected) const; // derivation node of its schedule; -1 none

    void readDocument();
    void choose(TreeChoice choice);

  signals:
    void aboutToRead();
    void readAgain();    // the same tree, told of once more
    void replacing();    // another tree is there, nothing of which is shown yet
    void shownChanged(); // of the same tree, or of another
    void replaced();
    void recounted(); // the statistics

  private:
    void readSlice();
    void take(DerivationTree tree);
    void countSoon(bool all);
    void count();

    Session &m_session;
    DerivationTree m_tree;
    TreeChoice m_choice;
    ShownTree m_shown;
    SketchStatistics m_statistics;
    int m_documentId = -1;
    std::shared_ptr<const Task> m_task;         // the tree's
    size_t m_steps = 0;                         // it was made of
    std::unique_ptr<DerivationReader> m_reader; // while a derivation is read
    QTimer m_slice;
    size_t m_counted = 0;   // trials in the statistics
    bool m_recount = false; // all of them anew
    QTimer m_refresh;
};

} // namespace loopscope
