#pragma once
// The fields of a new workload: its name, dimensions, tensors, arguments and what follows the operator. Made anew for
// each operator, and when there are other fields.

#include "views/computation/workload_draft.h"

#include <QWidget>

namespace loopscope {

class NewWorkloadForm : public QWidget {
    Q_OBJECT

  public:
    /// What is typed goes into the draft at once.
    explicit NewWorkloadForm(Draft &draft);

  signals:
    void touched();
    void redrafted(const loopscope::Draft &draft); // it needs another form

  private:
    void addParams();
    void addTensors();
    void addArgs();
    void addEpilogue();

    Draft &m_draft;
};

} // namespace loopscope
