#pragma once
// The facts of a task in two columns, with the key to copy. Dimmed while the text they were of is no longer the one
// in the editor.

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

  private:
    QLabel *addFact(const QString &name, int row, int column);
    void restyle();

    Theme &m_theme;
    QString m_key;
    bool m_outdated = false;
    QLabel *m_flops;
    QLabel *m_bytes;
    QLabel *m_intensity;
    QLabel *m_stages;
    QLabel *m_keyLabel;
    QLabel *m_target;
    std::vector<QLabel *> m_names;
    std::vector<QLabel *> m_values;
};

} // namespace loopscope
