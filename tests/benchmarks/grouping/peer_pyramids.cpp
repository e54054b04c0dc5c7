// Pictures at many scales.
#include "peer_pipelines.h"

namespace loopscope::peer {

namespace {

using namespace Halide;

std::string numbered(const char *name, int number) { return std::string(name) + "_" + std::to_string(number); }

PeerPipeline interpolate(const Sizes &sizes) {
    const Var x("x");
    const Var y("y");
    const Var c("c");
    constexpr int levels = 10;
    const int lastX = sizeOf(sizes, "W") / 8;
    const int lastY = sizeOf(sizes, "H") / 8;
    ImageParam in(Float(32), 3, "in");
    const Func edge = BoundaryConditions::repeat_edge(in, {{0, in.dim(0).extent()}, {0, in.dim(1).extent()}});
    std::vector<Func> down;
    Func first("d_0");
    first(x, y, c) = select(c < 3, edge(x, y, c) * edge(x, y, 3), edge(x, y, 3));
    down.push_back(first);
    for (int l = 1; l < levels; ++l) {
        Func before = down.back();
        if (l == 4) {
            Func within("within_3");
            within(x, y, c) = before(clamp(x, 0, lastX), clamp(y, 0, lastY), c);
            before = within;
        }
        Func downX(numbered("downx", l));
        Func next(numbered("d", l));
        downX(x, y, c) = (before(2 * x - 1, y, c) + before(2 * x, y, c) * 2 + before(2 * x + 1, y, c)) * 0.25F;
        next(x, y, c) = (downX(x, 2 * y - 1, c) + downX(x, 2 * y, c) * 2 + downX(x, 2 * y + 1, c)) * 0.25F;
        down.push_back(next);
    }
    Func above(numbered("i", levels - 1));
    above(x, y, c) = down.back()(x, y, c);
    for (int l = levels - 2; l >= 0; --l) {
        const Func &level = down[static_cast<size_t>(l)];
        Func upX(numbered("ux", l));
        Func up(numbered("u", l));
        Func next(numbered("i", l));
        upX(x, y, c) = (above(x / 2, y, c) + above((x + 1) / 2, y, c)) / 2;
        up(x, y, c) = (upX(x, y / 2, c) + upX(x, (y + 1) / 2, c)) / 2;
        next(x, y, c) = level(x, y, c) + (1 - level(x, y, 3)) * up(x, y, c);
        above = next;
    }
    Func output("output");
    output(x, y, c) = above(x, y, c) / above(x, y, 3);
    return {{in}, {output}, {}};
}

/// A level of half the size; `tail`: axes behind x and y.
Func halved(const Func &from, const std::string &name, const Var &x, const Var &y, const std::vector<Var> &tail) {
    const auto at = [&](const Func &f, const Expr &column, const Expr &row) {
        std::vector<Expr> where = {column, row};
        where.insert(where.end(), tail.begin(), tail.end());
        return f(where);
    };
    std::vector<Var> here = {x, y};
    here.insert(here.end(), tail.begin(), tail.end());
    Func along("down" + name);
    Func down(name);
    along(here) =
        (at(from, x, 2 * y - 1) + (at(from, x, 2 * y) + at(from, x, 2 * y + 1)) * 3 + at(from, x, 2 * y + 2)) / 8;
    down(here) =
        (at(along, 2 * x - 1, y) + (at(along, 2 * x, y) + at(along, 2 * x + 1, y)) * 3 + at(along, 2 * x + 2, y)) / 8;
    return down;
}

Func doubled(const Func &from, const std::string &name, const Var &x, const Var &y, const std::vector<Var> &tail) {
    const auto at = [&](const Func &f, const Expr &column, const Expr &row) {
        std::vector<Expr> where = {column, row};
        where.insert(where.end(), tail.begin(), tail.end());
        return f(where);
    };
    std::vector<Var> here = {x, y};
    here.insert(here.end(), tail.begin(), tail.end());
    Func along("upx" + name);
    Func up("up" + name);
    const auto weight = [](const Var &v) { return cast<float>(2 * (v % 2) + 1) / 4; };
    along(here) = at(from, (x + 1) / 2, y) * (1 - weight(x)) + at(from, (x - 1) / 2, y) * weight(x);
    up(here) = at(along, x, (y + 1) / 2) * (1 - weight(y)) + at(along, x, (y - 1) / 2) * weight(y);
    return up;
}

PeerPipeline localLaplacian(const Sizes & /*sizes*/) {
    const Var x("x");
    const Var y("y");
    const Var c("c");
    const Var k("k");
    const Var i("i");
    constexpr int levels = 8;
    ImageParam in(UInt(16), 3, "in");
    const Func edge = BoundaryConditions::repeat_edge(in);
    Func f("f");
    f(x, y, c) = cast<float>(edge(x, y, c)) / 65535.0F;
    Func gray("gray");
    gray(x, y) = 0.299F * f(x, y, 0) + 0.587F * f(x, y, 1) + 0.114F * f(x, y, 2);
    Func remap("remap");
    const Expr t = cast<float>(i) / 256.0F;
    remap(i) = t * exp(t * t * -0.5F);
    std::vector<Func> g;
    Func g0("g_0");
    const Expr level = cast<float>(k) / 7.0F;
    g0(x, y, k) = gray(x, y) - level + level + remap(clamp(cast<int>(gray(x, y) * 1792.0F), 0, 1792) - 256 * k);
    g.push_back(g0);
    std::vector<Func> pictures = {gray};
    for (int l = 1; l < levels; ++l) {
        g.push_back(halved(g.back(), numbered("g", l), x, y, {k}));
        pictures.push_back(halved(pictures.back(), numbered("in", l), x, y, {}));
    }
    std::vector<Func> details(levels);
    for (int l = levels - 1; l >= 0; --l) {
        Func detail(numbered("l", l));
        const auto at = static_cast<size_t>(l);
        if (l == levels - 1)
            detail(x, y, k) = g[at](x, y, k);
        else
            detail(x, y, k) = g[at](x, y, k) - doubled(g[at + 1], numbered("g", l), x, y, {k})(x, y, k);
        details[at] = detail;
    }
    Func above;
    for (int l = levels - 1; l >= 0; --l) {
        const auto at = static_cast<size_t>(l);
        Func chosen(numbered("o", l));
        const Expr q = pictures[at](x, y) * 7;
        const Expr li = clamp(cast<int>(q), 0, 6);
        const Expr lf = q - cast<float>(li);
        chosen(x, y) = details[at](x, y, li) * (1 - lf) + details[at](x, y, li + 1) * lf;
        Func result(numbered("G", l));
        if (l == levels - 1)
            result(x, y) = chosen(x, y);
        else
            result(x, y) = doubled(above, numbered("G", l), x, y, {})(x, y) + chosen(x, y);
        above = result;
    }
    Func color("color");
    Func output("output");
    color(x, y, c) = cast<float>(in(x, y, c)) * (above(x, y) + 0.01F) / (gray(x, y) + 0.01F);
    output(x, y, c) = cast<uint16_t>(clamp(color(x, y, c), 0.0F, 65535.0F));
    return {{in}, {output}, {}};
}

PeerPipeline bilateralGrid(const Sizes & /*sizes*/) {
    const Var x("x");
    const Var y("y");
    const Var z("z");
    const Var c("c");
    ImageParam in(Float(32), 2, "in");
    const Func edge = BoundaryConditions::repeat_edge(in);
    const RDom r(0, 8, 0, 8, "r");
    Func hist("hist");
    const Expr v = clamp(edge(x * 8 + r.x - 4, y * 8 + r.y - 4), 0.0F, 1.0F);
    hist(x, y, z, c) = 0.0F;
    hist(x, y, cast<int>(v * (1 / 0.1F) + 0.5F), c) += select(c == 0, v, 1.0F);
    Func blurZ("blurz");
    Func blurX("blurx");
    Func blurY("blury");
    blurZ(x, y, z, c) = hist(x, y, z - 2, c) + hist(x, y, z - 1, c) * 4 + hist(x, y, z, c) * 6 +
                        hist(x, y, z + 1, c) * 4 + hist(x, y, z + 2, c);
    blurX(x, y, z, c) = blurZ(x - 2, y, z, c) + blurZ(x - 1, y, z, c) * 4 + blurZ(x, y, z, c) * 6 +
                        blurZ(x + 1, y, z, c) * 4 + blurZ(x + 2, y, z, c);
    blurY(x, y, z, c) = blurX(x, y - 2, z, c) + blurX(x, y - 1, z, c) * 4 + blurX(x, y, z, c) * 6 +
                        blurX(x, y + 1, z, c) * 4 + blurX(x, y + 2, z, c);
    const Expr zv = clamp(in(x, y), 0.0F, 1.0F) * (1 / 0.1F);
    const Expr zi = cast<int>(zv);
    const Expr zf = zv - cast<float>(zi);
    const Expr xf = cast<float>(x % 8) / 8.0F;
    const Expr yf = cast<float>(y % 8) / 8.0F;
    const Expr xi = x / 8;
    const Expr yi = y / 8;
    Func interpolated("interpolated");
    const auto plane = [&](const Expr &depth) {
        return lerp(lerp(blurY(xi, yi, depth, c), blurY(xi + 1, yi, depth, c), xf),
                    lerp(blurY(xi, yi + 1, depth, c), blurY(xi + 1, yi + 1, depth, c), xf), yf);
    };
    interpolated(x, y, c) = lerp(plane(zi), plane(zi + 1), zf);
    Func output("output");
    output(x, y) = interpolated(x, y, 0) / interpolated(x, y, 1);
    return {{in}, {output}, {}};
}

} // namespace

const std::vector<NamedPeer> &pyramidPeers() {
    static const std::vector<NamedPeer> all = {
        {"interpolate", interpolate},
        {"local_laplacian", localLaplacian},
        {"bilateral_grid", bilateralGrid},
    };
    return all;
}

} // namespace loopscope::peer
