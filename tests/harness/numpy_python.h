#pragma once
// A Python that has NumPy, for tests of what Python calls.

#include <QProcess>
#include <QString>
#include <QStringList>

namespace loopscope {

inline constexpr const char *kNoNumpy =
    "there is no python3 here that can import numpy; Debian's package python3-numpy is one that can";

/// Debian's before the one on PATH; empty when neither has NumPy.
inline QString numpyPython() {
    for (const QString name : {"/usr/bin/python3", "python3"}) {
        QProcess asked;
        asked.start(name, {"-c", "import numpy; numpy.from_dlpack"});
        if (asked.waitForFinished(60000) && asked.exitStatus() == QProcess::NormalExit && asked.exitCode() == 0)
            return name;
    }
    return {};
}

} // namespace loopscope
