// What is wrong with a file: all of it at once, a sentence each, naming the node.

#include "base/outcome.h"
#include "model_maker.h"
#include "test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

using namespace loopscope;

class OnnxProblemsTest : public QObject {
    Q_OBJECT

    static void problems(const ImportResult &result, const char *wanted) {
        const std::string text = problemsText(result);
        if (text != wanted) qInfo("%s", text.c_str()); // QCOMPARE cuts it off
        QCOMPARE(QString::fromStdString(text), QString(wanted));
        QVERIFY(!result.module);
    }

    /// Its list is too long to be repeated.
    static ImportResult withoutList(ImportResult result) {
        for (OnnxProblem &problem : result.problems)
            if (const size_t at = problem.reason.find("; supported are Abs, Add, "); at != std::string::npos)
                problem.reason.replace(at, std::string::npos, "; LIST");
        return result;
    }

    static ModelMaker small(int64_t opset = 17) {
        ModelMaker maker(opset);
        maker.input("x", {1, 3, 8, 8}).output("y");
        return maker;
    }

  private slots:
    void allAtOnce() {
        ModelMaker maker(11);
        maker.input("x", {1, 3, 8, 8});
        maker.initialiser("w", HostTensor::splat(DType::Float32, {4, 3, 3, 3}, 1));
        maker.node("Multinomial", {"x"}, {"a"});
        maker.node("Conv", {"x", "w"}, {"b"}, {{"auto_pad", std::string("FULL")}, {"stride", int64_t{1}}});
        maker.node("Gru", {"b"}, {"c"});
        maker.node("If", {"c"}, {"d"});
        maker.node("Relu", {"nowhere"}, {"e"});
        maker.node("Conv", {"x", "w"}, {"f"}, {{"kernel_shape", std::vector<int64_t>{5, 5}}});
        maker.node("Softmax", {"x"}, {"g"}, {{"axis", int64_t{4}}});
        maker.output("e").output("h");
        problems(withoutList(maker.import()),
                 "Multinomial 'a' (opset 11): the operator is not supported; LIST\n"
                 "Conv 'b' (opset 11): attribute 'auto_pad' is FULL, which is not supported; supported is NOTSET, "
                 "SAME_UPPER, SAME_LOWER, VALID\n"
                 "Conv 'b' (opset 11): attribute 'stride' is unknown (did you mean `strides`?); those of Conv are "
                 "auto_pad, dilations, group, kernel_shape, pads, strides\n"
                 "Gru 'c' (opset 11): the operator is not supported (did you mean `Elu`?)\n"
                 "If 'd' (opset 11): attribute 'then_branch' is missing; it has to be a graph\n"
                 "If 'd' (opset 11): attribute 'else_branch' is missing; it has to be a graph\n"
                 "Relu 'e' (opset 11): reads 'nowhere', which is no input, no initialiser and no result of a node\n"
                 "Conv 'f' (opset 11): attribute 'kernel_shape' is [5, 5], and the weights are float32[4, 3, 3, 3]\n"
                 "Softmax 'g' (opset 11): attribute 'axis' is 4, and float32[1, 3, 8, 8] has no such axis\n"
                 "'h': the output is no result of a node, no input and no initialiser\n");
    }

    void goesOnBehindDeclaredValues() {
        ModelMaker maker(11);
        maker.input("x", {4});
        maker.node("Multinomial", {"x"}, {"a"});
        maker.node("Softmax", {"a"}, {"b"}, {{"axis", int64_t{7}}});
        maker.output("b");
        problems(withoutList(maker.import()), "Multinomial 'a' (opset 11): the operator is not supported; LIST\n");
        // With a type the node behind it can be looked at.
        auto *info = maker.graph().add_value_info();
        *info = maker.graph().input(0);
        info->set_name("a");
        problems(withoutList(maker.import()),
                 "Multinomial 'a' (opset 11): the operator is not supported; LIST\n"
                 "Softmax 'b' (opset 11): attribute 'axis' is 7, and float32[4] has no such axis\n");
    }

    void dimsWithoutNumbers() {
        ModelMaker maker = small();
        QCOMPARE(QString::fromStdString(symbolsHint(maker.import())), QString());
        maker.input("z", {-2, -3, 4});
        QCOMPARE(
            QString::fromStdString(symbolsHint(maker.import())),
            QString("the dims a, b have no number; some of these problems may end where they get one (--dim a=N)"));
        ImportOptions options;
        options.dims = {{"a", 2}};
        QCOMPARE(QString::fromStdString(symbolsHint(maker.import(options))),
                 QString("the dim b has no number; some of these problems may end where they get one (--dim b=N)"));
    }

    void versionsAndDomains() {
        ModelMaker maker = small(29);
        maker.node("Relu", {"x"}, {"y"}).set_domain("com.microsoft");
        problems(maker.import(),
                 "asks for version 29 of the operator set; supported are versions 1 to 28 (exporters have an option "
                 "for it, and onnx.version_converter converts)\n"
                 "Relu 'y' (opset 28): the operator is of the domain 'com.microsoft'; only ONNX's own operators are "
                 "supported\n");
        ModelMaker old = small(8);
        old.node("Erf", {"x"}, {"y"});
        problems(old.import(), "Erf 'y' (opset 8): there is no such operator before version 9 of the operator set\n");
        ModelMaker late = small(13);
        late.node("Upsample", {"x", "x"}, {"y"});
        problems(late.import(),
                 "Upsample 'y' (opset 13): there is no such operator from version 10 of the operator set on\n");
        ModelMaker none = small();
        none.node("Relu", {"x"}, {"y"});
        none.model().clear_opset_import();
        problems(none.import(), "does not say which version of the operator set it is written for (opset_import)\n");
    }

    void trainingIsRefused() {
        ModelMaker maker = small(14);
        maker.initialiser("c", HostTensor::splat(DType::Float32, {3}, 1));
        maker.node("BatchNormalization", {"x", "c", "c", "c", "c"}, {"y", "m", "v"}, {{"training_mode", int64_t{1}}});
        problems(maker.import(), "BatchNormalization 'y' (opset 14): is in training mode (training_mode is 1); only "
                                 "inference is supported\n");
    }

    void numbersOfInputsAndKinds() {
        ModelMaker maker = small();
        maker.node("Add", {"x"}, {"a"});
        maker.node("Relu", {"x", "x"}, {"b"});
        maker.node("Softmax", {"x"}, {"y"}, {{"axis", 1.0F}});
        maker.node("Concat", {"x", "", "x"}, {"c"}, {{"axis", int64_t{0}}});
        problems(maker.import(), "Add 'a' (opset 17): has 1 inputs; it needs at least 2\n"
                                 "Relu 'b' (opset 17): has 2 inputs; it takes 1 at most\n"
                                 "Softmax 'y' (opset 17): attribute 'axis' is a number; it must be an integer\n"
                                 "Concat 'c' (opset 17): input 1 is left out\n");
    }

    void cyclesAndNames() {
        ModelMaker maker = small();
        maker.node("Add", {"x", "c"}, {"b"});
        maker.node("Relu", {"b"}, {"c"});
        maker.node("Relu", {"c"}, {"y"});
        problems(maker.import(), "Add 'b' (opset 17): the nodes 'b', 'c' read one another's results in a cycle\n");
        ModelMaker twice = small();
        twice.input("x", {1});
        twice.node("Relu", {"x"}, {"y"});
        twice.node("Neg", {"x"}, {"y"});
        problems(twice.import(), "'x': there is more than one value of this name; the second is this input\n"
                                 "'y': there is more than one value of this name; the second is this output of node "
                                 "'y'\n");
        ModelMaker bytes = small();
        bytes.node("Relu", {"x"}, {"y"}).set_name("a\xff\n");
        problems(bytes.import(), "Relu 'a\\xff\\x0a' (opset 17): the name of this node is no UTF-8 text\n");
    }

    void absurdSizes() {
        ModelMaker maker = small();
        maker.input("huge", {int64_t{1} << 62, 4}).input("big", {int64_t{1} << 39});
        auto *dims = maker.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
        dims->mutable_dim(0)->set_dim_value(-5);
        maker.initialiser("shape", integerTensor({2}, std::vector<int64_t>{int64_t{1} << 61, 2}));
        maker.node("ConstantOfShape", {"shape"}, {"y"});
        problems(maker.import(),
                 "'x': the input has the dim -5, which is negative\n"
                 "'huge': the input float32[4611686018427387904, 4] has more than 1099511627776 bytes, which is the "
                 "most that a tensor may have\n"
                 "'big': the input float32[549755813888] has more than 1099511627776 bytes, which is the most that a "
                 "tensor may have\n"
                 "ConstantOfShape 'y' (opset 17): float32[2305843009213693952, 2] has more than 1099511627776 bytes, "
                 "which is the most that a tensor may have\n");
    }

    void wrongInitialisers() {
        ModelMaker maker = small();
        maker.node("Relu", {"x"}, {"y"});
        auto *few = maker.graph().add_initializer();
        few->set_name("few");
        few->set_data_type(onnx::TensorProto_DataType_FLOAT);
        few->add_dims(int64_t{1} << 30);
        few->set_raw_data("1234");
        auto *text = maker.graph().add_initializer();
        text->set_name("text");
        text->set_data_type(onnx::TensorProto_DataType_STRING);
        auto *negative = maker.graph().add_initializer();
        negative->set_name("negative");
        negative->set_data_type(onnx::TensorProto_DataType_INT64);
        negative->add_dims(-1);
        auto *outside = maker.graph().add_initializer();
        outside->set_name("outside");
        outside->set_data_type(onnx::TensorProto_DataType_INT64);
        outside->set_data_location(onnx::TensorProto_DataLocation_EXTERNAL);
        maker.graph().add_sparse_initializer()->mutable_values()->set_name("sparse");
        problems(maker.import(),
                 "'few': the initialiser holds 4 bytes, and float32[1073741824] has 4294967296\n"
                 "'text': the initialiser has elements of STRING; supported are floats of 16 to 64 bits, integers but "
                 "uint64, and bool\n"
                 "'negative': the initialiser has the dims [-1]; dims are not negative, and a tensor has "
                 "1099511627776 bytes at most\n"
                 "'outside': the initialiser its data is in another file, and this model is not read from a folder\n"
                 "'sparse': the initialiser is a sparse tensor; only dense ones are supported\n");
    }

    void declaredShapesAreCompared() {
        ModelMaker maker(17);
        maker.input("x", {1, 3});
        maker.node("Relu", {"x"}, {"a"});
        maker.node("Neg", {"a"}, {"y"});
        maker.output("y", {1, 4});
        // The computed shape counts; exporters write that of a pool without its ceil_mode.
        const ImportResult wrong = maker.import();
        QVERIFY(wrong.module);
        QCOMPARE(wrong.notes.size(), size_t{1});
        QCOMPARE(problemText(wrong.notes[0]),
                 std::string("'y': the output is declared as float32[1, 4] and computed as float32[1, 3]"));
        QCOMPARE(typeText(wrong.module->main().type(wrong.module->main().results()[0])), std::string("float32[1, 3]"));
        auto *elements = maker.graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
        elements->set_elem_type(onnx::TensorProto_DataType_DOUBLE);
        problems(maker.import(), "'y': the output is declared as float64[1, 4] and computed as float32[1, 3]\n");
        elements->set_elem_type(onnx::TensorProto_DataType_FLOAT);
        maker.graph()
            .mutable_output(0)
            ->mutable_type()
            ->mutable_tensor_type()
            ->mutable_shape()
            ->mutable_dim(1)
            ->set_dim_param("n");
        auto *info = maker.graph().add_value_info();
        *info = maker.graph().input(0);
        info->set_name("a");
        info->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto_DataType_DOUBLE);
        const ImportResult result = maker.import();
        QVERIFY(result.module);
        QCOMPARE(result.notes.size(), size_t{1});
        QCOMPARE(result.notes[0].reason, std::string("is declared as float64[1, 3] and computed as float32[1, 3]"));
    }

    void otherFiles() {
        problems(importText("# Readme\n\nThis is no model at all.\n"),
                 "is no ONNX model: its bytes are damaged, cut off, or something else\n");
        problems(importText(""), "is no ONNX model: it has no graph\n");
        QVERIFY_EXCEPTION_THROWN(importOnnx("/nowhere/model.onnx"), Error);
        try {
            QTemporaryDir folder;
            const std::string path = folder.filePath("cut.onnx").toStdString();
            ModelMaker maker = small();
            maker.node("Tan", {"x"}, {"a"});
            maker.node("Tan", {"a"}, {"y"});
            std::ofstream(path, std::ios::binary) << maker.bytes();
            loadOnnx(path);
            QFAIL("loaded");
        } catch (const Error &error) {
            const std::string sentence = error.sentence();
            QVERIFY(sentence.starts_with("cannot be imported, 2 problems:\n"
                                         "  Tan 'a' (opset 17): the operator is not supported (did you mean `Tanh`?); "
                                         "supported are Abs, Add, "));
            QVERIFY(sentence.ends_with("\n"
                                       "  Tan 'y' (opset 17): the operator is not supported (did you mean `Tanh`?)"));
        }
    }

    void listsOperators() {
        const std::vector<std::string> names = importedOperators(17);
        QVERIFY(std::is_sorted(names.begin(), names.end()));
        QVERIFY(std::binary_search(names.begin(), names.end(), std::string("LayerNormalization")));
        QVERIFY(!std::binary_search(names.begin(), names.end(), std::string("Upsample")));
        const std::vector<std::string> old = importedOperators(9);
        QVERIFY(!std::binary_search(old.begin(), old.end(), std::string("LayerNormalization")));
        QVERIFY(std::binary_search(old.begin(), old.end(), std::string("Upsample")));
    }
};

LOOPSCOPE_TEST(OnnxProblemsTest)
#include "problems_test.moc"
