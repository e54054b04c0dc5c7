// `loopscope-cli net` as a user calls it: a small network from its text to numbers, code and ONNX, and what is refused.

#include "cli_process.h"
#include "test_program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

namespace {

constexpr const char *kTiny = R"(network tiny
func main(x: float32[1, 3, 16, 16]) {
  w1 = constant float32[8, 3, 3, 3] random normal(seed = 1, deviation = 0.3)
  b1 = constant float32[8] random normal(seed = 2, deviation = 0.1)
  w2 = constant float32[8, 8, 3, 3] random normal(seed = 3, deviation = 0.2)
  w3 = constant float32[10, 8] random normal(seed = 4, deviation = 0.3)
  a = conv(x, w1, b1, pads = [1, 1, 1, 1])
  r = relu(a)
  c = conv(r, w2, pads = [1, 1, 1, 1])
  s = add(c, r)
  p = relu(s)
  g = global_average_pool(p)
  f = flatten(g)
  d = gemm(f, w3, trans_b = 1)
  probabilities = softmax(d)
  return probabilities
}
)";

QByteArray contentOf(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class NetTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() {
        QVERIFY(m_dir.isValid());
        m_net = write("tiny.net", kTiny);
    }
    void tasksAndKernels();
    void everyFormOfShow();
    void controlFlowIsShownCheckedAndRun();
    void problemsOfAFileAreAllListed();
    void resultsAreVerifiedKernelByKernel();
    void layoutsAreChosenAndTold();
    void runReadsAndWritesArrays();
    void runTakesDimsFromInputs();
    void aPlanRunsWithTheSameBits();
    void profileTellsEveryKernel();
    void onnxAndTextMeanTheSame();
    void exportedSourcesBuildAndCheckThemselves();
    void aSearchIsLoggedExplainedAppliedAndContinued();
    void refusals_data();
    void refusals();

  private:
    QString path(const QString &name) { return m_dir.filePath(name); }
    QString write(const QString &name, const QByteArray &text) {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) return {};
        return path(name);
    }
    QTemporaryDir m_dir;
    QString m_net;
};

void NetTest::tasksAndKernels() {
    const CliRun run = runCli({"net", "tasks", m_net, "--json"});
    QVERIFY2(run.exitCode == 0, run.story());
    const QJsonObject value = run.json().object();
    QCOMPARE(value["kernels"].toInt(), 6);
    QStringList names;
    int weight = 0;
    for (const QJsonValue task : value["tasks"].toArray()) {
        names << task["name"].toString();
        weight += task["weight"].toInt();
        QVERIFY(task["key"].toString().startsWith("[\""));
        QVERIFY(task["flops"].toDouble() > 0);
        QVERIFY(task["record"].isNull());
    }
    QCOMPARE(names, (QStringList{"conv_add_relu", "conv_add_relu", "global_average_pool", "dense", "softmax"}));
    QCOMPARE(value["total_weight"].toInt(), weight);
    QCOMPARE(weight, 5);
    QCOMPARE(value["simple"].toArray().size(), 1); // the reshape
}

void NetTest::everyFormOfShow() {
    for (const char *form : {"text", "net", "dot", "kernels", "cuts", "passes", "memory"})
        for (const bool json : {false, true}) {
            QStringList words = {"net", "show", m_net, "--as", form};
            if (json) words << "--json";
            const CliRun run = runCli(words);
            QVERIFY2(run.exitCode == 0 && !run.out.isEmpty(), run.story());
        }
    const CliRun cuts = runCli({"net", "show", m_net, "--as", "cuts", "--json"});
    for (const QJsonValue cut : cuts.json().array()) QVERIFY(!cut["reason"].toString().isEmpty());
    // What is printed reads back to the same.
    const CliRun once = runCli({"net", "show", m_net, "--as", "net", "--stage", "optimised"});
    const CliRun again = runCli({"net", "show", write("printed.net", once.out.toUtf8()), "--as", "net"});
    QCOMPARE(again.out, once.out);
}

void NetTest::controlFlowIsShownCheckedAndRun() {
    const QString net = write("branches.net", R"(network branches
func main(x: float32[n], c: bool[]) {
  effect {
    u = unique(x)
    v: float32[m] = match(u)
    y = if(c, v, then = "twice", else = "twice")
  } yield y
  return y
}
func twice(x: float32[n]) {
  y = concat(x, x, axis = 0)
  return y
}
)");
    QCOMPARE(runCli({"net", "check", net}).exitCode, 0);
    const CliRun shown = runCli({"net", "show", net});
    QVERIFY2(shown.out.contains("gives y: float32[2*m]") && shown.out.contains("function twice: 1 nodes"),
             shown.story());
    QCOMPARE(runCli({"net", "show", net, "--json"}).json().object()["functions"].toArray().size(), 2);
    const CliRun printed = runCli({"net", "show", net, "--as", "net"});
    QCOMPARE(runCli({"net", "show", write("again.net", printed.out.toUtf8()), "--as", "net"}).out, printed.out);
    const CliRun ran = runCli({"net", "run", net, "--dim", "n=5"});
    QVERIFY2(ran.exitCode == 0 && ran.out.startsWith("y: float32[10], "), ran.story());
    QVERIFY2(runCli({"net", "run", net}).error.contains("the dim n has no number"), ran.story());
    for (const QStringList &command : {QStringList{"tasks"}, QStringList{"verify"}, QStringList{"profile"},
                                       QStringList{"build", "--out", m_dir.filePath("b.plan")}}) {
        const CliRun refused = runCli(QStringList{"net"} + command + QStringList{net, "--dim", "n=5"});
        QVERIFY2(refused.exitCode != 0 &&
                     refused.error.contains("unique 'u' of function `main`: passes and kernels are for networks "
                                            "without control flow"),
                 refused.story());
    }
    const CliRun wrong = runCli({"net", "check", write("wrong.net", R"(network wrong
func main(x: float32[4]) {
  y = call(x, function = "main")
  return y
}
)")});
    QCOMPARE(wrong.exitCode, 1);
    QVERIFY2(wrong.out.contains("wrong.net:3:7: call 'y': stands in a dataflow block") &&
                 wrong.out.contains("function main: calls itself (main -> main)"),
             wrong.story());
}

void NetTest::problemsOfAFileAreAllListed() {
    QVERIFY(runCli({"net", "check", m_net}).exitCode == 0);
    const QString bad = write("bad.net", R"(network bad
func main(x: float32[1, 3, 8, 8]) {
  w = constant float32[4, 5, 3, 3] 0.5
  a = conv(x, w)
  b = relux(x)
  c = concat(x, x, axis = 7)
  return a, b, c
}
)");
    const CliRun run = runCli({"net", "check", bad, "--json"});
    QCOMPARE(run.exitCode, 1);
    const QJsonArray problems = run.json().object()["problems"].toArray();
    QVERIFY2(problems.size() == 3, run.story());
    QCOMPARE(problems[0]["operator"].toString(), "conv");
    QVERIFY(problems[0]["reason"].toString().contains("bad.net:4"));
    QVERIFY2(problems[1]["reason"].toString().contains("relu"), run.story()); // what was meant
    QCOMPARE(problems[2]["node"].toString(), "c");
}

void NetTest::resultsAreVerifiedKernelByKernel() {
    for (const char *fusion : {"compatible", "better"}) {
        const CliRun run = runCli({"net", "verify", m_net, "--fusion", fusion, "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonObject value = run.json().object();
        QVERIFY(value["first_wrong"].isNull());
        QVERIFY(value["kernels"].toArray().size() >= 5);
        for (const QJsonValue kernel : value["kernels"].toArray()) {
            QVERIFY(kernel["ok"].toBool());
            QVERIFY(kernel["error"].toDouble() <= kernel["tolerance"].toDouble());
        }
        QCOMPARE(value["outputs"].toArray().size(), 1);
        QStringList draws;
        for (const QJsonValue draw : value["draws"].toArray()) {
            draws.append(draw["name"].toString());
            QVERIFY2(draw["outputs"][0]["ok"].toBool(), run.story());
        }
        QCOMPARE(draws.join(" "), QString("uniform mean100 mean1000 ties"));
    }
    const CliRun some = runCli({"net", "verify", m_net, "--draw", "special", "--draw", "ties"});
    QVERIFY2(some.out.contains("inputs many of which are equal:") &&
                 some.out.contains("inputs with NaN and infinities among them:"),
             some.story());
}

void NetTest::layoutsAreChosenAndTold() {
    for (const char *layouts : {"choose", "measure", "nhwc"}) {
        const CliRun run = runCli({"net", "show", m_net, "--layouts", layouts, "--as", "layouts", "--json"});
        QVERIFY2(run.exitCode == 0, run.story());
        const QJsonArray nodes = run.json().object()["nodes"].toArray();
        QVERIFY(nodes.size() >= 9);
        for (const QJsonValue node : nodes) QVERIFY(!node["because"].toString().isEmpty());
        QCOMPARE(run.json().object()["cost"].isNull(), QString(layouts) == "nhwc");
    }
    const CliRun text = runCli({"net", "show", m_net, "--layouts", "nhwc", "--as", "layouts"});
    QVERIFY2(text.out.contains("conv 'c' (owning): channels_last, it was asked for"), text.story());
    const CliRun net = runCli({"net", "show", m_net, "--layouts", "nhwc", "--as", "net"});
    QVERIFY2(net.out.contains("layout = \"channels_last\""), net.story());
    const CliRun verified = runCli({"net", "verify", m_net, "--layouts", "nhwc"});
    QVERIFY2(verified.exitCode == 0, verified.story());
    // A plan holds what was chosen.
    const CliRun build = runCli({"net", "build", m_net, "--layouts", "measure", "--out", path("laid.plan")});
    QVERIFY2(build.exitCode == 0, build.story());
    QVERIFY(runCli({"net", "run", path("laid.plan")}).exitCode == 0);
    const CliRun tasks = runCli({"net", "tasks", m_net, "--layouts", "nhwc", "--json"});
    QStringList names;
    for (const QJsonValue task : tasks.json().object()["tasks"].toArray()) names << task["key"].toString();
    QVERIFY2(names.first().contains("[1, 16, 16, 3], [3, 3, 3, 8]"), qPrintable(names.first())); // image, kernel
}

void NetTest::runReadsAndWritesArrays() {
    const QString first = path("first.npy");
    const CliRun run = runCli({"net", "run", m_net, "--seed", "5", "--output", "probabilities=" + first});
    QVERIFY2(run.exitCode == 0, run.story());
    QVERIFY(run.out.contains("float32[1, 10]"));
    QVERIFY(QFile::exists(first));
    const QString again = path("again.npy");
    QVERIFY(
        runCli({"net", "run", m_net, "--seed", "5", "--threads", "1", "--output", "probabilities=" + again}).exitCode ==
        0);
    QCOMPARE(contentOf(again), contentOf(first));
    QVERIFY(runCli({"net", "run", m_net, "--seed", "6", "--output", "probabilities=" + again}).exitCode == 0);
    QVERIFY(contentOf(again) != contentOf(first));
    // An array of another shape is no input.
    const CliRun wrong = runCli({"net", "run", m_net, "--input", "x=" + first});
    QCOMPARE(wrong.exitCode, 1);
    QVERIFY2(wrong.error.contains("float32[1, 10]") && wrong.error.contains("float32[1, 3, 16, 16]"), wrong.story());
}

/// The array that is given says what the symbols of its input are; only where none does --dim has to.
void NetTest::runTakesDimsFromInputs() {
    const QString net = write("open.net", "network open\nfunc main(x: float32[n, 4], y: float32[2*n, m]) {\n"
                                          "  a = relu(x)\n  b = relu(y)\n  return a, b\n}\n");
    const QString x = path("x.npy"), y = path("y.npy");
    const CliRun made =
        runCli({"net", "run", net, "--dim", "n=3", "--dim", "m=5", "--output", "a=" + x, "--output", "b=" + y});
    QVERIFY2(made.exitCode == 0, made.story());
    const CliRun both = runCli({"net", "run", net, "--input", "x=" + x, "--input", "y=" + y});
    QVERIFY2(both.exitCode == 0 && both.out.contains("float32[3, 4]") && both.out.contains("float32[6, 5]"),
             both.story());
    const CliRun one = runCli({"net", "run", net, "--input", "y=" + y});
    QVERIFY2(one.exitCode == 0 && one.out.contains("float32[3, 4]"), one.story());
    const CliRun open = runCli({"net", "run", net, "--input", "x=" + x});
    QVERIFY2(open.exitCode == 1 && open.error.contains("m") && open.error.contains("--dim"), open.story());
    const CliRun wrong = runCli({"net", "run", net, "--dim", "n=4", "--input", "y=" + y});
    QVERIFY2(wrong.exitCode == 1 && wrong.error.contains("y.npy: is [6, 5]"), wrong.story());
    const CliRun apart = runCli({"net", "run", net, "--input", "x=" + y, "--input", "y=" + y});
    QVERIFY2(apart.exitCode == 1 && apart.error.contains("y.npy: is [6, 5]; the input x takes"), apart.story());
}

void NetTest::aPlanRunsWithTheSameBits() {
    const QString plan = path("tiny.plan");
    const CliRun build = runCli({"net", "build", m_net, "--out", plan, "--json"});
    QVERIFY2(build.exitCode == 0, build.story());
    const QJsonObject value = build.json().object();
    QVERIFY(value["arena_bytes"].toInteger() >= value["live_peak_bytes"].toInteger());
    const QString direct = path("direct.npy");
    const QString reloaded = path("reloaded.npy");
    QVERIFY(runCli({"net", "run", m_net, "--output", "probabilities=" + direct}).exitCode == 0);
    QVERIFY(runCli({"net", "run", plan, "--output", "probabilities=" + reloaded}).exitCode == 0);
    QVERIFY(!contentOf(direct).isEmpty());
    QCOMPARE(contentOf(reloaded), contentOf(direct));
    // One that was damaged is refused.
    QByteArray text = contentOf(plan);
    text.replace("\"arena", "\"brena");
    const CliRun damaged = runCli({"net", "run", write("damaged.plan", text)});
    QCOMPARE(damaged.exitCode, 1);
    QVERIFY2(damaged.error.contains("damaged.plan"), damaged.story());
}

void NetTest::profileTellsEveryKernel() {
    const QString trace = path("trace.json");
    const CliRun run = runCli({"net", "profile", m_net, "--runs", "3", "--threads", "1", "--trace", trace, "--json"});
    QVERIFY2(run.exitCode == 0, run.story());
    const QJsonObject value = run.json().object();
    QVERIFY(value["seconds"].toDouble() > 0);
    QVERIFY(value["kernels"].toArray().size() >= 5);
    for (const QJsonValue kernel : value["kernels"].toArray()) QVERIFY(kernel["seconds"].toDouble() > 0);
    QVERIFY(QJsonDocument::fromJson(contentOf(trace)).isObject() ||
            QJsonDocument::fromJson(contentOf(trace)).isArray());
    const CliRun beside = runCli({"net", "profile", m_net, "--runs", "2", "--against", trace});
    QVERIFY2(beside.exitCode == 0 && beside.out.contains("beside "), beside.story());
}

void NetTest::onnxAndTextMeanTheSame() {
    const QString onnx = path("tiny.onnx");
    const CliRun exported = runCli({"net", "export", m_net, "--format", "onnx", "--out", onnx});
    QVERIFY2(exported.exitCode == 0, exported.story());
    QVERIFY(runCli({"net", "check", onnx}).exitCode == 0);
    const QString fromText = path("text.npy");
    const QString fromOnnx = path("onnx.npy");
    QVERIFY(runCli({"net", "run", m_net, "--output", "probabilities=" + fromText}).exitCode == 0);
    const CliRun run = runCli({"net", "run", onnx, "--output", "probabilities=" + fromOnnx});
    QVERIFY2(run.exitCode == 0, run.story());
    QVERIFY(!contentOf(fromText).isEmpty());
    QCOMPARE(contentOf(fromOnnx), contentOf(fromText));
    const QString net = path("back.net");
    QVERIFY(runCli({"net", "export", onnx, "--format", "net", "--out", net}).exitCode == 0);
    QVERIFY(runCli({"net", "check", net}).exitCode == 0);
}

void NetTest::exportedSourcesBuildAndCheckThemselves() {
    const QString folder = path("exported");
    const CliRun run = runCli({"net", "export", m_net, "--out", folder, "--json"});
    QVERIFY2(run.exitCode == 0, run.story());
    QCOMPARE(run.json().object()["name"].toString(), "tiny");
    for (const char *name : {"tiny.h", "tiny.c", "tiny_kernels.h", "main.c", "CMakeLists.txt", "tiny.weights"})
        QVERIFY2(QFile::exists(folder + "/" + name), name);
    QVERIFY(runCli({"net", "export", m_net, "--out", folder}).exitCode == 0); // over itself
    // By hand, as its CMake file does it.
    QStringList sources = {folder + "/main.c", folder + "/tiny.c"};
    for (const QString &kernel : QDir(folder + "/kernels").entryList({"*.c"})) sources << folder + "/kernels/" + kernel;
    QVERIFY(sources.size() > 5);
    for (const char *compiler : {"gcc", "clang-19"}) {
        if (QStandardPaths::findExecutable(compiler).isEmpty()) continue;
        QProcess compile;
        const QString program = folder + "/../tiny_" + compiler;
        QStringList arguments = {"-std=c17", "-O1", "-march=native", "-Wall", "-I", folder, "-o", program};
        if (compiler == QString("gcc")) arguments << "-fopenmp";
        compile.start(compiler, arguments + sources + QStringList{"-lm"});
        QVERIFY2(compile.waitForFinished(120000) && compile.exitCode() == 0, compile.readAllStandardError());
        QProcess check;
        check.start(program, {"3", folder});
        QVERIFY(check.waitForFinished(60000));
        const QByteArray said = check.readAll();
        QVERIFY2(check.exitCode() == 0 && said.contains("probabilities: right"), said);
        // Weights that were damaged are not run.
        QFile weights(folder + "/tiny.weights");
        QVERIFY(weights.open(QIODevice::ReadWrite));
        weights.seek(200);
        const QByteArray before = weights.read(1);
        weights.seek(200);
        weights.write(QByteArray(1, static_cast<char>(before[0] ^ 1)));
        weights.flush();
        check.start(program, {"3", folder});
        QVERIFY(check.waitForFinished(60000));
        QVERIFY(check.exitCode() == 1 && check.readAllStandardError().contains("damaged"));
        weights.seek(200);
        weights.write(before);
    }
    write("exported/somebody.txt", "mine");
    const CliRun refused = runCli({"net", "export", m_net, "--out", folder});
    QVERIFY2(refused.exitCode == 1 && refused.error.contains("somebody.txt"), refused.story());
}

void NetTest::aSearchIsLoggedExplainedAppliedAndContinued() {
    const QString log = path("tiny.json");
    const QStringList search = {"net", "tune",   m_net,   "--log",  log,      "--trials",
                                "16",  "--task", "dense", "--task", "softmax"};
    const CliRun run = runCli(search + QStringList{"--total-trials", "24", "--json"});
    QVERIFY2(run.exitCode == 0, run.story());
    const QJsonObject value = run.json().object();
    QCOMPARE(value["tasks"].toArray().size(), 2);
    QCOMPARE(value["trials"].toInt(), 24);
    QVERIFY(value["seconds"].toDouble() > 0);
    QVERIFY(contentOf(log).contains("# next: dense, as it has had no round yet"));
    const CliRun tasks = runCli({"net", "tasks", m_net, "--log", log, "--json"});
    int recorded = 0;
    for (const QJsonValue task : tasks.json().object()["tasks"].toArray()) {
        if (!task["record"].isNull()) ++recorded;
        QVERIFY(!task["record"].isNull() || !task["why_no_record"].toString().isEmpty());
    }
    QVERIFY2(recorded == 2, tasks.story());
    const CliRun verified = runCli({"net", "verify", m_net, "--log", log});
    QVERIFY2(verified.exitCode == 0, verified.story());
    const CliRun chosen =
        runCli({"net", "build", m_net, "--log", log, "--alternatives", "4", "--out", path("chosen.plan"), "--json"});
    QVERIFY2(chosen.exitCode == 0, chosen.story());
    const QJsonObject contest = chosen.json().object()["contest"].toObject();
    QVERIFY(contest["seconds"].toDouble() > 0 && contest["seconds"].toDouble() <= contest["seconds_before"].toDouble());
    int competing = 0;
    for (const QJsonValue task : contest["tasks"].toArray()) competing += task["alternatives"].toInt() > 1 ? 1 : 0;
    QVERIFY2(competing >= 1 && chosen.error.contains("schedules chosen in the network: a run takes "), chosen.story());
    const CliRun checked = runCli({"net", "verify", m_net, "--log", log, "--alternatives", "4"});
    QVERIFY2(checked.exitCode == 0, checked.story());
    // Nobody measured any: those that are estimated best compete.
    const CliRun guessed =
        runCli({"net", "build", m_net, "--alternatives", "3", "--out", path("guessed.plan"), "--json"});
    QVERIFY2(guessed.exitCode == 0, guessed.story());
    int guesses = 0;
    for (const QJsonValue task : guessed.json().object()["contest"].toObject()["tasks"].toArray())
        guesses += task["alternatives"].toInt() > 1 ? 1 : 0;
    QVERIFY2(guesses >= 1, guessed.story());
    const CliRun guessedRun = runCli({"net", "run", path("guessed.plan")});
    QVERIFY2(guessedRun.exitCode == 0, guessedRun.story());
    const CliRun resumed = runCli(search + QStringList{"--resume", "--json"});
    QVERIFY2(resumed.exitCode == 0, resumed.story());
    QCOMPARE(resumed.json().object()["trials"].toInt(), 8);
}

void NetTest::refusals_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *name, const QStringList &words, int code, const char *says) {
        QTest::newRow(name) << words << code << QString(says);
    };
    row("no command", {"net"}, 2, "a command of net is missing");
    row("mistyped command", {"net", "tsaks", m_net}, 2, "tasks");
    row("neither form", {"net", "show", "x.txt"}, 1, "neither .onnx nor .net");
    row("no file", {"net", "show", path("none.net")}, 1, "none.net");
    row("no such pass", {"net", "show", m_net, "--disable", "foldConstant"}, 1, "foldConstants");
    row("no such fusion", {"net", "tasks", m_net, "--fusion", "all"}, 2, "better");
    row("a GPU", {"net", "build", m_net, "--target", "cuda", "--out", path("x.plan")}, 2, "run on processors");
    row("stage of tasks", {"net", "show", m_net, "--as", "kernels", "--stage", "imported"}, 2, "--stage is about");
    row("no such task", {"net", "tune", m_net, "--log", path("n.json"), "--task", "sofmax"}, 2, "softmax");
    row("no such input", {"net", "run", m_net, "--input", "y=a.npy"}, 2, "it has x");
    row("no such output", {"net", "run", m_net, "--output", "y=a.npy"}, 2, "it has probabilities");
    row("no number", {"net", "show", m_net, "--dim", "n=0"}, 2, "no whole number");
    row("layouts of nothing", {"net", "show", m_net, "--as", "layouts"}, 2, "keep decides nothing");
    row("no such layouts", {"net", "tasks", m_net, "--layouts", "nchw"}, 2, "nhwc");
    row("layouts of a file", {"net", "export", m_net, "--layouts", "nhwc", "--format", "onnx", "--out", path("l.onnx")},
        2, "the network as it was read");
    const QString open =
        write("open.net", "network open\n\nfunc main(x: float32[n, 4]) {\n  y = relu(x)\n  return y\n}\n");
    const char *sentence = "the dim n has no number, and kernels are made for known sizes (--dim n=N)";
    row("open dims, run", {"net", "run", open}, 1, sentence);
    row("open dims, layouts", {"net", "show", open, "--layouts", "choose", "--as", "layouts"}, 1, sentence);
    row("open dims, tune", {"net", "tune", open, "--log", path("n.json")}, 1, sentence);
    row("nothing to resume", {"net", "tune", m_net, "--log", path("none.json"), "--resume"}, 1, "no log to resume");
    row("a plan is verified", {"net", "verify", path("tiny.plan")}, 2, "takes the network");
}

void NetTest::refusals() {
    QFETCH(QStringList, words);
    QFETCH(int, code);
    QFETCH(QString, says);
    const CliRun run = runCli(words);
    QVERIFY2(run.exitCode == code && run.error.contains(says), run.story());
}

LOOPSCOPE_TEST(NetTest)
#include "net_test.moc"
