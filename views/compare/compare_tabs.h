#pragma once
// The tabs of a comparison, named as the targets of both sides call their forms.

#include "views/compare/compared_side.h"

#include <QTabBar>

namespace loopscope {

class CompareTabs : public QTabBar {
    Q_OBJECT

  public:
    explicit CompareTabs(QWidget *parent);

    [[nodiscard]] CompareTab tab() const { return static_cast<CompareTab>(currentIndex()); }
    void setTab(CompareTab tab) { setCurrentIndex(static_cast<int>(tab)); }
    /// Processors have no form below their assembly: that tab is there when a side is for a GPU.
    void nameFor(bool leftGpu, bool rightGpu);

  private:
    bool m_leftGpu = false;
    bool m_rightGpu = false;
};

} // namespace loopscope
