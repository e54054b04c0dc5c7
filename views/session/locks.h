#pragma once
// What the searches of a task keep (schedule/locks/schedule_locks.h): locked by pattern beside the schedule that is
// shown, and the schedule the locks were made of, which is searched around.

#include "schedule/locks/schedule_locks.h"
#include "views/session/document_store.h"
#include "views/session/edited_schedules.h"
#include "views/session/selection.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <optional>

namespace loopscope {

class Locks : public QObject {
    Q_OBJECT

  public:
    Locks(DocumentStore &store, Selection &selection, EditedSchedules &edits);

    /// Of the task shown.
    [[nodiscard]] const ScheduleLocks &now() const;
    /// Locks what the pattern means in the schedule shown (schedule/locks/lock_pattern.h); all of it locked: unlocks
    /// it. A sentence where the pattern is refused, else an empty text. A search under way keeps what it began with.
    QString toggle(const QString &pattern);
    /// All that the pattern means in the schedule shown is locked.
    [[nodiscard]] bool locked(const QString &pattern) const;
    /// All that is locked, and of which schedule, which is whole.
    void replace(const ScheduleLocks &locks, const Steps &from);
    void remove(const ScheduleLock &lock);
    void clear();
    /// Patterns that lock something of the schedule shown.
    [[nodiscard]] QStringList patterns() const;

  signals:
    void changed(); // of the task shown

  private:
    [[nodiscard]] std::optional<Steps> stepsShown() const;

    DocumentStore &m_store;
    Selection &m_selection;
    EditedSchedules &m_edits;
};

} // namespace loopscope
