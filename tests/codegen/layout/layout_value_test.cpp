// Layouts as values: bijection, composition, canonical form and text over random shapes (primes among them), the named
// transforms, and a refusal for each rule.

#include "base/random.h"
#include "codegen/layout/layout.h"
#include "random_layouts.h"
#include "test_program.h"

#include <QTest>
#include <algorithm>
#include <set>

using namespace loopscope;

namespace {

std::vector<int64_t> drawnShape(Random &random) {
    static constexpr std::array<int64_t, 9> extents = {1, 2, 3, 5, 7, 8, 11, 13, 16};
    std::vector<int64_t> shape;
    for (size_t rank = 1 + random.index(4); shape.size() < rank;)
        shape.push_back(extents[random.index(extents.size())]);
    return shape;
}

/// Every index of a shape, in row-major order.
std::vector<std::vector<int64_t>> indicesOf(const std::vector<int64_t> &shape) {
    std::vector<std::vector<int64_t>> indices = {{}};
    for (const int64_t extent : shape) {
        std::vector<std::vector<int64_t>> longer;
        for (const auto &index : indices)
            for (int64_t i = 0; i < extent; ++i) {
                longer.push_back(index);
                longer.back().push_back(i);
            }
        indices = std::move(longer);
    }
    return indices;
}

QString refusalOf(const Outcome<Layout> &layout) {
    return layout ? QStringLiteral("legal: ") + QString::fromStdString(layout->text())
                  : QString::fromStdString(layout.why());
}

} // namespace

class LayoutValueTest : public QObject {
    Q_OBJECT

  private slots:
    void everyElementHasOnePlace() {
        for (uint64_t draw = 0; draw < 400; ++draw) {
            Random random(11, draw);
            const std::vector<int64_t> shape = drawnShape(random);
            const Layout layout = drawnLayout(random, shape);
            std::set<int64_t> offsets;
            const auto indices = indicesOf(shape);
            for (const auto &index : indices) {
                const int64_t offset = layout.offsetOf(index);
                QVERIFY(offset >= 0 && offset < layout.physicalSize());
                offsets.insert(offset);
                QCOMPARE(layout.indexAt(offset), index);
            }
            QCOMPARE(offsets.size(), indices.size());
            size_t used = 0;
            for (int64_t offset = 0; offset < layout.physicalSize(); ++offset)
                used += layout.indexAt(offset).empty() ? 0 : 1;
            QCOMPARE(used, indices.size()); // and no other place has an element
        }
    }

    void canonicalFormKeepsAddresses() {
        for (uint64_t draw = 0; draw < 400; ++draw) {
            Random random(12, draw);
            const std::vector<int64_t> shape = drawnShape(random);
            const Layout layout = drawnLayout(random, shape);
            const Layout canonical = layout.canonical();
            QCOMPARE(canonical.canonical(), canonical);
            QVERIFY(canonical.sameAddresses(layout));
            bool identity = true;
            const Layout rowMajor = Layout::identity(shape);
            for (const auto &index : indicesOf(shape)) {
                QCOMPARE(canonical.offsetOf(index), layout.offsetOf(index));
                identity = identity && layout.offsetOf(index) == rowMajor.offsetOf(index);
            }
            if (layout.isIdentity()) QVERIFY(identity);
        }
    }

    void composedIsOneAfterTheOther() {
        int composedOnes = 0;
        for (uint64_t draw = 0; draw < 400; ++draw) {
            Random random(13, draw);
            const std::vector<int64_t> shape = drawnShape(random);
            const Layout first = drawnLayout(random, shape);
            const Layout second = drawnLayout(random, first.physicalShape());
            const auto both = composed(first, second);
            if (!both) {
                QVERIFY2(both.why().find("blocks are shorter than what they cut") != std::string::npos,
                         both.why().c_str());
                continue;
            }
            ++composedOnes;
            for (const auto &index : indicesOf(shape))
                QCOMPARE(both->offsetOf(index), second.offsetOf(first.digitsOf(index)));
        }
        QVERIFY(composedOnes > 300);
    }

    void textIsReadAgain() {
        for (uint64_t draw = 0; draw < 400; ++draw) {
            Random random(14, draw);
            const std::vector<int64_t> shape = drawnShape(random);
            const Layout layout = drawnLayout(random, shape);
            const std::vector<std::string> names =
                draw % 2 == 0 ? std::vector<std::string>{} : std::vector<std::string>{"n", "c", "y", "x"};
            const auto read = parseLayout(layout.text(names), shape, names);
            QVERIFY2(read.ok(), read ? "" : read.why().c_str());
            QCOMPARE(read.value(), layout);
        }
    }

    void piecesAsText() {
        const auto of = [](std::vector<int64_t> shape, std::vector<LayoutPiece> pieces) {
            return Layout::of(std::move(shape), std::move(pieces)).value();
        };
        const std::vector<int64_t> shape = {37, 41};
        const std::vector<LayoutPiece> swapped = {{.axis = 1}, {.axis = 0}};
        QCOMPARE(of(shape, swapped).text({"k", "j"}), "[j][k]");
        QVERIFY(of({1, 16}, swapped).isIdentity()); // one row is a column, too
        QVERIFY(composed(of(shape, swapped), of({41, 37}, swapped)).value().isIdentity());
        // Interleaved: in place, of the last axis nothing moves.
        QCOMPARE(of(shape, {{.axis = 0}, {.axis = 1, .step = 8}, {.axis = 1}}).text({"k", "j"}), "[k][j/8][8]");
        const Layout interleaved = of(shape, {{.axis = 0, .step = 8}, {.axis = 1}, {.axis = 0}});
        QCOMPARE(interleaved.text({"k", "j"}), "[k/8][j][8]");
        QCOMPARE(interleaved.offsetOf({9, 3}), 41 * 8 + 3 * 8 + 1);
        // Blocked in place; a prime extent: what is padded lies behind the last row.
        QVERIFY(of(shape, {{.axis = 0, .step = 8}, {.axis = 0}, {.axis = 1}}).isIdentity());
        QVERIFY(of({32, 48}, {{.axis = 0}, {.axis = 1, .step = 8}, {.axis = 1}}).isIdentity());
        // Padded rows.
        const Layout padded = of({1024, 1024}, {{.axis = 0}, {.axis = 1, .padding = 16}});
        QCOMPARE(padded.strideOf(0), 1040);
        QVERIFY(!padded.isIdentity());
    }

    void panelOfAMatrix() {
        const auto panel = parseLayout("[j/16][k][16]", {1024, 1000}, {"k", "j"});
        QVERIFY2(panel.ok(), panel ? "" : panel.why().c_str());
        QCOMPARE(panel->physicalShape(), (std::vector<int64_t>{63, 1024, 16}));
        QCOMPARE(panel->offsetOf({5, 35}), 2 * 1024 * 16 + 5 * 16 + 3);
        QCOMPARE(panel->text({"k", "j"}), "[j/16][k][16]");
        QCOMPARE(parseLayout(" [j/16] [k] [16] ", {1024, 1000}, {"k", "j"}).value(), panel.value());
        // Blocks of blocks, and blocks of two axes.
        QCOMPARE(parseLayout("[j/64][k][j%64/16][16]", {8, 128}, {"k", "j"})->text({"k", "j"}), "[j/64][k][64/16][16]");
        QCOMPARE(parseLayout("[j/8][k/8][k%8][j%8]", {64, 64}, {"k", "j"})->text({"k", "j"}), "[j/8][k/8][k%8][j%8]");
    }

    void refusals_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *text, const char *sentence) { QTest::newRow(text) << text << sentence; };
        row("  ", "layout: a list of pieces in brackets is expected, as in `[j/16][k][16]`");
        row("", "layout: a list of pieces in brackets is expected, as in `[j/16][k][16]`");
        row("k,j", "layout: `k,j` is not understood; a layout is a list of pieces in brackets, as in `[j/16][k][16]`");
        row("[k][j", "layout: `[j` is not understood; a layout is a list of pieces in brackets, as in `[j/16][k][16]`");
        row("[k][]", "layout: `[]` names no axis; write `[AXIS]`, `[AXIS/16]`, `[AXIS%16]` or `[16]`");
        row("[k][x]", "layout: `[x]`: the tensor has no axis x; its axes are k, j");
        row("[j/]", "layout: a whole number is expected behind `/` in `[j/]`");
        row("[j/4/2]", "layout: `/2` in `[j/4/2]` is not understood; %, / and + may follow a name, each once and in "
                       "this order");
        row("[j/99999999999999]", "layout: a number in `[j/99999999999999]` is beyond 2^40");
        row("[16%4]", "layout: `[16%4]`: `%` takes the place in a block of an axis, as in `[j%16]`");
        row("[k][16]", "layout: `[16]` is of no axis: none is cut into blocks of 16, as `[AXIS/16]` says");
        row("[k/16][j/16][16][16]", "layout: `[16]` may be of two axes; write `[AXIS%16]`");
        row("[k][j%16]", "layout: `[j%16]` is a place in a block of 16, but j is not cut into such blocks; `[j/16]` is "
                         "missing");
        row("[k][j/64][j%16][j/16]", "layout: `[j/16]`: the next larger block of j has 64 elements; write `[j%64/16]`");
        row("[k]", "layout: axis 1 of extent 100 has no piece that counts its elements; a piece of step 1 is needed");
        row("[k][j/16]", "layout: axis 1 of extent 100 has no piece that counts its elements; a piece of step 1 is "
                         "needed");
        row("[k][j][j]", "layout: axis 1 has two pieces of step 1; one is legal");
        row("[k][j/100][100]", "layout: axis 1 of extent 100 has blocks of 100; blocks from 2 to 99 are legal");
    }

    void refusals() {
        QFETCH(QString, text);
        QFETCH(QString, sentence);
        QCOMPARE(refusalOf(parseLayout(text.toStdString(), {64, 100}, {"k", "j"})), sentence);
    }

    void refusalsOfPieces() {
        QCOMPARE(refusalOf(Layout::of({4}, {{.axis = 1}})), "layout: there is no axis 1; the tensor has 1");
        QCOMPARE(refusalOf(Layout::of({4}, {{.axis = 0, .padding = -1}})),
                 "layout: axis 0 is padded by -1 cells; 0 or more are legal");
        QCOMPARE(refusalOf(composed(Layout::identity({4, 4}), Layout::identity({8}))),
                 "layouts are composed where the second takes what the first makes: 16 cells in 2 dimensions, not 8 in "
                 "1");
    }
};

LOOPSCOPE_TEST(LayoutValueTest)
#include "layout_value_test.moc"
