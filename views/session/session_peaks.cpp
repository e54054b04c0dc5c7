// The machine's measured peaks: made on request, kept between starts.

#include "measure/machine_peaks.h"
#include "views/session/forms_cache.h"

#include "measure/listing.h"
#include "views/session/text.h"

#include <QFile>
#include <QSaveFile>

namespace loopscope {

void Session::loadPeaks() {
    QFile file(m_settings.stateFolder() + QStringLiteral("/machine.json"));
    if (!file.open(QIODevice::ReadOnly)) return; // not measured yet
    auto peaks = machinePeaksFromText(file.readAll().toStdString());
    if (peaks)
        m_peaks = std::make_unique<MachinePeaks>(std::move(peaks).value());
    else
        m_messages.warn(QStringLiteral("The machine's measured peaks cannot be read and will be measured again"),
                        qt(peaks.why()));
}

void Session::measurePeaks() {
    if (m_peaksJob != 0) return;
    if (searching()) {
        m_messages.warn(QStringLiteral("The machine is not measured while a search runs: both would be wrong"));
        return;
    }
    const auto done = [this] {
        m_peaksJob = 0;
        Q_EMIT peaksReady();
    };
    m_peaksJob = m_jobs.start(
        QStringLiteral("Measuring this machine's peaks"), this,
        [target = m_current && m_current->task ? m_current->task->target : parseTarget("llvm")](JobControl &control) {
            auto peaks = measureMachinePeaks(target, &control.cancelFlag());
            if (!peaks) throw Error(peaks.why());
            return std::make_shared<MachinePeaks>(std::move(peaks).value());
        },
        [this, done](const std::shared_ptr<MachinePeaks> &peaks) {
            m_peaks = std::make_unique<MachinePeaks>(*peaks);
            QSaveFile file(m_settings.stateFolder() + QStringLiteral("/machine.json"));
            const std::string text = machinePeaksText(*peaks);
            if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0 ||
                !file.commit())
                m_messages.warn(QStringLiteral("The machine's peaks could not be kept for the next start"),
                                file.errorString());
            done();
        },
        [this, done](const QString &problem) {
            m_messages.fail(QStringLiteral("The machine's peaks could not be measured"), problem);
            done();
        });
}

} // namespace loopscope
