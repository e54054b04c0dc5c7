#include "views/plot/point_cloud.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {
bool beforeX(const CloudPoint &point, double x) { return point.x < x; }
} // namespace

void PointCloud::add(const CloudPoint &point) {
    // Doubling would leave as much room unused as thousands of points take.
    if (m_points.size() == m_points.capacity()) m_points.reserve(m_points.size() + m_points.size() / 16 + 64);
    if (m_points.empty() || m_points.back().x <= point.x) {
        m_points.push_back(point);
        return;
    }
    const auto place = std::upper_bound(m_points.begin(), m_points.end(), point.x,
                                        [](double x, const CloudPoint &other) { return x < other.x; });
    m_points.insert(place, point);
}

std::vector<int> PointCloud::inside(const QRectF &coordinates) const {
    const QRectF range = coordinates.normalized();
    std::vector<int> ids;
    for (auto it = std::lower_bound(m_points.begin(), m_points.end(), range.left(), beforeX);
         it != m_points.end() && it->x <= range.right(); ++it)
        if (it->y >= range.top() && it->y <= range.bottom()) ids.push_back(it->id);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

const CloudPoint *PointCloud::nearest(const QPointF &pixel, double reach,
                                      const std::function<QPointF(const CloudPoint &)> &pixelOf,
                                      const std::function<double(double)> &xOfPixel) const {
    const double a = xOfPixel(pixel.x() - reach);
    const double b = xOfPixel(pixel.x() + reach);
    const CloudPoint *best = nullptr;
    double bestDistance = reach;
    for (auto it = std::lower_bound(m_points.begin(), m_points.end(), std::min(a, b), beforeX);
         it != m_points.end() && it->x <= std::max(a, b); ++it) {
        const QPointF at = pixelOf(*it);
        const double distance = std::hypot(at.x() - pixel.x(), at.y() - pixel.y());
        if (distance > bestDistance || (distance == bestDistance && best)) continue;
        best = &*it;
        bestDistance = distance;
    }
    return best;
}

} // namespace loopscope
