#include "views/compare/compare_tabs.h"

namespace loopscope {

CompareTabs::CompareTabs(QWidget *parent) : QTabBar(parent) {
    for (int tab = 0; tab < kCompareTabs; ++tab) addTab(tabTitle(static_cast<CompareTab>(tab), false));
    setTabVisible(static_cast<int>(CompareTab::Machine), false);
    setDrawBase(false);
    setExpanding(false);
    setUsesScrollButtons(false);
    setElideMode(Qt::ElideNone); // in a narrow dock all must be there to click
}

void CompareTabs::nameFor(bool leftGpu, bool rightGpu) {
    if (m_leftGpu == leftGpu && m_rightGpu == rightGpu) return;
    m_leftGpu = leftGpu;
    m_rightGpu = rightGpu;
    // First, as it takes back what a change of texts notes of a bar that is hidden: that it must be laid out anew.
    setTabVisible(static_cast<int>(CompareTab::Machine), leftGpu || rightGpu);
    for (int tab = 0; tab < kCompareTabs; ++tab)
        setTabText(tab, tabTitle(static_cast<CompareTab>(tab), leftGpu, rightGpu));
    updateGeometry();
}

} // namespace loopscope
