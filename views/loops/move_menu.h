#pragma once
// The menu of a loop, or of a stage: what can be done to it and what that is predicted to be worth, in groups; and what
// cannot be done here, with the rule that forbids it.

#include "views/loops/move_text.h"
#include "views/session/move_predictions.h"

#include <QMenu>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace loopscope {

class MoveMenu : public QMenu {
    Q_OBJECT

  public:
    /// `make` is told the step chosen; `type` what the palette is to begin with, for what has to be typed.
    struct Does {
        std::function<void(const Step &step)> make;
        std::function<void(const QString &text)> type;
    };
    MoveMenu(OfferedMovesPtr moves, MoveTarget target, bool gpu, Does does, QWidget *parent);

    [[nodiscard]] const MoveTarget &target() const { return m_target; }
    /// The same moves, of which more is known now.
    void predict(const OfferedMovesPtr &moves);

  private:
    void fill(bool gpu);
    void addMoves(MoveGroup group);
    void addForbidden(bool gpu);
    QAction *addMove(QMenu &menu, size_t move);
    void tell();

    OfferedMovesPtr m_moves;
    MoveTarget m_target;
    Does m_does;
    std::vector<std::pair<QAction *, size_t>> m_entries; // and which move each is
    std::vector<std::pair<QMenu *, std::vector<size_t>>> m_groups;
};

} // namespace loopscope
