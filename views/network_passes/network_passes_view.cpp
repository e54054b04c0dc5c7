#include "views/network_passes/network_passes_view.h"

#include "views/actions/row_table.h"
#include "views/network_passes/form_diff_page.h"
#include "views/session/text.h"

#include <QLabel>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {

constexpr size_t kMaxEvents = 1000; // of one pass that are listed

QString eventsPage(const std::vector<PassEvent> &events, const QString &pass) {
    QString html = QStringLiteral("<p><b>%1</b></p>").arg(pass.toHtmlEscaped());
    if (events.empty()) return html + NetworkPassesView::tr("<p>No node went away or was rewritten.</p>");
    for (size_t i = 0; i < std::min(kMaxEvents, events.size()); ++i) {
        const PassEvent &event = events[i];
        const QString node = qt(event.node);
        QString line = QStringLiteral("<a href='node:%1'>%2</a>")
                           .arg(QString::fromLatin1(QUrl::toPercentEncoding(node)), node.toHtmlEscaped());
        if (!event.into.empty() && event.into != event.node)
            line += QStringLiteral(" \u2192 %1").arg(qt(event.into).toHtmlEscaped());
        if (!event.sentence.empty()) line += QStringLiteral(": %1").arg(qt(event.sentence).toHtmlEscaped());
        html += QStringLiteral("<p style='margin:2px 0'>%1</p>").arg(line);
    }
    if (events.size() > kMaxEvents) html += NetworkPassesView::tr("<p>and %1 more</p>").arg(events.size() - kMaxEvents);
    return html;
}

} // namespace

NetworkPassesView::NetworkPassesView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_networks(context.session.networks()),
      m_model(new PassModel(context.theme, this)), m_table(new QTableView(this)), m_events(new QTextBrowser(this)),
      m_difference(new FormDiffPage(context, this)), m_pages(new QTabWidget(this)), m_split(new QSplitter(this)),
      m_empty(new QLabel(this)) {
    setObjectName(QStringLiteral("NetworkPassesView"));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setFocusPolicy(Qt::StrongFocus);
    m_empty->setMargin(fontMetrics().height());
    m_table->setObjectName(QStringLiteral("network_passes"));
    m_table->setAccessibleName(tr("Passes over the network"));
    m_table->setModel(m_model);
    makeRowTable(*m_table, RowSelection::One);
    setColumnLetters(*m_table, {26, 24, 9, 10, 13, 11});
    m_events->setObjectName(QStringLiteral("network_pass_events"));
    m_events->setAccessibleName(tr("What the pass did"));
    m_events->setOpenLinks(false);
    m_events->setFrameShape(QFrame::NoFrame);
    m_split->addWidget(m_table);
    m_pages->setObjectName(QStringLiteral("network_pass_pages"));
    m_pages->setDocumentMode(true);
    m_pages->addTab(m_events, tr("What it did"));
    m_pages->addTab(m_difference, tr("Difference"));
    m_split->addWidget(m_pages);
    const int letter = fontMetrics().averageCharWidth();
    m_split->setSizes({letter * 95, letter * 60});
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_empty, 1);
    column->addWidget(m_split, 1);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &now) {
        showEvents();
        compareAround();
        if (m_following || !now.isValid()) return;
        const QScopedValueRollback following(m_following, true);
        m_networks.showForm(m_network, m_model->formOf(now.row()));
    });
    connect(m_events, &QTextBrowser::anchorClicked, this, [this](const QUrl &link) {
        const QString name = QUrl::fromPercentEncoding(link.path(QUrl::FullyEncoded).toLatin1());
        m_networks.select(m_network, {std8(name)});
    });
    connect(m_pages, &QTabWidget::currentChanged, this,
            [this] { m_difference->setSeen(m_pages->currentWidget() == m_difference); });
    connect(m_difference, &FormDiffPage::nodesChosen, this,
            [this](const std::set<std::string> &sources) { m_networks.select(m_network, sources); });
    connect(&m_networks, &OpenNetworks::currentChanged, this, &NetworkPassesView::networkChanged);
    connect(&m_networks, &OpenNetworks::networkChanged, this, [this](int id) {
        if (const OpenNetwork *shown = m_networks.current(); shown != nullptr && shown->id == id) networkChanged();
    });
    connect(&m_networks, &OpenNetworks::formChanged, this, [this](int id) {
        if (id == m_network) followForm();
    });
    connect(&m_context.theme, &Theme::changed, this, &NetworkPassesView::showEvents);
    networkChanged();
}

/// In a narrow dock that is high enough, what passes did stands below them.
void NetworkPassesView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    constexpr int kNarrow = 150; // letters
    constexpr int kHigh = 24;    // lines
    const bool below =
        width() < fontMetrics().averageCharWidth() * kNarrow && height() > fontMetrics().lineSpacing() * kHigh;
    const Qt::Orientation wanted = below ? Qt::Vertical : Qt::Horizontal;
    if (m_split->orientation() == wanted) return;
    m_split->setOrientation(wanted);
    const int whole = below ? height() : width();
    m_split->setSizes({whole * 11 / 20, whole * 9 / 20});
}

void NetworkPassesView::networkChanged() {
    const OpenNetwork *shown = m_networks.current();
    {
        const QScopedValueRollback following(m_following, true);
        m_network = shown != nullptr ? shown->id : 0;
        m_model->show(shown != nullptr ? shown->kernels : nullptr);
        m_difference->show(shown != nullptr ? shown->kernels : nullptr);
    }
    refresh();
    followForm();
}

void NetworkPassesView::refresh() {
    const OpenNetwork *shown = m_networks.find(m_network);
    m_empty->setVisible(m_model->rowCount() == 0);
    m_split->setVisible(m_model->rowCount() > 0);
    setFocusProxy(m_model->rowCount() > 0 ? static_cast<QWidget *>(m_table) : m_empty);
    if (shown == nullptr)
        m_empty->setText(tr("Open a network (.onnx, .net) to see what passes make of it, one after the other."));
    else if (!shown->problem.isEmpty() || !shown->kernelsProblem.isEmpty())
        m_empty->setText(shown->problem.isEmpty() ? asSentence(shown->kernelsProblem) : shown->problem);
    else
        m_empty->setText(tr("%1 is being optimised \u2026").arg(shown->name()));
}

void NetworkPassesView::followForm() {
    const OpenNetwork *shown = m_networks.find(m_network);
    if (m_following || shown == nullptr || m_model->rowCount() == 0) return;
    const QScopedValueRollback following(m_following, true);
    const int row = m_model->rowOf(shown->form);
    if (row >= 0) m_table->setCurrentIndex(m_model->index(row, 0));
}

/// Before and after the pass that is chosen; the file and the end for the network as its file has it.
void NetworkPassesView::compareAround() {
    const int row = m_table->currentIndex().row();
    if (row < 0) return;
    if (row == 0) return m_difference->choose(0, m_model->formOf(m_model->rowCount() - 1));
    m_difference->choose(m_model->formOf(row - 1), m_model->formOf(row));
}

void NetworkPassesView::showEvents() {
    const QModelIndex now = m_table->currentIndex();
    if (!now.isValid()) return m_events->clear();
    if (now.row() == 0)
        m_events->setHtml(tr("<p>The network as its file has it. The arrow keys go through the passes; the graph shows "
                             "what each of them left.</p>"));
    else
        m_events->setHtml(eventsPage(m_model->eventsOf(now.row()),
                                     m_model->index(now.row(), PassModel::Pass).data().toString().trimmed()));
}

} // namespace loopscope
