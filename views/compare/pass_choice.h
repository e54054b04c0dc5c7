#pragma once
// After which pass of the lowering the loops of both sides are shown. Targets have lists of passes of their own: then
// those that both have can be chosen.

#include "views/compare/compared_side.h"

#include <QComboBox>

namespace loopscope {

class PassChoice : public QComboBox {
    Q_OBJECT

  public:
    explicit PassChoice(QWidget *parent);

    /// What the user chose last stays chosen where it is there.
    void offer(const ComparedSide &left, const ComparedSide &right);
    [[nodiscard]] QString pass() const { return isEnabled() ? currentText() : kStatePass; }
    /// What is shown is the program that code is made of.
    [[nodiscard]] bool atLast() const { return isEnabled() && m_endsAlike && currentIndex() == count() - 1; }

  signals:
    void passChosen();

  private:
    QString m_wanted; // empty: the last one
    bool m_endsAlike = true;
};

} // namespace loopscope
