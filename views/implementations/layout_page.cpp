#include "views/implementations/layout_page.h"

#include "views/actions/page_stack.h"
#include "views/actions/row_table.h"
#include "views/session/text.h"

#include <QItemSelectionModel>
#include <QLabel>
#include <QScopedValueRollback>
#include <QVBoxLayout>

namespace loopscope {

LayoutPage::LayoutPage(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_networks(context.session.networks()), m_model(new LayoutModel(context.theme, this)),
      m_table(new QTableView(this)), m_summary(new QLabel(this)),
      m_empty(newEmptySentence(QStringLiteral("layouts_empty"), this)) {
    m_summary->setObjectName(QStringLiteral("layouts_summary"));
    m_summary->setWordWrap(true);
    m_summary->setContentsMargins(8, 4, 8, 4);
    m_table->setObjectName(QStringLiteral("layouts"));
    m_table->setAccessibleName(tr("Layouts of the network's data"));
    m_table->setModel(m_model);
    makeRowTable(*m_table, RowSelection::One);
    setColumnLetters(*m_table, {14, 14, 16, 11, 11, 12});
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_empty, 1);
    column->addWidget(m_summary);
    column->addWidget(m_table, 1);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &LayoutPage::rowChanged);
    connect(&m_networks, &OpenNetworks::selectionChanged, this, [this](int id) {
        if (id == m_network) followSelection();
    });
}

void LayoutPage::networkChanged() {
    const OpenNetwork *shown = m_networks.current();
    {
        const QScopedValueRollback following(m_following, true);
        m_network = shown != nullptr ? shown->id : 0;
        m_model->show(shown != nullptr ? shown->kernels : nullptr);
    }
    const bool any = m_model->layouts() != nullptr;
    m_empty->setVisible(!any);
    m_empty->setText(any ? QString() : emptyText());
    m_summary->setVisible(any);
    m_summary->setText(any ? asSentence(qt(m_model->layouts()->summary)) : QString());
    m_table->setVisible(any);
    setFocusProxy(any ? static_cast<QWidget *>(m_table) : m_empty);
    followSelection();
}

QString LayoutPage::emptyText() const {
    const OpenNetwork *shown = m_networks.current();
    if (shown == nullptr) return tr("Open a network (.onnx, .net) to choose in which layout its data lies.");
    if (!shown->problem.isEmpty() || !shown->kernelsProblem.isEmpty())
        return shown->problem.isEmpty() ? asSentence(shown->kernelsProblem) : shown->problem;
    if (shown->choice.layouts == DataLayoutRule::Keep)
        return tr("Data lies as in the file, channels first. Choose \"fastest layouts\" above to have all kernels "
                  "timed with channels first and last, and data laid out as costs least with the transforms between.");
    if (shown->choice.layouts == DataLayoutRule::Measured)
        return tr("Kernels of %1 are timed with either layout \u2026").arg(shown->name());
    return tr("Looking for the kernels of %1 \u2026").arg(shown->name());
}

void LayoutPage::rowChanged() {
    if (m_following) return;
    const std::set<std::string> sources = m_model->sourcesOf(m_table->currentIndex().row());
    if (sources.empty()) return;
    const QScopedValueRollback following(m_following, true);
    m_networks.select(m_network, sources);
}

void LayoutPage::followSelection() {
    const OpenNetwork *shown = m_networks.find(m_network);
    if (m_following || shown == nullptr || shown->selected.empty()) return;
    const QScopedValueRollback following(m_following, true);
    if (meet(m_model->sourcesOf(m_table->currentIndex().row()), shown->selected)) return;
    const int row = m_model->rowOf(shown->selected);
    if (row >= 0) m_table->setCurrentIndex(m_model->index(row, 0));
}

} // namespace loopscope
