// .npy files: what is written is read again, bit for bit, and each thing that is wrong with a file has its sentence.

#include "base/outcome.h"
#include "language/tensor/npy_file.h"
#include "test_program.h"

#include <QTemporaryDir>
#include <QTest>

using namespace loopscope;

namespace {

std::string sentenceFor(std::string bytes) {
    try {
        npyFromBytes("a.npy", bytes);
    } catch (const Error &error) {
        return error.sentence();
    }
    return "accepted";
}

std::string replaced(std::string text, const std::string &what, const std::string &by) {
    text.replace(text.find(what), what.size(), by);
    return text;
}

} // namespace

class NpyFileTest : public QObject {
    Q_OBJECT

  private slots:
    void everyTypeComesBack_data() {
        QTest::addColumn<int>("type");
        for (const DType type : {DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32,
                                 DType::UInt32, DType::Int64, DType::Float16, DType::Float32, DType::Float64})
            QTest::newRow(std::string(dtypeName(type)).c_str()) << static_cast<int>(type);
    }
    void everyTypeComesBack() {
        QFETCH(int, type);
        const QTemporaryDir folder;
        const std::string path = folder.filePath("a.npy").toStdString();
        for (const std::vector<int64_t> &dims : {std::vector<int64_t>{}, std::vector<int64_t>{3},
                                                 std::vector<int64_t>{2, 0}, std::vector<int64_t>{2, 3}}) {
            const auto tensor =
                HostTensor::generated(static_cast<DType>(type), dims, FillRecipe::integers(1, -100, 100));
            writeNpy(path, tensor);
            QVERIFY(readNpy(path).sameAs(tensor));
        }
    }

    void bfloatsAreWrittenWider() {
        const auto tensor = HostTensor::splat(DType::BFloat16, {2}, 1.5);
        QVERIFY(npyFromBytes("a", npyBytes(tensor)).sameAs(HostTensor::splat(DType::Float32, {2}, 1.5)));
    }

    void refusedWithSentence() {
        const std::string good = npyBytes(HostTensor::splat(DType::Float32, {2}, 1));
        QCOMPARE(sentenceFor(good), std::string("accepted"));
        QCOMPARE(sentenceFor("hello, this is a text"), std::string("the array cannot be read: it is no .npy file"));
        QCOMPARE(sentenceFor(good.substr(0, 40)), std::string("the array cannot be read: it ends within its header"));
        QCOMPARE(sentenceFor(replaced(good, "False", "True ")),
                 std::string("the array cannot be read: its order is not C's, rows last; write it with "
                             "numpy.ascontiguousarray"));
        QCOMPARE(sentenceFor(replaced(good, "'shape'", "'shope'")),
                 std::string("the array cannot be read: its header has no shape"));
        QCOMPARE(sentenceFor(replaced(good, "(2,)", "(3,)")),
                 std::string("the array cannot be read: it has 8 bytes of elements where its shape (3) needs 3 of 4"));
        QCOMPARE(sentenceFor(replaced(good, "(2,), }        ", "(9999999999), }")),
                 std::string("the array cannot be read: it has 8 bytes of elements where its shape (9999999999) needs "
                             "9999999999 of 4"));
        QCOMPARE(sentenceFor(replaced(good, "(2,), }                  ", "(9999999999,999999999), }")),
                 std::string("the array cannot be read: its shape is too large"));
        QCOMPARE(sentenceFor(replaced(good, "<f4", "<c8")),
                 std::string("the array cannot be read: its elements are `<c8`; booleans, integers of 8 to 64 bits and "
                             "floats of 16 to 64 are read, little-endian"));
        QCOMPARE(sentenceFor(replaced(good, "\x93NUMPY\x01", "\x93NUMPY\x09")),
                 std::string("the array cannot be read: its format has version 9; 1 to 3 are known"));
    }
};

LOOPSCOPE_TEST(NpyFileTest)
#include "npy_file_test.moc"
