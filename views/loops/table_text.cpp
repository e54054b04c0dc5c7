#include "views/loops/table_text.h"

#include <QAbstractItemModel>

namespace loopscope {

namespace {

QString cellText(QString text, TableFormat format) {
    if (format == TableFormat::Tsv) return text.replace(u'\t', u' ').replace(u'\n', u' ');
    if (!text.contains(u',') && !text.contains(u'"') && !text.contains(u'\n')) return text;
    return u'"' + text.replace(u'"', QStringLiteral("\"\"")) + u'"';
}

} // namespace

QString tableText(const QAbstractItemModel &model, const QModelIndexList &rows, TableFormat format) {
    const QChar separator = format == TableFormat::Tsv ? u'\t' : u',';
    const int columns = model.columnCount();
    QStringList cells;
    for (int c = 0; c < columns; ++c) cells << cellText(model.headerData(c, Qt::Horizontal).toString(), format);
    QString text = cells.join(separator) + u'\n';
    for (const QModelIndex &row : rows) {
        cells.clear();
        for (int c = 0; c < columns; ++c)
            cells << cellText(row.sibling(row.row(), c).data(Qt::DisplayRole).toString(), format);
        text += cells.join(separator) + u'\n';
    }
    return text;
}

} // namespace loopscope
