// Pictures and arrays in files, and tensors made of them.

#include "base/outcome.h"
#include "language/picture/array_file.h"
#include "language/picture/picture_tensor.h"
#include "language/picture/png_file.h"
#include "language/picture/value_file.h"
#include "language/te/op.h"
#include "test_program.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

using namespace loopscope;

namespace {

Picture gradient(int channels, int bits, int64_t width = 5, int64_t height = 3) {
    Picture picture{width, height, channels, bits, {}};
    for (int64_t i = 0; i < width * height * channels; ++i)
        picture.samples.push_back(static_cast<uint16_t>(i * (bits == 8 ? 3 : 777)));
    return picture;
}

QString sentenceOf(const std::function<void()> &work) {
    try {
        work();
    } catch (const Error &error) {
        return QString::fromStdString(error.sentence());
    }
    return {};
}

} // namespace

class PictureTest : public QObject {
    Q_OBJECT
  private:
    QTemporaryDir m_folder;
    [[nodiscard]] std::string path(const char *name) const { return m_folder.filePath(name).toStdString(); }
    [[nodiscard]] QString written(const char *name, const QByteArray &bytes) const {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("no place for test files");
        return file.fileName();
    }

  private slots:
    void picturesComeBack_data() {
        QTest::addColumn<int>("channels");
        QTest::addColumn<int>("bits");
        for (int channels = 1; channels <= 4; ++channels)
            for (const int bits : {8, 16}) QTest::addRow("%d channels of %d bits", channels, bits) << channels << bits;
    }
    void picturesComeBack() {
        QFETCH(const int, channels);
        QFETCH(const int, bits);
        const Picture picture = gradient(channels, bits);
        writePng(path("back.png"), picture);
        const Picture back = readPng(path("back.png"));
        QCOMPARE(back.width, picture.width);
        QCOMPARE(back.height, picture.height);
        QCOMPARE(back.channels, channels);
        QCOMPARE(back.bits, bits);
        QVERIFY(back.samples == picture.samples);
    }

    void picturesThatCannotBeRead() {
        QCOMPARE(sentenceOf([&] { readPng(path("nowhere.png")); }),
                 QStringLiteral("the picture cannot be opened: No such file or directory"));
        const std::string text = written("text.png", "not a picture").toStdString();
        QCOMPARE(sentenceOf([&] { readPng(text); }), QStringLiteral("the picture cannot be read: Not a PNG file"));
        writePng(path("whole.png"), gradient(3, 8, 200, 100));
        QFile whole(m_folder.filePath("whole.png"));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const std::string half = written("half.png", whole.readAll().first(120)).toStdString();
        QVERIFY(sentenceOf([&] { readPng(half); }).startsWith("the picture cannot be read: "));
        QVERIFY(sentenceOf([&] { readPng(written("empty.png", "").toStdString()); }).endsWith("Not a PNG file"));
        // A header that claims 16384 x 16384 pixels, which would take gigabytes, in front of a few bytes.
        const QByteArray claims =
            QByteArray::fromHex("89504e470d0a1a0a0000000d4948445200004000000040001006000000f958ccc7"
                                "0000000b49444154789c6360800100000a00017f80745e");
        QCOMPARE(sentenceOf([&] { readPng(written("claims.png", claims).toStdString()); }),
                 QStringLiteral("the picture claims 16384 x 16384 pixels, which its 56 bytes cannot hold"));
        QVERIFY(sentenceOf([&] {
                    writePng("/nowhere/at.png", gradient(1, 8));
                }).startsWith("cannot be written: No such file"));
    }

    void arraysComeBack_data() {
        QTest::addColumn<int>("type");
        for (const DType type : {DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32,
                                 DType::UInt32, DType::Int64, DType::Float16, DType::Float32, DType::Float64})
            QTest::newRow(dtypeName(type).data()) << static_cast<int>(type);
    }
    void arraysComeBack() {
        QFETCH(const int, type);
        const auto dtype = static_cast<DType>(type);
        TensorValue value{dtype, {2, 3}, {}, {}};
        for (const int64_t x : {0, 1, 1000, -7, 65535, -70000})
            if (isFloat(dtype))
                value.floats.push_back(dtype == DType::Float16 ? static_cast<double>(x % 512) / 4
                                                               : static_cast<double>(x) / 4);
            else
                value.integers.push_back(wrapToType(x, dtype));
        writeArray(path("back.npy"), value);
        const TensorValue back = readArray(path("back.npy"));
        QCOMPARE(back.dtype, dtype);
        QCOMPARE(back.shape, value.shape);
        QCOMPARE(back.floats, value.floats);
        QCOMPARE(back.integers, value.integers);
    }

    /// As numpy.save writes an int16 array of [1, -2].
    void arraysOfNumPyAreRead() {
        QByteArray bytes("\x93NUMPY\x01\x00v\x00{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", 10 + 58);
        bytes += QByteArray(117 - 58, ' ') + "\n" + QByteArray("\x01\x00\xfe\xff", 4);
        const TensorValue value = readArray(written("numpy.npy", bytes).toStdString());
        QCOMPARE(value.dtype, DType::Int16);
        QCOMPARE(value.shape, std::vector<int64_t>{2});
        QCOMPARE(value.integers, (std::vector<int64_t>{1, -2}));
        const auto complaint = [&](const char *from, const char *to) {
            QByteArray changed = bytes;
            changed.replace(from, to);
            const std::string name = written("changed.npy", changed).toStdString();
            return sentenceOf([&] { readArray(name); });
        };
        QCOMPARE(complaint("False", "True "),
                 QStringLiteral("the array cannot be read: its order is not C's, rows last; "
                                "write it with numpy.ascontiguousarray"));
        QCOMPARE(complaint("<i2", ">i2"),
                 QStringLiteral("the array cannot be read: its elements are `>i2`; booleans, integers of 8 to 64 bits "
                                "and floats of 16 to 64 are read, little-endian"));
        QCOMPARE(complaint("(2,)", "(3,)"), QStringLiteral("the array cannot be read: it has 4 bytes of elements where "
                                                           "its shape (3) needs 3 of 2"));
        QCOMPARE(complaint("NUMPY", "NUMPI"), QStringLiteral("the array cannot be read: it is no .npy file"));
        QCOMPARE(complaint("'shape'", "'shade'"), QStringLiteral("the array cannot be read: its header has no shape"));
    }

    void tensorsOfPictures() {
        const Picture colours = gradient(3, 8);
        const auto planes = tensorOf(colours, "in", DType::UInt8, {3, 3, 5});
        QVERIFY2(planes.ok(), planes.ok() ? "" : planes.why().c_str());
        QCOMPARE(planes->integers[1 * 15 + 2 * 5 + 4], int64_t{colours.at(4, 2, 1)});
        const auto pixels = tensorOf(colours, "in", DType::UInt16, {3, 5, 3});
        QVERIFY(pixels.ok());
        QCOMPARE(pixels->integers[(2 * 5 + 4) * 3 + 1], int64_t{colours.at(4, 2, 1)} * 257);
        const auto grey = tensorOf(gradient(1, 16), "in", DType::Float32, {3, 5});
        QVERIFY(grey.ok());
        QCOMPARE(grey->floats[7], static_cast<double>(7.0F * 777 / 65535));
        Picture opaque = gradient(4, 8);
        for (size_t i = 3; i < opaque.samples.size(); i += 4) opaque.samples[i] = 255;
        QVERIFY(tensorOf(opaque, "in", DType::UInt8, {3, 3, 5}).ok());

        const auto why = [](const Picture &picture, DType type, const std::vector<int64_t> &shape) {
            const auto value = tensorOf(picture, "in", type, shape);
            return value ? QString() : QString::fromStdString(value.why());
        };
        QCOMPARE(why(colours, DType::UInt8, {3, 4, 5}),
                 QStringLiteral("the picture has 5 x 3 pixels of 3 channels, `in` is [3, 4, 5]: pictures are [height, "
                                "width], [channels, height, width] or [height, width, channels]"));
        QVERIFY(why(gradient(4, 8), DType::UInt8, {3, 3, 5}).contains("one of them transparency"));
        QCOMPARE(why(gradient(1, 16), DType::UInt8, {3, 5}),
                 QStringLiteral("the picture has 16 bits a sample and `in` is uint8"));
        QCOMPARE(why(colours, DType::Int32, {3, 3, 5}),
                 QStringLiteral("a picture is no int32, which `in` is made of; uint8, uint16 and floats are read from "
                                "pictures, anything from .npy files"));
    }

    void picturesOfTensors() {
        const TensorValue floats{DType::Float32, {2, 2}, {0, 0.5, 1, 1.5}, {}};
        const auto painted = pictureOf(floats, "out");
        QVERIFY(painted.ok());
        QCOMPARE(painted->picture.samples, (std::vector<uint16_t>{0, 128, 255, 255}));
        QCOMPARE(painted->beyond, int64_t{1});
        const auto stretched = pictureOf(floats, "out", valueRange(floats));
        QCOMPARE(stretched->picture.samples, (std::vector<uint16_t>{0, 85, 170, 255}));
        QCOMPARE(stretched->beyond, int64_t{0});
        const auto wide = pictureOf({DType::UInt16, {1, 2}, {}, {0, 65535}}, "out");
        QCOMPARE(wide->picture.bits, 16);
        // What is no number is black, and counted; a range of one value alone is no range.
        QCOMPARE(pictureOf({DType::Float32, {1, 1}, {NAN}, {}}, "out")->beyond, int64_t{1});
        QCOMPARE(valueRange({DType::Float32, {1, 2}, {3, 3}, {}}).white, 1.0);

        const auto none = pictureOf({DType::Float32, {4}, {1, 1, 1, 1}, {}}, "out");
        QCOMPARE(QString::fromStdString(none.why()),
                 QStringLiteral("`out` is [4]; a picture is [height, width], [channels, height, width] or [height, "
                                "width, channels], of at most 4 channels"));
        const auto wrong = pictureOf({DType::Int32, {1, 1}, {}, {1}}, "out");
        QVERIFY(QString::fromStdString(wrong.why()).startsWith("`out` is int32; pictures are written from"));
    }

    void filesByTheirEndings() {
        const OpPtr input = makePlaceholder("in", {3, 5}, DType::Float32);
        writePng(path("grey.PNG"), gradient(1, 8));
        QCOMPARE(readValue(path("grey.PNG"), input->output()).floats.size(), size_t{15});
        QCOMPARE(sentenceOf([&] { readValue(path("grey.jpg"), input->output()); }),
                 QStringLiteral("values are read from and written to pictures, NAME.png, and arrays, NAME.npy"));
        writeArray(path("wide.npy"), {DType::Float64, {3, 5}, std::vector<double>(15, 0.1), {}});
        QCOMPARE(sentenceOf([&] { readValue(path("wide.npy"), input->output()); }),
                 QStringLiteral("the array is [3, 5] float64, `in` is [3, 5] float32"));
    }
};

LOOPSCOPE_TEST(PictureTest)
#include "picture_test.moc"
