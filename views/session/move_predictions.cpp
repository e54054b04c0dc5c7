#include "views/session/move_predictions.h"

#include "schedule/bound_inference.h"
#include "search/moves/learnt_model.h"
#include "search/moves/offered_moves.h"
#include "search/moves/predicted_change.h"
#include "views/session/text.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kKept = 24;           // schedules whose moves are remembered
constexpr size_t kLearnAgainAfter = 4; // a model learns anew once a quarter more trials are there

LoopState withRangesWhereTheyExist(const LoopState &state) {
    if (!state.concrete()) return state;
    auto bounded = inferBounds(state, std::make_shared<ExprArena>());
    if (!bounded) return state;
    return std::move(bounded->state);
}

/// Of a network of hundreds of stages not all can be found, let alone predicted, before somebody looks elsewhere:
/// stages are left out then, whose menus find their moves when they are opened.
constexpr size_t kMaxWork = 60'000; // moves times stages

std::vector<Step> movesWithinReason(const LoopState &state, const Target &target, const JobControl &control) {
    std::vector<Step> moves;
    for (size_t stage = state.stageCount(); stage-- > 0 && !control.cancelled();) {
        if (moves.size() * state.stageCount() > kMaxWork) break;
        for (Step &step : offeredMoves(state, target, StageId(stage))) moves.push_back(std::move(step));
    }
    std::stable_sort(moves.begin(), moves.end(), [](const Step &a, const Step &b) { return stageOf(a) < stageOf(b); });
    return moves;
}

QString modelName(size_t schedules) {
    return QStringLiteral("a model that learnt from %1").arg(trialCountText(schedules));
}
const QString kEstimate = QStringLiteral("the analytic estimate");
const QString kEstimateBelowModel =
    QStringLiteral("the analytic estimate, as the model has seen nothing as slow as this");

template <typename Entries> void dropUnfinished(Entries &entries, Jobs &jobs) {
    std::vector<int> unfinished;
    for (const auto &entry : entries)
        if (entry->job != 0) unfinished.push_back(entry->job);
    std::erase_if(entries, [](const auto &entry) { return entry->job != 0; });
    for (const int job : unfinished) jobs.cancel(job);
}

} // namespace

struct TaskModel {
    std::mutex mutex;
    LearntModel learnt;
};

struct MovePredictions::Entry {
    int taskId = 0;
    ScheduleRef ref;
    OfferedMovesPtr moves;
    int job = 0;
};

MovePredictions::MovePredictions(DocumentStore &store, EditedSchedules &edits, Messages &messages, Jobs &jobs)
    : m_store(store), m_edits(edits), m_messages(messages), m_jobs(jobs) {
    connect(&m_edits, &EditedSchedules::nodesChanged, this, &MovePredictions::refresh);
    connect(&m_jobs, &Jobs::cancelled, this, [this](int job) {
        if (job == m_learning) m_learning = 0;
        std::erase_if(m_entries, [job](const auto &entry) { return entry->job == job; });
    });
}

MovePredictions::~MovePredictions() = default;

MovePredictions::ModelPtr MovePredictions::modelOf(int taskId) const {
    const auto found = m_models.find(taskId);
    return found == m_models.end() ? nullptr : found->second;
}

OfferedMovesPtr MovePredictions::of(const ScheduleRef &ref) {
    const TaskState *state = m_store.current();
    if (state == nullptr || !state->task) return nullptr;
    const auto found = std::find_if(m_entries.begin(), m_entries.end(), [&](const auto &entry) {
        return entry->taskId == state->taskId && entry->ref == ref;
    });
    if (found != m_entries.end()) {
        std::rotate(found, found + 1, m_entries.end());
        return m_entries.back()->moves;
    }
    const auto steps = m_edits.stepsOf(ref);
    if (!steps) return nullptr;
    dropUnfinished(m_entries, m_jobs); // whoever goes through a list of schedules stays at the last
    if (m_entries.size() >= kKept) m_entries.erase(m_entries.begin());
    auto entry = std::make_shared<Entry>();
    entry->taskId = state->taskId;
    entry->ref = ref;
    m_entries.push_back(entry);
    entry->job = m_jobs.start(
        QStringLiteral("finding what can be done to the schedule"), this,
        [schedule = steps->state(), task = state->task](JobControl &control) {
            OfferedMoves offered{
                withRangesWhereTheyExist(schedule), movesWithinReason(schedule, task->target, control), {}, {}};
            return std::make_shared<const OfferedMoves>(std::move(offered));
        },
        [this, entry](const OfferedMovesPtr &moves) {
            entry->job = 0;
            entry->moves = moves;
            predictMoves(entry);
            Q_EMIT movesReady(entry->ref);
        },
        nullptr, Jobs::Lane::WaitedFor);
    learn();
    return nullptr;
}

void MovePredictions::predictMoves(const std::shared_ptr<Entry> &entry) {
    const TaskState *state = m_store.task(entry->taskId);
    if (state == nullptr || !state->task || !entry->moves) return;
    m_jobs.cancel(std::exchange(entry->job, 0));
    entry->job = m_jobs.start(
        QStringLiteral("predicting what can be done to the schedule"), this,
        [moves = entry->moves, task = state->task, model = modelOf(entry->taskId)](JobControl &) {
            OfferedMoves predicted = *moves;
            ThreadPool pool;
            const auto known = [&] {
                return std::any_of(predicted.changes.begin(), predicted.changes.end(),
                                   [](const auto &change) { return change.has_value(); });
            };
            predicted.changes.clear();
            if (model) {
                const std::lock_guard lock(model->mutex);
                predicted.changes =
                    predictedChanges(moves->state, moves->moves, task->target, model->learnt.model.get(), pool);
                predicted.predictedBy = modelName(model->learnt.schedules);
            }
            if (!known()) {
                predicted.changes = predictedChanges(moves->state, moves->moves, task->target, nullptr, pool);
                predicted.predictedBy = model ? kEstimateBelowModel : kEstimate;
            }
            return std::make_shared<const OfferedMoves>(std::move(predicted));
        },
        [this, entry](const OfferedMovesPtr &moves) {
            entry->job = 0;
            entry->moves = moves;
            const TaskState *shown = m_store.current();
            if (shown != nullptr && shown->taskId == entry->taskId) Q_EMIT movesReady(entry->ref);
        },
        nullptr, Jobs::Lane::WaitedFor);
}

QString MovePredictions::predictedBy(int node) const {
    const TaskState *state = m_store.current();
    const auto found = m_by.find({state == nullptr ? 0 : state->taskId, node});
    return found == m_by.end() ? QString() : found->second;
}

void MovePredictions::forget() {
    dropUnfinished(m_entries, m_jobs);
    m_entries.clear();
    const TaskState *state = m_store.current();
    if (state == nullptr) return;
    std::erase_if(m_asked, [&](const auto &asked) { return asked.first == state->taskId; });
    std::erase_if(m_by, [&](const auto &by) { return by.first.first == state->taskId; });
    if (state->trials.empty()) { // it learnt from others
        m_models.erase(state->taskId);
        m_shown.erase(state->taskId);
    }
    refresh();
}

void MovePredictions::refresh() {
    const TaskState *state = m_store.current();
    if (state == nullptr || !state->task) return;
    // A search that nobody looks at the moves of needs no second model.
    if (!state->edited.empty() || !m_entries.empty()) learn();
    predictNodes();
}

/// Anew once there is a quarter more to learn from; what it says then replaces what was said before.
void MovePredictions::learn() {
    const TaskState *state = m_store.current();
    if (m_learning != 0 || state == nullptr || !state->task) return;
    size_t &shown = m_shown[state->taskId];
    if (state->trials.size() < shown + std::max(kEnoughToLearn, shown / kLearnAgainAfter)) return;
    shown = state->trials.size();
    std::vector<MeasuredSchedule> measured;
    measured.reserve(state->trials.size());
    for (const TrialEntry &entry : state->trials)
        if (!entry.untimed()) measured.push_back({entry.trial.steps, entry.valid() ? entry.seconds() : 0});
    m_learningOf = state->taskId;
    m_learning = m_jobs.start(
        QStringLiteral("learning from the trials"), this,
        [measured = std::move(measured), task = state->task](JobControl &control) {
            ThreadPool pool;
            auto model = std::make_shared<TaskModel>();
            model->learnt = modelThatLearnt(task->dag, task->target, measured, pool, &control.cancelFlag());
            return model;
        },
        [this](const ModelPtr &model) {
            m_learning = 0;
            if (!model->learnt.model) return;
            m_models[m_learningOf] = model;
            ++m_generation;
            std::erase_if(m_asked, [&](const auto &asked) { return asked.first == m_learningOf; });
            for (const auto &entry : m_entries)
                if (entry->taskId == m_learningOf && entry->moves) predictMoves(entry);
            predictNodes();
        },
        [this](const QString &problem) {
            m_learning = 0;
            m_messages.warn(QStringLiteral("Nothing was learnt from the trials: moves go on being judged as before"),
                            problem);
        });
}

/// All that nobody was asked about yet.
void MovePredictions::predictNodes() {
    const TaskState *state = m_store.current();
    if (state == nullptr || !state->task) return;
    std::vector<int> nodes;
    std::vector<Steps> schedules;
    for (size_t i = 0; i < state->edited.size(); ++i) {
        const EditNode &node = state->edited[i];
        if (node.dropped || !node.steps.state().concrete()) continue;
        if (!m_asked.insert({state->taskId, static_cast<int>(i)}).second) continue;
        nodes.push_back(static_cast<int>(i));
        schedules.push_back(node.steps.state().steps());
    }
    if (nodes.empty()) return;
    schedules.emplace_back(); // the naive schedule
    struct Said {
        std::vector<std::pair<int, double>> ratios;
        std::vector<QString> by;
    };
    m_jobs.start(
        QStringLiteral("predicting the schedules made by hand"), this,
        [nodes, schedules = std::move(schedules), task = state->task, model = modelOf(state->taskId),
         naive = state->naiveSeconds](JobControl &) {
            ThreadPool pool;
            std::vector<PredictedSchedule> predicted;
            double best = 0;
            QString name;
            if (model) {
                const std::lock_guard lock(model->mutex);
                predicted = predictedSchedules(task->dag, schedules, task->target, model->learnt.model.get(), pool);
                best = model->learnt.bestSeconds;
                name = modelName(model->learnt.schedules);
            } else {
                predicted = predictedSchedules(task->dag, schedules, task->target, nullptr, pool);
            }
            Said said;
            for (size_t i = 0; i < nodes.size(); ++i) {
                double ratio = std::numeric_limits<double>::quiet_NaN();
                QString by;
                if (const auto &score = predicted[i].score;
                    score && *score >= kMinScoreToCompare && best > 0 && naive > 0) {
                    ratio = best / static_cast<double>(*score) / naive;
                    by = name;
                } else if (predicted[i].estimate && predicted.back().estimate) {
                    ratio = *predicted[i].estimate / *predicted.back().estimate;
                    by = model ? kEstimateBelowModel : kEstimate;
                }
                said.ratios.emplace_back(nodes[i], ratio);
                said.by.push_back(by);
            }
            return said;
        },
        [this, taskId = state->taskId, generation = m_generation](const Said &said) {
            if (generation != m_generation) return; // a newer model was asked meanwhile
            for (size_t i = 0; i < said.ratios.size(); ++i) m_by[{taskId, said.ratios[i].first}] = said.by[i];
            m_edits.setPredictions(taskId, said.ratios);
        });
}

} // namespace loopscope
