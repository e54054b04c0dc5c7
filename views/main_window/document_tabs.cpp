#include "views/main_window/document_tabs.h"

#include "views/session/documents.h"

#include <QSignalBlocker>

namespace loopscope {

DocumentTabs::DocumentTabs(const Documents &documents, QWidget *parent) : QTabBar(parent), m_documents(documents) {
    setObjectName(QStringLiteral("documents"));
    setDocumentMode(true);
    setTabsClosable(true);
    setExpanding(false);
    setElideMode(Qt::ElideMiddle);
    setAccessibleName(tr("Open workloads"));
    hide();
    connect(this, &QTabBar::tabBarClicked, this,
            [this](int tab) { Q_EMIT chosen(tab < 0 ? 0 : tabData(tab).toInt()); });
    connect(this, &QTabBar::tabCloseRequested, this, [this](int tab) { Q_EMIT closeRequested(tabData(tab).toInt()); });
}

void DocumentTabs::refresh() {
    const auto documents = m_documents.all();
    const QSignalBlocker quiet(this);
    while (count() > static_cast<int>(documents.size())) removeTab(count() - 1);
    while (count() < static_cast<int>(documents.size())) addTab(QString());
    for (size_t i = 0; i < documents.size(); ++i) {
        const auto tab = static_cast<int>(i);
        const Document &document = *documents[i];
        setTabText(tab, document.modified ? document.name + QStringLiteral(" *") : document.name);
        setTabToolTip(tab, document.origin.isEmpty() ? document.path.isEmpty() ? tr("not saved yet") : document.path
                                                     : tr("a copy of the sample %1").arg(document.origin));
        setTabData(tab, document.id);
        if (&document == m_documents.current()) setCurrentIndex(tab);
    }
    setVisible(documents.size() > 1);
}

} // namespace loopscope
