// Winograd convolution in two operators: the weights' transform, which is folded where weights are constants, and the
// rest, whose tiles lie along vectors.

#include "language/te/operators/winograd_matrices.h"
#include "networks/op_compute/emission.h"

namespace loopscope {

namespace {

std::vector<const Tensor *> winogradWeight(Emission &e) {
    const Tensor &w = e.input();
    const int64_t tile = e.use().integer("tile");
    const WinogradMatrices matrices = winogradMatrices(tile, 3);
    const Tensor &g = e.add(constMatrixOp("G", matrices.kernel, w.dtype));
    const Axis eps = makeAxis("eps", tile + 2);
    const Axis nu = makeAxis("nu", tile + 2);
    const Axis ci = makeAxis("ci", w.shape[1]);
    const Axis co = makeAxis("co", w.shape[0]);
    const Axis kh = makeAxis("r_kh", 3);
    const Axis kw = makeAxis("r_kw", 3);
    return {&e.add(
        sumOp("kernel_pack", {eps, nu, ci, co}, {kh, kw},
              load(w, {co.var, ci.var, kh.var, kw.var}) * load(g, {eps.var, kh.var}) * load(g, {nu.var, kw.var})))};
}

std::vector<const Tensor *> winogradConv(Emission &e) {
    const Tensor &result = e.call(
        "conv2d_winograd_tiled", {&e.input(0), &e.input(1)},
        {{"pad", e.perDimension("pads", 4, 0)}, {"tile", e.use().integer("tile")}, {"layout_free", e.layoutFree(1)}});
    return {e.plusBias(&result, 2)};
}

} // namespace

EmitTable winogradEmissions() { return {{"winograd_weight", winogradWeight}, {"winograd_conv", winogradConv}}; }

} // namespace loopscope
