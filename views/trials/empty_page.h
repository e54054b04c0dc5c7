#pragma once
// Instead of an empty table: one sentence on why it is empty, and buttons for what to do next.

#include "views/actions/actions.h"
#include "views/settings/theme.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace loopscope {

class EmptyPage : public QWidget {
    Q_OBJECT

  public:
    EmptyPage(Theme &theme, Actions &actions, QWidget *parent = nullptr);
    /// `ids` of actions; those the window does not have get no button.
    void say(const QString &title, const QString &sentence, const QStringList &ids);

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    void makeButtons();
    void fit();
    void applyTheme();

    Theme &m_theme;
    Actions &m_actions;
    QLabel *m_title = nullptr;
    QLabel *m_sentence = nullptr;
    QHBoxLayout *m_buttons = nullptr;
    QStringList m_ids;
};

} // namespace loopscope
