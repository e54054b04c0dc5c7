#pragma once
// The line one types into to find something in the text above it.

#include "views/settings/theme.h"
#include "views/text/find_matches.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace loopscope {

class FindLine : public QWidget {
    Q_OBJECT

  public:
    FindLine(Theme &theme, QWidget *parent);

    /// Shown and focused; `text` (when there is some) is what is looked for.
    void begin(const QString &text);
    [[nodiscard]] FindQuery query() const;
    /// "3 of 128"; a problem is shown as one.
    void setResult(const QString &text, bool problem);

  signals:
    void queryChanged();
    void stepAsked(int direction); // +1 next, -1 previous
    void closed();

  protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

  private:
    QToolButton *button(const QString &text, const QString &tip, bool checkable);
    void applyTheme();

    Theme &m_theme;
    QLineEdit *m_edit = nullptr;
    QLabel *m_result = nullptr;
    QToolButton *m_case = nullptr;
    QToolButton *m_word = nullptr;
    QToolButton *m_regex = nullptr;
    bool m_problem = false;
};

} // namespace loopscope
