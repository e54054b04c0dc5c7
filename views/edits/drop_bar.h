#pragma once
// Asks whether a schedule is to be dropped with all that was made from it, which nothing brings back: a line below the
// tree that says what would go.

#include "views/settings/theme.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace loopscope {

class DropBar : public QFrame {
    Q_OBJECT

  public:
    DropBar(const Theme &theme, QWidget *parent);

    void ask(int node, const QString &question);
    void restyle();

  signals:
    void dropped(int node);
    void closed();

  protected:
    void keyPressEvent(QKeyEvent *event) override;

  private:
    void close(bool drop);

    const Theme &m_theme;
    QLabel *m_question;
    QPushButton *m_drop;
    QPushButton *m_keep;
    int m_node = -1;
};

} // namespace loopscope
