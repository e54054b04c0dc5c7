#include "views/main_window/last_session.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <stdexcept>

namespace loopscope {

namespace {

constexpr int kNoteAfter = 1500; // ms without a change
const QString kRunning = QStringLiteral("session/running");
const QString kOpen = QStringLiteral("session/open_files");
const QString kUnsaved = QStringLiteral("session/unsaved");
const QString kWords = QStringLiteral("session/words");

} // namespace

LastSession::LastSession(const ViewContext &context, QObject *parent) : QObject(parent), m_context(context) {
    m_noteSoon.setSingleShot(true);
    m_noteSoon.setInterval(kNoteAfter);
    connect(&m_noteSoon, &QTimer::timeout, this, &LastSession::note);
}

QString LastSession::sessionFile() const {
    return m_context.settings.stateFolder() + QStringLiteral("/last.loopscope");
}

bool LastSession::crashed() const { return m_context.settings.value(kRunning, false).toBool(); }

bool LastSession::somethingToRestore() const {
    if (!m_context.settings.value(QStringLiteral("session/restore"), true).toBool()) return false;
    if (crashed()) return !m_context.settings.value(kOpen).toStringList().isEmpty();
    return QFileInfo::exists(sessionFile());
}

void LastSession::restore(QByteArray *window) {
    Settings &settings = m_context.settings;
    for (const QString &text : settings.value(kWords).toStringList()) m_context.session.messages().warn(text);
    settings.remove(kWords);
    if (crashed())
        restoreAfterCrash();
    else if (somethingToRestore())
        m_context.session.loadSession(sessionFile(), window);
}

void LastSession::restoreAfterCrash() {
    Settings &settings = m_context.settings;
    QStringList files = settings.value(kOpen).toStringList();
    QStringList kept;
    for (const QString &path : settings.value(kUnsaved).toStringList()) {
        // Out of the way of the texts of this start.
        const QString when = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz"));
        const QString other =
            QStringLiteral("%1/%2-%3.te").arg(QFileInfo(path).absolutePath(), QFileInfo(path).completeBaseName(), when);
        if (!QFile::rename(path, other)) continue; // the crash came before it was written
        kept << other;
        files.replaceInStrings(path, other);
    }
    QStringList lines;
    for (const QString &path : kept) lines << tr("A text that was not saved is kept in %1").arg(path);
    if (!files.isEmpty()) lines << tr("What was open is opened again, trials from their logs.");
    m_context.session.messages().add({Message::Severity::Warning, tr("Loopscope did not end properly last time."),
                                      lines.join(u'\n'), kept.isEmpty() ? QString() : kept.front()});
    QStringList there;
    for (const QString &file : files)
        if (QFileInfo::exists(file)) there << file;
    if (somethingToRestore()) m_context.session.open(there);
}

void LastSession::begin() {
    m_begun = true;
    m_context.settings.setValue(kRunning, true);
    const Session &session = m_context.session;
    const auto soon = [this] { m_noteSoon.start(); };
    connect(&session, &Session::documentsChanged, this, soon);
    connect(&session, &Session::documentChanged, this, soon);
    connect(&session, &Session::problemChanged, this, soon); // the text was edited
    connect(&session, &Session::searchChanged, this, soon);
    note();
}

void LastSession::note() {
    QStringList files;
    QStringList unsaved;
    for (const Document *document : m_context.session.documents()) {
        if (!document->path.isEmpty()) files << document->path;
        if (!document->modified || document->text.isEmpty()) continue;
        const QString folder = m_context.settings.stateFolder() + QStringLiteral("/unsaved");
        const QString path = QStringLiteral("%1/%2-%3.te").arg(folder, document->name).arg(document->id);
        unsaved << path;
        if (document->path.isEmpty()) files << path;
        m_context.session.jobs().start(
            tr("keeping the text of %1").arg(document->name), this,
            [folder, path, text = document->text](JobControl &) {
                QDir().mkpath(folder);
                QSaveFile file(path);
                if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0 || !file.commit())
                    throw std::runtime_error((path + QStringLiteral(": ") + file.errorString()).toStdString());
                return 0;
            },
            [](int) {});
    }
    // Logs after all workloads: a log is opened for the workload that it belongs to.
    for (const Document *document : m_context.session.documents())
        if (!document->logPath.isEmpty() && !files.contains(document->logPath)) files << document->logPath;
    m_context.settings.setValue(kOpen, files);
    m_context.settings.setValue(kUnsaved, unsaved);
    m_context.settings.sync();
}

void LastSession::end(const QByteArray &window) {
    if (!m_begun) return;
    m_noteSoon.stop();
    if (m_context.session.documents().empty()) {
        QFile::remove(sessionFile());
    } else if (const QString problem = m_context.session.saveSession(sessionFile(), window); !problem.isEmpty()) {
        leaveWord(problem); // no window is left to say it in
        return;             // the next start opens the files
    }
    m_context.settings.setValue(kRunning, false);
}

void LastSession::leaveWord(const QString &text) {
    m_context.settings.setValue(kWords, m_context.settings.value(kWords).toStringList() << text);
}

void LastSession::keepUnsaved(const Document &document) {
    if (!document.modified || document.text.isEmpty()) return;
    const QString folder = m_context.settings.stateFolder() + QStringLiteral("/unsaved");
    QDir().mkpath(folder);
    const QString when = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz"));
    const QString path = QStringLiteral("%1/%2-%3.te").arg(folder, document.name, when);
    QSaveFile file(path);
    Messages &messages = m_context.session.messages();
    if (file.open(QIODevice::WriteOnly) && file.write(document.text.toUtf8()) >= 0 && file.commit())
        messages.add(
            {Message::Severity::Note, tr("The unsaved text of %1 is kept in %2").arg(document.name, path), {}, path});
    else
        messages.fail(
            tr("The unsaved text of %1 could not be kept: %2: %3").arg(document.name, path, file.errorString()),
            document.text);
}

} // namespace loopscope
