#pragma once
// The search's own changes by hand: a mutation rule, or all that is open decided, applied to the schedule shown. What
// comes of it is a node of the tree of edits, which undo leads back from; a schedule can be put into a running search.

#include "views/main_window/window_parts.h"

#include <QObject>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

class QAction;

namespace loopscope {

class MutateCommands : public QObject {
    Q_OBJECT

  public:
    MutateCommands(const WindowParts &parts, QObject *parent);

  private:
    void mutate(const std::string &rule);
    void complete();
    void inject();
    void follow();
    void tellWhatLacks(); // tips of rules that find nothing in the schedule shown

    WindowParts m_parts;
    QAction *m_inject = nullptr;
    std::vector<QAction *> m_changes;
    std::vector<std::pair<std::string, QAction *>> m_rules; // of them
    uint64_t m_seed = 0;                                    // another draw each time
};

} // namespace loopscope
