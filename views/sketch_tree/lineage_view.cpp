#include "views/sketch_tree/lineage_view.h"

#include "views/session/text.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr size_t kSlice =
    6; // entries added in one event; a long lineage has dozens, and a label of rich text takes a millisecond

Role roleOf(LineageEntry::Kind kind) {
    switch (kind) {
    case LineageEntry::Kind::Sketch:
        return Role::Series3;
    case LineageEntry::Kind::Sampled:
        return Role::Serial;
    case LineageEntry::Kind::Measured:
    case LineageEntry::Kind::Trial:
        return Role::Good;
    case LineageEntry::Kind::Mutation:
        return Role::Series0;
    case LineageEntry::Kind::Crossover:
        return Role::Series1;
    }
    return Role::Serial;
}

/// The line and the dot left of an entry.
class Rail : public QWidget {
  public:
    Rail(const Theme &theme, Role role, bool first, bool last, bool large, QWidget *parent)
        : QWidget(parent), m_theme(theme), m_role(role), m_first(first), m_last(last), m_large(large) {
        setFixedWidth(QFontMetrics(QApplication::font()).height() + 4);
    }

  protected:
    void paintEvent(QPaintEvent *) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const double line = QFontMetricsF(font()).height();
        const QPointF dot(width() / 2.0, line / 2 + 4);
        painter.setPen(QPen(m_theme.color(Role::Border), 2));
        if (!m_first) painter.drawLine(QPointF(dot.x(), 0), dot);
        if (!m_last) painter.drawLine(dot, QPointF(dot.x(), height()));
        const double radius = m_large ? line * 0.36 : line * 0.26;
        painter.setPen(QPen(m_theme.color(m_role), 2));
        painter.setBrush(m_large ? m_theme.color(m_role) : m_theme.color(Role::Base));
        painter.drawEllipse(dot, radius, radius);
    }

  private:
    const Theme &m_theme;
    Role m_role;
    bool m_first;
    bool m_last;
    bool m_large;
};

} // namespace

LineageView::LineageView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("LineageView"));
    setAccessibleName(tr("Lineage of the selected trial"));
    m_title = new QLabel(this);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_title->setContentsMargins(8, 6, 8, 4);
    m_scroll = new QScrollArea(this);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setAutoFillBackground(true);
    m_scroll->setBackgroundRole(QPalette::Base);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_title);
    layout->addWidget(m_scroll, 1);
    setMinimumWidth(22 * fontMetrics().averageCharWidth());

    context.actions.add({QStringLiteral("sketch_tree.copyLineage"),
                         tr("Sketch tree"),
                         tr("Copy the lineage as text"),
                         {},
                         tr("Every ancestor of the selected trial, with what changed"),
                         QStringLiteral("copy")},
                        this, [this] { QApplication::clipboard()->setText(text()); });
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    connect(&m_soon, &QTimer::timeout, this, &LineageView::read);
    m_more.setSingleShot(true);
    m_more.setInterval(0);
    connect(&m_more, &QTimer::timeout, this, &LineageView::addSlice);
    Session &session = context.session;
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now, const Selected &before) {
        if (!(now.schedule == before.schedule)) readSoon();
    });
    connect(&session.documents(), &Documents::documentChanged, this, &LineageView::readSoon);
    connect(&session.trials(), &TaskTrials::trialsReset, this, &LineageView::readSoon);
    connect(&session.trials(), &TaskTrials::trialsChanged, this, [this](const std::vector<int> &trials) {
        if (std::find(trials.begin(), trials.end(), m_lineage.trial) != trials.end()) readSoon();
    });
    connect(&context.theme, &Theme::changed, this, &LineageView::showLineage);
    read();
}

QSize LineageView::sizeHint() const { return {42 * fontMetrics().averageCharWidth(), 20 * fontMetrics().height()}; }

void LineageView::changeEvent(QEvent *event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange && m_rows) showLineage();
}

void LineageView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    readSoon();
}

void LineageView::readSoon() {
    if (isVisible() || m_lineage.trial >= 0) m_soon.start();
}

void LineageView::read() {
    Session &session = m_context.session;
    const ScheduleRef &schedule = session.selection().now().schedule;
    const Document *document = session.document();
    if (m_job) session.jobs().cancel(m_job);
    m_job = 0;
    LineageInput input;
    if (document && schedule.kind == ScheduleRef::Kind::Trial) input = lineageInput(*document, schedule.number);
    if (input.trial < 0) {
        m_lineage = {};
        showLineage();
        return;
    }
    m_job = session.jobs().start(
        tr("following the lineage of trial %1").arg(input.trial + 1), this,
        [input](JobControl &) { return makeLineage(input); },
        [this](LineageChain &&lineage) {
            m_job = 0;
            m_lineage = std::move(lineage);
            showLineage();
        },
        [this](const QString &why) {
            m_job = 0;
            m_lineage = {};
            m_title->setText(tr("Lineage"));
            showSentence(tr("The lineage cannot be followed: %1").arg(why));
        });
}

void LineageView::showSentence(const QString &sentence) {
    auto *label = new QLabel(sentence, m_page);
    label->setWordWrap(true);
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setContentsMargins(8, 4, 8, 4);
    m_rows->addWidget(label);
    m_rows->addStretch(1);
}

void LineageView::showLineage() {
    m_more.stop();
    m_shown = 0;
    m_page = new QWidget;
    m_page->setBackgroundRole(QPalette::Base);
    m_rows = new QVBoxLayout(m_page);
    m_rows->setContentsMargins(4, 4, 4, 8);
    m_rows->setSpacing(0);
    if (m_lineage.trial < 0) {
        m_title->setText(tr("Lineage"));
        showSentence(tr("Select a trial to see the mutations that led from its sketch to it."));
    } else {
        m_title->setText(tr("Lineage of trial %1").arg(m_lineage.trial + 1));
        m_rows->addStretch(1);
        addSlice();
    }
    m_scroll->setWidget(m_page); // deletes the one before
}

void LineageView::addSlice() {
    const size_t end = std::min(m_shown + kSlice, m_lineage.entries.size());
    for (; m_shown < end; ++m_shown)
        addEntry(m_lineage.entries[m_shown], m_shown == 0, m_shown + 1 == m_lineage.entries.size(), 0);
    if (m_shown < m_lineage.entries.size()) m_more.start();
}

void LineageView::addEntry(const LineageEntry &entry, bool first, bool last, int indent) {
    auto *row = new QWidget(m_page);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 4, 0);
    layout->setSpacing(4);
    const bool large = entry.kind == LineageEntry::Kind::Sketch || entry.kind == LineageEntry::Kind::Measured ||
                       entry.kind == LineageEntry::Kind::Trial;
    const bool failed = !entry.untimed && !std::isnan(entry.seconds) && !std::isfinite(entry.seconds);
    const Theme &theme = m_context.theme;
    for (int i = 0; i < indent; ++i) layout->addSpacing(QFontMetrics(font()).height());
    layout->addWidget(new Rail(theme, failed ? Role::Bad : roleOf(entry.kind), first, last, large, row));

    QString title = entry.title.toHtmlEscaped();
    const bool self = entry.kind == LineageEntry::Kind::Trial;
    if (entry.sketch >= 0)
        title = QStringLiteral("<a href='sketch:%1'>%2</a>").arg(entry.sketch).arg(title);
    else if (entry.trial >= 0 && !self)
        title = QStringLiteral("<a href='trial:%1'>%2</a>").arg(entry.trial).arg(title);
    QString html = QStringLiteral("<b>%1</b>").arg(title);
    const QString quiet = theme.color(Role::QuietText).name();
    QStringList facts;
    if (!entry.when.isEmpty()) facts << entry.when;
    if (std::isfinite(entry.seconds)) facts << timeText(entry.seconds);
    if (failed) facts << tr("failed");
    if (entry.untimed) facts << tr("checked, not timed");
    if (std::isfinite(entry.score)) facts << tr("predicted %1").arg(static_cast<double>(entry.score), 0, 'f', 3);
    if (!facts.isEmpty())
        html += QStringLiteral(" <span style='color:%1'>%2</span>").arg(quiet, facts.join(QStringLiteral(" \u00b7 ")));
    if (entry.kind == LineageEntry::Kind::Sketch && !m_lineage.unknown.isEmpty())
        html += QStringLiteral("<br><span style='color:%1'>%2</span>").arg(quiet, m_lineage.unknown.toHtmlEscaped());
    for (const auto &change : entry.changes) {
        const qsizetype colon = change.indexOf(QStringLiteral(": "));
        html += QStringLiteral("<br><span style='color:%1'>%2</span>%3")
                    .arg(quiet, change.left(colon < 0 ? 0 : colon + 1).toHtmlEscaped(),
                         (colon < 0 ? change : change.mid(colon + 1)).toHtmlEscaped());
    }
    auto *label = new QLabel(html, row);
    label->setTextFormat(Qt::RichText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse |
                                   Qt::LinksAccessibleByKeyboard);
    label->setContentsMargins(0, 3, 0, 7);
    connect(label, &QLabel::linkActivated, this, &LineageView::link);
    layout->addWidget(label, 1, Qt::AlignTop);
    m_rows->insertWidget(m_rows->count() - 1, row); // above the stretch

    for (size_t i = 0; i < entry.side.size(); ++i) {
        LineageEntry other = entry.side[i];
        if (i == 0) other.title = tr("Second parent: %1").arg(other.title);
        addEntry(other, i == 0, i + 1 == entry.side.size(), indent + 1);
    }
}

void LineageView::link(const QString &target) {
    const qsizetype colon = target.indexOf(QLatin1Char(':'));
    const int number = target.mid(colon + 1).toInt();
    const auto kind = target.startsWith(QLatin1String("sketch")) ? ScheduleRef::Kind::Sketch : ScheduleRef::Kind::Trial;
    m_context.session.selection().selectSchedule({kind, number});
}

} // namespace loopscope
