#include "language/te/operators/winograd_matrices.h"

#include "base/check.h"

#include <array>
#include <cmath>

namespace loopscope {

namespace {

/// Table 1 of Barabasz et al.: the points that keep the rounding error small, for alpha - 1 points.
std::vector<double> interpolationPoints(size_t count) {
    static const std::array<std::vector<double>, 7> points = {{
        {0, -1, 1},
        {0, -1, 1, 0.5},
        {0, -1, 1, 0.5, -2},
        {0, -1, 1, 0.5, -2, -0.5},
        {0, -1, 1, 0.5, -0.5, 2, -2},
        {0, -1, 1, 0.5, -0.5, 2, -2, -0.25},
        {0, -1, 1, 0.5, -0.5, 2, -2, -0.25, 4},
    }};
    LOOPSCOPE_CHECK(count >= 3 && count - 3 < points.size(), "no interpolation points for this tile");
    return points[count - 3];
}

/// Rows of powers of the points, and a last row that picks the highest power.
Matrix powers(const std::vector<double> &points, size_t columns) {
    Matrix rows;
    for (const double point : points) {
        std::vector<double> row;
        for (size_t j = 0; j < columns; ++j) row.push_back(std::pow(point, static_cast<double>(j)));
        rows.push_back(std::move(row));
    }
    rows.emplace_back(columns, 0.0);
    rows.back().back() = 1;
    return rows;
}

/// Coefficients, lowest power first, of the product of (x - point) over all points but the i-th.
std::vector<double> productWithout(const std::vector<double> &points, size_t without) {
    std::vector<double> coefficients = {1};
    for (size_t k = 0; k < points.size(); ++k) {
        if (k == without) continue;
        std::vector<double> next(coefficients.size() + 1, 0.0);
        for (size_t p = 0; p < coefficients.size(); ++p) {
            next[p + 1] += coefficients[p];
            next[p] -= points[k] * coefficients[p];
        }
        coefficients = std::move(next);
    }
    return coefficients;
}

} // namespace

WinogradMatrices winogradMatrices(int64_t m, int64_t r) {
    const auto alpha = static_cast<size_t>(m + r - 1);
    const size_t count = alpha - 1;
    const std::vector<double> points = interpolationPoints(count);

    std::vector<double> scale(count);
    for (size_t i = 0; i < count; ++i) {
        scale[i] = 1;
        for (size_t k = 0; k < count; ++k)
            if (k != i) scale[i] *= points[i] - points[k];
    }
    // Sign of the first row moved from the kernel's to the data's matrix, as everybody's tables have it.
    std::vector<double> signedScale = scale;
    if (signedScale[0] < 0) signedScale[0] = -signedScale[0];

    WinogradMatrices result;
    result.inverse = powers(points, static_cast<size_t>(m));
    result.kernel = powers(points, static_cast<size_t>(r));
    for (size_t i = 0; i < count; ++i)
        for (double &value : result.kernel[i]) value /= signedScale[i];

    // Row p of B: coefficient of x^p of each Lagrange polynomial, scaled back; the last column subtracts the highest
    // power's share, the last row picks it.
    result.data.assign(alpha, std::vector<double>(alpha, 0.0));
    for (size_t i = 0; i < count; ++i) {
        const std::vector<double> polynomial = productWithout(points, i);
        const double highest = std::pow(points[i], static_cast<double>(count));
        for (size_t p = 0; p < count; ++p) {
            const double lagrange = polynomial[p] / scale[i];
            result.data[p][i] = lagrange * signedScale[i];
            result.data[p][count] += lagrange * -highest;
        }
    }
    result.data[count][count] = 1;
    // No negative zeros: they would print.
    for (Matrix *matrix : {&result.inverse, &result.data, &result.kernel})
        for (std::vector<double> &row : *matrix)
            for (double &value : row) value += 0.0;
    return result;
}

} // namespace loopscope
