#include "views/network_graph/network_bar.h"

#include "views/actions/elided_label.h"
#include "views/actions/flow_bar.h"
#include "views/network_graph/network_facts.h"
#include "views/session/open_networks.h"
#include "views/session/text.h"

#include <QHBoxLayout>
#include <QScopedValueRollback>
#include <QTabBar>
#include <QVBoxLayout>

namespace loopscope {

QString networkSentence(const NetworkFacts &facts, const OpenNetwork &network) {
    QStringList parts{countedText(facts.function->nodeCount(), "node")};
    if (facts.flops > 0)
        parts << QStringLiteral("%1FLOP").arg(countText(facts.flops).contains(u' ') ? countText(facts.flops)
                                                                                    : countText(facts.flops) + u' ');
    if (facts.weightBytes > 0) parts << QStringLiteral("%1 of weights").arg(bytesText(facts.weightBytes));
    if (network.kernels) {
        parts << countedText(network.kernels->kernelCount(), "kernel");
        parts << QStringLiteral("%1 to tune").arg(countedText(network.kernels->searchable(), "task"));
    }
    return parts.join(QStringLiteral(" \u00b7 "));
}

NetworkBar::NetworkBar(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_networks(context.session.networks()), m_tabs(new QTabBar(this)), m_tools(new FlowBar(this)),
      m_sentence(new ElidedLabel(this)) {
    m_tabs->setObjectName(QStringLiteral("network_tabs"));
    m_tabs->setAccessibleName(tr("Open networks"));
    m_tabs->setExpanding(false);
    m_tabs->setTabsClosable(true);
    m_tabs->setDrawBase(false);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setElideMode(Qt::ElideMiddle);
    m_sentence->setObjectName(QStringLiteral("network_sentence"));
    m_sentence->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto *row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 8, 0);
    row->addWidget(m_tabs);
    row->addWidget(m_sentence, 1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(4, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_tools);
    connect(&m_networks, &OpenNetworks::listChanged, this, &NetworkBar::refreshTabs);
    connect(&m_networks, &OpenNetworks::currentChanged, this, &NetworkBar::refreshTabs);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) {
        if (!m_refreshing && tab >= 0) m_networks.setCurrent(m_tabs->tabData(tab).toInt());
    });
    connect(m_tabs, &QTabBar::tabCloseRequested, this,
            [this](int tab) { m_networks.close(m_tabs->tabData(tab).toInt()); });
    refreshTabs();
}

void NetworkBar::refreshTabs() {
    const QScopedValueRollback refreshing(m_refreshing, true);
    const auto &all = m_networks.all();
    const int wanted = static_cast<int>(all.size());
    while (m_tabs->count() > wanted) m_tabs->removeTab(m_tabs->count() - 1);
    while (m_tabs->count() < wanted) m_tabs->addTab(QString());
    for (int tab = 0; tab < wanted; ++tab) {
        const OpenNetwork &network = *all[static_cast<size_t>(tab)];
        m_tabs->setTabData(tab, network.id);
        m_tabs->setTabText(tab, network.name().replace(u'&', QStringLiteral("&&")));
        m_tabs->setTabToolTip(tab, network.path);
        if (&network == m_networks.current()) m_tabs->setCurrentIndex(tab);
    }
    setVisible(wanted > 0);
}

void NetworkBar::setFacts(const NetworkFacts *facts) {
    const OpenNetwork *network = m_networks.current();
    m_sentence->setText(facts != nullptr && network != nullptr ? networkSentence(*facts, *network) : QString());
}

QString NetworkBar::sentence() const { return m_sentence->text(); }

} // namespace loopscope
