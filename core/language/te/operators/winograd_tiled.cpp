// Winograd convolution 3x3, stride 1, channels first, for vectors (beyond TVM's library). Tiles are innermost in every
// tensor, so that the sums of the transforms are of whole vectors of tiles, and the transforms go along rows and then
// along columns: of an input tile of 6 x 6, 432 products instead of the 1296 of both ways at once. The two
// indices of a product are unrolled, so that the matrices' elements fold into the code
// (auto_scheduler_simplify_const_tensor_indices), and the tiles go inside (vectors_inside_const_tensor_indices). There
// are as many tiles as fill vectors of eight: those beyond the last compute what nobody reads.

#include "language/te/operators/building.h"
#include "language/te/operators/families.h"
#include "language/te/operators/winograd_matrices.h"
#include "language/te/operators/winograd_parts.h"

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

/// from[c, .., r, .., p] times matrix[r, x], summed over r, which is at `dim` (1 or 2); x takes its place. The axes are
/// named after `names`, in the order of `from`; those of the window come first in the result where `windowFirst` says
/// so.
const Tensor &alongDim(OperatorCall &call, const char *name, const Tensor &from, const Tensor &matrix, size_t dim,
                       const std::array<const char *, 4> &names, bool windowFirst = false) {
    std::vector<Axis> axes;
    for (size_t d = 0; d < names.size(); ++d)
        axes.push_back(makeAxis(names[d], d == dim ? matrix.shape[1] : from.shape[d]));
    const Axis r = makeAxis("r", from.shape[dim]);
    std::vector<Expr> read = varsOf(axes);
    read[dim] = r.var;
    const Expr product = load(from, read) * load(matrix, {r.var, axes[dim].var});
    if (windowFirst) std::rotate(axes.begin(), axes.begin() + 1, axes.begin() + 3);
    return call.addOp(
        sumOp(name, axes, {r}, product,
              {{"auto_scheduler_simplify_const_tensor_indices", std::vector<std::string>{names[dim], "r"}},
               {"vectors_inside_const_tensor_indices", int64_t{1}}}));
}

int64_t inWholeVectors(int64_t tiles) {
    constexpr int64_t kLanes = 8;
    return tiles <= kLanes ? tiles : (tiles + kLanes - 1) / kLanes * kLanes;
}

const Tensor *tiled(OperatorCall &call) {
    const WinogradParts parts = winogradParts(call, false, true);
    const Tensor &weight = call.tensor("weight");
    const WinogradMatrices matrices = winogradMatrices(parts.m, WinogradParts::r);
    const int64_t across = parts.tiles[1];
    const int64_t ofImage = parts.tiles[0] * across;
    const int64_t tiles = inWholeVectors(parts.tileCount());

    const Axis ci = makeAxis("ci", parts.ci);
    const Axis eps = makeAxis("eps", parts.alpha());
    const Axis nu = makeAxis("nu", parts.alpha());
    const Axis p = makeAxis("p", tiles);
    const Expr image = floorMod(floorDiv(p.var, ofImage), parts.batch); // that of tiles that fill up does not matter
    const Expr row = floorMod(floorDiv(p.var, across), parts.tiles[0]) * parts.m + eps.var;
    const Expr column = floorMod(p.var, across) * parts.m + nu.var;
    const Tensor &inputTile =
        call.addOp(makeCompute("input_tile", {ci, eps, nu, p}, {load(*parts.padded, {image, ci.var, row, column})}));
    const Tensor &b = call.addOp(constMatrixOp("B", matrices.data, weight.dtype));
    const Tensor &dataRows = alongDim(call, "data_rows", inputTile, b, 1, {"ci", "eps", "nu", "p"});
    const Tensor &dataPack = alongDim(call, "data_pack", dataRows, b, 2, {"ci", "eps", "nu", "p"}, true);

    const std::vector<Axis> place = {makeAxis("eps", parts.alpha()), makeAxis("nu", parts.alpha()),
                                     makeAxis("co", parts.co), makeAxis("p", tiles)};
    const Axis sum = makeAxis("ci", parts.ci);
    const Tensor &product = call.addOp(sumOp("bgemm", {place[2], place[0], place[1], place[3]}, {sum},
                                             load(dataPack, {place[0].var, place[1].var, sum.var, place[3].var}) *
                                                 load(weight, {place[0].var, place[1].var, sum.var, place[2].var}),
                                             weightAttrs(call, weight)));

    const Tensor &a = call.addOp(constMatrixOp("A", matrices.inverse, weight.dtype));
    const Tensor &inverseRows = alongDim(call, "inverse_rows", product, a, 1, {"co", "vh", "nu", "p"});
    const Tensor &inverse = alongDim(call, "inverse", inverseRows, a, 2, {"co", "vh", "vw", "p"});

    const std::vector<Axis> result = {makeAxis("n", parts.batch), makeAxis("co", parts.co), makeAxis("h", parts.out[0]),
                                      makeAxis("w", parts.out[1])};
    const Expr tile =
        result[0].var * ofImage + floorDiv(result[2].var, parts.m) * across + floorDiv(result[3].var, parts.m);
    return &call.addOp(makeCompute(
        call.resultName("conv2d_winograd"), result,
        {load(inverse, {result[1].var, floorMod(result[2].var, parts.m), floorMod(result[3].var, parts.m), tile})}));
}

} // namespace

OperatorSpec winogradTiledSpec() {
    return {"conv2d_winograd_tiled",
            "3x3 convolution of data[N, CI, H, W]; weight[tile+2, tile+2, CI, CO]; tiles lie along vectors",
            {tensorArg("data"), tensorArg("weight"), intsArg("pad", 0), intArg("tile", 4), layoutFreeArg()},
            tiled};
}

} // namespace loopscope
