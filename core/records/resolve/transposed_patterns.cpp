// Transposed convolutions, as the libraries for processors and for graphics cards build them. The text of either tells
// neither strides nor paddings.

#include "records/resolve/op_patterns.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

struct Dimension {
    std::string axis, window, in, kernel, out; // "h", "dh", "H", "KH", "OH"
    size_t number = 0;                         // of its window
};

std::vector<Dimension> dimensionsOf(size_t count) {
    static const std::array<Dimension, 3> all = {
        {{"d", "dd", "D", "KD", "OD"}, {"h", "dh", "H", "KH", "OH"}, {"w", "dw", "W", "KW", "OW"}}};
    std::vector<Dimension> some(all.end() - static_cast<std::ptrdiff_t>(count), all.end());
    for (size_t i = 0; i < count; ++i) some[i].number = i;
    return some;
}

template <typename Part> std::string joined(const std::vector<Dimension> &dims, const char *between, Part &&part) {
    std::string out;
    for (const Dimension &dim : dims) out += (out.empty() ? "" : between) + part(dim);
    return out;
}

std::string numbered(const char *letter, const Dimension &dim) { return letter + std::to_string(dim.number); }
std::string axisOf(const Dimension &dim) { return "i" + std::to_string(dim.number + 2); }
/// Values between which the stride has put zeros, and the padding around them.
std::string spread(const Dimension &dim) { return "(" + dim.in + " - 1)*" + numbered("S", dim) + " + 1"; }
std::string first(const Dimension &dim) { return numbered("PAD", dim); }
std::string padded(const Dimension &dim) { return dim.out + " + " + dim.kernel + " - 1"; }

std::string pads(const std::vector<Dimension> &dims) {
    return joined(dims, "", [](const Dimension &dim) {
        return "let " + first(dim) + " = " + dim.kernel + " - 1 - " + numbered("P", dim) + "\n";
    });
}

/// The input with zeros between its values, then with zeros around them.
std::string spreadAndPadded(const std::vector<Dimension> &dims) {
    const auto extents = [&](std::string (*extent)(const Dimension &)) {
        return "(i0 < N, i1 < CI, " +
               joined(dims, ", ", [&](const Dimension &dim) { return axisOf(dim) + " < " + extent(dim); }) + ")";
    };
    std::string text = pads(dims) + "data_dilate" + extents(spread) + " = if_then_else(";
    text +=
        joined(dims, " && ", [](const Dimension &dim) { return axisOf(dim) + " % " + numbered("S", dim) + " == 0"; });
    text += ", a[i0, i1, ";
    text += joined(dims, ", ", [](const Dimension &dim) { return axisOf(dim) + " // " + numbered("S", dim); });
    text += "], 0)\ndata_pad" + extents(padded) + " = if_then_else(";
    text += joined(dims, " && ", [](const Dimension &dim) {
        return axisOf(dim) + " >= " + first(dim) + " && " + axisOf(dim) + " < " + spread(dim) + " + " + first(dim);
    });
    text += ", data_dilate[i0, i1, ";
    text += joined(dims, ", ", [](const Dimension &dim) { return axisOf(dim) + " - " + first(dim); });
    return text + "], 0)\n";
}

std::string mirrored(const std::vector<Dimension> &dims, const std::string &name, const std::string &axes) {
    return name + "(" + axes + ", " +
           joined(dims, ", ", [](const Dimension &dim) { return dim.axis + " < " + dim.kernel; }) + ") = b[" +
           (axes.starts_with("o") ? "i, o, " : "o, i, ") +
           joined(dims, ", ", [](const Dimension &dim) { return dim.kernel + " - 1 - " + dim.axis; }) + "]\n";
}

/// The sum over `channels` input channels of a window; `channel` and `weight` are the leading indices.
std::string product(const std::vector<Dimension> &dims, const std::string &channels, const std::string &channel,
                    const std::string &weight, bool mirrors) {
    return "r \"compute\"(b < N, c < CO, " +
           joined(dims, ", ", [](const Dimension &dim) { return dim.axis + " < " + dim.out; }) + ") = sum(dc < " +
           channels + ", " + joined(dims, ", ", [](const Dimension &dim) { return dim.window + " < " + dim.kernel; }) +
           "; data_pad[b, " + channel + ", " +
           joined(dims, ", ", [](const Dimension &dim) { return dim.axis + " + " + dim.window; }) + "]*" + weight +
           ", " +
           joined(dims, ", ",
                  [&](const Dimension &dim) { return mirrors ? dim.kernel + " - 1 - " + dim.window : dim.window; }) +
           "])";
}

/// Zeros between and around the values at once.
std::string paddedAtOnce(const std::vector<Dimension> &dims) {
    std::vector<Dimension> innerFirst(dims.rbegin(), dims.rend());
    const auto letter = [](const Dimension &dim) {
        return dim.axis == "w" ? std::string("x") : dim.axis == "h" ? std::string("y") : std::string("z");
    };
    std::string text = pads(dims) + "data_pad(n < N, c < CI, ";
    text += joined(dims, ", ", [&](const Dimension &dim) { return letter(dim) + " < " + padded(dim); });
    text += ") = if_then_else(";
    text += joined(innerFirst, " && ", [&](const Dimension &dim) {
        const std::string x = letter(dim);
        return x + " >= " + first(dim) + " && " + x + " < " + first(dim) + " + " + spread(dim) + " && (" + x + " - " +
               first(dim) + ") % " + numbered("S", dim) + " == 0";
    });
    text += ", a[n, c, ";
    text += joined(dims, ", ", [&](const Dimension &dim) {
        return "(" + letter(dim) + " - " + first(dim) + ") // " + numbered("S", dim);
    });
    return text + "], 0)\n";
}

/// On x86 the convolution behind the padding is one of blocks of channels (convolution_patterns.cpp).
std::string blocked(const std::vector<Dimension> &dims) {
    return spreadAndPadded(dims) +
           "data_vec(bs < N, c < CI // IB, h < OH + KH - 1, w < OW + KW - 1, vc < IB) = data_pad[bs, c*IB + vc, h, "
           "w]\n" +
           mirrored(dims, "kernel_transform", "o < CO, i < CI") +
           "kernel_vec(occ < CO // OB, icc < CI // IB, k_h < KH, k_w < KW, icb < IB, ocb < OB) = "
           "kernel_transform[occ*OB + ocb, icc*IB + icb, k_h, k_w]\n"
           "conv \"conv2d_NCHWc\"(n < N, oc_chunk < CO // OB, oh < OH, ow < OW, oc_block < OB) = "
           "sum(ic < CI, kh < KH, kw < KW; data_vec[n, ic // IB, oh + kh, ow + kw, ic % IB]*"
           "kernel_vec[oc_chunk, ic // IB, kh, kw, ic % IB, oc_block])\n"
           "r \"output_unpack\"(n < N, c < CO, h < OH, w < OW) = conv[n, c // OB, h, w, c % OB]";
}

} // namespace

std::vector<OpPattern> transposedPatterns() {
    std::vector<OpPattern> all;
    for (const size_t space : {size_t{2}, size_t{1}, size_t{3}}) {
        const std::vector<Dimension> dims = dimensionsOf(space);
        std::vector<PatternWindow> windows;
        for (const Dimension &dim : dims) windows.push_back({WindowKind::Transposed, dim.in, dim.kernel, dim.out});
        const std::string name = "conv" + std::to_string(space) + "d_transpose_nc" +
                                 joined(dims, "", [](const Dimension &dim) { return dim.axis; });
        const std::string extents[] = {joined(dims, " ", [](const Dimension &dim) { return dim.in; }),
                                       joined(dims, " ", [](const Dimension &dim) { return dim.kernel; }),
                                       joined(dims, " ", [](const Dimension &dim) { return dim.out; })};
        const auto shapes = [&](const std::string &channels) {
            return "N CI " + extents[0] + ", CI " + channels + " " + extents[1] + " -> N CO " + extents[2];
        };
        const std::string what = joined(dims, "x", [](const Dimension &dim) { return "{" + dim.kernel + "}"; }) +
                                 ", {CO} channels, stride {S0}";
        const auto add = [&](const std::string &channels, const std::string &text) {
            all.push_back({name, shapes(channels), text, what, windows});
        };
        const std::string kernel = space == 1 ? "kernel" : "kernel_transform";
        if (space == 2)
            add("CO", "r = conv2d_transpose_nchw(a, b, [S0, S1], [P0, P1, Q0, Q1] $T, output_padding = [O0, O1])");
        else
            add("CO", spreadAndPadded(dims) + mirrored(dims, kernel, "o < CO, i < CI") +
                          product(dims, "CI", "dc", kernel + "[c, dc", false));
        add("CO", paddedAtOnce(dims) + product(dims, "CI", "dc", "b[dc, c", true));
        // Groups, which the second of the texts names even for one of them.
        const std::string group = "c // CG*(CI // (CO // CG)) + dc";
        if (space != 3)
            add("CG", paddedAtOnce(dims) + product(dims, "CI // (CO // CG)", group, "b[" + group + ", c % CG", true));
        const std::string axes = space == 2 ? "i < CG, o < CI" : "o < CG, i < CI";
        add("CG", spreadAndPadded(dims) + mirrored(dims, kernel, axes) +
                      product(dims, "CI // (CO // CG)", group, kernel + "[c % CG, " + group, false));
        if (space != 2) continue;
        add("CO", blocked(dims));
        all.back().details = "{KH}x{KW}, {CO} channels in blocks of {OB}, stride {S0}";
        all.back().divisors = {{"IB", "CI"}, {"OB", "CO"}};
    }
    all.push_back({"conv2d_transpose_nhwc",
                   "N H W CI, KH KW CI CO -> N OH OW CO",
                   "r = conv2d_transpose_nhwc(a, b, [S0, S1], [P0, P1, Q0, Q1] $T, output_padding = [O0, O1])",
                   "{KH}x{KW}, {CO} channels, stride {S0}",
                   {{WindowKind::Transposed, "H", "KH", "OH"}, {WindowKind::Transposed, "W", "KW", "OW"}}});
    all.back().paddingShows = true;
    return all;
}

} // namespace loopscope
