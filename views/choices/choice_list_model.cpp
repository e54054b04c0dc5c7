#include "views/choices/choice_list_model.h"

#include "views/session/text.h"

#include <cmath>

namespace loopscope {

void ChoiceListModel::setChoices(const WeighedChoicesPtr &choices, const Shown &shown) {
    beginResetModel();
    m_choices = choices;
    m_shown = shown;
    endResetModel();
}

int ChoiceListModel::choiceAt(int row) const {
    return m_choices && row >= 0 && static_cast<size_t>(row) < m_choices->order.size()
               ? m_choices->order[static_cast<size_t>(row)]
               : -1;
}

int ChoiceListModel::rowOf(const QString &name) const {
    for (int row = 0; row < rowCount(); ++row)
        if (data(index(row, Name)).toString() == name) return row;
    return -1;
}

int ChoiceListModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() || !m_choices ? 0 : static_cast<int>(m_choices->order.size());
}

int ChoiceListModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant ChoiceListModel::data(const QModelIndex &index, int role) const {
    const int number = choiceAt(index.row());
    if (number < 0 || !index.isValid()) return {};
    const Choice &choice = m_choices->table.choices[static_cast<size_t>(number)];
    const double share = m_choices->share(number);
    if (role == kShareRole && index.column() == Weight) {
        const double most = m_choices->share(m_choices->order.front());
        return std::isnan(share) || most <= 0 ? QVariant() : QVariant(share / most);
    }
    if (role == Qt::TextAlignmentRole && index.column() == Weight)
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && index.column() == Weight && !std::isnan(share))
        return tr("%1 of what a model attributes to all choices, over the valid trials").arg(percentText(share));
    if (role == Qt::ToolTipRole) return data(index, Qt::DisplayRole);
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
    case Name:
        return qt(choice.name);
    case Weight:
        return std::isnan(share) ? QString() : percentText(share);
    case OfBest:
        return valueOf(number, m_shown.best);
    case OfBaseline:
        return valueOf(number, m_shown.baseline);
    default:
        return {};
    }
}

QString ChoiceListModel::valueOf(int choice, int trial) const {
    if (trial < 0 || static_cast<size_t>(trial) >= m_choices->trials) return {};
    const auto row = static_cast<size_t>(choice);
    return qt(m_choices->table.choices[row].valueText(m_choices->table.values[row][static_cast<size_t>(trial)]));
}

QVariant ChoiceListModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (section < 0 || section >= kColumns) return {};
    const QString against = m_shown.against.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(m_shown.against);
    const QStringList titles = {tr("Choice"), tr("Weight"), tr("Of the best") + against,
                                tr("Of trial %1").arg(m_shown.baseline + 1)};
    const QStringList tips = {
        tr("In what the trials differ: [0] is the outermost level of a tile"),
        tr("How much of the differences in time a model attributes to it (exact SHAP values of XGBoost)"),
        m_shown.against.isEmpty() ? tr("What the fastest trial chose")
                                  : tr("What the fastest trial chose, and its time against that of the baseline"),
        tr("What the baseline chose")};
    if (role == Qt::DisplayRole) return titles[section];
    if (role == Qt::ToolTipRole) return tips[section];
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section == Weight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

} // namespace loopscope
