#pragma once
// Bundles written, built and run as somebody on the other machine does.

#include "language/task/task.h"
#include "records/bundle/bundle_folder.h"

#include <QByteArray>
#include <QProcessEnvironment>
#include <QString>

#include <string>
#include <vector>

namespace loopscope {

/// C = A x B of float32, 24 x 20 x 16.
Task smallProduct(const std::string &target);
std::vector<Steps> stepsOf(const std::vector<std::string> &json);
BundleRound writtenRound(const QString &folder, const Task &task, const std::vector<Steps> &candidates,
                         const BundleOptions &options = {});

struct BundleRun {
    int exitCode = -1;
    QByteArray output; // of both streams
};
/// `make run` in the round's folder; the runner itself is compiled once for all tests of a process.
BundleRun run(const BundleRound &round,
              const QProcessEnvironment &environment = QProcessEnvironment::systemEnvironment());

QByteArray textOf(const QString &path);
void writeText(const QString &path, const QByteArray &text);
/// In the file, the first occurrence; it must be there.
void replaceIn(const QString &path, const QByteArray &what, const QByteArray &by);

} // namespace loopscope
