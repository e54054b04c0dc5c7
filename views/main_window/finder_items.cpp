#include "views/main_window/finder_items.h"

#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QFileInfo>
#include <QPointer>

#include <algorithm>

namespace loopscope {

std::vector<PaletteItem> commandItems(const ViewContext &context, const std::function<void(QAction *)> &run) {
    std::vector<PaletteItem> items;
    for (QAction *action : context.actions.all()) {
        if (!action->isVisible()) continue;
        PaletteItem item;
        item.group = context.actions.info(action).category;
        item.text = action->text().remove(u'&');
        item.detail = action->shortcut().toString(QKeySequence::NativeText);
        item.keys = true;
        item.enabled = action->isEnabled();
        item.run = [run, guard = QPointer<QAction>(action)] {
            if (guard) run(guard);
        };
        items.push_back(std::move(item));
    }
    return items;
}

std::vector<PaletteItem> finderItems(const ViewContext &context, const std::vector<Sample> &samples,
                                     const std::function<void(const QStringList &)> &open) {
    std::vector<PaletteItem> items;
    Session &session = context.session;
    const auto add = [&](const QString &group, const QString &text, const QString &detail, std::function<void()> run) {
        items.push_back({group, text, detail, true, false, std::move(run)});
    };
    if (const Document *document = session.document()) {
        if (document->task)
            for (const OpPtr &op : document->task->dag->ops()) {
                const QString name = qt(op->name);
                add(QObject::tr("stage"), name, shapeText(op->shape()),
                    [&session, name] { session.selection().selectStage(name); });
            }
        for (size_t i = 0; i < document->sketches.size(); ++i) {
            const ScheduleRef ref{ScheduleRef::Kind::Sketch, static_cast<int>(i)};
            add(QObject::tr("sketch"), scheduleName(ref), {},
                [&session, ref] { session.selection().selectSchedule(ref); });
        }
        for (size_t i = 0; i < document->edited.size(); ++i) {
            const ScheduleRef ref{ScheduleRef::Kind::Edited, static_cast<int>(i)};
            if (document->has(ref))
                add(QObject::tr("edited"), scheduleName(*document, ref), document->edited[i].did,
                    [&session, ref] { session.selection().selectSchedule(ref); });
        }
        if (document->task)
            add(QObject::tr("schedule"), scheduleName({}), {}, [&session] { session.selection().selectSchedule({}); });
    }
    for (const Document *other : session.documents().all()) {
        add(QObject::tr("open"), other->name, other->path,
            [&session, id = other->id] { session.documents().setCurrent(id); });
        if (other->others.empty()) continue;
        for (const TaskState *state : tasksOf(*other))
            add(QObject::tr("task"), taskTitle(*state), taskProgressText(*state),
                [&session, task = state->taskId] { session.documents().showTask(task); });
    }
    for (const Sample &sample : samples)
        add(QObject::tr("sample"), sample.name, sample.comment, [open, path = sample.path] { open({path}); });
    for (const QString &path : context.settings.recentFiles())
        add(QObject::tr("recent"), QFileInfo(path).fileName(), QFileInfo(path).absolutePath(),
            [open, path] { open({path}); });
    if (const Document *document = session.document()) {
        for (size_t i = 0; i < document->trials.size(); ++i) {
            const ScheduleRef ref{ScheduleRef::Kind::Trial, static_cast<int>(i)};
            const TrialEntry &entry = document->trials[i];
            QString name = QObject::tr("trial %1").arg(i + 1);
            if (static_cast<int>(i) == document->best) name += QObject::tr(" (best)");
            add(QStringLiteral("trial"), name, entry.timeWords(),
                [&session, ref] { session.selection().selectSchedule(ref); });
        }
    }
    return items;
}

} // namespace loopscope
