#include "views/program/hot_block_bar.h"

#include "search/explain/schedule_facts.h"
#include "views/session/text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace loopscope {

QString mixText(const HotBlock &block) {
    return QStringList{qt(kindsText(block.mix)), qt(vectorsText(block)), qt(spillsText(block))}.join(
        QStringLiteral("; "));
}

QString throughputText(const HotBlock &block) {
    if (!block.pressureProblem.empty()) return qt(block.pressureProblem);
    return QObject::tr("%1 cycles an iteration, bound by %2")
        .arg(block.pressure.cycles, 0, 'f', 1)
        .arg(qt(block.pressure.bound));
}

QString portsText(const HotBlock &block) {
    if (!block.pressureProblem.empty()) return qt(block.pressureProblem);
    const PortPressure &pressure = block.pressure;
    QStringList lines{QObject::tr("Simulated by LLVM's machine code analyser, all data in the first cache.")};
    if (!pressure.modelNote.empty()) lines << asSentence(qt(pressure.modelNote)) + u'.';
    lines << QObject::tr("%1 instructions, %2 micro-operations; %3 a cycle can be dispatched.")
                 .arg(pressure.instructions)
                 .arg(pressure.microOps, 0, 'f', 1)
                 .arg(pressure.dispatchWidth);
    if (pressure.leftOut > 0)
        lines << QObject::tr("%1 left out.").arg(countedText(static_cast<size_t>(pressure.leftOut), "call"));
    for (const BusyPort &port : pressure.ports) lines << qt(portText(port, pressure));
    return lines.join(u'\n');
}

PortBars::PortBars(const Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
}

void PortBars::show(const PortPressure &pressure) {
    m_pressure = pressure;
    QStringList spoken;
    for (const BusyPort &port : pressure.ports) spoken << qt(portText(port, pressure));
    setAccessibleName(tr("Busy ports: %1").arg(spoken.join(QStringLiteral(", "))));
    setVisible(!pressure.ports.empty());
    updateGeometry();
    update();
}

QSize PortBars::sizeHint() const {
    const int letter = fontMetrics().averageCharWidth();
    return {static_cast<int>(m_pressure.ports.size()) * (letter + 2), fontMetrics().height() + 4};
}

void PortBars::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    const int step = fontMetrics().averageCharWidth() + 2;
    int x = 0;
    for (const BusyPort &port : m_pressure.ports) {
        const QRect whole(x, 2, step - 2, height() - 4);
        painter.fillRect(whole, m_theme.color(Role::Border));
        const double share = std::clamp(port.cycles / std::max(m_pressure.cycles, 1e-9), 0.0, 1.0);
        const int high = static_cast<int>(whole.height() * share);
        painter.fillRect(QRect(x, whole.bottom() + 1 - high, whole.width(), high),
                         m_theme.color(share > 0.9 ? Role::Warning : Role::Accent));
        x += step;
    }
}

HotBlockBar::HotBlockBar(Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    m_go = new QToolButton(this);
    m_go->setAutoRaise(true);
    m_text = new QLabel(this);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setWordWrap(true);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_text->setAccessibleName(tr("Hottest block"));
    m_ports = new PortBars(theme, this);
    row->addWidget(m_go, 0, Qt::AlignTop);
    row->addWidget(m_text, 1);
    row->addWidget(m_ports, 0, Qt::AlignTop);
    connect(m_go, &QToolButton::clicked, this, [this] { Q_EMIT asked(m_block.firstLine, m_block.programLine); });
    connect(&m_theme, &Theme::changed, this, &HotBlockBar::applyTheme);
}

void HotBlockBar::show(const HotBlock &block, const QString &name, const QString &problem) {
    m_block = block;
    m_go->setVisible(problem.isEmpty());
    m_ports->setVisible(problem.isEmpty());
    if (!problem.isEmpty()) {
        m_text->setText(tr("No hottest block: %1").arg(problem));
        m_text->setToolTip({});
        return;
    }
    const QString what = name.isEmpty() ? (block.loop ? tr("a loop") : tr("the longest function")) : name;
    m_go->setText(tr("Hottest: %1").arg(what));
    m_go->setToolTip(block.loop
                         ? tr("The block with the most instructions executed: line %1, %2 iterations. Click to go "
                              "there.")
                               .arg(block.firstLine)
                               .arg(countText(block.iterations))
                         : tr("No loop is left of the kernel: its longest function. Click to go there."));
    m_go->setAccessibleName(m_go->text());
    m_text->setText(mixText(block) + QStringLiteral("; ") + throughputText(block));
    m_text->setToolTip(portsText(block));
    m_ports->show(block.pressureProblem.empty() ? block.pressure : PortPressure());
    m_ports->setToolTip(portsText(block));
    applyTheme();
}

void HotBlockBar::applyTheme() {
    m_text->setStyleSheet(QStringLiteral("color: %1").arg(m_theme.color(Role::QuietText).name()));
    m_ports->update();
}

} // namespace loopscope
