#pragma once
// Two aligned texts on screen, side by side in one area, so that they can only scroll together.

#include "views/actions/view_roles.h"
#include "views/compare/diff_paint.h"
#include "views/text/find_matches.h"

#include <QAbstractScrollArea>

#include <array>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace loopscope {

class DiffText : public QAbstractScrollArea, public ZoomRole {
    Q_OBJECT

  public:
    explicit DiffText(Theme &theme, QWidget *parent = nullptr);

    /// Keeps its place when the same sides come again, filtered in another way.
    void setText(std::shared_ptr<const AlignedText> text, CodeLanguage language) {
        setText(std::move(text), language, language);
    }
    void setText(std::shared_ptr<const AlignedText> text, CodeLanguage left, CodeLanguage right);
    [[nodiscard]] const std::shared_ptr<const AlignedText> &text() const { return m_text; }
    /// Numbers of lines to highlight: "the same loop as selected elsewhere".
    void setMarked(AlignedText::Side side, std::set<int> numbers, bool reveal);
    [[nodiscard]] const std::set<int> &marked(AlignedText::Side side) const { return m_marked[side]; }
    /// Matches by side, as MatchFinder finds them in AlignedText::text.
    void setMatches(const std::vector<FindMatch> &left, const std::vector<FindMatch> &right);
    void stepMatch(int direction);
    [[nodiscard]] QString matchText() const; // "3 of 12"

    void stepDifference(int direction);
    [[nodiscard]] int currentDifference() const; // index of the one at or above the current row, -1 none
    void goToRow(int row);
    [[nodiscard]] int currentRow() const { return m_current; }
    [[nodiscard]] QString selectedText() const; // of the side last clicked
    void copy() const;

    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;

  signals:
    void lineChosen(AlignedText::Side side, int number); // by click or keys
    void currentChanged();
    void unfoldAsked(); // a folded stretch was clicked

  protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void changeEvent(QEvent *event) override;

  private:
    [[nodiscard]] QRect pane(AlignedText::Side side) const;
    [[nodiscard]] int gutter() const;
    [[nodiscard]] int rowAt(int y) const; // -1 below the last
    void layoutText();
    void moveTo(int row, bool extend);
    [[nodiscard]] bool stripAt(int x) const;
    [[nodiscard]] int rowOfLine(AlignedText::Side side, int line) const;
    void showMatch();
    void showColumns(const AlignedRow &row);

    Theme &m_theme;
    std::shared_ptr<const AlignedText> m_text;
    std::array<CodeLanguage, 2> m_languages{CodeLanguage::Plain, CodeLanguage::Plain}; // by side
    QFont m_font;
    int m_height = 1;    // of a row
    qreal m_advance = 1; // of a character
    int m_current = 0;
    int m_anchor = 0;
    AlignedText::Side m_side = AlignedText::Left;
    std::set<int> m_marked[2];
    std::vector<DiffMatch> m_matches; // by row
    int m_match = -1;
};

} // namespace loopscope
