#pragma once
// What this machine can do at most, measured once and kept between starts: what kernels are compared with.

#include "views/session/document_store.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/search_thread.h"
#include "views/settings/settings.h"

#include <functional>
#include <vector>

namespace loopscope {

class MeasuredPeaks : public QObject {
    Q_OBJECT

  public:
    /// `searching`: a search is under way, beside which nothing is measured.
    MeasuredPeaks(const DocumentStore &documents, Settings &settings, Messages &messages, Jobs &jobs,
                  std::function<bool()> searching);

    /// Of this processor and as many cores as the current document's target has; null until measured, which the first
    /// search does by itself (peaksReady follows).
    [[nodiscard]] const MachinePeaks *now() const;
    /// Of this processor and as many cores as the target has, which is none of a GPU.
    [[nodiscard]] const MachinePeaks *of(const Target &target) const;
    void measure();
    void measure(const Target &target);
    [[nodiscard]] bool measuring() const { return m_job != 0; }
    /// What a search has measured by the way; null with the reason when it could not.
    void take(const std::shared_ptr<const MachinePeaks> &peaks, const QString &problem);
    [[nodiscard]] const PeaksMeasurer &measurer() const { return m_measure; }
    void setMeasurer(PeaksMeasurer measure) { m_measure = std::move(measure); } // for tests

  signals:
    void peaksReady();

  private:
    void load();

    const DocumentStore &m_documents;
    Settings &m_settings;
    Messages &m_messages;
    Jobs &m_jobs;
    std::function<bool()> m_searching;
    PeaksMeasurer m_measure = measureMachinePeaks;
    std::vector<MachinePeaks> m_peaks; // by processor and cores
    int m_job = 0;
};

} // namespace loopscope
