#include "records/logs/line_facts.h"

#include "records/logs/step_hash.h"

#include <algorithm>

namespace loopscope {

double TimesOfRecord::agreed() const {
    if (m_count == 0) return kNone;
    const size_t best = std::min(m_best.size(), m_count);
    return (m_best[(best - 1) / 2] + m_best[best / 2]) / 2;
}

float TimesOfRecord::spread() const {
    return m_count < 2 ? 0.0F : static_cast<float>((m_greatest - m_least) * static_cast<double>(m_count) / m_sum);
}

LineFacts factsOf(const Record &record) {
    const Trial &trial = record.trial;
    LineFacts facts;
    TimesOfRecord times;
    for (const double seconds : trial.seconds) times.add(seconds);
    facts.seconds = times.agreed();
    facts.spread = times.spread();
    facts.repeats = static_cast<uint16_t>(std::min<size_t>(times.count(), UINT16_MAX));
    facts.timestamp = trial.timestamp;
    facts.error = trial.error;
    StepHash hash;
    const Steps steps = trial.steps.unpack();
    for (const Step &step : steps) addStep(hash, step);
    facts.steps = hash.steps();
    facts.structure = hash.structure();
    facts.stepCount = static_cast<uint16_t>(std::min<size_t>(steps.size(), UINT16_MAX));
    return facts;
}

} // namespace loopscope
