#include "views/logs/log_bar.h"

#include "views/actions/elided_label.h"
#include "views/session/open_logs.h"
#include "views/session/text.h"

#include <QAction>
#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>

namespace loopscope {

namespace {
constexpr int kComparisonTab = 0; // which is no id of a log
} // namespace

QString logSentence(const OpenLog &log) {
    if (log.state == OpenLog::State::Failed || log.replaced) return asSentence(log.problem);
    if (log.state == OpenLog::State::Indexing)
        return log.glance.records == 0 ? QStringLiteral("Indexing \u2026")
                                       : QStringLiteral("Indexing \u2026 the first of %1 so far")
                                             .arg(countedText(log.glance.records, "record"));
    if (log.state == OpenLog::State::Cancelled)
        return QStringLiteral("%1: the first %2 are shown")
            .arg(asSentence(log.problem), countedText(log.glance.rows.size(), "record"));
    const LogDocument &document = log.log->document;
    size_t failed = 0;
    for (const LogTask &task : document.tasks()) failed += task.failures;
    QString text = QStringLiteral("%1 of %2")
                       .arg(countedText(document.size(), "record"), countedText(document.tasks().size(), "task"));
    if (failed > 0) text += QStringLiteral(", %1 failed").arg(failed);
    if (document.unreadableLines() > 0)
        text += QStringLiteral("; %1 cannot be read").arg(countedText(document.unreadableLines(), "line"));
    return text;
}

LogBar::LogBar(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_logs(context.session.logs()), m_tabs(new QTabBar(this)),
      m_sentence(new ElidedLabel(this)), m_progress(new QProgressBar(this)),
      m_cancel(new QPushButton(tr("Cancel"), this)), m_again(new QPushButton(tr("Read anew"), this)),
      m_line(new QWidget(this)) {
    m_tabs->setObjectName(QStringLiteral("log_tabs"));
    m_tabs->setAccessibleName(tr("Open logs"));
    m_tabs->setExpanding(false);
    m_tabs->setTabsClosable(true);
    m_tabs->setDrawBase(false);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setElideMode(Qt::ElideMiddle);
    m_sentence->setObjectName(QStringLiteral("log_sentence"));
    m_progress->setObjectName(QStringLiteral("log_progress"));
    m_progress->setRange(0, 100);
    m_progress->setMaximumWidth(fontMetrics().averageCharWidth() * 24);
    m_cancel->setObjectName(QStringLiteral("log_cancel"));
    m_cancel->setToolTip(tr("Stop indexing; the first records stay"));
    m_again->setObjectName(QStringLiteral("log_again"));
    m_again->setToolTip(tr("Read the file from its beginning"));
    auto *line = new QHBoxLayout(m_line);
    line->setContentsMargins(8, 2, 8, 2);
    line->addWidget(m_sentence, 1);
    line->addWidget(m_progress);
    line->addWidget(m_cancel);
    line->addWidget(m_again);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tabs);
    column->addWidget(m_line);
    connect(&m_logs, &OpenLogs::listChanged, this, &LogBar::refreshTabs);
    connect(&m_logs, &OpenLogs::currentChanged, this, &LogBar::refreshTabs);
    connect(&m_logs, &OpenLogs::logChanged, this, [this] { refresh(); });
    connect(&m_logs, &OpenLogs::logGrown, this, [this] { refresh(); });
    connect(&m_logs, &OpenLogs::openedByUser, this, [this] { showComparison(false); });
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) {
        if (m_refreshing || tab < 0) return;
        const int id = m_tabs->tabData(tab).toInt();
        if (id != kComparisonTab) m_logs.setCurrent(id);
        showComparison(id == kComparisonTab);
    });
    connect(m_tabs, &QTabBar::tabCloseRequested, this, [this](int tab) {
        const int id = m_tabs->tabData(tab).toInt();
        if (id == kComparisonTab) return Q_EMIT comparisonCloseAsked();
        m_logs.close(id);
    });
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        if (const OpenLog *log = m_logs.current()) m_logs.cancel(log->id);
    });
    connect(m_again, &QPushButton::clicked, this, [this] {
        if (const OpenLog *log = m_logs.current()) m_logs.reopen(log->id);
    });
    connect(&context.theme, &Theme::changed, this, &LogBar::restyle);
    refreshTabs();
}

QString LogBar::sentence() const { return m_sentence->text(); }

void LogBar::addButton(QAction *action) {
    auto *button = new QToolButton(m_line);
    button->setObjectName(action->objectName());
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    m_line->layout()->addWidget(button);
}

void LogBar::setComparison(const QString &title) {
    m_comparison = title;
    refreshTabs();
    if (title.isEmpty()) showComparison(false);
}

void LogBar::showComparison(bool inFront) {
    if (inFront == m_comparisonInFront) return;
    m_comparisonInFront = inFront;
    refreshTabs();
    Q_EMIT frontChanged();
}

void LogBar::refreshTabs() {
    const QScopedValueRollback refreshing(m_refreshing, true);
    const auto &all = m_logs.all();
    const int wanted = static_cast<int>(all.size()) + (m_comparison.isEmpty() ? 0 : 1);
    while (m_tabs->count() > wanted) m_tabs->removeTab(m_tabs->count() - 1);
    while (m_tabs->count() < wanted) m_tabs->addTab(QString());
    const auto put = [this](int tab, int id, QString text, const QString &tip, bool shown) {
        m_tabs->setTabData(tab, id);
        m_tabs->setTabText(tab, text.replace(u'&', QStringLiteral("&&")));
        m_tabs->setTabToolTip(tab, tip);
        if (shown) m_tabs->setCurrentIndex(tab);
    };
    for (size_t i = 0; i < all.size(); ++i)
        put(static_cast<int>(i), all[i]->id, all[i]->name(), all[i]->path,
            !m_comparisonInFront && all[i].get() == m_logs.current());
    if (!m_comparison.isEmpty())
        put(wanted - 1, kComparisonTab, m_comparison, tr("%1, compared").arg(m_comparison), m_comparisonInFront);
    refresh();
}

void LogBar::refresh() {
    const OpenLog *log = m_logs.current();
    setVisible(log != nullptr || !m_comparison.isEmpty());
    m_line->setVisible(log != nullptr && !m_comparisonInFront); // a comparison has a head of its own
    if (log == nullptr) return;
    m_sentence->setText(logSentence(*log));
    const bool indexing = log->state == OpenLog::State::Indexing;
    m_progress->setVisible(indexing);
    m_progress->setRange(0, log->progress > 0 ? 100 : 0); // of a stream nobody knows the length
    m_progress->setValue(static_cast<int>(std::lround(log->progress * 100)));
    m_cancel->setVisible(indexing);
    m_again->setVisible(log->replaced || log->state == OpenLog::State::Failed ||
                        log->state == OpenLog::State::Cancelled);
    restyle();
}

void LogBar::restyle() {
    const OpenLog *log = m_logs.current();
    if (log == nullptr) return;
    QPalette palette = m_sentence->palette();
    palette.setColor(QPalette::WindowText, m_context.theme.color(log->state == OpenLog::State::Failed ? Role::Bad
                                                                 : log->replaced                      ? Role::Warning
                                                                                                      : Role::Text));
    m_sentence->setPalette(palette);
}

} // namespace loopscope
