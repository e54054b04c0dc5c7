#include "views/program/assembly_bar.h"

#include "views/actions/flow_layout.h"
#include "views/program/hot_block_bar.h"
#include "views/session/text.h"

#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

namespace loopscope {

namespace {

constexpr size_t kButtons = 3; // the others are in a menu

QString counted(int count, const QString &one, const QString &many) {
    return QStringLiteral("%1 %2").arg(count).arg(count == 1 ? one : many);
}

QString spillText(const InstructionCounts &counts) {
    if (counts.spillStores == 0 && counts.spillReloads == 0) return QObject::tr("no spills");
    return QObject::tr("spills: %1, %2")
        .arg(counted(counts.spillStores, QObject::tr("store"), QObject::tr("stores")),
             counted(counts.spillReloads, QObject::tr("reload"), QObject::tr("reloads")));
}

QString separator() { return QStringLiteral("  %1  ").arg(QChar(0x00B7)); }

} // namespace

QString countsText(const InstructionCounts &counts) {
    QStringList parts{QStringLiteral("%1 FMA").arg(counts.fmas),
                      counted(counts.loads, QObject::tr("load"), QObject::tr("loads")),
                      counted(counts.stores, QObject::tr("store"), QObject::tr("stores"))};
    if (counts.spillStores + counts.spillReloads > 0) parts << spillText(counts);
    return QObject::tr("%1: %2").arg(
        counted(counts.instructions, QObject::tr("instruction"), QObject::tr("instructions")),
        parts.join(QStringLiteral(", ")));
}

QString summaryText(const AssemblySummary &summary) {
    const QStringList parts{
        QObject::tr("%1 vector, %2 general registers").arg(summary.vectorRegistersUsed).arg(summary.gpRegistersUsed),
        spillText(summary.counts),
        summary.stackBytes > 0 ? QObject::tr("%1 stack").arg(bytesText(summary.stackBytes)) : QObject::tr("no stack"),
        counted(summary.counts.instructions, QObject::tr("instruction"), QObject::tr("instructions")),
        bytesText(summary.bytes)};
    return parts.join(separator());
}

std::vector<size_t> loopsByWeight(const AssemblySummary &summary) {
    std::vector<size_t> order(summary.innermostLoops.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        const InstructionCounts &left = summary.innermostLoops[a].counts;
        const InstructionCounts &right = summary.innermostLoops[b].counts;
        return std::pair(left.fmas, left.instructions) > std::pair(right.fmas, right.instructions);
    });
    return order;
}

AssemblyBar::AssemblyBar(Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(8, 2, 8, 2);
    column->setSpacing(0);
    m_text = new QLabel(this);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setWordWrap(true);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_text->setAccessibleName(tr("Summary of the assembly"));
    column->addWidget(m_text);
    m_hottest = new HotBlockBar(theme, this);
    column->addWidget(m_hottest);
    connect(m_hottest, &HotBlockBar::asked, this, &AssemblyBar::loopAsked);
    auto *loops = new QWidget(this);
    m_loops = new FlowLayout(loops, 4, 0);
    column->addWidget(loops);
    connect(&m_theme, &Theme::changed, this, &AssemblyBar::applyTheme);
}

void AssemblyBar::show(const AssemblySummary &summary, const QStringList &names) {
    m_summary = summary;
    while (QLayoutItem *item = m_loops->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    const std::vector<size_t> order = loopsByWeight(summary);
    const auto describe = [&](size_t index) {
        const AssemblyLoop &loop = summary.innermostLoops[index];
        const QString name = names.value(static_cast<qsizetype>(index));
        return tr("%1line %2, %3")
            .arg(name.isEmpty() ? QString() : name + QStringLiteral(", "))
            .arg(loop.firstLine)
            .arg(countsText(loop.counts));
    };
    for (size_t i = 0; i < std::min(order.size(), kButtons); ++i) {
        const AssemblyLoop &loop = summary.innermostLoops[order[i]];
        auto *button = new QToolButton(this);
        button->setAutoRaise(true);
        const QString name = names.value(static_cast<qsizetype>(order[i]));
        button->setText(tr("%1: %2 instr, %3 FMA")
                            .arg(name.isEmpty() ? tr("Loop") : name)
                            .arg(loop.counts.instructions)
                            .arg(loop.counts.fmas));
        button->setToolTip(tr("Innermost loop. %1. Click to go there.").arg(describe(order[i])));
        button->setAccessibleName(describe(order[i]));
        connect(button, &QToolButton::clicked, this,
                [this, loop] { Q_EMIT loopAsked(loop.firstLine, loop.programLine); });
        m_loops->addWidget(button);
    }
    if (order.size() > kButtons) {
        auto *more = new QToolButton(this);
        more->setAutoRaise(true);
        more->setText(tr("%1 more loops").arg(order.size() - kButtons));
        more->setPopupMode(QToolButton::InstantPopup);
        auto *menu = new QMenu(more);
        for (size_t i = kButtons; i < std::min(order.size(), kButtons + 40); ++i) {
            const AssemblyLoop loop = summary.innermostLoops[order[i]];
            menu->addAction(describe(order[i]), this,
                            [this, loop] { Q_EMIT loopAsked(loop.firstLine, loop.programLine); });
        }
        more->setMenu(menu);
        m_loops->addWidget(more);
    }
    applyTheme();
}

void AssemblyBar::applyTheme() {
    const bool spills = m_summary.counts.spillStores + m_summary.counts.spillReloads > 0;
    const QString quiet = m_theme.color(Role::QuietText).name();
    const QString spill = m_theme.color(spills ? Role::Bad : Role::Good).name();
    QString text = summaryText(m_summary).toHtmlEscaped();
    const QString part = spillText(m_summary.counts);
    text.replace(part, QStringLiteral("<span style='color:%1'>%2</span>").arg(spill, part));
    m_text->setText(QStringLiteral("<span style='color:%1'>%2</span>").arg(quiet, text));
    m_text->setToolTip(summaryText(m_summary));
}

} // namespace loopscope
