#include "views/implementations/choice_page.h"

#include "views/actions/page_stack.h"
#include "views/actions/row_table.h"
#include "views/implementations/choice_text.h"
#include "views/session/text.h"

#include <QLabel>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QTableView>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>

namespace loopscope {

ChoicePage::ChoicePage(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_networks(context.session.networks()),
      m_model(new DecisionModel(context.theme, this)), m_table(new QTableView(this)), m_why(new QTextBrowser(this)),
      m_split(new QSplitter(this)), m_empty(newEmptySentence(QStringLiteral("implementations_empty"), this)) {
    m_table->setObjectName(QStringLiteral("implementations"));
    m_table->setAccessibleName(tr("Implementations of the network's nodes"));
    m_table->setModel(m_model);
    makeRowTable(*m_table, RowSelection::One);
    setColumnLetters(*m_table, {18, 14, 32, 9});
    m_why->setObjectName(QStringLiteral("implementation_why"));
    m_why->setAccessibleName(tr("Why this implementation"));
    m_why->setOpenLinks(false);
    m_why->setFrameShape(QFrame::NoFrame);
    m_split->setChildrenCollapsible(false);
    m_split->addWidget(m_table);
    m_split->addWidget(m_why);
    const int letter = fontMetrics().averageCharWidth();
    m_split->setSizes({letter * 80, letter * 75});
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_empty, 1);
    column->addWidget(m_split, 1);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ChoicePage::rowChanged);
    connect(m_table, &QTableView::doubleClicked, this, [this] {
        if (const Decision *of = chosen()) Q_EMIT operatorAsked(qt(of->op));
    });
    connect(m_why, &QTextBrowser::anchorClicked, this, &ChoicePage::linkClicked);
    connect(&m_networks, &OpenNetworks::selectionChanged, this, [this](int id) {
        if (id == m_network) followSelection();
    });
    connect(&m_context.theme, &Theme::changed, this, &ChoicePage::rowChanged);
}

const Decision *ChoicePage::chosen() const { return m_model->decision(m_table->currentIndex().row()); }

void ChoicePage::networkChanged() {
    const OpenNetwork *shown = m_networks.current();
    {
        const QScopedValueRollback following(m_following, true);
        m_network = shown != nullptr ? shown->id : 0;
        m_model->show(shown != nullptr ? shown->kernels : nullptr);
        // A pin makes all decisions anew; whoever set it wants to see what came of it.
        for (int row = 0; row < m_model->rowCount() && !m_node.empty(); ++row)
            if (m_model->decision(row)->node == m_node) m_table->setCurrentIndex(m_model->index(row, 0));
    }
    m_empty->setVisible(m_model->rowCount() == 0);
    m_empty->setText(emptyText());
    m_split->setVisible(m_model->rowCount() > 0);
    setFocusProxy(m_model->rowCount() > 0 ? static_cast<QWidget *>(m_table) : m_empty);
    followSelection();
    rowChanged();
    Q_EMIT changed();
}

QString ChoicePage::emptyText() const {
    const OpenNetwork *shown = m_networks.current();
    if (shown == nullptr)
        return tr("Open a network (.onnx, .net) to see which implementation each of its operators gets, and why.");
    if (!shown->problem.isEmpty() || !shown->kernelsProblem.isEmpty())
        return shown->problem.isEmpty() ? asSentence(shown->kernelsProblem) : shown->problem;
    if (!shown->kernels) return tr("Looking for the kernels of %1 \u2026").arg(shown->name());
    return tr("%1 has more than %2 nodes: choices are shown where a rule or a pin asks for some.")
        .arg(shown->name())
        .arg(kMaxDecided);
}

QString ChoicePage::sentence() const {
    size_t several = 0, pinned = 0, guarded = 0;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const Decision &of = *m_model->decision(row);
        several += offered(of) > 1 ? 1 : 0;
        pinned += of.pinned ? 1 : 0;
        guarded += of.dispatch.size() > 1 ? 1 : 0;
    }
    if (m_model->rowCount() == 0) return {};
    QString text = tr("%1, of which %2 have a choice")
                       .arg(countedText(static_cast<size_t>(m_model->rowCount()), "node"))
                       .arg(several);
    if (pinned > 0) text += tr("; %1 pinned").arg(pinned);
    if (guarded > 0) text += tr("; %1 decide when the network runs").arg(guarded);
    return text;
}

void ChoicePage::rowChanged() {
    const Decision *of = chosen();
    if (of == nullptr) {
        m_why->setHtml(tr("<p>Choose a node to see what else there was for it.</p>"));
        return;
    }
    m_why->setHtml(choicePage(*of, m_context.theme));
    m_node = of->node;
    if (m_following) return;
    const QScopedValueRollback following(m_following, true);
    m_networks.select(m_network, m_model->sourcesOf(m_table->currentIndex().row()));
}

void ChoicePage::followSelection() {
    const OpenNetwork *shown = m_networks.find(m_network);
    if (m_following || shown == nullptr || shown->selected.empty()) return;
    const QScopedValueRollback following(m_following, true);
    if (m_table->currentIndex().isValid() && meet(m_model->sourcesOf(m_table->currentIndex().row()), shown->selected))
        return;
    const int row = m_model->rowOf(shown->selected);
    if (row >= 0) m_table->setCurrentIndex(m_model->index(row, 0));
}

void ChoicePage::linkClicked(const QUrl &link) {
    const Decision *of = chosen();
    if (of == nullptr) return;
    const QString name = QUrl::fromPercentEncoding(link.path(QUrl::FullyEncoded).toLatin1());
    if (link.scheme() == QLatin1String("pin")) m_networks.pin(m_network, of->node, std8(name));
    if (link.scheme() == QLatin1String("unpin")) m_networks.pin(m_network, of->node, {});
}

} // namespace loopscope
