#pragma once
// Widgets one after the other, going on in the next line where the width ends: forms and facts that stay readable in a
// narrow dock.

#include <QLayout>

#include <vector>

namespace loopscope {

class FlowLayout final : public QLayout {
  public:
    explicit FlowLayout(QWidget *parent, int horizontal = 16, int vertical = 6);
    ~FlowLayout() override;

    void addItem(QLayoutItem *item) override;
    [[nodiscard]] int count() const override { return static_cast<int>(m_items.size()); }
    [[nodiscard]] QLayoutItem *itemAt(int index) const override;
    QLayoutItem *takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override { return layOut(QRect(0, 0, width, 0), false); }
    [[nodiscard]] QSize minimumSize() const override;
    [[nodiscard]] QSize sizeHint() const override { return minimumSize(); }
    void setGeometry(const QRect &rect) override;

  private:
    int layOut(const QRect &rect, bool move) const;
    int m_horizontal;
    int m_vertical;
    std::vector<QLayoutItem *> m_items;
};

} // namespace loopscope
