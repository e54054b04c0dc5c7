#pragma once
// What the accesses of a nest cost with each tensor in some layout: misses at each level of the memory, counted from
// the loops alone.
//
// The elements that an access touches while a loop and those inside it run are runs of neighbours, strides apart; they
// lie on so many lines. From the innermost loop outwards: over one more loop an access misses each of its lines once
// where the lines it needs again are still there, else once for each iteration. A line is still there when no more
// lines than the level has ways fell into its set meanwhile: what all accesses touch between one use and the next is
// laid out, line by line, over the sets. Loops an access does not depend on bring it nothing new: between two uses lies
// only what the innermost of them does.

#include "codegen/layout/access_nest.h"
#include "codegen/layout/memory_model.h"

#include <memory>
#include <string>
#include <vector>

namespace loopscope {

struct LayoutCost {
    std::vector<double> misses = {}; // at each level of the model
    double accesses = 0;             // loads and stores, a vector being one where its elements are neighbours
    double cycles = 0;               // of all of these together
};
LayoutCost operator+(LayoutCost a, const LayoutCost &b);

/// A tensor of a nest as some of its readers see it: readers may have a copy each.
struct PlacedTensor {
    Layout layout = Layout::identity({});
    int64_t base = 0; // of its first element, in bytes
};

struct KnownTouches; // what accesses touch, told once

class NestCost {
  public:
    /// The nest and the model outlive it and its copies, which are of one thread. Every tensor lies row-major, one
    /// after the other, each at a page's beginning.
    NestCost(const AccessNest &nest, const MemoryModel &model);

    /// The accesses (by number) see their tensor in this layout; behind everything else when `moved`.
    void place(const std::vector<int> &accesses, const Layout &layout, bool moved);
    [[nodiscard]] const PlacedTensor &placementOf(int access) const { return m_placed[m_placementOf[access]]; }

    /// Of each access of the nest; of those marked in `only` (by number) alone, where it is given.
    [[nodiscard]] std::vector<LayoutCost> perAccess(const std::vector<bool> *only = nullptr) const;
    [[nodiscard]] LayoutCost total() const;

  private:
    const AccessNest &m_nest;
    const MemoryModel &m_model;
    std::vector<PlacedTensor> m_placed;
    std::vector<size_t> m_placementOf;     // by access
    int64_t m_end = 0;                     // of what is placed, in bytes
    std::shared_ptr<KnownTouches> m_known; // with every tensor row-major; copies share it
};

/// The cheaper of a copy's two orders of loops: as the layout has them, or in blocks. Stores and loads together.
LayoutCost copyCost(const Layout &layout, int64_t elementBytes, const MemoryModel &model);

} // namespace loopscope
