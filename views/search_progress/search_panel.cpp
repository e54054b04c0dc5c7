#include "views/search_progress/search_panel.h"

#include "views/actions/actions.h"
#include "views/actions/flow_layout.h"
#include "views/search_progress/bundle_strip.h"
#include "views/search_progress/lock_strip.h"
#include "views/search_progress/plot_panes.h"
#include "views/search_progress/population_plot.h"
#include "views/search_progress/prediction_plot.h"
#include "views/search_progress/progress_plot.h"
#include "views/search_progress/roofline_plot.h"
#include "views/search_progress/setup_form.h"
#include "views/search_progress/start_strip.h"
#include "views/search_progress/status_strip.h"
#include "views/session/measuring.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {
constexpr int kMargin = 8;

QString sentence(const QString &text) {
    return text.isEmpty() || text.endsWith(QLatin1Char('.')) ? asSentence(text) : asSentence(text) + QLatin1Char('.');
}

/// What a search does with its schedules.
QString howTried(const Document &document) {
    const bool gpu = document.task && document.task->target.isGpu();
    switch (document.task ? measuredOn(document.setup, document.task->target) : MeasureOn::Here) {
    case MeasureOn::Executor:
        return QStringLiteral(
            "on the executor,<br>which runs GPU kernels on this processor: it checks the answer of each "
            "and times none");
    case MeasureOn::Bundle:
        return QStringLiteral("on another machine:<br>each round is written as a folder, and goes on when its results "
                              "are there");
    case MeasureOn::Fleet:
        return QStringLiteral("on nodes of a cluster,<br>check the answer of each, and draw here how it goes");
    case MeasureOn::Here:
        break;
    }
    return QStringLiteral("on %1,<br>check the answer of each, and draw here how it goes")
        .arg(gpu ? QStringLiteral("the GPU of this machine") : QStringLiteral("this machine"));
}

/// In the text colour of the primary button.
QIcon accentIcon(const Theme &theme, const QString &name) {
    constexpr int kSize = 64; // scaled down to the button's
    QIcon icon(theme.icon(name).pixmap(QSize(kSize, kSize), QIcon::Selected));
    icon.addPixmap(theme.icon(name).pixmap(QSize(kSize, kSize), QIcon::Disabled), QIcon::Disabled);
    return icon;
}
} // namespace

SearchPanel::SearchPanel(Theme &theme, Settings &settings, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_primary(new QPushButton), m_stop(new QPushButton(QStringLiteral("Stop"))),
      m_continue(new QPushButton(QStringLiteral("Continue with"))), m_more(new QSpinBox),
      m_form(new SetupForm(theme, settings)), m_start(new StartStrip), m_locks(new LockStrip(theme)),
      m_strip(new StatusStrip(theme)), m_wait(new BundleStrip(theme)), m_advice(new QLabel),
      m_pages(new QStackedWidget), m_empty(new QLabel), m_begin(new QPushButton(QStringLiteral("Start"))),
      m_panes(new PlotPanes(theme, settings)) {
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
    column->setSpacing(kMargin);
    auto *row = new QWidget;
    auto *controls = new FlowLayout(row, kMargin);
    m_primary->setObjectName(QStringLiteral("searchPrimary"));
    m_primary->setDefault(true);
    m_stop->setObjectName(QStringLiteral("searchStop"));
    m_continue->setObjectName(QStringLiteral("searchContinue"));
    m_more->setRange(1, 100000);
    m_more->setValue(settings.value(QStringLiteral("search/more"), 64).toInt());
    m_more->setSingleStep(16);
    m_more->setAlignment(Qt::AlignRight);
    m_more->setSuffix(QStringLiteral(" more"));
    m_more->setAccessibleName(QStringLiteral("Trials to continue with"));
    controls->addWidget(m_primary);
    controls->addWidget(m_stop);
    controls->addWidget(m_continue);
    controls->addWidget(m_more);
    column->addWidget(row);
    column->addWidget(m_form);
    column->addWidget(m_start);
    column->addWidget(m_locks);
    column->addWidget(m_strip);
    column->addWidget(m_wait);
    m_advice->setWordWrap(true);
    m_advice->setMargin(6);
    m_advice->setAutoFillBackground(true);
    m_advice->hide();
    column->addWidget(m_advice);
    auto *page = new QWidget;
    auto *middle = new QVBoxLayout(page);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setMinimumWidth(m_empty->fontMetrics().averageCharWidth() * 30);
    m_begin->setObjectName(QStringLiteral("searchBegin"));
    middle->addStretch(1);
    middle->addWidget(m_empty);
    middle->addSpacing(kMargin);
    middle->addWidget(m_begin, 0, Qt::AlignHCenter);
    middle->addStretch(2);
    m_pages->addWidget(page);
    m_pages->addWidget(m_panes);
    column->addWidget(m_pages, 1);

    m_roofline = new RooflinePlot(m_data, theme, settings);
    m_plots = {new ProgressPlot(m_data, theme, settings), new PredictionPlot(m_data, theme, settings),
               new PopulationPlot(m_data, theme, settings), m_roofline};
    for (TrialPlot *plot : m_plots) {
        m_panes->add(plot);
        connect(plot, &TrialPlot::trialClicked, this, [this](int trial, Qt::KeyboardModifiers modifiers) {
            if (!modifiers.testFlag(Qt::ControlModifier)) {
                Q_EMIT trialSelected(trial);
                return;
            }
            auto trials = m_data.brushed; // one more, or one less
            const auto place = std::lower_bound(trials.begin(), trials.end(), trial);
            if (place != trials.end() && *place == trial)
                trials.erase(place);
            else
                trials.insert(place, trial);
            Q_EMIT trialsBrushed(trials);
        });
        connect(plot, &TrialPlot::trialsBrushed, this, &SearchPanel::trialsBrushed);
    }
    connect(m_roofline, &RooflinePlot::measureMachine, this, &SearchPanel::measureMachine);
    connect(m_panes, &PlotPanes::exported, this, &SearchPanel::exported);
    connect(m_primary, &QPushButton::clicked, this, &SearchPanel::primaryClicked);
    connect(m_begin, &QPushButton::clicked, this, &SearchPanel::primaryClicked);
    connect(m_strip, &StatusStrip::againClicked, this, &SearchPanel::compareAgain);
    connect(m_stop, &QPushButton::clicked, this, &SearchPanel::stopClicked);
    connect(m_continue, &QPushButton::clicked, this, [this] { Q_EMIT continueClicked(m_more->value()); });
    connect(m_more, &QSpinBox::valueChanged, this,
            [&settings](int value) { settings.setValue(QStringLiteral("search/more"), value); });
    connect(&theme, &Theme::changed, this, &SearchPanel::applyTheme);
    applyTheme();
    setDocument(nullptr);
}

SearchPanel::~SearchPanel() = default;

int SearchPanel::moreTrials() const { return m_more->value(); }

void SearchPanel::setDocument(const Document *document) {
    m_data.document = document;
    m_data.selected = -1;
    m_data.brushed.clear();
    m_toldElapsed = -1;
    resetTrials();
    for (TrialPlot *plot : m_plots) plot->plot().zoomToFit();
    updateStatus(document ? QString() : QStringLiteral("open a workload first"), {});
}

void SearchPanel::resetTrials() {
    m_data.series.clear();
    if (m_data.document) m_data.series.append(*m_data.document, 0, m_data.document->trials.size());
    for (TrialPlot *plot : m_plots) plot->rebuild();
    showPage();
}

void SearchPanel::addTrials(int first) {
    if (!m_data.document) return;
    if (first != m_data.series.count()) return resetTrials(); // some came while another document was shown
    const auto &trials = m_data.document->trials;
    m_data.series.append(*m_data.document, static_cast<size_t>(first), trials.size() - static_cast<size_t>(first));
    for (TrialPlot *plot : m_plots) plot->addTrials(first);
    showPage();
}

void SearchPanel::updateRounds() {
    for (TrialPlot *plot : m_plots) plot->updateRounds();
}

void SearchPanel::updateBest() {
    for (TrialPlot *plot : m_plots) plot->updateReferences();
}

void SearchPanel::setMachine(const std::optional<MachineRooflines> &machine) {
    m_data.peakGflops = machine ? machine->allCoresGflops : 0;
    m_roofline->setMachine(machine);
    for (TrialPlot *plot : m_plots) plot->updateReferences();
}

void SearchPanel::setMeasuringMachine(bool measuring, const QString &whyNot) {
    m_roofline->setMeasuring(measuring, sentence(whyNot));
}

void SearchPanel::select(int trial, const std::vector<int> &brushed) {
    if (trial == m_data.selected && brushed == m_data.brushed) return;
    m_data.selected = trial;
    m_data.brushed = brushed;
    for (TrialPlot *plot : m_plots) plot->updateSelection();
}

int SearchPanel::neighbour(int step) const {
    const auto &valid = m_data.series.valid();
    if (valid.empty()) return -1;
    const auto after = [](int trial, const SeriesPoint &point) { return trial < point.trial; };
    const auto before = [](const SeriesPoint &point, int trial) { return point.trial < trial; };
    if (m_data.selected < 0) return step > 0 ? valid.front().trial : valid.back().trial;
    if (step > 0) {
        const auto next = std::upper_bound(valid.begin(), valid.end(), m_data.selected, after);
        return next == valid.end() ? -1 : next->trial;
    }
    const auto at = std::lower_bound(valid.begin(), valid.end(), m_data.selected, before);
    return at == valid.begin() ? -1 : std::prev(at)->trial;
}

double SearchPanel::elapsedNow() const {
    const auto &status = m_data.document->search;
    if (status.state != SearchState::Running || !m_sinceTold.isValid()) return status.elapsed;
    return m_toldElapsed + static_cast<double>(m_sinceTold.elapsed()) / 1e3;
}

void SearchPanel::updateClock() {
    if (!m_data.document) {
        m_strip->hide();
        m_wait->hide();
        return;
    }
    const auto &status = m_data.document->search;
    const bool running = status.state == SearchState::Running;
    if (!running || !std::exchange(m_ticking, true) || status.elapsed != m_toldElapsed) {
        m_ticking = running;
        m_toldElapsed = status.elapsed;
        m_sinceTold.start();
    }
    const double trial = status.measuring >= 0 && status.measuringSince.isValid()
                             ? static_cast<double>(status.measuringSince.msecsTo(QDateTime::currentDateTime())) / 1e3
                             : -1;
    const bool any = status.state != SearchState::Idle || !m_data.document->trials.empty();
    m_strip->setVisible(any);
    m_wait->show(status.waiting);
    if (any) m_strip->show(searchFacts(*m_data.document, m_data.series, elapsedNow(), trial), status);
}

void SearchPanel::updateStatus(const QString &whyNotSearch, const QString &whyNotContinue) {
    const Document *document = m_data.document;
    m_buttons = searchButtons(document, sentence(whyNotSearch), sentence(whyNotContinue));
    using Primary = SearchButtons::Primary;
    const auto set = [](QPushButton *button, bool enabled, const QString &tip, const QString &why) {
        button->setEnabled(enabled);
        button->setToolTip(why.isEmpty() ? tip : why);
    };
    const auto keys = [](const char *text) { return QKeySequence(QLatin1String(text)); };
    m_primary->setText(document ? searchVerb(*document) : QStringLiteral("Start"));
    const QString icon = m_primary->text() == QLatin1String("Start")   ? QStringLiteral("search")
                         : m_primary->text() == QLatin1String("Pause") ? QStringLiteral("pause")
                                                                       : QStringLiteral("resume");
    if (icon != m_primaryIcon) m_primary->setIcon(accentIcon(m_theme, icon));
    m_primaryIcon = icon;
    const QString tip = m_buttons.primary == Primary::Start    ? QStringLiteral("Search for the fastest schedule")
                        : m_buttons.primary == Primary::Resume ? QStringLiteral("Go on where the search was paused")
                                                               : QStringLiteral("Pause after what is under way");
    set(m_primary, m_buttons.canPrimary,
        tipWithShortcut(tip, m_buttons.primary == Primary::Start ? keys("Ctrl+R") : QKeySequence()),
        m_buttons.whyNotPrimary);
    set(m_stop, m_buttons.canStop, tipWithShortcut(QStringLiteral("Stop; all trials so far are kept"), keys("Ctrl+.")),
        m_buttons.whyNotStop);
    set(m_continue, m_buttons.canContinue,
        QStringLiteral("Measure that many more trials, learning from those there are"), m_buttons.whyNotContinue);
    m_more->setEnabled(m_buttons.canContinue);
    m_strip->setWhyNotAgain(sentence(whyNotContinue)); // all trials may be there: none is added
    m_form->setLocked(m_buttons.whyNotEdit);
    if (document) m_form->setSetup(document->setup, document->targetText, document->logPath);
    const bool known = document != nullptr && document->task != nullptr;
    m_form->setTarget(known ? &document->task->target : nullptr, document ? bundleFolderOf(*document) : QString());
    m_start->setVisible(document != nullptr && document->task != nullptr);
    m_locks->setVisible(document != nullptr && document->task != nullptr);
    m_locks->setLocks(document ? document->locks : ScheduleLocks());
    m_form->setProblem(document && document->problem ? document->problem->sentence : QString());
    const bool failed = document && document->search.state == SearchState::Failed;
    m_advice->setVisible(failed);
    if (failed)
        m_advice->setText(
            QStringLiteral("The search could not go on. The trials measured so far are kept%1; the cause is "
                           "also in Messages. Once it is repaired, continue: it learns from what is there.")
                .arg(document->logPath.isEmpty() ? QString() : QStringLiteral(" in %1").arg(document->logPath)));
    updateClock();
    showPage();
}

void SearchPanel::showPage() {
    const Document *document = m_data.document;
    const bool searching = document && m_buttons.primary != SearchButtons::Primary::Start;
    const bool plots = document && (!document->trials.empty() || searching || !document->rounds.empty());
    m_pages->setCurrentIndex(plots ? 1 : 0);
    if (plots) return;
    m_begin->setVisible(document && m_buttons.canPrimary);
    m_empty->setText(
        !document ? QStringLiteral("Open a workload to search for its fastest schedule.")
        : m_buttons.canPrimary
            ? QStringLiteral("<p><b>No search yet</b></p><p>Loopscope will try %1 schedules of %2 %3.</p>")
                  .arg(document->setup.options.trials)
                  .arg(document->name.toHtmlEscaped(), howTried(*document))
            : QStringLiteral("<p><b>No search yet</b></p><p>%1</p>").arg(m_buttons.whyNotPrimary.toHtmlEscaped()));
}

void SearchPanel::changeEvent(QEvent *event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        for (TrialPlot *plot : m_plots) plot->plot().applyTheme();
}

void SearchPanel::applyTheme() {
    QPalette primary = m_primary->palette();
    primary.setColor(QPalette::Active, QPalette::Button, m_theme.color(Role::Accent));
    primary.setColor(QPalette::Inactive, QPalette::Button, m_theme.color(Role::Accent));
    primary.setColor(QPalette::Active, QPalette::ButtonText, m_theme.color(Role::AccentText));
    primary.setColor(QPalette::Inactive, QPalette::ButtonText, m_theme.color(Role::AccentText));
    for (QPushButton *button : {m_primary, m_begin}) button->setPalette(primary);
    m_begin->setIcon(accentIcon(m_theme, QStringLiteral("search")));
    if (!m_primaryIcon.isEmpty()) m_primary->setIcon(accentIcon(m_theme, m_primaryIcon));
    QPalette quiet = m_empty->palette();
    quiet.setColor(QPalette::WindowText, m_theme.color(Role::QuietText));
    m_empty->setPalette(quiet);
    QPalette advice = m_advice->palette();
    advice.setColor(QPalette::Window, m_theme.tint(Role::Bad));
    advice.setColor(QPalette::WindowText, m_theme.color(Role::Text));
    m_advice->setPalette(advice);
}

} // namespace loopscope
