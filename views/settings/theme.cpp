#include "views/settings/theme.h"

#include "views/settings/workbench_style.h"

#include <QApplication>
#include <QFontDatabase>
#include <QIconEngine>
#include <QPainter>
#include <QStyle>
#include <QSvgRenderer>

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

struct Pair {
    QRgb light;
    QRgb dark;
};

/// In the order of Role. Hues of the loop kinds are the same in both themes, their lightness is not.
constexpr std::array<Pair, 48> kColors{{
    {0xfff4f5f7, 0xff1f2226}, // Window
    {0xffffffff, 0xff26292e}, // Base
    {0xfffbfbfc, 0xff2d3137}, // Raised
    {0xffcdd2d9, 0xff454b54}, // Border
    {0xff1d2329, 0xffe4e7eb}, // Text
    {0xff5b6571, 0xffa3acb8}, // QuietText
    {0xff0f62c8, 0xff5aa2f5}, // Accent
    {0xffffffff, 0xff0f1a26}, // AccentText
    {0xffffe9a8, 0xff5c4d16}, // Highlight
    {0xffe9eef6, 0xff363c45}, // Hover
    {0xff1e7f3c, 0xff5fc27e}, // Good
    {0xff9a6200, 0xffe0ab4a}, // Warning
    {0xffbf2a2a, 0xfff07b73}, // Bad
    {0xff6b7683, 0xff98a2ae}, // Serial
    {0xff1c78c0, 0xff62b0ec}, // Parallel
    {0xff8a3fc0, 0xffc18cf0}, // Vector
    {0xffb8620a, 0xfff0a35a}, // Unroll
    {0xff0d8577, 0xff54c4b4}, // Reduction
    {0xff3d47b8, 0xff9aa2f7}, // BlockBound
    {0xff5c7a12, 0xffb5d05c}, // VThreadBound
    {0xffb8336f, 0xfff07fb0}, // ThreadBound
    {0xff2f5d9c, 0xff7aa7e0}, // TileLevel0
    {0xff3f86a8, 0xff77c0de}, // TileLevel1
    {0xff4c9a7d, 0xff83d1b4}, // TileLevel2
    {0xff7fa04a, 0xffb3d081}, // TileLevel3
    {0xff8a6d00, 0xffdcc052}, // SharedMemory
    {0xff0d6f8a, 0xff7accdf}, // LocalMemory
    {0xff6b7683, 0xff98a2ae}, // Placeholder
    {0xff1c78c0, 0xff62b0ec}, // Compute
    {0xff9a7b00, 0xffd9bd55}, // ConstantMatrix
    {0xff1e7f3c, 0xff5fc27e}, // Output
    {0xff1c78c0, 0xff62b0ec}, // Series0
    {0xffd1641a, 0xfff0a35a}, // Series1
    {0xff2c8a4a, 0xff6fcf8e}, // Series2
    {0xff8a3fc0, 0xffc18cf0}, // Series3
    {0xffb8336f, 0xfff07fb0}, // Series4
    {0xff7a6a00, 0xffd9c655}, // Series5
    {0xffe3e6ea, 0xff3a3f47}, // Grid
    {0xff1750a8, 0xff7ab8ff}, // CodeKeyword
    {0xff0b7261, 0xff7fd6c2}, // CodeNumber
    {0xff9c3d10, 0xffe8a77c}, // CodeString
    {0xff64707c, 0xff8d98a5}, // CodeComment
    {0xff6f3aa8, 0xffd0a6f5}, // CodeFunction
    {0xff0d6f8a, 0xff7accdf}, // CodeType
    {0xff8a4b00, 0xffe6c07b}, // CodeRegister
    {0xffa3216a, 0xfff29ac8}, // CodeLabel
    {0xfff0f3f8, 0xff2e333a}, // CurrentLine
    {0xff808a95, 0xff77818d}, // LineNumber
}};
static_assert(kColors.size() == static_cast<size_t>(Role::LineNumber) + 1 && kColors.back().light != 0);

QPalette paletteOf(const Theme &theme) {
    QPalette palette;
    const auto set = [&](QPalette::ColorRole role, Role meaning) { palette.setColor(role, theme.color(meaning)); };
    set(QPalette::Window, Role::Window);
    set(QPalette::WindowText, Role::Text);
    set(QPalette::Base, Role::Base);
    set(QPalette::AlternateBase, Role::Raised);
    set(QPalette::Text, Role::Text);
    set(QPalette::Button, Role::Raised);
    set(QPalette::ButtonText, Role::Text);
    set(QPalette::ToolTipBase, Role::Raised);
    set(QPalette::ToolTipText, Role::Text);
    set(QPalette::PlaceholderText, Role::QuietText);
    set(QPalette::Highlight, Role::Accent);
    set(QPalette::HighlightedText, Role::AccentText);
    set(QPalette::Link, Role::Accent);
    set(QPalette::LinkVisited, Role::Accent);
    set(QPalette::BrightText, Role::Bad);
    const QColor window = theme.color(Role::Window);
    palette.setColor(QPalette::Light, window.lighter(theme.dark() ? 150 : 104));
    palette.setColor(QPalette::Midlight, window.lighter(theme.dark() ? 125 : 102));
    palette.setColor(QPalette::Mid, theme.color(Role::Border));
    palette.setColor(QPalette::Dark, window.darker(theme.dark() ? 160 : 140));
    palette.setColor(QPalette::Shadow, theme.dark() ? QColor(0, 0, 0) : QColor(0x70, 0x76, 0x7e));
    QColor disabled = theme.color(Role::QuietText);
    disabled.setAlphaF(0.6F);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        palette.setColor(QPalette::Disabled, role, disabled);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, theme.color(Role::Border));
    return palette;
}

/// An SVG drawn in the text colour of the moment, so that icons follow the theme without being made again.
class ThemedIcon : public QIconEngine {
  public:
    ThemedIcon(const Theme &theme, QString path) : m_theme(theme), m_path(std::move(path)) {}
    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override {
        const qreal scale = painter->device()->devicePixelRatioF();
        painter->drawPixmap(rect, draw(rect.size() * scale, mode));
    }
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State) override { return draw(size, mode); }
    QPixmap scaledPixmap(const QSize &size, QIcon::Mode mode, QIcon::State, qreal) override { return draw(size, mode); }
    [[nodiscard]] QIconEngine *clone() const override { return new ThemedIcon(m_theme, m_path); }

  private:
    [[nodiscard]] QPixmap draw(const QSize &size, QIcon::Mode mode) const {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QSvgRenderer renderer(m_path);
        QPainter painter(&pixmap);
        renderer.setAspectRatioMode(Qt::KeepAspectRatio);
        renderer.render(&painter, QRectF(QPointF(), QSizeF(size)));
        painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
        QColor ink = m_theme.color(mode == QIcon::Selected ? Role::AccentText : Role::Text);
        if (mode == QIcon::Disabled) ink = m_theme.color(Role::QuietText);
        if (mode == QIcon::Disabled) ink.setAlphaF(0.5F);
        painter.fillRect(pixmap.rect(), ink);
        return pixmap;
    }
    const Theme &m_theme;
    QString m_path;
};

} // namespace

Theme::Theme(QObject *parent) : QObject(parent) {}

void Theme::apply(QApplication &application, ThemeChoice choice) {
    static const QPalette desktop = QApplication::palette(); // before we first set one
    m_systemPalette = desktop;
    m_choice = choice;
    m_dark = choice == ThemeChoice::Dark ||
             (choice == ThemeChoice::System && m_systemPalette.color(QPalette::Window).lightnessF() < 0.5F);
    if (!qobject_cast<WorkbenchStyle *>(application.style())) QApplication::setStyle(new WorkbenchStyle);
    QApplication::setPalette(paletteOf(*this));
    Q_EMIT changed();
}

QColor Theme::color(Role role) const {
    const auto &pair = kColors[static_cast<size_t>(role)];
    return QColor::fromRgb(m_dark ? pair.dark : pair.light);
}

QColor Theme::tint(Role role) const {
    const QColor base = color(Role::Base);
    const QColor full = color(role);
    const float share = m_dark ? 0.26F : 0.14F;
    const auto mix = [share](float a, float b) { return a + (b - a) * share; };
    return QColor::fromRgbF(mix(base.redF(), full.redF()), mix(base.greenF(), full.greenF()),
                            mix(base.blueF(), full.blueF()));
}

QColor Theme::series(int index) const {
    constexpr int kSeries = static_cast<int>(Role::Series5) - static_cast<int>(Role::Series0) + 1;
    return color(static_cast<Role>(static_cast<int>(Role::Series0) + ((index % kSeries) + kSeries) % kSeries));
}

QFont Theme::codeFont() const {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setStyleHint(QFont::Monospace);
    if (m_codePointSize > 0) font.setPointSize(m_codePointSize);
    return font;
}

void Theme::setCodePointSize(int points) {
    const int wanted = points <= 0 ? 0 : std::clamp(points, 6, 32);
    if (wanted == m_codePointSize) return;
    m_codePointSize = wanted;
    Q_EMIT changed();
}

QIcon Theme::icon(const QString &name) const {
    if (name.isEmpty()) return {};
    return QIcon(new ThemedIcon(*this, QStringLiteral(":/icons/%1.svg").arg(name)));
}

} // namespace loopscope
