// Files of every kind, changed in any way: reading one ends with what it says or with a sentence of ours, quickly and
// within 2 GiB; never with the text of a library's exception. LOOPSCOPE_FUZZ_SEED gives other changes,
// LOOPSCOPE_LONG_TESTS many more. Logs, ONNX files and archives have tests of their own.

#include "../deploy/plan/copying_plan.h"
#include "base/fnv_hash.h"
#include "base/isolate/sandbox.h"
#include "base/outcome.h"
#include "deploy/dispatch/dispatch_table_json.h"
#include "deploy/plan/chrome_trace.h"
#include "deploy/plan/plan_file.h"
#include "harness/changed_files.h"
#include "harness/sample_dags.h"
#include "language/picture/png_file.h"
#include "language/target/target.h"
#include "language/te/workload.h"
#include "language/tensor/content_hash.h"
#include "language/tensor/npy_file.h"
#include "measure/fleet/messages.h"
#include "measure/timing/machine_peaks.h"
#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "networks/strategy/pins.h"
#include "records/bundle/bundle_text.h"
#include "records/logs/log_diff.h"
#include "records/logs/log_document.h"
#include "records/logs/sidecar.h"
#include "records/record/record.h"
#include "records/resolve/key_table.h"
#include "records/resolve/task_key.h"
#include "schedule/script/schedule_script.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <functional>
#include <limits>
#include <sys/resource.h>

using namespace loopscope;

namespace {

constexpr qint64 kSlowest = 20000; // ms for one file
constexpr size_t kMaxMemory = size_t{2} << 30;

bool longTest() { return qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS"); }

DispatchTable madeTable() {
    DispatchTable table;
    table.network = "net";
    table.target = "llvm";
    table.symbol = "n";
    table.bound = 64;
    table.points = {1, 64};
    table.weights = {1, 1};
    KernelTable kernel;
    kernel.name = "relu";
    kernel.node = "r";
    kernel.key = "[\"k\"]";
    const Steps steps = stepsFromJson(nlohmann::json::parse("[[\"SP\", 1, 0, 64, [8], 1]]"));
    kernel.variants = {{"h", "default at n = 64", 1, 1, 0, steps, {1e-3, std::nullopt}}};
    kernel.rows = {{{1, 64, 8, {0}}, 0}};
    kernel.fixedSeconds = {1e-3, 1e-3};
    kernel.fixedSource = {"default", "default"};
    table.kernels = {kernel};
    return table;
}

constexpr const char *kRecord =
    "{\"i\": [[\"[\\\"matmul\\\", 64, 64, 64]\", \"llvm -keys=cpu -mcpu=x86-64\", [2, 64, 64, 0, 0, 0, 0, 0], \"\", 2, "
    "[]], [[], [[\"SP\", 2, 0, 64, [4, 2, 8], 1], [\"RE\", 2, [0, 1, 2, 3, 4]], [\"AN\", 2, 0, 3]]]], \"r\": [[0.001, "
    "0.0011], 0, 0.5, 1700000000], \"v\": \"v0.6\"}";

constexpr const char *kNet = "network m(layers = 2)\nfunc main(x: float32[n, 4], w: float32[4, 3]) {\n"
                             "  c = constant int64[2] {1, -1}\n  a = relu(matmul(x, w)) | reshape(c)\n"
                             "  for l in 0 .. layers { a = softmax(a; axis = 0) }\n  return a\n}\n";

constexpr const char *kScript = "split C i [4, 8]\nreorder C i.0 j i.1 i.2 k\nparallel C i.0\nvectorize C j\n";

} // namespace

class MutatedFilesTest : public QObject {
    Q_OBJECT

    using Change = std::function<std::string(Random &random)>;
    using Read = std::function<void(const std::string &text)>;
    QTemporaryDir m_folder;

    std::string path(const char *name) { return m_folder.filePath(name).toStdString(); }
    std::string stored(const char *name, const std::string &text) {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) qFatal("the folder is full");
        file.write(text.data(), static_cast<qint64>(text.size()));
        return path(name);
    }
    /// Both the document changed where its values are, and its text changed anywhere.
    static Change ofJson(const std::string &text) {
        return [text](Random &random) { return changedJson(text, random); };
    }
    static Change ofText(const std::string &text) {
        return [text](Random &random) { return changedText(text, random); };
    }
    /// With the checksum that is its id, as that of a plan is one.
    static Change ofBundle() {
        const Task task = makeTask(matmulDag(8, 8, 8), parseTarget("llvm -mcpu=x86-64 -num-cores=2"));
        const std::string text = makeBundle(task, R"({"arguments": [], "sets": []})",
                                            {{}, {AnnotateStep{StageId(2), IterId(0), Annotation::Parallel}}}, {})
                                     .files.front()
                                     .text;
        return [text](Random &random) {
            std::string changed = changedJson(text, random);
            constexpr std::string_view mark = "\"id\":\"";
            const size_t at = changed.find(mark);
            if (at == std::string::npos || at + mark.size() + 16 > changed.size()) return changed;
            changed.replace(at + mark.size(), 16, std::string(16, '0'));
            return changed.replace(at + mark.size(), 16, hashText(fnvHash(changed)));
        };
    }
    Change ofPicture() {
        writePng(path("p.png"),
                 {.width = 5, .height = 3, .channels = 3, .bits = 8, .samples = std::vector<uint16_t>(45, 7)});
        QFile file(m_folder.filePath("p.png"));
        if (!file.open(QIODevice::ReadOnly)) qFatal("there is no picture");
        return ofText(file.readAll().toStdString());
    }
    /// With its check sum, or nothing but that would be looked at.
    Change ofPlan() {
        writePlan(copyingPlan(), path("p.plan"));
        QFile file(m_folder.filePath("p.plan"));
        if (!file.open(QIODevice::ReadOnly)) qFatal("there is no plan");
        const MutatedJson whole = MutatedJson::parse(file.readAll().toStdString());
        return [whole](Random &random) {
            MutatedJson json = whole;
            if (random.below(4) == 0) {
                changeValue(json, random);
                return dumped(json);
            }
            changeValue(json["plan"], random);
            const auto sorted = nlohmann::json::parse(dumped(json["plan"]));
            ContentHasher hasher;
            hasher.add(sorted.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
            json["checksum"] = hasher.finish().text();
            return dumped(json);
        };
    }

  private slots:
    void initTestCase() {
        if (!kMemoryCanBeLimited) return;
        rlimit limit{};
        QCOMPARE(::getrlimit(RLIMIT_AS, &limit), 0);
        limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, kMaxMemory);
        QCOMPARE(::setrlimit(RLIMIT_AS, &limit), 0);
    }

    void endInSentences_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<Read>("read");
        const auto row = [](const char *name, Change change, Read read) {
            QTest::newRow(name) << std::move(change) << std::move(read);
        };
        row("plan", ofPlan(), [this](const std::string &text) { (void)readPlan(stored("p.plan", text)); });
        row("dispatch table", ofJson(dumped(tableJson(madeTable()))),
            [this](const std::string &text) { (void)readDispatchTable(stored("t.json", text)); });
        row("key table", ofJson("{\"[\\\"k\\\", [1, 2]]\": \"workload w(N = 4)\\n\"}"),
            [](const std::string &text) { (void)parseKeyTable(text, "k.json"); });
        row("pins", ofJson("{\"format\": \"loopscope strategy pins\", \"pins\": {\"conv1\": \"winograd\"}}"),
            [this](const std::string &text) { (void)readPins(stored("n.pins.json", text)); });
        row("notes",
            ofJson("{\"format\": \"loopscope log notes\", \"version\": 1, \"records\": {\"0123456789abcdef\": "
                   "{\"text\": \"a\", \"tags\": [\"b\"], \"pinned\": true, \"line\": 3}}}"),
            [this](const std::string &text) {
                stored("l.json.notes.json", text);
                (void)loadLogNotes(path("l.json"));
            });
        row("weights", ofJson("{\"[\\\"k\\\"]\": 2.5}"),
            [this](const std::string &text) { (void)loadTaskWeights(stored("w.json", text)); });
        row("profile",
            ofJson("{\"traceEvents\": [{\"name\": \"conv1_kernel_time\", \"cat\": \"Node\", \"dur\": 12, \"args\": "
                   "{\"op_name\": \"Conv\", \"node_index\": \"3\", \"output_type_shape\": [{\"float\": [1, 64]}]}}]}"),
            [](const std::string &text) { (void)readTrace(text, "t.json"); });
        row("peaks", ofJson(machinePeaksText({})), [](const std::string &text) {
            if (const auto peaks = machinePeaksFromText(text); !peaks) throw Error(peaks.why());
        });
        row("hello", ofJson(helloText({})), [](const std::string &text) {
            if (const auto hello = helloFromText(text); !hello) throw Error(hello.why());
        });
        row("target",
            ofJson("{\"kind\": \"llvm\", \"mcpu\": \"x86-64\", \"num-cores\": 2, \"keys\": [\"cpu\"], \"host\": "
                   "{\"kind\": \"llvm\"}}"),
            [](const std::string &text) { (void)parseTarget(text); });
        row("key", ofJson("[\"matmul\", [64, 64], 3, \"x\", [\"TENSOR\", [1, 2], \"float32\"]]"),
            [](const std::string &text) {
                if (const auto key = parseTaskKey(text); !key) throw Error(key.why());
            });
        row("record", ofJson(kRecord), [](const std::string &text) { (void)parseRecord(text, "l.json", 1); });
        row("log", ofText(std::string("# failed: x\n") + kRecord + "\n" + kRecord + "\n"),
            [this](const std::string &text) {
                const LogDocument log = LogDocument::open(stored("l.json", text));
                const RecordLog whole = loadRecordLog(path("l.json"));
                std::string reasons; // of a file that is no log at all every line has one
                for (const SkippedLine &line : log.unreadable()) reasons += line.reason;
                for (const SkippedLine &line : whole.skipped) reasons += line.reason;
                if (!reasons.empty()) throw Error(reasons);
            });
        row("network", ofText(kNet), [](const std::string &text) {
            if (const auto typed = inferTypes(parseNet(text, "m.net").module); !typed) throw Error(typed.why());
        });
        row("workload",
            ofText("workload w(N = 4)\nA = placeholder [N, 8] float32\nB(i < N) = sum(A[i, k]*2.0, k < 8)\n"),
            [](const std::string &text) { (void)parseWorkload(text, "w.te"); });
        const DagPtr dag = matmulDag(64, 64, 64);
        row("script", ofText(kScript), [dag](const std::string &text) {
            const AppliedScript applied = applyScript(dag, text);
            if (applied.problem) throw Error(applied.problem->text("s.sched"));
        });
        row("bundle", ofBundle(), [this](const std::string &text) { (void)readBundle(stored("bundle.json", text)); });
        row("picture", ofPicture(), [this](const std::string &text) { (void)readPng(stored("p.png", text)); });
        row("array", ofText(npyBytes(HostTensor::zeros(DType::Float32, {2, 3}))),
            [](const std::string &text) { (void)npyFromBytes("a.npy", text); });
    }
    void endInSentences() {
        QFETCH(Change, change);
        QFETCH(Read, read);
        const uint64_t seed = qEnvironmentVariableIntValue("LOOPSCOPE_FUZZ_SEED") + 1;
        const uint64_t count = longTest() ? 5000 : 200;
        uint64_t refused = 0;
        for (uint64_t i = 0; i < count; ++i) {
            Random random(seed, i);
            const std::string text = change(random);
            QElapsedTimer timer;
            timer.start();
            const QByteArray which = QByteArray::number(i) + ": " + QByteArray::fromStdString(text).left(2000);
            try {
                read(text);
            } catch (const Error &error) {
                ++refused;
                if (const QString wrong = wrongSentence(error.what()); !wrong.isEmpty())
                    QFAIL(qPrintable(wrong + "\n" + which));
            } catch (const std::exception &error) {
                QFAIL(error.what() + QByteArray("\n") + which);
            }
            QVERIFY2(timer.elapsed() < kSlowest, which);
        }
        QVERIFY2(refused > count / 5, QByteArray::number(refused)); // they change something
    }
};

LOOPSCOPE_TEST(MutatedFilesTest)
#include "mutated_files_test.moc"
