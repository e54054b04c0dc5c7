#pragma once
// Getting somewhere: back and forward over what was selected, from workload to workload, and by typing: the finder, and
// the palette of all commands.

#include "views/main_window/window_parts.h"

#include <QObject>

namespace loopscope {

class CommandPalette;

class GoCommands : public QObject {
    Q_OBJECT

  public:
    explicit GoCommands(const WindowParts &parts, QObject *parent);

  signals:
    void openRequested(const QStringList &paths);

  private:
    void addHistory();
    void stepDocument(int direction);
    [[nodiscard]] CommandPalette &palette();
    void showFinder();
    void showCommands();

    WindowParts m_parts;
    CommandPalette *m_palette = nullptr;
};

} // namespace loopscope
