#include "views/implementations/layout_model.h"

#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

namespace {

QString layoutText(DataLayout layout) {
    return layout == DataLayout::ChannelsLast ? LayoutModel::tr("channels last") : LayoutModel::tr("channels first");
}

} // namespace

LayoutModel::LayoutModel(const Theme &theme, QObject *parent)
    : TableModel(
          {
              {tr("Node"), tr("Node, or the value that is brought into another layout")},
              {tr("Operator"), tr("Operator")},
              {tr("Layout"), tr("Where its data has the channels")},
              {tr("First"), tr("What its kernel costs with channels first"), Qt::AlignRight},
              {tr("Last"), tr("What its kernel costs with channels last"), Qt::AlignRight},
              {tr("Transforms"),
               tr("What bringing its inputs and outputs into another layout costs, as things were decided"),
               Qt::AlignRight},
              {tr("Because"), tr("Why")},
          },
          parent),
      m_theme(theme) {}

void LayoutModel::show(NetworkKernelsPtr kernels) {
    if (kernels == m_kernels) return;
    beginResetModel();
    m_kernels = std::move(kernels);
    m_sources.clear();
    if (layouts() != nullptr) m_sources = sourcesByNode(*m_kernels->function);
    endResetModel();
}

const NetworkLayouts *LayoutModel::layouts() const {
    return m_kernels && m_kernels->layouts ? &*m_kernels->layouts : nullptr;
}

const LayoutDecision *LayoutModel::decision(int row) const {
    const NetworkLayouts *all = layouts();
    return all != nullptr && row >= 0 && static_cast<size_t>(row) < all->decisions.size()
               ? &all->decisions[static_cast<size_t>(row)]
               : nullptr;
}

const LayoutTransform *LayoutModel::transform(int row) const {
    const NetworkLayouts *all = layouts();
    if (all == nullptr || row < 0 || row >= rowCount() || decision(row) != nullptr) return nullptr;
    return &all->transforms[static_cast<size_t>(row) - all->decisions.size()];
}

std::set<std::string> LayoutModel::sourcesOf(int row) const {
    const LayoutDecision *of = decision(row);
    if (of == nullptr) return {};
    const auto found = m_sources.find(of->node);
    return found == m_sources.end() ? std::set<std::string>{of->node} : found->second;
}

int LayoutModel::rowOf(const std::set<std::string> &sources) const {
    for (int row = 0; decision(row) != nullptr; ++row)
        if (meet(sourcesOf(row), sources)) return row;
    return -1;
}

int LayoutModel::rowsShown() const {
    const NetworkLayouts *all = layouts();
    return all == nullptr ? 0 : static_cast<int>(all->decisions.size() + all->transforms.size());
}

QString LayoutModel::costText(double cost) const {
    return layouts()->unit == "s" ? timeText(cost) : tr("%1 cycles").arg(countText(cost));
}

QString LayoutModel::text(const LayoutDecision &of, int column) const {
    const auto offered = [&](DataLayout layout) -> const LayoutOffer * {
        const auto found = std::ranges::find(of.offers, layout, &LayoutOffer::layout);
        return found == of.offers.end() || !of.with.empty() ? nullptr : &*found;
    };
    const auto cost = [&](DataLayout layout) {
        const LayoutOffer *offer = offered(layout);
        return offer == nullptr ? QString() : costText(offer->kernel.cost);
    };
    switch (column) {
    case NodeColumn:
        return qt(of.node);
    case OperatorColumn:
        return qt(of.op);
    case LayoutColumn:
        return layoutText(of.chosen);
    case FirstColumn:
        return cost(DataLayout::ChannelsFirst);
    case LastColumn:
        return cost(DataLayout::ChannelsLast);
    case TransformsColumn:
        if (const LayoutOffer *offer = offered(of.chosen); offer != nullptr && offer->transforms > 0)
            return costText(offer->transforms);
        return {};
    default:
        return of.with.empty() ? qt(of.because) : tr("computed in the kernel of %1").arg(qt(of.with));
    }
}

QString LayoutModel::text(const LayoutTransform &of, int column) const {
    switch (column) {
    case NodeColumn:
        return qt(of.value);
    case OperatorColumn:
        return tr("transform");
    case LayoutColumn:
        return tr("to %1").arg(layoutText(of.to));
    case TransformsColumn:
        return costText(of.cost);
    case BecauseColumn:
        return tr("its makers and readers differ (%1)").arg(qt(of.source));
    default:
        return {};
    }
}

QVariant LayoutModel::data(const QModelIndex &index, int role) const {
    const LayoutDecision *node = decision(index.row());
    const LayoutTransform *moved = transform(index.row());
    if (node == nullptr && moved == nullptr) return {};
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return node != nullptr ? text(*node, index.column()) : text(*moved, index.column());
    case Qt::TextAlignmentRole:
        return sideOf(index.column());
    case Qt::ForegroundRole: // where there was nothing to decide
        return node != nullptr && (node->role == LayoutRole::Fixed || !node->with.empty())
                   ? QVariant(m_theme.color(Role::QuietText))
                   : QVariant();
    default:
        return {};
    }
}

} // namespace loopscope
