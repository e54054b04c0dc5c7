#pragma once
// The facts of a task, in two columns where they fit, with the key to copy. Dimmed while the text they were of is no
// longer the one in the editor.

#include "views/computation/task_facts.h"
#include "views/session/view_context.h"

#include <QWidget>

#include <optional>

class QLabel;
class QToolButton;

namespace loopscope {

class FactsPanel : public QWidget {
    Q_OBJECT

  public:
    FactsPanel(Theme &theme, QAction *copyKey, QWidget *parent = nullptr);

    void setFacts(const std::optional<TaskFacts> &facts, bool outdated);
    [[nodiscard]] const QString &key() const { return m_key; }
    /// As wide as one column: what stood in two may become narrow again.
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    QLabel *addFact(const QString &name);
    void arrange();
    void restyle();

    Theme &m_theme;
    QString m_key;
    bool m_outdated = false;
    int m_columns = 0; // of facts, as they were laid out last
    QLabel *m_flops;
    QLabel *m_bytes;
    QLabel *m_intensity;
    QLabel *m_stages;
    QLabel *m_keyLabel;
    QLabel *m_target;
    QToolButton *m_copy;
    std::vector<QLabel *> m_names;
    std::vector<QLabel *> m_values;
};

} // namespace loopscope
