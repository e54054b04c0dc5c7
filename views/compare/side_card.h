#pragma once
// The head of one side: which schedule it is, chosen from a list, by typing its number or by dropping a trial on it,
// and what is known of it.

#include "views/session/view_context.h"

#include <QComboBox>
#include <QFrame>

#include <optional>

class QLabel;

namespace loopscope {

class SideCard : public QFrame {
    Q_OBJECT

  public:
    SideCard(const ViewContext &context, const QString &name, QWidget *parent = nullptr);
    void setSchedule(const std::optional<ScheduleRef> &ref);
    void setLow(bool low); // no room for what is known of it: that is its tooltip then

  signals:
    void chosen(const loopscope::ScheduleRef &ref);
    void bothChosen(const loopscope::ScheduleRef &left, const loopscope::ScheduleRef &right); // two were dropped

  protected:
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dragLeaveEvent(QDragLeaveEvent *event) override;
    void dropEvent(QDropEvent *event) override;

  private:
    void fill();
    void showKernels();
    void typed();
    void applyTheme(bool over = false);

    ViewContext m_context;
    QComboBox *m_choice = nullptr;
    QLabel *m_facts = nullptr;
    QLabel *m_kernels = nullptr; // of a GPU: what they ask for
    bool m_low = false;
    std::optional<ScheduleRef> m_ref;
};

} // namespace loopscope
