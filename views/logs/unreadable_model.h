#pragma once
// The lines of a log that nobody can read, with the reason.

#include "views/session/open_logs.h"

#include <QAbstractTableModel>

namespace loopscope {

class UnreadableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Line, Reason, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void show(const OpenLog *log);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    std::vector<SkippedLine> m_lines;
};

} // namespace loopscope
