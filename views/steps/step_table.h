#pragma once
// The table of steps as the steps view has it: rows are chosen and dragged between others.

class QTableView;
class QWidget;

namespace loopscope {

class EditedStepModel;

QTableView *makeStepTable(EditedStepModel &model, QWidget *parent);
/// Columns as wide as what is in them, the words not wider than half of the table.
void fitStepTable(QTableView &table);

} // namespace loopscope
