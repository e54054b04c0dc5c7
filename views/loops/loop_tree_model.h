#pragma once
// Looks into a LoopTree. Changing the tree is one reset; nothing is copied, so a program of many thousand unrolled rows
// costs no more than a small one.
//
// Marks say which rows stand for what is selected somewhere. There may be thousands and they change with every click,
// so they are no matter for dataChanged: `marksChanged` asks for one repaint of what is seen. So does what is learnt
// late of the rows, the reasons.

#include "views/loops/loop_reasons.h"
#include "views/loops/loop_tree.h"
#include "views/loops/step_lines.h"

#include <QAbstractItemModel>

namespace loopscope {

class LoopTreeModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Column {
        LoopColumn,
        ExtentColumn,
        TotalColumn,
        BoundColumn, // what bounds it, by the analytic estimate
        ScoreColumn, // what it adds to the model's score
        StageColumn,
        StorageColumn,
        ColumnCount
    };
    enum Role {
        RowRole = Qt::UserRole, // int: row of the tree
        MarkRole,               // bool: selected somewhere, or concerned by what is selected
        FoundRole,              // bool: the find line matches it
    };
    using QAbstractItemModel::QAbstractItemModel;

    void setTree(LoopTreePtr tree);
    /// By row of the tree; empty: not known. Another tree has none.
    void setReasons(std::vector<RowReason> reasons);
    [[nodiscard]] const RowReason *reasonOf(const QModelIndex &index) const; // null where nothing is known
    [[nodiscard]] const LoopTreePtr &tree() const { return m_tree; }
    [[nodiscard]] const LoopRow *rowAt(const QModelIndex &index) const; // null for none
    [[nodiscard]] QModelIndex indexOf(int row, int column = 0) const;

    /// Rows of a stage (iterator empty), of an iterator of it, or of all iterators over an axis of the op.
    [[nodiscard]] std::vector<int> rowsOf(const QString &stage, const QString &iterator) const;
    [[nodiscard]] std::vector<int> rowsOf(const std::vector<LoopTarget> &targets) const;
    void setMarks(const std::vector<int> &rows);
    [[nodiscard]] const std::vector<int> &marks() const { return m_marks; }
    /// Rows whose text, stage or storage contains it, whatever the case; remembered for FoundRole.
    std::vector<int> find(const QString &text);

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex &child) const override;
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  signals:
    void marksChanged();

  private:
    [[nodiscard]] QString cellText(const LoopRow &row, const QModelIndex &index) const;
    [[nodiscard]] const std::vector<int> &childrenOf(const QModelIndex &parent) const;
    LoopTreePtr m_tree;
    std::vector<RowReason> m_reasons;
    std::vector<int> m_marks; // ascending
    std::vector<bool> m_marked;
    std::vector<bool> m_found;
};

} // namespace loopscope
