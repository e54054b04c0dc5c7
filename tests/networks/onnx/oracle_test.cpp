// Every operator against answers from outside: with LOOPSCOPE_ORACLE the cases that packaging/test-peers asks ONNX
// Runtime and those of the onnx package, whose differences are told of in oracle/differences.json; without it the
// fixtures that are kept of them. Environment: LOOPSCOPE_ORACLE_ONLY=PATTERN of names, LOOPSCOPE_ORACLE_WAY=reference
// alone (seconds; kernels take minutes), LOOPSCOPE_ORACLE_REPORT=FILE for the counts.

#include "conformance_cases.h"
#include "network_answers.h"
#include "oracle_cases.h"
#include "test_program.h"

#include <QTest>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

using namespace loopscope;

namespace {

#ifdef LOOPSCOPE_ORACLE
constexpr bool kAsksOthers = true;
#else
constexpr bool kAsksOthers = false;
#endif
constexpr const char *kFolder = LOOPSCOPE_SOURCE_DIR "/tests/networks/onnx/oracle/";

Outcome<std::vector<HostTensor>> compatible(const Module &module, std::span<const HostTensor> inputs) {
    return byKernels(module, inputs, FusionMode::Compatible);
}
Outcome<std::vector<HostTensor>> better(const Module &module, std::span<const HostTensor> inputs) {
    return byKernels(module, inputs, FusionMode::Better);
}

struct Way {
    const char *name;
    Outcome<std::vector<HostTensor>> (*compute)(const Module &module, std::span<const HostTensor> inputs);
};
constexpr Way kWays[] = {{"reference", byReference}, {"kernels", compatible}, {"fused kernels", better}};

/// Of the cases of one operator and type.
struct Count {
    int cases = 0;
    int refused = 0;
    std::map<std::string, int> different; // by way
};

class Tally {
  public:
    explicit Tally(std::vector<KnownDifference> known) : m_known(std::move(known)) {}

    Count &operator[](const std::string &key) { return m_counts[key]; }
    /// Counts it; says so where no row of the table does.
    void tell(Count &count, const std::string &name, const std::string &way, const std::string &sentence) {
        ++count.different[way];
        if (const KnownDifference *row = findDifference(m_known, name, way, sentence)) {
            ++m_right[row->right];
            return;
        }
        m_unknown.push_back(fmt::format("{}, {}: {}", name, way, sentence));
    }
    [[nodiscard]] const std::vector<std::string> &unknown() const { return m_unknown; }
    [[nodiscard]] std::vector<std::string> stale() const {
        std::vector<std::string> rows;
        for (const KnownDifference &row : m_known)
            if (row.met == 0) rows.push_back(row.cases + ": " + row.why);
        return rows;
    }
    [[nodiscard]] std::string report() const {
        std::string text = "| operator and type | cases | refused | reference differs | kernels differ |\n"
                           "|---|---|---|---|---|\n";
        Count all;
        const auto line = [&](const std::string &key, const Count &of) {
            const auto by = [&](const char *way) {
                const auto at = of.different.find(way);
                return at == of.different.end() ? 0 : at->second;
            };
            text += fmt::format("| {} | {} | {} | {} | {} |\n", key, of.cases, of.refused, by("reference"),
                                by("kernels") + by("fused kernels"));
        };
        for (const auto &[key, of] : m_counts) {
            line(key, of);
            all.cases += of.cases;
            all.refused += of.refused;
            for (const auto &[way, count] : of.different) all.different[way] += count;
        }
        line("all", all);
        for (const auto &[right, count] : m_right) text += fmt::format("\nin the table, {} right: {}", right, count);
        return text + fmt::format("\nnot in the table: {}\n{}\n", m_unknown.size(), fmt::join(m_unknown, "\n"));
    }

  private:
    std::vector<KnownDifference> m_known;
    std::map<std::string, Count> m_counts;
    std::map<std::string, int> m_right;
    std::vector<std::string> m_unknown;
};

bool wantedWay(const char *way) {
    const char *only = std::getenv("LOOPSCOPE_ORACLE_WAY");
    return only == nullptr || std::string_view(only) == way;
}

/// What import says, or what each way computes that is not wanted.
void runCase(const OracleCase &of, Tally &tally) {
    const size_t type = of.name.find('/', of.name.find('/') + 1) + 1;
    Count &count = tally[of.op() + " " + of.name.substr(type, of.name.find('/', type) - type)];
    ++count.cases;
    const ImportResult imported = importOnnxBytes(std::as_bytes(std::span(of.model)));
    if (!imported.module) {
        std::string why;
        for (const OnnxProblem &problem : imported.problems) why += problemText(problem) + "; ";
        if (!of.refused.empty() && why.find(of.refused) != std::string::npos) return;
        ++count.refused;
        tally.tell(count, of.name, "import", why);
        return;
    }
    const Module &module = *imported.module;
    std::vector<HostTensor> inputs;
    for (const ValueId parameter : module.main().parameters())
        inputs.push_back(of.inputs.at(module.main().value(parameter).name));
    for (const Way &way : kWays) {
        if (!wantedWay(way.name)) continue;
        // Of one operator there is nothing to fuse.
        if (way.compute == better && module.main().nodeCount() < 2 && imported.module->functions.size() == 1) continue;
        const auto computed = way.compute(module, inputs);
        std::string sentence;
        if (!of.refused.empty())
            sentence = computed.ok()                                          ? "is not refused"
                       : computed.why().find(of.refused) == std::string::npos ? "is refused: " + computed.why()
                                                                              : "";
        else
            sentence = computed.ok() ? difference(of, *computed) : "is refused: " + computed.why();
        if (!sentence.empty()) tally.tell(count, of.name, way.name, sentence);
    }
}

bool wanted(const std::string &name) {
    const char *only = std::getenv("LOOPSCOPE_ORACLE_ONLY");
    return only == nullptr || matches(only, name);
}

void finish(const Tally &tally, bool whole) {
    if (const char *report = std::getenv("LOOPSCOPE_ORACLE_REPORT")) std::ofstream(report) << tally.report();
    for (const std::string &each : tally.unknown()) qInfo("%s", each.c_str());
    QVERIFY2(tally.unknown().empty(),
             fmt::format("{} differences are not in the table, the first: {}", tally.unknown().size(),
                         tally.unknown().empty() ? "" : tally.unknown().front())
                 .c_str());
    const std::vector<std::string> stale = tally.stale();
    if (whole)
        QVERIFY2(stale.empty(),
                 fmt::format("rows of the table that no case meets: {}", fmt::join(stale, "\n")).c_str());
}

} // namespace

class OnnxOracleTest : public QObject {
    Q_OBJECT

  private slots: // moc reads them once for both programs
    void everyOperator() {
        if (!kAsksOthers) return;
        const std::string path = LOOPSCOPE_SOURCE_DIR "/build/peers/oracle/cases.jsonl";
        if (!std::filesystem::exists(path)) QSKIP("there are no answers of ONNX Runtime; packaging/test-peers asks it");
        Tally tally(readDifferences(std::string(kFolder) + "differences.json"));
        for (const OracleCase &of : readOracleCases(path))
            if (wanted(of.name)) runCase(of, tally);
        finish(tally,
               std::getenv("LOOPSCOPE_ORACLE_ONLY") == nullptr && std::getenv("LOOPSCOPE_ORACLE_WAY") == nullptr);
    }
    void everyNodeOfThePackage() {
        if (!kAsksOthers) return;
        const std::string folder = LOOPSCOPE_SOURCE_DIR "/build/peers/oracle";
        const auto cases = conformanceCases({"node"}, folder);
        if (cases.empty()) QSKIP("there are no cases of the onnx package; packaging/test-peers writes them");
        const std::vector<std::string> known = importedOperators();
        Tally tally(readDifferences(std::string(kFolder) + "node_differences.json"));
        for (const ConformanceCase &of : cases) {
            if (!wanted(of.name)) continue;
            Count &count = tally[std::all_of(of.operators.begin(), of.operators.end(),
                                             [&](const std::string &op) {
                                                 return std::binary_search(known.begin(), known.end(), op);
                                             })
                                     ? "operators that are known"
                                     : "others"];
            ++count.cases;
            for (const Way &way : kWays) {
                if (!wantedWay(way.name)) continue;
                const CaseResult result = runCase(of, way.compute);
                if (result.kind == CaseResult::Kind::Passed) continue;
                count.refused += result.kind == CaseResult::Kind::Refused ? 1 : 0;
                tally.tell(count, of.name, result.kind == CaseResult::Kind::Refused ? "import" : way.name, result.why);
                if (result.kind == CaseResult::Kind::Refused) break;
            }
        }
        finish(tally,
               std::getenv("LOOPSCOPE_ORACLE_ONLY") == nullptr && std::getenv("LOOPSCOPE_ORACLE_WAY") == nullptr);
    }
    void fixtures() {
        if (kAsksOthers) return;
        Tally tally({});
        for (const OracleCase &of : readOracleCases(std::string(kFolder) + "fixtures.jsonl"))
            if (wanted(of.name)) runCase(of, tally);
        finish(tally, true);
    }
};

LOOPSCOPE_TEST(OnnxOracleTest)
#include "oracle_test.moc"
