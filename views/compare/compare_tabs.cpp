#include "views/compare/compare_tabs.h"

namespace loopscope {

CompareTabs::CompareTabs(QWidget *parent) : QTabBar(parent) {
    for (int tab = 0; tab < kCompareTabs; ++tab) addTab(tabTitle(static_cast<CompareTab>(tab), m_gpu));
    setTabVisible(static_cast<int>(CompareTab::Machine), m_gpu);
    setDrawBase(false);
    setExpanding(false);
    setUsesScrollButtons(false);
    setElideMode(Qt::ElideNone); // in a narrow dock all must be there to click
}

void CompareTabs::nameFor(bool gpu) {
    if (m_gpu == gpu) return;
    m_gpu = gpu;
    for (int tab = 0; tab < kCompareTabs; ++tab) setTabText(tab, tabTitle(static_cast<CompareTab>(tab), gpu));
    setTabVisible(static_cast<int>(CompareTab::Machine), gpu);
}

} // namespace loopscope
