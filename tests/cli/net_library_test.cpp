// A network leaves as a library, and strangers call it: Python with arrays of NumPy, and this test by the packed entry
// point alone, rightly and in every wrong way.

#include "cli_process.h"
#include "harness/numpy_python.h"
#include "networks/packed/packed_library.h"
#include "networks/packed/tensor_exchange.h"
#include "test_program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QLibrary>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <dlfcn.h>
#include <memory>
#include <thread>
#include <vector>

using namespace loopscope;

namespace {

constexpr const char *kPair = R"(network pair
func main(x: float32[1, 3, 8, 8], n: int32[4]) {
  w = constant float32[8, 3, 3, 3] random normal(seed = 1, deviation = 0.3)
  a = conv(x, w, pads = [1, 1, 1, 1])
  r = relu(a)
  m = add(n, n)
  return r, m
}
)";

/// Calls with something wrong.
constexpr const char *kFromPython = R"(import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import numpy
import pair
network = pair.Network()
x = numpy.linspace(-1, 1, 192, dtype="float32").reshape(1, 3, 8, 8)
n = numpy.arange(4, dtype="int32")
r, m = network(x, n)
plain = network.plain(x, n)
print(r.shape, r.dtype, (r == plain[0]).all(), m.tolist())
for wrong in [(x.astype("float64"), n), (x.transpose(0, 1, 3, 2), n), (x, n[:3]), (x,)]:
    try:
        network(*wrong)
    except ValueError as problem:
        print(problem)
)";

} // namespace

class NetLibraryTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void theLibraryIsBuiltAndChecked();
    void boolsLeave();
    void aStrangerCallsIt();
    void aNetworkCallsIt();
    void aNewerConventionReachesTheSame();
    void refusals_data();
    void refusals();
    void weightsAreLookedForBesideTheLibrary();
    void pythonCallsItWithoutCopies();
    void anyNameIsExported_data();
    void anyNameIsExported();
    void anotherExportLeavesNoOldLibrary();
    void withoutACompiler();

  private:
    [[nodiscard]] QString path(const QString &name) const { return m_dir.filePath(name); }
    [[nodiscard]] Outcome<PackedFunction> packed(const QString &folder) const {
        const auto library = PackedLibrary::open((folder + "/libpair.so").toStdString());
        if (!library) return library.refusal();
        return library->function({.symbol = "pair_packed", .errorSymbol = "pair_last_error"});
    }
    QTemporaryDir m_dir;
    QString m_net;
    QString m_folder;
    CliRun m_exported;
};

/// Tensors of the network with their views, in the order of its arguments.
struct PairCall {
    HostTensor x = HostTensor::generated(DType::Float32, {1, 3, 8, 8}, {});
    HostTensor n = HostTensor::splat(DType::Int32, {4}, 21);
    HostTensor r = HostTensor::zeros(DType::Float32, {1, 8, 8, 8});
    HostTensor m = HostTensor::zeros(DType::Int32, {4});
    std::vector<std::unique_ptr<TensorView>> views;
    std::vector<PackedArgument> arguments;

    PairCall() {
        views.push_back(TensorView::reading(x));
        views.push_back(TensorView::reading(n));
        views.push_back(TensorView::writing(r));
        views.push_back(TensorView::writing(m));
        for (const auto &view : views) arguments.emplace_back(view->get());
    }
};

void NetLibraryTest::initTestCase() {
    QVERIFY(m_dir.isValid());
    m_net = written(m_dir, "pair.net", kPair);
    m_folder = path("exported");
    if (QStandardPaths::findExecutable("cc").isEmpty()) QSKIP("there is no C compiler here to build a library with");
    m_exported = runCli({"net", "export", m_net, "--format", "library", "--out", m_folder, "--json"});
    QVERIFY2(m_exported.exitCode == 0, m_exported.story());
}

void NetLibraryTest::theLibraryIsBuiltAndChecked() {
    const QJsonObject library = m_exported.json().object()["library"].toObject();
    QCOMPARE(library["file"].toString(), m_folder + "/libpair.so");
    const QJsonArray outputs = library["outputs"].toArray();
    QCOMPARE(outputs.size(), 2);
    QCOMPARE(outputs[0].toObject()["name"].toString(), QString("r"));
    QVERIFY(outputs[0].toObject()["error"].toDouble() <= outputs[0].toObject()["tolerance"].toDouble());
    for (const char *name : {"libpair.so", "pair.py", "pair_packed.c", "pair.weights", "main.c"})
        QVERIFY2(QFile::exists(m_folder + "/" + name), name);
    // Without warnings, for whoever builds it with their own flags.
    for (const char *compiler : {"gcc", "clang-19"}) {
        if (QStandardPaths::findExecutable(compiler).isEmpty()) continue;
        for (const char *file : {"pair.c", "pair_packed.c"}) {
            QProcess compile;
            compile.start(compiler, {"-std=c17", "-Wall", "-Wextra", "-Werror", "-O2", "-I", m_folder, "-c", "-o",
                                     "/dev/null", m_folder + "/" + file});
            QVERIFY2(compile.waitForFinished(60000) && compile.exitCode() == 0, compile.readAllStandardError());
        }
    }
}

/// The header names the type bool.
void NetLibraryTest::boolsLeave() {
    const CliRun exported =
        runCli({"net", "export", LOOPSCOPE_SOURCE_DIR "/tests/deploy/network/right_values/bool_input/model.onnx",
                "--format", "library", "--out", path("bools"), "--json"});
    QVERIFY2(exported.exitCode == 0, exported.story());
}

void NetLibraryTest::aStrangerCallsIt() {
    const auto function = packed(m_folder);
    QVERIFY2(function.ok(), function ? "" : function.why().c_str());
    PairCall first;
    const auto answer = function->call(first.arguments);
    QVERIFY2(answer.ok(), answer ? "" : answer.why().c_str());
    QCOMPARE(first.m.integer(3), int64_t{42});
    const std::vector<double> numbers = first.r.numbers();
    QVERIFY(*std::max_element(numbers.begin(), numbers.end()) > 0.1);
    QCOMPARE(*std::min_element(numbers.begin(), numbers.end()), 0.0);
    // Closed, it stays where threads of OpenMP may still be.
    const QString copy = path("libpair_copy.so");
    QVERIFY(QFile::copy(m_folder + "/libpair.so", copy));
    static_cast<void>(PackedLibrary::open(copy.toStdString()));
    QVERIFY(::dlopen(copy.toUtf8().constData(), RTLD_NOW | RTLD_NOLOAD) != nullptr);
    // Threads do not disturb one another.
    std::vector<std::unique_ptr<PairCall>> calls;
    for (int i = 0; i < 4; ++i) calls.push_back(std::make_unique<PairCall>());
    std::vector<int> failed(calls.size(), 1);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < calls.size(); ++i)
        threads.emplace_back([&, i] {
            failed[i] = 0;
            for (int run = 0; run < 20; ++run) failed[i] += function->call(calls[i]->arguments).ok() ? 0 : 1;
        });
    for (std::thread &thread : threads) thread.join();
    for (size_t i = 0; i < calls.size(); ++i) QVERIFY(failed[i] == 0 && calls[i]->r.sameAs(first.r));
}

/// By the name of its packed entry, at sizes that the calling network leaves open.
void NetLibraryTest::aNetworkCallsIt() {
    const QString net = written(m_dir, "caller.net", R"(network caller
func main(x: float32[1, 3, 8, 8], n: int32[4]) {
  doubled = add(x, x)
  effect {
    r: float32[1, 8, 8, 8], m: int32[4] = packed(doubled, n, function = "pair_packed")
  } yield r, m
  k = add(m, n)
  return r, k
}
)");
    const QString library = m_folder + "/libpair.so";
    const CliRun run = runCli({"net", "run", net, "--module", library, "--output", "r=" + path("r.npy")});
    QVERIFY2(run.exitCode == 0 && run.out.contains("r: float32[1, 8, 8, 8]"), run.story());
    QVERIFY2(run.error.contains("packed 'r' of function `main` is a function from outside"), run.story());
    const CliRun without = runCli({"net", "run", net});
    QVERIFY2(without.exitCode == 1 && without.error.contains("there is no function pair_packed: no library is at hand"),
             without.story());
    const CliRun missing = runCli({"net", "run", net, "--module", path("nothing.so")});
    QVERIFY2(missing.exitCode == 1 && missing.error.contains("cannot be opened"), missing.story());
}

void NetLibraryTest::aNewerConventionReachesTheSame() {
    struct FfiValue {
        int32_t type = 0;
        uint32_t zero = 0;
        void *pointer = nullptr;
    };
    using FfiFunction = int (*)(void *handle, const FfiValue *arguments, int32_t count, FfiValue *result);
    QLibrary library(m_folder + "/libpair.so");
    const auto call = reinterpret_cast<FfiFunction>(library.resolve("__tvm_ffi_pair"));
    const auto lastError = reinterpret_cast<PackedErrorPointer>(library.resolve("pair_last_error"));
    QVERIFY(call != nullptr && lastError != nullptr);
    PairCall byView;
    PairCall reference;
    QVERIFY(packed(m_folder)->call(reference.arguments).ok());
    // The first one as an object of that runtime: the view stands behind its head.
    struct {
        unsigned char head[24];
        DlTensor view;
    } object{};
    object.view = *byView.views[0]->get();
    FfiValue arguments[4] = {{70, 0, &object},
                             {7, 0, byView.views[1]->get()},
                             {7, 0, byView.views[2]->get()},
                             {7, 0, byView.views[3]->get()}};
    FfiValue result{5, 5, this};
    QCOMPARE(call(nullptr, arguments, 4, &result), 0);
    QVERIFY(result.type == 0 && byView.r.sameAs(reference.r) && byView.m.sameAs(reference.m));
    QCOMPARE(call(nullptr, arguments, 2, &result), -1);
    QCOMPARE(QString(lastError()), QString("pair_packed: 2 arguments given; it takes 4: x, n, then r, m"));
    arguments[1].type = 3;
    QCOMPARE(call(nullptr, arguments, 4, &result), -1);
    QCOMPARE(QString(lastError()),
             QString("pair: argument 2 (n) has the type 3 of tvm_ffi; a tensor (7 or 70) is wanted"));
}

using CorruptPair = void (*)(PairCall &call);
Q_DECLARE_METATYPE(CorruptPair)

void NetLibraryTest::refusals_data() {
    QTest::addColumn<CorruptPair>("corrupt");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *name, CorruptPair corrupt, const char *says) {
        QTest::newRow(name) << corrupt << says;
    };
    static int64_t other[4] = {1, 3, 8, 9};
    static int64_t strides[4] = {192, 64, 1, 8};
    row("arity", [](PairCall &c) { c.arguments.pop_back(); }, "3 arguments given; it takes 4: x, n, then r, m");
    row("one", [](PairCall &c) { c.arguments.resize(1); }, "1 argument given; it takes 4: x, n, then r, m");
    row(
        "kind", [](PairCall &c) { c.arguments[1] = 1.5; },
        "argument 2 (n) has the code 2; a tensor (7 or 13) is wanted");
    row(
        "null tensor", [](PairCall &c) { c.arguments[1] = static_cast<DlTensor *>(nullptr); },
        "argument 2 (n) is a tensor without an address");
    row(
        "dtype", [](PairCall &c) { c.views[0]->get()->dtype.bits = 64; },
        "argument 1 (x) is float64; float32 is wanted");
    row("lanes", [](PairCall &c) { c.views[1]->get()->dtype.lanes = 2; }, "argument 2 (n) is int32x2; int32 is wanted");
    row("rank", [](PairCall &c) { c.views[0]->get()->rank = 3; }, "argument 1 (x) has 3 dimensions; 4 are wanted");
    row(
        "no shape", [](PairCall &c) { c.views[0]->get()->shape = nullptr; },
        "argument 1 (x) has dimensions but no shape");
    row(
        "shape", [](PairCall &c) { c.views[0]->get()->shape = other; },
        "argument 1 (x) has the shape [1, 3, 8, 9]; [1, 3, 8, 8] is wanted");
    row(
        "device", [](PairCall &c) { c.views[2]->get()->device = {2, 0}; },
        "argument 3 (r) lies on device 2:0; memory of the host (device 1) is wanted");
    row(
        "stride", [](PairCall &c) { c.views[0]->get()->strides = strides; },
        "argument 1 (x) has the stride 8 in dimension 3 of [1, 3, 8, 8]; row-major order without gaps is wanted");
    row(
        "data", [](PairCall &c) { c.views[3]->get()->data = nullptr; },
        "argument 4 (m) has no data: its address is null");
    row(
        "offset", [](PairCall &c) { c.views[0]->get()->byteOffset = 2; },
        "argument 1 (x) begins at an address that is no multiple of 4, where float32 may not lie");
    row(
        "shared", [](PairCall &c) { c.views[3]->get()->data = c.views[1]->get()->data; },
        "argument 4 (m) shares memory with argument 2 (n); what is written needs its own");
}

void NetLibraryTest::refusals() {
    QFETCH(CorruptPair, corrupt);
    QFETCH(QString, says);
    const auto function = packed(m_folder);
    QVERIFY2(function.ok(), function ? "" : function.why().c_str());
    PairCall call;
    corrupt(call);
    const auto answer = function->call(call.arguments);
    QVERIFY(!answer.ok());
    QCOMPARE(QString::fromStdString(answer.why()), "pair_packed: " + says);
    QCOMPARE(call.r.number(0), 0.0); // nothing ran
}

void NetLibraryTest::weightsAreLookedForBesideTheLibrary() {
    const QString alone = path("alone");
    QVERIFY(QDir().mkpath(alone) && QFile::copy(m_folder + "/libpair.so", alone + "/libpair.so"));
    const auto function = packed(alone);
    QVERIFY2(function.ok(), function ? "" : function.why().c_str());
    PairCall call;
    QVERIFY(!function->call(call.arguments).ok());
    QCOMPARE(QString::fromStdString(function->call(call.arguments).why()),
             "pair_packed: " + alone + "/pair.weights: cannot be opened");
    // Those of another export would be read as if they were these.
    QByteArray other = kPair;
    other.replace("seed = 1", "seed = 2");
    const QString folder = path("other");
    const CliRun exported = runCli({"net", "export", written(m_dir, "other.net", other), "--out", folder});
    QVERIFY2(exported.exitCode == 0, exported.story());
    QVERIFY(QFile::copy(folder + "/pair.weights", alone + "/pair.weights"));
    QVERIFY(!function->call(call.arguments).ok());
    QCOMPARE(QString::fromStdString(function->call(call.arguments).why()),
             "pair_packed: " + alone +
                 "/pair.weights: holds the weights of another export; this code reads those it was exported with");
    QVERIFY(QFile::remove(alone + "/pair.weights") && QFile::copy(m_folder + "/pair.weights", alone + "/pair.weights"));
    QVERIFY(function->call(call.arguments).ok()); // found later
}

void NetLibraryTest::pythonCallsItWithoutCopies() {
    const QString python = numpyPython();
    if (python.isEmpty()) QSKIP(kNoNumpy);
    QProcess check;
    check.start(python, {"-B", m_folder + "/pair.py"});
    QVERIFY(check.waitForFinished(60000));
    const QByteArray said = check.readAllStandardOutput();
    QVERIFY2(check.exitCode() == 0, said + check.readAllStandardError());
    QVERIFY2(said.contains("x: handed over where it lies\nn: handed over where it lies\n"), said);
    QVERIFY2(said.contains("r: taken over where it lies, the bits of the plain C entry, right: "), said);
    QVERIFY2(said.contains("m: taken over where it lies, the bits of the plain C entry, right: "), said);
    QProcess calls;
    calls.start(python, {"-B", "-c", kFromPython, m_folder});
    QVERIFY(calls.waitForFinished(60000));
    QVERIFY2(calls.exitCode() == 0, calls.readAllStandardError());
    QCOMPARE(
        QString(calls.readAllStandardOutput()),
        QString(
            "(1, 8, 8, 8) float32 True [0, 2, 4, 6]\n"
            "pair_packed: argument 1 (x) is float64; float32 is wanted\n"
            "pair_packed: argument 1 (x) has the stride 8 in dimension 3 of [1, 3, 8, 8]; row-major order without gaps "
            "is wanted\n"
            "pair_packed: argument 2 (n) has the shape [3]; [4] is wanted\n"
            "pair_packed: 3 arguments given; it takes 4: x, n, then r, m\n"));
    // A reference that is not what it was is found.
    const QString changed = path("changed");
    QVERIFY(QDir().mkpath(changed));
    for (const char *name : {"/libpair.so", "/pair.weights", "/pair.check", "/pair.py"})
        QVERIFY(QFile::copy(m_folder + name, changed + name));
    QFile reference(changed + "/pair.check");
    QVERIFY(reference.open(QIODevice::ReadWrite));
    const double nine = 9;
    reference.seek(192 * 4 + 4 * 4 + 8); // the second element of r
    reference.write(reinterpret_cast<const char *>(&nine), sizeof nine);
    reference.close();
    check.start(python, {"-B", changed + "/pair.py"});
    QVERIFY(check.waitForFinished(60000));
    QVERIFY(check.exitCode() == 1 && check.readAllStandardOutput().contains("WRONG: largest error"));
}

/// Names as a file may have them, escapes as the text of networks writes them.
void NetLibraryTest::anyNameIsExported_data() {
    QTest::addColumn<QString>("network");
    QTest::addColumn<QString>("input");
    QTest::addColumn<QString>("output");
    QTest::addColumn<QString>("called");
    const auto row = [](const char *network, const char *input, const char *output, const char *called) {
        QTest::newRow(network) << QString(network) << QString(input) << QString(output) << QString(called);
    };
    row("main", "main", "memory", "net_main");
    row("_math", "_math_run", "WEIGHTS_BYTES", "net__math");
    row("9 \\xc3\\xa9", "class", "int", "net_9___");
    row("m", "m_weights", "m_run", "net_m");
    row("select", "_", "select_H", "net_select");
    row("x*/ int injected; /*", "*/ int injected; /*", "\\\"\\\"\\\"", "x___int_injected____");
    row("\\\"\\\"\\\"\\ninjected = 1\\n\\\"\\\"\\\" $(touch injected)", "'; touch injected; '", "a\\\\",
        "net_____injected___1_______touch_injected_");
    row("?\?/\\nint injected; \\\\", "a\\x01b", "%s%n", "net_____int_injected___");
}

void NetLibraryTest::anyNameIsExported() {
    if (m_exported.exitCode != 0) QSKIP("there is no C compiler here to build a library with");
    QFETCH(QString, network);
    QFETCH(QString, input);
    QFETCH(QString, output);
    QFETCH(QString, called);
    const QString net =
        written(m_dir, "named.net",
                QString("network \"%1\"\nfunc main(\"%2\": float32[4]) {\n  a = exp(\"%2\") @ \"%1\"\n  "
                        "\"%3\" = softmax(a) @ \"%1\"\n  return \"%3\"\n}\n")
                    .arg(network, input, output)
                    .toUtf8());
    const QString folder = path("named");
    const CliRun run = runCli({"net", "export", net, "--format", "library", "--out", folder, "--json"});
    QVERIFY2(run.exitCode == 0, run.story());
    QCOMPARE(run.json().object()["name"].toString(), called);
    QLibrary library(folder + "/lib" + called + ".so");
    QVERIFY2(library.resolve((called + "_run").toUtf8().constData()) != nullptr, qPrintable(library.errorString()));
    QVERIFY(library.resolve("injected") == nullptr);
    const auto shell = [&](const QString &command) {
        QProcess process;
        process.setWorkingDirectory(folder);
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start("sh", {"-c", command});
        const bool ended = process.waitForFinished(60000);
        const QByteArray said = process.readAll();
        return ended && process.exitCode() == 0 ? QByteArray() : "failed: " + said;
    };
    const QByteArray built = shell("cc -std=c17 -Wall -Wextra -Werror -fopenmp main.c " + called + ".c " + called +
                                   "_packed.c kernels/*.c -lm -o program && ./program 1 .");
    QVERIFY2(built.isEmpty(), built);
    QVERIFY2(shell("! nm program | grep -q ' injected$' && test ! -e injected").isEmpty(), "something was injected");
    if (const QString python = numpyPython(); !python.isEmpty()) {
        const QByteArray ran = shell(python + " -B " + called + ".py && " + python + " -B -c 'import " + called +
                                     " as n; assert not hasattr(n, \"injected\")'");
        QVERIFY2(ran.isEmpty(), ran);
    }
    QVERIFY(QDir(folder).removeRecursively());
}

void NetLibraryTest::anotherExportLeavesNoOldLibrary() {
    const QString folder = path("again");
    const CliRun library = runCli({"net", "export", m_net, "--format", "library", "--out", folder});
    QVERIFY2(library.exitCode == 0 && library.out.contains("libpair.so of them, whose answer is right"),
             library.story());
    QVERIFY(QFile::exists(folder + "/libpair.so"));
    const CliRun sources = runCli({"net", "export", m_net, "--out", folder});
    QVERIFY2(sources.exitCode == 0, sources.story());
    QVERIFY(!QFile::exists(folder + "/libpair.so"));
    const QString python = numpyPython();
    if (python.isEmpty()) return;
    QProcess check;
    check.start(python, {"-B", folder + "/pair.py"});
    QVERIFY(check.waitForFinished(60000));
    QVERIFY(check.exitCode() == 1 && check.readAllStandardError().contains("build it as CMakeLists.txt says"));
}

void NetLibraryTest::withoutACompiler() {
    const QByteArray before = qgetenv("PATH");
    qputenv("PATH", m_dir.path().toUtf8());
    const CliRun run = runCli({"net", "export", m_net, "--format", "library", "--out", path("none")});
    qputenv("PATH", before);
    QVERIFY2(run.exitCode == 1 && run.error.contains("no cc, gcc or clang on PATH"), run.story());
}

LOOPSCOPE_TEST(NetLibraryTest)
#include "net_library_test.moc"
