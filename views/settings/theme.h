#pragma once
// Colours by meaning, light and dark. Views ask for "the colour of a parallel loop", never for a hue, so that one
// place decides what is legible; the application's own palette comes from here too.

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QPalette>

#include <cstdint>

class QApplication;

namespace loopscope {

enum class ThemeChoice : uint8_t { System, Light, Dark };

/// What a colour stands for.
enum class Role : uint8_t {
    // Surfaces and text
    Window,
    Base,
    Raised, // cards, node bodies
    Border,
    Text,
    QuietText, // secondary text; still readable (contrast >= 4.5 on Base)
    Accent,    // the product's own colour: selection, primary button
    AccentText,
    Highlight, // background of what is selected elsewhere (a line, a row, a node)
    Hover,
    // Judgement
    Good,
    Warning,
    Bad,
    // Loops
    Serial,
    Parallel,
    Vector,
    Unroll,
    Reduction,
    BlockBound, // blockIdx
    VThreadBound,
    ThreadBound, // threadIdx
    TileLevel0,  // outermost tile level; 1..3 follow
    TileLevel1,
    TileLevel2,
    TileLevel3,
    // Memories of a GPU
    SharedMemory,
    LocalMemory,
    // Ops of a DAG
    Placeholder,
    Compute,
    ConstantMatrix,
    Output,
    // Plots
    Series0,
    Series1,
    Series2,
    Series3,
    Series4,
    Series5,
    Grid,
    // Code
    CodeKeyword,
    CodeNumber,
    CodeString,
    CodeComment,
    CodeFunction,
    CodeType,
    CodeRegister,
    CodeLabel,
    CurrentLine,
    LineNumber,
};

class Theme : public QObject {
    Q_OBJECT

  public:
    explicit Theme(QObject *parent = nullptr);

    /// Applies to the whole application (Fusion style, palette); System follows the desktop's palette.
    void apply(QApplication &application, ThemeChoice choice);
    [[nodiscard]] ThemeChoice choice() const { return m_choice; }
    [[nodiscard]] bool dark() const { return m_dark; }

    [[nodiscard]] QColor color(Role role) const;
    /// A tint of the role's colour that text of Role::Text stays readable on: badges, row backgrounds.
    [[nodiscard]] QColor tint(Role role) const;
    /// Distinct colours for series, cyclic.
    [[nodiscard]] QColor series(int index) const;
    /// Fixed-pitch, the user's size.
    [[nodiscard]] QFont codeFont() const;
    void setCodePointSize(int points); // 6 to 32
    /// An icon of resources/icons/<name>.svg, drawn in the text colour of the theme.
    [[nodiscard]] QIcon icon(const QString &name) const;

  signals:
    void changed();

  private:
    ThemeChoice m_choice = ThemeChoice::System;
    bool m_dark = false;
    int m_codePointSize = 0; // 0 = as the desktop has it
    QPalette m_systemPalette;
};

} // namespace loopscope
