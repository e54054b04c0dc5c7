#pragma once
// Schedules that no search makes: the grouping's, which becomes a node of the tree of edits like any made by hand, and
// the naive one. And where the searches of a task begin: with sampled schedules alone or with one that is there, of all
// stages or of one group of the grouping.

#include "views/session/document_store.h"
#include "views/session/edited_schedules.h"
#include "views/session/jobs.h"
#include "views/session/locks.h"
#include "views/session/messages.h"
#include "views/session/selection.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <vector>

namespace loopscope {

struct SchedulingParts {
    DocumentStore &documents;
    EditedSchedules &edits;
    Locks &locks;
    Selection &selection;
    Messages &messages;
    Jobs &jobs;
};

/// Of a grouping, for people.
struct NamedGroup {
    QString output; // the stage it ends in
    QString text;   // "output (with gray, blur_y)"
    bool operator==(const NamedGroup &) const = default;
};

class Scheduling : public QObject {
    Q_OBJECT

  public:
    explicit Scheduling(const SchedulingParts &parts);
    ~Scheduling() override;

    /// The grouped schedule of the task shown is made, becomes a node and is selected; a message where there is none.
    void byGrouping();
    /// The naive schedule is selected.
    void naively();

    // Where the next searches of the task shown begin; one under way goes on as it began. What cannot be is a message.
    [[nodiscard]] const SearchBeginning &beginning() const;
    void beginWith(const ScheduleRef &ref);
    void beginWithGrouping();
    void beginSampled();
    /// The group that ends in the stage is searched from the grouped schedule, and all others keep its steps: locks
    /// (views/session/locks.h) that can be taken away like any.
    void confineTo(const QString &output);
    void searchAll(); // takes these locks away
    /// Empty where all stages are searched, or one of the locks that confined it is gone.
    [[nodiscard]] QString confinedTo() const;

    /// Of the grouping of the task shown; none before it is known (changed() tells), and where there is none.
    [[nodiscard]] std::vector<NamedGroup> groups() const;
    [[nodiscard]] QString whyNoGroups() const; // empty where there are some, or nobody knows yet
    void findGroups();

  signals:
    void changed(); // of the task shown

  private:
    struct Made; // the grouping of a task
    [[nodiscard]] const Made *made() const;
    void whenGrouped(std::function<void(const Made &made)> then);
    void take(std::shared_ptr<const Made> result);
    void begin(Steps steps, const QString &name);
    bool release();

    SchedulingParts m_parts;
    std::shared_ptr<const Made> m_made;                       // last
    std::shared_ptr<const Task> m_grouping;                   // what a job is grouping now
    std::vector<std::function<void(const Made &)>> m_waiting; // for it
};

} // namespace loopscope
