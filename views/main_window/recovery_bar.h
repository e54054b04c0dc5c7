#pragma once
// After a crash: what was open then, and the choice to have it back. Stands above everything until it is made.

#include "views/settings/theme.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace loopscope {

class RecoveryBar : public QFrame {
    Q_OBJECT

  public:
    RecoveryBar(Theme &theme, QWidget *parent);
    void offer(const QString &path, const QString &holds);

  signals:
    void recover(const QString &path);
    void dismiss(const QString &path);

  private:
    void restyle();

    Theme &m_theme;
    QString m_path;
    QLabel *m_text;
    QPushButton *m_recover;
    QPushButton *m_dismiss;
};

} // namespace loopscope
