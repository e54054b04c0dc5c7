#pragma once
// Rows of an item model as text for the clipboard and for files: tabs between the cells, or commas with quotes.

#include <QModelIndexList>
#include <QString>

class QAbstractItemModel;

namespace loopscope {

enum class TableFormat : uint8_t { Tsv, Csv };

/// The given rows (any column stands for its row), with a line of column names first. Cells with tabs, commas, quotes
/// or line breaks are quoted as CSV wants it, or flattened to blanks in TSV.
QString tableText(const QAbstractItemModel &model, const QModelIndexList &rows, TableFormat format);

} // namespace loopscope
