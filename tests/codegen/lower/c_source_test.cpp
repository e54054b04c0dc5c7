// C text of lowered programs: GCC compiles it without warnings, it computes what the reference interpreter computes,
// and its line links lead to the statements they claim.

#include "base/outcome.h"
#include "codegen/c/reference_source.h"
#include "codegen/c/reserved_names.h"
#include "codegen/kernel_code.h"
#include "codegen/lower/lower.h"
#include "harness/program_interpreter.h"
#include "harness/random_dag.h"
#include "harness/random_op.h"
#include "harness/random_schedule.h"
#include "harness/sample_dags.h"
#include "harness/transposed_dag.h"
#include "measure/answer/reference_data.h"
#include "schedule/steps_json.h"

#include "language/expr/half.h"
#include "test_program.h"

#include <QFile>
#include <QLibrary>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

using namespace loopscope;

namespace {

/// Vectors of C run over its rows, so that its tile is laid out with the first dimension fastest.
constexpr const char *kTransposedTile =
    R"([["SP",2,0,16,[8],1],["SP",2,2,24,[4],1],["RE",2,[0,2,4,3,1]],["AN",2,4,2],
        ["CI",4],["FSP",5,0,0,1],["FSP",5,2,1,1],["RE",5,[0,2,1,3]],["CA",2,5,1]])";

using Bytes = std::vector<char>;

Bytes bytesOf(const TensorValue &tensor) {
    Bytes bytes(tensor.size() * static_cast<size_t>(dtypeBytes(tensor.dtype)));
    storeElements(tensor, reinterpret_cast<std::byte *>(bytes.data()));
    return bytes;
}

template <typename T> T get(const Bytes &bytes, size_t i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return value;
}

TensorValue tensorOf(const Bytes &bytes, DType type, const std::vector<int64_t> &shape) {
    TensorValue tensor{type, shape, {}, {}};
    size_t count = 1;
    for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
    for (size_t i = 0; i < count; ++i) switch (type) {
        case DType::Float32:
            tensor.floats.push_back(static_cast<double>(get<float>(bytes, i)));
            break;
        case DType::Float64:
            tensor.floats.push_back(get<double>(bytes, i));
            break;
        case DType::Float16:
            tensor.floats.push_back(static_cast<double>(halfToFloat(get<uint16_t>(bytes, i))));
            break;
        case DType::BFloat16:
            tensor.floats.push_back(static_cast<double>(bfloatToFloat(get<uint16_t>(bytes, i))));
            break;
        default: {
            const auto size = static_cast<size_t>(dtypeBytes(type));
            int64_t bits = 0;
            std::memcpy(&bits, bytes.data() + i * size, size);
            tensor.integers.push_back(wrapToType(bits, type));
        }
        }
    return tensor;
}

void callWith(QFunctionPointer function, std::vector<void *> p) {
    p.resize(12, nullptr);
    using Function =
        void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
    reinterpret_cast<Function>(function)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11]);
}

/// Runs compiled C on inputs and compares with the interpreter.
std::string checkCompiled(QFunctionPointer function, const ComputeDag &dag, const std::vector<TensorValue> &inputs) {
    std::vector<Bytes> memory;
    size_t nextInput = 0;
    for (const Tensor *tensor : dag.args()) {
        size_t count = 1;
        for (const int64_t extent : tensor->shape) count *= static_cast<size_t>(extent);
        memory.push_back(tensor->op->isPlaceholder()
                             ? bytesOf(inputs[nextInput++])
                             : Bytes(count * static_cast<size_t>(dtypeBytes(tensor->dtype)), 85));
    }
    std::vector<void *> pointers;
    for (Bytes &bytes : memory) pointers.push_back(bytes.data());
    callWith(function, pointers);
    std::vector<TensorValue> outputs;
    for (size_t i = 0; i < dag.args().size(); ++i)
        if (!dag.args()[i]->op->isPlaceholder())
            outputs.push_back(tensorOf(memory[i], dag.args()[i]->dtype, dag.args()[i]->shape));
    return compareOutputs(outputs, interpret(dag, inputs));
}

/// Kernels as C files, which one library is made of.
class KernelsInC {
  public:
    KernelsInC() { m_target.minParallelStores = 0; }

    [[nodiscard]] size_t size() const { return m_dags.size(); }
    /// Why it could not be lowered, or empty.
    std::string add(const DagPtr &dag, const LoopState &state) {
        Outcome<LoopProgram> program = lower(state, m_target);
        if (!program) return program.why();
        LoopProgram named = std::move(program).value();
        named.name = "kernel" + std::to_string(m_dags.size());
        // One file: helpers are repeated, so each kernel has a file of its own.
        QFile file(m_folder.filePath(QString::fromStdString(named.name + ".c")));
        if (!file.open(QIODevice::WriteOnly)) return "no file";
        file.write(QByteArray::fromStdString(emitC(named, m_target).text));
        m_dags.push_back(dag);
        m_what.push_back(stepsText(state.steps()) + "\n" + emitC(named, m_target).text);
        return {};
    }
    /// What is wrong with the first that does not compute what the interpreter does, or empty.
    std::string check(const std::string &warnings,
                      const std::function<std::vector<TensorValue>(const ComputeDag &, uint64_t)> &inputs) {
        QProcess compiler;
        compiler.setWorkingDirectory(m_folder.path());
        compiler.start("sh", {"-c", QString::fromStdString("gcc -std=c17 " + warnings +
                                                           " -fopenmp -O1 -shared -fPIC -o all.so kernel*.c -lm")});
        if (!compiler.waitForFinished(300000)) return "the compiler does not end";
        if (compiler.exitCode() != 0) return compiler.readAllStandardError().left(4000).toStdString();
        QLibrary library(m_folder.filePath("all.so"));
        if (!library.load()) return library.errorString().toStdString();
        for (size_t i = 0; i < m_dags.size(); ++i) {
            const QFunctionPointer function = library.resolve(("kernel" + std::to_string(i)).c_str());
            if (function == nullptr) return "a kernel is missing";
            const std::string wrong = checkCompiled(function, *m_dags[i], inputs(*m_dags[i], i));
            if (!wrong.empty()) return wrong + "\n" + m_dags[i]->text(DagTextMode::Normal) + m_what[i];
        }
        library.unload();
        return {};
    }

  private:
    QTemporaryDir m_folder;
    Target m_target;
    std::vector<DagPtr> m_dags;
    std::vector<std::string> m_what;
};

/// Rows of A times a matrix of constants, which is a row of selects as those of transforms are.
DagPtr timesConstants() {
    DagBuilder b;
    const Tensor &A = b.placeholder("A", {5, 4});
    const Axis i = axis("i", 5), j = axis("j", 3), k = axis("k", 4);
    Expr constant = makeFloat(-2.5);
    for (int row = 3; row >= 0; --row)
        for (int column = 2; column >= 0; --column)
            constant =
                select(logicalAnd(fold(ExprKind::Eq, k.var, makeInt(row)), fold(ExprKind::Eq, j.var, makeInt(column))),
                       makeFloat(row - 0.5 * column), constant);
    return b.build({&b.reduce("C", {i, j}, ReduceKind::Sum, {k}, load(A, {i.var, k.var}) * constant)},
                   "times_constants");
}

} // namespace

class CSourceTest : public QObject {
    Q_OBJECT
  private slots:
    void compilesAndComputes();
    void valuesThatWrap();
    void anyNameCompiles_data();
    void anyNameCompiles();
    void linksLeadToStatements();
    void constantsChosenByIndicesAreATable();
    void whatIsUnrolledCanBeCompiled();
};

void CSourceTest::compilesAndComputes() {
    KernelsInC kernels;
    const auto add = [&](const DagPtr &dag, const LoopState &state) {
        const std::string refused = kernels.add(dag, state);
        QVERIFY2(refused.empty(), refused.c_str());
    };
    const DagPtr transposed = matmulBiasReluDag(16, 24, 8);
    add(transposed, *replay(transposed, stepsFromJson(nlohmann::json::parse(kTransposedTile))));
    QVERIFY(!QTest::currentTestFailed());
    add(timesConstants(), LoopState(timesConstants()));
    QVERIFY(!QTest::currentTestFailed());
    for (uint64_t stream = 0; stream < 60; ++stream) {
        Random random(21, stream);
        const DagPtr dag = randomDag(random, {.maxWork = 4000, .ordered = stream % 4 == 1});
        if (dag->args().size() > 12) continue;
        RandomScheduleOptions options;
        options.maxIterations = 20000;
        options.attempts = static_cast<int>(stream % 40);
        add(dag, randomSchedule(dag, random, options));
        if (QTest::currentTestFailed()) return;
    }
    for (uint64_t stream = 0; stream < 12; ++stream) {
        Random random(22, stream);
        const DagPtr dag = transposedDag(randomTransposed(random));
        add(dag, randomTransposedTiles(dag, random));
        if (QTest::currentTestFailed()) return;
    }
    QVERIFY(kernels.size() > 42);
    const std::string wrong = kernels.check("-Wall -Wextra -Werror", randomInputs);
    QVERIFY2(wrong.empty(), wrong.c_str());
}

/// Integers of all types that wrap, are shifted and divided.
void CSourceTest::valuesThatWrap() {
    const bool many = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS");
    const uint64_t first = qEnvironmentVariable("LOOPSCOPE_FIRST", "0").toULongLong();
    std::vector<uint64_t> rounds = {0, 17}; // of the second one has a parallel loop inside lanes
    if (many)
        for (uint64_t round = 1; round < 50; ++round) rounds.push_back(round);
    for (const uint64_t round : rounds) {
        KernelsInC kernels;
        for (uint64_t stream = first + round * 100; stream < first + round * 100 + 100; ++stream) {
            Random random(25, stream);
            try {
                const DagPtr dag = randomOp(random, {.wraps = true, .floats = false});
                interpret(*dag, extremeInputs(*dag, kernels.size())); // throws where it divides by zero
                RandomScheduleOptions options;
                options.maxIterations = 20000;
                options.attempts = static_cast<int>(stream % 30);
                (void)kernels.add(dag, randomSchedule(dag, random, options));
            } catch (const Error &) {
                continue;
            }
        }
        QVERIFY(kernels.size() > 50);
        // Comparisons with what the type cannot have are no mistake here.
        const std::string wrong = kernels.check("-w", extremeInputs);
        QVERIFY2(wrong.empty(), ("round " + std::to_string(round) + ": " + wrong).c_str());
    }
}

void CSourceTest::anyNameCompiles_data() {
    QTest::addColumn<QString>("standard");
    QTest::newRow("c11") << "c11";
    QTest::newRow("gnu17") << "gnu17";
}

/// Tensors, axes and kernels with every name that C, its headers or our helpers use: one run of the compiler.
void CSourceTest::anyNameCompiles() {
    QFETCH(QString, standard);
    std::vector<std::string> names = {"min_int", "floordiv", "max_double", "to_bfloat16", "__LINE__", "_Bool", "kernel",
                                      "M_SQRT1", "M_SQRT1",  "a.b",        "a_b",         "__linux",  "0",     "_"};
    for (const std::string_view word : wordsReservedInC()) names.emplace_back(word);
    QVERIFY(names.size() > 700);
    QTemporaryDir folder;
    const auto write = [&](const DagPtr &dag, const std::string &kernel, int number) {
        Outcome<LoopProgram> program = lower(LoopState(dag), Target{});
        QVERIFY(program.ok());
        program.value().name = kernel;
        QFile file(folder.filePath(QString("k%1.c").arg(number)));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(emitC(*program, Target{}).text));
    };
    {
        DagBuilder b;
        const Tensor *last = &b.placeholder("memcpy", {4}, DType::Float64);
        for (size_t i = 0; i < names.size(); ++i) {
            const auto a = axes({names[names.size() - 1 - i]}, {4});
            Expr value = load(*last, {a[0].var});
            // What the text calls, however the tensors are called.
            value = i % 2 == 0 ? callMath(Intrinsic::Exp, value) : maxOf(value, makeFloat(0, DType::Float64));
            last = &b.compute(names[i], a, value);
        }
        const DagPtr dag = b.build({last});
        write(dag, "kernel", 0);
        if (QTest::currentTestFailed()) return;
    }
    int number = 1;
    for (const char *kernel : {"NULL", "linux", "int64_t", "exp", "main", "isnan", "select", "index", "free", "div"}) {
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {4}, DType::Float64);
        const auto a = axes({"i"}, {4});
        const DagPtr dag = b.build({&b.compute("B", a, callMath(Intrinsic::Exp, load(A, {a[0].var})))});
        write(dag, kernel, number++);
        if (QTest::currentTestFailed()) return;
    }
    QProcess compiler;
    compiler.setWorkingDirectory(folder.path());
    compiler.start("sh", {"-c", "gcc -std=" + standard + " -Wall -Wextra -Werror -fopenmp -fsyntax-only k*.c"});
    QVERIFY(compiler.waitForFinished(120000));
    QVERIFY2(compiler.exitCode() == 0, compiler.readAllStandardError().left(4000).constData());
}

void CSourceTest::linksLeadToStatements() {
    const Outcome<LoopProgram> program = lower(LoopState(smallDags().front()), Target{});
    QVERIFY(program.ok());
    const LinkedText code = emitC(*program, Target{});
    const QStringList c = QString::fromStdString(code.text).split('\n');
    const QStringList p = QString::fromStdString(printProgram(*program)).split('\n');
    int stores = 0;
    for (const LineLink &link : code.links) {
        const QString from = c[link.textLine - 1].trimmed();
        const QString to = p[link.programLine - 1].trimmed();
        if (from.startsWith("for (")) QVERIFY2(to.contains(" in 0 .. "), qPrintable(from + " -> " + to));
        if (from.endsWith(";") && from.contains("] = ")) {
            QVERIFY2(to.contains("] = "), qPrintable(from + " -> " + to));
            QCOMPARE(from.section('[', 0, 0), to.section('[', 0, 0).replace('.', '_'));
            ++stores;
        }
    }
    QCOMPARE(stores, 3); // init, update, write of the accumulator
}

void CSourceTest::constantsChosenByIndicesAreATable() {
    const Outcome<LoopProgram> program = lower(LoopState(timesConstants()), Target{});
    QVERIFY(program.ok());
    const std::string text = emitC(*program, Target{}).text;
    for (const char *expected : {"static const float constants[4][3] = {\n    {0.0f, (-0.5f), (-1.0f)},\n"
                                 "    {1.0f, 0.5f, 0.0f},\n    {2.0f, 1.5f, 1.0f},\n    {3.0f, 2.5f, 2.0f},\n};\n",
                                 " * constants[k][j]));\n"})
        QVERIFY2(text.find(expected) != std::string::npos, (expected + text).c_str());
    QVERIFY2(text.find('?') == std::string::npos, text.c_str());
    QVERIFY(emitReferenceC(*program).find("static const double constants[4][3]") != std::string::npos);
}

/// A compiler takes minutes for what a few nested loops make of a line.
void CSourceTest::whatIsUnrolledCanBeCompiled() {
    Steps steps;
    for (int loop = 0; loop < 3; ++loop) steps.push_back(AnnotateStep{StageId(2), IterId(loop), Annotation::Unroll});
    const auto loopsUnrolled = [&](int64_t extent) {
        const Outcome<LoopProgram> program = lower(*replay(matmulDag(extent, extent, extent), steps), Target{});
        QStringList loops;
        if (!program) return loops;
        const QStringList lines = QString::fromStdString(emitC(*program, Target{}).text).split('\n');
        for (qsizetype n = 0; n + 1 < lines.size(); ++n)
            if (lines[n].trimmed() == QString("#pragma GCC unroll %1").arg(extent))
                loops << lines[n + 1].section("int64_t ", 1).section(' ', 0, 0);
        return loops;
    };
    QCOMPARE(loopsUnrolled(4), (QStringList{"i", "j", "k"}));
    QCOMPARE(loopsUnrolled(24), (QStringList{"j", "k"}));
    QCOMPARE(loopsUnrolled(400), (QStringList{"k"}));
    QCOMPARE(loopsUnrolled(4000), QStringList{});
}

LOOPSCOPE_TEST(CSourceTest)
#include "c_source_test.moc"
