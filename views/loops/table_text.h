#pragma once
// Rows of an item model as text for the clipboard and for files: tabs between the cells, or commas with quotes.

#include "views/session/table_field.h"

#include <QModelIndexList>
#include <QString>

class QAbstractItemModel;

namespace loopscope {

/// The given rows (any column stands for its row), with a line of column names first.
QString tableText(const QAbstractItemModel &model, const QModelIndexList &rows, TableFormat format);

} // namespace loopscope
