// Memory order as it is drawn: places, cache lines, vectors, what follows what.

#include "codegen/layout/layout.h"
#include "test_program.h"
#include "views/memory_layout/memory_picture.h"

#include <QtTest>

namespace loopscope {

namespace {

MemoryCorner cornerOf(const std::vector<int64_t> &shape, int vectorAxis) {
    std::vector<QString> names;
    for (size_t d = 0; d < shape.size(); ++d) names.push_back(QString(QChar(u'i' + static_cast<char16_t>(d))));
    MemoryCorner corner = firstCorner(shape, names, 4);
    corner.vectorAxis = vectorAxis;
    corner.lanes = 4;
    return corner;
}

} // namespace

class MemoryPictureTest : public QObject {
    Q_OBJECT
  private slots:
    void rowsAsTheyAre() {
        const MemoryPicture picture(Layout::identity({8, 32}), cornerOf({8, 32}, 1));
        QCOMPARE(picture.rows(), 8);
        QCOMPARE(picture.columns(), 32);
        QCOMPARE(picture.cells()[33].offset, int64_t{33});
        QCOMPARE(picture.cells()[33].line, int64_t{2}); // 16 floats each
        QCOMPARE(picture.cells()[31].next, 32);
        QCOMPARE(picture.cells()[255].next, -1);
        QCOMPARE(picture.onLineOf(5).size(), size_t{16});
        QCOMPARE(picture.linesOfVector(5), 1);
        QCOMPARE(picture.linesOfVector(14), 2); // over the end of a line
        QCOMPARE(picture.vectorFrom(30), (std::vector<int>{30, 31}));
        QCOMPARE(picture.cellText(QStringLiteral("B"), 33),
                 QStringLiteral("B[i = 1, j = 1] at 33, line 2; a vector of 4 along j: 1 line"));
    }

    /// Down the columns a vector touches as many lines as it has lanes; transposed, one.
    void columnsBeforeAndAfter() {
        const MemoryPicture before(Layout::identity({64, 64}), cornerOf({64, 64}, 0));
        QCOMPARE(before.rows(), 34); // a corner
        QCOMPARE(before.columns(), 34);
        QCOMPARE(before.linesOfVector(3), 4);
        QCOMPARE(before.vectorFrom(3), (std::vector<int>{3, 37, 71, 105}));
        const Outcome<Layout> transposed = Layout::of({64, 64}, {{.axis = 1}, {.axis = 0}});
        QVERIFY(transposed.ok());
        const MemoryPicture after(*transposed, cornerOf({64, 64}, 0));
        QCOMPARE(after.linesOfVector(3), 1);
        QCOMPARE(after.cells()[0].next, 34); // downward
        const Outcome<Layout> blocked = parseLayout("[d1/16][d0][16]", {64, 64});
        QVERIFY(blocked.ok());
        const MemoryPicture panels(*blocked, cornerOf({64, 64}, 1));
        QCOMPARE(panels.cells()[15].next, 34); // the next row of the panel
        QCOMPARE(panels.cells()[16].offset, int64_t{64 * 16});
    }

    void otherShapes() {
        QVERIFY(MemoryPicture(Layout::identity({}), {}).empty());
        const MemoryPicture line(Layout::identity({5}), cornerOf({5}, 0));
        QCOMPARE(line.rows(), 1);
        QCOMPARE(line.columns(), 5);
        QCOMPARE(line.linesOfVector(3), 1);
        // The vector goes away from what is drawn.
        const MemoryPicture deep(Layout::identity({16, 3, 3}), cornerOf({16, 3, 3}, 0));
        QCOMPARE(deep.vectorFrom(4), std::vector<int>{4});
        QCOMPARE(deep.linesOfVector(0), 2); // 0, 9, 18, 27
    }
};

LOOPSCOPE_TEST(MemoryPictureTest)
} // namespace loopscope

#include "memory_picture_test.moc"
