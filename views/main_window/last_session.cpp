#include "views/main_window/last_session.h"

#include "views/session/text.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include <algorithm>
#include <stdexcept>

namespace loopscope {

namespace {

constexpr int kNoteAfter = 1500;  // ms after the first change that is not kept yet
constexpr qint64 kNoteShare = 50; // keeping takes at most one part in so many of the window's time
constexpr int kPatience = 40;     // notes put off while a session is being restored
constexpr int kMostCrashed = 5;   // files of earlier crashes that are kept
const QString kRunning = QStringLiteral("session/running");
const QString kOffered = QStringLiteral("session/offered"); // file of a crash that the user has not decided on
const QString kWords = QStringLiteral("session/words");

/// "matmul (edited), conv2d (128 trials, 3 pinned)"; empty when there is nothing in it.
QString holdsText(const QString &path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    QStringList parts;
    for (const auto &value : QJsonDocument::fromJson(file.readAll()).object()[QStringLiteral("documents")].toArray()) {
        const QJsonObject document = value.toObject();
        size_t trials = 0;
        int pinned = 0;
        const auto count = [&](const QJsonObject &task) {
            for (const auto &trial : task[QStringLiteral("trials")].toArray()) {
                ++trials;
                pinned += trial.toObject()[QStringLiteral("pinned")].toBool() ? 1 : 0;
            }
        };
        count(document);
        for (const auto &other : document[QStringLiteral("other_tasks")].toArray()) count(other.toObject());
        QStringList facts;
        if (document[QStringLiteral("edited")].toBool()) facts << QObject::tr("edited");
        if (trials > 0) facts << trialCountText(trials);
        if (pinned > 0) facts << QObject::tr("%1 pinned").arg(pinned);
        const QString name = document[QStringLiteral("name")].toString();
        parts << (facts.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, facts.join(QStringLiteral(", "))));
    }
    return parts.join(QStringLiteral(", "));
}

} // namespace

LastSession::LastSession(const ViewContext &context, QObject *parent) : QObject(parent), m_context(context) {
    m_noteSoon.setSingleShot(true);
    m_noteSoon.setInterval(kNoteAfter);
    m_patience = kPatience;
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
    if (somethingToRestore()) m_context.session.file().load(sessionFile(), window);
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
    const QString name = QStringLiteral("crashed-%1.loopscope")
                             .arg(QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz")));
    if (!QFile::rename(left, folder.filePath(name))) {
        m_context.session.messages().fail(tr("What was open then could not be put aside"), left);
        return;
    }
    settings.setValue(kOffered, folder.filePath(name));
    const QStringList earlier = folder.entryList({QStringLiteral("crashed-*.loopscope")}, QDir::Files, QDir::Name);
    for (qsizetype i = 0; i + kMostCrashed < earlier.size(); ++i) QFile::remove(folder.filePath(earlier[i]));
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
    connect(&session.documents(), &Documents::documentsChanged, this, &LastSession::noteSoon);
    connect(&session.documents(), &Documents::documentChanged, this, &LastSession::noteSoon);
    connect(&session.documents(), &Documents::problemChanged, this, &LastSession::noteSoon); // the text was edited
    connect(&session.search(), &SearchRunner::searchChanged, this, &LastSession::noteSoon);
    connect(&session.trials(), &TaskTrials::trialsChanged, this, &LastSession::noteSoon); // pinned, noted
    connect(&session.trials(), &TaskTrials::trialsAdded, this, &LastSession::noteSoon);
    connect(&session.trials(), &TaskTrials::trialsReset, this, &LastSession::noteSoon);
}

/// From the first change on: changes that keep coming must not put it off for ever.
void LastSession::noteSoon() {
    if (!m_noteSoon.isActive()) m_noteSoon.start();
}

void LastSession::note() {
    const Session &session = m_context.session;
    // Half a session must not replace a whole one; but a log that never comes must not hold it up for ever.
    if (m_writing != 0 || (session.file().restoring() && m_patience-- > 0)) return noteSoon();
    m_patience = kPatience;
    QElapsedTimer clock;
    clock.start();
    const QJsonObject json = session.file().json({});
    m_noteSoon.setInterval(std::max<int>(kNoteAfter, static_cast<int>(clock.elapsed() * kNoteShare)));
    m_writing = m_context.session.jobs().start(
        tr("keeping what is open"), this,
        [path = autosaveFile(), json](JobControl &) {
            QDir().mkpath(QFileInfo(path).absolutePath());
            QSaveFile file(path);
            const QByteArray bytes = QJsonDocument(json).toJson(QJsonDocument::Compact);
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
    if (m_context.session.documents().all().empty()) {
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
