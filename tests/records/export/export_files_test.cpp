// What leaves as text comes back: records, scripts, the C++ program, the reproducer; and nothing of others is
// overwritten.

#include "command_run.h"
#include "exported_tasks.h"

#include "base/foreign_text.h"
#include "records/record/record.h"
#include "schedule/script/schedule_script.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <set>

using namespace loopscope;

namespace {

ExportRequest drawnMatmul() {
    ExportRequest request = drawnSchedule(smallWorkloads()[0], 5);
    request.workerPath = LOOPSCOPE_BIN_DIR "/loopscope-worker";
    return request;
}

void put(const QString &path, const QByteArray &text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

} // namespace

class ExportFilesTest : public QObject {
    Q_OBJECT
  private slots:
    void everyFormatIsInTheListOnce();
    void recordsComeBack_data();
    void recordsComeBack();
    void scriptsComeBack();
    void scansAndScattersComeBack_data();
    void scansAndScattersComeBack();
    void cppProgramMakesTheSameSchedule();
    void reproducerRuns();
    void illegalStepsAreRefused_data();
    void illegalStepsAreRefused();
    void answersThatCannotBeCheckedAreRefused();
    void namesOfOthersAreNotTaken();
    void textsStayTexts();
    void namesOfFilesRunNothing();
    void foldersAndFilesAreNotMixedUp();
    void whatIsThereIsNotOverwritten();
};

void ExportFilesTest::everyFormatIsInTheListOnce() {
    std::set<std::string_view> names;
    for (const ExportFormatInfo &info : exportFormats()) {
        QVERIFY(names.insert(info.name).second);
        QVERIFY(info.what.ends_with('.'));
        QCOMPARE(exportFormatNamed(info.name), &info);
        QCOMPARE(&infoOf(info.format), &info);
        QCOMPARE(info.suffix.empty(), info.shape == ExportShape::Folder);
    }
    QVERIFY(exportFormatNamed("pascal") == nullptr);
}

void ExportFilesTest::recordsComeBack_data() {
    QTest::addColumn<bool>("measured");
    QTest::newRow("measured") << true;
    QTest::newRow("never measured") << false;
}

void ExportFilesTest::recordsComeBack() {
    QFETCH(bool, measured);
    ExportRequest request = drawnMatmul();
    if (measured) {
        request.measured = Trial{};
        request.measured->seconds = {0.5, 0.25};
    }
    const QTemporaryDir folder;
    exportInto(folder.filePath("r.json"), request, ExportFormat::Record);
    if (QTest::currentTestFailed()) return;
    const RecordLog log = loadRecordLog(folder.filePath("r.json").toStdString());
    QCOMPARE(log.records.size(), size_t{1});
    QVERIFY(log.skipped.empty());
    const Record &record = log.records[0];
    QVERIFY(recordMatches(record, request.task).ok());
    QCOMPARE(stepsText(record.trial.steps.unpack()), stepsText(request.steps));
    QCOMPARE(record.layoutRewrite, 2);
    QCOMPARE(record.trial.valid(), measured);
    if (measured)
        QCOMPARE(record.trial.seconds, (std::vector<double>{0.5, 0.25}));
    else
        QCOMPARE(record.trial.reason, std::string("it was not measured"));
}

void ExportFilesTest::scriptsComeBack() {
    const ExportRequest request = drawnMatmul();
    const auto files = exportSchedule(request, ExportFormat::Script);
    QVERIFY(files.ok());
    const AppliedScript applied = applyScript(request.task.dag, files->front().bytes);
    QVERIFY(!applied.problem);
    QCOMPARE(stepsText(applied.state.steps()), stepsText(request.steps));
}

void ExportFilesTest::scansAndScattersComeBack_data() {
    QTest::addColumn<int>("workload");
    for (size_t i = 0; i < smallWorkloads().size(); ++i)
        if (QByteArray(smallWorkloads()[i].file).contains("pipelines/"))
            QTest::newRow(smallWorkloads()[i].name) << static_cast<int>(i);
}

/// Their text, their steps, their script.
void ExportFilesTest::scansAndScattersComeBack() {
    QFETCH(int, workload);
    const ExportRequest request = drawnSchedule(smallWorkloads()[static_cast<size_t>(workload)], 13);
    QVERIFY(!request.steps.empty());
    const QTemporaryDir folder;
    exportInto(folder.filePath("r"), request, ExportFormat::Reproducer);
    if (QTest::currentTestFailed()) return;
    const std::string path = folder.path().toStdString() + "/r/";
    const Task again = makeTask(ComputeDag::fromWorkload(loadWorkload(path + "workload.te")), request.task.target);
    QCOMPARE(again.key, request.task.key);
    const RecordLog log = loadRecordLog(path + "record.json");
    QCOMPARE(log.records.size(), size_t{1});
    QVERIFY(recordMatches(log.records[0], again).ok());
    QCOMPARE(stepsText(log.records[0].trial.steps.unpack()), stepsText(request.steps));
    const auto script = exportSchedule(request, ExportFormat::Script);
    QVERIFY(script.ok());
    const AppliedScript applied = applyScript(again.dag, script->front().bytes);
    QVERIFY2(!applied.problem, applied.problem ? applied.problem->reason.c_str() : "");
    QCOMPARE(stepsText(applied.state.steps()), stepsText(request.steps));
}

void ExportFilesTest::cppProgramMakesTheSameSchedule() {
    const QTemporaryDir folder;
    if (!installed("cmake")) QSKIP("cmake is not installed");
    const ExportRequest request = drawnSchedule(smallWorkloads()[1], 9);
    exportInto(folder.filePath("p"), request, ExportFormat::Cpp);
    if (QTest::currentTestFailed()) return;
    const CommandRun run =
        runIn(folder.filePath("p"), "cmake -B build -DLoopscope_DIR=" LOOPSCOPE_BIN_DIR "/.. && cmake --build build && "
                                    "build/conv2d_bias_relu 1");
    QVERIFY2(run.exitCode == 0, run.said.constData());
    const LoopState state = *replay(request.task.dag, request.steps);
    QVERIFY2(run.said.contains(QByteArray(state.text().c_str())), run.said.constData());
    QVERIFY2(run.said.contains("right, largest error") && run.said.contains("ms a call"), run.said.constData());
}

void ExportFilesTest::reproducerRuns() {
    const QTemporaryDir folder;
    if (const QString why = whyNoCompiler("cc", folder.path()); !why.isEmpty()) QSKIP(qPrintable(why));
    if (!installed("make")) QSKIP("make is not installed");
    ExportRequest request = drawnMatmul();
    request.measured = Trial{};
    request.measured->seconds = {0.5, 0.5, 0.5};
    exportInto(folder.filePath("r"), request, ExportFormat::Reproducer);
    if (QTest::currentTestFailed()) return;
    const CommandRun run = runIn(folder.filePath("r"), "make run");
    QVERIFY2(run.exitCode == 0, run.said.constData());
    QVERIFY2(run.said.contains(": right") && run.said.contains("expected: 500 ms"), run.said.constData());
    QVERIFY2(!run.said.contains("warning"), run.said.constData());
    // The other files say the same schedule of the same workload.
    const std::string path = folder.path().toStdString() + "/r/";
    const Task again = makeTask(ComputeDag::fromWorkload(loadWorkload(path + "workload.te")), request.task.target);
    QCOMPARE(again.key, request.task.key);
    const RecordLog log = loadRecordLog(path + "record.json");
    QCOMPARE(stepsText(log.records.at(0).trial.steps.unpack()), stepsText(request.steps));
    QFile expected(folder.filePath("r/expected.json"));
    QVERIFY(expected.open(QIODevice::ReadOnly));
    QVERIFY(expected.readAll().contains("\"seconds\": 0.5"));
    // Once more into the same folder, which holds a program now that is none of it.
    const auto files = exportSchedule(request, ExportFormat::Reproducer);
    const auto again2 = writeFiles(*files, ExportFormat::Reproducer, path);
    QVERIFY(!again2.ok());
    QVERIFY2(QByteArray(again2.why().c_str()).contains("holds matmul, which is not part of this export"),
             again2.why().c_str());
    QVERIFY(runIn(folder.filePath("r"), "make clean").exitCode == 0);
    QVERIFY(writeFiles(*files, ExportFormat::Reproducer, path).ok());
}

void ExportFilesTest::illegalStepsAreRefused_data() {
    QTest::addColumn<QString>("format");
    for (const ExportFormatInfo &info : exportFormats())
        QTest::newRow(std::string(info.name).c_str()) << QString::fromStdString(std::string(info.name));
}

void ExportFilesTest::illegalStepsAreRefused() {
    QFETCH(QString, format);
    ExportRequest request = drawnMatmul();
    request.steps = {AnnotateStep{StageId(2), IterId(17), Annotation::Parallel}};
    const ExportFormatInfo &info = *exportFormatNamed(format.toStdString());
    if (info.targets == ExportTargets::Gpus) request.task.target = parseTarget("cuda");
    const auto files = exportSchedule(request, info.format);
    QVERIFY(!files.ok());
    QVERIFY2(QByteArray(files.why().c_str()).contains("17"), files.why().c_str());
}

void ExportFilesTest::answersThatCannotBeCheckedAreRefused() {
    // Sums in float16 so long that their roundings hide whether a term is missing.
    const Workload workload = parseWorkload("workload w(n = 400000)\nA = placeholder [n] float16\n"
                                            "B(i < 1) = sum(k < n; A[k])\n",
                                            "w.te");
    const ExportRequest request{makeTask(ComputeDag::fromWorkload(workload), parseTarget("llvm")), {}, 0, {}, {}, {}};
    const auto files = exportSchedule(request, ExportFormat::C);
    QVERIFY(!files.ok());
    QVERIFY2(QByteArray(files.why().c_str()).contains("cannot be checked"), files.why().c_str());
}

/// Workloads with names that C, OpenMP or the exports have already.
void ExportFilesTest::namesOfOthersAreNotTaken() {
    const QTemporaryDir folder;
    if (const QString why = whyNoCompiler("gcc", folder.path()); !why.isEmpty()) QSKIP(qPrintable(why));
    for (const QString name :
         {"main", "omp_get_num_threads", "check_now", "aligned_alloc", "parallel_body_0", "int64_t"}) {
        const Workload workload = parseWorkload(
            "workload " + name.toStdString() + "(n = 8)\nplain = placeholder [n] float32\ni(i < n) = plain[i] + 1\n",
            "w.te");
        ExportRequest request{makeTask(ComputeDag::fromWorkload(workload), parseTarget("llvm -num-cores=2")),
                              {},
                              0,
                              {},
                              {},
                              LOOPSCOPE_BIN_DIR "/loopscope-worker"};
        request.task.target.minParallelStores = 0;
        request.steps = {AnnotateStep{StageId(1), IterId(0), Annotation::Parallel}};
        exportInto(folder.filePath("k.c"), request, ExportFormat::C);
        exportInto(folder.filePath("k.o"), request, ExportFormat::Object);
        if (QTest::currentTestFailed()) return;
        const CommandRun run =
            runIn(folder.path(), "gcc -O1 -Wall -Wextra -Werror -fopenmp k.c k_main.c -lm -o k && ./k 0 && gcc -O1 k.o "
                                 "k_main.c -fopenmp -lm -o k && ./k 0 && rm k.h k_main.c");
        QVERIFY2(run.exitCode == 0, (name.toUtf8() + ": " + run.said).constData());
    }
}

/// Made of what ends comments and strings, joins lines, and means something to a shell.
const std::vector<std::string> &hostileTexts() {
    static const std::vector<std::string> texts = {
        "*/ int injected; /*",
        "*\\ int injected; *",
        "\"\"\"\ninjected = 1\n\"\"\"",
        "\"; injected(); \"",
        "'; touch injected; '",
        "$(touch injected) `touch injected` $(shell touch injected)",
        "line \\\nint injected; \\",
        "trigraph ?\?/",
        "%s%n \\N{x} \\x \\u",
        "<script>injected()</script>&\"'",
        ")te\"; int injected; R\"te(",
        "tab\t, return\r, feed\f, escape \x1b[2J, delete\x7f, bell\a",
        "not UTF-8: \xff\xc3",
        "from right to left \xe2\x80\xae and a separator \xe2\x80\xa8 injected",
        "\xc3\xa4\xe4\xb8\xad\xf0\x9f\x8c\xb3",
    };
    return texts;
}

/// By the languages themselves: texts in strings come out as they went in, comments end where ours do.
void ExportFilesTest::textsStayTexts() {
    const QTemporaryDir folder;
    if (const QString why = whyNoCompiler("gcc", folder.path()); !why.isEmpty()) QSKIP(qPrintable(why));
    std::string c = "#include <stdio.h>\n";
    std::string body;
    std::string python = "import sys\nout = sys.stdout.buffer\n";
    std::string make = "all:\n";
    std::string wanted;
    std::string words;
    for (const std::string &text : hostileTexts()) {
        const std::string comment = commentText(text);
        QVERIFY2(comment.find_first_of("\n\r\\\f\x1b") == std::string::npos, comment.c_str());
        c += "/* " + comment + " */\n/*" + comment + "*/\n";
        c += "// " + comment + "\nint in_front;\n";
        body += "    fputs(" + cString(text) + ", stdout); // " + comment + "\n";
        python += "\"\"\"" + comment + "\"\"\"\n# " + comment + "\n";
        // Bytes that are no character are characters there.
        if (text.find('\xff') == std::string::npos)
            python += "assert " + pythonString(text) + ".encode() == bytes.fromhex(\"" +
                      QByteArray(text.data(), qsizetype(text.size())).toHex().toStdString() + "\")\n";
        make += "\t@printf %s " + makeWord(text) + " # " + makeWord(comment) + "\n";
        wanted += text;
        QCOMPARE(dotString(text).find_first_of("\n\r"), std::string::npos);
        QCOMPARE(htmlText(text).find_first_of("<>\"'"), std::string::npos);
    }
    put(folder.filePath("t.c"), QByteArray::fromStdString(c + "int main(void) {\n" + body + "    return 0;\n}\n"));
    put(folder.filePath("t.py"), QByteArray::fromStdString(python + "assert 'injected' not in globals()\n"));
    put(folder.filePath("Makefile"), QByteArray::fromStdString(make));
    for (const QString compiler : {"gcc -std=c17", "g++ -std=c++20", "clang-19 -std=c17"}) {
        if (!installed(compiler.section(' ', 0, 0))) continue;
        // In C++ a name is defined once.
        const CommandRun run =
            runIn(folder.path(), "sed 's/^int in_front/extern int in_front/' t.c > u.cc && " + compiler +
                                     " -Wall -Wextra -Werror " + (compiler.startsWith("g++") ? "u.cc" : "t.c") +
                                     " -o t && ./t && ! nm t | grep -q ' injected'");
        QVERIFY2(run.exitCode == 0 && run.said == QByteArray::fromStdString(wanted), run.said);
    }
    if (installed("python3")) {
        const CommandRun run = runIn(folder.path(), "python3 t.py");
        QVERIFY2(run.exitCode == 0, run.said);
    }
    if (installed("make")) {
        const CommandRun run = runIn(folder.path(), "make -s");
        QVERIFY2(run.exitCode == 0 && run.said.contains("$(shell touch injected)") &&
                     run.said.contains("'; touch injected; '"),
                 run.said);
    }
    QVERIFY(!QFileInfo::exists(folder.filePath("injected")));
}

/// Names of a workload, its tensors and its axes, and a scope of a logged schedule, in every format that is text.
void ExportFilesTest::namesOfFilesRunNothing() {
    const QTemporaryDir folder;
    if (const QString why = whyNoCompiler("gcc", folder.path()); !why.isEmpty()) QSKIP(qPrintable(why));
    const QString sources = LOOPSCOPE_SOURCE_DIR "/core";
    for (const std::string &text : hostileTexts()) {
        if (text.find_first_of("\r\f\x1b\x7f\a\xff") != std::string::npos) continue; // no name of a workload
        std::string quoted;
        for (const char c : text)
            quoted += c == '\n' ? "\\n" : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
        const auto named = [&](const char *name) { return "\"" + quoted + name + "\""; };
        const Workload workload =
            parseWorkload("workload " + named("") + "(n = 8)\n" + named("a") + " = placeholder [n] float32\n" +
                              named("b") + "(" + named("i") + " < n) = " + named("a") + "[" + named("i") +
                              "] + 1\nc(j < n) = " + named("b") + "[j] * 2\n",
                          "w.te");
        ExportRequest request{makeTask(ComputeDag::fromWorkload(workload), parseTarget("llvm -num-cores=2")),
                              {CacheReadStep{.stage = StageId(1), .scope = text, .readers = {StageId(2)}},
                               AnnotateStep{StageId(1), IterId(0), Annotation::Parallel}},
                              0,
                              {},
                              {},
                              LOOPSCOPE_BIN_DIR "/loopscope-worker"};
        request.task.target.attrs["tag"] = "'$(touch injected)";
        request.measured = Trial{};
        request.measured->seconds = {0.5};
        exportInto(folder.filePath("k.c"), request, ExportFormat::C);
        exportInto(folder.filePath("k.s"), request, ExportFormat::Assembly);
        exportInto(folder.filePath("te.py"), request, ExportFormat::TePython);
        exportInto(folder.filePath("tir.py"), request, ExportFormat::TirPython);
        exportInto(folder.filePath("program"), request, ExportFormat::Cpp);
        if (QTest::currentTestFailed()) return;
        CommandRun run =
            runIn(folder.path(), "gcc -O1 -Wall -Wextra -Werror -fopenmp k.c k_main.c -lm -o k && ./k 0 && "
                                 "gcc -c k.s && g++ -std=c++20 -fsyntax-only -I" +
                                     sources + " program/*.cpp");
        QVERIFY2(run.exitCode == 0, (QByteArray::fromStdString(text) + ": " + run.said).constData());
        if (installed("python3")) {
            run = runIn(folder.path(), "python3 -c \"import ast; t = [ast.parse(open(f, 'rb').read()) for f in "
                                       "('te.py', 'tir.py')]; assert not any(isinstance(n, ast.Name) and n.id == "
                                       "'injected' for m in t for n in ast.walk(m))\"");
            QVERIFY2(run.exitCode == 0, (QByteArray::fromStdString(text) + ": " + run.said).constData());
        }
        QVERIFY(QDir(folder.filePath("program")).removeRecursively());
        for (const QString file : {"k.h", "k_main.c"}) QVERIFY(QFile::remove(folder.filePath(file)));
    }
    QVERIFY(!QFileInfo::exists(folder.filePath("injected")));
}

void ExportFilesTest::foldersAndFilesAreNotMixedUp() {
    const QTemporaryDir folder;
    const ExportRequest request = drawnMatmul();
    const auto script = exportSchedule(request, ExportFormat::Script);
    const auto refused = [](const ExportedFiles &files, ExportFormat format, const QString &path) {
        const auto written = writeFiles(files, format, path.toStdString());
        return written.ok() ? QByteArray("written") : QByteArray(written.why().c_str());
    };
    QVERIFY(
        refused(*script, ExportFormat::Script, folder.path()).contains("is a folder; the format script writes a file"));
    QVERIFY(refused(*script, ExportFormat::Script, folder.filePath("new/")).contains("is a folder"));
    QVERIFY(
        refused(*script, ExportFormat::Script, folder.filePath("no/where/s.schedule")).contains("cannot be written"));
    QVERIFY(refused(*script, ExportFormat::Script, "/dev/full").contains("cannot be written: No space left"));
    put(folder.filePath("file"), "text");
    const auto cpp = exportSchedule(request, ExportFormat::Cpp);
    QVERIFY(refused(*cpp, ExportFormat::Cpp, folder.filePath("file"))
                .contains("is a file; the format cpp writes a folder"));
    QVERIFY(refused(*cpp, ExportFormat::Cpp, folder.filePath("file/in")).contains("cannot be made"));
}

void ExportFilesTest::whatIsThereIsNotOverwritten() {
    const QTemporaryDir folder;
    const ExportRequest request = drawnMatmul();
    const auto cpp = exportSchedule(request, ExportFormat::Cpp);
    QVERIFY(QDir(folder.path()).mkdir("mine"));
    put(folder.filePath("mine/precious"), "text");
    const auto written = writeFiles(*cpp, ExportFormat::Cpp, folder.filePath("mine").toStdString());
    QVERIFY(!written.ok());
    QVERIFY2(QByteArray(written.why().c_str()).contains("holds precious"), written.why().c_str());
    QVERIFY(!QFileInfo::exists(folder.filePath("mine/matmul.cpp")));
    // A file of the export may not be called as the one beside it.
    ExportRequest asHeader = request;
    asHeader.stem = stemFor(ExportFormat::C, "k.h");
    const auto twice = exportSchedule(asHeader, ExportFormat::C);
    const auto over = writeFiles(*twice, ExportFormat::C, folder.filePath("k.h").toStdString());
    QVERIFY(!over.ok());
    QVERIFY2(QByteArray(over.why().c_str()).startsWith("k.h goes beside"), over.why().c_str());
    QVERIFY(!QFileInfo::exists(folder.filePath("k.h")));
    // Beside a file: only what an export wrote.
    put(folder.filePath("k.h"), "int mine;\n");
    ExportRequest named = request;
    named.stem = "k";
    const auto c = exportSchedule(named, ExportFormat::C);
    const auto beside = writeFiles(*c, ExportFormat::C, folder.filePath("k.c").toStdString());
    QVERIFY(!beside.ok());
    QVERIFY2(QByteArray(beside.why().c_str()).contains("k.h goes beside"), beside.why().c_str());
    QVERIFY(!QFileInfo::exists(folder.filePath("k.c")));
    QVERIFY(QFile::remove(folder.filePath("k.h")));
    QVERIFY(writeFiles(*c, ExportFormat::C, folder.filePath("k.c").toStdString()).ok());
    QVERIFY(writeFiles(*c, ExportFormat::C, folder.filePath("k.c").toStdString()).ok());
}

LOOPSCOPE_TEST(ExportFilesTest)
#include "export_files_test.moc"
