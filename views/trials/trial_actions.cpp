#include "views/trials/trial_actions.h"

#include "records/record/log_lock.h"
#include "schedule/steps_json.h"
#include "views/session/text.h"
#include "views/trials/filter_edit.h"
#include "views/trials/table_text.h"
#include "views/trials/trial_table.h"
#include "views/trials/trial_table_model.h"
#include "workbench/trial_log.h"

#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMenu>

#include <algorithm>

namespace loopscope {

namespace {

QString counted(size_t count) { return countedText(count, "record"); }

} // namespace

TrialActions::TrialActions(const ViewContext &context, const TrialActionParts &parts)
    : QObject(&parts.view), m_context(context), m_parts(parts) {
    addAll();
}

QAction *TrialActions::add(const char *id, const char *text, const QKeySequence &shortcut, const char *tip,
                           const char *icon, std::function<void()> run, bool checkable) {
    ActionInfo info;
    info.id = QLatin1String(id);
    info.category = tr("Trials");
    info.text = tr(text);
    info.shortcut = shortcut;
    info.tip = tr(tip);
    info.icon = QLatin1String(icon);
    info.checkable = checkable;
    QAction *action = m_context.actions.add(info, &m_parts.view, std::move(run));
    action->setIcon(m_context.theme.icon(info.icon));
    return action;
}

void TrialActions::addAll() {
    Session &session = m_context.session;
    QAction *best = add("trials.best", "Select the best", Qt::Key_B, "Select the best trial so far", "best", [this] {
        const Document *document = m_context.session.document();
        if (document == nullptr || document->best < 0) return;
        m_context.session.selection().selectSchedule({ScheduleRef::Kind::Trial, document->best});
        m_parts.table.setFocus(Qt::ShortcutFocusReason);
    });
    QAction *pin = add("trials.pin", "Pin", Qt::Key_P, "Pin the selected trials, or take their pins away", "pin",
                       [this] { togglePinned(); });
    QAction *note = add("trials.note", "Edit note", Qt::Key_F2, "Write a note on the trial", "note", [this] {
        if (m_parts.table.currentTrial() >= 0) m_parts.table.editNote(m_parts.table.currentTrial());
    });
    QAction *again = add("trials.remeasure", "Measure again", QKeySequence(QStringLiteral("Ctrl+M")),
                         "Check and time the selected trials again, in turn with the best and the naive schedule",
                         "measure", [this, &session] {
                             const std::vector<int> trials = m_parts.table.chosenTrials();
                             session.search().remeasure(trials);
                             if (session.search().remeasuring()) m_parts.model.setRemeasuring(trials);
                         });
    QAction *compare =
        add("trials.compare", "Compare", QKeySequence(QStringLiteral("Ctrl+D")),
            "Two selected trials side by side; one alone against the best", "compare", [this] { compareTwo(); });
    QAction *baseline = add("trials.baseline", "Make it the baseline", Qt::SHIFT | Qt::Key_B,
                            "Tell all times against the trial, or none any more", "swap", [this] { toggleBaseline(); });
    QAction *only = add(
        "trials.onlySelected", "Only selected", QKeySequence(QStringLiteral("Ctrl+Shift+L")),
        "Show only what is selected together, in a plot or here", "filter", [this] { Q_EMIT onlySelectedChanged(); },
        true);
    QAction *pinnedFirst = add(
        "trials.pinnedFirst", "Pinned on top", {}, "Keep pinned trials on top of the table", "pin",
        [this] {
            const bool on = m_context.actions.find(QStringLiteral("trials.pinnedFirst"))->isChecked();
            m_context.settings.setValue(QStringLiteral("trials/pinnedFirst"), on);
            m_parts.model.setPinnedFirst(on);
        },
        true);
    pinnedFirst->setChecked(m_context.settings.value(QStringLiteral("trials/pinnedFirst"), false).toBool());
    m_parts.model.setPinnedFirst(pinnedFirst->isChecked());
    add("trials.clearFilter", "Clear the filter", {}, "Show all trials again", "close",
        [this] { m_parts.filter.clear(); });
    QAction *sketch = add("trials.goToSketch", "Go to sketch", QKeySequence(QStringLiteral("Ctrl+Shift+K")),
                          "Select the sketch the trial was made from", "sketches", [this, &session] {
                              const int trial = m_parts.table.currentTrial();
                              const int number = trial < 0 ? -1 : m_parts.model.facts().entry(trial).sketch;
                              if (number >= 0) session.selection().selectSchedule({ScheduleRef::Kind::Sketch, number});
                          });
    QAction *copy = add("trials.copy", "Copy rows", QKeySequence::Copy,
                        "Copy the selected rows as they are shown, tab-separated", "copy", [this] { copyCells(); });
    QAction *steps =
        add("trials.copySteps", "Copy as log line", QKeySequence(QStringLiteral("Ctrl+Shift+C")),
            "Copy the selected trials as lines of a tuning log, steps included", "copy", [this] { copySteps(); });
    QAction *csv = add("trials.exportCsv", "Export as CSV \u2026", {},
                       "Write what the table shows, all columns, full precision", "export", [this] { askExport(); });
    QAction *log = add("trials.saveLog", "Save as tuning log \u2026", {},
                       "Write the records of the selected trials to a log file", "save", [this] { askSaveLog(); });
    add("trials.exportSchedule", "Export schedule as \u2026", {},
        "Take the trial away: as C, machine code, a library, a reproducer", "export", [this] { exportSchedule(); });
    m_needOne = {pin, note, again, compare, baseline, sketch, copy, steps, log};
    m_needAny = {best, only, csv};

    m_buttons = {{best, false}, {pin, false}, {again, true}, {compare, true}, {only, true}};
}

void TrialActions::refresh() {
    const std::vector<int> chosen = m_parts.table.chosenTrials();
    for (QAction *action : m_needOne) action->setEnabled(!chosen.empty());
    for (QAction *action : m_needAny) action->setEnabled(m_parts.model.facts().size() > 0);
    const Document *document = m_context.session.document();
    const bool busy = m_context.session.search().underWay() || m_context.session.search().remeasuring();
    const auto find = [this](const char *id) { return m_context.actions.find(QLatin1String(id)); };
    find("trials.best")->setEnabled(document != nullptr && document->best >= 0);
    find("trials.remeasure")->setEnabled(!chosen.empty() && !busy);
    const int current = m_parts.table.currentTrial();
    find("trials.goToSketch")->setEnabled(current >= 0 && m_parts.model.facts().entry(current).sketch >= 0);
    find("trials.note")->setEnabled(current >= 0);
    const bool againstBest =
        chosen.size() == 1 && document != nullptr && document->best >= 0 && document->best != chosen[0];
    find("trials.compare")->setEnabled(chosen.size() == 2 || againstBest);
    const bool isBaseline = document != nullptr && current >= 0 && document->baseline == current;
    find("trials.baseline")->setText(isBaseline ? tr("No baseline any more") : tr("Make it the baseline"));
    const TrialEntry *entry = current >= 0 ? &m_parts.model.facts().entry(current) : nullptr;
    find("trials.baseline")->setEnabled(entry != nullptr && (isBaseline || (entry->valid() && !entry->untimed())));
    find("trials.exportSchedule")
        ->setEnabled(current >= 0 && m_context.actions.find(Capability::ExportSchedule) != nullptr);
    const bool pinned = !chosen.empty() && std::all_of(chosen.begin(), chosen.end(),
                                                       [this](int t) { return m_parts.model.facts().entry(t).pinned; });
    QAction *pin = find("trials.pin");
    pin->setText(pinned ? tr("Unpin") : tr("Pin"));
    pin->setIcon(m_context.theme.icon(pinned ? QStringLiteral("unpin") : QStringLiteral("pin")));
}

void TrialActions::showMenu(const QPoint &at) {
    QMenu menu;
    const auto put = [&](const char *id) {
        if (QAction *action = m_context.actions.find(QLatin1String(id))) menu.addAction(action);
    };
    for (const char *id : {"trials.pin", "trials.note", "trials.remeasure", "trials.compare"}) put(id);
    if (const QAction *targets = m_context.actions.find(Capability::CompareTargets))
        connect(menu.addAction(targets->icon(), targets->text()), &QAction::triggered, this,
                [this] { m_context.actions.run(Capability::CompareTargets, QVariant::fromValue(spokenOf())); });
    for (const char *id : {"trials.baseline", "trials.goToSketch"}) put(id);
    menu.addSeparator();
    for (const char *id :
         {"trials.copy", "trials.copySteps", "trials.exportSchedule", "trials.saveLog", "trials.exportCsv"})
        put(id);
    menu.addSeparator();
    const QModelIndex index = m_parts.table.indexAt(at);
    m_menuOf = index.isValid() ? m_parts.model.trialAt(index.row()) : -1;
    if (index.isValid()) {
        const QString id = m_parts.model.cells().id(index.column());
        const QString text = m_parts.model.cells().csv(m_parts.model.trialAt(index.row()), index.column());
        QString condition;
        if (id.startsWith(QLatin1String("tile:")) && !text.isEmpty())
            condition = id.mid(5) + QLatin1Char(':') + text;
        else if ((id == QLatin1String("failure") || id == QLatin1String("mutation")) && !text.isEmpty())
            condition = id + QLatin1Char(':') + filterQuoted(text);
        else if ((id == QLatin1String("sketch") || id == QLatin1String("round") || id == QLatin1String("gen")) &&
                 !text.isEmpty())
            condition = id + QLatin1Char(':') + text;
        if (!condition.isEmpty())
            connect(menu.addAction(tr("Show only %1").arg(condition)), &QAction::triggered, this,
                    [this, condition] { m_parts.filter.put(condition, true); });
    }
    for (const char *id : {"trials.onlySelected", "trials.pinnedFirst", "trials.clearFilter"}) put(id);
    m_parts.table.fillColumnMenu(*menu.addMenu(tr("Columns")));
    menu.exec(m_parts.table.viewport()->mapToGlobal(at));
    m_menuOf = -1;
}

void TrialActions::togglePinned() {
    const std::vector<int> trials = m_parts.table.chosenTrials();
    const bool pinned =
        std::all_of(trials.begin(), trials.end(), [this](int t) { return m_parts.model.facts().entry(t).pinned; });
    for (const int t : trials)
        if (m_parts.model.facts().entry(t).pinned == pinned) m_context.session.trials().setPinned(t, !pinned);
    refresh();
}

void TrialActions::toggleBaseline() {
    const Document *document = m_context.session.document();
    const int current = m_parts.table.currentTrial();
    if (document == nullptr || current < 0) return;
    m_context.session.trials().setBaseline(document->baseline == current ? -1 : current);
    refresh();
}

/// The trial whose menu is open, or the current one.
ScheduleRef TrialActions::spokenOf() const {
    return {ScheduleRef::Kind::Trial, m_menuOf >= 0 ? m_menuOf : m_parts.table.currentTrial()};
}

void TrialActions::exportSchedule() {
    const ScheduleRef trial = spokenOf();
    if (trial.number >= 0) m_context.actions.run(Capability::ExportSchedule, QVariant::fromValue(trial));
}

void TrialActions::copyCells() {
    TextRequest request;
    request.columns = m_parts.table.visibleColumns();
    // In the order of the table, not of the numbers.
    for (const int t : m_parts.table.chosenTrials())
        if (m_parts.model.rowOf(t) >= 0) request.trials.push_back(t);
    std::sort(request.trials.begin(), request.trials.end(),
              [this](int a, int b) { return m_parts.model.rowOf(a) < m_parts.model.rowOf(b); });
    TableText::make(m_parts.model, std::move(request), [this](const QByteArray &text, const QString &problem) {
        if (problem.isEmpty())
            QGuiApplication::clipboard()->setText(QString::fromUtf8(text));
        else
            m_context.session.messages().fail(tr("Nothing was copied: %1").arg(problem));
    });
}

QString TrialActions::logLine(int trial) const {
    const Document *document = m_context.session.document();
    if (document == nullptr || !document->task) return {};
    const TrialEntry &entry = m_parts.model.facts().entry(trial);
    Task task = *document->task;
    task.layoutRewrite = static_cast<LayoutRewrite>(entry.layoutRewrite);
    const Record record = makeRecord(task, entry.trial);
    return qt(recordComment(record)) + qt(recordLine(record));
}

void TrialActions::copySteps() {
    QStringList lines;
    for (const int t : m_parts.table.chosenTrials()) lines << logLine(t);
    lines.removeAll(QString());
    if (!lines.isEmpty()) QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')) + QLatin1Char('\n'));
}

void TrialActions::compareTwo() {
    Selection &selection = m_context.session.selection();
    std::vector<int> trials = m_parts.table.chosenTrials();
    const Document *document = m_context.session.document();
    if (trials.size() == 1 && document != nullptr && document->best >= 0 && document->best != trials[0]) {
        trials.push_back(document->best);
        std::sort(trials.begin(), trials.end());
    }
    if (trials.size() != 2) return;
    selection.selectTrials(trials);
    if (QAction *action = m_context.actions.find(Capability::CompareTrials)) action->trigger();
}

void TrialActions::askExport() {
    const QString path =
        QFileDialog::getSaveFileName(&m_parts.view, tr("Export the table"), QStringLiteral("trials.csv"),
                                     tr("Comma-separated (*.csv);;Tab-separated (*.tsv)"));
    if (path.isEmpty()) return;
    const QString problem = m_parts.exporter.exportTo(path);
    if (!problem.isEmpty()) m_context.session.messages().fail(problem);
}

void TrialActions::askSaveLog() {
    const std::vector<int> trials = m_parts.table.chosenTrials();
    const QString path =
        QFileDialog::getSaveFileName(&m_parts.view, tr("Save %1 as a tuning log").arg(counted(trials.size())),
                                     QStringLiteral("selected.json"), tr("Tuning logs (*.json *.log)"));
    if (!path.isEmpty()) saveLog(trials, path);
}

void TrialActions::saveLog(const std::vector<int> &trials, const QString &path) {
    const Document *document = m_context.session.document();
    if (document == nullptr || !document->task) return;
    std::vector<std::pair<Trial, int>> copies;
    copies.reserve(trials.size());
    for (const int t : trials)
        copies.emplace_back(m_parts.model.facts().entry(t).trial, m_parts.model.facts().entry(t).layoutRewrite);
    m_context.session.jobs().start(
        tr("Writing %1").arg(path), this,
        [task = document->task, copies = std::move(copies), path](JobControl &control) {
            if (const auto holder = logHolder(std8(path))) throw LogBusy(std8(path), *holder);
            QFile::remove(path); // the user agreed to replace it
            const auto log = TrialLog::open(std8(path));
            Task written = *task;
            for (size_t i = 0; i < copies.size() && !control.cancelled(); ++i) {
                written.layoutRewrite = static_cast<LayoutRewrite>(copies[i].second);
                log->append(written, copies[i].first);
                control.progress(static_cast<double>(i + 1) / static_cast<double>(copies.size()));
            }
            return copies.size();
        },
        [this, path](size_t count) {
            m_context.session.messages().note(tr("%1 written to %2").arg(counted(count), path));
        });
}

} // namespace loopscope
