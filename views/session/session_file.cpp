// Session files (.loopscope): JSON that names the workloads and their logs, and keeps what logs have no place for:
// where a candidate came from, rounds, pins, notes, the selection, the window. Trials themselves stay in their logs.

#include "views/session/session_file.h"

#include "measure/listing.h"
#include "measure/machine_peaks.h"
#include "views/session/analysis.h"
#include "views/session/forms_cache.h"
#include "views/session/log_trials.h"
#include "views/session/session.h"
#include "views/session/text.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSaveFile>

namespace loopscope {

namespace {

constexpr int kVersion = 1;

QJsonObject selectionToJson(const Selected &selected) {
    QJsonArray trials;
    for (const int trial : selected.trials) trials.append(trial);
    return {{jsonKey("schedule"), static_cast<int>(selected.schedule.kind)},
            {jsonKey("number"), selected.schedule.number},
            {jsonKey("stage"), selected.stage},
            {jsonKey("iterator"), selected.iterator},
            {jsonKey("step"), selected.step},
            {jsonKey("node"), selected.node},
            {jsonKey("derivation"), selected.derivation},
            {jsonKey("trials"), trials}};
}

Selected selectionFromJson(const QJsonObject &json) {
    Selected selected;
    const int kind = json[jsonKey("schedule")].toInt();
    if (kind >= 0 && kind <= static_cast<int>(ScheduleRef::Kind::Trial))
        selected.schedule = {static_cast<ScheduleRef::Kind>(kind), json[jsonKey("number")].toInt()};
    selected.stage = json[jsonKey("stage")].toString();
    selected.iterator = json[jsonKey("iterator")].toString();
    selected.step = json[jsonKey("step")].toInt(-1);
    selected.node = json[jsonKey("node")].toInt(-1);
    selected.derivation = json[jsonKey("derivation")].toInt(-1);
    for (const auto &trial : json[jsonKey("trials")].toArray()) selected.trials.push_back(trial.toInt());
    return selected;
}

QJsonObject documentToJson(const Document &document) {
    QJsonArray params;
    for (const auto &[name, value] : document.params) params.append(QJsonArray{qt(name), static_cast<qint64>(value)});
    QJsonObject json{{jsonKey("path"), document.path},
                     {jsonKey("name"), document.name},
                     {jsonKey("target"), document.targetText},
                     {jsonKey("params"), params},
                     {jsonKey("log"), document.logPath},
                     {jsonKey("naive_seconds"), document.naiveSeconds},
                     {jsonKey("best"), document.best},
                     {jsonKey("setup"), setupToJson(document.setup)},
                     {jsonKey("search_ended"), document.search.ended},
                     {jsonKey("rounds"), roundsToJson(document.rounds)}};
    if (document.modified || document.path.isEmpty()) json[jsonKey("text")] = document.text;
    AncestorTable ancestors;
    QJsonArray trials;
    for (const auto &entry : document.trials) trials.append(entryToJson(entry, ancestors));
    json[jsonKey("trials")] = trials;
    json[jsonKey("ancestors")] = ancestors.json;
    return json;
}

} // namespace

QString Session::saveSession(const QString &path, const QByteArray &window) const {
    QJsonArray documents;
    int current = -1;
    for (const auto &document : m_documents) {
        if (document.get() == m_current) current = static_cast<int>(documents.size());
        documents.append(documentToJson(*document));
    }
    const QJsonObject root{{jsonKey("loopscope_session"), kVersion},
                           {jsonKey("documents"), documents},
                           {jsonKey("current"), current},
                           {jsonKey("selection"), selectionToJson(m_selection.now())},
                           {jsonKey("window"), QString::fromLatin1(window.toBase64())}};
    QSaveFile file(path);
    const QByteArray bytes = QJsonDocument(root).toJson(QJsonDocument::Compact);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return QStringLiteral("%1: cannot be written: %2").arg(path, file.errorString());
    return {};
}

bool Session::loadSession(const QString &path, QByteArray *window) {
    const auto refuse = [&](const QString &why) {
        m_messages.add(
            {Message::Severity::Failure, QStringLiteral("%1: the session cannot be opened").arg(path), why, path});
        return false;
    };
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return refuse(file.errorString());
    QJsonParseError error;
    const QByteArray bytes = file.readAll();
    const QJsonObject root = QJsonDocument::fromJson(bytes, &error).object();
    if (error.error != QJsonParseError::NoError)
        return refuse(
            QStringLiteral("%1, at byte %2 of %3").arg(error.errorString()).arg(error.offset).arg(bytes.size()));
    const int version = root[jsonKey("loopscope_session")].toInt();
    if (version != kVersion)
        return refuse(QStringLiteral("it has version %1; this program reads version %2").arg(version).arg(kVersion));
    if (window) *window = QByteArray::fromBase64(root[jsonKey("window")].toString().toLatin1());
    const int current = root[jsonKey("current")].toInt(-1);
    int index = 0;
    int shown = 0;
    for (const auto &value : root[jsonKey("documents")].toArray()) {
        const QJsonObject json = value.toObject();
        const QString file = json[jsonKey("path")].toString();
        QString text = json[jsonKey("text")].toString();
        const bool modified = json.contains(jsonKey("text"));
        QString savedText;
        QFile workload(file);
        if (workload.open(QIODevice::ReadOnly)) savedText = QString::fromUtf8(workload.readAll());
        if (!modified) {
            if (!workload.isOpen()) {
                m_messages.add({Message::Severity::Failure,
                                QStringLiteral("%1 is not there any more: %2").arg(file, workload.errorString()),
                                QStringLiteral("The session %1 names it.").arg(path), file});
                ++index;
                continue;
            }
            text = savedText;
        }
        Document &document = add(file, text);
        document.name = json[jsonKey("name")].toString();
        document.savedText = savedText;
        document.modified = modified && text != savedText;
        document.targetText = json[jsonKey("target")].toString(QStringLiteral("llvm"));
        for (const auto &param : json[jsonKey("params")].toArray())
            document.params.emplace_back(std8(param.toArray()[0].toString()), param.toArray()[1].toInteger());
        document.setup = setupFromJson(json[jsonKey("setup")].toObject());
        document.logPath = json[jsonKey("log")].toString();
        document.naiveSeconds = json[jsonKey("naive_seconds")].toDouble(-1);
        document.search.ended = json[jsonKey("search_ended")].toString();
        if (!document.search.ended.isEmpty()) document.search.state = SearchState::Finished;
        document.rounds = roundsFromJson(json[jsonKey("rounds")].toArray());
        Restoring restoring{document.id,
                            json[jsonKey("trials")].toArray(),
                            json[jsonKey("ancestors")].toArray(),
                            json[jsonKey("best")].toInt(-1),
                            {},
                            false};
        if (index++ == current) {
            shown = document.id;
            restoring.selection = selectionFromJson(root[jsonKey("selection")].toObject());
            restoring.select = true;
        }
        // The logs in the order in which their trials came.
        QStringList logs;
        for (const auto &trial : restoring.trials) logs << trial.toObject()[jsonKey("log")].toString();
        logs.removeDuplicates();
        for (const QString &log : logs)
            if (!log.isEmpty()) m_pendingLogs.push_back({log, document.id, true});
        m_restoring.push_back(std::move(restoring));
    }
    if (Document *document = documentOf(shown)) show(document);
    for (const auto &restoring : m_restoring)
        if (Document *document = documentOf(restoring.document)) analyse(*document);
    return true;
}

/// A restored document without trials is complete once it is understood; one with trials waits for its logs.
void Session::restoreSelection(const Document &document) {
    const auto found = std::find_if(m_restoring.begin(), m_restoring.end(),
                                    [&](const auto &restoring) { return restoring.document == document.id; });
    if (found == m_restoring.end() || !found->trials.isEmpty()) return;
    const Restoring restoring = std::move(*found);
    m_restoring.erase(found);
    if (restoring.select && &document == m_current) m_selection.reset(restoring.selection);
}

/// A log of a restored document has been read: what the session file knows of its trials is put back.
void Session::restoreEntries(Document &document, const QString &logPath) {
    const auto found = std::find_if(m_restoring.begin(), m_restoring.end(),
                                    [&](const auto &restoring) { return restoring.document == document.id; });
    if (found == m_restoring.end()) return;
    std::map<int, size_t> entryOf; // record in this log -> entry
    for (size_t i = 0; i < document.trials.size(); ++i)
        if (document.trials[i].logPath == logPath) entryOf[document.trials[i].logRecord] = i;
    AncestorTable ancestors;
    ancestors.read(found->ancestors);
    const double flops = document.flops();
    bool more = false; // logs still to come
    std::vector<int> kept;
    for (qsizetype i = 0; i < found->trials.size(); ++i) {
        const QJsonObject json = found->trials[i].toObject();
        if (json[jsonKey("log")].toString() != logPath) {
            more = more || std::any_of(m_pendingLogs.begin(), m_pendingLogs.end(), [&](const auto &pending) {
                       return pending.document == document.id && pending.path == json[jsonKey("log")].toString();
                   });
            continue;
        }
        const auto entry = entryOf.find(json[jsonKey("record")].toInt(-1));
        if (entry == entryOf.end()) continue;
        TrialEntry &target = document.trials[entry->second];
        entryFromJson(json, ancestors, target);
        if (target.valid() && flops > 0) target.gflops = flops / target.seconds() * 1e-9;
        kept.push_back(static_cast<int>(entry->second));
    }
    // Records of measuring again stand in the log as well; the session counts them with their trial.
    if (kept.size() < entryOf.size()) {
        std::vector<char> known(document.trials.size(), 0);
        for (const int trial : kept) known[static_cast<size_t>(trial)] = 1;
        const bool again = std::any_of(document.trials.begin(), document.trials.end(),
                                       [](const TrialEntry &entry) { return !entry.again.empty(); });
        if (again) {
            std::vector<TrialEntry> trials;
            for (size_t i = 0; i < document.trials.size(); ++i)
                if (known[i] || document.trials[i].logPath != logPath) trials.push_back(std::move(document.trials[i]));
            document.trials = std::move(trials);
        }
    }
    if (!more) {
        const Restoring restoring = std::move(*found);
        m_restoring.erase(found);
        if (&document == m_current) {
            Q_EMIT trialsReset();
            Q_EMIT roundsChanged();
            Q_EMIT searchChanged();
        }
        document.best = -1;
        updateBest(document, restoring.best < static_cast<int>(document.trials.size()) ? restoring.best : -1);
        if (restoring.select && &document == m_current) m_selection.reset(restoring.selection);
    }
}

} // namespace loopscope
