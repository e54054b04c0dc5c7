#pragma once
// What was open at a crash, or what can be read of a session file that is damaged or of a newer program, and the choice
// to have it. Stands above everything until it is made.

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
    void offerPart(const QString &path, const QString &why, const QString &holds);

  signals:
    void recover(const QString &path);
    void recoverPart(const QString &path);
    void dismiss(const QString &path);

  private:
    void ask(const QString &text, const QString &yes, const QString &no);
    void restyle();

    Theme &m_theme;
    QString m_path;
    bool m_part = false; // of a file that the user chose, rather than what a crash left
    QLabel *m_text;
    QPushButton *m_recover;
    QPushButton *m_dismiss;
};

} // namespace loopscope
