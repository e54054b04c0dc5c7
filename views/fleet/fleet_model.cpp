#include "views/fleet/fleet_model.h"

#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

namespace {

const QString kNothing = QStringLiteral("\u2013");

double rateOf(const NodeStatus &node) { return node.minutes > 0 ? static_cast<double>(node.trials) / node.minutes : 0; }

double noiseOf(const NodeStatus &node) {
    return node.trials > 0 ? static_cast<double>(node.unstable) / static_cast<double>(node.trials) : 0;
}

/// It measures nothing, and not because there is nothing to do.
bool isOut(NodeState state) {
    return state == NodeState::Lost || state == NodeState::Apart || state == NodeState::Refused ||
           state == NodeState::Gone;
}

} // namespace

FleetModel::FleetModel(const Theme &theme, QObject *parent)
    : TableModel(
          {
              {tr("Node"), tr("As Slurm calls it")},
              {tr("State"), tr("Apart: slower or faster than the others, so that its times would not compare")},
              {tr("Now"), tr("What it times, and how many candidates it has; or why it does not measure")},
              {tr("Trials"), tr("That count"), Qt::AlignRight},
              {tr("A minute"), tr("Trials a minute since it was ready"), Qt::AlignRight},
              {tr("Noisy"), tr("Trials whose samples never agreed"), Qt::AlignRight},
              {tr("Reference"), tr("The time of a kernel that is the same everywhere, taken every few minutes"),
               Qt::AlignRight},
              {tr("Drift"), tr("Of the reference since the beginning"), Qt::AlignRight},
              {tr("Lost"), tr("How often it was lost, and started again"), Qt::AlignRight},
              {tr("Processor"), tr("As the node says")},
          },
          parent),
      m_theme(theme) {}

void FleetModel::show(std::vector<NodeStatus> nodes) {
    if (std::ranges::equal(nodes, m_nodes, {}, &NodeStatus::name, &NodeStatus::name)) {
        m_nodes = std::move(nodes);
        if (!m_nodes.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_nodes = std::move(nodes);
    endResetModel();
}

const NodeStatus *FleetModel::at(int row) const {
    return row >= 0 && row < rowCount() ? &m_nodes[static_cast<size_t>(row)] : nullptr;
}

int FleetModel::rowsShown() const { return static_cast<int>(m_nodes.size()); }

QString FleetModel::text(const NodeStatus &node, int column) const {
    switch (column) {
    case Name:
        return qt(node.name);
    case State:
        return qt(std::string(nodeStateName(node.state)));
    case Now:
        if (isOut(node.state) && !node.why.empty()) return asSentence(qt(node.why)); // it is all there is to say of it
        if (node.state == NodeState::Preparing)
            return node.task.empty() ? tr("computes the reference")
                                     : tr("%1: computes the reference").arg(qt(node.task));
        if (node.inFlight == 0)
            return node.prepared > 0 ? tr("%1 prepared").arg(countedText(node.prepared, "task")) : kNothing;
        if (node.current < 0) return tr("%1 in flight").arg(countedText(node.inFlight, "candidate"));
        return (node.task.empty() ? QString() : qt(node.task) + QStringLiteral(": ")) +
               tr("no. %1 of the round, %2 in flight").arg(node.current + 1).arg(node.inFlight);
    case Trials:
        return QString::number(node.trials);
    case Rate:
        return node.trials > 0 ? QString::number(rateOf(node), 'f', 1) : kNothing;
    case Noise:
        return node.trials > 0 ? percentText(noiseOf(node)) : kNothing;
    case Reference:
        return node.reference > 0 ? timeText(node.reference) : kNothing;
    case Drift:
        return node.firstReference > 0 ? (node.drift() >= 0 ? QStringLiteral("+") : QStringLiteral("\u2212")) +
                                             percentText(std::abs(node.drift()))
                                       : kNothing;
    case Lost:
        return node.lost > 0 ? QString::number(node.lost) : kNothing;
    case Processor:
        return node.hello.model.empty()
                   ? kNothing
                   : tr("%1, %2").arg(qt(node.hello.model), countedText(static_cast<size_t>(node.hello.cores), "core"));
    default:
        return {};
    }
}

QVariant FleetModel::data(const QModelIndex &index, int role) const {
    const NodeStatus *node = index.isValid() ? at(index.row()) : nullptr;
    if (node == nullptr) return {};
    switch (role) {
    case Qt::ToolTipRole:
        if (index.column() == Trials && node->waits > 0)
            return tr("Between candidates it stood still for %1 ms (the median of %2)")
                .arg(1e3 * node->waited, 0, 'f', 2)
                .arg(node->waits);
        return text(*node, index.column());
    case Qt::DisplayRole:
        return text(*node, index.column());
    case SortRole:
        switch (index.column()) {
        case Trials:
            return static_cast<qulonglong>(node->trials);
        case Rate:
            return rateOf(*node);
        case Noise:
            return noiseOf(*node);
        case Reference:
            return node->reference;
        case Drift:
            return node->drift();
        case Lost:
            return node->lost;
        default:
            return text(*node, index.column());
        }
    case Qt::TextAlignmentRole:
        return sideOf(index.column());
    case Qt::ForegroundRole:
        if (index.column() == State && isOut(node->state)) return m_theme.color(Role::Bad);
        return node->state == NodeState::Drained ? QVariant(m_theme.color(Role::QuietText)) : QVariant();
    default:
        return {};
    }
}

QString fleetSentence(const std::vector<NodeStatus> &nodes) {
    size_t measuring = 0, trials = 0, most = 0;
    double rate = 0;
    for (const NodeStatus &node : nodes) {
        measuring += node.state == NodeState::Measuring ? 1 : 0;
        trials += node.trials;
        most = std::max(most, node.trials);
        rate += rateOf(node);
    }
    QString text = FleetModel::tr("%1, %2 of them measuring").arg(countedText(nodes.size(), "node")).arg(measuring);
    if (trials > 0)
        text += FleetModel::tr("; %1, %2 a minute, %3 times what one node measured")
                    .arg(trialCountText(trials))
                    .arg(rate, 0, 'f', 1)
                    .arg(static_cast<double>(trials) / static_cast<double>(most), 0, 'f', 1);
    return text;
}

} // namespace loopscope
