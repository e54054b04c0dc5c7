#include "views/network_tasks/task_model.h"

#include "views/session/text.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

bool isText(int column) {
    return column == NetworkTaskModel::Name || column == NetworkTaskModel::State || column == NetworkTaskModel::Form ||
           column == NetworkTaskModel::Key;
}

/// The groups with the rows of their tasks.
std::vector<TaskChoiceGroup> groupsByRow(const NetworkKernels &kernels) {
    std::vector<TaskChoiceGroup> groups = kernels.alternatives.groups;
    for (TaskChoiceGroup &group : groups)
        for (ChoiceArm &arm : group.arms)
            for (size_t &task : arm.tasks) {
                const std::string &key = kernels.alternatives.keys[task];
                const auto found = std::ranges::find(kernels.tasks, key, &NetworkTask::key);
                task = static_cast<size_t>(found - kernels.tasks.begin());
            }
    return groups;
}

QVariant bold() {
    QFont font;
    font.setBold(true);
    return font;
}

} // namespace

NetworkTaskModel::NetworkTaskModel(const Theme &theme, QObject *parent)
    : TableModel(
          {
              {tr("No."), tr("In the order of the network"), Qt::AlignRight},
              {tr("Task"), tr("Operators that are computed together")},
              {tr("Form"), tr("Which of the forms of its nodes it is, and how far behind the fastest of them")},
              {tr("Uses"), tr("Kernels of the network that are this task"), Qt::AlignRight},
              {tr("Best"), tr("The best time of the search, of its log, or of logs and workloads that are open"),
               Qt::AlignRight},
              {tr("GFLOP/s"), tr("Of the best kernel"), Qt::AlignRight},
              {tr("Of time"), tr("Of the estimated time of all tasks that have one, all uses together"),
               Qt::AlignRight},
              {tr("Trials"), tr("Of its log and of the search"), Qt::AlignRight},
              {tr("Next gain"), tr("What its next round is expected to gain of the network's time"), Qt::AlignRight},
              {tr("Search"), tr("Whose turn it is, and what was wanted of it: pinned, boosted, paused, excluded")},
              {tr("Times uses"), tr("The best time, times the number of uses"), Qt::AlignRight},
              {tr("FLOPs"), tr("Floating-point operations of one use"), Qt::AlignRight},
              {tr("Of FLOPs"), tr("Of the network's FLOPs, all uses together"), Qt::AlignRight},
              {tr("Weights"), tr("Bytes of constants that one use reads"), Qt::AlignRight},
              {tr("Records"), tr("In logs and workloads that are open"), Qt::AlignRight},
              {tr("Key"), tr("By which tuning logs know the task")},
          },
          parent),
      m_theme(theme) {}

void NetworkTaskModel::show(NetworkKernelsPtr kernels) {
    if (kernels == m_kernels) return;
    beginResetModel();
    m_kernels = std::move(kernels);
    m_flops = m_kernels ? m_kernels->flops() : 0;
    m_groups = m_kernels ? groupsByRow(*m_kernels) : std::vector<TaskChoiceGroup>();
    sumUp();
    endResetModel();
}

void NetworkTaskModel::setKnown(std::map<std::string, KnownTime> known) {
    m_known = std::move(known);
    sumUp();
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, Form), index(rowCount() - 1, Records));
}

void NetworkTaskModel::setProgress(const NetworkProgress &progress,
                                   const std::map<std::string, TaskSteering> &steered) {
    m_tuned = progress.tasks;
    m_steered = steered;
    const bool picks = progress.underWay() && progress.picked >= 0;
    m_picked = picks ? m_tuned[static_cast<size_t>(progress.picked)].key : std::string();
    m_why = picks ? progress.why : QString();
    sumUp();
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, Name), index(rowCount() - 1, Records));
}

void NetworkTaskModel::sumUp() {
    m_standings.assign(static_cast<size_t>(rowCount()), {});
    for (int row = 0; row < rowCount(); ++row)
        if (best(row) > 0) m_standings[static_cast<size_t>(row)].best = {best(row)};
    m_forms = formStandings(m_groups, m_standings);
    m_seconds = 0;
    for (int task = 0; task < rowCount(); ++task)
        if (!isBehind(task)) m_seconds += best(task) * m_kernels->tasks[static_cast<size_t>(task)].weight;
}

bool NetworkTaskModel::isBehind(int task) const {
    const FormStanding *nearest = nearestForm(m_forms[static_cast<size_t>(task)]);
    return nearest != nullptr && nearest->behind > 0;
}

/// "winograd4, the fastest of 2", "direct, +12 µs" that it is behind; of a task that several nodes have in several
/// ways, where it is least behind.
QString NetworkTaskModel::form(int row) const {
    const FormStanding *nearest = nearestForm(m_forms[static_cast<size_t>(row)]);
    if (nearest == nullptr) return {};
    const std::vector<ChoiceArm> &arms = m_groups[nearest->group].arms;
    const QString name = qt(arms[nearest->arm].name);
    if (best(row) <= 0) return tr("%1, one of %2").arg(name).arg(arms.size());
    if (nearest->behind > 0) return tr("%1, +%2").arg(name, timeText(nearest->behind));
    const auto timed =
        std::ranges::count_if(arms, [&](const ChoiceArm &arm) { return std::isfinite(armSeconds(arm, m_standings)); });
    return timed > 1 ? tr("%1, the fastest of %2").arg(name).arg(arms.size())
                     : tr("%1, the first of %2").arg(name).arg(arms.size());
}

/// For each group that the task is in: its nodes, then every form with its time.
QStringList NetworkTaskModel::formLines(int row) const {
    QStringList lines;
    for (const FormStanding &standing : m_forms[static_cast<size_t>(row)]) {
        const TaskChoiceGroup &group = m_groups[standing.group];
        QStringList forms;
        for (const ChoiceArm &arm : group.arms) {
            const double seconds = armSeconds(arm, m_standings);
            forms << tr("%1 (%2)").arg(qt(arm.name), std::isfinite(seconds) ? timeText(seconds) : tr("no time yet"));
        }
        lines << tr("Forms of %1: %2").arg(groupText(group), forms.join(QStringLiteral(", ")));
    }
    return lines;
}

const NetworkTaskProgress *NetworkTaskModel::tunedOf(const NetworkTask &task) const {
    const auto found = std::ranges::find(m_tuned, task.key, &NetworkTaskProgress::key);
    return task.key.empty() || found == m_tuned.end() ? nullptr : &*found;
}

double NetworkTaskModel::best(int row) const {
    const NetworkTask &task = m_kernels->tasks[static_cast<size_t>(row)];
    if (const NetworkTaskProgress *tuned = tunedOf(task); tuned != nullptr && tuned->best > 0) return tuned->best;
    const KnownTime *known = knownOf(task);
    return known != nullptr ? known->seconds : 0;
}

bool NetworkTaskModel::isPicked(int task) const {
    const NetworkTask &asked = m_kernels->tasks[static_cast<size_t>(task)];
    const NetworkTaskProgress *tuned = tunedOf(asked);
    return (!m_picked.empty() && asked.key == m_picked) || (tuned != nullptr && tuned->rounds > 0);
}

bool NetworkTaskModel::searchable(int task) const { return m_kernels->tasks[static_cast<size_t>(task)].searchable; }

const KnownTime *NetworkTaskModel::knownOf(const NetworkTask &task) const {
    const auto found = task.key.empty() ? m_known.end() : m_known.find(task.key);
    return found == m_known.end() ? nullptr : &found->second;
}

int NetworkTaskModel::rowsShown() const { return !m_kernels ? 0 : static_cast<int>(m_kernels->tasks.size()); }

bool NetworkTaskModel::isExcluded(int task) const {
    const auto found = m_steered.find(m_kernels->tasks[static_cast<size_t>(task)].key);
    return found != m_steered.end() && found->second.excluded;
}

double NetworkTaskModel::number(int row, int column) const {
    const NetworkTask &task = m_kernels->tasks[static_cast<size_t>(row)];
    const KnownTime *known = knownOf(task);
    const NetworkTaskProgress *tuned = tunedOf(task);
    const double seconds = best(row) > 0 ? best(row) : -1;
    switch (column) {
    case Number:
        return row;
    case Uses:
        return task.weight;
    case Flops:
        return task.flops;
    case Share:
        return task.flops < 0 || m_flops <= 0 || isOther(row) ? -1 : task.flops * task.weight / m_flops;
    case Weights:
        return static_cast<double>(m_kernels->uses[static_cast<size_t>(row)].weightBytes);
    case Best:
        return seconds;
    case NetworkTime:
        return seconds < 0 ? -1 : seconds * task.weight;
    case Speed:
        return seconds < 0 || task.flops <= 0 ? -1 : task.flops / seconds * 1e-9;
    case TimeShare:
        return seconds < 0 || m_seconds <= 0 || isBehind(row) ? -1 : seconds * task.weight / m_seconds;
    case Trials:
        return tuned == nullptr ? -1 : tuned->known + tuned->trials;
    case Gain:
        return tuned == nullptr ? -1 : tuned->gain;
    case Records:
        return known == nullptr ? 0 : static_cast<double>(known->records);
    default:
        return -1;
    }
}

QString NetworkTaskModel::text(int row, int column) const {
    const NetworkTask &task = m_kernels->tasks[static_cast<size_t>(row)];
    const double value = number(row, column);
    switch (column) {
    case Number:
        return QString::number(row + 1);
    case Name:
        return qt(task.name);
    case Uses:
        return QString::number(task.weight);
    case Flops:
        return countText(value);
    case Speed:
        return value < 0 ? QStringLiteral("\u2013") : QString::number(value, 'f', value < 10 ? 2 : 1);
    case Trials:
        return value < 0 ? QStringLiteral("\u2013") : QString::number(value);
    case State:
        return state(row);
    case Form:
        return form(row);
    case TimeShare:
    case Share:
        return value < 0 ? QStringLiteral("\u2013") : percentText(value);
    case Weights:
        return value > 0 ? bytesText(static_cast<int64_t>(value)) : QStringLiteral("\u2013");
    case Best:
    case NetworkTime:
    case Gain:
        return value < 0 ? QStringLiteral("\u2013") : timeText(value);
    case Records:
        return value > 0 ? QString::number(value) : QStringLiteral("none");
    case Key:
        return task.key.empty() ? asSentence(qt(task.whyNot)) : qt(task.key);
    default:
        return {};
    }
}

/// Whose turn it is, and what somebody wants of it.
QString NetworkTaskModel::state(int row) const {
    QStringList words;
    const std::string &key = m_kernels->tasks[static_cast<size_t>(row)].key;
    if (isPicked(row)) words << tr("searching");
    if (const auto found = m_steered.find(key); found != m_steered.end() && searchable(row)) {
        const TaskSteering &steering = found->second;
        if (steering.excluded) words << tr("excluded");
        if (steering.pinned) words << tr("pinned");
        if (steering.paused) words << tr("paused");
        if (steering.boost != 1) words << tr("boosted \u00d7%1").arg(steering.boost);
    }
    return words.join(QStringLiteral(", "));
}

QString NetworkTaskModel::tip(int row) const {
    const NetworkTask &task = m_kernels->tasks[static_cast<size_t>(row)];
    QStringList lines{tr("%1, used by %2").arg(qt(task.name), countedText(static_cast<size_t>(task.weight), "kernel"))};
    if (isOther(row)) lines << tr("Of another form in which the network's nodes may be computed");
    if (!task.searchable) lines << asSentence(qt(task.whyNot));
    if (const KnownTime *known = knownOf(task); known != nullptr && known->seconds > 0)
        lines << tr("%1 in %2").arg(timeText(known->seconds), known->where);
    if (const NetworkTaskProgress *tuned = tunedOf(task)) {
        if (tuned->best <= 0 && !tuned->whyNone.isEmpty()) lines << asSentence(tuned->whyNone);
        if (tuned->trials > 0)
            lines << tr("%1 in this search, %2 failed")
                         .arg(trialCountText(static_cast<size_t>(tuned->trials)))
                         .arg(tuned->failed);
        if (tuned->floorSeconds > 0 && tuned->best > 0)
            lines << tr("No kernel can be faster than %1 on this machine").arg(timeText(tuned->floorSeconds));
        if (m_kernels->tasks[static_cast<size_t>(row)].key == m_picked && !m_why.isEmpty())
            lines << tr("Searched now, as %1").arg(m_why);
    }
    lines << formLines(row);
    constexpr size_t kShown = 6;
    QStringList names;
    for (const std::string &source : m_kernels->uses[static_cast<size_t>(row)].sources) {
        if (static_cast<size_t>(names.size()) == kShown) break;
        names << qt(source);
    }
    QString list = names.join(QStringLiteral(", "));
    if (m_kernels->uses[static_cast<size_t>(row)].sources.size() > kShown) list += QStringLiteral(" \u2026");
    lines << tr("In the file: %1").arg(list);
    return lines.join(u'\n');
}

QVariant NetworkTaskModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return text(index.row(), column);
    case SortRole:
        return isText(column) ? QVariant(text(index.row(), column)) : number(index.row(), column);
    case TaskRole:
        return index.row();
    case Qt::ToolTipRole:
        return tip(index.row());
    case Qt::TextAlignmentRole:
        return sideOf(index.column());
    case Qt::ForegroundRole:
        return searchable(index.row()) && !isExcluded(index.row()) && !isBehind(index.row())
                   ? QVariant()
                   : m_theme.color(Role::QuietText);
    case Qt::BackgroundRole:
        return isPicked(index.row()) ? QVariant(m_theme.tint(Role::Accent)) : QVariant();
    case Qt::FontRole:
        return isPicked(index.row()) ? bold() : QVariant();
    default:
        return {};
    }
}

QString tasksSentence(const NetworkTaskModel &model) {
    const NetworkKernels *kernels = model.kernels();
    if (kernels == nullptr) return {};
    size_t searchable = 0, uses = 0, known = 0;
    double seconds = 0;
    for (int i = 0; i < model.rowCount(); ++i) {
        const NetworkTask &task = kernels->tasks[static_cast<size_t>(i)];
        if (!task.searchable) continue;
        ++searchable;
        if (!model.isOther(i)) uses += static_cast<size_t>(task.weight);
        if (model.best(i) <= 0) continue;
        ++known;
        if (!model.isBehind(i)) seconds += model.best(i) * task.weight;
    }
    QString text = NetworkTaskModel::tr("%1 to tune, for %2 of the %3")
                       .arg(countedText(searchable, "task"))
                       .arg(uses)
                       .arg(countedText(kernels->kernelCount(), "kernel"));
    if (model.hasForms()) {
        size_t nodes = 0;
        for (const TaskChoiceGroup &group : kernels->alternatives.groups) nodes += group.nodes;
        text += NetworkTaskModel::tr(", in all forms of %1").arg(countedText(nodes, "node"));
    }
    if (known > 0)
        text += NetworkTaskModel::tr("; %1 of them with records, %2 altogether").arg(known).arg(timeText(seconds));
    return text;
}

} // namespace loopscope
