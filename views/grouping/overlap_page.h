#pragma once
// The picture of one tile with the choice of its axes and of the tile, and its regions as a table.

#include "views/grouping/grouping_rows.h"
#include "views/grouping/overlap_picture.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QSplitter;
class QTreeView;

namespace loopscope {

class ElidedLabel;

class OverlapPage final : public QWidget {
    Q_OBJECT

  public:
    explicit OverlapPage(const Theme &theme, QWidget *parent = nullptr);

    void showTile(const ShownGroupingPtr &result, std::shared_ptr<const OverlappedTile> tile, int output);
    void clear();
    void setSelected(int buffer);

    [[nodiscard]] OverlapPicture &picture() const { return *m_picture; }
    [[nodiscard]] QTreeView &table() const { return *m_table; }
    [[nodiscard]] RowTableModel &model() const { return *m_model; }
    [[nodiscard]] QComboBox &across() const { return *m_across; }
    [[nodiscard]] QComboBox &down() const { return *m_down; }
    [[nodiscard]] QCheckBox &magnify() const { return *m_magnify; }
    [[nodiscard]] QString headline() const;

  signals:
    void stageChosen(int buffer);

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    [[nodiscard]] int axisDown() const; // -1: the output has one axis
    void chooseAxes();
    void showRegions();

    QWidget *m_bar;
    QComboBox *m_across;
    QComboBox *m_down;
    QCheckBox *m_magnify;
    ElidedLabel *m_headline;
    QSplitter *m_splitter;
    OverlapPicture *m_picture;
    QTreeView *m_table;
    RowTableModel *m_model;
    int m_output = -1;
    DagPtr m_dag;
    bool m_filling = false;
    ShownGroupingPtr m_result;
    std::shared_ptr<const OverlappedTile> m_tile;
    int m_selected = -1;
};

/// A table as all of the view's: sortable, one row at a time.
QTreeView *makeTable(const QString &name, RowTableModel &model, QWidget *parent);

} // namespace loopscope
