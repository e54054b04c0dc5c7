#pragma once
// The steps that could come next at a place of a schedule: a list to choose from, narrowed by typing; a line that is
// typed in full need not be among those offered.

#include "language/target/target.h"
#include "views/settings/theme.h"
#include "views/steps/step_text.h"

#include <QFrame>

#include <cstddef>
#include <memory>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;

namespace loopscope {

struct OfferedStep {
    Step step; // in the numbers of the list
    QString line;
};
/// Runs on any thread.
std::vector<OfferedStep> offeredSteps(const EditedSteps &steps, size_t at, const Target &target);

class OfferedSteps : public QFrame {
    Q_OBJECT

  public:
    OfferedSteps(const Theme &theme, std::shared_ptr<const EditedSteps> steps, size_t at, QWidget *parent);

    void offer(std::vector<OfferedStep> steps);
    [[nodiscard]] QListWidget &list() const { return *m_list; }

  signals:
    void decided(const loopscope::Step &step);

  protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

  private:
    void narrow();
    void take();

    const Theme &m_theme;
    std::shared_ptr<const EditedSteps> m_steps;
    size_t m_at;
    bool m_offered = false;
    std::vector<OfferedStep> m_all;
    QLineEdit *m_edit;
    QListWidget *m_list;
    QLabel *m_verdict;
};

} // namespace loopscope
