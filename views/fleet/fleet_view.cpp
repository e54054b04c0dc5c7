#include "views/fleet/fleet_view.h"

#include "views/actions/elided_label.h"
#include "views/actions/flow_bar.h"
#include "views/actions/page_stack.h"
#include "views/actions/row_table.h"
#include "views/session/network_tuning.h"
#include "views/session/search_runner.h"
#include "views/session/text.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

namespace loopscope {

FleetView::FleetView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_model(new FleetModel(context.theme, this)) {
    setObjectName(QStringLiteral("FleetView"));
    build();
    m_timer.setInterval(500);
    connect(&m_timer, &QTimer::timeout, this, &FleetView::look);
    connect(&m_context.session.search(), &SearchRunner::searchChanged, this, &FleetView::look);
    connect(&m_context.session.tuning(), &NetworkTuning::machineUseChanged, this, &FleetView::look);
    connect(&m_context.theme, &Theme::changed, this, [this] { m_table->viewport()->update(); });
    look();
}

void FleetView::build() {
    const auto add = [this](const char *id, const QString &text, const char *icon, const QString &tip,
                            std::function<void()> run) {
        QAction *action = m_context.actions.add({QLatin1String(id), tr("Nodes"), text, {}, tip, QLatin1String(icon)},
                                                this, std::move(run));
        action->setIcon(m_context.theme.icon(QLatin1String(icon)));
        return action;
    };
    m_drain = add("fleet.drain", tr("Drain"), "pause",
                  tr("The chosen nodes end what they have in flight, and get no more"), [this] { drain(true); });
    m_use = add("fleet.use", tr("Use again"), "resume", tr("The chosen nodes get candidates again"),
                [this] { drain(false); });
    m_stop = add("fleet.stop", tr("Stop search"), "stop", tr("End the search, or the waiting, and give the nodes back"),
                 [this] {
                     m_context.session.search().stop();
                     m_context.session.tuning().stop();
                 });
    m_tools = new FlowBar(this);
    m_tools->addButtons({m_drain, m_use, m_stop});
    m_sentence = new ElidedLabel(this);
    m_sentence->setObjectName(QStringLiteral("fleet_sentence"));
    m_sentence->setContentsMargins(8, 2, 8, 4);
    m_order = new QSortFilterProxyModel(this);
    m_order->setSourceModel(m_model);
    m_order->setSortRole(FleetModel::SortRole);
    m_table = new QTableView(this);
    m_table->setObjectName(QStringLiteral("fleet_nodes"));
    m_table->setAccessibleName(tr("Nodes"));
    m_table->setModel(m_order);
    makeRowTable(*m_table, RowSelection::Several);
    setColumnLetters(*m_table, {12, 11, 44, 8, 10, 9, 13, 10, 7, 44});
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->addActions({m_drain, m_use});
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_empty = newEmptySentence(QStringLiteral("fleet_empty"), this);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tools);
    column->addWidget(m_sentence);
    column->addWidget(m_table, 1);
    column->addWidget(m_empty, 1);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &FleetView::look);
}

void FleetView::watch(std::shared_ptr<Fleet> fleet) {
    m_given = std::move(fleet);
    look();
}

QString FleetView::sentence() const { return m_sentence->text(); }
QString FleetView::emptyText() const { return m_empty->isHidden() ? QString() : m_empty->text(); }

void FleetView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    m_timer.start();
    look();
}

void FleetView::hideEvent(QHideEvent *event) {
    QWidget::hideEvent(event);
    m_timer.stop();
}

/// Of the search that has some, or waits for some: of a workload or of a network.
const SearchNodes &FleetView::nodes() const {
    const SearchNodes &ofNetwork = m_context.session.tuning().nodes();
    return ofNetwork.fleet() || !ofNetwork.told().isEmpty() ? ofNetwork : m_context.session.search().nodes();
}

std::shared_ptr<Fleet> FleetView::fleet() const { return m_given ? m_given : nodes().fleet(); }

std::vector<std::string> FleetView::chosen() const {
    std::vector<std::string> names;
    for (const QModelIndex &row : m_table->selectionModel()->selectedRows())
        if (const NodeStatus *node = m_model->at(m_order->mapToSource(row).row())) names.push_back(node->name);
    return names;
}

void FleetView::drain(bool drained) {
    if (const auto nodes = fleet())
        for (const std::string &name : chosen()) nodes->drain(name, drained);
    look();
}

/// The nodes of a search that is over stay to be seen until the next one has some.
void FleetView::look() {
    const auto nodes = fleet();
    const QString &told = this->nodes().told();
    if (nodes)
        m_model->show(nodes->nodes());
    else if (!told.isEmpty())
        m_model->show({});
    const bool any = m_model->rowCount() > 0;
    m_table->setVisible(any);
    m_sentence->setVisible(any);
    m_empty->setVisible(!any);
    setFocusProxy(any ? static_cast<QWidget *>(m_table) : m_empty);
    m_sentence->setText(any ? (nodes ? QString() : tr("Given back. ")) + fleetSentence(m_model->nodes()) : QString());
    m_empty->setText(!told.isEmpty()
                         ? told + u'.'
                         : tr("No node of a cluster measures now. \u201cMeasure on: Nodes of a cluster\u201d "
                              "in Search and in Tasks asks Slurm for some when a search starts."));
    bool use = false, drain = false;
    for (const QModelIndex &row : m_table->selectionModel()->selectedRows())
        if (const NodeStatus *node = m_model->at(m_order->mapToSource(row).row()))
            (node->state == NodeState::Drained || node->state == NodeState::Apart ? use : drain) = true;
    m_drain->setEnabled(nodes && drain);
    m_use->setEnabled(nodes && use);
    m_stop->setEnabled(nodes || !told.isEmpty());
}

} // namespace loopscope
