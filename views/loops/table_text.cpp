#include "views/loops/table_text.h"

#include <QAbstractItemModel>

namespace loopscope {

QString tableText(const QAbstractItemModel &model, const QModelIndexList &rows, TableFormat format) {
    const QChar separator = tableSeparator(format);
    const int columns = model.columnCount();
    QStringList cells;
    for (int c = 0; c < columns; ++c) cells << tableField(model.headerData(c, Qt::Horizontal).toString(), format);
    QString text = cells.join(separator) + u'\n';
    for (const QModelIndex &row : rows) {
        cells.clear();
        for (int c = 0; c < columns; ++c)
            cells << tableField(row.sibling(row.row(), c).data(Qt::DisplayRole).toString(), format);
        text += cells.join(separator) + u'\n';
    }
    return text;
}

} // namespace loopscope
