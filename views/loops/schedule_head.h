#pragma once
// What stands above the loops: which schedule they are of, what is known of it, and why there is no program.

#include "views/loops/loop_tree.h"
#include "views/session/document.h"
#include "views/settings/theme.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace loopscope {

class ElidedLabel;

/// Why there is nothing to show at all, in a sentence; empty: there is. Null: no document.
QString whyNoLoops(const Document *document, const ScheduleRef &ref);

class ScheduleHead : public QWidget {
    Q_OBJECT

  public:
    ScheduleHead(const Theme &theme, QWidget *parent);

    /// `tree`: the one on screen, which may still be of another schedule; `note`: of the selected stage; `predictedBy`:
    /// whose word the prediction of an edited schedule is. `measuring`: whether it is being measured, or waits for
    /// that.
    void show(const Document &document, const ScheduleRef &ref, const LoopTree *tree, const QString &note,
              const QString &measuring, const QString &predictedBy);
    [[nodiscard]] QHBoxLayout &tools() { return *m_tools; } // beside the title
    void restyle();

  private:
    const Theme &m_theme;
    ElidedLabel *m_title = nullptr;
    ElidedLabel *m_of = nullptr;
    QLabel *m_details = nullptr;
    QLabel *m_notice = nullptr;
    QHBoxLayout *m_tools = nullptr;
};

} // namespace loopscope
