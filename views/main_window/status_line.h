#pragma once
// The line at the bottom: what runs and how far it is, each with a way to cancel it; the newest warning or failure; and
// while nothing runs, what the task is.

#include "views/session/network_progress.h"
#include "views/session/view_context.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QMenu;
class QProgressBar;
class QToolButton;

namespace loopscope {

class ElidedLabel;

/// Something that runs: the search of a document or of a network, or a job.
struct Running {
    QString text;
    double progress = -1; // 0 to 1; -1 unknown
    int job = -1;         // -1: a search
    int task = 0;         // of a search whose task is not the one shown
    int network = 0;      // that is searched; 0: none
};
std::vector<Running> whatRuns(Session &session, const std::vector<JobInfo> &jobs);
/// "conv2d_bias_relu on llvm, 231.2 MFLOP": what the task is; empty when nothing is open.
QString taskText(const Document *document);
/// "Search of matmul on llvm: evolving, generation 3 of 4, 17 of 64 trials, about 12 s left"
QString searchText(const TaskState &state);
/// "Search of resnet18: task no. 3, evolving, 17 of 640 trials, 12 of 20 tasks timed, about 8 min left"
QString networkSearchText(const QString &name, const NetworkProgress &progress, int wanted, double timeLimitSeconds);

class StatusLine : public QWidget {
    Q_OBJECT

  public:
    explicit StatusLine(const ViewContext &context, QWidget *parent = nullptr);

  signals:
    void messageClicked(int index);

  private:
    void refresh();
    void cancel(const Running &running);
    void showAll();
    void newMessage(int index);
    void settle(const QString &kind); // takes the message away when it is of that kind

    ViewContext m_context;
    ElidedLabel *m_text;
    QProgressBar *m_progress;
    QToolButton *m_cancel;
    QToolButton *m_show;
    QToolButton *m_more;
    QToolButton *m_message;
    std::vector<Running> m_running;
    QTimer m_tick;
    int m_newest = -1;
};

} // namespace loopscope
