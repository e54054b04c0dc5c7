// What cameras and photographers do.
#include "peer_pipelines.h"

namespace loopscope::peer {

namespace {

using namespace Halide;

PeerPipeline nlMeans(const Sizes & /*sizes*/) {
    const Var x("x");
    const Var y("y");
    const Var c("c");
    const Var dx("dx");
    const Var dy("dy");
    ImageParam in(Float(32), 3, "in");
    const Func edge = BoundaryConditions::repeat_edge(in, {{0, in.dim(0).extent()}, {0, in.dim(1).extent()}});
    Func dc("dc");
    const Expr difference = edge(x, y, c) - edge(x + dx, y + dy, c);
    dc(x, y, dx, dy, c) = difference * difference;
    const RDom channels(0, 3, "channels");
    Func d("d");
    d(x, y, dx, dy) += dc(x, y, dx, dy, channels);
    const RDom patch(-3, 7, "patch");
    Func by("by");
    Func bd("bd");
    by(x, y, dx, dy) += d(x, y + patch, dx, dy);
    bd(x, y, dx, dy) += by(x + patch, y, dx, dy);
    Func w("w");
    w(x, y, dx, dy) = exp(bd(x, y, dx, dy) * (-1 / (0.12F * 0.12F * 49)));
    Func a("A");
    a(x, y, c) = select(c < 3, edge(x, y, min(c, 2)), 1.0F);
    const RDom s(-3, 7, -3, 7, "s");
    Func acc("acc");
    acc(x, y, c) += w(x, y, s.x, s.y) * a(x + s.x, y + s.y, c);
    Func output("output");
    output(x, y, c) = clamp(acc(x, y, c) / acc(x, y, 3), 0.0F, 1.0F);
    return {{in}, {output}, {}};
}

PeerPipeline maxFilter(const Sizes & /*sizes*/) {
    const Var x("x");
    const Var y("y");
    const Var c("c");
    constexpr int radius = 26;
    ImageParam in(Float(32), 3, "in");
    std::vector<Func> runs = {BoundaryConditions::repeat_edge(in, {{0, in.dim(0).extent()}, {0, in.dim(1).extent()}})};
    for (int t = 1; t <= 5; ++t) {
        Func run("v_" + std::to_string(t));
        run(x, y, c) = max(runs.back()(x, y, c), runs.back()(x, y + (1 << (t - 1)), c));
        runs.push_back(run);
    }
    std::map<int, Func> columns; // by half of their height
    const auto column = [&](int t) {
        if (columns.count(t) == 0) {
            int slice = 0;
            while ((2 << slice) <= 2 * t + 1) ++slice;
            Func one("vert_" + std::to_string(t));
            const Func &run = runs[static_cast<size_t>(slice)];
            one(x, y, c) = max(run(x, y - t, c), run(x, y + t + 1 - (1 << slice), c));
            columns[t] = one;
        }
        return columns[t];
    };
    Func output("output");
    Expr most;
    for (int dx = 0; dx <= radius; ++dx) {
        int height = 0;
        for (int dy = 0; dy <= radius; ++dy) height += dx * dx + dy * dy < (radius + 0.25) * (radius + 0.25) ? 1 : 0;
        const Func one = column(height);
        const Expr both = dx == 0 ? one(x, y, c) : max(one(x - dx, y, c), one(x + dx, y, c));
        most = most.defined() ? max(most, both) : both;
    }
    output(x, y, c) = most;
    return {{in}, {output}, {}};
}

PeerPipeline histogramEqualize(const Sizes &sizes) {
    const Var x("x");
    const Var y("y");
    const Var c("c");
    const Var b("b");
    const int width = sizeOf(sizes, "W");
    const int height = sizeOf(sizes, "H");
    ImageParam in(UInt(8), 3, "in");
    const auto channel = [&](int i) { return cast<float>(in(x, y, i)); };
    Func bright("Y");
    Func cr("Cr");
    Func cb("Cb");
    bright(x, y) = 0.299F * channel(0) + 0.587F * channel(1) + 0.114F * channel(2);
    cr(x, y) = (channel(0) - bright(x, y)) * 0.713F + 128;
    cb(x, y) = (channel(2) - bright(x, y)) * 0.564F + 128;
    const RDom rx(0, width, "rx");
    const RDom ry(0, height, "ry");
    const RDom bins(1, 255, "bins");
    Func rows("rows");
    Func h("h");
    Func cdf("cdf");
    rows(b, y) = 0;
    rows(cast<int>(clamp(bright(rx, y), 0.0F, 255.0F)), y) += 1;
    h(b) = 0;
    h(b) += rows(b, ry);
    cdf(b) = h(0);
    cdf(bins) = cdf(bins - 1) + h(bins);
    const float scale = 255.0F / (static_cast<float>(width) * static_cast<float>(height));
    Func eq("eq");
    eq(x, y) =
        clamp(cast<float>(cdf(cast<int>(cast<uint8_t>(clamp(bright(x, y), 0.0F, 255.0F))))) * scale, 0.0F, 255.0F);
    Func output("output");
    const Expr red = eq(x, y) + 1.4F * (cr(x, y) - 128);
    const Expr green = eq(x, y) - 0.343F * (cb(x, y) - 128) - 0.711F * (cr(x, y) - 128);
    const Expr blue = eq(x, y) + 1.765F * (cb(x, y) - 128);
    output(x, y, c) = cast<uint8_t>(clamp(select(c == 0, red, c == 1, green, blue), 0.0F, 255.0F));
    return {{in}, {output}, {}};
}

/// Half of the sum, rounded up, as if there were a bit more.
Expr mean(const Expr &p, const Expr &q) {
    const Type wide = p.type().with_bits(2 * p.type().bits());
    return cast(p.type(), (cast(wide, p) + cast(wide, q) + 1) / 2);
}
Expr nearer(const Expr &a, const Expr &b, const Expr &c, const Expr &d, const Expr &first, const Expr &second) {
    return select(absd(a, b) < absd(c, d), first, second);
}

PeerPipeline cameraRaw(const Sizes & /*sizes*/) {
    const Var x("x");
    const Var y("y");
    const Var c("c");
    const Var i("i");
    ImageParam in(UInt(16), 2, "in");
    ImageParam cold(Float(32), 2, "matrix_3200");
    ImageParam warm(Float(32), 2, "matrix_7000");
    Func sh("sh");
    Func dn("dn");
    Func d("D");
    sh(x, y) = in(x + 16, y + 12);
    dn(x, y) =
        clamp(sh(x, y), cast<uint16_t>(0), max(max(sh(x - 2, y), sh(x + 2, y)), max(sh(x, y - 2), sh(x, y + 2))));
    d(x, y, c) = dn(2 * x + c % 2, 2 * y + c / 2);
    const auto gr = [&](const Expr &u, const Expr &v) { return d(u, v, 0); };
    const auto r = [&](const Expr &u, const Expr &v) { return d(u, v, 1); };
    const auto b = [&](const Expr &u, const Expr &v) { return d(u, v, 2); };
    const auto gb = [&](const Expr &u, const Expr &v) { return d(u, v, 3); };
    Func greenR("g_r");
    Func greenB("g_b");
    greenR(x, y) = nearer(gr(x + 1, y), gr(x, y), gb(x, y - 1), gb(x, y), mean(gr(x + 1, y), gr(x, y)),
                          mean(gb(x, y - 1), gb(x, y)));
    greenB(x, y) = nearer(gb(x - 1, y), gb(x, y), gr(x, y + 1), gr(x, y), mean(gb(x - 1, y), gb(x, y)),
                          mean(gr(x, y + 1), gr(x, y)));
    Func redGr("r_gr");
    Func blueGr("b_gr");
    Func redGb("r_gb");
    Func blueGb("b_gb");
    redGr(x, y) = gr(x, y) - mean(greenR(x, y), greenR(x - 1, y)) + mean(r(x - 1, y), r(x, y));
    blueGr(x, y) = gr(x, y) - mean(greenB(x, y), greenB(x, y - 1)) + mean(b(x, y), b(x, y - 1));
    redGb(x, y) = gb(x, y) - mean(greenR(x, y), greenR(x, y + 1)) + mean(r(x, y), r(x, y + 1));
    blueGb(x, y) = gb(x, y) - mean(greenB(x, y), greenB(x + 1, y)) + mean(b(x, y), b(x + 1, y));
    Func redB("r_b");
    Func blueR("b_r");
    redB(x, y) = nearer(r(x, y), r(x - 1, y + 1), r(x - 1, y), r(x, y + 1),
                        greenB(x, y) - mean(greenR(x, y), greenR(x - 1, y + 1)) + mean(r(x, y), r(x - 1, y + 1)),
                        greenB(x, y) - mean(greenR(x - 1, y), greenR(x, y + 1)) + mean(r(x - 1, y), r(x, y + 1)));
    blueR(x, y) = nearer(b(x, y), b(x + 1, y - 1), b(x + 1, y), b(x, y - 1),
                         greenR(x, y) - mean(greenB(x, y), greenB(x + 1, y - 1)) + mean(b(x, y), b(x + 1, y - 1)),
                         greenR(x, y) - mean(greenB(x + 1, y), greenB(x, y - 1)) + mean(b(x + 1, y), b(x, y - 1)));
    const auto woven = [&](const char *name, const Expr &evenEven, const Expr &evenOdd, const Expr &oddEven,
                           const Expr &oddOdd) {
        Func f(name);
        f(x, y) = cast<int16_t>(
            select(y % 2 == 0, select(x % 2 == 0, evenEven, evenOdd), select(x % 2 == 0, oddEven, oddOdd)));
        return f;
    };
    const Expr u = x / 2;
    const Expr v = y / 2;
    const Func red = woven("red", redGr(u, v), r(u, v), redB(u, v), redGb(u, v));
    const Func green = woven("green", gr(u, v), greenR(u, v), greenB(u, v), gb(u, v));
    const Func blue = woven("blue", blueGr(u, v), blueR(u, v), b(u, v), blueGb(u, v));
    constexpr double alpha = (1.0 / 3700 - 1.0 / 3200) / (1.0 / 7000 - 1.0 / 3200);
    Func matrix("M");
    matrix(i, c) =
        cast<int16_t>((cold(i, c) * static_cast<float>(alpha) + warm(i, c) * static_cast<float>(1 - alpha)) * 256.0F);
    Func corrected("corrected");
    const auto entry = [&](int column) { return cast<int32_t>(matrix(column, c)); };
    corrected(x, y, c) = cast<int16_t>((entry(3) + entry(0) * cast<int32_t>(red(x, y)) +
                                        entry(1) * cast<int32_t>(green(x, y)) + entry(2) * cast<int32_t>(blue(x, y))) /
                                       256);
    Func curve("curve");
    const Expr t = pow(clamp((cast<float>(i) - 25.0F) / (1023 - 25), 0.0F, 1.0F), 0.5F);
    const float slope = 2 - 1.41421356F;
    const float bend = 2 - 2 * slope;
    const Expr z = select(t > 0.5F, 1 - bend * (1 - t) * (1 - t) - slope * (1 - t), bend * t * t + slope * t);
    curve(i) = select(i <= 25, cast<uint8_t>(0), cast<uint8_t>(clamp(z * 255 + 0.5F, 0.0F, 255.0F)));
    Func curved("curved");
    curved(x, y, c) = curve(clamp(cast<int>(corrected(x, y, c)), 0, 1023));
    Func uy("uy");
    Func ux("ux");
    uy(x, y, c) = mean(mean(curved(x, y - 1, c), curved(x, y + 1, c)), curved(x, y, c));
    ux(x, y, c) = mean(mean(uy(x - 1, y, c), uy(x + 1, y, c)), uy(x, y, c));
    Func output("output");
    const auto wide = [&](const Func &f) { return cast<int16_t>(f(x, y, c)); };
    output(x, y, c) = saturating_cast<uint8_t>(wide(curved) + (wide(curved) - wide(ux)) * 32 / 32);
    return {{in, cold, warm}, {output}, {}};
}

} // namespace

const std::vector<NamedPeer> &photographPeers() {
    static const std::vector<NamedPeer> all = {
        {"nl_means", nlMeans},
        {"max_filter", maxFilter},
        {"histogram_equalize", histogramEqualize},
        {"camera_raw", cameraRaw},
    };
    return all;
}

} // namespace loopscope::peer
