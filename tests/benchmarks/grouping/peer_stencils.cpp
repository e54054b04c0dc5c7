// Stencils on pictures.
#include "peer_pipelines.h"

namespace loopscope::peer {

namespace {

using namespace Halide;

template <typename T> PeerPipeline blur(const Sizes & /*sizes*/) {
    const Var x("x");
    const Var y("y");
    ImageParam in(type_of<T>(), 2, "in");
    Func bx("bx");
    Func by("by");
    bx(x, y) = (in(x, y) + in(x + 1, y) + in(x + 2, y)) / 3;
    by(x, y) = (bx(x, y) + bx(x, y + 1) + bx(x, y + 2)) / 3;
    return {{in}, {by}, {}};
}

PeerPipeline unsharp(const Sizes & /*sizes*/) {
    const Var x("x");
    const Var y("y");
    const Var c("c");
    const Var i("i");
    ImageParam in(Float(32), 3, "in");
    Func kernel("kernel");
    kernel(i) = exp(cast<float>(-i * i) * 0.22222222F) * 0.26596152F;
    const Func edge = BoundaryConditions::repeat_edge(in);
    Func gray("gray");
    gray(x, y) = 0.299F * edge(x, y, 0) + 0.587F * edge(x, y, 1) + 0.114F * edge(x, y, 2);
    Func blurY("blur_y");
    blurY(x, y) = kernel(0) * gray(x, y) + kernel(1) * (gray(x, y - 1) + gray(x, y + 1)) +
                  kernel(2) * (gray(x, y - 2) + gray(x, y + 2)) + kernel(3) * (gray(x, y - 3) + gray(x, y + 3));
    Func blurX("blur_x");
    blurX(x, y) = kernel(0) * blurY(x, y) + kernel(1) * (blurY(x - 1, y) + blurY(x + 1, y)) +
                  kernel(2) * (blurY(x - 2, y) + blurY(x + 2, y)) + kernel(3) * (blurY(x - 3, y) + blurY(x + 3, y));
    Func sharpen("sharpen");
    sharpen(x, y) = 2 * gray(x, y) - blurX(x, y);
    Func ratio("ratio");
    ratio(x, y) = sharpen(x, y) / gray(x, y);
    Func output("output");
    output(x, y, c) = ratio(x, y) * in(x, y, c);
    return {{in}, {output}, {}};
}

Expr sumOfNine(const Func &f, const Var &x, const Var &y) {
    return f(x - 1, y - 1) + f(x - 1, y) + f(x - 1, y + 1) + f(x, y - 1) + f(x, y) + f(x, y + 1) + f(x + 1, y - 1) +
           f(x + 1, y) + f(x + 1, y + 1);
}

PeerPipeline harris(const Sizes & /*sizes*/) {
    const Var x("x");
    const Var y("y");
    ImageParam in(Float(32), 3, "in");
    Func gray("gray");
    gray(x, y) = 0.299F * in(x, y, 0) + 0.587F * in(x, y, 1) + 0.114F * in(x, y, 2);
    Func iy("Iy");
    iy(x, y) = gray(x - 1, y - 1) * (-1.0F / 12) + gray(x - 1, y + 1) * (1.0F / 12) + gray(x, y - 1) * (-2.0F / 12) +
               gray(x, y + 1) * (2.0F / 12) + gray(x + 1, y - 1) * (-1.0F / 12) + gray(x + 1, y + 1) * (1.0F / 12);
    Func ix("Ix");
    ix(x, y) = gray(x - 1, y - 1) * (-1.0F / 12) + gray(x + 1, y - 1) * (1.0F / 12) + gray(x - 1, y) * (-2.0F / 12) +
               gray(x + 1, y) * (2.0F / 12) + gray(x - 1, y + 1) * (-1.0F / 12) + gray(x + 1, y + 1) * (1.0F / 12);
    Func ixx("Ixx");
    Func iyy("Iyy");
    Func ixy("Ixy");
    ixx(x, y) = ix(x, y) * ix(x, y);
    iyy(x, y) = iy(x, y) * iy(x, y);
    ixy(x, y) = ix(x, y) * iy(x, y);
    Func sxx("Sxx");
    Func syy("Syy");
    Func sxy("Sxy");
    sxx(x, y) = sumOfNine(ixx, x, y);
    syy(x, y) = sumOfNine(iyy, x, y);
    sxy(x, y) = sumOfNine(ixy, x, y);
    Func det("det");
    Func trace("trace");
    Func output("output");
    det(x, y) = sxx(x, y) * syy(x, y) - sxy(x, y) * sxy(x, y);
    trace(x, y) = sxx(x, y) + syy(x, y);
    output(x, y) = det(x, y) - 0.04F * trace(x, y) * trace(x, y);
    return {{in}, {output}, {3, 3}};
}

PeerPipeline stencilChain(const Sizes & /*sizes*/) {
    const Var x("x");
    const Var y("y");
    ImageParam in(UInt(16), 2, "in");
    Func before = BoundaryConditions::repeat_edge(in);
    for (int s = 0; s < 32; ++s) {
        Func stage("stage_" + std::to_string(s));
        Expr sum = cast<uint16_t>(0);
        for (int i = -2; i <= 2; ++i)
            for (int j = -2; j <= 2; ++j) sum += cast<uint16_t>((i + 3) * (j + 3)) * before(x + i, y + j);
        stage(x, y) = sum;
        before = stage;
    }
    Func output("output");
    output(x, y) = before(x, y);
    return {{in}, {output}, {}};
}

PeerPipeline costFunction(const Sizes & /*sizes*/) {
    const Var x("x");
    const Var y("y");
    ImageParam in(UInt(16), 2, "in");
    Func before("s0");
    before(x, y) = (in(x, y) + in(x + 1, y) + in(x + 2, y)) / 3;
    for (int s = 1; s < 15; ++s) {
        Func stage("s" + std::to_string(s));
        stage(x, y) = (before(x, y) + before(x, y + 1) + before(x, y + 2)) / 3;
        before = stage;
    }
    return {{in}, {before}, {}};
}

PeerPipeline multiOutput(const Sizes & /*sizes*/) {
    const Var x("x");
    const Var y("y");
    ImageParam in(UInt(16), 2, "in");
    Func f("f");
    Func g("g");
    Func h("h");
    f(x, y) = in(x, y) * in(x, y);
    g(x, y) = f(x, y) + f(x + 1, y);
    h(x, y) = f(x, y) + f(x, y + 1);
    return {{in}, {g, h}, {}};
}

PeerPipeline tileVsInline(const Sizes & /*sizes*/) {
    const Var x("x");
    const Var y("y");
    const Var z("z");
    const Var c("c");
    ImageParam in(UInt(16), 3, "in");
    Func f("f");
    Func g("g");
    f(x, y, z, c) = in(x, y, c) - in(x, z, c);
    g(x, y, c) = f(x, y, (x + y) % 10, c) + f(x, y + 1, (x * y) % 10, c) + f(x, y + 2, (x - y) % 10, c) +
                 f(x + 1, y, x % 10, c) + f(x + 2, y, y % 10, c);
    return {{in}, {g}, {}};
}

PeerPipeline overlap(const Sizes & /*sizes*/) {
    const Var x("x");
    const Var y("y");
    ImageParam in(Float(32), 2, "in");
    Func before("down_0");
    before(x, y) = in(x, y);
    for (int s = 1; s < 10; ++s) {
        Func down("down_" + std::to_string(s));
        down(x, y) = (before(2 * x, y) + before(2 * x + 1, y)) / 2;
        before = down;
    }
    Func first("up_0");
    first(x, y) = before(x, y);
    before = first;
    for (int s = 1; s < 10; ++s) {
        Func up("up_" + std::to_string(s));
        up(x, y) = (before(x / 2, y) + before((x + 1) / 2, y)) / 2;
        before = up;
    }
    return {{in}, {before}, {}};
}

} // namespace

const std::vector<NamedPeer> &stencilPeers() {
    static const std::vector<NamedPeer> all = {
        {"blur", blur<float>},
        {"blur uint16", blur<uint16_t>},
        {"unsharp", unsharp},
        {"harris", harris},
        {"stencil_chain", stencilChain},
        {"cost_function", costFunction},
        {"multi_output", multiOutput},
        {"tile_vs_inline", tileVsInline},
        {"overlap", overlap},
    };
    return all;
}

} // namespace loopscope::peer
