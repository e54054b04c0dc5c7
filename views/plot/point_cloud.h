#pragma once
// The points of a plot with the id of what each stands for: which is under the cursor, which are in a brushed range.
// Asked for at every move of the mouse, so both look at a slice of the points only, by x.

#include <QPointF>
#include <QRectF>

#include <functional>
#include <vector>

namespace loopscope {

struct CloudPoint {
    double x = 0;
    double y = 0;
    int id = 0;
};

class PointCloud {
  public:
    void clear() { std::vector<CloudPoint>().swap(m_points); } // and the room they took
    void reserve(size_t count) { m_points.reserve(count); }
    /// Cheap at the end; in the middle the points behind it move.
    void add(const CloudPoint &point);
    [[nodiscard]] const std::vector<CloudPoint> &points() const { return m_points; }
    [[nodiscard]] bool empty() const { return m_points.empty(); }

    /// Ids inside, ascending, each once.
    [[nodiscard]] std::vector<int> inside(const QRectF &coordinates) const;
    /// The point nearest to `pixel`, at most `reach` pixels away; null when there is none. The functions tell the pixel
    /// of a point, and the x that a pixel stands for.
    [[nodiscard]] const CloudPoint *nearest(const QPointF &pixel, double reach,
                                            const std::function<QPointF(const CloudPoint &)> &pixelOf,
                                            const std::function<double(double)> &xOfPixel) const;

  private:
    std::vector<CloudPoint> m_points; // by x
};

} // namespace loopscope
