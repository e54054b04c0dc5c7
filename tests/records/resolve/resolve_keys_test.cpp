// Keys that name functions, keys of the user's files and table, and records that do not fit.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "language/te/workload.h"
#include "records/resolve/fit.h"
#include "records/resolve/oldest_text.h"
#include "records/resolve/resolver.h"
#include "records/resolve/task_key.h"
#include "records/resolve/window_choices.h"
#include "test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace loopscope;

namespace resolve_keys_test {

namespace {

DagPtr dagOf(const std::string &te) { return ComputeDag::fromWorkload(parseWorkload(te, "test.te")); }

void writeFile(const QString &path, const char *text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

constexpr const char *kScaled = "workload scaled(M = 4, N = 6, factor = 2)\n"
                                "x = placeholder [M, N]\n"
                                "y(i < M, j < N) = x[i, j]*float32(factor)\n";

const char *whyNot(const Outcome<ResolutionPtr> &found) { return found.ok() ? "" : found.why().c_str(); }

} // namespace

class ResolveKeysTest : public QObject {
    Q_OBJECT

  private slots:
    void functionsByArguments_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("shapes"); // or why not
        QTest::newRow("tutorial") << "[\"conv2d_layer\", 1, 7, 7, 512, 256, 3, 3, 1, 1]"
                                  << "1x256x7x7, 512x256x3x3, 1x512x1x1 -> 1x512x7x7";
        QTest::newRow("pairs") << "[\"conv2d_layer\", 1, 14, 14, 64, 32, 3, 3, [2, 2], [1, 1]]"
                               << "1x32x14x14, 64x32x3x3, 1x64x1x1 -> 1x64x7x7";
        QTest::newRow("nested function") << "[\"build.<locals>.matmul_add\", 8, 4, 2, \"float32\"]"
                                         << "8x4, 4x2, 8x2 -> 8x2";
        QTest::newRow("tensors") << "[\"scaled\", [\"TENSOR\", [3, 5], \"float32\"], 7]" << "3x5 -> 3x5";
        QTest::newRow("one missing") << "[\"conv2d_layer\", 1, 7, 7, 512]"
                                     << "the key names the function conv2d_layer, and no workload of that name fits "
                                        "its arguments; conv2d_layer (a "
                                        "tutorial's function): the key has 4 numbers, it has 9 parameters (N, H, W, "
                                        "CO, CI, KH, KW, stride, pad)";
        QTest::newRow("another type")
            << "[\"matmul_add\", 8, 4, 2, \"float16\"]"
            << "the key names the function matmul_add, and no workload of that name fits its arguments; matmul_add (a "
               "tutorial's function): argument 4 asks for float16, its inputs are of float32";
        QTest::newRow("a text")
            << "[\"matmul_add\", 8, 4, 2, \"fast\"]"
            << "the key names the function matmul_add, and no workload of that name fits its arguments; matmul_add (a "
               "tutorial's function): argument 4 is the text \"fast\", and its parameters are whole numbers";
        QTest::newRow("a fraction")
            << "[\"matmul_add\", 8, 4, 2.5]"
            << "the key names the function matmul_add, and no workload of that name fits its arguments; matmul_add (a "
               "tutorial's function): argument 3 is 2.5, and its parameters are whole numbers";
        QTest::newRow("a tensor of another type") << "[\"scaled\", [\"TENSOR\", [3, 5], \"int8\"], 7]"
                                                  << "the key names the function scaled, and no workload of that name "
                                                     "fits its arguments; scaled (FOLDER/scaled.te): "
                                                     "argument 1 is a tensor of int8, its inputs are of float32";
        QTest::newRow("a tensor of another rank") << "[\"scaled\", [\"TENSOR\", [3], \"float32\"], 7]"
                                                  << "the key names the function scaled, and no workload of that name "
                                                     "fits its arguments; scaled (FOLDER/scaled.te): "
                                                     "no parameters make inputs of the extents 3";
        QTest::newRow("no workload")
            << "[\"matmul_add\", 8, 0, 2]"
            << "the key names the function matmul_add, and no workload of that name fits its arguments; matmul_add (a "
               "tutorial's function) with N = 8, L = 0, M = 2: extent 1 of `A` is 0; an extent is at least "
               "1";
        QTest::newRow("mistyped")
            << "[\"conv2d_laier\", 1]"
            << "the key names the function conv2d_laier, and none of the 3 workloads is called that (did you mean "
               "`conv2d_layer`?); add the .te file that says what it computes, with its parameters in the order of the "
               "arguments";
        QTest::newRow("an object")
            << "[\"matmul_add\", {\"N\": 8}]"
            << "argument 1 of the function is {\"N\":8}; an argument is a number, a text, a list of "
               "integers or [\"TENSOR\", shape, type]";
        QTest::newRow("no key") << "matmul"
                                << "matmul is no workload key; one is [\"HASH\", [shape], ...] or [\"FUNCTION\", "
                                   "argument, ...]";
        QTest::newRow("no extent") << "[\"d7b65649a4dd54becea0a52aabbc5af5\", [1, 0], [1, 0]]"
                                   << "the key has an extent of 0; an extent is from 1 to 2^40";
        QTest::newRow("no shape") << "[\"d7b65649a4dd54becea0a52aabbc5af5\", \"x\"]"
                                  << "element 1 of the key is \"x\"; after the hash stand extents or shapes";
        QTest::newRow("hash alone")
            << "[\"d7b65649a4dd54becea0a52aabbc5af5\"]"
            << "the key is a hash alone, of the time when the shapes were in the hashed text, and none "
               "of the 1 .te files has it, nor what the steps of the record tell of its shapes";
    }
    void functionsByArguments() {
        QFETCH(QString, key);
        QFETCH(QString, shapes);
        QTemporaryDir folder;
        writeFile(folder.filePath("scaled.te"), kScaled);
        ResolverOptions options;
        options.workloads = {folder.path().toStdString()};
        const Resolver resolver(options);
        const auto found = resolver.resolve(key.toStdString());
        const QString told = QString::fromStdString(found.ok() ? shapesText(*(*found)->dag) : found.why());
        QCOMPARE(QString(told).replace(folder.path(), "FOLDER"), shapes);
    }

    void theFunctionIsTheOneAsked() {
        const Resolver resolver;
        const auto found = resolver.resolve("[\"matmul_add\", 8, 4, 2, \"float32\"]");
        QVERIFY2(found.ok(), whyNot(found));
        QVERIFY((*found)->source == Resolution::Source::Function);
        QCOMPARE((*found)->name, std::string("matmul_add 8x4, 4x2, 8x2"));
        QCOMPARE((*found)->origin, std::string("a tutorial's function with N = 8, L = 4, M = 2"));
        QCOMPARE(dagOf((*found)->te)->key(), (*found)->dag->key());
    }

    void filesByTheirOwnKey() {
        QTemporaryDir folder;
        writeFile(folder.filePath("scaled.te"), kScaled);
        writeFile(folder.filePath("broken.te"), "workload broken(\n");
        writeFile(folder.filePath("other.txt"), "not a workload");
        ResolverOptions options;
        options.workloads = {folder.path().toStdString()};
        const Resolver resolver(options);
        QCOMPARE(resolver.problems().size(), 1U);
        QVERIFY2(QString::fromStdString(resolver.problems()[0]).contains("broken.te"), resolver.problems()[0].c_str());

        const auto own = resolver.resolve(dagOf(kScaled)->key());
        QVERIFY2(own.ok(), whyNot(own));
        QVERIFY((*own)->source == Resolution::Source::File);
        // Extents tell two parameters; the third is looked for among small numbers.
        const std::string key =
            ComputeDag::fromWorkload(parseWorkload(kScaled, {}, {{"M", 9}, {"N", 5}, {"factor", 3}}))->key();
        const auto other = resolver.resolve(key);
        QVERIFY2(other.ok(), whyNot(other));
        QCOMPARE((*other)->dag->key(), key);
        QVERIFY2(QString::fromStdString((*other)->origin).endsWith("scaled.te with M = 9, N = 5, factor = 3"),
                 (*other)->origin.c_str());
        // A hash that no operator has is told from the file that has its shapes.
        ResolverOptions few = options;
        few.maxCandidates = 100;
        const auto near = Resolver(few).resolve("[\"00000000000000000000000000000000\", [9, 5], [9, 5]]");
        QVERIFY(!near.ok());
        QVERIFY2(
            QString::fromStdString(near.why())
                .contains("scaled.te with M = 9, N = 5 has these extents and another hash: names or operators differ)"),
            near.why().c_str());
        // The oldest keys have the shapes in the hashed text.
        const std::string oldest = "[\"" + hashOf(*dagOf(kScaled), HashForm::Oldest) + "\"]";
        const auto first = resolver.resolve(oldest);
        QVERIFY2(first.ok(), whyNot(first));
        QCOMPARE((*first)->dag->key(), dagOf(kScaled)->key());
    }

    void refusesAFolderThatIsNotThere() {
        ResolverOptions options;
        options.workloads = {"/nowhere/at/all"};
        QVERIFY_THROWS_EXCEPTION(Error, const Resolver resolver(options));
        try {
            const Resolver resolver(options);
        } catch (const Error &problem) {
            QCOMPARE(problem.what(), "/nowhere/at/all: there is no such file or folder of workloads");
        }
    }

    void theTableSays() {
        const std::string key = "[\"00000000000000000000000000000000\", [4, 6], [4, 6]]";
        ResolverOptions options;
        const std::string known = "workload known()\nx = placeholder [4, 6]\ny = relu(x)\n";
        options.keys.texts = {{"[\"00000000000000000000000000000000\", 4, 6, 4, 6]", known},
                              {"[\"mine\", 3]", known},
                              {"[\"bad\"]", "workload"},
                              {"[\"11111111111111111111111111111111\", [2]]", known}};
        nlohmann::json json = nlohmann::json::object();
        for (const auto &[known, text] : options.keys.texts) json[known] = text;
        QCOMPARE(parseKeyTable(json.dump(), "again").texts, options.keys.texts);
        const Resolver resolver(options);
        for (const std::string &one : {key, std::string("[\"mine\", 3]")}) {
            const auto found = resolver.resolve(one);
            QVERIFY2(found.ok(), whyNot(found));
            QVERIFY((*found)->source == Resolution::Source::Table);
            QCOMPARE((*found)->operators, std::string("known"));
        }
        const auto bad = resolver.resolve("[\"bad\"]");
        QVERIFY(!bad.ok());
        QVERIFY2(bad.why().starts_with("what the key table gives for it is no workload: key table:1:"),
                 bad.why().c_str());
        const auto shapes = resolver.resolve("[\"11111111111111111111111111111111\", [2]]");
        QVERIFY(!shapes.ok());
        QCOMPARE(shapes.why(),
                 std::string("the key table gives it a workload of 4x6 -> 4x6, while the key has the extents 2"));
    }

    void tablesThatAreNone_data() {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("why");
        QTest::newRow("no JSON") << "{" << "k.json:1:2: the key table is not JSON: it ends too early";
        QTest::newRow("deep") << QString(100000, QChar('[')) << "k.json: the key table nests deeper than 64 levels";
        QTest::newRow("a list")
            << "[]"
            << "k.json: a key table is an object of workload keys to .te texts: {\"KEY\": \"workload "
               "...\"}";
        QTest::newRow("a number") << "{\"[1]\": 2}" << "k.json: what the key [1] stands for is 2; it is a .te text";
    }
    void tablesThatAreNone() {
        QFETCH(QString, json);
        QFETCH(QString, why);
        try {
            parseKeyTable(json.toStdString(), "k.json");
            QFAIL("it was taken");
        } catch (const Error &problem) {
            QVERIFY2(QString(problem.what()).startsWith(why), problem.what());
        }
        QVERIFY_THROWS_EXCEPTION(Error, loadKeyTable("/nowhere/keys.json"));
    }

    void recordsThatDoNotFit_data() {
        QTest::addColumn<Steps>("steps");
        QTest::addColumn<QString>("why");
        const StageId out{2};
        QTest::newRow("fits") << Steps{SplitStep{out, IterId{0}, 8, {2}, true}} << "";
        QTest::newRow("another shape") << Steps{SplitStep{out, IterId{0}, 16, {2}, true}}
                                       << "step 0 (SP) splits loop 0 (i) of stage 2 (T_matmul_NN) of extent 16, which "
                                          "is 8 here: the record is for "
                                          "another shape";
        QTest::newRow("another layout") << Steps{SplitStep{out, IterId{0}, 4, {2}, true},
                                                 SplitStep{out, IterId{2}, 8, {2}, true},
                                                 SplitStep{out, IterId{4}, 6, {2}, true}}
                                        << "step 0 (SP) splits loop 0 (i) of stage 2 (T_matmul_NN) of extent 4, which "
                                           "is 8 here: the same extents in "
                                           "another order (4, 8, 6 in the record, 8, 4, 6 here), so the record is for "
                                           "another layout or order of loops";
        QTest::newRow("more stages")
            << Steps{SplitStep{out, IterId{0}, 8, {2}, true}, ComputeInlineStep{StageId{4}}}
            << "step 1, [\"CI\", 4], is for stage 4, while the workload has 3 stages there (0 to 2): "
               "the record is for a workload of other stages";
        QTest::newRow("another order of stages") << Steps{SplitStep{StageId{1}, IterId{0}, 8, {2}, true}}
                                                 << "step 0, [\"SP\", 1, 0, 8, [2], 1], does not apply: split needs "
                                                    "loops, but B is a placeholder and has "
                                                    "none: choose a compute stage; stage 1 is the input B here, so the "
                                                    "stages of the record are others or in another order";
        QTest::newRow("a step that is not legal")
            << Steps{ComputeInlineStep{out}} << "step 0, [\"CI\", 2], does not apply: ";
    }
    void recordsThatDoNotFit() {
        QFETCH(Steps, steps);
        QFETCH(QString, why);
        const DagPtr dag = dagOf("workload m()\nA = placeholder [8, 6]\nB = placeholder [6, 4]\nC = matmul(A, B)\n");
        const Outcome<LoopState> fits = fit(steps, dag);
        QCOMPARE(fits.ok(), why.isEmpty());
        if (!fits.ok()) QVERIFY2(QString::fromStdString(fits.why()).startsWith(why), fits.why().c_str());
    }

    void windowsMakeTheExtents() {
        const auto first = [](WindowKind kind, int64_t in, int64_t kernel, int64_t out) {
            const auto choices = windowChoices(kind, in, kernel, out);
            return choices.empty() ? WindowChoice{0, 0, 0, 0, 0} : choices.front();
        };
        QCOMPARE(first(WindowKind::Convolution, 56, 3, 56), (WindowChoice{3, 1, 1, 1, 1}));
        QCOMPARE(first(WindowKind::Convolution, 56, 3, 54), (WindowChoice{3, 1, 1, 0, 0}));
        QCOMPARE(first(WindowKind::Convolution, 224, 7, 112), (WindowChoice{7, 2, 1, 3, 3}));
        QCOMPARE(first(WindowKind::Pooling, 112, 0, 56), (WindowChoice{3, 2, 1, 1, 1}));
        QCOMPARE(first(WindowKind::Transposed, 32, 4, 64), (WindowChoice{4, 2, 1, 1, 1}));
        QCOMPARE(first(WindowKind::Convolution, 8, 3, 80), (WindowChoice{0, 0, 0, 0, 0}));
        // Every choice keeps its promise.
        for (int64_t in = 1; in < 20; ++in)
            for (int64_t out = 1; out < 20; ++out)
                for (const WindowChoice &c : windowChoices(WindowKind::Convolution, in, 3, out)) {
                    const int64_t reach = (c.kernel - 1) * c.dilation + 1;
                    QCOMPARE((in + c.before + c.after - reach) / c.stride + 1, out);
                }
    }
};

LOOPSCOPE_TEST(ResolveKeysTest)

} // namespace resolve_keys_test
#include "resolve_keys_test.moc"
