#include "views/main_window/last_session.h"

#include "views/session/file_start.h"
#include "views/session/open_logs.h"
#include "views/session/open_networks.h"
#include "views/session/session_text.h"
#include "views/session/text.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace loopscope {

namespace {

// A crash loses at most the last second of what somebody did.
constexpr int kNoteAfter = 300;     // ms after the first change by hand that is not kept yet
constexpr int kNoteLatest = 700;    // the same, where keeping takes long
constexpr int kSearchAfter = 1500;  // what a search brings, which is in its log already
constexpr qint64 kNoteShare = 50;   // keeping that takes at most one part in so many of the window's time
constexpr qint64 kPatience = 60000; // ms for which nothing is kept while a session is being restored
constexpr int kMaxCrashed = 5;      // files of earlier crashes that are kept
const QString kRunning = QStringLiteral("session/running");
const QString kOffered = QStringLiteral("session/offered"); // file of a crash that the user has not decided on
const QString kWords = QStringLiteral("session/words");

QString holdsText(const QString &path) {
    const auto [bytes, problem] = readWhole(path);
    return problem.isEmpty() ? sessionHolds(readSessionText(bytes).root) : QString();
}

QString now() { return QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz")); }

} // namespace

LastSession::LastSession(const ViewContext &context, QObject *parent) : QObject(parent), m_context(context) {
    m_noteSoon.setSingleShot(true);
    connect(&m_noteSoon, &QTimer::timeout, this, &LastSession::note);
    // A job that is cancelled hands nothing over; the next change is kept all the same.
    connect(&context.session.jobs(), &Jobs::cancelled, this, [this](int job) {
        if (job == m_writing) m_writing = 0;
    });
}

QString LastSession::sessionFile() const {
    return m_context.settings.stateFolder() + QStringLiteral("/last.loopscope");
}

QString LastSession::autosaveFile() const {
    return m_context.settings.stateFolder() + QStringLiteral("/autosave.loopscope");
}

bool LastSession::crashed() const { return m_context.settings.value(kRunning, false).toBool(); }

bool LastSession::somethingToRestore() const {
    if (!m_context.settings.value(QStringLiteral("session/restore"), true).toBool()) return false;
    return !crashed() && QFileInfo::exists(sessionFile());
}

void LastSession::restore(QByteArray *window) {
    Settings &settings = m_context.settings;
    for (const QString &text : settings.value(kWords).toStringList()) m_context.session.messages().warn(text);
    settings.remove(kWords);
    offerAfterCrash();
    if (!somethingToRestore()) return;
    QString path = sessionFile();
    if (!SessionFile::problemOf(path).isEmpty()) { // the end of this session must not write over it
        const QString aside = QStringLiteral("%1/unread-%2.loopscope").arg(settings.stateFolder(), now());
        if (QFile::rename(path, aside)) path = aside;
    }
    m_context.session.file().load(path, window);
}

void LastSession::offerAfterCrash() {
    if (crashed()) putAside();
    // Until the user has decided, be it over several starts.
    const QString offered = m_context.settings.value(kOffered).toString();
    if (!offered.isEmpty() && QFileInfo::exists(offered)) Q_EMIT recoverable(offered, holdsText(offered));
}

/// What was open moves out of the way of this start.
void LastSession::putAside() {
    Settings &settings = m_context.settings;
    m_context.session.messages().warn(tr("Loopscope did not end properly last time."));
    QString left = autosaveFile();
    if (!QFileInfo::exists(left)) {
        if (QFileInfo::exists(settings.value(kOffered).toString())) return; // not even looked at yet
        left = sessionFile();                                               // ended before anything changed
    }
    if (holdsText(left).isEmpty()) return;
    const QDir folder(settings.stateFolder());
    const QString name = QStringLiteral("crashed-%1.loopscope").arg(now());
    if (!QFile::rename(left, folder.filePath(name))) {
        m_context.session.messages().fail(tr("What was open then could not be put aside"), left);
        return;
    }
    settings.setValue(kOffered, folder.filePath(name));
    const QStringList earlier = folder.entryList({QStringLiteral("crashed-*.loopscope")}, QDir::Files, QDir::Name);
    for (qsizetype i = 0; i + kMaxCrashed < earlier.size(); ++i) QFile::remove(folder.filePath(earlier[i]));
}

void LastSession::recover(const QString &path) {
    m_context.settings.remove(kOffered);
    if (m_context.session.file().load(path, nullptr))
        m_context.session.messages().note(tr("Recovered from %1").arg(path));
}

void LastSession::dismiss(const QString &path) {
    m_context.settings.remove(kOffered);
    m_context.session.messages().add(
        {Message::Severity::Note, tr("What was open stays in %1, should you want it after all").arg(path), {}, path});
}

void LastSession::begin() {
    m_begun = true;
    m_context.settings.setValue(kRunning, true);
    m_context.settings.sync();
    const Session &session = m_context.session;
    // What somebody did.
    connect(&session.documents(), &Documents::documentsChanged, this, &LastSession::noteSoon);
    connect(&session.documents(), &Documents::documentChanged, this, &LastSession::noteSoon);
    connect(&session.documents(), &Documents::problemChanged, this, &LastSession::noteSoon); // the text was edited
    connect(&session.edits(), &EditedSchedules::nodesChanged, this, &LastSession::noteSoon);
    connect(&session.edits(), &EditedSchedules::draftChanged, this, &LastSession::noteSoon);
    connect(&session.locks(), &Locks::changed, this, &LastSession::noteSoon);
    connect(&session.trials(), &TaskTrials::trialsChanged, this, &LastSession::noteSoon); // pinned, noted
    connect(&session.trials(), &TaskTrials::baselineChanged, this, &LastSession::noteSoon);
    const OpenLogs &logs = m_context.session.logs();
    connect(&logs, &OpenLogs::listChanged, this, &LastSession::noteSoon);
    connect(&logs, &OpenLogs::currentChanged, this, &LastSession::noteLater);
    connect(&logs, &OpenLogs::placeChanged, this, &LastSession::noteLater);
    const OpenNetworks &networks = m_context.session.networks();
    connect(&networks, &OpenNetworks::listChanged, this, &LastSession::noteSoon);
    connect(&networks, &OpenNetworks::currentChanged, this, &LastSession::noteLater);
    // What a search did, or what is soon done again.
    connect(&session.search(), &SearchRunner::searchChanged, this, &LastSession::noteLater);
    connect(&session.trials(), &TaskTrials::trialsAdded, this, &LastSession::noteLater);
    connect(&session.trials(), &TaskTrials::trialsReset, this, &LastSession::noteLater);
    connect(&m_context.session.selection(), &Selection::changed, this, &LastSession::noteLater);
}

/// From the first change on: changes that keep coming must not put it off for ever.
void LastSession::noteSoon() {
    noteWithin(static_cast<int>(std::clamp<qint64>(m_cost * kNoteShare, kNoteAfter, kNoteLatest)));
}

void LastSession::noteLater() { noteWithin(static_cast<int>(std::max<qint64>(m_cost * kNoteShare, kSearchAfter))); }

void LastSession::noteWithin(int milliseconds) {
    if (!m_noteSoon.isActive() || m_noteSoon.remainingTime() > milliseconds) m_noteSoon.start(milliseconds);
}

void LastSession::note() {
    const Session &session = m_context.session;
    // Half a session must not replace a whole one; but a log that never comes must not hold it up for ever.
    if (!session.file().restoring())
        m_restoring.invalidate();
    else if (!m_restoring.isValid())
        m_restoring.start();
    if (m_writing != 0 || (m_restoring.isValid() && m_restoring.elapsed() < kPatience)) return noteSoon();
    QElapsedTimer clock;
    clock.start();
    SessionSnapshot snapshot = session.file().snapshot({});
    m_cost = clock.elapsed();
    m_writing = m_context.session.jobs().start(
        tr("keeping what is open"), this,
        [path = autosaveFile(), snapshot = std::move(snapshot)](JobControl &) {
            QDir().mkpath(QFileInfo(path).absolutePath());
            QSaveFile file(path);
            const QByteArray bytes = QJsonDocument(snapshot.json()).toJson(QJsonDocument::Compact);
            if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
                throw std::runtime_error((path + QStringLiteral(": ") + file.errorString()).toStdString());
            return 0;
        },
        [this](int) { m_writing = 0; },
        [this](const QString &problem) {
            m_writing = 0;
            m_context.session.messages().warn(tr("What is open cannot be kept for the case of a crash"), problem);
        });
}

void LastSession::end(const QByteArray &window) {
    if (!m_begun) return;
    m_noteSoon.stop();
    if (m_context.session.documents().all().empty() && m_context.session.logs().all().empty() &&
        m_context.session.networks().all().empty()) {
        QFile::remove(sessionFile());
    } else if (const QString problem = m_context.session.file().save(sessionFile(), window); !problem.isEmpty()) {
        leaveWord(problem); // no window is left to say it in
        return;             // the next start offers what was noted last
    }
    QFile::remove(autosaveFile());
    m_context.settings.setValue(kRunning, false);
}

void LastSession::leaveWord(const QString &text) {
    m_context.settings.setValue(kWords, m_context.settings.value(kWords).toStringList() << text);
}

void LastSession::keepUnsaved(const Document &document) {
    if (!document.modified || document.text.isEmpty()) return;
    const QString folder = m_context.settings.stateFolder() + QStringLiteral("/unsaved");
    QDir().mkpath(folder);
    const QString path = QStringLiteral("%1/%2-%3.te").arg(folder, document.name, now());
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
