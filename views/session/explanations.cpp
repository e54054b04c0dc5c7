#include "views/session/explanations.h"

#include "search/explain/nearest_trials.h"
#include "views/session/schedule_steps.h"
#include "views/session/text.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kMaxExplained = 48; // schedules
constexpr size_t kMovesTold = 12;
constexpr size_t kNearestTold = 8;
/// Nearer ones are looked for among so many of the trials, the last ones: reading them all takes seconds.
constexpr size_t kTrialsLookedAt = 4000;

QString differenceText(const StepPair &pair) {
    if (pair.lineA.empty()) return QStringLiteral("+ ") + qt(pair.lineB);
    if (pair.lineB.empty()) return QStringLiteral("\u2212 ") + qt(pair.lineA);
    return qt(pair.lineA) + QStringLiteral(" \u2192 ") + qt(pair.lineB);
}

} // namespace

struct Explanations::Entry {
    int task = 0;
    ScheduleRef ref;
    size_t trials = 0; // there were when it was made
    ExplainedPtr explained;
    AdvicePtr advice;
    int explainJob = 0;
    int adviseJob = 0;
};

Explanations::Explanations(DocumentStore &documents, const EditedSchedules &edits, Jobs &jobs)
    : m_documents(documents), m_edits(edits), m_jobs(jobs) {
    connect(&m_jobs, &Jobs::cancelled, this, &Explanations::jobCancelled);
}

Explanations::~Explanations() = default;

bool Explanations::isShown(const Entry &entry) const {
    return m_documents.current() && entry.task == m_documents.current()->taskId;
}

void Explanations::tellExplained(const Entry &entry) {
    if (isShown(entry)) Q_EMIT explained(entry.ref);
    if (entry.task != 0) Q_EMIT ready(entry.task, entry.ref);
}

std::shared_ptr<Explanations::Entry> Explanations::entry(const TaskState &state, const ScheduleRef &ref) {
    const auto found = std::find_if(m_entries.begin(), m_entries.end(), [&](const auto &entry) {
        return entry->task == state.taskId && entry->ref == ref;
    });
    const size_t trials = state.trials.size();
    if (found != m_entries.end()) {
        std::rotate(found, found + 1, m_entries.end());
        Entry &known = *m_entries.back();
        // The model would say another thing by now, and there are other neighbours.
        const bool old = trials < known.trials || 4 * trials > 5 * std::max<size_t>(known.trials, 16);
        if (!old || known.explainJob != 0 || known.adviseJob != 0) return m_entries.back();
        known.trials = trials;
        known.explained = nullptr;
        known.advice = nullptr;
        return m_entries.back();
    }
    if (m_entries.size() >= kMaxExplained) {
        const auto idle = std::find_if(m_entries.begin(), m_entries.end(), [](const auto &entry) {
            return entry->explainJob == 0 && entry->adviseJob == 0;
        });
        if (idle != m_entries.end()) m_entries.erase(idle);
    }
    auto made = std::make_shared<Entry>();
    made->task = state.taskId;
    made->ref = ref;
    made->trials = trials;
    m_entries.push_back(made);
    return made;
}

void Explanations::forget(int taskId) {
    std::vector<int> jobs;
    for (const auto &entry : m_entries) {
        if (entry->task != taskId) continue;
        jobs.push_back(entry->explainJob);
        jobs.push_back(entry->adviseJob);
        entry->task = 0; // a job that ends all the same finds nobody
    }
    std::erase_if(m_entries, [](const auto &entry) { return entry->task == 0; });
    for (const int job : jobs) m_jobs.cancel(job);
}

ExplainedPtr Explanations::of(const ScheduleRef &ref) {
    const Document *document = m_documents.current();
    return document != nullptr ? of(document->taskId, ref) : nullptr;
}

ExplainedPtr Explanations::of(int task, const ScheduleRef &ref) {
    const TaskState *of = std::as_const(m_documents).task(task);
    const auto steps = of != nullptr ? editableSteps(*of, ref) : std::nullopt;
    if (!steps) return nullptr;
    const auto entry = this->entry(*of, ref);
    if (entry->explained || entry->explainJob != 0) return entry->explained;
    const auto done = [this, entry](const ExplainedPtr &explained) {
        entry->explainJob = 0;
        entry->explained = explained;
        tellExplained(*entry);
    };
    entry->explainJob = m_jobs.start(
        QStringLiteral("Explaining %1").arg(scheduleName(ref)), this,
        [state = steps->state(), ref, model = m_model, question = m_model->ask(*of)](JobControl &) {
            return model->answer(question, [&](auto *learnt, size_t learntFrom) -> ExplainedPtr {
                auto made = std::make_shared<Explained>();
                made->ref = ref;
                auto explained = explainSchedule(state, question.task->target, learnt);
                if (explained) {
                    made->schedule = std::move(explained).value();
                    made->learntFrom = made->schedule.predicted ? learntFrom : 0;
                } else {
                    made->problem = qt(explained.why());
                }
                return made;
            });
        },
        done,
        [done, ref](const QString &problem) {
            auto failed = std::make_shared<Explained>();
            failed->ref = ref;
            failed->problem = problem;
            done(failed);
        });
    return nullptr;
}

AdvicePtr Explanations::advice(const ScheduleRef &ref) {
    const Document *document = m_documents.current();
    if (!document || !document->task) return nullptr;
    const auto steps = m_edits.stepsOf(ref);
    if (!steps) return nullptr;
    const auto entry = this->entry(*document, ref);
    if (entry->advice || entry->adviseJob != 0) return entry->advice;
    struct Other {
        int trial;
        PackedSteps steps;
        double seconds;
    };
    std::vector<Other> others;
    const size_t count = document->trials.size();
    for (size_t i = count > kTrialsLookedAt ? count - kTrialsLookedAt : 0; i < count; ++i) {
        if (ref == ScheduleRef{ScheduleRef::Kind::Trial, static_cast<int>(i)}) continue;
        const TrialEntry &trial = document->trials[i];
        others.push_back(
            {static_cast<int>(i), trial.trial.steps, trial.valid() && !trial.untimed() ? trial.trial.cost() : 0});
    }
    const auto done = [this, entry](const AdvicePtr &advice) {
        entry->adviseJob = 0;
        entry->advice = advice;
        if (isShown(*entry)) Q_EMIT advised(entry->ref);
    };
    entry->adviseJob = m_jobs.start(
        QStringLiteral("Looking what %1 could become").arg(scheduleName(ref)), this,
        [state = steps->state(), ref, others = std::move(others), model = m_model,
         question = m_model->ask(*document)](JobControl &) -> AdvicePtr {
            auto made = std::make_shared<Advice>();
            made->ref = ref;
            model->answer(question, [&](auto *learnt, size_t) {
                made->byModel = learnt != nullptr;
                ThreadPool pool(1); // beside a search that has the others
                made->moves = bestMoves(state, question.task->target, learnt, pool, kMovesTold);
            });
            const MeasuredTrials trials{others.size(), [&](size_t i) { return others[i].steps.unpack(); },
                                        [&](size_t i) { return others[i].seconds; }};
            for (const NearTrial &near : nearestTrials(question.task->dag, state.steps(), trials, kNearestTold)) {
                Advice::Near one{others[near.trial].trial, {}};
                for (const StepPair &pair : near.differences) one.differences << differenceText(pair);
                made->nearest.push_back(std::move(one));
            }
            return made;
        },
        done,
        [done, ref](const QString &problem) {
            auto failed = std::make_shared<Advice>();
            failed->ref = ref;
            failed->problem = problem;
            done(failed);
        });
    return nullptr;
}

/// A cancelled job hands nothing over: who waits for it is told here.
void Explanations::jobCancelled(int job) {
    const auto entries = m_entries;
    for (const auto &entry : entries) {
        const bool shown = isShown(*entry);
        if (entry->explainJob == job) {
            auto explained = std::make_shared<Explained>();
            explained->ref = entry->ref;
            explained->problem = QStringLiteral("explaining was cancelled");
            entry->explainJob = 0;
            entry->explained = explained;
            tellExplained(*entry);
        }
        if (entry->adviseJob == job) {
            auto advice = std::make_shared<Advice>();
            advice->ref = entry->ref;
            advice->problem = QStringLiteral("looking what it could become was cancelled");
            entry->adviseJob = 0;
            entry->advice = advice;
            if (shown) Q_EMIT advised(entry->ref);
        }
    }
}

} // namespace loopscope
