// Tensors in memory: splats, dense and mapped ones behave alike; equal content has equal hashes.

#include "base/check.h"
#include "base/outcome.h"
#include "language/tensor/content_hash.h"
#include "language/tensor/host_tensor.h"
#include "test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <filesystem>
#include <fstream>

using namespace loopscope;

class HostTensorTest : public QObject {
    Q_OBJECT

  private slots:
    void countsElements() {
        QCOMPARE(elementCount(std::vector<int64_t>{}), int64_t{1});
        QCOMPARE(elementCount(std::vector<int64_t>{3, 0, int64_t{1} << 62}), int64_t{0});
        QCOMPARE(elementCount(std::vector<int64_t>{-1}), int64_t{-1});
        QCOMPARE(elementCount(std::vector<int64_t>{int64_t{1} << 59}), int64_t{1} << 59);
        QCOMPARE(elementCount(std::vector<int64_t>{int64_t{1} << 31, int64_t{1} << 31}), int64_t{-1});
        QCOMPARE(elementCount(std::vector<int64_t>{int64_t{1} << 62, 4}), int64_t{-1});
    }

    void splatIsItsDenseForm() {
        const auto splat = HostTensor::splat(DType::Float16, {300, 5}, 0.1);
        QVERIFY(splat.isSplat());
        const HostTensor dense = splat.dense();
        QVERIFY(!dense.isSplat());
        QVERIFY(splat.sameAs(dense) && dense.sameAs(splat));
        QCOMPARE(contentHash(splat), contentHash(dense));
        QCOMPARE(splat.number(17), dense.number(17));
        HostTensor other = HostTensor::splat(DType::Float16, {300, 5}, 0.1).dense();
        other.setNumber(1499, 0.2);
        QVERIFY(!splat.sameAs(other));
        QVERIFY(contentHash(splat) != contentHash(other));
    }

    void hashesTellContentApart() {
        const auto of = [](DType type, std::vector<int64_t> dims, double value) {
            return contentHash(HostTensor::splat(type, std::move(dims), value));
        };
        const Hash128 hash = of(DType::Float32, {2, 3}, 0);
        QVERIFY(hash != of(DType::Float32, {3, 2}, 0));
        QVERIFY(hash != of(DType::Int32, {2, 3}, 0));
        QVERIFY(hash != of(DType::Float32, {2, 3}, -0.0));
        QVERIFY(of(DType::Float32, {0}, 1) != of(DType::Float32, {0, 1}, 1));
        QCOMPARE(of(DType::Float32, {0}, 1), contentHash(HostTensor::zeros(DType::Float32, {0})));
        QCOMPARE(hash.text(), std::string("d2e3798b8383dc8607a1819baa76ca59"));
        ContentHasher one;
        one.add(std::string_view("ab"));
        one.add(std::string_view("c"));
        ContentHasher two;
        two.add(std::string_view("a"));
        two.add(std::string_view("bc"));
        QVERIFY(one.finish() != two.finish());
    }

    void mappedFilesAreRead() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("weights.bin").toStdString();
        std::ofstream(path, std::ios::binary) << "xxxx" << std::string("\x01\x00\x02\x00", 4);
        const auto tensor = HostTensor::mapped(DType::Int16, {2}, MappedFile::open(path), 4);
        QCOMPARE(tensor.integerValues(), (std::vector<int64_t>{1, 2}));
        QVERIFY_THROWS_EXCEPTION(InternalError, (void)HostTensor::mapped(DType::Int16, {3}, MappedFile::open(path), 4));
    }

    /// As exporters do that write over what is there.
    void filesMayChangeOnceTheyAreOpen() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("weights.bin").toStdString();
        std::ofstream(path, std::ios::binary) << std::string(1 << 20, '\1');
        const auto tensor = HostTensor::mapped(DType::Int8, {1 << 19}, MappedFile::open(path), 1 << 19);
        std::ofstream(path, std::ios::binary | std::ios::trunc) << "new";
        QCOMPARE(tensor.integer((1 << 19) - 1), int64_t{1});
        QCOMPARE(tensor.integer(0), int64_t{1});
    }

    /// What is too large to be copied is cut short while it is open.
    void mappedFilesMayBecomeShorter() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("weights.bin").toStdString();
        const std::string sentence = path + ": became shorter while it was open, as by an export; open it again";
        std::ofstream(path, std::ios::binary) << std::string(1 << 20, '\1');
        const auto thrown = [](const auto &work) {
            try {
                work();
            } catch (const Error &problem) {
                return std::string(problem.what());
            }
            return std::string();
        };
        {
            const LossWatch losses;
            const auto file = MappedFile::open(path, 1000);
            const std::byte *bytes = file->bytes().data();
            QCOMPARE(MappedFile::shortened(), std::string());
            std::filesystem::resize_file(path, 1000);
            QCOMPARE(MappedFile::shortened(), sentence);
            QCOMPARE(bytes[999], std::byte{1});
            losses.check(); // nothing was read of what is gone
            QCOMPARE(bytes[1 << 19], std::byte{0});
            QCOMPARE(thrown([&] { losses.check(); }), sentence);
            QCOMPARE(thrown([&] { (void)file->bytes(); }), sentence);
            LossWatch().check(); // later work reads something else
            const auto again = MappedFile::open(path, 100);
            QCOMPARE(again->bytes().size(), size_t{1000});
            const auto tensor = HostTensor::mapped(DType::Int8, {4}, again, 996);
            QCOMPARE(tensor.integer(3), int64_t{1});
        }
        LossWatch().check();
        QCOMPARE(MappedFile::shortened(), std::string());
        const LossWatch losses;
        {
            const auto file = MappedFile::open(path, 100);
            std::filesystem::resize_file(path, 0);
            QCOMPARE(file->bytes()[500], std::byte{0});
        }
        QCOMPARE(thrown([&] { losses.check(); }), sentence); // it was let go before
    }

    void numbersBeyondIntegersAreLimited() {
        HostTensor tensor = HostTensor::zeros(DType::Int64, {3});
        tensor.setNumber(0, 1e30);
        tensor.setNumber(1, -INFINITY);
        tensor.setNumber(2, std::nan(""));
        QCOMPARE(tensor.integerValues(), (std::vector<int64_t>{INT64_MAX, INT64_MIN, 0}));
    }

    void oneElement() {
        const auto tensor = integerTensor({2}, std::vector<int64_t>{4, 5});
        QVERIFY(tensor.elementAt(1).sameAs(HostTensor::scalar(DType::Int64, 5)));
        QVERIFY_THROWS_EXCEPTION(InternalError, (void)tensor.elementAt(2));
    }
};

LOOPSCOPE_TEST(HostTensorTest)
#include "host_tensor_test.moc"
