#pragma once
// Where in its round a search is: the stations in a row, the one it is at filled.

#include "views/search_progress/search_facts.h"
#include "views/settings/theme.h"

#include <QWidget>

#include <optional>

namespace loopscope {

class PhaseTrack final : public QWidget {
    Q_OBJECT

  public:
    explicit PhaseTrack(Theme &theme, QWidget *parent = nullptr);
    /// `paused`: it stands there.
    void setStation(std::optional<SearchStation> station, bool paused);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

  private:
    [[nodiscard]] double centreOf(int station) const;
    [[nodiscard]] int stationAt(double x) const;
    [[nodiscard]] int widest() const; // name, pixels
    Theme &m_theme;
    std::optional<SearchStation> m_station;
    bool m_paused = false;
};

} // namespace loopscope
