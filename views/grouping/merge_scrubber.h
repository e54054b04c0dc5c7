#pragma once
// The way through the merges: a slider with a stop for every round, buttons to both sides, and what the round did.

#include "views/session/view_context.h"

#include <QWidget>

class QAction;
class QLabel;
class QSlider;

namespace loopscope {

class ElidedLabel;

class MergeScrubber final : public QWidget {
    Q_OBJECT

  public:
    explicit MergeScrubber(QWidget *parent = nullptr);

    /// In front of and behind the slider.
    void setActions(QAction *previous, QAction *next);
    void setPlaces(size_t last, size_t place);
    void setPlace(size_t place); // tells nobody
    void setTexts(const QString &title, const QString &change);
    [[nodiscard]] size_t place() const;
    [[nodiscard]] size_t last() const;
    [[nodiscard]] QSlider &slider() const { return *m_slider; }
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString change() const;

  signals:
    void placeChosen(size_t place);

  private:
    QSlider *m_slider;
    QLabel *m_count;
    ElidedLabel *m_title;
    QLabel *m_change;
};

} // namespace loopscope
