#pragma once
// The loops before a step and after it, side by side, with the rows that differ marked.

#include "views/loops/loop_tree.h"
#include "views/settings/theme.h"

#include <QWidget>

#include <array>
#include <vector>

class QLabel;
class QSplitter;

namespace loopscope {

class LoopTreeModel;
class LoopTreeView;

struct BesideTrees {
    LoopTreePtr before;
    LoopTreePtr after;
    std::vector<int> changedBefore; // rows
    std::vector<int> changedAfter;
};
/// Runs on any thread.
BesideTrees makeBeside(const LoopState &before, const LoopState &after, const Target &target);

class LoopsBeside : public QWidget {
    Q_OBJECT

  public:
    enum Side { Before, After };

    explicit LoopsBeside(Theme &theme, QWidget *parent = nullptr);

    void show(const BesideTrees &trees, int step);
    /// Instead of them.
    void say(const QString &sentence);
    [[nodiscard]] const LoopTreeModel &model(Side side) const { return *m_panes[side].model; }
    void restyle();

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    struct Pane {
        QLabel *title = nullptr;
        LoopTreeModel *model = nullptr;
        LoopTreeView *tree = nullptr;
    };
    void scrollTogether();

    Theme &m_theme;
    std::array<Pane, 2> m_panes;
    QSplitter *m_splitter = nullptr;
    QLabel *m_sentence = nullptr;
};

} // namespace loopscope
