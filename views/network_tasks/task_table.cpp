#include "views/network_tasks/task_table.h"

#include "views/actions/row_table.h"

#include <QHeaderView>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace loopscope {

TaskRows::TaskRows(NetworkTaskModel &model, QObject *parent) : QSortFilterProxyModel(parent), m_model(model) {
    setSourceModel(&model);
    setSortRole(NetworkTaskModel::SortRole);
}

void TaskRows::setAll(bool all) {
    m_all = all;
    invalidateFilter();
}

void TaskRows::setWords(const QString &words) {
    m_words = words.split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

bool TaskRows::filterAcceptsRow(int row, const QModelIndex & /*parent*/) const {
    if (!m_all && !m_model.searchable(row)) return false;
    const QString text = m_model.index(row, NetworkTaskModel::Name).data().toString() + u'\n' +
                         m_model.index(row, NetworkTaskModel::Key).data().toString();
    return std::ranges::all_of(m_words, [&](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
}

void TaskTable::setEmptyText(const QString &text) {
    m_emptyText = text;
    setAccessibleDescription(text);
    viewport()->update();
}

void TaskTable::scrollTo(const QModelIndex &index, ScrollHint hint) {
    const int sideways = horizontalScrollBar()->value();
    QTableView::scrollTo(index, hint);
    horizontalScrollBar()->setValue(sideways);
}

void TaskTable::paintEvent(QPaintEvent *event) {
    QTableView::paintEvent(event);
    if (m_emptyText.isEmpty() || (model() != nullptr && model()->rowCount() > 0)) return;
    QPainter painter(viewport());
    painter.setPen(palette().color(QPalette::PlaceholderText));
    const int margin = fontMetrics().height();
    painter.drawText(viewport()->rect().adjusted(margin, margin, -margin, -margin), Qt::AlignCenter | Qt::TextWordWrap,
                     m_emptyText);
}

TaskTable *newTaskTable(QAbstractItemModel &model, QWidget *parent) {
    auto *table = new TaskTable(parent);
    table->setObjectName(QStringLiteral("network_tasks"));
    table->setAccessibleName(TaskTable::tr("Tasks of the network"));
    table->setModel(&model);
    makeRowTable(*table, RowSelection::Several);
    table->setSortingEnabled(true);
    table->sortByColumn(NetworkTaskModel::Number, Qt::AscendingOrder);
    table->horizontalHeader()->setSectionsMovable(true);
    return table;
}

} // namespace loopscope
