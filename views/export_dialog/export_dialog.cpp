#include "views/export_dialog/export_dialog.h"

#include "records/export/write_files.h"
#include "views/session/text.h"
#include "views/text/code_text.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSplitter>
#include <QTabBar>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

constexpr int kFormatRole = Qt::UserRole;
const QString kFolderSetting = QStringLiteral("window/folder");
const QString kFormatSetting = QStringLiteral("export/format");

CodeLanguage languageOf(const QString &file) {
    const QString suffix = QFileInfo(file).suffix();
    if (suffix == QLatin1String("c") || suffix == QLatin1String("h") || suffix == QLatin1String("cpp"))
        return CodeLanguage::C;
    if (suffix == QLatin1String("cu")) return CodeLanguage::Cuda;
    if (suffix == QLatin1String("ll")) return CodeLanguage::LlvmIr;
    if (suffix == QLatin1String("s")) return CodeLanguage::Assembly;
    if (suffix == QLatin1String("te")) return CodeLanguage::Te;
    return CodeLanguage::Plain;
}

bool isText(const std::string &bytes) { return std::find(bytes.begin(), bytes.end(), '\0') == bytes.end(); }

QString stemOf(const ExportRequest &request) {
    return QString::fromStdString(request.task.dag->name()).replace(QLatin1Char('/'), QLatin1Char('_'));
}

} // namespace

ExportDialog::ExportDialog(const ViewContext &context, QWidget *parent) : QDialog(parent), m_context(context) {
    setObjectName(QStringLiteral("ExportDialog"));
    setWindowTitle(QStringLiteral("Export schedule as code"));
    setModal(false);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    m_schedule = new QLabel(this);
    m_schedule->setTextFormat(Qt::PlainText);
    column->addWidget(m_schedule);
    auto *splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(buildFormats());
    splitter->addWidget(buildPreview());
    splitter->setStretchFactor(0, 0);
    splitter->setStretchFactor(1, 1);
    column->addWidget(splitter, 1);
    column->addWidget(buildPath());
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_save = buttons->addButton(QStringLiteral("Save"), QDialogButtonBox::AcceptRole);
    m_save->setDefault(true);
    buttons->button(QDialogButtonBox::Cancel)->setIcon({});
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(&context.theme, &Theme::changed, this, &ExportDialog::restyle);
    const int em = fontMetrics().averageCharWidth();
    resize(em * 140, fontMetrics().height() * 38);
    splitter->setSizes({em * 32, em * 108});
    restyle();
}

QWidget *ExportDialog::buildFormats() {
    m_formats = new QListWidget(this);
    m_formats->setAccessibleName(QStringLiteral("Formats"));
    for (const ExportFormatInfo &info : exportFormats()) {
        auto *item = new QListWidgetItem(qt(info.title), m_formats);
        item->setData(kFormatRole, qt(info.name));
        item->setToolTip(qt(info.what));
    }
    m_formats->setMinimumWidth(m_formats->sizeHintForColumn(0) + 2 * m_formats->frameWidth() +
                               2 * fontMetrics().averageCharWidth());
    connect(m_formats, &QListWidget::currentRowChanged, this, &ExportDialog::formatChosen);
    return m_formats;
}

QWidget *ExportDialog::buildPreview() {
    auto *box = new QWidget(this);
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(4, 0, 0, 0);
    m_what = new QLabel(box);
    m_what->setWordWrap(true);
    m_what->setTextFormat(Qt::PlainText);
    column->addWidget(m_what);
    m_files = new QTabBar(box);
    m_files->setAccessibleName(QStringLiteral("Files"));
    m_files->setExpanding(false);
    m_files->setDrawBase(false);
    m_files->setUsesScrollButtons(true);
    column->addWidget(m_files);
    connect(m_files, &QTabBar::currentChanged, this, &ExportDialog::showFile);
    m_preview = new CodeText(m_context.theme, CodeLanguage::Plain, true, box);
    column->addWidget(m_preview, 1);
    return box;
}

QWidget *ExportDialog::buildPath() {
    auto *box = new QWidget(this);
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    auto *row = new QHBoxLayout;
    auto *label = new QLabel(QStringLiteral("&To"), box);
    m_path = new QLineEdit(box);
    m_path->setAccessibleName(QStringLiteral("Where to write"));
    label->setBuddy(m_path);
    auto *choose = new QPushButton(QStringLiteral("Choose \u2026"), box);
    choose->setObjectName(QStringLiteral("exportBrowse"));
    choose->setAutoDefault(false);
    row->addWidget(label);
    row->addWidget(m_path, 1);
    row->addWidget(choose);
    column->addLayout(row);
    m_verdict = new QLabel(box);
    m_verdict->setWordWrap(true);
    m_verdict->setTextFormat(Qt::PlainText);
    m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_verdict);
    connect(choose, &QPushButton::clicked, this, &ExportDialog::browse);
    connect(m_path, &QLineEdit::textChanged, this, [this] {
        if (!m_saving) say({}, false);
        refreshSave();
    });
    return box;
}

void ExportDialog::begin(const ScheduleRef &ref) {
    ++m_version;
    for (const auto &[format, made] : m_made)
        if (made.job >= 0) m_context.session.jobs().cancel(made.job);
    m_made.clear();
    m_saving = false;
    m_choice = exportChoice(m_context.session.document(), ref);
    m_schedule->setText(m_choice.schedule.isEmpty() ? QString() : asSentence(m_choice.schedule));
    const int row = offerFormats();
    if (m_formats->currentRow() == row)
        formatChosen();
    else
        m_formats->setCurrentRow(row);
    show();
    raise();
    activateWindow();
    m_formats->setFocus();
}

/// Those that schedules of the target have, with the row of the one to begin with: the last, or code.
int ExportDialog::offerFormats() {
    const bool gpu = m_choice.request && m_choice.request->task.target.isGpu();
    const QString code = gpu ? QStringLiteral("cuda") : QStringLiteral("c");
    const QString last = m_context.settings.value(kFormatSetting, code).toString();
    int first = 0;
    int chosen = -1;
    for (int i = 0; i < m_formats->count(); ++i) {
        const QString name = m_formats->item(i)->data(kFormatRole).toString();
        const bool served =
            !m_choice.request || servesTarget(*exportFormatNamed(std8(name)), m_choice.request->task.target);
        m_formats->item(i)->setHidden(!served);
        if (name == code) first = i;
        if (name == last && served) chosen = i;
    }
    return chosen >= 0 ? chosen : first;
}

ExportFormat ExportDialog::format() const {
    const QListWidgetItem *item = m_formats->currentItem();
    const ExportFormatInfo *info = item ? exportFormatNamed(std8(item->data(kFormatRole).toString())) : nullptr;
    return info ? info->format : ExportFormat::C;
}

QString ExportDialog::verdict() const { return m_verdict->text(); }

void ExportDialog::formatChosen() {
    if (!m_formats->currentItem()) return;
    const ExportFormatInfo &info = infoOf(format());
    m_what->setText(qt(info.what));
    say(m_choice.refusal, true);
    suggestPath();
    makePreview();
    refreshSave();
}

/// The folder stays what the user last chose; name and suffix follow the format.
void ExportDialog::suggestPath() {
    if (!m_choice.request) return m_path->clear();
    const ExportFormatInfo &info = infoOf(format());
    const QString folder = m_context.settings.value(kFolderSetting, QDir::homePath()).toString();
    const QString name = stemOf(*m_choice.request) +
                         (info.shape == ExportShape::Folder ? QLatin1Char('-') + qt(info.name) : qt(info.suffix));
    m_path->setText(QDir(folder).filePath(name));
}

void ExportDialog::makePreview() {
    if (!m_choice.request || m_made.contains(format())) return showFiles();
    Made &made = m_made[format()];
    const auto finish = [this, wanted = format(), version = m_version](Made result) {
        if (version != m_version) return;
        m_made[wanted] = std::move(result);
        if (wanted == format()) showFiles();
    };
    made.job = m_context.session.jobs().start(
        QStringLiteral("exporting as %1").arg(qt(infoOf(format()).title)), this,
        [request = *m_choice.request, wanted = format()](JobControl &control) {
            return exportSchedule(request, wanted, &control.cancelFlag());
        },
        [finish](const Outcome<ExportedFiles> &files) {
            finish(files ? Made{*files, {}, -1} : Made{{}, asSentence(qt(files.why())), -1});
        },
        [finish](const QString &problem) { finish(Made{{}, asSentence(problem), -1}); });
    showFiles();
}

void ExportDialog::showFiles() {
    const QSignalBlocker quiet(m_files);
    while (m_files->count() > 0) m_files->removeTab(0);
    const auto found = m_made.find(format());
    if (found != m_made.end())
        for (const ExportedFile &file : found->second.files) m_files->addTab(qt(file.name));
    m_files->setVisible(m_files->count() > 1);
    if (found != m_made.end() && !found->second.refusal.isEmpty()) say(found->second.refusal, true);
    showFile();
    refreshSave();
    if (found == m_made.end() || found->second.job < 0) Q_EMIT previewed();
}

void ExportDialog::showFile() {
    const auto found = m_made.find(format());
    const int at = m_files->currentIndex();
    m_preview->setText({});
    if (!m_choice.request || (found != m_made.end() && !found->second.refusal.isEmpty()))
        return m_preview->setPlaceholder(QStringLiteral("There is nothing to show."));
    if (found == m_made.end() || found->second.job >= 0 || at < 0)
        return m_preview->setPlaceholder(QStringLiteral("It is being made \u2026"));
    const ExportedFile &file = found->second.files[static_cast<size_t>(at)];
    if (!isText(file.bytes))
        return m_preview->setPlaceholder(
            QStringLiteral("%1 of machine code").arg(bytesText(static_cast<int64_t>(file.bytes.size()))));
    m_preview->setLanguage(languageOf(qt(file.name)));
    m_preview->setText(qt(file.bytes));
}

void ExportDialog::browse() {
    const ExportFormatInfo &info = infoOf(format());
    auto *dialog = new QFileDialog(this, QStringLiteral("Export to"), QFileInfo(m_path->text()).absolutePath());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (info.shape == ExportShape::Folder) {
        dialog->setFileMode(QFileDialog::Directory);
        dialog->setOption(QFileDialog::ShowDirsOnly);
    } else {
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->setOption(QFileDialog::DontConfirmOverwrite); // the button says so
        dialog->setDefaultSuffix(qt(info.suffix.substr(1)));
        dialog->selectFile(QFileInfo(m_path->text()).fileName());
    }
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) { m_path->setText(path); });
    dialog->open();
}

void ExportDialog::refreshSave() {
    const auto found = m_made.find(format());
    const bool refused = found != m_made.end() && !found->second.refusal.isEmpty();
    m_save->setEnabled(m_choice.request && !refused && !m_saving && !m_path->text().trimmed().isEmpty());
    const QFileInfo target(m_path->text().trimmed());
    m_save->setText(infoOf(format()).shape != ExportShape::Folder && target.isFile() ? QStringLiteral("Replace")
                                                                                     : QStringLiteral("Save"));
}

void ExportDialog::accept() {
    if (!m_save->isEnabled()) return;
    m_saving = true;
    say(QStringLiteral("Writing \u2026"), false);
    refreshSave();
    const QString path = QFileInfo(m_path->text().trimmed()).absoluteFilePath();
    ExportRequest request = *m_choice.request;
    request.stem = stemFor(format(), std8(path));
    const auto failed = [this, version = m_version](const QString &why) {
        if (version != m_version) return;
        m_saving = false;
        say(asSentence(why), true);
        refreshSave();
    };
    m_context.session.jobs().start(
        QStringLiteral("exporting to %1").arg(path), this,
        [request, wanted = format(), path](JobControl &control) -> Outcome<std::vector<std::string>> {
            const Outcome<ExportedFiles> files = exportSchedule(request, wanted, &control.cancelFlag());
            if (!files) return files.refusal();
            return writeFiles(*files, wanted, std8(path));
        },
        [this, failed, version = m_version](const Outcome<std::vector<std::string>> &written) {
            if (!written) return failed(qt(written.why()));
            if (version == m_version) saved(*written);
        },
        failed);
}

void ExportDialog::saved(const std::vector<std::string> &paths) {
    m_saving = false;
    const QString first = qt(paths.front());
    m_context.settings.setValue(kFormatSetting, qt(infoOf(format()).name));
    const QString folder = QFileInfo(first).absolutePath();
    m_context.settings.setValue(
        kFolderSetting, infoOf(format()).shape == ExportShape::Folder ? QFileInfo(folder).absolutePath() : folder);
    m_context.session.messages().note(paths.size() == 1
                                          ? QStringLiteral("Exported %1 to %2").arg(m_choice.schedule, first)
                                          : QStringLiteral("Exported %1 to %2 and %3 more in %4")
                                                .arg(m_choice.schedule, QFileInfo(first).fileName())
                                                .arg(paths.size() - 1)
                                                .arg(folder));
    QDialog::accept();
}

void ExportDialog::say(const QString &sentence, bool bad) {
    m_bad = bad;
    m_verdict->setText(sentence);
    m_verdict->setVisible(!sentence.isEmpty());
    restyle();
}

void ExportDialog::restyle() {
    const auto ink = [&](QLabel *label, Role role) {
        QPalette palette = label->palette();
        palette.setColor(QPalette::WindowText, m_context.theme.color(role));
        label->setPalette(palette);
    };
    ink(m_what, Role::QuietText);
    ink(m_verdict, m_bad ? Role::Bad : Role::QuietText);
    QFont bold = font();
    bold.setBold(true);
    m_schedule->setFont(bold);
}

} // namespace loopscope
