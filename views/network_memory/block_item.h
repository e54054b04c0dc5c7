#pragma once
// A value in the picture of a memory plan, and the rules behind all of them.

#include "views/network_memory/memory_blocks.h"
#include "views/settings/theme.h"

#include <QFont>
#include <QGraphicsItem>

namespace loopscope {

class BlockItem : public QGraphicsItem {
  public:
    enum { Type = UserType + 42 };
    BlockItem(const Theme &theme, const MemoryBlock &block, int number, const QFont &font)
        : m_theme(theme), m_block(block), m_number(number), m_font(font) {}

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] int number() const { return m_number; }
    [[nodiscard]] bool selected() const { return m_selected; }
    void setSelected(bool selected);
    void setHovered(bool hovered);
    [[nodiscard]] QRectF boundingRect() const override { return m_block.rect.adjusted(-2, -2, 2, 2); }
    [[nodiscard]] QPainterPath shape() const override;
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

  private:
    const Theme &m_theme;
    const MemoryBlock &m_block; // of the view
    int m_number;
    QFont m_font;
    bool m_selected = false;
    bool m_hovered = false;
};

/// Bytes at the left, kernels below.
class ArenaItem : public QGraphicsItem {
  public:
    ArenaItem(const Theme &theme, const MemoryBlocks &picture, const QFont &font);
    [[nodiscard]] QRectF boundingRect() const override { return m_bounds; }
    [[nodiscard]] QPainterPath shape() const override { return {}; } // nothing to click on
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

  private:
    const Theme &m_theme;
    const MemoryBlocks &m_picture; // of the view
    QFont m_font;
    QRectF m_bounds;
};

} // namespace loopscope
