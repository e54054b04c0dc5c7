// Convolutions under the names that TVM's operator library gave them from 2020 on.

#include "records/resolve/op_patterns.h"

#include <string>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

using Names = std::vector<std::pair<std::string, std::string>>;

const std::vector<PatternWindow> kPlane = {{WindowKind::Convolution, "H", "KH", "OH"},
                                           {WindowKind::Convolution, "W", "KW", "OW"}};

std::vector<PatternWindow> plane(WindowKind kind) { return {{kind, "H", "KH", "OH"}, {kind, "W", "KW", "OW"}}; }

const std::string kPlaneArgs = "[S0, S1], [P0, P1, Q0, Q1], [D0, D1]";

/// On x86, channels first stands for blocks of channels: the inputs come packed, or the task packs them and puts the
/// result back in order.
std::vector<OpPattern> blockedPatterns() {
    const std::string packData = "data_vec(bs < N, c < CI // IB, h < H, w < W, vc < IB) = a[bs, c*IB + vc, h, w]\n";
    const std::string packWeight =
        "kernel_vec(occ < CO // OB, icc < CI // IB, k_h < KH, k_w < KW, icb < IB, ocb < OB) = "
        "b[occ*OB + ocb, icc*IB + icb, k_h, k_w]\n";
    const std::string packDepthwise = "kernel_vec(occ < CO // OB, icc < 1, k_h < KH, k_w < KW, icb < 1, ocb < OB) = "
                                      "b[(occ*OB + ocb) // 1, (occ*OB + ocb) % 1, k_h, k_w]\n";
    const std::string unpack = "r \"output_unpack\"(n < N, c < CO, h < OH, w < OW) = conv[n, c // OB, h, w, c % OB]";
    const auto pad = [](const std::string &name, const std::string &data, const std::string &chunks) {
        return name + "(i0 < N, i1 < " + chunks + ", i2 < H + P0 + Q0, i3 < W + P1 + Q1, i4 < IB) = " +
               "if_then_else(i2 >= P0 && i2 < H + P0 && i3 >= P1 && i3 < W + P1, " + data +
               "[i0, i1, i2 - P0, i3 - P1, i4], 0)\n";
    };
    const auto conv = [](const std::string &head, const std::string &data, const std::string &weight,
                         const std::string &out) {
        return head + "(n < N, oc_chunk < " + out +
               ", oh < OH, ow < OW, oc_block < OB) = sum(ic < CI, kh < KH, kw < KW; " + data +
               "[n, ic // IB, oh*S0 + kh*D0, ow*S1 + kw*D1, ic % IB]*" + weight +
               "[oc_chunk, ic // IB, kh, kw, ic % IB, oc_block])\n";
    };
    const auto depthwise = [](const std::string &head, const std::string &data, const std::string &weight) {
        return head + "(b < N, oco < CO // OB, oh < OH, ow < OW, oci < OB) = sum(kh < KH, kw < KW; " + data +
               "[b, (oco*OB + oci) // IB, oh*S0 + kh*D0, ow*S1 + kw*D1, (oco*OB + oci) % IB]*" + weight +
               "[oco, 0, kh, kw, 0, oci])\n";
    };
    const std::string what = "{KH}x{KW}, {CO} channels in blocks of {OB}, stride {S0}";
    const std::string whatPacked = "{KH}x{KW}, {OC} blocks of {OB} channels, stride {S0}";
    const std::string nchw = "N CI H W, CO CI KH KW -> N CO OH OW";
    const std::string depthwiseNchw = "N CO H W, CO 1 KH KW -> N CO OH OW";
    const std::string packed = "N IC H W IB, OC IC KH KW IB OB -> N OC OH OW OB";
    const std::vector<std::pair<std::string, std::string>> both = {{"IB", "CI"}, {"OB", "CO"}};
    std::vector<OpPattern> all;
    const auto add = [&](std::string name, const std::string &shapes, const std::string &text,
                         const std::string &details, const std::vector<std::pair<std::string, std::string>> &divisors,
                         WindowPads pads) {
        OpPattern pattern{std::move(name), shapes, text, details, kPlane};
        pattern.divisors = divisors;
        pattern.pads = pads;
        all.push_back(std::move(pattern));
    };
    const std::string inner = "conv \"conv2d_NCHWc\"";
    add("conv2d_nchw", nchw,
        packData + pad("data_pad", "data_vec", "CI // IB") + packWeight +
            conv(inner, "data_pad", "kernel_vec", "CO // OB") + unpack,
        what, both, WindowPads::Some);
    add("conv2d_nchw", nchw, packData + packWeight + conv(inner, "data_vec", "kernel_vec", "CO // OB") + unpack, what,
        both, WindowPads::None);
    add("conv2d_nchwc", packed,
        "let CI = IC*IB\n" + pad("data_pad", "a", "IC") + conv("r \"conv2d_NCHWc\"", "data_pad", "b", "OC"), whatPacked,
        {}, WindowPads::Some);
    add("conv2d_nchwc", packed, "let CI = IC*IB\n" + conv("r \"conv2d_NCHWc\"", "a", "b", "OC"), whatPacked, {},
        WindowPads::None);
    const std::vector<std::pair<std::string, std::string>> channels = {{"IB", "CO"}, {"OB", "CO"}};
    const std::string depth = "conv \"DepthwiseConv2d\"";
    const std::string packDepthData =
        "data_vec(bs < N, c < CO // IB, h < H, w < W, vc < IB) = a[bs, c*IB + vc, h, w]\n";
    add("depthwise_conv2d_nchw", depthwiseNchw,
        packDepthData + pad("PaddedInput", "data_vec", "CO // IB") + packDepthwise +
            depthwise(depth, "PaddedInput", "kernel_vec") + unpack,
        what, channels, WindowPads::Some);
    add("depthwise_conv2d_nchw", depthwiseNchw,
        packDepthData + packDepthwise + depthwise(depth, "data_vec", "kernel_vec") + unpack, what, channels,
        WindowPads::None);
    const std::string packedDepth = "N IC H W IB, OC 1 KH KW 1 OB -> N OC OH OW OB";
    add("depthwise_conv2d_nchwc", packedDepth,
        "let CO = OC*OB\n" + pad("PaddedInput", "a", "IC") + depthwise("r \"DepthwiseConv2d\"", "PaddedInput", "b"),
        whatPacked, {}, WindowPads::Some);
    add("depthwise_conv2d_nchwc", packedDepth, "let CO = OC*OB\n" + depthwise("r \"DepthwiseConv2d\"", "a", "b"),
        whatPacked, {}, WindowPads::None);
    return all;
}

} // namespace

std::vector<OpPattern> convolutionPatterns() {
    const std::string what = "{KH}x{KW}, {CO} channels, stride {S0}";
    const std::string nhwc = "N H W CI, KH KW CG CO -> N OH OW CO";
    const std::string nchw = "N CI H W, CO CG KH KW -> N CO OH OW";
    const std::string grouped = kPlaneArgs + ", CI // CG $T)";
    const std::vector<PatternWindow> space = {{WindowKind::Convolution, "D", "KD", "OD"}, kPlane[0], kPlane[1]};
    const std::string spaceArgs = "[S0, S1, S2], [P0, P1, P2, Q0, Q1, Q2], [D0, D1, D2], CI // CG $T)";
    const std::vector<PatternWindow> line = {{WindowKind::Convolution, "L", "K", "OL"}};
    const std::string lineArgs = "[S0], [P0, Q0], [D0], CI // CG $T)";
    const Names unnamedNchw = {{"conv2d_nchw", "compute"}, {"group_conv2d_nchw", "compute"}};

    std::vector<OpPattern> all;
    // 2020 had names of its own for the layout it tuned, and none for the other.
    const std::string r2d = "r = conv2d_nhwc(a, b, ";
    all.push_back({"conv2d_nhwc", nhwc, r2d + grouped, what, kPlane});
    all.push_back({"conv2d_nhwc", nhwc, r2d + grouped, what, kPlane,
                   Names{{"pad_temp", "PaddedInput"}, {"conv2d_nhwc", "Conv2dOutput"}}});
    all.push_back({"conv2d_nhwc", nhwc, r2d + grouped, what, kPlane, Names{{"conv2d_nhwc", "Conv2dOutput"}}});
    all.push_back({"conv2d_nhwc", nhwc, r2d + grouped, what, kPlane, Names{{"group_conv2d_nhwc", "compute"}}});
    all.push_back({"conv2d_nchw", nchw, "r = conv2d_nchw(a, b, " + grouped, what, kPlane});
    all.push_back({"conv2d_nchw", nchw, "r = conv2d_nchw(a, b, " + grouped, what, kPlane, unnamedNchw});
    all.push_back({"conv2d_winograd_nhwc", "N H W CI, M+2 M+2 CO CI -> N OH OW CO",
                   "r = conv2d_winograd_nhwc(a, b, [P0, P1, Q0, Q1], M)", "{CO} channels, tiles of {M}",
                   plane(WindowKind::Winograd)});
    for (const std::string tile : {"4", "2"}) {
        const std::string args = "(a, b, [P0, P1, Q0, Q1], " + tile + ", 0)";
        const std::string whatRaw = "{CO} channels, tiles of " + tile + ", weights as they are";
        all.push_back({"conv2d_winograd_nhwc", "N H W CI, 3 3 CI CO -> N OH OW CO", "r = conv2d_winograd_nhwc" + args,
                       whatRaw, plane(WindowKind::Winograd)});
        all.push_back({"conv2d_winograd_nchw", "N CI H W, CO CI 3 3 -> N CO OH OW", "r = conv2d_winograd_nchw" + args,
                       whatRaw, plane(WindowKind::Winograd)});
    }
    all.push_back({"conv2d_winograd_nchw", "N CI H W, M+2 M+2 CI CO -> N CO OH OW",
                   "r = conv2d_winograd_nchw(a, b, [P0, P1, Q0, Q1], M)", "{CO} channels, tiles of {M}",
                   plane(WindowKind::Winograd)});
    const std::string depthwise = "{KH}x{KW}, stride {S0}";
    all.push_back({"depthwise_conv2d_nhwc", "N H W C, KH KW C M -> N OH OW C*M",
                   "r = depthwise_conv2d_nhwc(a, b, " + kPlaneArgs + " $T)", depthwise, kPlane});
    all.push_back({"depthwise_conv2d_nchw", "N C H W, C M KH KW -> N C*M OH OW",
                   "r = depthwise_conv2d_nchw(a, b, " + kPlaneArgs + " $T)", depthwise, kPlane});
    all.push_back({"conv1d_ncw", "N CI L, CO CG K -> N CO OL", "r = conv1d_ncl(a, b, " + lineArgs,
                   "{K}, {CO} channels, stride {S0}", line});
    all.push_back({"conv1d_ncw", "N CI L, CO CG K -> N CO OL", "r = conv1d_ncl(a, b, " + lineArgs,
                   "{K}, {CO} channels, stride {S0}", line, Names{{"conv1d_ncw", "compute"}}});
    all.push_back({"conv1d_nwc", "N L CI, K CG CO -> N OL CO", "r = conv1d_nlc(a, b, " + lineArgs,
                   "{K}, {CO} channels, stride {S0}", line});
    const std::string whatSpace = "{KD}x{KH}x{KW}, {CO} channels, stride {S0}";
    all.push_back({"conv3d_ncdhw", "N CI D H W, CO CG KD KH KW -> N CO OD OH OW", "r = conv3d_ncdhw(a, b, " + spaceArgs,
                   whatSpace, space});
    all.push_back({"conv3d_ndhwc", "N D H W CI, KD KH KW CG CO -> N OD OH OW CO", "r = conv3d_ndhwc(a, b, " + spaceArgs,
                   whatSpace, space});
    // Before conv2d and conv3d were one, the depth had the letter z.
    const Names spaceAxes = {{"yy", "zz"}, {"xx", "yy"}, {"zz", "xx"}, {"ry", "rz"}, {"rx", "ry"}, {"rz", "rx"}};
    all.push_back({"conv3d_ncdhw", "N CI D H W, CO CG KD KH KW -> N CO OD OH OW", "r = conv3d_ncdhw(a, b, " + spaceArgs,
                   whatSpace, space, Names{{"conv3d_ncdhw", "compute"}}, spaceAxes});
    all.push_back({"conv3d_ndhwc", "N D H W CI, KD KH KW CG CO -> N OD OH OW CO", "r = conv3d_ndhwc(a, b, " + spaceArgs,
                   whatSpace, space, Names{{"pad_temp", "PaddedInput"}, {"conv3d_ndhwc", "Conv3dOutput"}}, spaceAxes});
    for (OpPattern &pattern : blockedPatterns()) all.push_back(std::move(pattern));
    return all;
}

} // namespace loopscope
