#pragma once
// A line of text that ends in dots where it does not fit, instead of in the middle of a letter, and never widens what
// it stands in. What was cut is its tooltip, unless it was given one. Plain text only; a paragraph is a QLabel that
// wraps.

#include <QLabel>

namespace loopscope {

class ElidedLabel : public QLabel {
    Q_OBJECT

  public:
    explicit ElidedLabel(QWidget *parent = nullptr);

    [[nodiscard]] QSize minimumSizeHint() const override;
    /// The text as it is to be seen.
    [[nodiscard]] QString shownText() const;
    [[nodiscard]] bool isCut() const { return shownText() != text(); }

  protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
};

} // namespace loopscope
