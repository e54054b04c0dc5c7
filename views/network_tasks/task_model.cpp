#include "views/network_tasks/task_model.h"

#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

void NetworkTaskModel::show(NetworkKernelsPtr kernels) {
    if (kernels == m_kernels) return;
    beginResetModel();
    m_kernels = std::move(kernels);
    m_flops = m_kernels ? m_kernels->flops() : 0;
    endResetModel();
}

void NetworkTaskModel::setKnown(std::map<std::string, KnownTime> known) {
    m_known = std::move(known);
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, Best), index(rowCount() - 1, Records));
}

bool NetworkTaskModel::searchable(int task) const { return m_kernels->tasks[static_cast<size_t>(task)].searchable; }

const KnownTime *NetworkTaskModel::knownOf(const NetworkTask &task) const {
    const auto found = task.key.empty() ? m_known.end() : m_known.find(task.key);
    return found == m_known.end() ? nullptr : &found->second;
}

int NetworkTaskModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() || !m_kernels ? 0 : static_cast<int>(m_kernels->tasks.size());
}

int NetworkTaskModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

double NetworkTaskModel::number(int row, int column) const {
    const NetworkTask &task = m_kernels->tasks[static_cast<size_t>(row)];
    const KnownTime *known = knownOf(task);
    const double seconds = known != nullptr && known->seconds > 0 ? known->seconds : -1;
    switch (column) {
    case Number:
        return row;
    case Uses:
        return task.weight;
    case Flops:
        return task.flops;
    case Share:
        return task.flops < 0 || m_flops <= 0 ? -1 : task.flops * task.weight / m_flops;
    case Weights:
        return static_cast<double>(m_kernels->uses[static_cast<size_t>(row)].weightBytes);
    case Best:
        return seconds;
    case NetworkTime:
        return seconds < 0 ? -1 : seconds * task.weight;
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
    case Share:
        return value < 0 ? QStringLiteral("\u2013") : percentText(value);
    case Weights:
        return value > 0 ? bytesText(static_cast<int64_t>(value)) : QStringLiteral("\u2013");
    case Best:
    case NetworkTime:
        return timeText(value);
    case Records:
        return value > 0 ? QString::number(value) : QStringLiteral("none");
    case Key:
        return task.key.empty() ? asSentence(qt(task.whyNot)) : qt(task.key);
    default:
        return {};
    }
}

QString NetworkTaskModel::tip(int row) const {
    const NetworkTask &task = m_kernels->tasks[static_cast<size_t>(row)];
    QStringList lines{tr("%1, used by %2").arg(qt(task.name), countedText(static_cast<size_t>(task.weight), "kernel"))};
    if (!task.searchable) lines << asSentence(qt(task.whyNot));
    if (const KnownTime *known = knownOf(task); known != nullptr && known->seconds > 0)
        lines << tr("%1 in %2").arg(timeText(known->seconds), known->where);
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
        return column == Name || column == Key ? QVariant(text(index.row(), column)) : number(index.row(), column);
    case TaskRole:
        return index.row();
    case Qt::ToolTipRole:
        return tip(index.row());
    case Qt::TextAlignmentRole:
        return static_cast<int>((column == Name || column == Key ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        return searchable(index.row()) ? QVariant() : m_theme.color(Role::QuietText);
    default:
        return {};
    }
}

QVariant NetworkTaskModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    struct Head {
        QString title, tip;
    };
    static const std::array<Head, ColumnCount> heads{{
        {tr("No."), tr("In the order of the network")},
        {tr("Task"), tr("Operators that are computed together")},
        {tr("Uses"), tr("Kernels of the network that are this task")},
        {tr("FLOPs"), tr("Floating-point operations of one use")},
        {tr("Share"), tr("Of the network's FLOPs, all uses together")},
        {tr("Weights"), tr("Bytes of constants that one use reads")},
        {tr("Best"), tr("The best time in logs and workloads that are open")},
        {tr("Times uses"), tr("The best time, times the number of uses")},
        {tr("Records"), tr("In logs and workloads that are open")},
        {tr("Key"), tr("By which tuning logs know the task")},
    }};
    const Head &head = heads[static_cast<size_t>(section)];
    if (role == Qt::DisplayRole) return head.title;
    if (role == Qt::ToolTipRole) return head.tip;
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == Name || section == Key ? Qt::AlignLeft : Qt::AlignRight) |
                                Qt::AlignVCenter);
    return {};
}

QString tasksSentence(const NetworkTaskModel &model) {
    const NetworkKernels *kernels = model.kernels();
    if (kernels == nullptr) return {};
    size_t searchable = 0, uses = 0, known = 0;
    double seconds = 0;
    for (const NetworkTask &task : kernels->tasks) {
        if (!task.searchable) continue;
        ++searchable;
        uses += static_cast<size_t>(task.weight);
        const auto found = model.known().find(task.key);
        if (found == model.known().end() || found->second.seconds <= 0) continue;
        ++known;
        seconds += found->second.seconds * task.weight;
    }
    QString text = NetworkTaskModel::tr("%1 to tune, for %2 of the %3")
                       .arg(countedText(searchable, "task"))
                       .arg(uses)
                       .arg(countedText(kernels->partition.kernels.size(), "kernel"));
    if (known > 0)
        text += NetworkTaskModel::tr("; %1 of them with records, %2 altogether").arg(known).arg(timeText(seconds));
    return text;
}

} // namespace loopscope
