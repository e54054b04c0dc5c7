#include "views/session/search_nodes.h"

#include "fleet/fleet.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/text.h"

#include <utility>

namespace loopscope {

bool SearchNodes::take(const SessionEvent &event, SearchStatus &status, Messages &messages) {
    if (const auto *opened = std::get_if<FleetOpened>(&event)) {
        m_fleet = opened->fleet;
        return true;
    }
    const auto *said = std::get_if<FleetTold>(&event);
    if (said == nullptr) return false;
    m_told = asSentence(qt(said->sentence));
    if (!m_fleet) status.phase = qt(said->sentence);
    messages.note(m_told);
    return true;
}

void SearchNodes::giveBack(Jobs &jobs, QObject *receiver) {
    m_told.clear();
    if (!m_fleet) return;
    jobs.start(
        QStringLiteral("Giving the nodes back"), receiver,
        [fleet = std::exchange(m_fleet, nullptr)](JobControl &) mutable {
            fleet.reset();
            return 0;
        },
        [](int) {});
}

} // namespace loopscope
