// Poolings over windows and over everything, in every layout and under the names they had from 2020 on.

#include "records/resolve/op_patterns.h"

#include <cctype>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

using Names = std::vector<std::pair<std::string, std::string>>;

struct PoolLayout {
    std::string name;                 // "nchw"
    std::vector<std::string> extents; // "N", "C", "H", "W"
    std::vector<size_t> space;        // dimensions the window slides over

    [[nodiscard]] std::string kind() const { return "_pool" + std::to_string(space.size()) + "d_" + name; }
};

/// Blocks of channels come last, in lower case.
PoolLayout layoutOf(const std::string &name) {
    PoolLayout layout{name, {}, {}};
    for (size_t d = 0; d < name.size(); ++d) {
        const bool block = d == 4 && name == "nchwc";
        layout.extents.push_back(block ? "B" : std::string(1, static_cast<char>(std::toupper(name[d]))));
        if (layout.extents[d] != "N" && layout.extents[d] != "C" && !block) layout.space.push_back(d);
    }
    return layout;
}

std::string axis(size_t dimension) { return "ax" + std::to_string(dimension); }

/// Of every dimension the first text, or that for the i-th the window slides over, between commas.
template <typename Plain, typename Slid>
std::string eachDimension(const PoolLayout &layout, const char *between, Plain &&plain, Slid &&slid) {
    std::string out;
    size_t next = 0;
    for (size_t d = 0; d < layout.extents.size(); ++d) {
        const bool slides = next < layout.space.size() && layout.space[next] == d;
        out += (d > 0 ? between : "") + (slides ? slid(d, next) : plain(d));
        next += slides ? 1 : 0;
    }
    return out;
}

template <typename Slid> std::string axesOf(const PoolLayout &layout, Slid &&extent) {
    return "(" +
           eachDimension(
               layout, ", ", [&](size_t d) { return axis(d) + " < " + layout.extents[d]; },
               [&](size_t d, size_t i) { return axis(d) + " < " + extent(d, i); }) +
           ")";
}
template <typename Slid> std::string indexOf(const PoolLayout &layout, Slid &&index) {
    return "[" + eachDimension(layout, ", ", axis, index) + "]";
}
template <typename Part> std::string eachSlid(const PoolLayout &layout, const char *between, Part &&part) {
    std::string out;
    for (size_t i = 0; i < layout.space.size(); ++i) out += (i > 0 ? between : "") + part(layout.space[i], i);
    return out;
}

std::string outAxes(const PoolLayout &layout) {
    return axesOf(layout, [&](size_t d, size_t) { return "O" + layout.extents[d]; });
}
std::string reduceAxes(const PoolLayout &layout) {
    return eachSlid(layout, ", ", [](size_t, size_t i) {
        const std::string n = std::to_string(i);
        return "rv" + n + " < K" + n;
    });
}

/// The windows' values, reduced by `kind` into `handle`.
std::string windowsText(const PoolLayout &layout, const std::string &kind, const std::string &handle, bool pads,
                        const std::string &outside) {
    std::string text;
    if (pads) {
        text = "pad_temp" + axesOf(layout, [&](size_t d, size_t i) {
                   const std::string n = std::to_string(i);
                   return layout.extents[d] + " + P" + n + " + Q" + n;
               });
        text += " = if_then_else(" + eachSlid(layout, " && ", [&](size_t d, size_t i) {
                    const std::string before = "P" + std::to_string(i);
                    return axis(d) + " >= " + before + " && " + axis(d) + " < " + layout.extents[d] + " + " + before;
                });
        text += ", a" + indexOf(layout, [](size_t d, size_t i) { return axis(d) + " - P" + std::to_string(i); }) +
                ", " + outside + ")\n";
    }
    return text + handle + outAxes(layout) + " = " + kind + "(" + reduceAxes(layout) + "; " +
           (pads ? "pad_temp" : "a") +
           indexOf(layout,
                   [](size_t d, size_t i) {
                       const std::string n = std::to_string(i);
                       return axis(d) + "*S" + n + " + rv" + n;
                   }) +
           ")";
}

/// What a sum is divided by: the values of the window, those of them that lie in the input, or those that lie in it or
/// in its padding, as it was counted until 2021, since, and since 2022.
enum class Count : uint8_t { Window, Inside, InsideNow, PaddedNow };

std::string countText(const PoolLayout &layout, Count count) {
    const auto values = [&](size_t d, size_t i) {
        const std::string n = std::to_string(i);
        const std::string start = "(" + axis(d) + "*S" + n + " - P" + n + ")";
        const std::string last = "(" + start + " + (K" + n + " - 1))";
        const std::string &extent = layout.extents[d];
        switch (count) {
        case Count::Window:
            return "K" + n;
        case Count::Inside:
            return "(min(" + start + " + K" + n + ", " + extent + ") - max(" + start + ", 0))";
        case Count::InsideNow:
            return "(min(" + last + ", " + extent + " - 1) - (" + start + " + max(0 - " + start + ", 0)) + 1)";
        case Count::PaddedNow:
            break;
        }
        return "(min(" + last + ", " + extent + " + Q" + n + " - 1) - " + start + " + 1)";
    };
    const std::string product = eachSlid(layout, "*", values);
    return count == Count::Inside || count == Count::InsideNow ? "max(" + product + ", 1)" : product;
}

std::string averageText(const PoolLayout &layout, bool pads, Count count) {
    const std::string sum = windowsText(layout, "sum", "pool_sum", pads, "0");
    const std::string index = indexOf(layout, [](size_t d, size_t) { return axis(d); });
    return sum + "\nr \"pool_avg\"" + outAxes(layout) + " = pool_sum" + index + "/$I(" + countText(layout, count) + ")";
}

/// One window that is everything.
std::string globalText(const PoolLayout &layout, bool average) {
    const auto load = [&](const char *kind, const std::string &handle) {
        return handle + axesOf(layout, [](size_t, size_t) { return "1"; }) + " = " + kind + "(" +
               eachSlid(layout, ", ",
                        [&](size_t d, size_t i) { return "rv" + std::to_string(i) + " < " + layout.extents[d]; }) +
               "; a" +
               indexOf(layout,
                       [&](size_t d, size_t i) {
                           return axis(d) + "*" + layout.extents[d] + " + rv" + std::to_string(i);
                       }) +
               ")";
    };
    if (!average) return load("max", "r \"adaptive_pool_max\"");
    const std::string count = eachSlid(layout, "*", [&](size_t d, size_t) {
        const std::string end = "(" + axis(d) + " + 1)*" + layout.extents[d];
        return "$I(select(true, " + end + ", " + end + " + 1) - " + axis(d) + "*" + layout.extents[d] + ")";
    });
    return load("sum", "adaptive_pool_sum") + "\nr \"adaptive_pool_avg\"" +
           axesOf(layout, [](size_t, size_t) { return "1"; }) + " = adaptive_pool_sum" +
           indexOf(layout, [](size_t d, size_t) { return axis(d); }) + "/(" + count + ")";
}

class PoolingPatterns {
  public:
    explicit PoolingPatterns(const std::string &name) : m_layout(layoutOf(name)) {
        for (size_t i = 0; i < m_layout.space.size(); ++i) {
            const std::string &extent = m_layout.extents[m_layout.space[i]];
            m_windows.push_back({WindowKind::Pooling, extent, "", "O" + extent});
            m_details += (i > 0 ? "x{K" : "{K") + std::to_string(i) + "}";
        }
        m_details += ", stride {S0}";
        for (const std::string &extent : m_layout.extents) m_in += (m_in.empty() ? "" : " ") + extent;
        m_out = eachDimension(
            m_layout, " ", [&](size_t d) { return m_layout.extents[d]; },
            [&](size_t d, size_t) { return "O" + m_layout.extents[d]; });
    }

    std::vector<OpPattern> patterns() {
        const std::string name = m_layout.name;
        const bool plane = name == "nchw" || name == "nhwc"; // the operator library has these
        if (plane) planes();
        for (const bool old : {false, true}) {
            if (!plane)
                for (const WindowPads pads : {WindowPads::Some, WindowPads::None})
                    add("max", windowsText(m_layout, "max", "r \"pool_max\"", pads == WindowPads::Some, "lowest($I)"),
                        pads, old, false);
            for (const Count count : {Count::Inside, Count::Window, Count::InsideNow, Count::PaddedNow}) {
                const bool known = plane && (count == Count::Inside || count == Count::Window);
                if (known || (old && count == Count::PaddedNow)) continue;
                for (const WindowPads pads : {WindowPads::Some, WindowPads::None})
                    add("avg", averageText(m_layout, pads == WindowPads::Some, count), pads, old, true);
            }
            if (plane) continue;
            for (const bool average : {true, false}) {
                OpPattern pattern{std::string("adaptive_") + (average ? "avg" : "max") + m_layout.kind(),
                                  m_in + " -> " +
                                      eachDimension(
                                          m_layout, " ", [&](size_t d) { return m_layout.extents[d]; },
                                          [](size_t, size_t) { return std::string("1"); }),
                                  globalText(m_layout, average), "to 1"};
                pattern.ops = old ? unnamed() : Names();
                m_all.push_back(std::move(pattern));
            }
        }
        return std::move(m_all);
    }

  private:
    static Names unnamed() {
        return {{"pool_max", "tensor"},          {"pool_sum", "tensor"},          {"pool_avg", "tensor"},
                {"adaptive_pool_sum", "tensor"}, {"adaptive_pool_avg", "tensor"}, {"adaptive_pool_max", "tensor"}};
    }

    void add(const std::string &kind, const std::string &text, WindowPads pads, bool old, bool paddingShows) {
        OpPattern pattern{kind + m_layout.kind(), m_in + " -> " + m_out, text, m_details, m_windows};
        pattern.pads = pads;
        pattern.ops = old ? unnamed() : Names();
        pattern.paddingShows = paddingShows;
        m_all.push_back(std::move(pattern));
    }

    void planes() {
        const Names oldAxes = {{"rv0", "dh"}, {"rv1", "dw"}};
        const std::string shapes = m_in + " -> " + m_out;
        const std::string window = "(a, [K0, K1], [S0, S1], [P0, P1, Q0, Q1], 0";
        const std::string tail = ", layout = \"" + std::string(m_layout.name == "nhwc" ? "NHWC" : "NCHW") + "\")";
        struct Version {
            Names ops, axes;
        };
        for (const Version &version :
             {Version{{}, {}}, Version{unnamed(), oldAxes}, Version{unnamed(), {}}, Version{{}, oldAxes}}) {
            m_all.push_back({"max" + m_layout.kind(), shapes, "r = max_pool2d" + window + tail, m_details, m_windows,
                             version.ops, version.axes});
            for (const std::string includePad : {"0", "1"})
                m_all.push_back({"avg" + m_layout.kind(), shapes, "r = avg_pool2d" + window + ", " + includePad + tail,
                                 m_details, m_windows, version.ops, version.axes, /*paddingShows=*/true});
        }
        for (const bool old : {false, true})
            for (const std::string kind : {"avg", "max"})
                m_all.push_back({"adaptive_" + kind + m_layout.kind(),
                                 shapes,
                                 "r = adaptive_" + kind + "_pool2d(a, [OH, OW]" + tail,
                                 "to {OH}x{OW}",
                                 {},
                                 old ? unnamed() : Names()});
    }

    PoolLayout m_layout;
    std::vector<PatternWindow> m_windows;
    std::string m_in, m_out, m_details;
    std::vector<OpPattern> m_all;
};

} // namespace

std::vector<OpPattern> poolingPatterns() {
    std::vector<OpPattern> all;
    for (const char *layout : {"nhwc", "nchw", "nchwc", "ncdhw", "ndhwc", "ncw", "nwc"})
        for (OpPattern &pattern : PoolingPatterns(layout).patterns()) all.push_back(std::move(pattern));
    return all;
}

} // namespace loopscope
