#pragma once
// The tasks of a comparison as a table: of the base and one of the other logs, best against best.

#include "records/logs/log_diff.h"
#include "views/settings/theme.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <vector>

namespace loopscope {

/// What a task of a comparison is called in a line, in this table as in that of its log.
QString diffTaskName(const MatchedTask &task);
/// "better", "only in A", ..., by the letters of the logs.
QString diffVerdictText(DiffVerdict verdict, size_t other);

class DiffTaskModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Name, BestFirst, BestOther, Ratio, Verdict, RecordsFirst, RecordsOther, Weight, Key, ColumnCount };
    enum DataRole { SortRole = Qt::UserRole, TaskRole };

    DiffTaskModel(const Theme &theme, QObject *parent);

    /// Null: none. `other`: of its logs, from 1. Tasks that only further logs have are left out.
    void show(const LogDiff *diff, size_t other);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    struct Side {
        bool there = false;
        double seconds = 0; // of the best; +inf: none is valid
        size_t records = 0;
        size_t failures = 0;
    };
    struct Row {
        int task = 0; // its number in the comparison
        QString name;
        QString key;
        QString tip;
        Side first;
        Side other;
        std::optional<double> ratio;
        DiffVerdict verdict = DiffVerdict::NoneValid;
        double weight = 1;
    };
    [[nodiscard]] QString text(const Row &row, int column) const;
    [[nodiscard]] static QVariant sortValue(const Row &row, int column); // none: behind all others
    [[nodiscard]] QVariant colour(const Row &row, int column) const;

    const Theme &m_theme;
    size_t m_other = 1;
    std::vector<Row> m_rows;
};

/// By any column; what has no value there comes last, whichever way round.
class DiffTaskOrder : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    explicit DiffTaskOrder(QObject *parent);

  protected:
    [[nodiscard]] bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;
};

} // namespace loopscope
