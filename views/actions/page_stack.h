#pragma once
// Pages of which one is shown, and which needs no more room than that one: a stacked widget asks for the room of its
// largest page, and for all it would like where words wrap, so that what holds it scrolls without need.

#include <QLabel>
#include <QStackedWidget>

namespace loopscope {

class PageStack : public QStackedWidget {
    Q_OBJECT

  public:
    explicit PageStack(QWidget *parent = nullptr);

    [[nodiscard]] bool hasHeightForWidth() const override { return false; }
    [[nodiscard]] QSize minimumSizeHint() const override;
};

/// A page that says why there is nothing else to show, in the middle, so far from the edges.
QLabel *addSentence(QStackedWidget &pages, int margin);
/// The same beside what it is shown instead of; Tab goes there. `name`: of the object.
QLabel *newEmptySentence(const QString &name, QWidget *parent);

} // namespace loopscope
