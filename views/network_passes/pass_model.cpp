#include "views/network_passes/pass_model.h"

#include "views/session/text.h"

namespace loopscope {

PassModel::PassModel(const Theme &theme, QObject *parent)
    : TableModel(tableColumns({tr("Pass"), tr("What it did"), tr("Nodes"), tr("Change"), tr("Constants"), tr("Time")},
                              {Nodes, Difference, Bytes, Time}),
                 parent),
      m_theme(theme) {}

void PassModel::show(NetworkKernelsPtr kernels) {
    if (kernels == m_kernels) return;
    beginResetModel();
    m_kernels = std::move(kernels);
    m_rows.clear();
    if (m_kernels) {
        m_rows.emplace_back();
        // A pass may stand in the list twice: its events follow one another, and only one that changed something has
        // any.
        size_t event = 0, form = 0;
        const auto &events = m_kernels->report.events;
        for (const PassRow &pass : m_kernels->report.rows) {
            Row row;
            row.firstEvent = event;
            if (pass.state == PassState::Changed) {
                while (event < events.size() && events[event].pass == pass.name) ++event;
                if (form + 1 < m_kernels->forms.size() && m_kernels->forms[form + 1].pass == qt(pass.name)) ++form;
            }
            row.events = event - row.firstEvent;
            row.form = static_cast<int>(form);
            m_rows.push_back(row);
        }
    }
    endResetModel();
}

int PassModel::formOf(int row) const { return m_rows[static_cast<size_t>(row)].form; }

int PassModel::rowOf(int form) const {
    for (size_t i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].form == form) return static_cast<int>(i);
    return -1;
}

std::vector<PassEvent> PassModel::eventsOf(int row) const {
    const Row &of = m_rows[static_cast<size_t>(row)];
    const auto begin = m_kernels->report.events.begin() + static_cast<ptrdiff_t>(of.firstEvent);
    return {begin, begin + static_cast<ptrdiff_t>(of.events)};
}

const PassRow *PassModel::passOf(int row) const {
    return row == 0 ? nullptr : &m_kernels->report.rows[static_cast<size_t>(row) - 1];
}

int PassModel::rowsShown() const { return static_cast<int>(m_rows.size()); }

QString PassModel::text(int row, int column) const {
    const PassRow *pass = passOf(row);
    if (pass == nullptr) {
        if (column == Pass) return tr("as in the file");
        if (column == Nodes) return QString::number(m_kernels->forms.front().function->nodeCount());
        return {};
    }
    const bool ran = pass->state == PassState::Changed || pass->state == PassState::Unchanged;
    const auto nodes = static_cast<qint64>(pass->nodesAfter) - static_cast<qint64>(pass->nodesBefore);
    switch (column) {
    case Pass:
        return QString(static_cast<qsizetype>(pass->depth > 1 ? 2 * (pass->depth - 1) : 0), u' ') + qt(pass->name);
    case What:
        switch (pass->state) {
        case PassState::Changed:
            return tr("changed it");
        case PassState::Unchanged:
            return tr("nothing to do");
        case PassState::Skipped:
            return pass->why.empty() ? tr("left out") : tr("left out: %1").arg(qt(pass->why));
        case PassState::Refused:
            return tr("refused: %1").arg(qt(pass->why));
        }
        return {};
    case Nodes:
        return ran ? QString::number(pass->nodesAfter) : QString();
    case Difference:
        return nodes == 0  ? QString()
               : nodes > 0 ? QStringLiteral("+%1").arg(nodes)
                           : QStringLiteral("\u2212%1").arg(-nodes);
    case Bytes:
        return ran ? bytesText(static_cast<int64_t>(pass->bytesAfter)) : QString();
    case Time:
        return ran ? timeText(pass->seconds) : QString();
    default:
        return {};
    }
}

QVariant PassModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const PassRow *pass = passOf(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(index.row(), index.column());
    case Qt::TextAlignmentRole:
        return sideOf(index.column());
    case Qt::ForegroundRole:
        if (pass != nullptr && pass->state == PassState::Refused) return m_theme.color(Role::Bad);
        if (pass != nullptr && pass->state != PassState::Changed) return m_theme.color(Role::QuietText);
        return {};
    case Qt::ToolTipRole:
        return pass != nullptr ? tr("%1: %2 nodes before, %3 after; %4 of constants before, %5 after")
                                     .arg(qt(pass->name))
                                     .arg(pass->nodesBefore)
                                     .arg(pass->nodesAfter)
                                     .arg(bytesText(static_cast<int64_t>(pass->bytesBefore)),
                                          bytesText(static_cast<int64_t>(pass->bytesAfter)))
                               : QVariant();
    default:
        return {};
    }
}

} // namespace loopscope
