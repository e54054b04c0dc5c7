#pragma once
// The target of the workload shown: chosen from this machine and GPUs by name, its figures to change one by one, its
// text to write as one likes. Another target is another task of the document; the one before stays with it.

#include "views/computation/target_choices.h"
#include "views/settings/theme.h"

#include <QWidget>

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QSpinBox;
class QToolButton;

namespace loopscope {

class TargetForm : public QWidget {
    Q_OBJECT

  public:
    explicit TargetForm(Theme &theme, QWidget *parent = nullptr);

    void setTarget(const QString &text);
    [[nodiscard]] QComboBox *choices() const { return m_choice; }
    [[nodiscard]] QToolButton *more() const { return m_more; }
    [[nodiscard]] QLineEdit *line() const { return m_line; }
    [[nodiscard]] QSpinBox *figure(const QString &attribute) const;
    /// Under the text, while it is no target.
    [[nodiscard]] QString problem() const;

  signals:
    /// A target, which parses.
    void targetChosen(const QString &text);

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    struct Figure {
        TargetFigure about;
        QWidget *cell;
        QLabel *name;
        QSpinBox *value;
        QToolButton *reset;
    };
    void choose(int item);
    void commit(const QString &text);
    void check();
    void showFigures();
    void build(const std::vector<TargetFigure> &figures);
    void arrange();

    Theme &m_theme;
    QString m_text;
    std::vector<TargetChoice> m_choices;
    std::vector<Figure> m_figures;
    bool m_gpu = false;
    bool m_setting = false;
    int m_columns = 0;
    QComboBox *m_choice;
    QToolButton *m_more;
    QWidget *m_details;
    QLineEdit *m_line;
    QLabel *m_problem;
    QWidget *m_cells;
    QGridLayout *m_grid;
};

} // namespace loopscope
