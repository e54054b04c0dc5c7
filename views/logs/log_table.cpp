#include "views/logs/log_table.h"

#include "views/logs/record_model.h"
#include "views/session/table_field.h"

#include <QHeaderView>
#include <QSaveFile>
#include <QTableView>

namespace loopscope {

QTableView *newLogTable(QAbstractItemModel *model, const QString &name, const QString &title, QWidget *parent) {
    auto *table = new QTableView(parent);
    table->setObjectName(name);
    table->setAccessibleName(title);
    table->setModel(model);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table->setTabKeyNavigation(false);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setFrameShape(QFrame::NoFrame);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed); // else each of a million is asked
    table->verticalHeader()->setDefaultSectionSize(parent->fontMetrics().height() + 6);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setSectionsMovable(true);
    table->horizontalHeader()->setStretchLastSection(true);
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

QString writeRecords(const RecordModel &model, const QString &path) {
    const TableFormat format =
        path.endsWith(QLatin1String(".tsv"), Qt::CaseInsensitive) ? TableFormat::Tsv : TableFormat::Csv;
    QSaveFile file(path);
    const auto problem = [&] { return QObject::tr("%1: cannot be written: %2").arg(path, file.errorString()); };
    if (!file.open(QIODevice::WriteOnly)) return problem();
    const auto line = [&](const auto &cell) {
        QStringList cells;
        for (int c = 0; c < RecordModel::ColumnCount; ++c) cells << tableField(cell(c), format);
        file.write((cells.join(tableSeparator(format)) + u'\n').toUtf8());
    };
    line([](int column) { return RecordModel::csvHeader(column); });
    for (int row = 0; row < model.rowCount(); ++row) line([&](int column) { return model.csv(row, column); });
    return file.commit() ? QString() : problem();
}

} // namespace loopscope
