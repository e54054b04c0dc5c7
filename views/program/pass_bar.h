#pragma once
// Which pass's program is shown: all passes in order, those that changed something marked, and a way from one change to
// the next.

#include "views/session/representations.h"
#include "views/settings/theme.h"

#include <QWidget>

#include <optional>
#include <utility>

class QComboBox;
class QLabel;
class QToolButton;

namespace loopscope {

class PassBar : public QWidget {
    Q_OBJECT

  public:
    PassBar(Theme &theme, QWidget *parent);

    /// Keeps to the pass of the same name; the last one at first.
    void setPasses(const std::vector<PassForm> &passes);
    [[nodiscard]] int pass() const; // -1 when there is none
    void setPass(int pass);
    /// To the next (+1) or previous (-1) pass that changed the program.
    void step(int direction);
    [[nodiscard]] bool showsChanges() const;
    void setShowsChanges(bool shown);
    void sayChanges(int added, int removed);
    void sayNothing();

  signals:
    void passChanged();
    void showsChangesChanged();

  private:
    void fill();

    std::optional<std::pair<int, int>> m_said; // lines new and gone
    Theme &m_theme;
    QComboBox *m_combo = nullptr;
    QToolButton *m_previous = nullptr;
    QToolButton *m_next = nullptr;
    QToolButton *m_changes = nullptr;
    QLabel *m_counts = nullptr;
    struct Entry {
        QString name;
        bool changed = false;
    };
    std::vector<Entry> m_entries;
    QString m_wanted; // name; empty = the last
};

} // namespace loopscope
