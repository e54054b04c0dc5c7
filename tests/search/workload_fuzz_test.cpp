// Broken and odd workloads all the way from the text to a lowered schedule: whatever is made of a good file by changing
// bytes, tokens and numbers, and by splicing two files, is taken or refused with a sentence, in bounded time and
// memory.
//
// LOOPSCOPE_LONG_TESTS runs ten thousand, LOOPSCOPE_FIRST=n starts at stream n (the number a failure names).

#include "base/isolate/sandbox.h"
#include "base/random.h"
#include "codegen/lower/lower.h"
#include "harness/ordered_dags.h"
#include "language/dag/compute_dag.h"
#include "language/te/workload.h"
#include "search/annotate/annotate_rule.h"
#include "search/sketch/sketch.h"
#include "test_program.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QtTest>
#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>
#include <thread>

using namespace loopscope;

namespace {

/// Ends the test when one stream comes to no end, and says which: a hang has no exception.
class Watchdog {
  public:
    Watchdog() : m_thread([this] { watch(); }) {}
    ~Watchdog() {
        m_done = true;
        m_thread.join();
    }
    void begin(uint64_t stream) {
        m_stream = stream;
        m_beats = 0;
    }

  private:
    void watch() {
        using namespace std::chrono_literals;
        while (!m_done) {
            std::this_thread::sleep_for(100ms);
            if (++m_beats < 10 * kSeconds) continue;
            std::fprintf(stderr, "stream %llu comes to no end\n", static_cast<unsigned long long>(m_stream.load()));
            std::abort();
        }
    }
    static constexpr int kSeconds = 120; // of a busy machine; the slowest stream takes two alone
    std::atomic<bool> m_done{false};
    std::atomic<uint64_t> m_stream{0};
    std::atomic<int> m_beats{0};
    std::thread m_thread;
};

struct Piece {
    size_t at;
    size_t size;
};

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

/// Words, numbers and single other characters; blanks are no pieces.
std::vector<Piece> piecesOf(const std::string &text) {
    std::vector<Piece> pieces;
    for (size_t i = 0; i < text.size();) {
        size_t end = i + 1;
        if (isWordCharacter(text[i]))
            while (end < text.size() && isWordCharacter(text[end])) ++end;
        if (std::isspace(static_cast<unsigned char>(text[i])) == 0) pieces.push_back({i, end - i});
        i = end;
    }
    return pieces;
}

const char *const kNumbers[] = {"0",
                                "1",
                                "2",
                                "3",
                                "7",
                                "64",
                                "-1",
                                "-4",
                                "2039",
                                "65536",
                                "2147483647",
                                "4294967296",
                                "9223372036854775807",
                                "0.5",
                                "1e38",
                                "1e-45",
                                "inf(float32)"};
/// Words of one kind, of which one may stand for another.
const std::vector<std::vector<std::string>> kKinds = {
    {"+", "-", "*", "/", "//", "%", "<", "&&", "=="},
    {"float16", "float32", "float64", "bfloat16", "int8", "uint8", "int32", "int64", "bool"},
    {"min", "max", "sum", "prod", "exp", "tanh", "sqrt", "abs", "sigmoid", "floor", "select", "if_then_else", "let",
     "scan"},
    {"at", "where", "from"},
    {"(", ")", "[", "]", "<", "=", ",", ";", "@"}};

class Mutator {
  public:
    explicit Mutator(std::vector<std::string> texts) : m_texts(std::move(texts)) {}

    [[nodiscard]] std::string make(Random &random) const {
        std::string text = any(random);
        for (size_t edits = 1 + random.index(4) / 3; edits > 0 && !text.empty(); --edits) edit(text, random);
        return text;
    }

  private:
    [[nodiscard]] const std::string &any(Random &random) const { return m_texts[random.index(m_texts.size())]; }

    /// Lines of another file, from one of its own on.
    void splice(std::string &text, Random &random) const {
        const std::string &other = any(random);
        const size_t from = other.find('\n', random.index(other.size()));
        const size_t into = text.find('\n', random.index(text.size()));
        if (from == std::string::npos || into == std::string::npos) return;
        text.insert(into, other.substr(from, 20 + random.index(200)));
    }

    void edit(std::string &text, Random &random) const {
        const std::vector<Piece> pieces = piecesOf(text);
        if (pieces.empty()) return;
        const Piece piece = pieces[random.index(pieces.size())];
        // Numbers and words of one kind most, since what results is still a workload.
        constexpr std::array<int, 14> kinds = {0, 1, 2, 3, 4, 4, 4, 4, 5, 5, 5, 6, 6, 7};
        switch (kinds[random.index(kinds.size())]) {
        case 0: // a byte
            text[random.index(text.size())] = static_cast<char>(random.index(256));
            return;
        case 1: // a piece is lost
            text.erase(piece.at, piece.size);
            return;
        case 2: // or comes twice
            text.insert(piece.at, text.substr(piece.at, piece.size) + " ");
            return;
        case 3: // or stands elsewhere
            text.insert(pieces[random.index(pieces.size())].at, " " + text.substr(piece.at, piece.size) + " ");
            return;
        case 4: {
            for (size_t tries = 0; tries < pieces.size(); ++tries) {
                const Piece number = pieces[random.index(pieces.size())];
                if (std::isdigit(static_cast<unsigned char>(text[number.at])) == 0) continue;
                text.replace(number.at, number.size, kNumbers[random.index(std::size(kNumbers))]);
                return;
            }
            return;
        }
        case 5:
            for (size_t tries = 0; tries < 20; ++tries) {
                const Piece word = pieces[random.index(pieces.size())];
                const std::string old = text.substr(word.at, word.size);
                for (const auto &kind : kKinds) {
                    if (std::find(kind.begin(), kind.end(), old) == kind.end()) continue;
                    text.replace(word.at, word.size, kind[random.index(kind.size())]);
                    return;
                }
            }
            return;
        case 6: { // one name for another, both of this file
            const Piece other = pieces[random.index(pieces.size())];
            const std::string name = text.substr(other.at, other.size);
            text.replace(piece.at, piece.size, name);
            return;
        }
        default:
            splice(text, random);
        }
    }

    std::vector<std::string> m_texts;
};

enum class End : uint8_t { NoWorkload, NoSchedule, Lowered };

/// Load, order, derive sketches, draw one schedule, lower it. Throws what the parts throw.
End runThrough(const std::string &text, const Target &target, Random &random, Scratch &scratch) {
    DagPtr dag;
    try {
        dag = ComputeDag::fromWorkload(parseWorkload(text, "mutated.te"));
    } catch (const Error &refused) {
        if (std::string(refused.what()).empty()) throw std::logic_error("a refusal without a sentence");
        return End::NoWorkload;
    }
    (void)dag->key();
    (void)dag->flops();
    const SearchOptions options;
    const std::vector<Sketch> sketches = generateSketches(dag, target, options.sketch);
    if (sketches.empty()) return End::NoSchedule;
    const AnnotateContext context{target, options, random, scratch};
    const auto state = annotate(context, sketches[random.index(sketches.size())].state);
    if (!state) return End::NoSchedule;
    const auto program = lower(*state, target);
    return program ? End::Lowered : End::NoSchedule;
}

} // namespace

class WorkloadFuzzTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() {
        // What takes more fails at once, as std::bad_alloc.
        if (!kMemoryCanBeLimited) return;
        const rlimit limit{rlim_t{2} << 30, rlim_t{2} << 30};
        ::setrlimit(RLIMIT_DATA, &limit);
    }

    void everyTextIsTakenOrRefused() {
        std::vector<std::string> texts;
        const QDir samples(QString(LOOPSCOPE_SOURCE_DIR) + "/samples");
        for (const QString &name : samples.entryList({"*.te"}, QDir::Files, QDir::Name)) {
            QFile file(samples.filePath(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            texts.push_back(file.readAll().toStdString());
        }
        QVERIFY(texts.size() > 20);
        for (const std::string &text : orderedTexts()) texts.push_back(text);
        for (const char *name : {"iir_blur", "histogram_equalize", "bilateral_grid"}) {
            QFile file(samples.filePath(QString("pipelines/%1.te").arg(name)));
            QVERIFY(file.open(QIODevice::ReadOnly));
            texts.push_back(file.readAll().toStdString());
        }
        const Mutator mutator(std::move(texts));
        const Target target = parseTarget("llvm -mcpu=x86-64-v3 -num-cores=4");
        Scratch scratch;
        Watchdog watchdog;
        const uint64_t first = qEnvironmentVariableIntValue("LOOPSCOPE_FIRST");
        const uint64_t count = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? 10000 : 500;
        size_t ends[3] = {};
        qint64 slowest = 0;
        uint64_t slowestStream = 0;
        for (uint64_t stream = first; stream < first + count; ++stream) {
            watchdog.begin(stream);
            Random random(20240607, stream);
            const std::string text = mutator.make(random);
            QElapsedTimer timer;
            timer.start();
            try {
                ++ends[static_cast<size_t>(runThrough(text, target, random, scratch))];
            } catch (const Error &refused) {
                ++ends[static_cast<size_t>(End::NoSchedule)];
                QVERIFY2(!std::string(refused.what()).empty(), text.c_str());
            } catch (const std::exception &other) {
                QFAIL(qPrintable(QString("stream %1: %2\n%3")
                                     .arg(stream)
                                     .arg(QString::fromUtf8(other.what()), QString::fromStdString(text))));
            }
            if (timer.elapsed() > slowest) {
                slowest = timer.elapsed();
                slowestStream = stream;
            }
        }
        qInfo("%zu no workload, %zu no schedule, %zu lowered; the slowest, stream %llu, took %lld ms", ends[0], ends[1],
              ends[2], static_cast<unsigned long long>(slowestStream), static_cast<long long>(slowest));
        if (first > 0) return;
        QVERIFY(ends[0] > count / 10);
        QVERIFY(ends[2] > count / 8); // many are still workloads, so that the later parts are reached
    }
};

LOOPSCOPE_TEST(WorkloadFuzzTest)
#include "workload_fuzz_test.moc"
