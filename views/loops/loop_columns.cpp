#include "views/loops/loop_columns.h"

#include "views/loops/loop_tree_delegate.h"

#include <QAction>
#include <QEvent>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <QTreeView>

#include <algorithm>

namespace loopscope {

LoopColumns::LoopColumns(QTreeView &tree, const LoopTreeModel &model, const LoopTreeDelegate &delegate,
                         const Theme &theme, Settings &settings)
    : QObject(&tree), m_tree(tree), m_model(model), m_delegate(delegate), m_theme(theme), m_settings(settings) {
    m_tree.viewport()->installEventFilter(this);
    connect(m_tree.header(), &QHeaderView::sectionResized, this, [this](int section, int, int width) {
        if (m_stretching) return;
        if (section == 0) m_firstDragged = true;
        m_wanted[static_cast<size_t>(section)] = width;
    });
    addMenu();
}

void LoopColumns::addMenu() {
    QHeaderView *header = m_tree.header();
    header->setContextMenuPolicy(Qt::ActionsContextMenu);
    const QString key = QStringLiteral("loops/hiddenColumns");
    const QStringList hidden = m_settings.value(key).toStringList();
    for (int column = 1; column < LoopTreeModel::ColumnCount; ++column) {
        const QString name = loopColumnNames().at(column);
        auto *action = new QAction(name, header);
        action->setCheckable(true);
        action->setChecked(!hidden.contains(name));
        m_tree.setColumnHidden(column, hidden.contains(name));
        header->addAction(action);
        connect(action, &QAction::toggled, this, [this, column, key](bool on) {
            m_tree.setColumnHidden(column, !on);
            QStringList names;
            for (int c = 1; c < LoopTreeModel::ColumnCount; ++c)
                if (m_tree.isColumnHidden(c)) names << loopColumnNames().at(c);
            m_settings.setValue(key, names);
            stretch();
        });
    }
}

void LoopColumns::fit() {
    if (!m_model.tree()) return;
    const QFontMetrics plain(m_tree.font());
    const QFontMetrics code(m_theme.codeFont());
    const int most = plain.averageCharWidth() * 34;
    const std::vector<LoopRow> &rows = m_model.tree()->rows;
    for (int column = 1; column < LoopTreeModel::ColumnCount; ++column) {
        const QFontMetrics &metrics = column <= LoopTreeModel::TotalColumn ? code : plain;
        int width = plain.horizontalAdvance(loopColumnNames().at(column)) + 8;
        // Reasons come later; columns that change their widths then would jump.
        if (column == LoopTreeModel::BoundColumn)
            width = std::max(width, plain.horizontalAdvance(QStringLiteral("store instructions 00 %")));
        if (column == LoopTreeModel::ScoreColumn)
            width = std::max(width, code.horizontalAdvance(QStringLiteral("+0.000")));
        for (size_t r = 0; r < std::min<size_t>(rows.size(), 1000); ++r)
            width = std::max(width, metrics.horizontalAdvance(loopColumns(rows[r]).at(column)));
        m_wanted[static_cast<size_t>(column)] = std::min(width, most) + 20;
    }
    // Loops must be legible at any depth; statements may be cut, they have a tooltip.
    const int letter = code.averageCharWidth();
    int loops = letter * 20;
    int all = loops;
    for (size_t r = 0; r < std::min<size_t>(rows.size(), 1000); ++r) {
        const int indent = (rows[r].depth + 1) * m_tree.indentation();
        all = std::max(all, indent + m_delegate.contentWidth(rows[r]));
        if (rows[r].kind == RowKind::Loop)
            loops = std::max(loops, indent + std::min(m_delegate.contentWidth(rows[r]), letter * 28));
    }
    m_minFirst = std::min(loops, letter * 64);
    m_wanted[0] = std::max(m_minFirst, std::min(all, letter * 64));
    stretch();
}

/// The loops have the width there is. What is left of it the other columns share: those of words give way first, and
/// what does not fit even so lies to the right, behind a scroll bar.
void LoopColumns::stretch() {
    if (m_firstDragged || m_stretching) return;
    const QScopedValueRollback<bool> stretching(m_stretching, true);
    const int room = m_tree.viewport()->width();
    const int narrow = m_tree.fontMetrics().averageCharWidth() * 9;
    std::array<int, LoopTreeModel::ColumnCount> widths = m_wanted;
    int others = 0;
    for (int column = 1; column < LoopTreeModel::ColumnCount; ++column)
        if (!m_tree.isColumnHidden(column)) others += widths[static_cast<size_t>(column)];
    for (const int column : {LoopTreeModel::StorageColumn, LoopTreeModel::StageColumn}) {
        if (m_tree.isColumnHidden(column)) continue;
        int &width = widths[static_cast<size_t>(column)];
        const int given = std::clamp(m_wanted[0] + others - room, 0, std::max(0, width - narrow));
        width -= given;
        others -= given;
    }
    // From the right, columns leave the sight until the loops are legible.
    int beside = others;
    for (int column = LoopTreeModel::ColumnCount - 1; column >= 1 && room - beside < m_minFirst; --column)
        if (!m_tree.isColumnHidden(column)) beside -= widths[static_cast<size_t>(column)];
    widths[0] = std::max(room - beside, m_tree.header()->minimumSectionSize());
    for (int column = 0; column < LoopTreeModel::ColumnCount; ++column)
        if (!m_tree.isColumnHidden(column)) m_tree.header()->resizeSection(column, widths[static_cast<size_t>(column)]);
}

bool LoopColumns::eventFilter(QObject *watched, QEvent *event) {
    // Only the viewport is watched. It has events while the tree is being destroyed, too, which is no tree then.
    if (event->type() == QEvent::Resize) stretch();
    return QObject::eventFilter(watched, event);
}

} // namespace loopscope
