#include "views/start_page/sample_list.h"

#include "language/te/workload.h"
#include "views/session/network_contents.h"
#include "views/session/samples.h"
#include "views/session/text.h"
#include "views/start_page/network_stamp.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <array>
#include <exception>

namespace loopscope {

namespace {

struct KindRule {
    const char *word; // in the file's name
    const char *kind;
};

/// The first word found decides, so the special stands before the general.
constexpr std::array kRules{KindRule{"winograd", "Winograd"},
                            KindRule{"depthwise", "Depthwise convolution"},
                            KindRule{"conv2d_transpose", "Transposed convolution"},
                            KindRule{"capsule", "Convolution"},
                            KindRule{"conv", "Convolution"},
                            KindRule{"matmul", "Matrix multiplication"},
                            KindRule{"dense", "Matrix multiplication"},
                            KindRule{"pool", "Pooling"},
                            KindRule{"softmax", "Normalisation"},
                            KindRule{"norm", "Normalisation"},
                            KindRule{"reduce", "Reduction"},
                            KindRule{"argmax", "Reduction"},
                            KindRule{"elementwise", "Elementwise and layout"},
                            KindRule{"broadcast", "Elementwise and layout"},
                            KindRule{"gather", "Elementwise and layout"},
                            KindRule{"concat", "Elementwise and layout"},
                            KindRule{"transpose", "Elementwise and layout"},
                            KindRule{"pad", "Elementwise and layout"}};

/// In the order of the page; what no rule names comes last.
const QStringList &kindOrder() {
    static const QStringList order{QStringLiteral("Networks"),
                                   QStringLiteral("Matrix multiplication"),
                                   QStringLiteral("Convolution"),
                                   QStringLiteral("Depthwise convolution"),
                                   QStringLiteral("Transposed convolution"),
                                   QStringLiteral("Winograd"),
                                   QStringLiteral("Pooling"),
                                   QStringLiteral("Normalisation"),
                                   QStringLiteral("Reduction"),
                                   QStringLiteral("Elementwise and layout"),
                                   QStringLiteral("Image pipelines"),
                                   QStringLiteral("Other")};
    return order;
}

QFileInfoList filesIn(const QString &folder, const QString &suffix) {
    return QDir(folder).entryInfoList({QStringLiteral("*.") + suffix}, QDir::Files, QDir::Name);
}

const QString kNetworkSuffix = QStringLiteral("net");

Sample sampleOf(const QFileInfo &info, const QString &kind) {
    Sample sample;
    sample.path = info.absoluteFilePath();
    sample.name = info.completeBaseName();
    sample.kind = kind;
    QFile file(sample.path);
    if (!file.open(QIODevice::ReadOnly)) return sample;
    const QString line = QString::fromUtf8(file.readLine(400)).trimmed();
    if (line.startsWith(u'#')) sample.comment = line.mid(1).section(QStringLiteral(" Small: "), 0, 0).trimmed();
    return sample;
}

} // namespace

QString sampleKind(const QString &name) {
    for (const KindRule &rule : kRules)
        if (name.contains(QLatin1String(rule.word))) return QLatin1String(rule.kind);
    return kindOrder().back();
}

std::vector<Sample> readSamples(const QString &folder) {
    if (folder.isEmpty()) return {};
    std::vector<Sample> samples;
    for (const QFileInfo &info : filesIn(folder, QStringLiteral("te")))
        samples.push_back(sampleOf(info, sampleKind(info.completeBaseName())));
    // Whatever their names have in common with operators.
    for (const QFileInfo &info : filesIn(pipelinesIn(folder), QStringLiteral("te")))
        samples.push_back(sampleOf(info, QStringLiteral("Image pipelines")));
    for (const QFileInfo &info : filesIn(networksIn(folder), kNetworkSuffix))
        samples.push_back(sampleOf(info, QStringLiteral("Networks")));
    std::stable_sort(samples.begin(), samples.end(), [](const Sample &a, const Sample &b) {
        return kindOrder().indexOf(a.kind) < kindOrder().indexOf(b.kind);
    });
    return samples;
}

std::vector<Sample> drawSamples(std::vector<Sample> samples, JobControl &control) {
    double done = 0;
    for (Sample &sample : samples) {
        if (control.cancelled()) break;
        control.progress(done++ / static_cast<double>(samples.size()));
        if (sample.picture) continue;
        try {
            if (sample.path.endsWith(u'.' + kNetworkSuffix)) {
                const NetworkContentsPtr network = readNetwork(sample.path);
                sample.picture = std::make_shared<DagStamp>(drawNetwork(*network->main));
                sample.facts = networkFacts(*network->main);
                continue;
            }
            const Workload workload = loadWorkload(std8(sample.path));
            sample.picture = std::make_shared<DagStamp>(drawDag(*ComputeDag::fromWorkload(workload)));
            sample.facts = countedText(static_cast<size_t>(sample.picture->stages), "stage");
            if (sample.picture->flops >= 0)
                sample.facts += QStringLiteral(" \u00b7 %1FLOP").arg(countText(sample.picture->flops));
        } catch (const std::exception &error) {
            sample.problem = QString::fromUtf8(error.what());
        }
    }
    return samples;
}

} // namespace loopscope
