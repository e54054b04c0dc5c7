#pragma once
// The line under a form that says what is being made of the schedule, or why there is nothing, with a button to end or
// repeat it.

#include "views/program/schedule_texts.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace loopscope {

class FormStatus : public QWidget {
    Q_OBJECT

  public:
    explicit FormStatus(QWidget *parent);

    /// Hidden when there is nothing to say.
    void say(const ScheduleTexts &texts, FormKind form);

  signals:
    void cancelAsked();
    void retryAsked();

  private:
    QLabel *m_text = nullptr;
    QToolButton *m_button = nullptr;
    bool m_compiling = false;
};

} // namespace loopscope
