#include "check_files.h"

#include "dag/compute_dag.h"
#include "outcome.h"
#include "record/record.h"
#include "te/workload.h"
#include "views/session/file_start.h"
#include "views/session/network_contents.h"
#include "views/session/text.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

#include <cstdio>

namespace loopscope {

namespace {

/// What the file holds, in words; throws Error when it cannot be read.
QString contents(const QString &path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) throw Error(std8(path), 0, 0, std8(file.errorString()));
    if (path.endsWith(QLatin1String(".loopscope"))) {
        QJsonParseError error;
        const QJsonDocument session = QJsonDocument::fromJson(file.readAll(), &error);
        if (!session.isObject() || !session.object().contains(QStringLiteral("loopscope_session")))
            throw Error(std8(path), 0, 0,
                        error.error != QJsonParseError::NoError ? std8(error.errorString()) : "is not a session");
        return QStringLiteral("a session");
    }
    // Archives are told by what stands in them.
    if (path.endsWith(QLatin1String(".json")) || path.endsWith(QLatin1String(".log")) ||
        readStart(path).kind == FileKind::Log) {
        const RecordLog log = loadRecordLog(std8(path));
        for (const SkippedLine &line : log.skipped)
            fprintf(stderr, "%s:%d: skipped: %s\n", qPrintable(path), line.line, line.reason.c_str());
        if (log.records.empty()) throw Error(std8(path), 0, 0, "the log has no records");
        return QStringLiteral("a tuning log of %1, %2 skipped")
            .arg(trialCountText(log.records.size()), countedText(log.skipped.size(), "line"));
    }
    if (readStart(path).kind == FileKind::Network) {
        const NetworkContentsPtr network = readNetwork(path);
        for (const NetworkProblem &problem : network->problems)
            fprintf(stderr, "%s: %s\n", qPrintable(path), qUtf8Printable(problem.sentence()));
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
            printf("%s: %s\n", qPrintable(path), qUtf8Printable(contents(path)));
        } catch (const Error &error) {
            ++failed;
            fprintf(stderr, "%s\n", error.what());
            if (!error.excerpt().empty()) fprintf(stderr, "%s\n", error.excerpt().c_str());
        }
    }
    return failed == 0 ? 0 : 1;
}

} // namespace loopscope
