#include "views/session/search_nodes.h"

#include "measure/fleet/fleet.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/text.h"

#include <utility>

namespace loopscope {

void SearchNodes::take(const FleetTold &said, QString &phase, Messages &messages) {
    m_told = asSentence(qt(said.sentence));
    if (!m_fleet) phase = qt(said.sentence);
    messages.note(m_told);
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
