#pragma once
// A session with settings of its own in a temporary folder, and small files to open.

#include "views/session/session.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace loopscope {

class SessionFixture {
  public:
    SessionFixture() {
        settings = std::make_unique<Settings>(folder.filePath(QStringLiteral("config/loopscope.ini")));
        restart();
    }
    /// What a closed and opened window begins with.
    void restart() {
        session.reset();
        session = std::make_unique<Session>(*settings);
        session->peaks().setMeasurer(&SessionFixture::peaksAtOnce); // measuring takes more than a second
    }
    QString write(const QString &name, const QByteArray &bytes) const {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write %s", qPrintable(name));
        return file.fileName();
    }
    /// Waits until the workload shown is understood or refused.
    [[nodiscard]] bool settled() const {
        return QTest::qWaitFor([this] { return session->document() && !session->document()->analysing; }, 60000);
    }
    [[nodiscard]] bool idle() const {
        return QTest::qWaitFor([this] { return session->jobs().running().empty(); }, 60000);
    }
    [[nodiscard]] QString failures() const {
        QStringList texts;
        for (const auto &message : session->messages().all())
            if (message.severity == Message::Severity::Failure)
                texts << message.text + (message.detail.isEmpty() ? QString() : QStringLiteral(" | ") + message.detail);
        return texts.join(u'\n');
    }

    static QByteArray matmul(int n) {
        return QByteArrayLiteral("workload matmul(N = ") + QByteArray::number(n) +
               ")\nA = placeholder [N, N]\nB = placeholder [N, N]\nC(i < N, j < N) = sum(k < N; A[i, k] * B[k, j])\n";
    }

    /// Made up, for the processor there is and the cores asked for; more than any kernel reaches.
    static Outcome<MachinePeaks> peaksAtOnce(const Target &target, const std::atomic<bool> * /*cancel*/) {
        MachinePeaks peaks;
        peaks.model = processorModel();
        peaks.cpu = target.cpu;
        peaks.vectorBytes = target.vectorBytes;
        peaks.threads = std::max(1, target.hardware.numCores);
        peaks.gflops1 = 1e6;
        peaks.gflopsAll = 1e6 * peaks.threads;
        peaks.memory = {{"L1", 1 << 14, 100, 200}, {"DRAM", 1 << 27, 10, 20}};
        return peaks;
    }

    QTemporaryDir folder;
    std::unique_ptr<Settings> settings;
    std::unique_ptr<Session> session;
};

} // namespace loopscope
