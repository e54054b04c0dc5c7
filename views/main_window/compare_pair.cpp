#include "views/main_window/compare_pair.h"

#include "views/actions/actions.h"

#include <QAction>
#include <QFileInfo>

#include <algorithm>

namespace loopscope {

int bestOfLog(const Document &document, const QString &logPath) {
    int best = -1;
    for (size_t i = 0; i < document.trials.size(); ++i) {
        const TrialEntry &entry = document.trials[i];
        if (entry.logPath != logPath || !entry.valid()) continue;
        if (best < 0 || entry.seconds() < document.trials[static_cast<size_t>(best)].seconds())
            best = static_cast<int>(i);
    }
    return best;
}

ComparePair::ComparePair(Session &session, Actions &actions, const QString &base, const QString &next, QObject *parent)
    : QObject(parent), m_session(session), m_actions(actions), m_paths{base, next} {
    connect(&session.files(), &OpenFiles::opened, this, &ComparePair::fileOpened);
}

void ComparePair::fileOpened(const QString &path, bool ok) {
    for (int i = 0; i < 2; ++i) {
        if (m_paths[i] != path) continue;
        if (!ok) return deleteLater();
        m_opened[i] = true;
    }
    if (!m_opened[0] || !m_opened[1]) return;
    disconnect(&m_session.files(), nullptr, this, nullptr);
    // What is told in the same turn (the selection of the best, say) comes first.
    QMetaObject::invokeMethod(this, &ComparePair::finish, Qt::QueuedConnection);
}

void ComparePair::finish() {
    deleteLater();
    const Document *document = m_session.document();
    const int base = document != nullptr ? bestOfLog(*document, m_paths[0]) : -1;
    const int next = document != nullptr ? bestOfLog(*document, m_paths[1]) : -1;
    if (base < 0 || next < 0) {
        m_session.messages().note(tr("%1 and %2 are open, but hold no valid trials of one computation, which is what "
                                     "can be set side by side")
                                      .arg(QFileInfo(m_paths[0]).fileName(), QFileInfo(m_paths[1]).fileName()));
        return;
    }
    m_session.selection().selectTrials({std::min(base, next), std::max(base, next)});
    QAction *compare = m_actions.find(Capability::CompareTrials);
    QAction *swap = m_actions.find(Capability::SwapCompared);
    if (!compare || !swap) return; // the panel could not be made, which was said
    compare->trigger();
    if (base > next) swap->trigger();
}

} // namespace loopscope
