#pragma once
// Dragging in the tree of loops: a loop to another place of its stage reorders them, a stage (its statement, or a loop
// of it) onto a loop of its reader is computed there, below everything it is computed on its own. While one hovers, the
// tree says what would be done and what that is worth, or which rule forbids it.

#include "views/loops/move_text.h"
#include "views/session/move_predictions.h"
#include "views/settings/theme.h"

#include <QObject>
#include <QPoint>
#include <QPointer>

#include <functional>
#include <optional>

class QFrame;
class QLabel;
class QTreeView;

namespace loopscope {

class LoopTreeModel;

class LoopDrag : public QObject {
    Q_OBJECT

  public:
    LoopDrag(QTreeView &tree, LoopTreeModel &model, Theme &theme, QObject *parent);

    /// What is dragged in; null while it is not known, and then nothing can be dragged.
    void setSchedule(std::function<OfferedMovesPtr()> schedule) { m_schedule = std::move(schedule); }
    [[nodiscard]] bool dragging() const { return m_dragging; }
    [[nodiscard]] QString hint() const; // as it is shown; empty: none is

  signals:
    void dropped(const loopscope::Step &step);
    void refused(const QString &sentence);

  protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

  private:
    struct Drop {
        std::optional<Step> step; // none: nothing is meant by it
        QString text;             // what it does, or why not
        bool legal = false;
    };
    [[nodiscard]] std::optional<MoveTarget> targetAt(const QPoint &place) const;
    [[nodiscard]] Drop dropAt(const QPoint &place) const;
    void hover(const QPoint &place);
    void drop(const QPoint &place);
    void stop(bool hintStays);
    void placeHint(const Drop &drop);
    void placeMark(const QPoint &place, const Drop &drop);

    QTreeView &m_tree;
    LoopTreeModel &m_model;
    Theme &m_theme;
    std::function<OfferedMovesPtr()> m_schedule;
    OfferedMovesPtr m_moves; // of the schedule the drag began in
    QPoint m_pressed;
    std::optional<MoveTarget> m_source;
    bool m_dragging = false;
    QLabel *m_hint = nullptr; // at the foot of the tree
    QFrame *m_mark = nullptr; // at the row
};

} // namespace loopscope
