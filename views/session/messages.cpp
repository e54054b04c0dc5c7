#include "views/session/messages.h"

#include "base/shown_text.h"
#include "views/session/text.h"

#include <tuple>

namespace loopscope {

void Messages::add(Message message) {
    if (!message.when.isValid()) message.when = QDateTime::currentDateTime();
    // A name out of a file may be longer than the window is wide, a hundred thousand times.
    message.text = qt(shownSentence(std8(message.text)));
    message.detail = qt(shownSentence(std8(message.detail)));
    if (!m_all.empty()) {
        Message &last = m_all.back();
        const auto said = [](const Message &of) {
            return std::tie(of.severity, of.text, of.detail, of.path, of.line, of.column, of.trial);
        };
        if (said(last) == said(message)) { // said already: how often, not again and again
            ++last.times;
            last.when = message.when;
            Q_EMIT repeated(static_cast<int>(m_all.size()) - 1);
            return;
        }
    }
    m_all.push_back(std::move(message));
    Q_EMIT added(static_cast<int>(m_all.size()) - 1);
}

void Messages::clear() {
    m_all.clear();
    Q_EMIT cleared();
}

} // namespace loopscope
