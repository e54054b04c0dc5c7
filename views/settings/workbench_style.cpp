#include "views/settings/workbench_style.h"

#include <QStyleOption>

namespace loopscope {

WorkbenchStyle::WorkbenchStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

int WorkbenchStyle::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                              QStyleHintReturn *returned) const {
    if (hint == SH_DialogButtonBox_ButtonsHaveIcons) return 0;
    return QProxyStyle::styleHint(hint, option, widget, returned);
}

void WorkbenchStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                                        const QWidget *widget) const {
    if (const auto *bar = qstyleoption_cast<const QStyleOptionSlider *>(option); bar && control == CC_ScrollBar) {
        QStyleOptionSlider part = *bar; // all but the handle, then the handle in a colour of its own
        part.subControls = bar->subControls & ~SC_ScrollBarSlider;
        QProxyStyle::drawComplexControl(control, &part, painter, widget);
        if (!bar->subControls.testFlag(SC_ScrollBarSlider)) return;
        part.subControls = SC_ScrollBarSlider;
        const QColor mid = bar->palette.color(QPalette::Mid);
        part.palette.setColor(QPalette::Button, mid.lightnessF() > 0.5F ? mid.darker(114) : mid);
        QProxyStyle::drawComplexControl(control, &part, painter, widget);
        return;
    }
    const auto *button = qstyleoption_cast<const QStyleOptionToolButton *>(option);
    if (control != CC_ToolButton || !button || button->text.isEmpty() ||
        (button->toolButtonStyle != Qt::ToolButtonTextBesideIcon &&
         button->toolButtonStyle != Qt::ToolButtonTextOnly) ||
        !button->features.testFlag(QStyleOptionToolButton::HasMenu) ||
        button->features.testFlag(QStyleOptionToolButton::MenuButtonPopup)) {
        QProxyStyle::drawComplexControl(control, option, painter, widget);
        return;
    }
    QStyleOptionToolButton plain = *button;
    plain.features.setFlag(QStyleOptionToolButton::HasMenu, false);
    QProxyStyle::drawComplexControl(control, &plain, painter, widget);
    QStyleOption arrow = *button;
    const int side = proxy()->pixelMetric(PM_MenuButtonIndicator, button, widget) - 6;
    const int frame = button->state.testFlag(State_AutoRaise) ? 0 : 4; // the arrow stands inside what is framed
    arrow.rect = QRect(button->rect.right() - side - frame, button->rect.center().y() - side / 2 + 1, side, side);
    proxy()->drawPrimitive(PE_IndicatorArrowDown, &arrow, painter, widget);
}

} // namespace loopscope
