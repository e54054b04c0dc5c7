#pragma once
// Widgets one after the other, on as many lines as it takes: the table may stand in a narrow dock.

#include <QLayout>

#include <vector>

namespace loopscope {

class ChipFlow : public QLayout {
    Q_OBJECT

  public:
    explicit ChipFlow(int gap, QWidget *parent = nullptr) : QLayout(parent), m_gap(gap) {}
    ~ChipFlow() override;

    void addItem(QLayoutItem *item) override { m_items.push_back(item); }
    [[nodiscard]] int count() const override { return static_cast<int>(m_items.size()); }
    [[nodiscard]] QLayoutItem *itemAt(int index) const override;
    QLayoutItem *takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override { return place(QRect(0, 0, width, 0), false); }
    void setGeometry(const QRect &box) override;
    [[nodiscard]] QSize sizeHint() const override { return minimumSize(); }
    [[nodiscard]] QSize minimumSize() const override; // of the widest widget

  private:
    /// Height needed; puts the widgets there when `move`.
    int place(const QRect &box, bool move) const;

    std::vector<QLayoutItem *> m_items;
    int m_gap;
};

} // namespace loopscope
