#include "views/logs/log_table.h"

#include "views/actions/row_table.h"
#include "views/session/table_field.h"

#include <QHeaderView>
#include <QPainter>
#include <QScrollBar>

namespace loopscope {

void LogTable::setEmptyText(const QString &text) {
    m_emptyText = text;
    setAccessibleDescription(text);
    viewport()->update();
}

void LogTable::scrollTo(const QModelIndex &index, ScrollHint hint) {
    const int sideways = horizontalScrollBar()->value();
    QTableView::scrollTo(index, hint);
    const int left = columnViewportPosition(index.column());
    const int before = left + horizontalScrollBar()->value() - sideways;
    if (before >= 0 && before < viewport()->width()) horizontalScrollBar()->setValue(sideways); // it was in sight
}

void LogTable::paintEvent(QPaintEvent *event) {
    QTableView::paintEvent(event);
    if (m_emptyText.isEmpty() || (model() != nullptr && model()->rowCount() > 0)) return;
    QPainter painter(viewport());
    painter.setPen(palette().color(QPalette::PlaceholderText));
    const int margin = fontMetrics().height();
    painter.drawText(viewport()->rect().adjusted(margin, margin, -margin, -margin), Qt::AlignCenter | Qt::TextWordWrap,
                     m_emptyText);
}

LogTable *newLogTable(QAbstractItemModel *model, const QString &name, const QString &title, QWidget *parent) {
    auto *table = new LogTable(parent);
    table->setObjectName(name);
    table->setAccessibleName(title);
    table->setModel(model);
    makeRowTable(*table, RowSelection::Several);
    table->horizontalHeader()->setResizeContentsPrecision(40); // rows looked at for the width of a column
    table->horizontalHeader()->setSectionsMovable(true);
    return table;
}

QString selectedRowsText(const QTableView &table) {
    const QAbstractItemModel &model = *table.model();
    QStringList lines;
    QStringList cells;
    for (int c = 0; c < model.columnCount(); ++c)
        cells << tableField(model.headerData(c, Qt::Horizontal).toString(), TableFormat::Tsv);
    lines << cells.join(u'\t');
    for (const QModelIndex &row : table.selectionModel()->selectedRows()) {
        cells.clear();
        for (int c = 0; c < model.columnCount(); ++c)
            cells << tableField(row.siblingAtColumn(c).data().toString(), TableFormat::Tsv);
        lines << cells.join(u'\t');
    }
    return lines.join(u'\n') + u'\n';
}

} // namespace loopscope
