#include "views/search_progress/bundle_strip.h"

#include "views/session/text.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>

namespace loopscope {

QString waitText(const BundleWait &wait, const QDateTime &now) {
    const double seconds = static_cast<double>(wait.since.msecsTo(now)) / 1e3;
    QString text =
        QStringLiteral("%1 waits for the results of %2")
            .arg(QFileInfo(wait.folder).fileName(), countedText(static_cast<size_t>(wait.candidates), "trial"));
    if (seconds >= 1) text += QStringLiteral(", for %1").arg(durationText(seconds));
    return asSentence(text);
}

BundleStrip::BundleStrip(Theme &theme, QWidget *parent)
    : QFrame(parent), m_theme(theme), m_what(new QLabel), m_command(new QLineEdit), m_then(new QLabel) {
    setObjectName(QStringLiteral("bundleStrip"));
    setAutoFillBackground(true);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(8, 6, 8, 6);
    column->setSpacing(4);
    QFont bold = m_what->font();
    bold.setBold(true);
    m_what->setFont(bold);
    m_what->setWordWrap(true);
    column->addWidget(m_what);
    auto *row = new QHBoxLayout;
    m_command->setReadOnly(true);
    m_command->setObjectName(QStringLiteral("bundleCommand"));
    m_command->setAccessibleName(tr("Command that measures the round"));
    row->addWidget(m_command, 1);
    auto *copyButton = new QPushButton(tr("Copy"));
    copyButton->setObjectName(QStringLiteral("bundleCopy"));
    copyButton->setToolTip(tr("Copies the command"));
    connect(copyButton, &QPushButton::clicked, this, &BundleStrip::copy);
    row->addWidget(copyButton);
    auto *openButton = new QPushButton(tr("Open folder"));
    openButton->setObjectName(QStringLiteral("bundleOpen"));
    connect(openButton, &QPushButton::clicked, this, &BundleStrip::openFolder);
    row->addWidget(openButton);
    column->addLayout(row);
    m_then->setWordWrap(true);
    m_then->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_then);
    connect(&theme, &Theme::changed, this, &BundleStrip::applyTheme);
    applyTheme();
    hide();
}

void BundleStrip::show(const std::optional<BundleWait> &wait) {
    setVisible(wait.has_value());
    if (!wait) return;
    m_what->setText(waitText(*wait, QDateTime::currentDateTime()));
    m_folder = wait->folder;
    if (m_command->text() == wait->command) return;
    m_command->setText(wait->command);
    m_command->setCursorPosition(0);
    m_then->setText(
        tr("Run it on the machine the kernels are for; the folder may be copied there, and its results.json "
           "back. Results are taken as soon as they are there. Stopped, the search can be continued at any "
           "time."));
}

void BundleStrip::copy() { QGuiApplication::clipboard()->setText(m_command->text()); }

void BundleStrip::openFolder() { QDesktopServices::openUrl(QUrl::fromLocalFile(m_folder)); }

void BundleStrip::applyTheme() {
    QPalette own = palette();
    own.setColor(QPalette::Window, m_theme.tint(Role::Accent));
    setPalette(own);
    QPalette quiet = m_then->palette();
    quiet.setColor(QPalette::WindowText, m_theme.color(Role::QuietText));
    m_then->setPalette(quiet);
}

} // namespace loopscope
