#include "views/loops/storage_model.h"

#include "views/loops/loop_tree_delegate.h"
#include "views/session/text.h"

#include <QLocale>

namespace loopscope {

StorageModel::StorageModel(Theme &theme, QObject *parent)
    : TableModel(tableColumns({QStringLiteral("Buffer"), QStringLiteral("Memory"), QStringLiteral("Shape"),
                               QStringLiteral("Size"), QStringLiteral("Fits in"), QStringLiteral("Where")},
                              {BytesColumn}),
                 parent),
      m_theme(theme) {}

void StorageModel::setFacts(std::vector<StorageFact> facts) {
    beginResetModel();
    m_facts = std::move(facts);
    endResetModel();
}

void StorageModel::setMarkedStage(const QString &stage) {
    if (m_stage == stage) return;
    m_stage = stage;
    if (!m_facts.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {Qt::BackgroundRole});
}

int StorageModel::rowsShown() const { return static_cast<int>(m_facts.size()); }

QVariant StorageModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid()) return {};
    const StorageFact &fact = m_facts[static_cast<size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case BufferColumn:
            return fact.buffer;
        case MemoryColumn:
            return scopeText(fact.scope);
        case ShapeColumn:
            return fact.shape + u' ' + fact.type;
        case BytesColumn:
            return bytesText(fact.bytes);
        case FitsColumn:
            return fact.fits;
        case WithinColumn:
            return fact.within.isEmpty() ? fact.note : QStringLiteral("inside ") + fact.within;
        default:
            return {};
        }
    case Qt::ToolTipRole:
        return QStringLiteral("%1 of stage %2: %3 bytes in %4 memory%5")
                   .arg(fact.buffer, fact.stage.isEmpty() ? QStringLiteral("none") : fact.stage,
                        QLocale(QLocale::English).toString(static_cast<qlonglong>(fact.bytes)), scopeText(fact.scope),
                        fact.note.isEmpty() ? QString() : QStringLiteral("; ") + fact.note) +
               (fact.tip.isEmpty() ? QString() : u'\n' + fact.tip);
    case Qt::FontRole:
        return index.column() == BufferColumn || index.column() == ShapeColumn || index.column() == BytesColumn
                   ? QVariant(m_theme.codeFont())
                   : QVariant();
    case Qt::ForegroundRole:
        if (index.column() == FitsColumn && fact.fits == QLatin1String("memory")) return m_theme.color(Role::Warning);
        if (index.column() == MemoryColumn && memoryRole(fact.scope) != Role::QuietText)
            return m_theme.color(memoryRole(fact.scope));
        return m_theme.color(Role::Text);
    case Qt::BackgroundRole:
        return !m_stage.isEmpty() && fact.stage == m_stage ? QVariant(m_theme.color(Role::Highlight)) : QVariant();
    case Qt::TextAlignmentRole:
        return sideOf(index.column());
    default:
        return {};
    }
}

} // namespace loopscope
