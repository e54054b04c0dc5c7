#pragma once
// The tree of edits as an item model: what each edit did, its name, what it is predicted and measured to be worth, how
// its time stands to the baseline's, when it was made, its note. Names and notes are written in place.

#include "views/edits/edit_rows.h"
#include "views/session/edited_schedules.h"
#include "views/session/hand_measuring.h"
#include "views/settings/theme.h"

#include <QAbstractItemModel>

namespace loopscope {

class EditTreeModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Column {
        DidColumn,
        NameColumn,
        PredictedColumn,
        MeasuredColumn,
        AgainstColumn,
        MadeColumn,
        NoteColumn,
        ColumnCount
    };
    enum Role { ShownRole = Qt::UserRole }; // bool: it is the schedule shown

    EditTreeModel(EditedSchedules &edits, const HandMeasuring &measuring, const Theme &theme,
                  QObject *parent = nullptr);

    /// What the task shown has now; null: no task. One reset when nodes came or went, else the cells alone.
    void refresh(const TaskState *state);
    /// Which of them is shown; -1: another schedule.
    void setShown(int node);
    [[nodiscard]] int nodeAt(const QModelIndex &index) const; // -1: none
    [[nodiscard]] QModelIndex indexOf(int node, int column = DidColumn) const;
    [[nodiscard]] const EditRow *rowAt(const QModelIndex &index) const;
    [[nodiscard]] const EditRows &rows() const { return m_rows; }
    /// Numbers of the node and of all that was made from it.
    [[nodiscard]] std::vector<int> branch(int node) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex &child) const override;
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role = Qt::EditRole) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] const EditNode *node(const QModelIndex &index) const;
    [[nodiscard]] QString text(const EditNode &node, int number, int column) const;
    [[nodiscard]] QString written(int number) const;
    void takeBaseline(const TaskState *state);
    [[nodiscard]] QString tip(const EditNode &node, int number, int column) const;

    [[nodiscard]] QString standing(int number) const; // whether it is being measured, or waits

    EditedSchedules &m_edits;
    const HandMeasuring &m_measuring;
    const Theme &m_theme;
    int m_task = -1;
    EditRows m_rows;
    struct Against {
        QString change;
        QString tip;
    };
    std::vector<Against> m_against; // the baseline, by node
    std::vector<QString> m_written; // names, pins and notes, by row: as they were told last
    int m_shown = -1;
};

} // namespace loopscope
