#pragma once
// A tab for each open workload, above the pages; out of sight while there is one.

#include <QTabBar>

namespace loopscope {

class Documents;

class DocumentTabs : public QTabBar {
    Q_OBJECT

  public:
    DocumentTabs(const Documents &documents, QWidget *parent);

    void refresh();

  signals:
    void chosen(int id); // 0: beside the tabs
    void closeRequested(int id);

  private:
    const Documents &m_documents;
};

} // namespace loopscope
