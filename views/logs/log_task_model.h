#pragma once
// The tasks of a log as a table: what is computed, where, how many records, how many failed, and the best time.

#include "views/session/open_logs.h"
#include "views/settings/theme.h"

#include <QAbstractTableModel>

#include <functional>

namespace loopscope {

/// How a task is shown.
struct TaskTitle {
    QString name;
    QString why; // its workload is not known; empty when it is, or nobody has looked yet
};

class LogTaskModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Number, Name, Best, Records, Failed, Target, ColumnCount };
    enum DataRole { SortRole = Qt::UserRole, TaskRole };

    LogTaskModel(const Theme &theme, std::function<TaskTitle(const LogTask &)> title, QObject *parent);

    /// Null: none. The same log once more: its numbers, and the tasks it has gained.
    void show(const OpenLog *log);
    /// Names have become known.
    void retitle();

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    struct Row {
        LogTask task;
        int number = 0;  // in the log, from 0, as filters name it
        double best = 0; // seconds; +inf: none
    };
    [[nodiscard]] QString text(const Row &row, int column) const;
    [[nodiscard]] QVariant sortValue(const Row &row, int column) const;
    [[nodiscard]] QString tip(const Row &row) const;

    const Theme &m_theme;
    std::function<TaskTitle(const LogTask &)> m_title;
    int m_log = 0;
    std::vector<Row> m_rows;
};

} // namespace loopscope
