#pragma once
// The numbers of one step, to be chosen among the legal ones or typed: what is typed is judged while it is typed. What
// was decided is told, nothing is changed here.

#include "views/settings/theme.h"
#include "views/steps/step_choices.h"

#include <QTimer>
#include <QWidget>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace loopscope {

class StepEditor : public QWidget {
    Q_OBJECT

  public:
    explicit StepEditor(const Theme &theme, QWidget *parent = nullptr);

    /// `line`: the step as a script has it.
    void show(std::shared_ptr<const EditedSteps> steps, size_t at, const QString &line);
    void showChoices(std::vector<ChoiceGroup> groups);
    void clear();
    void startTyping();
    [[nodiscard]] QLineEdit &line() const { return *m_line; }
    [[nodiscard]] QString verdict() const;
    void restyle();

  signals:
    void decided(const loopscope::Step &step);

  private:
    void judge();
    void take(); // what was typed, when it is a step
    void say(const QString &text, bool bad);
    void addGroup(QVBoxLayout &column, const ChoiceGroup &group);

    const Theme &m_theme;
    std::shared_ptr<const EditedSteps> m_steps;
    size_t m_at = 0;
    QString m_was; // the line as it stands
    std::vector<ChoiceGroup> m_groups;
    QLineEdit *m_line = nullptr;
    QLabel *m_verdict = nullptr;
    QWidget *m_choices = nullptr;
    QTimer m_soon;
};

} // namespace loopscope
