#include "views/session/messages.h"

namespace loopscope {

void Messages::add(Message message) {
    if (!message.when.isValid()) message.when = QDateTime::currentDateTime();
    m_all.push_back(std::move(message));
    Q_EMIT added(static_cast<int>(m_all.size()) - 1);
}

void Messages::clear() {
    m_all.clear();
    Q_EMIT cleared();
}

} // namespace loopscope
