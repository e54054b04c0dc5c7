#include "views/session/measured_peaks.h"

#include "measure/timing/machine_peaks.h"
#include "views/session/text.h"

#include <QFile>
#include <QSaveFile>

#include <algorithm>

namespace loopscope {

namespace {

const QString kPeaksKind = QStringLiteral("peaks"); // of messages

Target targetOf(const Document *document) {
    return document != nullptr && document->task ? document->task->target : parseTarget("llvm");
}

bool sameMachine(const MachinePeaks &a, const MachinePeaks &b) {
    return a.model == b.model && a.cpu == b.cpu && a.vectorBytes == b.vectorBytes && a.threads == b.threads;
}

} // namespace

MeasuredPeaks::MeasuredPeaks(const DocumentStore &documents, Settings &settings, Messages &messages, Jobs &jobs,
                             std::function<bool()> searching)
    : m_documents(documents), m_settings(settings), m_messages(messages), m_jobs(jobs),
      m_searching(std::move(searching)) {
    connect(&m_jobs, &Jobs::cancelled, this, [this](int job) {
        if (job != m_job) return;
        m_job = 0;
        Q_EMIT peaksReady();
    });
    load();
}

const MachinePeaks *MeasuredPeaks::now() const {
    return m_peaks.empty() ? nullptr : of(targetOf(m_documents.current()));
}

const MachinePeaks *MeasuredPeaks::of(const Target &target) const {
    if (target.isGpu()) return nullptr;
    const auto found = std::find_if(m_peaks.begin(), m_peaks.end(),
                                    [&](const MachinePeaks &peaks) { return peaksFit(peaks, target); });
    return found == m_peaks.end() ? nullptr : &*found;
}

void MeasuredPeaks::load() {
    QFile file(m_settings.stateFolder() + QStringLiteral("/machine.json"));
    if (!file.open(QIODevice::ReadOnly)) return; // not measured yet
    while (!file.atEnd()) {
        const QByteArray line = file.readLine().trimmed();
        if (line.isEmpty()) continue;
        auto peaks = machinePeaksFromText(line.toStdString());
        if (peaks) {
            m_peaks.push_back(std::move(peaks).value());
        } else {
            m_messages.warn(QStringLiteral("The machine's measured peaks cannot be read and will be measured again"),
                            qt(peaks.why()));
            break;
        }
    }
}

void MeasuredPeaks::take(const std::shared_ptr<const MachinePeaks> &peaks, const QString &problem) {
    if (!peaks) {
        m_messages.fail(QStringLiteral("The machine's peaks could not be measured"), problem, kPeaksKind);
    } else {
        m_messages.succeeded(kPeaksKind);
        std::erase_if(m_peaks, [&](const MachinePeaks &known) { return sameMachine(known, *peaks); });
        m_peaks.push_back(*peaks);
        QSaveFile file(m_settings.stateFolder() + QStringLiteral("/machine.json"));
        std::string text;
        for (const MachinePeaks &known : m_peaks) text += machinePeaksText(known) + '\n';
        if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0 ||
            !file.commit())
            m_messages.warn(QStringLiteral("The machine's peaks could not be kept for the next start"),
                            file.errorString());
    }
    Q_EMIT peaksReady();
}

void MeasuredPeaks::measure() { measure(targetOf(m_documents.current())); }

void MeasuredPeaks::measure(const Target &target) {
    if (m_job != 0) return;
    if (m_searching()) {
        m_messages.warn(QStringLiteral("The machine is not measured while a search runs: both would be wrong"), {},
                        kPeaksKind);
        return;
    }
    m_job = m_jobs.start(
        QStringLiteral("Measuring this machine's peaks"), this,
        [target, measure = m_measure](JobControl &control) {
            auto peaks = measure(target, &control.cancelFlag());
            if (!peaks) throw Error(peaks.why());
            return std::make_shared<const MachinePeaks>(std::move(peaks).value());
        },
        [this](const std::shared_ptr<const MachinePeaks> &peaks) {
            m_job = 0;
            take(peaks, {});
        },
        [this](const QString &problem) {
            m_job = 0;
            take(nullptr, problem);
        });
}

} // namespace loopscope
