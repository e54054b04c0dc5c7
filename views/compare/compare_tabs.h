#pragma once
// The tabs of a comparison, named as the target calls its forms.

#include "views/compare/compared_side.h"

#include <QTabBar>

namespace loopscope {

class CompareTabs : public QTabBar {
    Q_OBJECT

  public:
    explicit CompareTabs(QWidget *parent);

    [[nodiscard]] CompareTab tab() const { return static_cast<CompareTab>(currentIndex()); }
    void setTab(CompareTab tab) { setCurrentIndex(static_cast<int>(tab)); }
    [[nodiscard]] bool forGpu() const { return m_gpu; }
    /// Processors have no form below their assembly.
    void nameFor(bool gpu);

  private:
    bool m_gpu = false;
};

} // namespace loopscope
