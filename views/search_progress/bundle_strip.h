#pragma once
// What a search waits for whose candidates are measured on another machine: how many results, since when, the folder
// they are to come back to, and the line that measures them there.

#include "views/session/document.h"
#include "views/settings/theme.h"

#include <QFrame>

class QLabel;
class QLineEdit;

namespace loopscope {

class BundleStrip final : public QFrame {
    Q_OBJECT

  public:
    explicit BundleStrip(Theme &theme, QWidget *parent = nullptr);
    /// Hidden while nothing is waited for.
    void show(const std::optional<BundleWait> &wait);

  private:
    void copy();
    void openFolder();
    void applyTheme();

    Theme &m_theme;
    QLabel *m_what;
    QLineEdit *m_command;
    QLabel *m_then;
    QString m_folder;
};

/// "round-003 waits for the results of 16 trials, for 5 min 12 s"
QString waitText(const BundleWait &wait, const QDateTime &now);

} // namespace loopscope
