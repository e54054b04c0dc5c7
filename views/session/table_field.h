#pragma once
// A cell of a table as text for the clipboard and for files: tabs between the cells, or commas with quotes.

#include <QString>

namespace loopscope {

enum class TableFormat : uint8_t { Tsv, Csv };

/// Cells with commas, quotes or line breaks are quoted as RFC 4180 wants it; in TSV tabs and breaks become blanks.
QString tableField(QString text, TableFormat format);
inline QChar tableSeparator(TableFormat format) { return format == TableFormat::Tsv ? u'\t' : u','; }

} // namespace loopscope
