#pragma once
// Why the script cannot be applied, under its text: the sentence, what is shown meanwhile, and what would be legal, to
// be put there by a click.

#include "views/settings/theme.h"

#include <QStringList>
#include <QWidget>

class QAction;
class QLabel;
class QToolButton;

namespace loopscope {

class ScriptProblemBar : public QWidget {
    Q_OBJECT

  public:
    ScriptProblemBar(Theme &theme, QAction *goTo, QWidget *parent);

    /// `cures`: offered by buttons, as many as fit a few lines.
    void show(const QString &sentence, const QString &meanwhile, const QStringList &cures);
    [[nodiscard]] QString sentence() const; // empty when nothing is wrong

  signals:
    void cureChosen(const QString &cure);

  private:
    void restyle();

    Theme &m_theme;
    QLabel *m_icon;
    QLabel *m_sentence;
    QLabel *m_meanwhile;
    QToolButton *m_goTo;
    QWidget *m_cures;
};

} // namespace loopscope
