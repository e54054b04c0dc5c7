#pragma once
// What the user may choose. Every change is in effect at once and kept; there is nothing to confirm.

#include "views/settings/settings.h"

#include <QDialog>

#include <functional>

class QLabel;
class QLineEdit;

namespace loopscope {

class SettingsDialog : public QDialog {
    Q_OBJECT

  public:
    /// `targetProblem` says what is wrong with a target string; empty when nothing is.
    SettingsDialog(Settings &settings, Theme &theme, std::function<QString(const QString &)> targetProblem,
                   QWidget *parent = nullptr);

  private:
    QWidget *buildLook();
    QWidget *buildDefaults();
    void checkTarget();

    Settings &m_settings;
    Theme &m_theme;
    std::function<QString(const QString &)> m_targetProblem;
    QLineEdit *m_target = nullptr;
    QLabel *m_targetWords = nullptr;
};

} // namespace loopscope
