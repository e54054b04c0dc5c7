#pragma once
// What stands between a dock and its view: a view that needs more room than its dock has is scrolled. Without it the
// view that needs most would decide how large the window is, and with a small screen part of the window would lie
// beyond it.

#include <QScrollArea>

namespace loopscope {

class DockPage final : public QScrollArea {
    Q_OBJECT

  public:
    DockPage(QWidget *view, QWidget *parent);

    /// What a dock can be made as small as; some words of its title and a line or two.
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override;
    /// What the view needs, as wide as it is now, and its tab.
    [[nodiscard]] int minHeight() const;

  protected:
    bool event(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

  private:
    void fit();
};

} // namespace loopscope
