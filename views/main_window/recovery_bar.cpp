#include "views/main_window/recovery_bar.h"

#include "views/main_window/primary_button.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace loopscope {

RecoveryBar::RecoveryBar(Theme &theme, QWidget *parent)
    : QFrame(parent), m_theme(theme), m_text(new QLabel(this)), m_recover(new QPushButton(tr("Recover"), this)),
      m_dismiss(new QPushButton(tr("Start afresh"), this)) {
    setObjectName(QStringLiteral("recovery"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(10, 6, 10, 6);
    row->setSpacing(8);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_recover->setObjectName(QStringLiteral("recovery_recover"));
    m_dismiss->setObjectName(QStringLiteral("recovery_dismiss"));
    row->addWidget(m_text, 1);
    row->addWidget(m_recover);
    row->addWidget(m_dismiss);
    hide();
    connect(m_recover, &QPushButton::clicked, this, [this] {
        hide();
        Q_EMIT recover(m_path);
    });
    connect(m_dismiss, &QPushButton::clicked, this, [this] {
        hide();
        Q_EMIT dismiss(m_path);
    });
    connect(&theme, &Theme::changed, this, &RecoveryBar::restyle);
    restyle();
}

void RecoveryBar::offer(const QString &path, const QString &holds) {
    m_path = path;
    m_text->setText(tr("Loopscope did not end properly last time. It was open then: %1.").arg(holds));
    m_recover->setToolTip(tr("Open it as it was, from %1").arg(path));
    m_dismiss->setToolTip(tr("It stays in %1").arg(path));
    show();
    m_recover->setFocus();
}

void RecoveryBar::restyle() { m_recover->setStyleSheet(primaryStyle(m_theme)); }

} // namespace loopscope
