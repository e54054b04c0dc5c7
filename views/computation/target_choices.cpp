#include "views/computation/target_choices.h"

#include "base/outcome.h"
#include "language/target/detected_gpu.h"
#include "language/target/gpu_presets.h"
#include "views/session/text.h"

#include <QStringList>

#include <algorithm>
#include <iterator>
#include <limits>

namespace loopscope {

namespace {

constexpr int64_t kKiB = 1024;
constexpr int64_t kMost = std::numeric_limits<int>::max();

bool names(const QString &word, const QString &attribute) {
    const QString dashed = u'-' + attribute;
    return word == dashed || word.startsWith(dashed + u'=') || word == u'-' + dashed ||
           word.startsWith(u'-' + dashed + u'=');
}

QStringList wordsOf(const QString &text) { return text.simplified().split(u' ', Qt::SkipEmptyParts); }

/// Where an attribute begins, and how many words it has (`-name value` has two); no words: it is not there.
std::pair<qsizetype, qsizetype> placeOf(const QStringList &words, const QString &attribute) {
    for (qsizetype i = 1; i < words.size(); ++i) {
        if (!names(words[i], attribute)) continue;
        const bool apart = !words[i].contains(u'=') && i + 1 < words.size() && !words[i + 1].startsWith(u'-');
        return {i, apart ? 2 : 1};
    }
    return {0, 0};
}

std::vector<TargetFigure> gpuFigures() {
    return {
        {"num-multiprocessors", "Multiprocessors", "", "How many blocks' worth of hardware there is", 1, 1024, 1,
         [](const Target &t) { return int64_t{t.gpu.multiprocessors}; }},
        {"max_threads_per_block", "Threads a block", "", "Most threads of a block", 32, 1024, 32,
         [](const Target &t) { return int64_t{t.hardware.maxThreadsPerBlock}; }},
        {"max_shared_memory_per_block", "Shared memory a block", " B",
         "Most bytes of shared memory of a block. 48 KiB are always there, and what Ansor's search keeps to; more is "
         "asked "
         "for at the launch, up to what the GPU gives a block (99 KiB on sm_86, 163 KiB on sm_80, 227 KiB on sm_90)",
         1024, kKiB * kKiB, 1024, [](const Target &t) { return int64_t{t.hardware.maxSharedMemoryPerBlock}; }},
        {"max_shared_memory_per_multiprocessor", "Shared memory a multiprocessor", " B",
         "Bytes of shared memory of a multiprocessor, which its blocks divide among them", 1024, kKiB * kKiB, 1024,
         [](const Target &t) { return t.gpu.sharedPerMultiprocessor; }},
        {"max_threads_per_multiprocessor", "Threads a multiprocessor", "", "Most threads of a multiprocessor at once",
         32, 4096, 32, [](const Target &t) { return int64_t{t.gpu.threadsPerMultiprocessor}; }},
        {"max_blocks_per_multiprocessor", "Blocks a multiprocessor", "", "Most blocks of a multiprocessor at once", 1,
         64, 1, [](const Target &t) { return int64_t{t.gpu.blocksPerMultiprocessor}; }},
        {"registers_per_multiprocessor", "Registers a multiprocessor", "", "32-bit registers of a multiprocessor", 1024,
         kKiB * kKiB, 1024, [](const Target &t) { return int64_t{t.gpu.registersPerMultiprocessor}; }},
        {"max_registers_per_thread", "Registers a thread", "", "Most 32-bit registers of a thread", 16, 255, 1,
         [](const Target &t) { return int64_t{t.gpu.registersPerThread}; }},
        {"clock_mhz", "Clock", " MHz", "Of the multiprocessors", 100, 10000, 5,
         [](const Target &t) { return static_cast<int64_t>(t.gpu.clockGHz * 1000 + 0.5); }},
        {"memory_gb_per_s", "Memory", " GB/s", "Bandwidth of global memory", 1, 100000, 10,
         [](const Target &t) { return static_cast<int64_t>(t.gpu.memoryGBs + 0.5); }},
        {"l2_cache_size_bytes", "L2 cache", " B", "Bytes that all multiprocessors share", 1024, kMost, 1024 * 1024,
         [](const Target &t) { return t.l2Bytes; }},
    };
}

} // namespace

std::vector<TargetChoice> targetChoices(const QString &current) {
    std::vector<TargetChoice> choices;
    choices.push_back({QStringLiteral("This machine's processor (llvm)"), QStringLiteral("llvm"),
                       QStringLiteral("Machine code through LLVM for the processor of this machine")});
    if (const auto gpu = detectGpu())
        choices.push_back({QStringLiteral("This machine's GPU: %1").arg(qt(gpu->name)),
                           QStringLiteral("cuda -arch=native"), QStringLiteral("As its driver describes it")});
    choices.push_back({});
    const auto presets = gpuPresets();
    for (auto preset = std::make_reverse_iterator(presets.end()); preset != std::make_reverse_iterator(presets.begin());
         ++preset)
        choices.push_back({QStringLiteral("%1 (%2)").arg(qt(preset->title), qt(preset->arch)),
                           QStringLiteral("cuda -model=%1").arg(qt(preset->name)),
                           QStringLiteral("%1 multiprocessors at %2 GHz, %3 GB/s")
                               .arg(preset->multiprocessors)
                               .arg(preset->clockGHz)
                               .arg(preset->memoryGBs)});
    if (choiceOf(choices, current) < 0 && !current.trimmed().isEmpty()) {
        choices.insert(choices.begin(), TargetChoice{});
        choices.insert(choices.begin(), {current.simplified(), current, QStringLiteral("As it is written")});
    }
    return choices;
}

int choiceOf(const std::vector<TargetChoice> &choices, const QString &text) {
    const QStringList words = wordsOf(text);
    const auto exact = std::find_if(choices.begin(), choices.end(), [&](const TargetChoice &choice) {
        return !choice.name.isEmpty() && wordsOf(choice.text) == words;
    });
    if (exact != choices.end()) return static_cast<int>(exact - choices.begin());
    const auto [at, count] = placeOf(words, QStringLiteral("model"));
    if (count == 0 || words.isEmpty() || words.front() != QLatin1String("cuda")) return -1;
    const QString model = count == 2 ? words[at + 1] : words[at].section(u'=', 1);
    const GpuPreset *preset = findGpuPreset(std8(model));
    if (preset == nullptr) return -1;
    const QString own = QStringLiteral("cuda -model=%1").arg(qt(preset->name));
    const auto found =
        std::find_if(choices.begin(), choices.end(), [&](const TargetChoice &choice) { return choice.text == own; });
    return found == choices.end() ? -1 : static_cast<int>(found - choices.begin());
}

std::vector<TargetFigure> targetFigures(const Target &target) {
    if (target.isGpu()) return gpuFigures();
    return {{"num-cores", "Cores", "", "How many cores parallel loops may use", 1, 4096, 1,
             [](const Target &t) { return int64_t{t.hardware.numCores}; }}};
}

QString withAttribute(const QString &text, const QString &attribute, const QString &value) {
    QStringList words = wordsOf(text);
    const auto [at, count] = placeOf(words, attribute);
    for (qsizetype i = 0; i < count; ++i) words.removeAt(at);
    if (!value.isNull()) words.insert(count > 0 ? at : words.size(), QStringLiteral("-%1=%2").arg(attribute, value));
    return words.join(u' ');
}

bool hasAttribute(const QString &text, const QString &attribute) {
    return placeOf(wordsOf(text), attribute).second > 0;
}

QString targetProblem(const QString &text) {
    try {
        parseTarget(std8(text));
    } catch (const Error &error) {
        return qt(error.what());
    }
    return {};
}

} // namespace loopscope
