#include "views/trials/trials_view.h"

#include "measure/timing/machine_peaks.h"
#include "views/actions/page_stack.h"
#include "views/session/measuring.h"
#include "views/session/text.h"
#include "views/trials/empty_page.h"
#include "views/trials/failure_strip.h"
#include "views/trials/filter_edit.h"
#include "views/trials/table_text.h"
#include "views/trials/trial_actions.h"
#include "views/trials/trial_table.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSaveFile>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

TrialsView::TrialsView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("TrialsView"));
    build();
    addButtons();
    connectSession();
    documentShown();
}

TrialsView::~TrialsView() = default;

void TrialsView::build() {
    m_model = new TrialTableModel(m_context.theme, this);
    m_table = new TrialTable(m_context.settings, m_context.session.selection(), *m_model, this);
    m_table->setObjectName(QStringLiteral("TrialTable"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);

    const auto complete = [this](const QString &text, int cursor, bool all) {
        QStringList mutations;
        if (const Document *document = m_model->facts().document())
            for (const TrialEntry &entry : document->trials) {
                if (!entry.mutation.isEmpty() && !mutations.contains(entry.mutation)) mutations << entry.mutation;
                if (mutations.size() >= 12) break; // there are six or so
            }
        return completeFilter(text, cursor, all, m_model->facts().tileColumns(), mutations);
    };
    m_filter = new FilterEdit(m_context.theme, complete, this);
    m_filter->setObjectName(QStringLiteral("TrialFilter"));
    m_filter->setText(m_context.settings.value(QStringLiteral("trials/filter")).toString());
    // While one types, the table waits for a short pause: half a word would empty it for a moment.
    m_typing.setSingleShot(true);
    m_typing.setInterval(150);
    connect(&m_typing, &QTimer::timeout, this, &TrialsView::applyFilter);
    connect(m_filter, &QLineEdit::textEdited, this, [this] { m_typing.start(); }); // comes before textChanged
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        if (text.isEmpty() || !m_typing.isActive()) applyFilter();
    });
    connect(m_filter, &FilterEdit::left, this, [this] {
        m_table->setFocus(Qt::OtherFocusReason);
        if (!m_table->currentIndex().isValid() && m_model->rowCount() > 0) m_table->selectRow(0);
    });
    m_count = new QLabel(this);
    m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_problem = new QLabel(this);
    m_problem->setWordWrap(true);
    m_problem->setContentsMargins(8, 0, 8, 4);
    m_problem->hide();
    m_columns = new QToolButton(this);
    m_columns->setText(tr("Columns"));
    m_columns->setToolTip(tr("Choose the columns"));
    m_columns->setPopupMode(QToolButton::InstantPopup);
    m_columns->setAutoRaise(true);
    auto *menu = new QMenu(m_columns);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        m_table->fillColumnMenu(*menu);
    });
    m_columns->setMenu(menu);
    m_failures = new FailureStrip(m_context.theme, this);
    connect(m_failures, &FailureStrip::filterAsked, this, [this](const QString &filter) {
        m_filter->setText(m_filter->text().trimmed() == filter ? QString() : filter); // a second click shows all again
    });

    m_stack = new PageStack(this);
    m_empty = new EmptyPage(m_context.theme, m_context.actions, this);
    m_stack->addWidget(m_table);
    m_stack->addWidget(m_empty);

    auto *line = new QHBoxLayout;
    line->setObjectName(QStringLiteral("bar"));
    line->setContentsMargins(8, 6, 8, 6);
    line->setSpacing(6);
    line->addWidget(m_filter, 1);
    line->addWidget(m_count);
    auto *all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(line);
    all->addWidget(m_problem);
    all->addWidget(m_failures);
    all->addWidget(m_stack, 1);
    setFocusProxy(m_table);

    connect(m_model, &TrialTableModel::rowsShownChanged, this, &TrialsView::showState);
    connect(m_model, &TrialTableModel::tileColumnsChanged, this, &TrialsView::applyFilter);
    connect(m_model, &TrialTableModel::noteEdited, this, &TrialsView::saveNote);
    const auto dress = [this] {
        QPalette palette = this->palette();
        palette.setColor(QPalette::WindowText, m_context.theme.color(Role::Bad));
        palette.setColor(QPalette::PlaceholderText, m_context.theme.color(Role::Warning));
        m_problem->setPalette(palette);
        palette.setColor(QPalette::WindowText, m_context.theme.color(Role::QuietText));
        m_count->setPalette(palette);
        m_columns->setIcon(m_context.theme.icon(QStringLiteral("columns")));
    };
    connect(&m_context.theme, &Theme::changed, this, dress);
    dress();
}

void TrialsView::addButtons() {
    m_actions = new TrialActions(m_context, {*this, *m_model, *m_table, *m_filter, *this});
    connect(m_table, &QWidget::customContextMenuRequested, m_actions, &TrialActions::showMenu);
    connect(m_actions, &TrialActions::onlySelectedChanged, this, &TrialsView::showOnlySelected);
    auto *bar = findChild<QHBoxLayout *>(QStringLiteral("bar"));
    for (const auto &[action, worded] : m_actions->buttons()) {
        auto *button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        if (worded) m_worded.push_back(button);
        bar->addWidget(button);
    }
    bar->addWidget(m_columns);
}

void TrialsView::saveLog(const std::vector<int> &trials, const QString &path) { m_actions->saveLog(trials, path); }

void TrialsView::connectSession() {
    Session &session = m_context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &TrialsView::documentShown);
    connect(&session.trials(), &TaskTrials::trialsReset, this, &TrialsView::documentShown);
    connect(&session.trials(), &TaskTrials::trialsAdded, this, &TrialsView::trialsCame);
    connect(&session.trials(), &TaskTrials::trialsChanged, this, [this](const std::vector<int> &trials) {
        m_model->trialsChanged(trials);
        // Measured again, a trial may fail or come back to life.
        m_summary.clear();
        m_summarised = 0;
        showState();
    });
    connect(&session.trials(), &TaskTrials::bestChanged, m_model, &TrialTableModel::setBest);
    connect(&session.trials(), &TaskTrials::baselineChanged, this, [this] {
        m_model->baselineChanged();
        const Document *document = m_context.session.document();
        if (document != nullptr && document->baseline >= 0)
            m_table->showColumn(static_cast<int>(TrialColumn::Against), true);
        m_actions->refresh();
    });
    connect(&session.search(), &SearchRunner::searchChanged, this, [this] {
        if (!m_context.session.search().remeasuring() && !m_model->cells().remeasuring().empty())
            m_model->setRemeasuring({});
        showState();
    });
    const auto peaks = [this] {
        const MachinePeaks *measured = m_context.session.peaks().now();
        const Document *document = m_context.session.document();
        const double figured = document != nullptr && document->task ? figuredGflops(document->task->target) : 0;
        m_model->setPeak(figured > 0 || measured == nullptr ? figured : measured->gflopsAll);
    };
    connect(&session.peaks(), &MeasuredPeaks::peaksReady, this, peaks);
    connect(&session.documents(), &Documents::documentChanged, this, peaks); // another target has other cores
    peaks();
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now, const Selected &before) {
        if (now.trials != before.trials && !m_table->choosing()) showOnlySelected();
        m_actions->refresh();
    });
}

void TrialsView::documentShown() {
    m_summary.clear();
    m_summarised = 0;
    m_model->setDocument(m_context.session.document());
    m_table->restart();
    applyFilter();
    showOnlySelected();
    showState();
}

void TrialsView::trialsCame(int first, int count) { m_model->trialsAdded(first, count); }

void TrialsView::applyFilter() {
    m_typing.stop();
    const ParsedFilter parsed = parseTrialFilter(m_filter->text(), m_model->facts().tileColumns());
    m_filter->setProblem(parsed.problem);
    m_refused = parsed.problem.has_value();
    if (parsed.problem) {
        m_problem->setText(parsed.problem->sentence);
        m_problem->setForegroundRole(QPalette::WindowText);
        m_problem->show();
        return; // the last good filter stays
    }
    m_context.settings.setValue(QStringLiteral("trials/filter"), m_filter->text());
    m_filtering = parsed.filter;
    m_model->setFilter(parsed.filter);
    showHint();
}

void TrialsView::showHint() {
    if (m_refused) return;
    const QString hint = m_filtering && m_model->facts().size() > 0
                             ? m_filtering->hint(m_model->facts(), m_model->rowCount() == 0)
                             : QString();
    m_problem->setText(hint);
    m_problem->setForegroundRole(QPalette::PlaceholderText);
    m_problem->setVisible(!hint.isEmpty());
}

void TrialsView::showOnlySelected() {
    const QAction *only = m_context.actions.find(QStringLiteral("trials.onlySelected"));
    const bool on = only != nullptr && only->isChecked();
    m_model->setOnly(on ? std::make_optional(m_context.session.selection().now().trials) : std::nullopt);
}

void TrialsView::showState() {
    const Document *document = m_context.session.document();
    const int total = m_model->facts().size();
    for (; m_summarised < total; ++m_summarised) m_summary.add(m_model->facts().entry(m_summarised), m_summarised);
    m_failures->setSummary(m_summary, total);
    const int shown = m_model->rowCount();
    if (m_filtering && (shown == 0 || m_problem->isVisibleTo(this))) showHint(); // new trials may be what it asks for
    m_count->setText(shown == total ? trialCountText(static_cast<size_t>(total))
                                    : tr("%1 of %2").arg(shown).arg(total));
    m_count->setVisible(total > 0);
    if (total > 0 && shown > 0) {
        m_stack->setCurrentWidget(m_table);
    } else if (total > 0) {
        const QAction *only = m_context.actions.find(QStringLiteral("trials.onlySelected"));
        const bool onlySelected = only != nullptr && only->isChecked();
        if (onlySelected && m_context.session.selection().now().trials.empty())
            m_empty->say(tr("No trials are selected"),
                         tr("Brush some in a plot, or turn off \u2018Only selected\u2019 to see all %1.").arg(total),
                         {QStringLiteral("trials.onlySelected")});
        else
            m_empty->say(tr("None of %1 passes the filter").arg(trialCountText(static_cast<size_t>(total))),
                         tr("Change the filter, or clear it to see them all."),
                         onlySelected
                             ? QStringList{QStringLiteral("trials.clearFilter"), QStringLiteral("trials.onlySelected")}
                             : QStringList{QStringLiteral("trials.clearFilter")});
        m_stack->setCurrentWidget(m_empty);
    } else {
        const SearchState state = document == nullptr ? SearchState::Idle : document->search.state;
        if (document == nullptr)
            m_empty->say(tr("Nothing is open"), tr("Open a workload or a tuning log to see its trials here."),
                         {QLatin1String(actionId(Capability::OpenFile))});
        else if (state == SearchState::Running || state == SearchState::Pausing || state == SearchState::Paused)
            m_empty->say(tr("No trials yet"),
                         tr("The search is under way. A trial appears here once it is measured; while others "
                            "disturb the timing, trials are held back to be timed again."),
                         {});
        else
            m_empty->say(
                tr("No trials yet"), tr("Press Start, or open a tuning log of this workload."),
                {QLatin1String(actionId(Capability::StartSearch)), QLatin1String(actionId(Capability::OpenFile))});
        m_stack->setCurrentWidget(m_empty);
    }
    m_actions->refresh();
}

void TrialsView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    const bool roomy = width() > fontMetrics().averageCharWidth() * 120; // the filter comes first
    for (QToolButton *button : m_worded)
        button->setToolButtonStyle(roomy ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
}

void TrialsView::startFind() {
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void TrialsView::saveNote(int trial, const QString &note) { m_context.session.trials().setNote(trial, note); }

QString TrialsView::exportTo(const QString &path) {
    auto file = std::make_shared<QSaveFile>(path);
    if (!file->open(QIODevice::WriteOnly)) return tr("%1 cannot be written: %2").arg(path, file->errorString());
    TextRequest request;
    request.trials = m_model->shown();
    const bool tabs = path.endsWith(QLatin1String(".tsv"), Qt::CaseInsensitive);
    request.format = tabs ? TableFormat::Tsv : TableFormat::Csv;
    request.full = true;
    request.columns.resize(static_cast<size_t>(m_model->columnCount()));
    for (int column = 0; column < m_model->columnCount(); ++column)
        request.columns[static_cast<size_t>(column)] = column;
    auto early = std::make_shared<QString>();
    auto returned = std::make_shared<bool>(false);
    TableText::make(*m_model, std::move(request),
                    [this, file, path, early, returned](const QByteArray &text, const QString &problem) {
                        QString sentence;
                        if (!problem.isEmpty())
                            sentence = tr("%1 was not written: %2").arg(path, problem);
                        else if (file->write(text) != text.size() || !file->commit())
                            sentence = tr("%1 cannot be written: %2").arg(path, file->errorString());
                        if (!*returned)
                            *early = sentence;
                        else if (!sentence.isEmpty())
                            m_context.session.messages().fail(sentence);
                    });
    *returned = true;
    return *early;
}

} // namespace loopscope
