#pragma once
// What differs between two forms of a network as a table, a node or a constant a row.

#include "views/network_passes/form_diff.h"
#include "views/settings/theme.h"

#include <QAbstractTableModel>

namespace loopscope {

class FormDiffModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { What, Name, Before, After, ColumnCount };

    explicit FormDiffModel(const Theme &theme, QObject *parent = nullptr)
        : QAbstractTableModel(parent), m_theme(theme) {}

    void show(FormDiff diff);
    [[nodiscard]] const FormDiff &diff() const { return m_diff; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    const Theme &m_theme;
    FormDiff m_diff;
};

} // namespace loopscope
