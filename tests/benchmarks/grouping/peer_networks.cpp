// Products and sums of neural networks.
#include "peer_pipelines.h"

namespace loopscope::peer {

namespace {

using namespace Halide;

PeerPipeline matmul(const Sizes &sizes) {
    const Var x("x");
    const Var y("y");
    ImageParam a(Float(32), 2, "A");
    ImageParam b(Float(32), 2, "B");
    const RDom k(0, sizeOf(sizes, "N"), "k");
    Func prod("prod");
    Func out("out");
    prod(x, y) = 0.0F;
    prod(x, y) += a(k, y) * b(x, k);
    out(x, y) = prod(x, y);
    return {{a, b}, {out}, {}};
}

PeerPipeline convRelu(const Sizes &sizes) {
    const Var co("co");
    const Var x("x");
    const Var y("y");
    const Var n("n");
    ImageParam in(Float(32), 4, "in");
    ImageParam filter(Float(32), 4, "filter");
    ImageParam bias(Float(32), 1, "bias");
    const RDom r(0, sizeOf(sizes, "CI"), 0, 3, 0, 3, "r");
    Func conv("conv");
    Func relu("relu");
    conv(co, x, y, n) = bias(co);
    conv(co, x, y, n) += filter(co, r.z, r.y, r.x) * in(r.x, x + r.z, y + r.y, n);
    relu(co, x, y, n) = max(conv(co, x, y, n), 0.0F);
    return {{in, filter, bias}, {relu}, {}};
}

PeerPipeline convChain(const Sizes &sizes) {
    const Var x("x");
    const Var y("y");
    const Var c("c");
    ImageParam in(Float(32), 3, "in");
    PeerPipeline peer;
    peer.inputs.push_back(in);
    Func before = in;
    for (int layer = 1; layer <= 3; ++layer) {
        const std::string number = "_" + std::to_string(layer);
        ImageParam filter(Float(32), 4, "filter" + number);
        ImageParam bias(Float(32), 1, "bias" + number);
        const RDom r(0, 3, 0, 3, 0, sizeOf(sizes, "C"), "r" + number);
        Func conv("conv" + number);
        Func relu("relu" + number);
        conv(x, y, c) = 0.0F;
        conv(x, y, c) += filter(r.x, r.y, r.z, c) * before(x + r.x, y + r.y, r.z);
        relu(x, y, c) = max(conv(x, y, c) + bias(c), 0.0F);
        peer.inputs.push_back(filter);
        peer.inputs.push_back(bias);
        before = relu;
    }
    peer.outputs.push_back(before);
    return peer;
}

PeerPipeline depthwiseSeparable(const Sizes &sizes) {
    const Var d("d");
    const Var o("o");
    const Var x("x");
    const Var y("y");
    const Var b("b");
    const int perChannel = sizeOf(sizes, "CM");
    ImageParam in(Float(32), 4, "in");
    ImageParam wd(Float(32), 4, "wd");
    ImageParam wp(Float(32), 2, "wp");
    ImageParam bias(Float(32), 1, "bias");
    const Func padded = BoundaryConditions::constant_exterior(
        in, 0.0F, {{Expr(), Expr()}, {0, in.dim(1).extent()}, {0, in.dim(2).extent()}, {Expr(), Expr()}});
    const RDom r(0, perChannel, 0, 3, 0, 3, "r");
    Func dw("dw");
    dw(d, x, y, b) = 0.0F;
    dw(d, x, y, b) += wd(r.x, d, r.y, r.z) * padded(d / perChannel, x + r.y - 1, y + r.z - 1, b);
    const RDom k(0, sizeOf(sizes, "CI") * perChannel, "k");
    Func pw("pw");
    pw(o, x, y, b) = bias(o);
    pw(o, x, y, b) += wp(o, k) * dw(k, x, y, b);
    Func output("output");
    output(o, x, y, b) = max(pw(o, x, y, b), 0.0F);
    return {{in, wd, wp, bias}, {output}, {}};
}

PeerPipeline softmax(const Sizes &sizes) {
    const Var x("x");
    const Var y("y");
    ImageParam in(Float(32), 2, "in");
    const RDom r(0, sizeOf(sizes, "W"), "r");
    Func most("row_max");
    most(y) = Float(32).min();
    most(y) = max(most(y), in(r, y));
    Func e("e");
    e(x, y) = exp(in(x, y) - most(y));
    Func s("s");
    s(y) = 0.0F;
    s(y) += e(r, y);
    Func output("output");
    output(x, y) = e(x, y) / s(y);
    return {{in}, {output}, {}};
}

} // namespace

const std::vector<NamedPeer> &networkPeers() {
    static const std::vector<NamedPeer> all = {
        {"matmul", matmul},        {"conv_relu", convRelu},
        {"conv_chain", convChain}, {"depthwise_separable", depthwiseSeparable},
        {"softmax", softmax},
    };
    return all;
}

} // namespace loopscope::peer
