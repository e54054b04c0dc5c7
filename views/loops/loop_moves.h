#pragma once
// Scheduling by hand in the tree of loops: the menu of a loop, the palette over it, dragging, and measuring by one key.
// What is done makes a node of the tree of edits (views/session/edited_schedules.h), which is shown then.

#include "views/loops/loop_tree.h"
#include "views/loops/move_text.h"
#include "views/session/move_predictions.h"
#include "views/session/view_context.h"

#include <QPointer>

#include <optional>

class QTreeView;

namespace loopscope {

class CommandPalette;
class LoopDrag;
class LoopTreeModel;
class MoveMenu;
struct PaletteAnswer;
struct PaletteItem;

class LoopMoves : public QObject {
    Q_OBJECT

  public:
    LoopMoves(const ViewContext &context, QTreeView &tree, LoopTreeModel &model);
    ~LoopMoves() override;

    /// What can be done to the schedule shown; null while that is found.
    [[nodiscard]] OfferedMovesPtr offered() const;
    /// What a row stands for; none: a pass made it.
    [[nodiscard]] static std::optional<MoveTarget> targetOf(const LoopRow &row);
    /// Of the current row, of what is selected elsewhere, or else the first loop.
    [[nodiscard]] std::optional<MoveTarget> currentTarget() const;

  protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

  private:
    void addActions();
    void follow();
    void ready(const ScheduleRef &ref);
    void popupMenu(const QPoint &place);
    void popupPalette(const QString &text, const std::optional<MoveTarget> &about);
    void make(const Step &step);
    void makeAll(const std::vector<Step> &steps);
    void measure();
    [[nodiscard]] std::vector<PaletteItem> paletteItems(const OfferedMoves &moves, const MoveTarget &about);
    PaletteAnswer answer(const QString &typed, const MoveTarget &about);
    [[nodiscard]] ScheduleRef shown() const { return m_context.session.selection().now().schedule; }
    [[nodiscard]] bool onScreen() const; // the tree is of the schedule shown

    ViewContext m_context;
    QTreeView &m_tree;
    LoopTreeModel &m_model;
    LoopDrag *m_drag = nullptr;
    QPointer<CommandPalette> m_palette;
    std::optional<MoveTarget> m_paletteAbout;
    QPointer<MoveMenu> m_menu;
    std::optional<ScheduleRef> m_paletteWaits; // for the tree of that one
    OfferedMovesPtr m_offered;                 // of the schedule shown
};

} // namespace loopscope
