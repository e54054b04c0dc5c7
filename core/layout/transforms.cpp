#include "layout/transforms.h"

#include <utility>

namespace loopscope {

Outcome<Layout> reordered(std::vector<int64_t> shape, const std::vector<int> &order) {
    std::vector<LayoutPiece> pieces;
    for (const int axis : order) pieces.push_back({.axis = axis});
    return Layout::of(std::move(shape), std::move(pieces));
}

Outcome<Layout> interleaved(std::vector<int64_t> shape, int axis, int64_t block) {
    std::vector<LayoutPiece> pieces;
    for (size_t d = 0; d < shape.size(); ++d)
        pieces.push_back({.axis = static_cast<int>(d), .step = static_cast<int>(d) == axis ? block : 1});
    pieces.push_back({.axis = axis});
    return Layout::of(std::move(shape), std::move(pieces));
}

Outcome<Layout> blockedInPlace(std::vector<int64_t> shape, int axis, int64_t block) {
    std::vector<LayoutPiece> pieces;
    for (size_t d = 0; d < shape.size(); ++d) {
        if (static_cast<int>(d) == axis) pieces.push_back({.axis = axis, .step = block});
        pieces.push_back({.axis = static_cast<int>(d)});
    }
    return Layout::of(std::move(shape), std::move(pieces));
}

Outcome<Layout> paddedRows(std::vector<int64_t> shape, int64_t cells) {
    std::vector<LayoutPiece> pieces;
    for (size_t d = 0; d < shape.size(); ++d)
        pieces.push_back({.axis = static_cast<int>(d), .padding = d + 1 == shape.size() ? cells : 0});
    return Layout::of(std::move(shape), std::move(pieces));
}

} // namespace loopscope
