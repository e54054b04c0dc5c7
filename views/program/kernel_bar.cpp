#include "views/program/kernel_bar.h"

#include "views/session/text.h"

#include <QLabel>
#include <QVBoxLayout>

namespace loopscope {

namespace {

constexpr size_t kMaxLines = 3; // the Limits view has all

} // namespace

KernelBar::KernelBar(Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(8, 2, 8, 2);
    m_text = new QLabel(this);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setWordWrap(true);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_text->setAccessibleName(tr("Kernels"));
    column->addWidget(m_text);
    connect(&m_theme, &Theme::changed, this, &KernelBar::applyTheme);
    applyTheme();
}

void KernelBar::show(const GpuCode &code) {
    QStringList lines;
    for (const KernelFacts &kernel : code.kernels)
        lines << (code.kernels.size() > 1 ? QStringLiteral("%1: %2").arg(qt(kernel.limits.kernel), kernelText(kernel))
                                          : kernelText(kernel));
    const QString all = lines.join(u'\n');
    if (static_cast<size_t>(lines.size()) > kMaxLines) {
        const auto more = lines.size() - static_cast<qsizetype>(kMaxLines);
        lines = lines.first(static_cast<qsizetype>(kMaxLines));
        lines << tr("%1 more").arg(countedText(static_cast<size_t>(more), "kernel"));
    }
    if (!code.figuresProblem.isEmpty()) lines << tr("Registers are not known: %1").arg(code.figuresProblem);
    m_text->setText(lines.join(u'\n'));
    m_text->setToolTip(all);
}

void KernelBar::applyTheme() {
    QPalette quiet = m_text->palette();
    quiet.setColor(QPalette::WindowText, m_theme.color(Role::QuietText));
    m_text->setPalette(quiet);
}

} // namespace loopscope
