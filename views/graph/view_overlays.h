#pragma once
// What lies over a graph: a sentence in the middle while there is nothing to draw, and a corner that says what is being
// worked on and how to stop it.

#include "views/settings/theme.h"

#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QWidget>

#include <functional>

namespace loopscope {

/// "Open a workload to see its ComputeDAG", with what to press where there is such a thing.
class EmptyOverlay : public QWidget {
    Q_OBJECT

  public:
    EmptyOverlay(Theme &theme, QWidget *parent);
    void setText(const QString &text, const QString &button, std::function<void()> action);
    [[nodiscard]] QString text() const { return m_label->text(); }
    void placeIn(const QRect &area);

  private:
    void restyle();
    Theme &m_theme;
    QLabel *m_label;
    QPushButton *m_button;
    std::function<void()> m_action;
};

/// "Laying out 1000 nodes ..." [Cancel]. Appears only when the work takes longer than a blink.
class BusyCorner : public QWidget {
    Q_OBJECT

  public:
    BusyCorner(Theme &theme, QWidget *parent);
    void begin(const QString &text, std::function<void()> cancel);
    /// Not busy, but something to know: at once, with or without a button.
    void say(const QString &text, const QString &button, std::function<void()> action);
    void end();
    [[nodiscard]] bool busy() const { return m_busy; }
    [[nodiscard]] QString text() const { return m_label->text(); }
    void placeIn(const QRect &area);

  protected:
    void paintEvent(QPaintEvent *event) override;

  private:
    Theme &m_theme;
    QLabel *m_label;
    QToolButton *m_button;
    std::function<void()> m_action;
    QRect m_area;
    bool m_busy = false;
};

/// Both of them over one graph.
class GraphNotices : public QObject {
    Q_OBJECT

  public:
    GraphNotices(Theme &theme, QWidget *graph);

    /// In the middle while there is no picture: "Open a workload to see its ComputeDAG", with a button where there is
    /// something to do about it.
    void setEmptyText(const QString &text, const QString &button = {}, std::function<void()> action = {});
    [[nodiscard]] QString emptyText() const; // as shown; empty when it is not
    /// Shown in a corner with a way to cancel until clearBusy: "Laying out 1000 nodes ...".
    void setBusy(const QString &text, std::function<void()> cancel);
    void clearBusy();
    [[nodiscard]] QString busyText() const; // empty when not busy
    /// In the same corner, at once and without work going on: "Layout cancelled" [Lay out again]. Empty: nothing.
    void setNote(const QString &text, const QString &button = {}, std::function<void()> action = {});
    [[nodiscard]] QString note() const;

    /// The room there is, and whether there is a picture in it.
    void placeIn(const QRect &area, bool pictured);

  private:
    void place();
    EmptyOverlay *m_empty;
    BusyCorner *m_busy;
    QRect m_area;
    bool m_pictured = false;
};

} // namespace loopscope
