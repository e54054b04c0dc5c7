#pragma once
// The line one types into to find a loop, a statement, a stage or a memory in the tree above it.

#include "views/settings/theme.h"

#include <QModelIndex>
#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;

namespace loopscope {

class LoopTreeModel;

class LoopFindLine : public QWidget {
    Q_OBJECT

  public:
    LoopFindLine(const Theme &theme, LoopTreeModel &model, QWidget *parent);

    void begin();
    void searchAnew(); // the model shows another tree
    void restyle(const Theme &theme);

  signals:
    /// Typing is no choice yet, stepping on is.
    void found(const QModelIndex &index, bool chosen);
    void closed();

  private:
    void step(int direction, bool choose = true);
    void close();

    LoopTreeModel &m_model;
    QLineEdit *m_edit = nullptr;
    QLabel *m_count = nullptr;
    std::vector<int> m_found; // rows
    size_t m_at = 0;
};

} // namespace loopscope
