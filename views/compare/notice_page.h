#pragma once
// What is said instead of texts: a title with a sentence below it, in the middle.

#include "views/settings/theme.h"

#include <QWidget>

class QLabel;

namespace loopscope {

class NoticePage : public QWidget {
    Q_OBJECT

  public:
    explicit NoticePage(Theme &theme, QWidget *parent = nullptr);

    void say(const QString &title, const QString &sentence);
    [[nodiscard]] QString sentence() const;

  protected:
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

  private:
    /// In a low dock the page asks for the height its sentence takes, which a splitter would not: the dock scrolls.
    void askForHeight();
    QLabel *m_title = nullptr;
    QLabel *m_sentence = nullptr;
};

} // namespace loopscope
