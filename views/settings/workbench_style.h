#pragma once
// Fusion, with what it leaves to be desired in our palettes: handles of scroll bars that stand out from what they slide
// on, arrows of menu buttons beside their text, and dialog buttons without the desktop's icons, which know nothing of
// dark.

#include <QProxyStyle>

namespace loopscope {

class WorkbenchStyle : public QProxyStyle {
    Q_OBJECT

  public:
    WorkbenchStyle();

    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                  QStyleHintReturn *returned) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                            const QWidget *widget) const override;
};

} // namespace loopscope
