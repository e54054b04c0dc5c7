#include "views/network_profile/profile_tree_model.h"

#include "views/network_profile/layer_path.h"
#include "views/session/layer_names.h"
#include "views/session/text.h"

#include <algorithm>
#include <array>

namespace loopscope {

/// While it is built: levels and kernels in the order in which they first run.
struct ProfileTreeModel::Level {
    QString name;
    int row = -1; // of a kernel
    std::vector<std::unique_ptr<Level>> inside;
    std::map<std::string, Level *> levels; // those of `inside` that are levels

    Level &level(const std::string &part) {
        Level *&known = levels[part];
        if (known == nullptr) {
            inside.push_back(std::make_unique<Level>());
            known = inside.back().get();
            known->name = qt(part);
        }
        return *known;
    }
};

ProfileTreeModel::ProfileTreeModel(const ProfileModel &kernels, QObject *parent)
    : QAbstractItemModel(parent), m_kernels(kernels) {
    connect(&m_kernels, &QAbstractItemModel::modelAboutToBeReset, this, [this] { beginResetModel(); });
    connect(&m_kernels, &QAbstractItemModel::modelReset, this, [this] {
        build();
        endResetModel();
    });
    build();
}

void ProfileTreeModel::build() {
    Level root;
    std::map<std::string, std::string> layers;
    if (m_kernels.rowCount() > 0) layers = layerNames(*m_kernels.profile()->kernels->forms.front().function);
    for (int row = 0; row < m_kernels.rowCount(); ++row) {
        std::vector<std::string> names = m_kernels.call(row).sources;
        for (std::string &name : names)
            if (const auto layer = layers.find(name); layer != layers.end()) name = layer->second;
        const LayerPlace place = placeOf(names);
        Level *level = &root;
        for (const std::string &part : place.level) level = &level->level(part);
        auto kernel = std::make_unique<Level>();
        QStringList layers;
        for (const std::string &layer : place.layers) layers << qt(layer);
        kernel->name = layers.isEmpty() ? qt(m_kernels.call(row).name) : layers.join(QStringLiteral(", "));
        kernel->row = row;
        level->inside.push_back(std::move(kernel));
    }
    m_entries.assign(1, {});
    m_byRow.assign(static_cast<size_t>(m_kernels.rowCount()), 0);
    for (const auto &inside : root.inside) add(*inside, 0);
    sum(0);
}

/// A level with one thing inside says nothing that this does not: they are one entry.
void ProfileTreeModel::add(const Level &level, size_t parent) {
    const Level *shown = &level;
    QString name = level.name;
    while (shown->inside.size() == 1) {
        shown = shown->inside.front().get();
        name += u'/' + shown->name;
    }
    const size_t here = m_entries.size();
    Entry entry;
    entry.name = name;
    entry.whole = m_entries[parent].whole.isEmpty() ? name : m_entries[parent].whole + u'/' + name;
    entry.parent = parent;
    entry.position = static_cast<int>(m_entries[parent].inside.size());
    entry.row = shown->row;
    m_entries.push_back(std::move(entry));
    m_entries[parent].inside.push_back(here);
    if (shown->row >= 0) m_byRow[static_cast<size_t>(shown->row)] = here;
    for (const auto &inside : shown->inside) add(*inside, here);
}

void ProfileTreeModel::sum(size_t at) {
    Entry &entry = m_entries[at];
    if (entry.row >= 0) {
        const CallProfile &call = m_kernels.call(entry.row);
        entry.kernels = 1;
        entry.seconds = call.time.median;
        if (call.flops > 0) {
            entry.counted = call.time.median;
            entry.flops = call.flops;
        }
    }
    for (const size_t inside : entry.inside) {
        sum(inside);
        entry.kernels += m_entries[inside].kernels;
        entry.seconds += m_entries[inside].seconds;
        entry.counted += m_entries[inside].counted;
        entry.flops += m_entries[inside].flops;
    }
}

std::vector<int> ProfileTreeModel::rowsOf(const QModelIndex &index) const {
    std::vector<int> rows;
    std::vector<size_t> open{index.isValid() ? static_cast<size_t>(index.internalId()) : 0};
    while (!open.empty()) {
        const Entry &entry = m_entries[open.back()];
        open.pop_back();
        if (entry.row >= 0) rows.push_back(entry.row);
        open.insert(open.end(), entry.inside.begin(), entry.inside.end());
    }
    std::ranges::sort(rows);
    return rows;
}

QModelIndex ProfileTreeModel::indexOf(int row) const {
    const size_t entry = m_byRow[static_cast<size_t>(row)];
    return createIndex(m_entries[entry].position, 0, static_cast<quintptr>(entry));
}

bool ProfileTreeModel::hasLevels() const {
    return std::ranges::any_of(m_entries.front().inside, [this](size_t entry) { return m_entries[entry].row < 0; });
}

const ProfileTreeModel::Entry &ProfileTreeModel::at(const QModelIndex &index) const {
    return m_entries[index.isValid() ? static_cast<size_t>(index.internalId()) : 0];
}

QModelIndex ProfileTreeModel::index(int row, int column, const QModelIndex &parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column, static_cast<quintptr>(at(parent).inside[static_cast<size_t>(row)]));
}

QModelIndex ProfileTreeModel::parent(const QModelIndex &index) const {
    if (!index.isValid() || at(index).parent == 0) return {};
    const size_t parent = at(index).parent;
    return createIndex(m_entries[parent].position, 0, static_cast<quintptr>(parent));
}

int ProfileTreeModel::rowCount(const QModelIndex &parent) const {
    return parent.column() > 0 ? 0 : static_cast<int>(at(parent).inside.size());
}

int ProfileTreeModel::columnCount(const QModelIndex & /*parent*/) const { return ColumnCount; }

double ProfileTreeModel::number(const Entry &entry, int column) const {
    const double whole = m_kernels.profile()->profile.whole.median;
    switch (column) {
    case Kernel:
        return static_cast<double>(entry.kernels);
    case Time:
        return entry.seconds;
    case Share:
        return whole > 0 ? entry.seconds / whole : -1;
    case Speed:
        return entry.counted > 0 ? entry.flops / entry.counted : -1;
    default:
        return -1;
    }
}

QString ProfileTreeModel::text(const Entry &entry, int column) const {
    const double value = number(entry, column);
    if (column > Kernel && value < 0) return QStringLiteral("\u2013");
    switch (column) {
    case Layer:
        return entry.name;
    case Kernel:
        return entry.row >= 0 ? qt(m_kernels.call(entry.row).name) : countedText(entry.kernels, "kernel");
    case Time:
        return timeText(value);
    case Share:
        return percentText(value);
    case Speed:
        return QString::number(value / 1e9, 'f', 1);
    default:
        return {};
    }
}

QString ProfileTreeModel::tip(const Entry &entry) const {
    if (entry.row >= 0) return m_kernels.index(entry.row, 0).data(Qt::ToolTipRole).toString();
    return tr("%1: %2 take %3, %4 of a run")
        .arg(entry.whole, countedText(entry.kernels, "kernel"), text(entry, Time), text(entry, Share));
}

QVariant ProfileTreeModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid()) return {};
    const Entry &entry = at(index);
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return text(entry, column);
    case WholeRole:
        return column == Layer ? entry.whole : text(entry, column);
    case SortRole: // layers in the order in which they run
        return column == Layer ? QVariant(entry.position) : QVariant(number(entry, column));
    case Qt::ToolTipRole:
        return tip(entry);
    case Qt::TextAlignmentRole:
        return static_cast<int>((column <= Kernel ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    default:
        return {};
    }
}

QVariant ProfileTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    const std::array<std::array<QString, 2>, ColumnCount> heads{{
        {tr("Layer"),
         tr("By the parts of the names in the file, of nodes or else of weights, in the order in which they run")},
        {tr("Kernels"), tr("Operators that are computed together; of a level, how many such")},
        {tr("Time"), tr("The median over all runs; of a level, the sum of its kernels")},
        {tr("Share"), tr("Of a whole run")},
        {tr("GFLOP/s"), tr("Floating-point operations a second, of kernels whose operations are counted")},
    }};
    const auto &head = heads[static_cast<size_t>(section)];
    if (role == Qt::DisplayRole) return head[0];
    if (role == Qt::ToolTipRole) return head[1];
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section <= Kernel ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    return {};
}

} // namespace loopscope
