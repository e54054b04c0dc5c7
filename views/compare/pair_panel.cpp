#include "views/compare/pair_panel.h"

#include "views/compare/pair_plot.h"
#include "views/session/text.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {

constexpr int kLeftRole = Qt::UserRole;
constexpr int kRightRole = kLeftRole + 1;

/// "split C i into 4 → split C i into 8".
QString differenceText(const StepPair &pair) {
    const QString a = qt(pair.lineA);
    const QString b = qt(pair.lineB);
    if (pair.a < 0) return PairPanel::tr("only right: %1").arg(b);
    if (pair.b < 0) return PairPanel::tr("only left: %1").arg(a);
    return QStringLiteral("%1 \u2192 %2").arg(a, b);
}

/// Of the time of what was there before.
QString gainText(const RatioInterval &ratio) {
    const auto percent = [](double times) { return QString::number((times - 1) * 100, 'f', 1); };
    return PairPanel::tr("%1 % (%2 to %3 %)").arg(percent(ratio.ratio), percent(ratio.low), percent(ratio.high));
}

} // namespace

PairPanel::PairPanel(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("pair_panel"));
    build();
    m_poll.setInterval(200);
    connect(&m_poll, &QTimer::timeout, this, &PairPanel::progress);
    Session &session = context.session;
    connect(&session.search().pairs(), &PairTiming::changed, this, &PairPanel::refresh);
    connect(&session.search(), &SearchRunner::searchChanged, this, &PairPanel::refresh);
    connect(&session.documents(), &Documents::documentChanged, this, &PairPanel::refresh);
    refresh();
}

void PairPanel::build() {
    const auto add = [this](const char *id, const QString &text, const QKeySequence &key, const QString &tip,
                            const char *icon, std::function<void()> run) {
        const ActionInfo info{QLatin1String(id), tr("Compare"), text, key, tip, QLatin1String(icon)};
        QAction *action = m_context.actions.add(info, parentWidget(), std::move(run));
        action->setIcon(m_context.theme.icon(info.icon));
        return action;
    };
    const auto ask = [this](PairTiming::Asked asked) {
        if (m_left && m_right) m_context.session.search().comparePair(asked, *m_left, *m_right);
    };
    m_time = add("compare.time", tr("Time them"), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_M),
                 tr("Time both in turn, several times, and say which is faster"), "measure",
                 [ask] { ask(PairTiming::Asked::Time); });
    m_explain = add("compare.explain", tr("Explain"), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_X),
                    tr("Swap the steps in which they differ one after the other, time each, and say what earned how "
                       "much"),
                    "help", [ask] { ask(PairTiming::Asked::Explain); });
    m_cancel = add("compare.cancel", tr("Cancel timing"), {}, tr("Stop timing or explaining these two"), "stop",
                   [this] { m_context.session.search().pairs().cancel(); });
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    for (QAction *action : {m_time, m_explain}) {
        auto *button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        row->addWidget(button);
    }
    m_progress = new QProgressBar(this);
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setMinimumWidth(20);
    m_progress->setMaximumHeight(fontMetrics().height());
    row->addWidget(m_progress, 1);
    m_cancelButton = new QToolButton(this);
    m_cancelButton->setDefaultAction(m_cancel);
    m_cancelButton->setAutoRaise(true);
    row->addWidget(m_cancelButton);
    m_details = new QWidget(this);
    m_details->setMinimumHeight(fontMetrics().height() * 3); // no more is asked of a low dock
    auto *column = new QVBoxLayout(m_details);
    column->setContentsMargins(8, 2, 8, 2);
    column->setSpacing(2);
    m_failure = new QLabel(m_details);
    m_failure->setObjectName(QStringLiteral("pair_failure"));
    m_failure->setWordWrap(true);
    m_failure->setTextFormat(Qt::PlainText);
    column->addWidget(m_failure);
    m_plot = new PairPlot(m_context.theme, m_details);
    column->addWidget(m_plot);
    m_steps = new QTreeWidget(m_details);
    m_steps->setObjectName(QStringLiteral("pair_steps"));
    m_steps->setAccessibleName(tr("What earned the difference"));
    m_steps->setColumnCount(3);
    m_steps->setHeaderLabels({tr("Step"), tr("Share"), tr("Time after it")});
    m_steps->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_steps->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_steps->header()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
    m_steps->header()->setStretchLastSection(false);
    m_steps->setRootIsDecorated(false);
    m_steps->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
    connect(m_steps, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem *item) {
        Q_EMIT stepChosen(item->data(0, kLeftRole).toInt(), item->data(0, kRightRole).toInt());
    });
    column->addWidget(m_steps, 1);
}

void PairPanel::setPair(const std::optional<TaskSchedule> &left, const std::optional<TaskSchedule> &right) {
    if (left == m_left && right == m_right) return;
    m_left = left;
    m_right = right;
    refresh();
}

void PairPanel::refresh() {
    SearchRunner &search = m_context.session.search();
    const bool both = m_left && m_right;
    setVisible(both);
    const QString before = std::exchange(m_verdict, {});
    const bool same = both && search.pairs().identical(*m_left, *m_right);
    const QString why = both ? search.whyNotCompare(*m_left, *m_right) : QString();
    const bool now = both && search.pairs().underWay(*m_left, *m_right);
    for (QAction *action : {m_time, m_explain}) {
        action->setEnabled(both && why.isEmpty() && !same);
        const QString tip = m_context.actions.info(action).tip;
        action->setToolTip(same            ? tr("The schedules are identical")
                           : why.isEmpty() ? tipWithShortcut(tip, action->shortcut())
                                           : tr("%1\nNot now: %2").arg(tip, why));
    }
    m_cancel->setEnabled(now);
    m_cancelButton->setVisible(now);
    m_progress->setVisible(now);
    if (now)
        m_poll.start();
    else
        m_poll.stop();
    progress();
    const auto facts = both ? search.pairs().of(*m_left, *m_right) : std::nullopt;
    m_timed = facts && facts->timed;
    if (m_timed) {
        m_plot->setTimes(facts->timed->first, facts->timed->second);
        m_verdict =
            qt(verdictText(facts->timed->interval, std8(scheduleName(m_left->ref)), std8(scheduleName(m_right->ref))));
    }
    if (same) m_verdict = tr("identical schedules: they have the same steps");
    const bool failed = facts && !facts->failure.isEmpty();
    m_failure->setVisible(failed);
    m_failure->setText(failed ? asSentence(facts->failure) : QString());
    m_steps->setVisible(facts && !facts->explained.empty());
    if (m_steps->isVisibleTo(m_details)) showExplanation(*facts);
    showDetails();
    if (m_verdict != before) Q_EMIT verdictChanged();
}

void PairPanel::showExplanation(const PairFacts &facts) {
    m_steps->clear();
    for (const ExplainedStep &step : facts.explained) {
        const bool coupled = step.pairs.size() > 1;
        QStringList lines;
        for (const size_t pair : step.pairs) lines << differenceText(facts.steps[pair]);
        const QString share = step.interval.different() ? percentText(step.share) : tr("none seen");
        auto *item = new QTreeWidgetItem(
            {coupled ? tr("coupled: %1").arg(lines.join(QStringLiteral("; "))) : lines.join(QString()), share,
             gainText(step.interval)});
        const QString tip =
            coupled ? tr("These only apply together:\n%1").arg(lines.join(QLatin1Char('\n'))) : lines.front();
        for (int column = 0; column < 3; ++column) item->setToolTip(column, tip);
        item->setData(0, kLeftRole, facts.steps[step.pairs.front()].a);
        item->setData(0, kRightRole, facts.steps[step.pairs.front()].b);
        m_steps->addTopLevelItem(item);
    }
}

void PairPanel::setLow(bool low) {
    if (std::exchange(m_low, low) == low) return;
    m_details->setMaximumHeight(low ? fontMetrics().height() * 5 : QWIDGETSIZE_MAX);
    showDetails();
}

void PairPanel::showDetails() {
    const auto shown = [this](const QWidget *part) { return part->isVisibleTo(m_details); };
    m_plot->setVisible(m_timed && !m_low); // the verdict says what it shows
    const int parts = (shown(m_failure) ? 1 : 0) | (shown(m_plot) ? 2 : 0) | (shown(m_steps) ? 4 : 0);
    m_details->setVisible(parts != 0);
    if (std::exchange(m_parts, parts) != parts) Q_EMIT detailsChanged();
}

void PairPanel::progress() {
    m_progress->setValue(static_cast<int>(m_context.session.search().pairs().progress() * 1000));
}

} // namespace loopscope
