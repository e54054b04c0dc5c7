// Winograd convolution 3x3, stride 1: tiles of the input and the kernel are transformed, multiplied, and transformed
// back. The transform matrices are computed constants (attribute const_matrix). Channels last, the search is told to
// unroll their indices (auto_scheduler_simplify_const_tensor_indices); channels first, the transforms are left to its
// own rules, as in Ansor.

#include "language/te/operators/building.h"
#include "language/te/operators/families.h"
#include "language/te/operators/winograd_matrices.h"
#include "language/te/operators/winograd_parts.h"

#include <array>

namespace loopscope {

namespace {

Attrs unrolled(bool channelsLast, std::vector<std::string> axes) {
    if (!channelsLast) return {};
    return {{"auto_scheduler_simplify_const_tensor_indices", std::move(axes)}};
}

const Tensor *winograd(OperatorCall &call, bool channelsLast) {
    const bool transformed = call.integer("transformed_weight") != 0;
    const WinogradParts parts = winogradParts(call, channelsLast, transformed);
    const Tensor &padded = *parts.padded;
    const Tensor &weight = call.tensor("weight");
    const DType type = weight.dtype;
    constexpr int64_t r = WinogradParts::r;
    const int64_t m = parts.m;
    const int64_t alpha = parts.alpha();
    const auto [batch, ci, co] = std::array{parts.batch, parts.ci, parts.co};
    const int64_t *out = parts.out;
    const int64_t *tiles = parts.tiles;
    const WinogradMatrices matrices = winogradMatrices(m, r);
    const int64_t tileCount = parts.tileCount();

    Axis eps = makeAxis("eps", alpha);
    Axis nu = makeAxis("nu", alpha);
    Axis p = makeAxis("p", tileCount);
    Axis c = makeAxis("ci", ci);
    const auto tileIndex = [&](const Axis &position) {
        const Expr image = floorDiv(position.var, tiles[0] * tiles[1]);
        const Expr y = floorMod(floorDiv(position.var, tiles[1]), tiles[0]) * m + eps.var;
        const Expr x = floorMod(position.var, tiles[1]) * m + nu.var;
        return channelsLast ? load(padded, {image, y, x, c.var}) : load(padded, {image, c.var, y, x});
    };
    const Tensor &inputTile = call.addOp(
        makeCompute("input_tile", channelsLast ? std::vector<Axis>{eps, nu, p, c} : std::vector<Axis>{c, p, eps, nu},
                    {tileIndex(p)}));

    const Tensor &dataMatrix = call.addOp(constMatrixOp("B", matrices.data, type));
    eps = makeAxis("eps", alpha);
    nu = makeAxis("nu", alpha);
    p = makeAxis("p", tileCount);
    c = makeAxis("ci", ci);
    Axis ra = makeAxis("r_a", alpha);
    Axis rb = makeAxis("r_b", alpha);
    Expr tile = channelsLast ? load(inputTile, {ra.var, rb.var, p.var, c.var})
                             : load(inputTile, {c.var, p.var, ra.var, rb.var});
    const Tensor &dataPack = call.addOp(
        sumOp("data_pack", channelsLast ? std::vector<Axis>{eps, nu, p, c} : std::vector<Axis>{eps, nu, c, p}, {ra, rb},
              tile * load(dataMatrix, {ra.var, eps.var}) * load(dataMatrix, {rb.var, nu.var}),
              unrolled(channelsLast, {"eps", "nu", "r_a", "r_b"})));

    const Tensor *kernel = &weight;
    if (!transformed) {
        const Tensor &kernelMatrix = call.addOp(constMatrixOp("G", matrices.kernel, type));
        const Axis e = makeAxis("eps", alpha);
        const Axis n = makeAxis("nu", alpha);
        const Axis i = makeAxis("ci", ci);
        const Axis o = makeAxis("co", co);
        const Axis kh = makeAxis("r_kh", r);
        const Axis kw = makeAxis("r_kw", r);
        const Expr raw =
            channelsLast ? load(weight, {kh.var, kw.var, i.var, o.var}) : load(weight, {o.var, i.var, kh.var, kw.var});
        kernel = &call.addOp(
            sumOp("kernel_pack", channelsLast ? std::vector<Axis>{e, n, o, i} : std::vector<Axis>{e, n, i, o}, {kh, kw},
                  raw * load(kernelMatrix, {e.var, kh.var}) * load(kernelMatrix, {n.var, kw.var}),
                  unrolled(channelsLast, {"eps", "nu", "r_kh", "r_kw"})));
    }

    eps = makeAxis("eps", alpha);
    nu = makeAxis("nu", alpha);
    p = makeAxis("p", tileCount);
    c = makeAxis("ci", ci);
    Axis o = makeAxis("co", co);
    const Expr packed = channelsLast ? load(dataPack, {eps.var, nu.var, p.var, c.var})
                                     : load(dataPack, {eps.var, nu.var, c.var, p.var});
    const Expr filter =
        channelsLast ? load(*kernel, {eps.var, nu.var, o.var, c.var}) : load(*kernel, {eps.var, nu.var, c.var, o.var});
    const Tensor &product =
        call.addOp(sumOp("bgemm", channelsLast ? std::vector<Axis>{eps, nu, p, o} : std::vector<Axis>{eps, nu, o, p},
                         {c}, packed * filter, weightAttrs(call, *kernel)));

    const Tensor &inverseMatrix = call.addOp(constMatrixOp("A", matrices.inverse, type));
    const Axis vh = makeAxis("vh", m);
    const Axis vw = makeAxis("vw", m);
    p = makeAxis("p", tileCount);
    o = makeAxis("co", co);
    ra = makeAxis("r_a", alpha);
    rb = makeAxis("r_b", alpha);
    tile = channelsLast ? load(product, {ra.var, rb.var, p.var, o.var}) : load(product, {ra.var, rb.var, o.var, p.var});
    const Tensor &inverse =
        call.addOp(sumOp("inverse", channelsLast ? std::vector<Axis>{vh, vw, p, o} : std::vector<Axis>{o, p, vh, vw},
                         {ra, rb}, tile * load(inverseMatrix, {ra.var, vh.var}) * load(inverseMatrix, {rb.var, vw.var}),
                         unrolled(channelsLast, {"vh", "vw", "r_a", "r_b"})));

    const Axis n = makeAxis("n", batch);
    const Axis h = makeAxis("h", out[0]);
    const Axis w = makeAxis("w", out[1]);
    o = makeAxis("co", co);
    const Expr at = n.var * tiles[0] * tiles[1] + floorDiv(h.var, m) * tiles[1] + floorDiv(w.var, m);
    const Expr y = floorMod(h.var, m);
    const Expr x = floorMod(w.var, m);
    const Expr value = channelsLast ? load(inverse, {y, x, at, o.var}) : load(inverse, {o.var, at, y, x});
    return &call.addOp(makeCompute(call.resultName("conv2d_winograd"),
                                   channelsLast ? std::vector<Axis>{n, h, w, o} : std::vector<Axis>{n, o, h, w},
                                   {value}));
}

const Tensor *winogradNhwc(OperatorCall &call) { return winograd(call, true); }
const Tensor *winogradNchw(OperatorCall &call) { return winograd(call, false); }

} // namespace

const std::vector<OperatorSpec> &winogradSpecs() {
    static const std::vector<OperatorArg> args = {
        tensorArg("data"), tensorArg("weight"), intsArg("pad", 0), intArg("tile", 4), intArg("transformed_weight", 1),
        layoutFreeArg()};
    static const std::vector<OperatorSpec> table = {
        {"conv2d_winograd_nhwc",
         "3x3 convolution of data[N, H, W, CI]; weight[tile+2, tile+2, CO, CI], or raw [3, 3, CI, CO]", args,
         winogradNhwc},
        {"conv2d_winograd_nchw",
         "3x3 convolution of data[N, CI, H, W]; weight[tile+2, tile+2, CI, CO], or raw [CO, CI, 3, 3]", args,
         winogradNchw},
        winogradTiledSpec(),
    };
    return table;
}

} // namespace loopscope
