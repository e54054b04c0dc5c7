// Tensors as ONNX files store them: every field, and files beside the model, which must stay in its folder.

#include "model_maker.h"
#include "networks/onnx/tensor_data.h"
#include "test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

using namespace loopscope;

class OnnxTensorDataTest : public QObject {
    Q_OBJECT

    static std::string read(const onnx::TensorProto &proto, const std::string &folder = {}) {
        ExternalFiles files(folder);
        const auto tensor = tensorOf(proto, files, 1 << 20);
        if (!tensor) return tensor.why();
        std::string text = typeText({tensor->dtype(), asDims(tensor->dims())});
        for (int64_t i = 0; i < tensor->elements(); ++i) text += " " + std::to_string(tensor->number(i)).substr(0, 6);
        return text;
    }

    static onnx::TensorProto proto(int type, const std::vector<int64_t> &dims) {
        onnx::TensorProto made;
        made.set_data_type(type);
        for (const int64_t dim : dims) made.add_dims(dim);
        return made;
    }

    static onnx::TensorProto external(const std::string &location, const std::string &offset = {}) {
        onnx::TensorProto made = proto(onnx::TensorProto_DataType_FLOAT, {2});
        made.set_data_location(onnx::TensorProto_DataLocation_EXTERNAL);
        auto *entry = made.add_external_data();
        entry->set_key("location");
        entry->set_value(location);
        if (!offset.empty()) {
            entry = made.add_external_data();
            entry->set_key("offset");
            entry->set_value(offset);
        }
        return made;
    }

  private slots:
    void typedFields() {
        auto floats = proto(onnx::TensorProto_DataType_FLOAT, {2});
        floats.add_float_data(1.5F);
        QCOMPARE(read(floats), std::string("holds 1 numbers, and float32[2] has 2"));
        floats.add_float_data(-2);
        QCOMPARE(read(floats), std::string("float32[2] 1.5000 -2.000"));
        auto halves = proto(onnx::TensorProto_DataType_FLOAT16, {1});
        halves.add_int32_data(0x3e00);
        QCOMPARE(read(halves), std::string("float16[1] 1.5000"));
        auto bytes = proto(onnx::TensorProto_DataType_INT8, {2});
        bytes.add_int32_data(-3);
        bytes.add_int32_data(7);
        QCOMPARE(read(bytes), std::string("int8[2] -3.000 7.0000"));
        auto bools = proto(onnx::TensorProto_DataType_BOOL, {2});
        bools.add_int32_data(2);
        bools.add_int32_data(0);
        QCOMPARE(read(bools), std::string("bool[2] 1.0000 0.0000"));
        auto words = proto(onnx::TensorProto_DataType_UINT32, {1});
        words.add_uint64_data(4000000000);
        QCOMPARE(read(words), std::string("uint32[1] 400000"));
        auto doubles = proto(onnx::TensorProto_DataType_DOUBLE, {});
        doubles.add_double_data(0.25);
        QCOMPARE(read(doubles), std::string("float64[] 0.2500"));
        QCOMPARE(read(proto(onnx::TensorProto_DataType_INT64, {0, 4})), std::string("int64[0, 4]"));
    }

    void wrongSizes() {
        auto raw = proto(onnx::TensorProto_DataType_INT64, {1});
        raw.set_raw_data("1234567");
        QCOMPARE(read(raw), std::string("holds 7 bytes, and int64[1] has 8"));
        QCOMPARE(read(proto(onnx::TensorProto_DataType_FLOAT, {1 << 20})),
                 std::string("has the dims [1048576]; dims are not negative, and a tensor has 1048576 bytes at most"));
        QVERIFY(read(proto(onnx::TensorProto_DataType_COMPLEX64, {1})).starts_with("has elements of COMPLEX64"));
        QVERIFY(read(proto(77, {1})).starts_with("has elements of type 77"));
    }

    void filesBeside() {
        QTemporaryDir outside;
        QVERIFY(outside.isValid());
        const std::filesystem::path top = outside.path().toStdString();
        const std::filesystem::path folder = top / "model";
        std::filesystem::create_directory(folder);
        const float numbers[] = {1, 2, 3};
        for (const auto &path : {folder / "weights.bin", top / "secret.bin"})
            std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char *>(numbers), sizeof numbers);
        std::filesystem::create_symlink(top / "secret.bin", folder / "link.bin");
        std::filesystem::create_symlink(folder / "weights.bin", folder / "inside.bin");

        const auto from = [&](const onnx::TensorProto &made) { return read(made, folder.string()); };
        QCOMPARE(from(external("weights.bin")), std::string("float32[2] 1.0000 2.0000"));
        QCOMPARE(from(external("weights.bin", "4")), std::string("float32[2] 2.0000 3.0000"));
        QVERIFY(from(external("weights.bin", "1")).starts_with("float32[2]")); // copied: it is not aligned
        QCOMPARE(from(external("weights.bin", "8")),
                 std::string("its external data is 8 bytes at 8 of 'weights.bin', which has 12"));
        QCOMPARE(from(external("weights.bin", "-4")),
                 std::string("its external data has the offset '-4', which is no number of bytes"));
        QCOMPARE(from(external("inside.bin")), std::string("float32[2] 1.0000 2.0000"));
        QCOMPARE(from(external("../secret.bin")),
                 std::string("its external data is in '../secret.bin'; only files in the model's folder are read"));
        QVERIFY(from(external((top / "secret.bin").string())).ends_with("only files in the model's folder are read"));
        QCOMPARE(from(external("link.bin")), std::string("its external data file 'link.bin' is a link out of the "
                                                         "model's folder, which is not followed"));
        QVERIFY(from(external("none.bin")).starts_with("its external data file 'none.bin' cannot be opened"));
        QCOMPARE(from(external("")), std::string("its external data names no file"));
        QCOMPARE(read(external("weights.bin")),
                 std::string("its data is in another file, and this model is not read from a folder"));
    }
};

LOOPSCOPE_TEST(OnnxTensorDataTest)
#include "tensor_data_test.moc"
