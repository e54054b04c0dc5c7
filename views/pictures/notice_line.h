#pragma once
// What one should know about the pictures, or why there are none, with what can be done about it.

#include <QString>
#include <QWidget>

#include <functional>
#include <utility>
#include <vector>

class QLabel;
class QPushButton;

namespace loopscope {

class NoticeLine : public QWidget {
    Q_OBJECT

  public:
    using Answers = std::vector<std::pair<QString, std::function<void()>>>;

    explicit NoticeLine(QWidget *parent = nullptr);
    /// Empty: nothing, and no room for it.
    void say(const QString &text, const Answers &answers = {});
    [[nodiscard]] QString text() const; // as shown
    [[nodiscard]] const std::vector<QPushButton *> &buttons() const { return m_buttons; }

  private:
    QLabel *m_text;
    QWidget *m_answers;
    std::vector<QPushButton *> m_buttons;
};

} // namespace loopscope
