#pragma once
// What is wrong with the text, under the editor: the sentence, the line with a caret, and the way there. Says quietly
// that the text is being read, while it is.

#include "views/session/document.h"
#include "views/settings/theme.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace loopscope {

class ProblemBar : public QWidget {
    Q_OBJECT

  public:
    ProblemBar(Theme &theme, QAction *goTo, QWidget *parent = nullptr);
    void show(const std::optional<Problem> &problem, bool analysing);
    [[nodiscard]] QString sentence() const;

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    void restyle();
    void showExcerpt();
    Theme &m_theme;
    QLabel *m_icon;
    QLabel *m_sentence;
    QLabel *m_excerpt;
    QToolButton *m_goTo;
    QString m_line; // of the text, with the carets below
    bool m_bad = false;
};

} // namespace loopscope
