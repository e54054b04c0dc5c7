// The image pipelines on the pictures that ship with them: each does to its picture what its name promises.

#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"
#include "language/picture/value_file.h"
#include "language/te/workload.h"
#include "test_program.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace loopscope;

namespace pipeline_pictures_test {

namespace {

const std::string kPipelines = std::string(LOOPSCOPE_SOURCE_DIR) + "/samples/pipelines/";

/// Planes of a picture: [H, W] counts as one.
struct Planes {
    TensorValue value;

    [[nodiscard]] int64_t width() const { return value.shape.back(); }
    [[nodiscard]] int64_t height() const { return value.shape[value.shape.size() - 2]; }
    [[nodiscard]] int64_t count() const { return value.shape.size() == 2 ? 1 : value.shape[0]; }
    [[nodiscard]] double at(int64_t plane, int64_t y, int64_t x) const {
        const auto i = static_cast<size_t>((plane * height() + y) * width() + x);
        return value.floats.empty() ? static_cast<double>(value.integers[i]) : value.floats[i];
    }
};

struct Area {
    int64_t x, y, width, height;
};
/// Of photograph.png, and of grey.png and dull.png, which are made of it.
constexpr Area kSky = {90, 2, 40, 24};
constexpr Area kBoard = {94, 66, 92, 18};
constexpr Area kGrass = {100, 90, 8, 30};

/// How much neighbours along x differ, in the mean over an area of all planes.
double roughness(const Planes &planes, Area area) {
    double sum = 0;
    for (int64_t plane = 0; plane < planes.count(); ++plane)
        for (int64_t y = area.y; y < area.y + area.height; ++y)
            for (int64_t x = area.x; x < area.x + area.width; ++x)
                sum += std::fabs(planes.at(plane, y, x + 1) - planes.at(plane, y, x));
    return sum / static_cast<double>(planes.count() * area.width * area.height);
}

double mean(const Planes &planes, int64_t plane, Area area) {
    double sum = 0;
    for (int64_t y = area.y; y < area.y + area.height; ++y)
        for (int64_t x = area.x; x < area.x + area.width; ++x) sum += planes.at(plane, y, x);
    return sum / static_cast<double>(area.width * area.height);
}

using Files = std::vector<std::pair<std::string, std::string>>; // input, file

/// The stages of a pipeline by name, the inputs among them.
std::map<std::string, Planes> run(const std::string &pipeline, const ParamOverrides &params, const Files &files,
                                  const std::vector<std::string> &stages = {"output"}) {
    const DagPtr dag = ComputeDag::fromWorkload(loadWorkload(kPipelines + pipeline + ".te", params));
    std::map<std::string, Planes> result;
    std::vector<TensorValue> inputs;
    for (const Tensor *arg : dag->args())
        for (const auto &[name, file] : files)
            if (arg->name == name) {
                inputs.push_back(readValue(kPipelines + "pictures/" + file, *arg));
                result[name].value = inputs.back();
            }
    std::vector<const Tensor *> wanted;
    for (const std::string &stage : stages)
        for (const OpPtr &op : dag->ops())
            for (const auto &tensor : op->outputs)
                if (tensorText(*tensor) == stage) wanted.push_back(tensor.get());
    std::vector<TensorValue> values = interpretStages(*dag, inputs, wanted, 2);
    for (size_t i = 0; i < wanted.size(); ++i) result[tensorText(*wanted[i])].value = std::move(values[i]);
    return result;
}

const ParamOverrides kPhotograph = {{"W", 192}, {"H", 144}};

} // namespace

class PipelinePicturesTest : public QObject {
    Q_OBJECT
  private slots:
    void unsharpSharpens() {
        auto shown = run("unsharp", kPhotograph, {{"in", "photograph.png"}});
        const double more = roughness(shown["output"], kBoard) / roughness(shown["in"], kBoard);
        QVERIFY2(more > 1.3, qPrintable(QString::number(more)));
        // The kernel ends where 1.7 % of the bell are left, in both directions: so much is not taken away.
        const double brighter = mean(shown["output"], 1, kSky) / mean(shown["in"], 1, kSky);
        QVERIFY2(std::fabs(brighter - (2 - 0.9826 * 0.9826)) < 0.003, qPrintable(QString::number(brighter)));
    }

    /// Letters have corners, the sky has none, and the side of the house is an edge: less than nothing.
    void harrisFindsCorners() {
        auto shown = run("harris", kPhotograph, {{"in", "photograph.png"}});
        const Planes &corners = shown["output"]; // 3 narrower on every side
        double strongest = 0;
        Area at{};
        for (int64_t y = 0; y < corners.height(); ++y)
            for (int64_t x = 0; x < corners.width(); ++x)
                if (corners.at(0, y, x) > strongest) {
                    strongest = corners.at(0, y, x);
                    at = {x + 3, y + 3, 1, 1};
                }
        QVERIFY2(at.x >= kBoard.x && at.x < kBoard.x + kBoard.width && at.y >= kBoard.y &&
                     at.y < kBoard.y + kBoard.height,
                 qPrintable(QString("%1 %2").arg(at.x).arg(at.y)));
        for (int64_t y = kSky.y + 3; y < kSky.y + kSky.height; ++y)
            for (int64_t x = kSky.x; x < kSky.x + kSky.width; ++x)
                QVERIFY(corners.at(0, y - 3, x - 3) < 0.001 * strongest);
        const double edge = mean(corners, 0, {22 - 4, 94 - 3, 2, 12});
        QVERIFY2(edge < 0, qPrintable(QString::number(edge)));
    }

    void bilateralGridSmoothsBetweenEdges() {
        auto shown = run("bilateral_grid", kPhotograph, {{"in", "grey.png"}});
        const double left = roughness(shown["output"], kSky) / roughness(shown["in"], kSky);
        QVERIFY2(left < 0.2, qPrintable(QString::number(left)));
        const double letters = roughness(shown["output"], kBoard) / roughness(shown["in"], kBoard);
        QVERIFY2(letters > 0.7, qPrintable(QString::number(letters)));
    }

    /// Isolated hot pixels go, and things have the colours they have.
    void cameraRawDevelops() {
        auto shown =
            run("camera_raw", kPhotograph,
                {{"in", "mosaic.png"}, {"matrix_3200", "matrix_3200.npy"}, {"matrix_7000", "matrix_7000.npy"}});
        const Planes &photograph = shown["output"];
        const auto colour = [&](Area area) {
            return std::vector<double>{mean(photograph, 0, area), mean(photograph, 1, area), mean(photograph, 2, area)};
        };
        const std::vector<double> sky = colour({100, 10, 20, 10});
        const std::vector<double> ball = colour({128, 100, 10, 10});
        const std::vector<double> grass = colour({90, 95, 10, 10});
        QVERIFY(sky[2] > sky[0] + 60 && sky[2] > sky[1]);
        QVERIFY(ball[0] > 2 * ball[1] && ball[0] > 2 * ball[2]);
        QVERIFY(grass[1] > grass[0] + 20 && grass[1] > grass[2] + 40);
        for (int64_t y = 4; y < 40; ++y)
            for (int64_t x = 80; x < 130; ++x) {
                const double jump = std::fabs(photograph.at(1, y, x + 1) - photograph.at(1, y, x));
                QVERIFY2(jump < 40, qPrintable(QString("%1 at %2 %3").arg(jump).arg(x).arg(y)));
            }
    }

    void nlMeansRemovesNoise() {
        auto shown = run("nl_means", {{"W", 144}, {"H", 108}}, {{"in", "noisy.png"}});
        const double left = roughness(shown["output"], {68, 2, 30, 18}) / roughness(shown["in"], {68, 2, 30, 18});
        QVERIFY2(left < 0.15, qPrintable(QString::number(left)));
        const Area letters = {71, 50, 66, 12};
        const double kept = roughness(shown["output"], letters) / roughness(shown["in"], letters);
        QVERIFY2(kept > 0.75, qPrintable(QString::number(kept)));
    }

    /// Reckoned anew, pixel by pixel.
    void maxFilterTakesTheBrightestOfADisc() {
        auto shown = run("max_filter", kPhotograph, {{"in", "photograph.png"}});
        const Planes &in = shown["in"];
        for (int64_t y = 0; y < in.height(); y += 13)
            for (int64_t x = 1; x < in.width(); x += 17) {
                double most = 0;
                for (int64_t dx = -26; dx <= 26; ++dx) {
                    int64_t reach = 0; // rows of a disc of radius 26 1/4, and one more
                    while (reach < 27 && 16 * (dx * dx + reach * reach) < 105 * 105) ++reach;
                    for (int64_t dy = -reach; dy <= reach; ++dy)
                        most = std::max(most, in.at(1, std::clamp<int64_t>(y + dy, 0, in.height() - 1),
                                                    std::clamp<int64_t>(x + dx, 0, in.width() - 1)));
                }
                QCOMPARE(shown["output"].at(1, y, x), most);
            }
    }

    /// What is opaque stays, and the rest comes near the photograph that the opaque pixels are of.
    void interpolateFillsIn() {
        auto shown = run("interpolate", kPhotograph, {{"in", "transparent.png"}});
        auto whole = run("unsharp", kPhotograph, {{"in", "photograph.png"}}, {});
        const Planes &in = shown["in"];
        double error = 0;
        double unfilled = 0;
        for (int64_t y = 0; y < in.height(); ++y)
            for (int64_t x = 0; x < in.width(); ++x) {
                const double filled = shown["output"].at(1, y, x);
                error += std::fabs(filled - whole["in"].at(1, y, x));
                unfilled += std::fabs(in.at(1, y, x) - whole["in"].at(1, y, x));
                if (in.at(3, y, x) == 1) QVERIFY(std::fabs(filled - in.at(1, y, x)) < 1e-5);
            }
        QVERIFY2(error < 0.25 * unfilled, qPrintable(QString("%1 %2").arg(error).arg(unfilled)));
    }

    void localLaplacianBringsOutDetail() {
        const auto contrast = [](int64_t alpha) {
            ParamOverrides params = kPhotograph;
            params.emplace_back("alpha", alpha);
            auto shown = run("local_laplacian", params, {{"in", "photograph.png"}});
            return std::pair(roughness(shown["output"], kGrass) / roughness(shown["in"], kGrass),
                             roughness(shown["output"], kBoard) / roughness(shown["in"], kBoard));
        };
        const auto [grassMore, boardMore] = contrast(20);
        const auto [grassLess, boardLess] = contrast(-20);
        QVERIFY2(grassMore > 1.35 && grassLess < 0.8, qPrintable(QString("%1 %2").arg(grassMore).arg(grassLess)));
        QVERIFY2(boardMore < 1.25 && boardLess > 0.75, qPrintable(QString("%1 %2").arg(boardMore).arg(boardLess)));
    }

    /// The views were made of three things that move by 8, 26 and 36 pixels; the second is in focus.
    void lensBlurKnowsDistances() {
        auto shown = run("lens_blur", {{"W", 160}, {"H", 120}}, {{"left", "left.png"}, {"right", "right.png"}},
                         {"output", "depth.v0"});
        const auto depth = [&](int64_t x, int64_t y) { return shown["depth.v0"].at(0, y + 9, x + 9); };
        QCOMPARE(depth(90, 12), 4.0);
        QCOMPARE(depth(97, 58), 13.0);
        QCOMPARE(depth(26, 80), 18.0);
        for (int64_t y = 50; y < 66; ++y)
            for (int64_t x = 89; x < 105; ++x)
                QVERIFY(std::fabs(shown["output"].at(0, y, x) - shown["left"].at(0, y, x)) < 1e-3);
        const Area behind = {60, 4, 60, 12};
        const double left = roughness(shown["output"], behind) / roughness(shown["left"], behind);
        QVERIFY2(left < 0.5, qPrintable(QString::number(left)));
    }

    /// Letters and blades of grass go, and every pixel is what a program of its own makes of it.
    void iirBlurBlurs() {
        auto shown = run("iir_blur", kPhotograph, {{"in", "photograph.png"}});
        const Planes &in = shown["in"];
        const Planes &out = shown["output"];
        for (const Area area : {kBoard, kGrass}) {
            const double left = roughness(out, area) / roughness(in, area);
            QVERIFY2(left < 0.3, qPrintable(QString::number(left)));
        }
        const auto filtered = [](std::vector<double> line) {
            for (size_t i = 1; i < line.size(); ++i) line[i] = 0.9 * line[i - 1] + 0.1 * line[i];
            for (size_t i = line.size() - 1; i-- > 0;) line[i] = 0.9 * line[i + 1] + 0.1 * line[i];
            return line;
        };
        for (int64_t plane = 0; plane < 3; ++plane) {
            std::vector<std::vector<double>> columns;
            for (int64_t x = 0; x < in.width(); ++x) {
                std::vector<double> column;
                for (int64_t y = 0; y < in.height(); ++y) column.push_back(in.at(plane, y, x));
                columns.push_back(filtered(column));
            }
            for (int64_t y = 0; y < in.height(); ++y) {
                std::vector<double> row;
                for (const std::vector<double> &column : columns) row.push_back(column[static_cast<size_t>(y)]);
                row = filtered(row);
                for (int64_t x = 0; x < in.width(); ++x)
                    QVERIFY(std::fabs(out.at(plane, y, x) - row[static_cast<size_t>(x)]) < 1e-5);
            }
        }
    }

    void histogramEqualizeSpreads() {
        auto shown = run("histogram_equalize", kPhotograph, {{"in", "dull.png"}});
        const auto shareBelow = [](const Planes &planes, double limit) {
            int64_t below = 0;
            for (int64_t y = 0; y < planes.height(); ++y)
                for (int64_t x = 0; x < planes.width(); ++x)
                    below +=
                        0.299 * planes.at(0, y, x) + 0.587 * planes.at(1, y, x) + 0.114 * planes.at(2, y, x) < limit;
            return static_cast<double>(below) / static_cast<double>(planes.height() * planes.width());
        };
        QCOMPARE(shareBelow(shown["in"], 64), 0.0);
        for (const double quarter : {0.25, 0.5, 0.75}) {
            const double share = shareBelow(shown["output"], 256 * quarter);
            QVERIFY2(std::fabs(share - quarter) < 0.06, qPrintable(QString("%1 of %2").arg(share).arg(quarter)));
        }
    }
};

LOOPSCOPE_TEST(PipelinePicturesTest)

} // namespace pipeline_pictures_test
#include "pipeline_pictures_test.moc"
