#pragma once
// The head of one side: which schedule it is, chosen from a list, by typing its number or by dropping a trial on it,
// and what is known of it.

#include "views/compare/compared_pair.h"
#include "views/session/view_context.h"

#include <QComboBox>
#include <QFrame>

class QLabel;
class QToolButton;

namespace loopscope {

class SideCard : public QFrame {
    Q_OBJECT

  public:
    SideCard(const ViewContext &context, ComparedPair &pair, AlignedText::Side side, QWidget *parent = nullptr);
    void refresh();        // what is known of the side
    void setLow(bool low); // no room for what is known of it: that is its tooltip then

  signals:
    void chosen(const loopscope::TaskSchedule &schedule);
    void bothChosen(const loopscope::TaskSchedule &left, const loopscope::TaskSchedule &right); // two were dropped

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
    ComparedPair &m_pair;
    AlignedText::Side m_side;
    QComboBox *m_choice = nullptr;
    QLabel *m_facts = nullptr;
    QLabel *m_kernels = nullptr;   // of a GPU: what they ask for
    QToolButton *m_show = nullptr; // there for a schedule of a task that is not shown
    bool m_low = false;
};

} // namespace loopscope
