#include "check_files.h"

#include "base/outcome.h"
#include "base/shown_text.h"
#include "language/dag/compute_dag.h"
#include "language/te/workload.h"
#include "records/record/record.h"
#include "views/session/file_start.h"
#include "views/session/network_contents.h"
#include "views/session/text.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <cstdio>

namespace loopscope {

namespace {

/// What the file holds, in words; throws Error when it cannot be read.
QString contents(const QString &path) {
    const FileStart start = readStart(path);
    if (!start.problem.isEmpty()) throw Error(std8(path), 0, 0, std8(start.problem));
    if (path.endsWith(QLatin1String(".loopscope"))) {
        const auto [bytes, problem] = readWhole(path);
        if (!problem.isEmpty()) throw Error(std8(path), 0, 0, std8(problem));
        QJsonParseError error;
        const QJsonDocument session = QJsonDocument::fromJson(bytes, &error);
        if (!session.isObject() || !session.object().contains(QStringLiteral("loopscope_session")))
            throw Error(std8(path), 0, 0,
                        error.error != QJsonParseError::NoError ? std8(error.errorString()) : "is not a session");
        return QStringLiteral("a session");
    }
    // Archives are told by what stands in them.
    if (path.endsWith(QLatin1String(".json")) || path.endsWith(QLatin1String(".log")) || start.kind == FileKind::Log) {
        const RecordLog log = loadRecordLog(std8(path));
        for (const SkippedLine &line : log.skipped)
            fprintf(stderr, "%s:%d: skipped: %s\n", qPrintable(path), line.line, shownSentence(line.reason).c_str());
        if (log.records.empty()) throw Error(std8(path), 0, 0, "the log has no records");
        return QStringLiteral("a tuning log of %1, %2 skipped")
            .arg(trialCountText(log.records.size()), countedText(log.skipped.size(), "line"));
    }
    if (start.kind == FileKind::Network) {
        const NetworkContentsPtr network = readNetwork(path);
        for (const NetworkProblem &problem : network->problems)
            fprintf(stderr, "%s: %s\n", qPrintable(path), shownSentence(std8(problem.sentence())).c_str());
        if (!network->main)
            throw Error(std8(path), 0, 0,
                        "the network cannot be used: it has " + std8(countedText(network->problems.size(), "problem")));
        return QStringLiteral("a network, %1").arg(countedText(network->main->nodeCount(), "node"));
    }
    const Workload workload = loadWorkload(std8(path));
    const DagPtr dag = ComputeDag::fromWorkload(workload);
    return QStringLiteral("a workload, %1, %2, %3FLOP")
        .arg(qt(workload.name))
        .arg(countedText(stageCount(*dag), "stage"))
        .arg(countText(dag->flops()));
}

} // namespace

int checkFiles(const QStringList &paths) {
    int failed = 0;
    for (const QString &path : paths) {
        try {
            printf("%s: %s\n", qPrintable(path), shownText(std8(contents(path))).c_str());
        } catch (const Error &error) {
            ++failed;
            fprintf(stderr, "%s\n", shownSentence(error.what()).c_str());
            if (!error.excerpt().empty()) fprintf(stderr, "%s\n", shownSentence(error.excerpt()).c_str());
        }
    }
    return failed == 0 ? 0 : 1;
}

} // namespace loopscope
