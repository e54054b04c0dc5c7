#pragma once
// The hottest block of the machine code in one line above the assembly: what its instructions are, how wide its
// vectors, how long an iteration takes, and a bar for every port it keeps busy. A click goes there.

#include "codegen/hot_block.h"
#include "views/settings/theme.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace loopscope {

/// "16 fmas, 8 loads, 3 address, 1 branches; 512-bit vectors; nothing spilled".
QString mixText(const HotBlock &block);
/// "20.0 cycles an iteration, bound by Zn4FP1"; why there is no such number else.
QString throughputText(const HotBlock &block);
/// Every port with its share of the time, and whose model that is.
QString portsText(const HotBlock &block);

/// A bar for each port, as high as it is busy.
class PortBars : public QWidget {
    Q_OBJECT

  public:
    PortBars(const Theme &theme, QWidget *parent);
    void show(const PortPressure &pressure);
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent *event) override;

  private:
    const Theme &m_theme;
    PortPressure m_pressure;
};

class HotBlockBar : public QWidget {
    Q_OBJECT

  public:
    HotBlockBar(Theme &theme, QWidget *parent);
    /// `name`: of its loop; `problem`: why there is no hottest block, empty when there is.
    void show(const HotBlock &block, const QString &name, const QString &problem);

  signals:
    void asked(int disassemblyLine, int programLine);

  private:
    void applyTheme();

    Theme &m_theme;
    HotBlock m_block;
    QToolButton *m_go = nullptr;
    QLabel *m_text = nullptr;
    PortBars *m_ports = nullptr;
};

} // namespace loopscope
