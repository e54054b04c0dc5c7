#pragma once
// A run as a line: kernels one after the other, as wide as they take. Another profile lies below it on the same scale,
// with lines between what computes the same.

#include "views/network_profile/profile_model.h"

#include <QWidget>

namespace loopscope {

class ProfileTimeline : public QWidget {
    Q_OBJECT

  public:
    ProfileTimeline(const Theme &theme, const ProfileModel &model, QWidget *parent = nullptr);

    void setSelected(std::set<int> rows);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }
    /// Where the kernel of a row lies.
    [[nodiscard]] QRectF bar(int row) const;
    /// The row whose kernel lies there; -1: none.
    [[nodiscard]] int rowAt(QPointF position) const;

  signals:
    void clicked(int row); // -1: beside all kernels

  protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

  private:
    void layOut();
    [[nodiscard]] double scale() const; // pixels of a second
    [[nodiscard]] int laneHeight() const { return fontMetrics().height() + 8; }
    [[nodiscard]] QRectF otherBar(size_t kernel) const;
    void drawBar(QPainter &painter, const QRectF &bar, const QString &name, const QColor &colour, bool strong) const;
    [[nodiscard]] QColor colourOf(const QString &name) const;

    const Theme &m_theme;
    const ProfileModel &m_model;
    std::set<int> m_selected;
    std::vector<double> m_begin, m_otherBegin; // seconds, one more than there are kernels
    QStringList m_names;                       // of kernels, for their colours
};

} // namespace loopscope
