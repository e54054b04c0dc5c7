#pragma once
// The line at the top of a graph to type into for finding its nodes: what was typed, how many fit, and the way from one
// to the next. What fits is the view's business.

#include "views/settings/theme.h"

#include <QLabel>
#include <QLineEdit>
#include <QWidget>

namespace loopscope {

class GraphFindBar : public QWidget {
    Q_OBJECT

  public:
    /// `hint`: what can be found, in the empty line; `name`: of the line, for those who cannot see it.
    GraphFindBar(const Theme &theme, const QString &hint, const QString &name, QWidget *parent);

    void open();
    void setFound(int current, int count); // current from 0, -1 none chosen yet
    [[nodiscard]] QString words() const { return m_line->text(); }
    [[nodiscard]] QString countText() const { return m_count->text(); }

  signals:
    void wordsChanged(const QString &words);
    void stepRequested(int direction);
    void closed();

  protected:
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;

  private:
    void finish();
    QLineEdit *m_line;
    QLabel *m_count;
};

} // namespace loopscope
