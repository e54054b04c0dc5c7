#include "views/implementations/decision_model.h"

#include "views/session/text.h"

namespace loopscope {

size_t offered(const Decision &decision) {
    size_t count = 0;
    for (const JudgedSpecialisation &one : decision.specialisations)
        for (const JudgedImplementation &candidate : one.candidates)
            if (candidate.state != OfferState::NotValid) ++count;
    return count;
}

DecisionModel::DecisionModel(const Theme &theme, QObject *parent)
    : TableModel(
          tableColumns({tr("Node"), tr("Operator"), tr("Implementation"), tr("Offers"), tr("Because")}, {OffersColumn}),
          parent),
      m_theme(theme) {}

void DecisionModel::show(NetworkKernelsPtr kernels) {
    if (kernels == m_kernels) return;
    beginResetModel();
    m_kernels = std::move(kernels);
    m_sources.clear();
    if (m_kernels && !m_kernels->decisions.empty()) m_sources = sourcesByNode(*m_kernels->function);
    endResetModel();
}

const Decision *DecisionModel::decision(int row) const {
    return row >= 0 && row < rowCount() ? &m_kernels->decisions[static_cast<size_t>(row)] : nullptr;
}

/// A node that was written in several parts may be gone under its name: then it stands for itself.
std::set<std::string> DecisionModel::sourcesOf(int row) const {
    const Decision *of = decision(row);
    if (of == nullptr) return {};
    const auto found = m_sources.find(of->node);
    return found == m_sources.end() ? std::set<std::string>{of->node} : found->second;
}

int DecisionModel::rowOf(const std::set<std::string> &sources) const {
    for (int row = 0; row < rowCount(); ++row)
        if (meet(sourcesOf(row), sources)) return row;
    return -1;
}

int DecisionModel::rowsShown() const { return !m_kernels ? 0 : static_cast<int>(m_kernels->decisions.size()); }

QString DecisionModel::text(const Decision &decision, int column) const {
    switch (column) {
    case NodeColumn:
        return qt(decision.node);
    case OperatorColumn:
        return qt(decision.op);
    case ChosenColumn:
        return qt(decision.dispatchText()) + (decision.pinned ? tr(" (pinned)") : QString());
    case OffersColumn:
        return QString::number(offered(decision));
    default:
        return qt(decision.because);
    }
}

QVariant DecisionModel::data(const QModelIndex &index, int role) const {
    const Decision *of = decision(index.row());
    if (of == nullptr) return {};
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return text(*of, index.column());
    case Qt::TextAlignmentRole:
        return sideOf(index.column());
    case Qt::ForegroundRole: // most nodes have no choice
        return offered(*of) > 1 || of->pinned ? QVariant() : m_theme.color(Role::QuietText);
    default:
        return {};
    }
}

} // namespace loopscope
