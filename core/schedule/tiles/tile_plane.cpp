#include "schedule/tiles/tile_plane.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace loopscope {

namespace {

constexpr int64_t kMaxRows = 512; // looked at where tiles are no boxes
constexpr int64_t kProbes = 17;   // along each side, to tell whether cuts are straight

class PlaneReader {
  public:
    PlaneReader(const TiledStage &stage, const TileNumber &number, const TilePlane &plane)
        : m_map(stage.map), m_number(number), m_plane(plane), m_element(plane.through) {}

    int64_t operator()(int64_t row, int64_t column) {
        if (m_plane.rows >= 0) m_element[static_cast<size_t>(m_plane.rows)] = row;
        m_element[static_cast<size_t>(m_plane.columns)] = column;
        m_map.nodesOf(m_element, m_nodes);
        return m_number.of(m_nodes);
    }

  private:
    const TileMap &m_map;
    const TileNumber &m_number;
    const TilePlane &m_plane;
    std::vector<int64_t> m_element;
    std::vector<int64_t> m_nodes;
};

/// The first of each run of equal values at `first` .. `end`. A run that looks as long as the one before is taken to be
/// whole: what lies between its ends is not looked at.
template <typename At> std::vector<int64_t> runsOf(int64_t first, int64_t end, const At &at, size_t most) {
    std::vector<int64_t> starts;
    int64_t length = 0; // of the run before
    for (int64_t start = first; start < end;) {
        starts.push_back(start);
        if (starts.size() > most) return starts;
        const int64_t value = at(start);
        int64_t next = start + length;
        const bool asBefore = length > 0 && next < end && at(next - 1) == value && at(next) != value;
        if (!asBefore)
            for (next = start + 1; next < end && at(next) == value;) ++next;
        length = next - start;
        start = next;
    }
    return starts;
}

int64_t probe(int64_t first, int64_t extent, int64_t number) {
    return first + (extent - 1) * number / std::max<int64_t>(1, kProbes - 1);
}

void joinRows(std::vector<TilePart> &parts, size_t before, size_t fresh) {
    // Runs that lie exactly under those of the row before make these higher.
    const size_t above = fresh - before, below = parts.size() - fresh;
    if (above != below) return;
    for (size_t i = 0; i < below; ++i) {
        const TilePart &a = parts[before + i], &b = parts[fresh + i];
        if (a.number != b.number || a.place.column != b.place.column || a.place.width != b.place.width) return;
    }
    for (size_t i = 0; i < below; ++i) parts[before + i].place.height += parts[fresh + i].place.height;
    parts.resize(fresh);
}

} // namespace

TilePlane planeOf(const TiledStage &stage) {
    TilePlane plane;
    plane.through.assign(stage.shape.size(), 0);
    std::vector<int> large;
    for (size_t a = 0; a < stage.shape.size(); ++a)
        if (stage.shape[a] > 1) large.push_back(static_cast<int>(a));
    const auto last = static_cast<int>(stage.shape.size()) - 1;
    if (large.size() >= 2) {
        plane.rows = large[large.size() - 2];
        plane.columns = large.back();
    } else if (large.size() == 1) {
        plane.columns = large.back();
        if (last > 0) plane.rows = large.back() == 0 ? 1 : large.back() - 1;
        if (plane.rows > plane.columns) std::swap(plane.rows, plane.columns);
    } else {
        plane.columns = std::max(0, last);
        plane.rows = last - 1;
    }
    if (plane.rows < 0) plane.rows = -1;
    return plane;
}

TileWindow wholePlane(const TiledStage &stage, const TilePlane &plane) {
    TileWindow window;
    if (plane.rows >= 0) window.height = stage.shape[static_cast<size_t>(plane.rows)];
    if (!stage.shape.empty()) window.width = stage.shape[static_cast<size_t>(plane.columns)];
    return window;
}

std::vector<int64_t> elementAt(const TilePlane &plane, int64_t row, int64_t column) {
    std::vector<int64_t> element = plane.through;
    if (plane.rows >= 0) element[static_cast<size_t>(plane.rows)] = row;
    if (!element.empty()) element[static_cast<size_t>(plane.columns)] = column;
    return element;
}

TileCuts cutsOf(const TiledStage &stage, const TileNumber &number, const TilePlane &plane, const TileWindow &window) {
    TileCuts cuts;
    if (stage.shape.empty()) return cuts;
    PlaneReader at(stage, number, plane);
    const int64_t r0 = window.row, c0 = window.column;
    // Numbers that are a sum of what the row says and what the column says change along straight lines.
    for (int64_t i = 1; i < kProbes; ++i)
        for (int64_t j = 1; j < kProbes; ++j) {
            const int64_t r = probe(r0, window.height, i), c = probe(c0, window.width, j);
            for (const int64_t step : {int64_t{0}, int64_t{1}}) { // neighbours: a row may run on into the next
                const int64_t r1 = std::max(r0, r - step), c1 = std::max(c0, c - step);
                if (at(r1, c1) != at(r1, c0) + at(r0, c1) - at(r0, c0)) return cuts;
            }
        }
    cuts.straight = true;
    const auto all = static_cast<size_t>(std::max(window.height, window.width));
    cuts.rows = runsOf(r0, r0 + window.height, [&](int64_t r) { return at(r, c0); }, all);
    cuts.columns = runsOf(c0, c0 + window.width, [&](int64_t c) { return at(r0, c); }, all);
    return cuts;
}

TileParts partsOf(const TiledStage &stage, const TileNumber &number, const TilePlane &plane, const TileWindow &window,
                  size_t most) {
    TileParts out;
    if (stage.shape.empty()) return out;
    const int64_t bottom = window.row + window.height, right = window.column + window.width;
    PlaneReader at(stage, number, plane);
    const TileCuts cuts = cutsOf(stage, number, plane, window);
    if (cuts.straight) {
        if (cuts.rows.size() * cuts.columns.size() > most) {
            out.complete = false;
            return out;
        }
        for (size_t r = 0; r < cuts.rows.size(); ++r)
            for (size_t c = 0; c < cuts.columns.size(); ++c) {
                const int64_t row = cuts.rows[r], column = cuts.columns[c];
                const int64_t height = (r + 1 < cuts.rows.size() ? cuts.rows[r + 1] : bottom) - row;
                const int64_t width = (c + 1 < cuts.columns.size() ? cuts.columns[c + 1] : right) - column;
                out.parts.push_back({{row, column, height, width}, at(row, column)});
            }
        return out;
    }
    const int64_t step = (window.height + kMaxRows - 1) / kMaxRows;
    out.complete = step == 1;
    size_t before = 0; // first part of the row above
    for (int64_t row = window.row; row < bottom; row += step) {
        const size_t fresh = out.parts.size();
        const int64_t height = std::min(step, bottom - row);
        const std::vector<int64_t> starts =
            runsOf(window.column, right, [&](int64_t c) { return at(row, c); }, most - std::min(most, fresh));
        if (fresh + starts.size() > most) {
            out.complete = false;
            return out;
        }
        for (size_t i = 0; i < starts.size(); ++i) {
            const int64_t end = i + 1 < starts.size() ? starts[i + 1] : right;
            out.parts.push_back({{row, starts[i], height, end - starts[i]}, at(row, starts[i])});
        }
        if (row > window.row) joinRows(out.parts, before, fresh);
        if (out.parts.size() > fresh) before = fresh;
    }
    return out;
}

TileWindow windowOf(const TiledStage &stage, const TileNumber &number, const TilePlane &plane,
                    const std::vector<int64_t> &shape) {
    const TileWindow whole = wholePlane(stage, plane);
    if (stage.shape.empty()) return whole;
    PlaneReader at(stage, number, plane);
    const int64_t row = plane.rows >= 0 ? plane.through[static_cast<size_t>(plane.rows)] : 0;
    const int64_t column = plane.through[static_cast<size_t>(plane.columns)];
    const int64_t wanted = at(row, column);
    // Outward from the element while the number stays: at most the size of the box in each direction.
    const auto reach = [&](int64_t from, int64_t most, int64_t least, int64_t end, const auto &same) {
        int64_t first = from, last = from;
        while (first > least && from - first < most && same(first - 1)) --first;
        while (last + 1 < end && last - first + 1 < most && same(last + 1)) ++last;
        return std::pair(first, last - first + 1);
    };
    TileWindow window;
    std::tie(window.column, window.width) = reach(column, shape[static_cast<size_t>(plane.columns)], 0, whole.width,
                                                  [&](int64_t c) { return at(row, c) == wanted; });
    if (plane.rows >= 0)
        std::tie(window.row, window.height) = reach(row, shape[static_cast<size_t>(plane.rows)], 0, whole.height,
                                                    [&](int64_t r) { return at(r, column) == wanted; });
    return window;
}

} // namespace loopscope
