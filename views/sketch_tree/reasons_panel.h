#pragma once
// Beside the tree: which rules were tried at the state that is looked at, and why each applied or was refused. In the
// picture reasons stand on one line each and come and go with the zoom; here they wrap, and can be read and copied.

#include "views/settings/theme.h"
#include "views/sketch_tree/derivation_tree.h"
#include "views/sketch_tree/shown_tree.h"

#include <QWidget>

class QLabel;
class QTreeWidget;

namespace loopscope {

/// One line of the panel.
struct ReasonRow {
    bool applied = false;
    QString rule;
    QString stages; // "conv2d_nchw"; of the whole tree "data, kernel, bias and 4 more"
    QStringList allStages;
    QString reason;
};
/// What was tried on the way to a shown node from the one above it, and at the node itself, in the order asked.
/// `index` -1: the refusals of the whole tree, those of one rule and one reason together, most frequent first.
std::vector<ReasonRow> reasonRows(const DerivationTree &tree, const ShownTree &shown, int index);

class ReasonsPanel : public QWidget {
    Q_OBJECT

  public:
    ReasonsPanel(Theme &theme, QWidget *parent);

    void show(const DerivationTree &tree, const ShownTree &shown, int index);
    [[nodiscard]] QString text() const; // one line a row: for copying
    [[nodiscard]] QSize sizeHint() const override;

  signals:
    void stageChosen(const QString &stage);

  protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

  private:
    void fill();
    Theme &m_theme;
    QLabel *m_title;
    QTreeWidget *m_list;
    std::vector<ReasonRow> m_rows;
};

} // namespace loopscope
