// The decisions on the pipelines with scans and scatters: those of compat to the integer, as Halide's own plugin of
// version 14 has them of the same stages, and which merges and tiles fixed chooses.

#include "grouping_texts.h"
#include "test_program.h"

using namespace loopscope;

namespace {

Grouping fixed(const char *sample) {
    return groupPipeline(pipelineOf(samplePipeline(sample)), parseMachineParameters("16,16M,40").value(),
                         GroupingMode::Fixed);
}

/// Which merges and which tiles; what each is worth by the model of the day is left out.
std::string choices(const Grouping &grouping) {
    const QString text = QString::fromStdString(decisions(grouping));
    QString chosen;
    for (const QString &line : text.split('\n', Qt::SkipEmptyParts)) {
        const bool merge = line.startsWith("merge") || line.startsWith("inline");
        if (line.contains(" -> ")) continue; // totals
        chosen += (merge ? line.section(' ', 0, -2) : line) + '\n';
    }
    return chosen.toStdString();
}

} // namespace

class OrderedNumbersTest : public QObject {
    Q_OBJECT
  private slots:
    void histogramEqualize();
    void histogramEqualizeFixed();
    void iirBlur();
    void iirBlurFixed();
    void bilateralGrid();
    void bilateralGridFixed();
};

/// A scatter of rows, a sum and a scan, none of which anybody may inline: they stay what they are, with the brightness
/// inlined into the terms of the scatter as into all else.
void OrderedNumbersTest::histogramEqualize() {
    const Grouping grouping = grouped(samplePipeline("histogram_equalize"));
    compare(pointCosts(grouping), "Cb 7/9\n"
                                  "Cr 7/9\n"
                                  "Y 12/7\n"
                                  "cdf 2/8\n"
                                  "cdf.update(0) 5/12\n"
                                  "eq 11/12\n"
                                  "h 1/4\n"
                                  "h.update(0) 4/12\n"
                                  "output 22/13\n"
                                  "rows 1/4\n"
                                  "rows.update(0) 11/16\n");
    compare(decisions(grouping), "inline Y > Cb Cr eq rows.update(0) 2048655360\n"
                                 "inline Cb > output 1639710720\n"
                                 "inline Cr > output 2760376320\n"
                                 "inline eq > output 2618818560\n"
                                 "group cdf\n"
                                 "group cdf.update(0)\n"
                                 "group h\n"
                                 "group h.update(0)\n"
                                 "group output x=1 y=1 c=1\n"
                                 "group rows\n"
                                 "group rows.update(0) rx=1 y=1\n"
                                 "451545083 / 11350841332 -> 714999803 / 2019825652\n");
    compare(nests(grouping), "cdf: b_vi* b_vo|\n"
                             "cdf.update(0): b\n"
                             "h: b_vi* b_vo|\n"
                             "h.update(0): b_vi* ry b_vo|\n"
                             "output: x_vi* x_vo y| c|\n"
                             "rows: b_vi* b_vo y|\n"
                             "rows.update(0): rx y_vi* y_vo|\n");
}

void OrderedNumbersTest::histogramEqualizeFixed() {
    compare(choices(fixed("histogram_equalize")), "merge eq > output\n"
                                                  "merge Cb > output\n"
                                                  "merge Cr > output\n"
                                                  "inline Y > output rows.update(0)\n"
                                                  "group cdf\n"
                                                  "group cdf.update(0)\n"
                                                  "group h\n"
                                                  "group h.update(0)\n"
                                                  "group output y=1\n"
                                                  "group rows\n"
                                                  "group rows.update(0) y=64\n");
}

/// Scans both ways. A stage that a scan's first elements and its steps read is merged into both; one that goes
/// backwards counts its steps from an end that is known when the pipeline runs, as Halide's does with the height of an
/// image.
void OrderedNumbersTest::iirBlur() {
    const Grouping grouping = grouped(samplePipeline("iir_blur"));
    compare(pointCosts(grouping), "down 2/8\n"
                                  "down.update(0) 7/12\n"
                                  "left 2/8\n"
                                  "left.update(0) 11/12\n"
                                  "output 2/8\n"
                                  "right 2/8\n"
                                  "right.update(0) 7/12\n"
                                  "up 2/8\n"
                                  "up.update(0) 11/12\n");
    compare(decisions(grouping), "early turned\n"
                                 "merge left > output 7358607360\n"
                                 "merge right > output 9197660160\n"
                                 "merge down > up up.update(0) 4800692736\n"
                                 "group output y=1\n"
                                 "group up x=64 c=1\n"
                                 "group up.update(0) x=64 c=1\n"
                                 "542416896 / 41511813120 -> 648543744 / 20048726016\n");
    compare(nests(grouping), "output: x_vi* x_vo c y|\n"
                             "  left at y: y x_vi* x_vo c\n"
                             "  left.update(0) at y: y x c\n"
                             "  right at y: x_vi* x_vo y c\n"
                             "  right.update(0) at y: x y c\n"
                             "up: x_i_vi* x_i_vo y x_o| c|\n"
                             "  down at x_o: x_vi* x_vo y c\n"
                             "  down.update(0) at x_o: x_vi* x_vo y c\n"
                             "up.update(0): x_i_vi* x_i_vo y x_o| c|\n"
                             "  down at x_o: x_vi* x_vo y c\n"
                             "  down.update(0) at x_o: x_vi* x_vo y c\n");
}

void OrderedNumbersTest::iirBlurFixed() {
    compare(choices(fixed("iir_blur")), "early turned\n"
                                        "merge left > output\n"
                                        "merge right > output\n"
                                        "merge down > up up.update(0)\n"
                                        "group output y=16 c=1\n"
                                        "group up x=64 c=1\n"
                                        "group up.update(0) x=128 c=1\n");
}

/// A scatter whose grid is read back by gathers. From the stages of the sample Halide's plugin gets the numbers below.
/// Of its own app it has others in three places: 3177185280 for interpolated, 10003440 for blurx and totals of
/// 1105779464 and 1257961440 operations. There a point of interpolated costs 90 operations, since it mixes by lerp and
/// takes any cell that is read for one of the grid, and a term of hist 32, since the size of a cell is known when it
/// runs. The sample says what lerp does, clamps the cell and has a constant size: 115 and 31.
void OrderedNumbersTest::bilateralGrid() {
    const Grouping grouping = grouped(samplePipeline("bilateral_grid"), "16,16M,40", true);
    compare(pointCosts(grouping), "blurx 17/24\n"
                                  "blury 17/24\n"
                                  "blurz 17/24\n"
                                  "hist 1/4\n"
                                  "hist.update(0) 31/16\n"
                                  "interpolated 115/40\n"
                                  "output 4/12\n"
                                  "repeat_edge 10/8\n");
    compare(decisions(grouping), "inline interpolated > output 3216506880\n"
                                 "inline repeat_edge > hist.update(0) 1253865600\n"
                                 "merge blury > output 3580386744\n"
                                 "merge hist > blurz 1985287200\n"
                                 "merge blurz > blurx 507561600\n"
                                 "merge blurx > output 12322160\n"
                                 "group output x=256 y=256\n"
                                 "1294192264 / 13933394080 -> 1404733920 / 3266922240\n");
    compare(nests(grouping), "output: x_i_vi* x_i_vo y_i x_o| y_o|\n"
                             "  blury at x_o: x_vi* x_vo y z c\n"
                             "  blurx at x_o: x_vi* x_vo y z c\n"
                             "  blurz at x_o: x_vi* x_vo y z c\n"
                             "  hist at x_o: x_vi* x_vo y z c\n"
                             "  hist.update(0) at x_o: x_vi* x_vo rx y ry c\n");
}

void OrderedNumbersTest::bilateralGridFixed() {
    compare(choices(fixed("bilateral_grid")), "merge interpolated > output\n"
                                              "merge repeat_edge > hist.update(0)\n"
                                              "merge hist > blurz\n"
                                              "merge blurz > blurx\n"
                                              "inline interpolated > output\n"
                                              "inline repeat_edge > blurx\n"
                                              "merge blury > output\n"
                                              "group blurx y=1\n"
                                              "group output y=128\n");
}

LOOPSCOPE_TEST(OrderedNumbersTest)
#include "ordered_numbers_test.moc"
