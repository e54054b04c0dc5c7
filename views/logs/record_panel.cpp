#include "views/logs/record_panel.h"

#include "views/logs/log_details.h"
#include "views/logs/log_names.h"
#include "views/logs/log_task_model.h"
#include "views/logs/many_records.h"
#include "views/logs/near_page.h"
#include "views/logs/record_facts.h"
#include "views/logs/task_resolutions.h"
#include "views/logs/workbench_record.h"
#include "views/session/open_logs.h"
#include "views/session/text.h"

#include <QFileDialog>
#include <QFileInfo>

#include <array>
#include <utility>

namespace loopscope {

namespace {
constexpr std::array kRecordActions{"logs.show", "logs.find_workload"};
} // namespace

RecordPanel::RecordPanel(const ViewContext &context, LogDetails &details, QWidget *owner)
    : QObject(owner), m_context(context), m_details(details),
      m_resolutions(new TaskResolutions(context.session.jobs(), context.settings, this)),
      m_workbench(new WorkbenchRecord(context.session, this)), m_near(new NearPage(context.session.jobs(), &details)) {
    m_details.addPage(m_near, tr("Near duplicates"),
                      tr("Schedules that differ in one number alone, or come to the same loops"), "structures");
    connect(m_near, &NearPage::recordAsked, &m_details, &LogDetails::recordAsked);
    addActions(owner);
    connect(m_resolutions, &TaskResolutions::resolved, this, [this] {
        Q_EMIT titlesChanged();
        m_weighed = {};
        showFacts();
    });
    connect(&m_details, &QTabWidget::currentChanged, this, &RecordPanel::weigh);
    connect(&m_details, &LogDetails::notesFailed, this,
            [this](const QString &why) { m_context.session.messages().fail(why); });
    connect(m_workbench, &WorkbenchRecord::failed, this, [this](const QString &why) {
        m_context.session.messages().fail(tr("The record is not shown in the workbench: %1").arg(why));
    });
    connect(&context.theme, &Theme::changed, this, &RecordPanel::restyle);
}

void RecordPanel::addActions(QWidget *owner) {
    const auto add = [&](const char *id, const QString &text, const QKeySequence &keys, const QString &tip,
                         const char *icon, std::function<void()> run) {
        m_context.actions.add({QLatin1String(id), tr("Logs"), text, keys, tip, QLatin1String(icon)}, owner,
                              std::move(run));
    };
    add(kRecordActions[0], tr("Show the record in the workbench"), QKeySequence(QStringLiteral("Ctrl+Return")),
        tr("Open its workload with the log's trials, this one selected"), "loops", [this] { showInWorkbench(); });
    add(kRecordActions[1], tr("Find the task's workload \u2026"), {},
        tr("Choose a .te file that may be what was tuned"), "open", [this] { askForWorkload(); });
    // On buttons there is room for few words.
    m_context.actions.find(QLatin1String(kRecordActions[0]))->setIconText(tr("Show in workbench"));
    m_context.actions.find(QLatin1String(kRecordActions[1]))->setIconText(tr("Find workload \u2026"));
    m_details.setRecordActions(actions());
    restyle();
}

QList<QAction *> RecordPanel::actions() const {
    QList<QAction *> list;
    for (const char *id : kRecordActions) list << m_context.actions.find(QLatin1String(id));
    return list;
}

const OpenLog *RecordPanel::log() const { return m_context.session.logs().find(m_log); }

void RecordPanel::show(const OpenLog *shown, size_t record, int task) {
    m_log = shown != nullptr ? shown->id : 0;
    m_record = record;
    m_task = task;
    if (m_sought != std::pair(m_log, taskTold())) find();
    showFacts();
}

void RecordPanel::lookAgain() {
    if (const OpenLog *shown = log()) m_resolutions->resolve(*shown);
    find();
}

TaskTitle RecordPanel::titleOf(const LogTask &task) const {
    const ResolvedTask *known = m_resolutions->of(task);
    if (known == nullptr || known->workload == nullptr)
        return {shortKey(task.key), known != nullptr ? known->why : QString()};
    return {qt(known->workload->name), {}};
}

ResolutionPtr RecordPanel::workload() const {
    const OpenLog *shown = log();
    if (shown == nullptr || m_record >= shown->records()) return nullptr;
    const ResolvedTask *known = m_resolutions->of(shown->tasks()[shown->row(m_record).task]);
    return known != nullptr ? known->workload : nullptr;
}

int RecordPanel::taskTold() const {
    const OpenLog *shown = log();
    if (shown == nullptr || m_task >= 0) return shown != nullptr ? m_task : -1;
    return m_record < shown->records() ? static_cast<int>(shown->row(m_record).task) : -1;
}

void RecordPanel::find() {
    const OpenLog *shown = log();
    Jobs &jobs = m_context.session.jobs();
    jobs.cancel(std::exchange(m_finding, 0));
    const int task = taskTold();
    m_sought = {m_log, task};
    m_weighed = {};
    m_near->forget();
    weigh();
    if (shown == nullptr || !shown->log || task < 0) return m_details.showFindings(nullptr, nullptr);
    m_finding = jobs.start(
        tr("looking through records"), this,
        [followed = shown->log, task](JobControl &control) {
            const std::shared_lock reading(followed->reading);
            return findInTask(followed->document, task, control.cancelFlag());
        },
        [this, id = m_log](const TaskFindingsPtr &findings) {
            m_finding = 0;
            if (id != m_log || !findings || log() == nullptr) return;
            m_details.showFindings(findings, log());
            mark();
        });
}

/// What the task's records chose takes a while: only when somebody looks.
void RecordPanel::weigh() {
    const OpenLog *shown = log();
    const int task = taskTold();
    const ResolvedTask *known =
        shown != nullptr && task >= 0 ? m_resolutions->of(shown->tasks()[static_cast<size_t>(task)]) : nullptr;
    m_near->look(shown, task, known != nullptr && known->workload ? known->workload->dag : nullptr);
    if (!m_details.choicesInFront() || m_weighed == std::pair(m_log, task)) return;
    Jobs &jobs = m_context.session.jobs();
    jobs.cancel(std::exchange(m_weighing, 0));
    if (shown == nullptr || !shown->log || task < 0)
        return m_details.showChoices(nullptr, tr("Choose a task: in what its records differ is shown here."));
    if (known == nullptr || known->workload == nullptr)
        return m_details.showChoices(nullptr,
                                     tr("What the records chose cannot be named while the task's workload is not "
                                        "known."));
    m_weighed = {m_log, task};
    m_details.showChoices(nullptr, tr("Looking through what the records chose \u2026"));
    m_weighing = jobs.start(
        tr("weighing choices of the log"), this,
        [followed = shown->log, task, dag = known->workload->dag](JobControl &control) {
            const std::shared_lock reading(followed->reading);
            return choicesOfTask(followed->document, task, dag, control.cancelFlag());
        },
        [this, sought = m_weighed](const TaskChoices &choices) {
            m_weighing = 0;
            if (sought == m_weighed) m_details.showChoices(&choices, {});
        },
        [this](const QString &problem) {
            m_weighing = 0;
            m_details.showChoices(nullptr, problem);
        });
}

void RecordPanel::mark() {
    const OpenLog *shown = log();
    const bool there = shown != nullptr && m_record < shown->records();
    m_details.mark(there ? m_record : SIZE_MAX, there ? shown->row(m_record).seconds : 0);
}

void RecordPanel::showFacts() {
    const OpenLog *shown = log();
    const ResolutionPtr known = workload();
    weigh();
    m_context.actions.find(QLatin1String(kRecordActions[0]))->setEnabled(known != nullptr);
    m_context.actions.find(QLatin1String(kRecordActions[1]))->setEnabled(shown != nullptr);
    mark();
    const auto nothing = [this](const QString &hint) { m_details.showRecord(nullptr, {}, {}, {}, hint); };
    if (shown == nullptr) return nothing({});
    if (shown->state == OpenLog::State::Failed) return nothing({}); // the bar says why
    if (!shown->log) return nothing(tr("What a record says is shown once the log is indexed."));
    if (shown->records() == 0) return nothing(tr("The log has no records."));
    if (m_record >= shown->records()) return nothing(tr("Choose a record to see what its line says."));
    const RecordFacts facts = readRecord(shown->log->document, m_record, known ? known->dag : nullptr);
    const TaskTitle title = titleOf(shown->tasks()[shown->row(m_record).task]);
    m_details.showRecord(&facts, shown->path, title.name, title.why, {});
}

void RecordPanel::showInWorkbench() {
    const ResolutionPtr known = workload();
    if (!known) return;
    const OpenLog &shown = *log();
    const LogTask &task = shown.tasks()[shown.row(m_record).task];
    if (const QString why = tooLargeForTrials(shown); !why.isEmpty()) return m_context.session.messages().fail(why);
    const auto go = [this, wanted = WorkbenchRecord::Wanted{shown.path, static_cast<int>(m_record), qt(task.target),
                                                            known}] { m_workbench->show(wanted); };
    askAboutMany({&shown}, m_details, go);
}

void RecordPanel::askForWorkload() {
    const OpenLog *shown = log();
    if (shown == nullptr) return;
    auto *dialog = new QFileDialog(&m_details, tr("Find the workload of a task of %1").arg(shown->name()),
                                   QFileInfo(shown->path).absolutePath(), tr("Workloads (*.te);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &RecordPanel::tryWorkload);
    dialog->open();
}

void RecordPanel::tryWorkload(const QString &path) {
    if (const OpenLog *shown = log()) m_resolutions->addWorkload(path, *shown);
}

void RecordPanel::restyle() {
    for (QAction *action : actions()) action->setIcon(m_context.theme.icon(m_context.actions.info(action).icon));
    showFacts(); // the page has colours of its own
}

} // namespace loopscope
