// Calls by the C convention in both directions, with every refusal; tensors exchanged without copies; functions that
// others compiled, and one made in Python.

#include "harness/numpy_python.h"
#include "harness/packed_body.h"
#include "networks/packed/checked_call.h"
#include "networks/packed/packed_library.h"
#include "networks/packed/tensor_exchange.h"
#include "test_program.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace {

constexpr const char *kForeign = R"(#include <stdint.h>
typedef union { int64_t i; double f; void *p; const char *s; } value;
typedef struct { void *data; int32_t device[2]; int32_t rank; uint32_t type; int64_t *shape, *strides; uint64_t offset; } tensor;
static float *of(value v) { tensor *t = v.p; return (float *)((char *)t->data + t->offset); }
static int64_t size(value v) { tensor *t = v.p; int64_t n = 1; for (int d = 0; d < t->rank; ++d) n *= t->shape[d]; return n; }
static const char *why = "";
const char *foreign_why(void) { return why; }
int twice(value *a, int *codes, int count, value *r, int *code, void *resource) {
    if (count != 2 || codes[0] != 7) { why = "two tensors are wanted"; return 5; }
    for (int64_t i = 0; i < size(a[0]); ++i) of(a[1])[i] = 2 * of(a[0])[i];
    r->i = size(a[0]); *code = 0;
    return 0;
}
int careless(value *a, int *codes, int count, value *r, int *code, void *resource) {
    of(a[1])[0] = of(a[0])[1]++;
    return 0;
}
int silent(value *a, int *codes, int count, value *r, int *code, void *resource) { return 7; }
int strange(value *a, int *codes, int count, value *r, int *code, void *resource) { *code = 99; return 0; }
int object(value *a, int *codes, int count, value *r, int *code, void *resource) { *code = 8; return 0; }
int name(value *a, int *codes, int count, value *r, int *code, void *resource) { r->s = resource; *code = 11; return 0; }
)";

constexpr const char *kPython = R"(import ctypes, sys
import numpy
library = ctypes.CDLL(sys.argv[1])
library.loopscope_call_from_python.restype = ctypes.c_char_p
class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("rank", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]
Function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int), ctypes.c_int,
                            ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_int), ctypes.c_void_p)
Why = ctypes.CFUNCTYPE(ctypes.c_void_p)
def array(value):
    tensor = Tensor.from_address(value)
    shape = tuple(tensor.shape[:tensor.rank])
    assert (tensor.code, tensor.bits, tensor.lanes) == (2, 32, 1) and not tensor.strides
    count = int(numpy.prod(shape))
    memory = (ctypes.c_float * count).from_address(tensor.data + tensor.offset)
    return numpy.frombuffer(memory, numpy.float32).reshape(shape)
@Function
def scale(values, codes, count, result, code, resource):
    assert count == 3 and codes[:3] == [7, 7, 2]
    tensors = (ctypes.c_void_p * 3).from_address(values)
    array(tensors[1])[:] = array(tensors[0]) * ctypes.c_double.from_address(values + 16).value
    result[0], code[0] = 42, 0
    return 0
@Function
def refuse(values, codes, count, result, code, resource):
    return -1
sentence = ctypes.create_string_buffer(b"Python does not want to")
@Why
def why():
    return ctypes.addressof(sentence)
print(library.loopscope_call_from_python(scale, why).decode())
print(library.loopscope_call_from_python(refuse, why).decode())
)";

PackedFunction scaling() {
    return packedOf("scale",
                    {.arguments = {{.name = {}, .kind = PackedCode::Int}, {.name = {}, .kind = PackedCode::Float}},
                     .result = PackedCode::Float},
                    [](std::span<const PackedArgument> arguments) -> Outcome<PackedArgument> {
                        const auto number = [](const PackedArgument &given) {
                            if (const auto *truth = std::get_if<bool>(&given)) return *truth ? 1.0 : 0.0;
                            if (const auto *integer = std::get_if<int64_t>(&given))
                                return static_cast<double>(*integer);
                            return std::get<double>(given);
                        };
                        return PackedArgument(number(arguments[0]) * number(arguments[1]));
                    });
}

/// Takes a float32[2, 3] and fills in another.
PackedFunction negating() {
    const TensorSpec spec{DType::Float32, {2, 3}};
    return packedOf("negate",
                    {.arguments = {{.name = "x", .kind = PackedCode::Tensor, .tensor = spec},
                                   {.name = "y", .kind = PackedCode::Tensor, .tensor = spec, .written = true}}},
                    [](std::span<const PackedArgument> arguments) -> Outcome<PackedArgument> {
                        const auto *from = std::get<DlTensor *>(arguments[0]);
                        const auto *to = std::get<DlTensor *>(arguments[1]);
                        const auto *x = reinterpret_cast<const float *>(firstElement(*from));
                        auto *y = reinterpret_cast<float *>(firstElement(*to));
                        for (size_t i = 0; i < bytesOf(*from) / sizeof(float); ++i) y[i] = -x[i];
                        return PackedArgument(std::monostate{});
                    });
}

HostTensor oneToSix() {
    const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
    return floatTensor({2, 3}, numbers);
}

/// What a test of refusals does to a tensor that would be taken.
using Corrupt = void (*)(DlTensor &tensor);

} // namespace

class PackedTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void functionsOfCppAreCalled();
    void wrongCalls_data();
    void wrongCalls();
    void wrongTensors_data();
    void wrongTensors();
    void nothingThrownGetsOut();
    void callsThroughTheBareInterface();
    void foreignFunctionsAreCalled();
    void aFunctionThatWritesItsInputIsNamed();
    void foreignFailuresAreSentences();
    void emptyTensorsAndScalars();
    void aFunctionMadeInPythonIsCalled();

  private:
    [[nodiscard]] Outcome<PackedFunction> foreign(const char *symbol, const char *error = "") const {
        const TensorSpec spec{DType::Float32, {2, 3}};
        const PackedSignature signature{
            .arguments = {{.name = "x", .kind = PackedCode::Tensor, .tensor = spec},
                          {.name = "y", .kind = PackedCode::Tensor, .tensor = spec, .written = true}},
            .result = PackedCode::Int};
        const auto library = PackedLibrary::open(m_library.toStdString());
        if (!library) return library.refusal();
        return library->function({.symbol = symbol, .errorSymbol = error, .signature = signature});
    }
    QTemporaryDir m_folder;
    QString m_library; // empty: no compiler here
};

void PackedTest::initTestCase() {
    QVERIFY(m_folder.isValid());
    if (QStandardPaths::findExecutable("cc").isEmpty()) return;
    QFile source(m_folder.filePath("foreign.c"));
    QVERIFY(source.open(QIODevice::WriteOnly) && source.write(kForeign) > 0);
    source.close();
    QProcess compile;
    compile.start("cc", {"-shared", "-fPIC", "-o", m_folder.filePath("foreign.so"), source.fileName()});
    QVERIFY2(compile.waitForFinished(60000) && compile.exitCode() == 0, compile.readAllStandardError());
    m_library = m_folder.filePath("foreign.so");
}

void PackedTest::functionsOfCppAreCalled() {
    const std::vector<PackedArgument> plain = {int64_t{4}, 1.5};
    const auto six = scaling().call(plain);
    QVERIFY2(six.ok(), six ? "" : six.why().c_str());
    QCOMPARE(std::get<double>(*six), 6.0);
    const std::vector<PackedArgument> wider = {true, int64_t{3}}; // a bool is an integer, an integer a float
    QCOMPARE(std::get<double>(*scaling().call(wider)), 3.0);
    const auto greet =
        packedOf("greet",
                 {.arguments = {{.name = {}, .kind = PackedCode::String}, {.name = {}, .kind = PackedCode::Pointer}},
                  .result = PackedCode::String},
                 [](std::span<const PackedArgument> arguments) -> Outcome<PackedArgument> {
                     const bool nobody = std::holds_alternative<std::monostate>(arguments[1]) ||
                                         std::get<void *>(arguments[1]) == nullptr;
                     return PackedArgument(std::get<std::string>(arguments[0]) + (nobody ? " and nobody" : ""));
                 });
    const std::vector<PackedArgument> texts = {std::string("somebody"), static_cast<void *>(nullptr)};
    QCOMPARE(std::get<std::string>(*greet.call(texts)), std::string("somebody and nobody"));
}

void PackedTest::wrongCalls_data() {
    QTest::addColumn<QList<int>>("codes");
    QTest::addColumn<QString>("says");
    QTest::newRow("arity") << QList<int>{0} << "scale: 1 argument given; it takes 2";
    QTest::newRow("none") << QList<int>{} << "scale: 0 arguments given; it takes 2";
    QTest::newRow("kind") << QList<int>{2, 2} << "scale: argument 1 is float 0; an integer is wanted";
    QTest::newRow("null") << QList<int>{0, 4} << "scale: argument 2 is nothing; a float is wanted";
    QTest::newRow("object")
        << QList<int>{0, 8}
        << "scale: argument 2 is an object of another runtime (code 8); numbers, texts, pointers and "
           "tensors can be passed";
    QTest::newRow("no code")
        << QList<int>{14, 2}
        << "scale: argument 1 has the code 14, which stands for nothing; codes are 0 to 15 without 1 "
           "and 14";
    QTest::newRow("no text") << QList<int>{0, 11} << "scale: argument 2 is a text without an address";
}

/// By the bare interface, where nothing but codes tells what arguments are.
void PackedTest::wrongCalls() {
    QFETCH(QList<int>, codes);
    QFETCH(QString, says);
    const PackedFunction function = scaling();
    std::vector<PackedValue> values(static_cast<size_t>(codes.size()) + 1);
    std::vector<int> kinds(codes.begin(), codes.end());
    kinds.push_back(0);
    PackedValue result;
    int code = 0;
    QVERIFY(function.code()(values.data(), kinds.data(), static_cast<int>(codes.size()), &result, &code,
                            function.resource()) != 0);
    QCOMPARE(QString(lastPackedError()), says);
}

Q_DECLARE_METATYPE(Corrupt)

void PackedTest::wrongTensors_data() {
    QTest::addColumn<Corrupt>("corrupt");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *name, Corrupt corrupt, const char *says) {
        QTest::newRow(name) << corrupt << says;
    };
    static int64_t other[3] = {2, 4, 1};
    static int64_t strides[2] = {1, 2};
    row("dtype", [](DlTensor &t) { t.dtype.bits = 64; }, "is float64; float32 is wanted");
    row("complex", [](DlTensor &t) { t.dtype = {5, 64, 1}; }, "is complex64; float32 is wanted");
    row(
        "lanes", [](DlTensor &t) { t.dtype.lanes = 4; },
        "has elements of 4 lanes (float32x4); elements of one lane are wanted");
    row("rank", [](DlTensor &t) { t.rank = 1; }, "has 1 dimensions, [2]; 2 are wanted, [2, 3]");
    row("no rank", [](DlTensor &t) { t.rank = -1; }, "has -1 dimensions; 0 to 64 are possible");
    row("shape", [](DlTensor &t) { t.shape = other; }, "has the shape [2, 4]; [2, 3] is wanted");
    row("no shape", [](DlTensor &t) { t.shape = nullptr; }, "has dimensions but no shape");
    row(
        "device", [](DlTensor &t) { t.device = {2, 1}; },
        "lies on a CUDA GPU (device 2:1); memory of the host (device 1) is wanted");
    row(
        "stride", [](DlTensor &t) { t.strides = strides; },
        "has the stride 2 in dimension 1 of [2, 3]; row-major order without gaps is wanted");
    row("data", [](DlTensor &t) { t.data = nullptr; }, "has no data: its address is null");
    row(
        "offset", [](DlTensor &t) { t.byteOffset = 2; },
        "begins at an address that is no multiple of 4, where float32 may not lie (byte offset 2)");
}

void PackedTest::wrongTensors() {
    QFETCH(Corrupt, corrupt);
    QFETCH(QString, says);
    HostTensor y = HostTensor::zeros(DType::Float32, {2, 3});
    const auto from = TensorView::reading(oneToSix());
    const auto to = TensorView::writing(y);
    const std::vector<PackedArgument> arguments = {from->get(), to->get()};
    const auto good = negating().call(arguments);
    QVERIFY2(good.ok(), good ? "" : good.why().c_str());
    QCOMPARE(y.number(5), -6.0);
    corrupt(*to->get());
    const auto bad = negating().call(arguments);
    QVERIFY(!bad.ok());
    QCOMPARE(QString::fromStdString(bad.why()), "negate: argument 2 (y) " + says);
    const std::vector<PackedArgument> none = {from->get(), static_cast<DlTensor *>(nullptr)};
    QCOMPARE(negating().call(none).why(), std::string("negate: argument 2 (y) is a tensor without an address"));
}

void PackedTest::nothingThrownGetsOut() {
    const auto failing = packedOf("failing", {.arguments = {{.name = {}, .kind = PackedCode::Int}}},
                                  [](std::span<const PackedArgument> arguments) -> Outcome<PackedArgument> {
                                      const auto n = std::get<int64_t>(arguments[0]);
                                      if (n == 0) throw std::runtime_error("zero is not welcome");
                                      throw n;
                                  });
    const auto whyFails = [&](int64_t n) {
        const std::vector<PackedArgument> arguments = {n};
        return failing.call(arguments).why();
    };
    QCOMPARE(whyFails(0), std::string("failing: zero is not welcome"));
    QCOMPARE(whyFails(1), std::string("failing: something was thrown that is no exception of the standard library"));
    PackedValue one;
    int codes = 0;
    QCOMPARE(failing.code()(&one, &codes, 1, nullptr, nullptr, failing.resource()), -1);
}

void PackedTest::callsThroughTheBareInterface() {
    const PackedFunction function = scaling();
    PackedValue values[2];
    values[0].integer = 5;
    values[1].number = 0.5;
    int codes[2] = {0, 2};
    PackedValue result;
    int code = -1;
    QCOMPARE(function.code()(values, codes, 2, &result, &code, function.resource()), 0);
    QCOMPARE(code, 2);
    QCOMPARE(result.number, 2.5);
}

void PackedTest::foreignFunctionsAreCalled() {
    if (m_library.isEmpty()) QSKIP("there is no C compiler here to make a foreign function with");
    const auto twice = foreign("twice");
    QVERIFY2(twice.ok(), twice ? "" : twice.why().c_str());
    HostTensor y = HostTensor::zeros(DType::Float32, {2, 3});
    const auto from = TensorView::reading(oneToSix());
    const auto to = TensorView::writing(y);
    const std::vector<PackedArgument> arguments = {from->get(), to->get()};
    const auto answer = checkedCall(*twice, arguments);
    QVERIFY2(answer.ok(), answer ? "" : answer.why().c_str());
    QCOMPARE(std::get<int64_t>(*answer), 6);
    QCOMPARE(y.numbers(), (std::vector<double>{2, 4, 6, 8, 10, 12}));
    // A function knows its resource.
    const auto library = PackedLibrary::open(m_library.toStdString());
    char text[] = "by resource";
    const auto name = library->function({.symbol = "name", .errorSymbol = {}, .resource = text});
    QCOMPARE(std::get<std::string>(*name->call({})), std::string("by resource"));
}

void PackedTest::aFunctionThatWritesItsInputIsNamed() {
    if (m_library.isEmpty()) QSKIP("there is no C compiler here to make a foreign function with");
    const auto careless = foreign("careless");
    HostTensor x = oneToSix();
    HostTensor y = HostTensor::zeros(DType::Float32, {2, 3});
    const auto from = TensorView::reading(x);
    const auto to = TensorView::writing(y);
    const std::vector<PackedArgument> arguments = {from->get(), to->get()};
    QCOMPARE(checkedCall(*careless, arguments).why(),
             std::string("careless wrote to its argument 1 (x), which it may only read"));
    const PackedFunction unknown({.name = "unknown", .code = careless->code()});
    QCOMPARE(checkedCall(unknown, arguments).why(),
             std::string("unknown has no signature, so that nobody knows what it may write; a checked call needs one"));
}

void PackedTest::foreignFailuresAreSentences() {
    if (m_library.isEmpty()) QSKIP("there is no C compiler here to make a foreign function with");
    const auto library = PackedLibrary::open(m_library.toStdString());
    QVERIFY(library.ok());
    const auto why = [&](const char *symbol, const char *error) {
        const auto function = library->function({.symbol = symbol, .errorSymbol = error});
        return function ? function->call({}).why() : function.why();
    };
    QCOMPARE(why("twice", "foreign_why"), std::string("twice: two tensors are wanted"));
    QCOMPARE(why("silent", ""), std::string("silent failed with 7 and does not say why"));
    QCOMPARE(why("silent", "foreign_why"), std::string("silent: two tensors are wanted"));
    QVERIFY(why("strange", "").starts_with("the result of strange has the code 99, which stands for nothing"));
    QVERIFY(why("object", "").starts_with("the result of object is an object of another runtime (code 8)"));
    const std::string place = m_library.toStdString();
    QCOMPARE(why("thrice", ""), "the library " + place + " has no function thrice");
    QCOMPARE(why("twice", "reason"), "the library " + place + " has no function reason");
    const auto nowhere = PackedLibrary::open("nowhere.so");
    QVERIFY(nowhere.why().starts_with("the library nowhere.so cannot be opened: "));
    QVERIFY(nowhere.why().find(QDir::currentPath().toStdString()) != std::string::npos);
    // What comes back is looked at, too: the signature says an integer.
    HostTensor y = HostTensor::zeros(DType::Float32, {2, 3});
    const auto from = TensorView::reading(oneToSix());
    const auto to = TensorView::writing(y);
    const std::vector<PackedArgument> arguments = {from->get(), to->get()};
    QCOMPARE(foreign("careless")->call(arguments).why(),
             std::string("the result of careless is nothing; an integer is wanted"));
}

void PackedTest::emptyTensorsAndScalars() {
    for (const DType dtype :
         {DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32, DType::UInt32,
          DType::Int64, DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
        QCOMPARE(*dtypeOf(dlTypeOf(dtype)), dtype);
        QCOMPARE(dlTypeText(dlTypeOf(dtype)),
                 std::string(dtype == DType::BFloat16 ? "bfloat16" : std::string(dtypeName(dtype))));
        const auto one = TensorView::reading(HostTensor::scalar(dtype, 1));
        QCOMPARE(one->get()->rank, 0);
        QVERIFY(!problemOfTensor(one->get(), TensorSpec{dtype, {}}));
    }
    DlTensor empty;
    int64_t shape[2] = {0, 3};
    empty.rank = 2;
    empty.shape = shape;
    QVERIFY(!problemOfTensor(&empty, TensorSpec{DType::Float32, {0, 3}}));
    // A splat is written out.
    const auto splat = TensorView::reading(HostTensor::splat(DType::Int16, {4}, -3));
    QCOMPARE(static_cast<const int16_t *>(splat->get()->data)[3], int16_t{-3});
    // One that is of no type of ours.
    splat->get()->dtype = {5, 64, 1};
    QCOMPARE(problemOfTensor(splat->get(), std::nullopt)->sentence,
             std::string("is complex64, which no tensor here holds; bool, integers and floats can be passed"));
    int64_t endless[2] = {int64_t{1} << 40, int64_t{1} << 40};
    empty.shape = endless;
    QVERIFY(problemOfTensor(&empty, std::nullopt)->sentence.ends_with("which no memory holds"));
}

void PackedTest::aFunctionMadeInPythonIsCalled() {
    if (LOOPSCOPE_SANITIZED) QSKIP("a sanitized library cannot be opened by a Python that is not");
    const QString python = numpyPython();
    if (python.isEmpty()) QSKIP(kNoNumpy);
    QProcess run;
    run.start(python, {"-c", kPython, LOOPSCOPE_PACKED_CALLER});
    QVERIFY(run.waitForFinished(60000));
    const QByteArray said = run.readAllStandardOutput();
    QVERIFY2(run.exitCode() == 0, run.readAllStandardError());
    QCOMPARE(said, QByteArray("integer 42: 1.5 3 4.5 6 7.5 9\nfrom_python: Python does not want to\n"));
}

LOOPSCOPE_TEST(PackedTest)
#include "packed_test.moc"
