// Archives that are cut off, damaged or followed by anything: what can be read of them is read, the rest is told in one
// sentence, and the index and the loader agree. Nothing crashes, hangs or keeps memory. LOOPSCOPE_FUZZ_SEED gives other
// archives, LOOPSCOPE_FUZZ_ARCHIVE the one that failed, LOOPSCOPE_FUZZ_COUNT more or fewer; with LOOPSCOPE_LONG_TESTS a
// million are unpacked.

#include "base/outcome.h"
#include "base/random.h"
#include "generated_log.h"
#include "log_lines.h"
#include "packed_text.h"
#include "records/logs/log_document.h"
#include "records/record/record.h"
#include "records/record/unpacker.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

using namespace loopscope;

namespace {

constexpr uint64_t kSeed = 20261123;
constexpr double kMaxGrowth = 64; // MiB
constexpr size_t kMaxText = size_t{64} << 20;

double residentMebibytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        double kibibytes = 0;
        if (word == "VmRSS:" && status >> kibibytes) return kibibytes / 1024;
    }
    return 0;
}

int countFor(int few, int many) {
    if (const int wanted = qEnvironmentVariableIntValue("LOOPSCOPE_FUZZ_COUNT"); wanted > 0) return wanted;
    return qEnvironmentVariableIntValue("LOOPSCOPE_LONG_TESTS") > 0 ? many : few;
}

struct Archive {
    std::string text;         // that was packed
    std::vector<size_t> ends; // of its parts
    std::string packed;       // and then damaged
    bool cut = false;         // and nothing else
};

class Archives {
  public:
    Archives() {
        bool other = false;
        const int asked = qEnvironmentVariableIntValue("LOOPSCOPE_FUZZ_SEED", &other);
        m_seed = other ? static_cast<uint64_t>(asked) : kSeed;
        for (size_t i = 0; i < m_lines.size(); ++i) m_lines[i] = GeneratedLog(5).lines(i * 13);
    }

    [[nodiscard]] Archive archive(uint64_t number) const {
        Random random(m_seed, number);
        Archive archive;
        const bool zstd = random.below(2) != 0;
        for (uint64_t parts = 1 + random.below(2); parts > 0; --parts) {
            std::string part;
            for (uint64_t i = random.below(6); i > 0; --i) part += m_lines[random.index(m_lines.size())];
            archive.packed += packed(zstd, part);
            archive.text += part;
            archive.ends.push_back(archive.text.size());
        }
        damage(archive, random);
        return archive;
    }

  private:
    void damage(Archive &archive, Random &random) const {
        std::string &bytes = archive.packed;
        switch (random.below(6)) {
        case 0:
            bytes.resize(random.index(bytes.size() + 1));
            archive.cut = true;
            break;
        case 1:
            for (uint64_t i = 1 + random.below(4); i > 0; --i)
                bytes[random.index(bytes.size())] = static_cast<char>(random.below(256));
            break;
        case 2:
            bytes.erase(random.index(bytes.size()), 1 + random.below(40));
            break;
        case 3: // the head, where lengths and windows stand
            bytes[random.below(std::min<size_t>(bytes.size(), 14))] = static_cast<char>(random.below(256));
            break;
        case 4:
            bytes.insert(random.index(bytes.size() + 1), packed(random.below(2) != 0, m_lines[random.index(8)]));
            break;
        default:
            for (uint64_t i = random.below(64); i > 0; --i) bytes += static_cast<char>(random.below(256));
        }
    }

    uint64_t m_seed = 0;
    std::array<std::string, 64> m_lines;
};

/// All text of it, and why there is no more.
std::string unpacked(const std::string &bytes, size_t piece, std::string &problem) {
    const auto unpacker = Unpacker::make(packingOf(bytes.substr(0, 4)));
    if (!unpacker) return bytes;
    std::string text;
    const auto take = [&](std::string_view some) {
        if (text.size() < kMaxText) text += some;
    };
    for (size_t at = 0; at < bytes.size(); at += piece)
        if (!unpacker->add(std::string_view(bytes).substr(at, piece), take)) break;
    problem = unpacker->problem();
    return text;
}

} // namespace

class ArchiveFuzzTest : public QObject {
    Q_OBJECT

    const Archives m_archives;

  private slots:
    /// In one piece or in many, the same comes out.
    void unpacksWhatThereIs() {
        bool one = false;
        const int only = qEnvironmentVariableIntValue("LOOPSCOPE_FUZZ_ARCHIVE", &one);
        const int count = countFor(4'000, 1'000'000);
        size_t whole = 0;
        size_t told = 0;
        double memory = 0;
        for (int n = one ? only : 0; n < (one ? only + 1 : count); ++n) {
            const Archive archive = m_archives.archive(static_cast<uint64_t>(n));
            std::string problem;
            const std::string text = unpacked(archive.packed, SIZE_MAX, problem);
            if (archive.cut && packingOf(archive.packed) != Packing::None && !archive.text.starts_with(text))
                QFAIL(fmt::format("archive {}: what was read of a cut archive is not what it began with", n).c_str());
            if (archive.cut && problem.empty() && packingOf(archive.packed) != Packing::None &&
                std::ranges::find(archive.ends, text.size()) == archive.ends.end())
                QFAIL(fmt::format("archive {}: nobody said that it was cut off", n).c_str());
            if (n % 4 == 0) {
                std::string again;
                const size_t piece = 1 + static_cast<size_t>(n) % 97;
                const std::string same = unpacked(archive.packed, piece, again);
                // The libraries may see damage only in one of the two, and hand on a damaged block in part.
                if (problem.empty() && again.empty() && same != text)
                    QFAIL(fmt::format("archive {}: in pieces of {}: {} bytes, {}; in one: {} bytes, {}", n, piece,
                                      same.size(), again, text.size(), problem)
                              .c_str());
            }
            ++(problem.empty() ? whole : told);
            if (n == count / 10) memory = residentMebibytes();
        }
        if (one) return;
        QVERIFY2(whole > static_cast<size_t>(count) / 20, std::to_string(whole).c_str());
        QVERIFY2(told > static_cast<size_t>(count) / 3, std::to_string(told).c_str());
        [[maybe_unused]] const double growth = residentMebibytes() - memory;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they keep what is given back
        QVERIFY2(growth < kMaxGrowth, fmt::format("{} MiB more", growth).c_str());
#endif
    }

    void opensThemAsTheLoaderDoes() {
        bool one = false;
        const int only = qEnvironmentVariableIntValue("LOOPSCOPE_FUZZ_ARCHIVE", &one);
        const int count = countFor(150, 20'000);
        size_t records = 0;
        TestLog file("");
        for (int n = one ? only : 0; n < (one ? only + 1 : count); ++n) {
            file.replace(m_archives.archive(static_cast<uint64_t>(n)).packed);
            const LogDocument log = LogDocument::open(file.path());
            const RecordLog loaded = loadRecordLog(file.path());
            const std::string place = fmt::format("archive {}", n);
            QVERIFY2(log.size() == loaded.records.size(), place.c_str());
            QVERIFY2(log.unreadable().size() == loaded.skipped.size(), place.c_str());
            for (size_t i = 0; i < loaded.skipped.size(); ++i) {
                QVERIFY2(log.unreadable()[i].line == loaded.skipped[i].line, place.c_str());
                QCOMPARE(log.unreadable()[i].reason, loaded.skipped[i].reason);
            }
            for (size_t i = 0; i < log.size(); ++i) QCOMPARE(log.record(i).line, loaded.records[i].line);
            records += log.size();
        }
        QVERIFY(one || records > static_cast<size_t>(count) / 4);
    }
};

LOOPSCOPE_TEST(ArchiveFuzzTest)
#include "archive_fuzz_test.moc"
