#include "views/main_window/recovery_bar.h"

#include "views/main_window/primary_button.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace loopscope {

RecoveryBar::RecoveryBar(Theme &theme, QWidget *parent)
    : QFrame(parent), m_theme(theme), m_text(new QLabel(this)), m_recover(new QPushButton(this)),
      m_dismiss(new QPushButton(this)) {
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
        if (m_part)
            Q_EMIT recoverPart(m_path);
        else
            Q_EMIT recover(m_path);
    });
    connect(m_dismiss, &QPushButton::clicked, this, [this] {
        hide();
        if (!m_part) Q_EMIT dismiss(m_path);
    });
    connect(&theme, &Theme::changed, this, &RecoveryBar::restyle);
    restyle();
}

void RecoveryBar::offer(const QString &path, const QString &holds) {
    m_path = path;
    m_part = false;
    m_dismiss->setToolTip(tr("It stays in %1").arg(path));
    ask(tr("Loopscope did not end properly last time. It was open then: %1.").arg(holds), tr("Recover"),
        tr("Start afresh"));
}

void RecoveryBar::offerPart(const QString &path, const QString &why, const QString &holds) {
    m_path = path;
    m_part = true;
    m_dismiss->setToolTip(tr("The file stays as it is"));
    ask(tr("%1 cannot be opened as it is: %2. What can be read of it: %3.").arg(path, why, holds),
        tr("Open what can be read"), tr("Leave it"));
}

void RecoveryBar::ask(const QString &text, const QString &yes, const QString &no) {
    m_text->setText(text);
    m_recover->setText(yes);
    m_recover->setToolTip(m_part ? tr("Open this much of %1; the file stays as it is").arg(m_path)
                                 : tr("Open it as it was, from %1").arg(m_path));
    m_dismiss->setText(no);
    show();
    m_recover->setFocus();
}

void RecoveryBar::restyle() { m_recover->setStyleSheet(primaryStyle(m_theme)); }

} // namespace loopscope
