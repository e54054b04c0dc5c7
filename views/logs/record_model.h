#pragma once
// The records of a log as a table. A cell is made from the log's columns when it is looked at, so that a million
// records cost nothing here but their order, if they have one of their own.

#include "views/actions/table_model.h"
#include "views/logs/record_export.h"
#include "views/settings/theme.h"

namespace loopscope {

class RecordModel : public TableModel {
    Q_OBJECT

  public:
    enum Column {
        Line,
        Task,
        Time,
        OfBest,
        Spread,
        Repeats,
        Result,
        When,
        Steps,
        Structure,
        Pinned,
        Tags,
        Note,
        ColumnCount
    };

    RecordModel(const Theme &theme, QObject *parent);

    void show(const OpenLog *log, RecordOrder order);
    /// Records were added at its end, and stand at the end here, too.
    void grow();
    [[nodiscard]] bool inOrderOfLog() const { return !m_order; }
    /// Number in the log of the record in that row.
    [[nodiscard]] size_t recordAt(int row) const;
    [[nodiscard]] int rowOf(size_t record) const; // -1: not shown
    /// What is noted beside the log.
    void setNotes(NotedRecordsPtr notes);
    /// What is shown now.
    [[nodiscard]] RecordsToWrite toWrite() const;

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    [[nodiscard]] QString text(const LogRow &row, int column) const;
    [[nodiscard]] QString noteText(size_t record, int column) const;
    [[nodiscard]] double ofBest(const LogRow &row) const; // time over that of its task's best; 0: none

    const Theme &m_theme;
    const OpenLog *m_log = nullptr;
    RecordOrder m_order;
    NotedRecordsPtr m_notes = std::make_shared<const NotedRecords>();
    int m_rows = 0;
};

} // namespace loopscope
