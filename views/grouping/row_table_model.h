#pragma once
// A table of texts and numbers that sorts by any column: merges, candidates, tiles and regions are such. What stands in
// it is made by pure functions (views/grouping/grouping_rows.h).

#include "views/settings/theme.h"

#include <QAbstractTableModel>
#include <QStringList>
#include <QVariant>

#include <vector>

namespace loopscope {

struct TableCell {
    QString text;
    QVariant key; // it is sorted by; invalid: the text
};

struct TableRow {
    int number = 0; // of what it stands for
    std::vector<TableCell> cells;
    bool marked = false; // the one chosen
    bool quiet = false;  // cannot be chosen
    int colour = -1;     // of the group, Theme::series
    QString tip;
};

struct TableContent {
    QStringList columns;
    std::vector<TableRow> rows;
};

class RowTableModel final : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit RowTableModel(const Theme &theme, QObject *parent = nullptr);

    /// In the order it is sorted by.
    void setContent(TableContent content);
    [[nodiscard]] int numberAt(int row) const; // -1: no such row
    [[nodiscard]] int rowOf(int number) const; // -1: not there

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;
    /// Column -1: as the content has it.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

  private:
    [[nodiscard]] std::vector<size_t> sorted() const;

    const Theme &m_theme;
    TableContent m_content;
    std::vector<size_t> m_order;
    int m_column = -1;
    Qt::SortOrder m_direction = Qt::AscendingOrder;
};

} // namespace loopscope
