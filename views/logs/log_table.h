#pragma once
// What the tables of the Logs view have in common: their looks, and their rows as text.

#include <QString>

class QAbstractItemModel;
class QTableView;
class QWidget;

namespace loopscope {

class RecordModel;

QTableView *newLogTable(QAbstractItemModel *model, const QString &name, const QString &title, QWidget *parent);
/// The selected rows as tab separated lines, a line with the names of the columns first.
QString selectedRowsText(const QTableView &table);
/// All rows in full precision; the suffix decides, ".tsv" or else commas. Empty on success, else a sentence.
QString writeRecords(const RecordModel &model, const QString &path);

} // namespace loopscope
