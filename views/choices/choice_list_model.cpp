#include "views/choices/choice_list_model.h"

#include "views/session/text.h"

#include <cmath>

namespace loopscope {

void ChoiceListModel::setChoices(const WeighedChoicesPtr &choices, int best) {
    beginResetModel();
    m_choices = choices;
    m_best = best;
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
        if (m_best < 0 || static_cast<size_t>(m_best) >= m_choices->trials) return {};
        return qt(choice.valueText(m_choices->table.values[static_cast<size_t>(number)][static_cast<size_t>(m_best)]));
    default:
        return {};
    }
}

QVariant ChoiceListModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    static const QString kTitles[] = {tr("Choice"), tr("Weight"), tr("Of the best")};
    static const QString kTips[] = {
        tr("In what the trials differ: [0] is the outermost level of a tile"),
        tr("How much of the differences in time a model attributes to it (exact SHAP values of XGBoost)"),
        tr("What the fastest trial chose")};
    if (section < 0 || section >= kColumns) return {};
    if (role == Qt::DisplayRole) return kTitles[section];
    if (role == Qt::ToolTipRole) return kTips[section];
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section == Weight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

} // namespace loopscope
