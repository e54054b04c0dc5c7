#pragma once
// Which number is black and which white (or blue and orange), and how many are beyond or no numbers at all.

#include "views/pictures/stage_image.h"
#include "views/settings/theme.h"

#include <QWidget>

namespace loopscope {

class StageLegend : public QWidget {
    Q_OBJECT

  public:
    explicit StageLegend(Theme &theme, QWidget *parent = nullptr);

    /// Null: of nothing.
    void setStage(const ShownStage *stage, const StageLook &look);
    [[nodiscard]] QString text() const; // "0 to 1, 3 brighter": as painted
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent *event) override;

  private:
    Theme &m_theme;
    bool m_shown = false;
    bool m_colours = false;
    ValueMapping m_mapping = ValueMapping::Stretched;
    PictureRange m_range;
    QString m_left, m_right, m_beyond;
};

} // namespace loopscope
