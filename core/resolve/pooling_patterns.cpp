// Poolings over windows and over everything.

#include "resolve/op_patterns.h"

#include <string>
#include <utility>
#include <vector>

namespace loopscope {

std::vector<OpPattern> poolingPatterns() {
    using Names = std::vector<std::pair<std::string, std::string>>;
    const std::vector<PatternWindow> plane = {{WindowKind::Pooling, "H", "", "OH"},
                                              {WindowKind::Pooling, "W", "", "OW"}};
    const Names unnamed = {{"pool_max", "tensor"},          {"pool_sum", "tensor"},
                           {"pool_avg", "tensor"},          {"adaptive_pool_sum", "tensor"},
                           {"adaptive_pool_avg", "tensor"}, {"adaptive_pool_max", "tensor"}};
    const Names oldAxes = {{"rv0", "dh"}, {"rv1", "dw"}};
    const std::string details = "{K0}x{K1}, stride {S0}";
    std::vector<OpPattern> all;
    for (const bool channelsLast : {true, false}) {
        const std::string layout = channelsLast ? "NHWC" : "NCHW";
        const std::string shapes = channelsLast ? "N H W C -> N OH OW C" : "N C H W -> N C OH OW";
        const std::string suffix = channelsLast ? "_nhwc" : "_nchw";
        const std::string window = "(a, [K0, K1], [S0, S1], [P0, P1, Q0, Q1], 0";
        const std::string tail = ", layout = \"" + layout + "\")";
        for (const bool old : {false, true}) {
            const Names ops = old ? unnamed : Names();
            all.push_back({"max_pool2d" + suffix, shapes, "r = max_pool2d" + window + tail, details, plane, ops,
                           old ? oldAxes : Names()});
            for (const std::string includePad : {"0", "1"})
                all.push_back({"avg_pool2d" + suffix, shapes, "r = avg_pool2d" + window + ", " + includePad + tail,
                               details, plane, ops, old ? oldAxes : Names(), /*paddingShows=*/true});
            for (const std::string kind : {"avg", "max"})
                all.push_back({"adaptive_" + kind + "_pool2d" + suffix,
                               shapes,
                               "r = adaptive_" + kind + "_pool2d(a, [OH, OW]" + tail,
                               "to {OH}x{OW}",
                               {},
                               ops});
        }
    }
    // Global average of volumes.
    for (const bool channelsLast : {true, false})
        for (const bool old : {false, true}) {
            const std::string axes = channelsLast ? "(ax0 < N, ax1 < 1, ax2 < 1, ax3 < 1, ax4 < C)"
                                                  : "(ax0 < N, ax1 < C, ax2 < 1, ax3 < 1, ax4 < 1)";
            const int first = channelsLast ? 1 : 2;
            const std::vector<std::string> extents = {"D", "H", "W"};
            std::string index;
            std::string count;
            for (int d = 0; d < 3; ++d) {
                const std::string axis = "ax" + std::to_string(first + d);
                const std::string &extent = extents[static_cast<size_t>(d)];
                index += (d > 0 ? ", " : "") + axis + "*" + extent + " + rv" + std::to_string(d);
                const std::string end = "(" + axis + " + 1)*" + extent;
                count += std::string(d > 0 ? "*" : "") + "float32(select(true, " + end + ", " + end + " + 1) - " +
                         axis + "*" + extent + ")";
            }
            const std::string load = channelsLast ? "a[ax0, " + index + ", ax4]" : "a[ax0, ax1, " + index + "]";
            all.push_back({channelsLast ? "adaptive_avg_pool3d_ndhwc" : "adaptive_avg_pool3d_ncdhw",
                           channelsLast ? "N D H W C -> N 1 1 1 C" : "N C D H W -> N C 1 1 1",
                           "s \"adaptive_pool_sum\"" + axes + " = sum(rv0 < D, rv1 < H, rv2 < W; " + load + ")\n" +
                               "r \"adaptive_pool_avg\"" + axes + " = s[ax0, ax1, ax2, ax3, ax4]/(" + count + ")",
                           "to 1x1x1",
                           {},
                           old ? Names{{"s", "tensor"}, {"r", "tensor"}} : Names()});
        }
    return all;
}

} // namespace loopscope
