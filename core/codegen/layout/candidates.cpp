#include "codegen/layout/candidates.h"

#include <algorithm>
#include <set>

namespace loopscope {

namespace {

class Candidates {
  public:
    explicit Candidates(const std::vector<int64_t> &shape) : m_shape(shape) {}

    /// Outer pieces in `order` of axes (an axis of `cuts` by its blocks), then the places in blocks.
    void add(const std::vector<int> &order, const std::vector<std::pair<int, int64_t>> &cuts, int64_t padding = 0) {
        std::vector<LayoutPiece> pieces;
        for (const int axis : order) {
            const auto cut = std::find_if(cuts.begin(), cuts.end(), [&](const auto &one) { return one.first == axis; });
            pieces.push_back({.axis = axis, .step = cut == cuts.end() ? 1 : cut->second});
        }
        for (const auto &cut : cuts) pieces.push_back({.axis = cut.first});
        if (!pieces.empty()) pieces.back().padding = padding;
        const auto layout = Layout::of(m_shape, std::move(pieces));
        if (!layout || layout->isIdentity() || m_found.size() == kMaxCandidates) return;
        const Layout canonical = layout->canonical();
        if (m_seen.insert(canonical.text()).second) m_found.push_back(canonical);
    }

    /// With the axes in the order they have, and with each of them first.
    void addOrders(const std::vector<int> &order, const std::vector<std::pair<int, int64_t>> &cuts) {
        add(order, cuts);
        for (size_t i = 1; i < order.size(); ++i) {
            std::vector<int> other = order;
            std::rotate(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(i),
                        other.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            add(other, cuts);
        }
    }

    std::vector<Layout> take() { return std::move(m_found); }

  private:
    const std::vector<int64_t> &m_shape;
    std::vector<Layout> m_found;
    std::set<std::string> m_seen;
};

} // namespace

std::vector<Layout> layoutCandidates(const std::vector<int64_t> &shape, int64_t vectorElements,
                                     const std::vector<std::vector<int64_t>> &tileSizes) {
    Candidates candidates(shape);
    std::vector<int> axes;
    std::vector<std::vector<int64_t>> blocks(shape.size());
    for (size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 1) continue;
        axes.push_back(static_cast<int>(d));
        std::set<int64_t> lengths = {vectorElements, 2 * vectorElements, 4 * vectorElements};
        if (d < tileSizes.size()) lengths.insert(tileSizes[d].begin(), tileSizes[d].end());
        for (const int64_t length : lengths)
            if (length > 1 && length < shape[d]) blocks[d].push_back(length);
    }
    if (axes.size() > 1) candidates.add(axes, {}, 64 / std::max<int64_t>(64 / (2 * vectorElements), 1));
    // A whole axis fastest.
    for (const int fastest : axes) {
        std::vector<int> order = axes;
        std::erase(order, fastest);
        std::vector<std::vector<int>> orders = {order};
        for (size_t i = 1; i < order.size(); ++i) {
            orders.push_back(order);
            std::rotate(orders.back().begin(), orders.back().begin() + static_cast<std::ptrdiff_t>(i),
                        orders.back().begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
        for (std::vector<int> &one : orders) {
            one.push_back(fastest);
            candidates.add(one, {});
        }
    }
    // The places in blocks of one axis, or of two.
    for (const int axis : axes)
        for (const int64_t block : blocks[static_cast<size_t>(axis)]) candidates.addOrders(axes, {{axis, block}});
    for (const int outer : axes)
        for (const int inner : axes)
            if (outer != inner && !blocks[static_cast<size_t>(outer)].empty() &&
                !blocks[static_cast<size_t>(inner)].empty())
                for (const int64_t block : blocks[static_cast<size_t>(inner)])
                    candidates.add(axes, {{outer, blocks[static_cast<size_t>(outer)].front()}, {inner, block}});
    return candidates.take();
}

std::vector<std::vector<int64_t>> tileSizesOf(const AccessNest &nest, const std::vector<int> &accesses) {
    std::vector<std::set<int64_t>> sizes;
    for (const int number : accesses) {
        const NestAccess &access = nest.accesses[static_cast<size_t>(number)];
        sizes.resize(std::max(sizes.size(), access.index.size()));
        for (size_t d = 0; d < access.index.size(); ++d)
            for (const IndexPart &part : access.index[d])
                for (const auto &[loop, coefficient] : part.terms)
                    if (coefficient > 1 && coefficient <= 256 && part.step == 1 && part.modulus == 0)
                        sizes[d].insert(coefficient);
    }
    std::vector<std::vector<int64_t>> result;
    for (const auto &one : sizes) result.emplace_back(one.begin(), one.end());
    return result;
}

} // namespace loopscope
