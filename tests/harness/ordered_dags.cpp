#include "harness/ordered_dags.h"

#include "language/te/workload.h"

namespace loopscope {

const std::vector<std::string> &orderedTexts() {
    static const std::vector<std::string> texts = {
        R"(workload recursive_blur(H = 7, W = 11)
x = placeholder [3, H, W] float32
down(c < 3, y < H, x_ < W) = scan(y; from x[c, y, x_]; 0.75 * down[c, y - 1, x_] + 0.25 * x[c, y, x_])
up(c < 3, y < H, x_ < W) = scan(y; from down[c, y, x_]; 0.75 * up[c, y + 1, x_] + 0.25 * down[c, y, x_])
out(c < 3, x_ < W, y < H) = up[c, y, x_] * 2
)",
        R"(workload along_rows(H = 5, W = 13)
x = placeholder [H, W] float32
doubled(y < H, i < W) = x[y, i] * 2
sums(y < H, i < W) = scan(i; from doubled[y, i]; sums[y, i - 1] + doubled[y, i])
out(y < H, i < W) = sums[y, i] - x[y, i]
)",
        R"(workload fibonacci(N = 17)
x = placeholder [N, 3] int32
f(-2 <= i < N - 2, j < 3) = scan(i; from x[i + 2, j]; f[i - 1, j] + f[i - 2, j])
out(i < N - 2, j < 3) = f[i - 2, j] + f[i, j]
)",
        R"(workload largest_so_far(H = 6, W = 9)
x = placeholder [H, W] float32
best(y < H, i < W) =
    scan(y; from (y, x[y, i]);
         (select(x[y, i] > best.v1[y + 1, i], y, best.v0[y + 1, i]), max(x[y, i], best.v1[y + 1, i])))
)",
        R"(workload histogram(H = 7, W = 13)
k = placeholder [H, W] int32
rows(y < H, b < 8) = sum(r < W at b = clamp(k[y, r], 0, 7); 1)
h(b < 8) = sum(y < H; rows[y, b])
cdf(b < 8) = scan(b; from h[b]; cdf[b - 1] + h[b])
out(y < H, x < W) = cdf[clamp(k[y, x], 0, 7)]
)",
        R"(workload cells(H = 16, W = 20)
k = placeholder [H, W] int32
x = placeholder [H, W] float32
cells(-2 <= z < 4, gy < H // 4, gx < W // 4) =
    sum(ry < 4, rx < 4 at z = clamp(k[4 * gy + ry, 4 * gx + rx], -2, 3) where rx != 1 || ry > 2; x[4 * gy + ry, 4 * gx + rx])
out(z < 4, gy < H // 4, gx < W // 4) = cells[z - 2, gy, gx] + cells[z - 1, gy, gx] * 2
)",
        R"(workload brightest(N = 40)
k = placeholder [N] int32
x = placeholder [N] float32
most(a < 3, b < 5) = max(i < N at a = i % 3, b = clamp(k[i], 0, 4); x[i])
out(a < 3, b < 5) = max(most[a, b], -1)
)",
    };
    return texts;
}

std::vector<DagPtr> orderedDags() {
    std::vector<DagPtr> dags;
    for (const std::string &text : orderedTexts()) dags.push_back(ComputeDag::fromWorkload(parseWorkload(text, "")));
    return dags;
}

} // namespace loopscope
