#include "views/network_tasks/tuning_bar.h"

#include "views/actions/elided_label.h"
#include "views/session/open_networks.h"
#include "views/session/text.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopscope {

namespace {
constexpr int kNarrow = 130; // letters
const QString kOptionsKey = QStringLiteral("network_tasks/options");

const NetworkTaskProgress &picked(const NetworkProgress &progress) {
    return progress.tasks[static_cast<size_t>(progress.picked)];
}
} // namespace

TuningBar::TuningBar(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_tuning(context.session.tuning()),
      m_row(new QBoxLayout(QBoxLayout::LeftToRight)), m_tools(new QHBoxLayout), m_headline(new ElidedLabel),
      m_turn(new ElidedLabel), m_progress(new QProgressBar), m_form(new TuningForm) {
    setObjectName(QStringLiteral("network_tuning_bar"));
    m_tools->setSpacing(2);
    m_headline->setObjectName(QStringLiteral("network_headline"));
    m_turn->setObjectName(QStringLiteral("network_turn"));
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(fontMetrics().height() / 2);
    m_progress->setMaximumWidth(fontMetrics().averageCharWidth() * 24);
    m_progress->setAccessibleName(tr("Trials of the search"));
    QSizePolicy policy = m_progress->sizePolicy();
    policy.setRetainSizeWhenHidden(false);
    m_progress->setSizePolicy(policy);
    auto *words = new QVBoxLayout;
    words->setContentsMargins(4, 2, 0, 2);
    words->setSpacing(0);
    words->addWidget(m_headline);
    words->addWidget(m_turn);
    auto *controls = new QHBoxLayout;
    controls->addLayout(m_tools);
    controls->addWidget(m_progress, 1);
    controls->addStretch(0);
    m_row->setContentsMargins(4, 0, 8, 0);
    m_row->setSpacing(4);
    m_row->addLayout(controls);
    m_row->addLayout(words, 1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(m_row);
    column->addWidget(m_form);
    addActions();
    connect(m_form, &TuningForm::setupChanged, this, [this](const NetworkTuningSetup &setup) {
        m_tuning.setSetup(setup);
        refresh();
    });
    connect(m_form, &TuningForm::logChosen, this, [this](const QString &path) { m_tuning.setLog(network(), path); });
    connect(&m_context.theme, &Theme::changed, this, [this] {
        m_look.clear();
        refresh();
    });
    connect(&m_context.session.search(), &SearchRunner::searchChanged, this, &TuningBar::refresh);
    refresh();
}

void TuningBar::addActions() {
    auto *everywhere = new QObject(this);
    const auto add = [&](QObject *owner, const char *id, const QString &text, const char *key, const char *icon,
                         const QString &tip, std::function<void()> run, bool checkable = false) {
        QAction *action = m_context.actions.add({QLatin1String(id), tr("Search"), text,
                                                 QKeySequence(QLatin1String(key)), tip, QLatin1String(icon), checkable},
                                                owner, std::move(run));
        action->setIcon(m_context.theme.icon(QLatin1String(icon)));
        return action;
    };
    m_search = add(everywhere, "network_tasks.search", tr("Search network"), "Ctrl+Shift+R", "search",
                   tr("Search all tasks of the network in one search, more trials where the network gains more"),
                   [this] { searchOrPause(); });
    m_stop = add(everywhere, "network_tasks.stop", tr("Stop network search"), "", "stop",
                 tr("Stop; all trials so far are kept"), [this] { m_tuning.stop(); });
    m_time = add(everywhere, "network_tasks.time", tr("Time network"), "", "measure",
                 tr("Build the network with the best schedules of its log, run it, and see what a run takes"),
                 [this] { m_tuning.measure(network()); });
    m_options = add(
        everywhere, "network_tasks.options", tr("Options of the network search"), "", "settings",
        tr("Trials of each task, time limit, order of tasks, what they are measured on, log"), [] {}, true);
    m_options->setIconText(tr("Options"));
    const bool open = m_context.settings.value(kOptionsKey, false).toBool();
    m_options->setChecked(open);
    m_form->setVisible(open);
    connect(m_options, &QAction::toggled, this, [this](bool shown) {
        m_context.settings.setValue(kOptionsKey, shown);
        m_form->setVisible(shown);
    });
    for (QAction *action : {m_search, m_stop, m_time, m_options}) {
        auto *button = new QToolButton;
        button->setAutoRaise(true);
        button->setIconSize({16, 16});
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setDefaultAction(action);
        m_tools->addWidget(button);
    }
}

int TuningBar::network() const {
    const OpenNetwork *shown = m_context.session.networks().current();
    return shown != nullptr ? shown->id : 0;
}

void TuningBar::searchOrPause() {
    const int shown = network();
    if (shown == 0 || m_tuning.searched() != shown) return m_tuning.start(shown);
    if (m_tuning.progress(shown).state == SearchState::Paused)
        m_tuning.resume();
    else
        m_tuning.pause();
}

/// In a narrow dock words below the buttons say more than what is left of them beside.
void TuningBar::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    const bool narrow = width() < fontMetrics().averageCharWidth() * kNarrow;
    m_row->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void TuningBar::setIdleText(const QString &text) {
    m_idle = text;
    if (m_tuning.progress(network()).tasks.empty()) m_headline->setText(text);
}

void TuningBar::refresh() {
    const int shown = network();
    const NetworkProgress &progress = m_tuning.progress(shown);
    const bool searched = shown != 0 && m_tuning.searched() == shown;
    const bool paused = progress.state == SearchState::Paused;
    const QString why = searched ? QString() : m_tuning.whyNotStart(shown);
    const QString look = !searched ? QStringLiteral("search")
                         : paused  ? QStringLiteral("resume")
                                   : QStringLiteral("pause");
    if (look != std::exchange(m_look, look)) {
        m_search->setIcon(m_context.theme.icon(look));
        m_search->setText(!searched ? tr("Search network")
                          : paused  ? tr("Continue network search")
                                    : tr("Pause network search"));
        m_search->setIconText(!searched ? tr("Search") : paused ? tr("Continue") : tr("Pause"));
        m_stop->setIconText(tr("Stop"));
        m_time->setIconText(tr("Time"));
    }
    m_search->setEnabled(why.isEmpty() && progress.state != SearchState::Stopping);
    m_search->setToolTip(
        tipWithShortcut(why.isEmpty() ? m_context.actions.info(m_search).tip : asSentence(why), m_search->shortcut()));
    const int running = m_tuning.searched(); // it may be another one
    m_stop->setEnabled(running != 0 && m_tuning.progress(running).state != SearchState::Stopping);
    m_time->setEnabled(!searched && why.isEmpty());
    m_options->setEnabled(shown != 0);
    m_form->setLocked(searched || shown == 0);
    m_form->show(m_tuning.setup(), progress.logPath);
    showWords(progress);
}

void TuningBar::showWords(const NetworkProgress &progress) {
    m_headline->setText(progress.tasks.empty() ? m_idle : headlineOf(progress));
    QString turn;
    if (progress.underWay() && progress.picked >= 0)
        turn =
            tr("Now %1, as %2").arg(rowName(progress), progress.why) +
            (progress.besides() > 0 ? tr("; beside %1").arg(countedText(progress.besides(), "other task")) : QString());
    else if (progress.underWay())
        turn = progress.phase.isEmpty() ? QString() : asSentence(progress.phase);
    else if (!progress.ended.isEmpty())
        turn = progress.state == SearchState::Failed ? asSentence(progress.ended)
                                                     : tr("%1; log: %2").arg(progress.ended, progress.logPath);
    m_turn->setText(turn);
    m_turn->setVisible(!turn.isEmpty());
    m_progress->setVisible(progress.underWay());
    if (!progress.underWay()) return;
    const int wanted = progress.wanted(m_tuning.setup(), m_tuning.steered(network()));
    m_progress->setRange(0, wanted); // 0: not known yet
    m_progress->setValue(progress.trials);
}

/// As the table has it: its number, and what its kernels are called.
QString TuningBar::rowName(const NetworkProgress &progress) const {
    const NetworkTaskProgress &task = picked(progress);
    const OpenNetwork *shown = m_context.session.networks().current();
    const bool known = shown != nullptr && shown->kernels && task.number < shown->kernels->tasks.size() &&
                       shown->kernels->tasks[task.number].key == task.key;
    return known ? tr("no. %1, %2").arg(task.number + 1).arg(qt(shown->kernels->tasks[task.number].name)) : task.name;
}

QString TuningBar::headlineOf(const NetworkProgress &progress) const {
    QStringList parts;
    const size_t timed = progress.timed();
    if (timed == progress.tasks.size())
        parts << tr("%1 estimated for the network").arg(timeText(progress.seconds()));
    else if (timed > 0)
        parts << tr("%1 for %2 of %3 so far")
                     .arg(timeText(progress.seconds()))
                     .arg(timed)
                     .arg(countedText(progress.tasks.size(), "task"));
    else
        parts << tr("no task has a time yet");
    if (!progress.measured.empty()) parts << tr("a run took %1").arg(timeText(progress.measured.back().seconds));
    if (progress.state != SearchState::Idle) {
        parts << tr("%1 of %2")
                     .arg(progress.trials)
                     .arg(trialCountText(
                         static_cast<size_t>(progress.wanted(m_tuning.setup(), m_tuning.steered(network())))));
        if (progress.failed > 0) parts << tr("%1 failed").arg(progress.failed);
        parts << durationText(progress.elapsed);
    }
    if (progress.state == SearchState::Paused)
        parts << tr("paused");
    else if (progress.state == SearchState::Stopping)
        parts << tr("stopping \u2026");
    else if (progress.underWay() && progress.picked >= 0 && !progress.phase.isEmpty())
        parts << progress.phase;
    QString text = parts.join(QStringLiteral(" \u00b7 "));
    text[0] = text[0].toUpper();
    return text;
}

QString TuningBar::headline() const { return m_headline->text(); }
QString TuningBar::turn() const { return m_turn->text(); }

} // namespace loopscope
