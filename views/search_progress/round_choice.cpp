#include "views/search_progress/round_choice.h"

#include "views/session/document.h"

#include <QSignalBlocker>

#include <utility>

namespace loopscope {

RoundChoice::RoundChoice(const QStringList &inFront, const QString &toolTip)
    : m_inFront(static_cast<int>(inFront.size())) {
    addItems(inFront);
    setToolTip(toolTip);
    setAccessibleName(QStringLiteral("Round"));
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
}

void RoundChoice::follow(const Document *document) {
    const int id = document ? document->id : 0;
    if (std::exchange(m_document, id) == id) return;
    const QSignalBlocker quiet(this);
    setCurrentIndex(0);
    while (rounds() > 0) removeItem(count() - 1);
}

void RoundChoice::add(int round) {
    const QSignalBlocker quiet(this);
    addItem(QStringLiteral("round %1").arg(round));
}

} // namespace loopscope
