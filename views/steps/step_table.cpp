#include "views/steps/step_table.h"

#include "views/steps/edited_step_model.h"

#include <QHeaderView>
#include <QScrollBar>
#include <QTableView>

#include <algorithm>

namespace loopscope {

namespace {

/// Its rows follow the selection; its columns stay where the user has them.
class StepTable final : public QTableView {
  public:
    using QTableView::QTableView;
    void scrollTo(const QModelIndex &index, ScrollHint hint = EnsureVisible) override {
        const int across = horizontalScrollBar()->value();
        QTableView::scrollTo(index, hint);
        horizontalScrollBar()->setValue(across);
    }
};

} // namespace

QTableView *makeStepTable(EditedStepModel &model, QWidget *parent) {
    auto *table = new StepTable(parent);
    table->setModel(&model);
    table->setAccessibleName(QObject::tr("Steps to edit"));
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table->setDragDropMode(QAbstractItemView::InternalMove);
    table->setDragDropOverwriteMode(false);
    table->setDropIndicatorShown(true);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

void fitStepTable(QTableView &table) {
    table.resizeColumnsToContents();
    const int digit = table.fontMetrics().averageCharWidth();
    const int most = std::max(digit * 30, table.viewport()->width() / 2);
    for (const int column : {EditedStepModel::WordsColumn, EditedStepModel::ScriptColumn})
        table.setColumnWidth(column, std::clamp(table.columnWidth(column), digit * 16, most));
}

} // namespace loopscope
