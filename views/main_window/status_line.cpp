#include "views/main_window/status_line.h"

#include "views/actions/elided_label.h"
#include "views/session/network_tuning.h"
#include "views/session/open_networks.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QToolButton>
#include <QWidgetAction>

#include <algorithm>

namespace loopscope {

QString searchText(const TaskState &state) {
    const SearchStatus &search = state.search;
    QStringList parts;
    switch (search.state) {
    case SearchState::Paused:
        parts << QObject::tr("paused");
        break;
    case SearchState::Pausing:
        parts << QObject::tr("pausing after this trial");
        break;
    case SearchState::Stopping:
        parts << QObject::tr("stopping");
        break;
    default:
        if (!search.phase.isEmpty()) parts << search.phase;
    }
    if (search.total > 0)
        parts << QObject::tr("%1 of %2").arg(search.done).arg(trialCountText(static_cast<size_t>(search.total)));
    if (const auto left = search.secondsLeft(state.setup.options.timeLimitSeconds);
        left && search.state == SearchState::Running)
        parts << QObject::tr("about %1 left").arg(durationText(*left));
    return QObject::tr("Search of %1: %2").arg(taskTitle(state), parts.join(QStringLiteral(", ")));
}

QString networkSearchText(const QString &name, const NetworkProgress &progress, int wanted, double timeLimitSeconds) {
    QStringList parts;
    if (progress.picked >= 0)
        parts << QObject::tr("task no. %1%2")
                     .arg(progress.tasks[static_cast<size_t>(progress.picked)].number + 1)
                     .arg(progress.besides() > 0 ? QObject::tr(" and %1 more").arg(progress.besides()) : QString());
    if (progress.state == SearchState::Paused)
        parts << QObject::tr("paused");
    else if (progress.state == SearchState::Pausing)
        parts << QObject::tr("pausing after this round");
    else if (progress.state == SearchState::Stopping)
        parts << QObject::tr("stopping");
    else if (!progress.phase.isEmpty())
        parts << progress.phase;
    if (wanted > 0)
        parts << QObject::tr("%1 of %2").arg(progress.trials).arg(trialCountText(static_cast<size_t>(wanted)));
    if (const size_t timed = progress.timed(); timed > 0 && timed == progress.tasks.size())
        parts << QObject::tr("%1 estimated for the network").arg(timeText(progress.seconds()));
    else if (!progress.tasks.empty())
        parts << QObject::tr("%1 of %2 timed").arg(timed).arg(countedText(progress.tasks.size(), "task"));
    // What is left by the trials so far, once there are enough of them to go by, or by the clock.
    constexpr int kEnough = 8;
    double left = -1;
    if (progress.trials >= kEnough && wanted > progress.trials)
        left = progress.elapsed * (wanted - progress.trials) / progress.trials;
    if (timeLimitSeconds > 0 && (left < 0 || timeLimitSeconds - progress.elapsed < left))
        left = std::max(0.0, timeLimitSeconds - progress.elapsed);
    if (left >= 0 && progress.state == SearchState::Running)
        parts << QObject::tr("about %1 left").arg(durationText(left));
    return QObject::tr("Search of %1: %2").arg(name, parts.join(QStringLiteral(", ")));
}

std::vector<Running> whatRuns(Session &session, const std::vector<JobInfo> &jobs) {
    std::vector<Running> list;
    if (const TaskState *state = session.search().task(); state && state->search.underWay()) {
        const SearchStatus &search = state->search;
        const bool shown = session.document() && session.document()->taskId == state->taskId;
        list.push_back({searchText(*state), search.total > 0 ? double(search.done) / search.total : -1, -1,
                        shown ? 0 : state->taskId});
    }
    const NetworkTuning &tuning = session.tuning();
    const OpenNetwork *network = session.networks().find(tuning.searched());
    if (network != nullptr && tuning.progress(network->id).underWay()) {
        const NetworkProgress &progress = tuning.progress(network->id);
        const int wanted = progress.wanted(tuning.setup(), tuning.steered(network->id));
        list.push_back({networkSearchText(network->name(), progress, wanted, tuning.setup().timeLimitSeconds),
                        wanted > 0 ? double(progress.trials) / wanted : -1, -1, 0, network->id});
    }
    for (const JobInfo &job : jobs) {
        QString text = asSentence(job.title);
        if (job.seconds >= 2) text += QStringLiteral(" (%1)").arg(durationText(job.seconds));
        list.push_back({text, job.progress, job.id});
    }
    return list;
}

QString taskText(const Document *document) {
    if (!document) return {};
    if (document->problem) return QObject::tr("%1: %2").arg(document->name, document->problem->sentence);
    if (!document->task) return document->name;
    QString text = QObject::tr("%1 on %2").arg(document->name, document->targetText);
    if (document->flops() >= 0) text += QObject::tr(", %1FLOP").arg(countText(document->flops()));
    if (document->best >= 0 && static_cast<size_t>(document->best) < document->trials.size()) {
        const TrialEntry &best = document->trials[static_cast<size_t>(document->best)];
        text += QObject::tr(", best %1").arg(timeText(best.seconds()));
        if (best.gflops > 0) text += QStringLiteral(" (%1)").arg(gflopsText(best.gflops));
    }
    return text;
}

StatusLine::StatusLine(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_text(new ElidedLabel(this)), m_progress(new QProgressBar(this)),
      m_cancel(new QToolButton(this)), m_show(new QToolButton(this)), m_more(new QToolButton(this)),
      m_message(new QToolButton(this)) {
    setObjectName(QStringLiteral("StatusLine"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 2, 8, 2);
    layout->setSpacing(8);
    m_text->setObjectName(QStringLiteral("status_text"));
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_progress->setTextVisible(false);
    m_progress->setFixedWidth(fontMetrics().averageCharWidth() * 18);
    m_progress->setFixedHeight(fontMetrics().height() * 2 / 3);
    m_cancel->setObjectName(QStringLiteral("status_cancel"));
    m_cancel->setIcon(context.theme.icon(QStringLiteral("stop")));
    m_cancel->setText(tr("Cancel"));
    m_cancel->setAutoRaise(true);
    m_cancel->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_show->setObjectName(QStringLiteral("status_show"));
    m_show->setText(tr("Show"));
    m_show->setToolTip(tr("Show what is being searched"));
    m_show->setAutoRaise(true);
    m_more->setObjectName(QStringLiteral("status_more"));
    m_more->setAutoRaise(true);
    m_message->setObjectName(QStringLiteral("status_message"));
    m_message->setAutoRaise(true);
    m_message->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_message->hide();
    layout->addWidget(m_progress);
    layout->addWidget(m_cancel);
    layout->addWidget(m_text, 3);
    layout->addWidget(m_show);
    layout->addWidget(m_more);
    layout->addWidget(m_message, 0);

    connect(m_cancel, &QToolButton::clicked, this, [this] {
        if (!m_running.empty()) cancel(m_running.front());
    });
    connect(m_show, &QToolButton::clicked, this, [this] {
        if (m_running.empty()) return;
        if (m_running.front().network != 0) return m_context.session.networks().setCurrent(m_running.front().network);
        m_context.session.documents().showTask(m_running.front().task);
    });
    connect(m_more, &QToolButton::clicked, this, &StatusLine::showAll);
    connect(m_message, &QToolButton::clicked, this, [this] {
        if (m_newest >= 0) Q_EMIT messageClicked(m_newest);
    });
    Session &session = context.session;
    connect(&session.search(), &SearchRunner::searchChanged, this, &StatusLine::refresh);
    connect(&session.tuning(), &NetworkTuning::changed, this, &StatusLine::refresh);
    connect(&session.documents(), &Documents::documentChanged, this, &StatusLine::refresh);
    connect(&session.documents(), &Documents::documentsChanged, this, &StatusLine::refresh);
    connect(&session.documents(), &Documents::problemChanged, this, &StatusLine::refresh);
    connect(&session.trials(), &TaskTrials::bestChanged, this, &StatusLine::refresh);
    connect(&session.jobs(), &Jobs::changed, this, &StatusLine::refresh);
    connect(&session.messages(), &Messages::added, this, &StatusLine::newMessage);
    connect(&session.messages(), &Messages::repeated, this, &StatusLine::newMessage);
    connect(&session.messages(), &Messages::cleared, this, [this] {
        m_newest = -1;
        m_message->hide();
    });
    connect(&session.messages(), &Messages::settled, this, &StatusLine::settle);
    connect(&context.theme, &Theme::changed, this, [this] {
        if (m_newest >= 0) newMessage(m_newest);
    });
    m_tick.setInterval(500); // progress and elapsed time of jobs come without a signal
    connect(&m_tick, &QTimer::timeout, this, &StatusLine::refresh);
    refresh();
    const auto &all = session.messages().all();
    for (size_t i = 0; i < all.size(); ++i) newMessage(static_cast<int>(i));
}

void StatusLine::refresh() {
    m_running = whatRuns(m_context.session, m_context.session.jobs().running());
    const bool busy = !m_running.empty();
    m_progress->setVisible(busy);
    m_cancel->setVisible(busy);
    // A search of what is not shown; a network is, where it is the one in front.
    const OpenNetwork *front = m_context.session.networks().current();
    m_show->setVisible(busy && (m_running.front().task != 0 || (m_running.front().network != 0 && front != nullptr &&
                                                                front->id != m_running.front().network)));
    m_more->setVisible(m_running.size() > 1);
    if (busy) {
        const Running &first = m_running.front();
        m_progress->setRange(0, first.progress < 0 ? 0 : 1000);
        m_progress->setValue(first.progress < 0 ? 0 : static_cast<int>(first.progress * 1000));
        m_text->setText(first.text);
        m_cancel->setText(first.job < 0 ? tr("Stop") : tr("Cancel"));
        m_cancel->setToolTip(first.job < 0 ? tr("Stop the search; what was measured stays")
                                           : tr("Cancel: %1").arg(first.text));
        m_more->setText(tr("and %n more", nullptr, static_cast<int>(m_running.size()) - 1)
                            .replace(QLatin1String("%n"), QString::number(m_running.size() - 1)));
        if (!m_tick.isActive()) m_tick.start();
    } else {
        m_tick.stop();
        const QString task = taskText(m_context.session.document());
        m_text->setText(task.isEmpty() ? tr("Ready") : task);
    }
    m_text->setToolTip(m_text->text());
}

void StatusLine::cancel(const Running &running) {
    if (running.network != 0)
        m_context.session.tuning().stop();
    else if (running.job < 0)
        m_context.session.search().stop();
    else
        m_context.session.jobs().cancel(running.job);
    refresh();
}

void StatusLine::showAll() {
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const Running &running : m_running) {
        QAction *action =
            menu->addAction(m_context.theme.icon(QStringLiteral("stop")), tr("Cancel: %1").arg(running.text));
        connect(action, &QAction::triggered, this, [this, running] { cancel(running); });
    }
    menu->popup(m_more->mapToGlobal(QPoint(0, -menu->sizeHint().height())));
}

void StatusLine::settle(const QString &kind) {
    if (m_newest < 0 || m_context.session.messages().all()[static_cast<size_t>(m_newest)].kind != kind) return;
    m_newest = -1;
    m_message->hide();
}

void StatusLine::newMessage(int index) {
    const Message &message = m_context.session.messages().all()[static_cast<size_t>(index)];
    if (message.severity == Message::Severity::Note) return;
    m_newest = index;
    const bool failure = message.severity == Message::Severity::Failure;
    m_message->setIcon(m_context.theme.icon(failure ? QStringLiteral("failure") : QStringLiteral("warning")));
    m_message->setText(fontMetrics().elidedText(message.text.section(u'\n', 0, 0), Qt::ElideRight,
                                                fontMetrics().averageCharWidth() * 60));
    m_message->setToolTip(message.detail.isEmpty() ? message.text : message.text + u'\n' + message.detail);
    QPalette palette = m_message->palette();
    palette.setColor(QPalette::ButtonText, m_context.theme.color(failure ? Role::Bad : Role::Warning));
    m_message->setPalette(palette);
    m_message->show();
}

} // namespace loopscope
