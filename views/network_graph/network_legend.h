#pragma once
// What the colours of the network's boxes mean; lies in a corner of the graph.

#include "views/network_graph/network_picture.h"

#include <QWidget>

namespace loopscope {

class NetworkLegend : public QWidget {
    Q_OBJECT

  public:
    NetworkLegend(const Theme &theme, QWidget *graph);
    [[nodiscard]] QSize sizeHint() const override;
    /// `most`: what the strongest colour stands for.
    void show(Overlay overlay, double most, const std::set<BoxKind> &kinds);
    void place();
    /// It is seen where there is room beside it: in a narrow dock it would lie upon the boxes.
    void setWanted(bool wanted);
    [[nodiscard]] QStringList texts() const;

  protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;

  private:
    [[nodiscard]] int columnWidth() const;
    [[nodiscard]] int rows(int columns) const;
    [[nodiscard]] QSize sizeFor(int columns) const;

    const Theme &m_theme;
    Overlay m_overlay = Overlay::None;
    double m_most = 0;
    bool m_wanted = false;
    int m_columns = 1;
    std::vector<BoxKind> m_kinds;
};

} // namespace loopscope
