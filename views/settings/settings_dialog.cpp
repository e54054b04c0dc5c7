#include "views/settings/settings_dialog.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QThread>
#include <QVBoxLayout>

namespace loopscope {

SettingsDialog::SettingsDialog(Settings &settings, Theme &theme, std::function<QString(const QString &)> targetProblem,
                               QWidget *parent)
    : QDialog(parent), m_settings(settings), m_theme(theme), m_targetProblem(std::move(targetProblem)) {
    setObjectName(QStringLiteral("SettingsDialog"));
    setWindowTitle(tr("Settings"));
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(12);
    layout->addWidget(buildLook());
    layout->addWidget(buildDefaults());
    layout->addStretch(1);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    setMinimumWidth(fontMetrics().averageCharWidth() * 84);
}

QWidget *SettingsDialog::buildLook() {
    auto *box = new QGroupBox(tr("Look"), this);
    auto *form = new QFormLayout(box);
    auto *theme = new QComboBox(box);
    theme->setObjectName(QStringLiteral("theme"));
    theme->addItem(tr("as the desktop"), static_cast<int>(ThemeChoice::System));
    theme->addItem(tr("light"), static_cast<int>(ThemeChoice::Light));
    theme->addItem(tr("dark"), static_cast<int>(ThemeChoice::Dark));
    const auto show = [this, theme] { theme->setCurrentIndex(theme->findData(static_cast<int>(m_theme.choice()))); };
    show();
    connect(&m_theme, &Theme::changed, theme, show); // the theme can also be switched from the toolbar
    connect(theme, &QComboBox::activated, this, [this, theme] {
        const auto value = static_cast<ThemeChoice>(theme->currentData().toInt());
        m_settings.setTheme(value);
        m_theme.apply(*static_cast<QApplication *>(QApplication::instance()), value);
    });
    form->addRow(tr("Theme"), theme);

    auto *size = new QSpinBox(box);
    size->setObjectName(QStringLiteral("code_size"));
    size->setRange(0, 32);
    size->setSpecialValueText(tr("as the desktop"));
    size->setSuffix(tr(" pt"));
    size->setValue(m_settings.codePointSize());
    connect(size, &QSpinBox::valueChanged, this, [this, size](int points) {
        if (points > 0 && points < 6) { // nobody reads that; the way down leads to the desktop's size
            size->setValue(points == 5 ? 0 : 6);
            return;
        }
        m_settings.setCodePointSize(points);
        m_theme.setCodePointSize(points);
    });
    form->addRow(tr("Size of code"), size);

    auto *restore = new QCheckBox(tr("Open what was open last"), box);
    restore->setObjectName(QStringLiteral("restore_session"));
    restore->setChecked(m_settings.value(QStringLiteral("session/restore"), true).toBool());
    connect(restore, &QCheckBox::toggled, this,
            [this](bool on) { m_settings.setValue(QStringLiteral("session/restore"), on); });
    form->addRow(tr("At start"), restore);
    return box;
}

QWidget *SettingsDialog::buildDefaults() {
    auto *box = new QGroupBox(tr("Workloads opened from now on"), this);
    auto *form = new QFormLayout(box);
    m_target = new QLineEdit(m_settings.value(QStringLiteral("defaults/target")).toString(), box);
    m_target->setObjectName(QStringLiteral("default_target"));
    m_target->setPlaceholderText(QStringLiteral("llvm"));
    m_targetWords = new QLabel(box);
    m_targetWords->setWordWrap(true);
    auto *target = new QVBoxLayout;
    target->setSpacing(2);
    target->addWidget(m_target);
    target->addWidget(m_targetWords);
    connect(m_target, &QLineEdit::textChanged, this, &SettingsDialog::checkTarget);
    form->addRow(tr("Target"), target);

    auto *trials = new QSpinBox(box);
    trials->setObjectName(QStringLiteral("default_trials"));
    trials->setRange(1, 1'000'000);
    trials->setGroupSeparatorShown(true);
    trials->setValue(m_settings.value(QStringLiteral("search/trials"), 64).toInt());
    connect(trials, &QSpinBox::valueChanged, this,
            [this](int value) { m_settings.setValue(QStringLiteral("search/trials"), value); });
    form->addRow(tr("Trials of a search"), trials);

    auto *threads = new QSpinBox(box);
    threads->setObjectName(QStringLiteral("default_threads"));
    threads->setRange(0, 4 * QThread::idealThreadCount());
    threads->setSpecialValueText(tr("all %1 cores").arg(QThread::idealThreadCount()));
    threads->setValue(m_settings.value(QStringLiteral("search/threads"), 0).toInt());
    connect(threads, &QSpinBox::valueChanged, this,
            [this](int value) { m_settings.setValue(QStringLiteral("search/threads"), value); });
    form->addRow(tr("Threads of a search"), threads);

    auto *folder = new QLineEdit(m_settings.value(QStringLiteral("defaults/log_folder")).toString(), box);
    folder->setObjectName(QStringLiteral("log_folder"));
    folder->setPlaceholderText(m_settings.stateFolder() + QStringLiteral("/logs"));
    connect(folder, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_settings.setValue(QStringLiteral("defaults/log_folder"), text.trimmed());
    });
    auto *browse = new QPushButton(tr("Choose \u2026"), box);
    connect(browse, &QPushButton::clicked, this, [this, folder] {
        auto *dialog = new QFileDialog(this, tr("Folder for tuning logs"),
                                       folder->text().isEmpty() ? folder->placeholderText() : folder->text());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::Directory);
        dialog->setOption(QFileDialog::ShowDirsOnly);
        connect(dialog, &QFileDialog::fileSelected, folder, &QLineEdit::setText);
        dialog->open();
    });
    auto *row = new QHBoxLayout;
    row->addWidget(folder, 1);
    row->addWidget(browse);
    form->addRow(tr("Folder for tuning logs"), row);
    checkTarget();
    return box;
}

void SettingsDialog::checkTarget() {
    const QString text = m_target->text().trimmed();
    const QString problem = text.isEmpty() ? QString() : m_targetProblem(text);
    QPalette palette = m_targetWords->palette();
    palette.setColor(QPalette::WindowText, m_theme.color(problem.isEmpty() ? Role::QuietText : Role::Bad));
    m_targetWords->setPalette(palette);
    if (!problem.isEmpty()) { // what cannot be used is not kept
        m_targetWords->setText(problem);
        return;
    }
    m_targetWords->setText(tr("e.g. llvm, or llvm -mcpu=znver3 -num-cores=8"));
    m_settings.setValue(QStringLiteral("defaults/target"), text.isEmpty() ? QStringLiteral("llvm") : text);
}

} // namespace loopscope
