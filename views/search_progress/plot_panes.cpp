#include "views/search_progress/plot_panes.h"

#include "views/actions/flow_layout.h"

#include <QFileDialog>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopscope {

namespace {
// Smaller plots than this, in characters, show no more than their axes.
constexpr int kMinColumns = 46;
constexpr int kMinRows = 19;
} // namespace

PlotPanes::PlotPanes(Theme &theme, Settings &settings, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_settings(settings), m_tabs(new QTabBar), m_area(new QWidget) {
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    m_tabs->setExpanding(false);
    m_tabs->setDrawBase(false);
    m_tabs->setAccessibleName(QStringLiteral("Plots of the search"));
    column->addWidget(m_tabs);
    column->addWidget(m_area, 1);
    m_cells = new QGridLayout(m_area);
    m_cells->setContentsMargins(0, 0, 0, 0);
    m_cells->setSpacing(8);
    connect(m_tabs, &QTabBar::currentChanged, this, &PlotPanes::setCurrent);
}

void PlotPanes::add(TrialPlot *plot) {
    const int index = static_cast<int>(m_panes.size());
    Pane pane;
    pane.plot = plot;
    pane.frame = new QWidget(m_area);
    auto *column = new QVBoxLayout(pane.frame);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto *row = new QHBoxLayout;
    row->setSpacing(4);
    // What there is to choose goes on below the title where the plot is narrow; nothing is squeezed.
    auto *choices = new QWidget(pane.frame);
    auto *flow = new FlowLayout(choices, 4, 2);
    row->addWidget(choices, 1);
    auto *title = new QLabel(plot->title());
    QFont bold = title->font();
    bold.setBold(true);
    title->setFont(bold);
    title->setToolTip(QStringLiteral("Double click enlarges this plot and brings the others back"));
    title->installEventFilter(this);
    title->setProperty("pane", index);
    pane.title = title;
    flow->addWidget(title);
    for (QWidget *control : plot->controls()) flow->addWidget(control);
    const auto button = [&](const QString &icon, const QString &tip) {
        auto *tool = new QToolButton;
        tool->setIcon(m_theme.icon(icon));
        tool->setAutoRaise(true);
        tool->setToolTip(tip);
        tool->setAccessibleName(tip);
        row->addWidget(tool, 0, Qt::AlignTop);
        return tool;
    };
    auto *fit = button(QStringLiteral("zoom-fit"), QStringLiteral("Show all (F, or double click in the plot)"));
    connect(fit, &QToolButton::clicked, plot, [plot] { plot->plot().zoomToFit(); });
    auto *save = button(QStringLiteral("export"), QStringLiteral("Export this plot as a picture, or its data as CSV"));
    connect(save, &QToolButton::clicked, this, [this, plot] { chooseExport(plot); });
    pane.enlarge = button(QStringLiteral("expand"), QStringLiteral("Enlarge this plot"));
    connect(pane.enlarge, &QToolButton::clicked, this, [this, index] { enlarge(m_enlarged == index ? -1 : index); });
    column->addLayout(row);
    column->addWidget(plot, 1);
    plot->plot().installEventFilter(this);
    plot->plot().setProperty("pane", index);
    {
        const QSignalBlocker quiet(m_tabs);
        m_tabs->addTab(plot->title());
    }
    m_panes.push_back(pane);
    arrange();
}

TrialPlot *PlotPanes::current() const {
    return m_panes.empty() ? nullptr : m_panes[static_cast<size_t>(m_current)].plot;
}

void PlotPanes::setCurrent(int index) {
    if (index < 0 || static_cast<size_t>(index) >= m_panes.size()) return;
    m_current = index;
    if (m_enlarged >= 0) m_enlarged = index;
    arrange();
}

void PlotPanes::enlarge(int index) {
    m_enlarged = index;
    if (index >= 0) m_current = index;
    arrange();
}

void PlotPanes::arrange() {
    const bool room = width() >= 2 * kMinColumns * fontMetrics().averageCharWidth() &&
                      height() >= 2 * kMinRows * fontMetrics().height();
    m_grid = room && m_enlarged < 0;
    m_tabs->setVisible(!m_grid);
    {
        const QSignalBlocker quiet(m_tabs);
        m_tabs->setCurrentIndex(m_current);
    }
    setUpdatesEnabled(false);
    for (size_t i = 0; i < m_panes.size(); ++i) {
        const Pane &pane = m_panes[i];
        const bool shown = m_grid || static_cast<int>(i) == m_current;
        const int place = m_grid ? static_cast<int>(i) : 0;
        m_cells->addWidget(pane.frame, place / 2, place % 2);
        pane.frame->setVisible(shown);
        pane.title->setVisible(m_grid || m_enlarged >= 0);
        pane.enlarge->setVisible(room || m_enlarged >= 0);
        const bool large = m_enlarged >= 0;
        pane.enlarge->setIcon(m_theme.icon(large ? QStringLiteral("collapse") : QStringLiteral("expand")));
        pane.enlarge->setToolTip(large ? QStringLiteral("Show all plots") : QStringLiteral("Enlarge this plot"));
        pane.enlarge->setAccessibleName(pane.enlarge->toolTip());
    }
    for (int line = 0; line < 2; ++line) {
        m_cells->setRowStretch(line, m_grid || line == 0 ? 1 : 0);
        m_cells->setColumnStretch(line, m_grid || line == 0 ? 1 : 0);
    }
    setUpdatesEnabled(true);
}

void PlotPanes::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    arrange();
}

bool PlotPanes::eventFilter(QObject *watched, QEvent *event) {
    const QVariant pane = watched->property("pane");
    if (pane.isValid()) {
        if (event->type() == QEvent::MouseButtonDblClick && qobject_cast<QLabel *>(watched)) {
            enlarge(m_enlarged >= 0 ? -1 : pane.toInt());
            return true;
        }
        if (event->type() == QEvent::FocusIn && m_grid) m_current = pane.toInt();
    }
    return QWidget::eventFilter(watched, event);
}

void PlotPanes::keyPressEvent(QKeyEvent *event) {
    if (event->key() == Qt::Key_Escape && m_enlarged >= 0) return enlarge(-1);
    QWidget::keyPressEvent(event);
}

void PlotPanes::chooseExport(TrialPlot *plot) {
    QStringList filters;
    for (const QString &suffix : plot->plot().exportSuffixes())
        filters << QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix);
    const QString folder = m_settings.value(QStringLiteral("search/export_folder")).toString();
    QString filter;
    QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Export %1").arg(plot->title()),
                                                folder.isEmpty() ? QString() : folder,
                                                filters.join(QStringLiteral(";;")), &filter);
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().isEmpty()) path += QLatin1Char('.') + filter.section(QLatin1Char(' '), 0, 0).toLower();
    m_settings.setValue(QStringLiteral("search/export_folder"), QFileInfo(path).absolutePath());
    Q_EMIT exported(path, plot->plot().exportTo(path));
}

} // namespace loopscope
