#include "views/session/session_text.h"

#include "views/session/session_json.h"
#include "views/session/text.h"

#include <QJsonDocument>
#include <QStringList>

namespace loopscope {

namespace {

/// The text up to the last value that ends in front of `end`, with everything closed that is open there.
QByteArray closedBefore(const QByteArray &bytes, qsizetype end) {
    QByteArray open;      // what closes each level
    qsizetype whole = 0;  // up to here everything is
    QByteArray openThere; // what closes that
    bool inString = false;
    for (qsizetype i = 0; i < end; ++i) {
        const char c = bytes[i];
        if (inString) {
            if (c == '\\') ++i;
            inString = c != '"';
            continue;
        }
        if (c == '"') {
            inString = true;
        } else if (c == '{' || c == '[') {
            open.append(c == '{' ? '}' : ']');
            whole = i + 1; // an empty one
            openThere = open;
        } else if (c == '}' || c == ']') {
            if (!open.endsWith(c)) break;
            open.chop(1);
            whole = i + 1;
            openThere = open;
        } else if (c == ',') {
            whole = i;
            openThere = open;
        }
    }
    QByteArray closed = bytes.first(whole);
    for (qsizetype i = openThere.size(); i > 0; --i) closed.append(openThere[i - 1]);
    return closed;
}

/// The beginning of a damaged text, as far as it makes sense.
QJsonObject beginningOf(const QByteArray &bytes, qsizetype end) {
    constexpr int kTries = 64;
    for (int tries = 0; tries < kTries && end > 0; ++tries) {
        const QByteArray closed = closedBefore(bytes, end);
        QJsonParseError error;
        const QJsonObject root = QJsonDocument::fromJson(closed, &error).object();
        if (error.error == QJsonParseError::NoError) return root;
        end = std::min<qsizetype>(end - 1, error.offset);
    }
    return {};
}

} // namespace

SessionText readSessionText(const QByteArray &bytes) {
    QJsonParseError error;
    const QJsonDocument whole = QJsonDocument::fromJson(bytes, &error);
    if (error.error != QJsonParseError::NoError)
        return {beginningOf(bytes, std::min<qsizetype>(bytes.size(), error.offset)),
                QStringLiteral("it is damaged: %1, at byte %2 of %3")
                    .arg(error.errorString())
                    .arg(error.offset)
                    .arg(bytes.size())};
    const QJsonObject root = whole.object();
    const int version = root[jsonKey("loopscope_session")].toInt();
    if (version > kSessionVersion)
        return {root, QStringLiteral("it has version %1, of a newer program; this one reads up to version %2")
                          .arg(version)
                          .arg(kSessionVersion)};
    if (version < 1) return {root, QStringLiteral("it does not say which version it has")};
    return {root, {}};
}

QString sessionHolds(const QJsonObject &root) {
    QStringList parts;
    for (const auto &value : root[jsonKey("documents")].toArray()) {
        const QJsonObject document = value.toObject();
        size_t trials = 0;
        size_t edits = 0;
        int pinned = 0;
        const auto count = [&](const QJsonObject &task) {
            for (const auto &trial : task[jsonKey("trials")].toArray()) {
                ++trials;
                pinned += trial.toObject()[jsonKey("pinned")].toBool() ? 1 : 0;
            }
            edits += static_cast<size_t>(task[jsonKey("edits")].toArray().size());
        };
        count(document);
        for (const auto &other : document[jsonKey("other_tasks")].toArray()) count(other.toObject());
        QStringList facts;
        if (document[jsonKey("edited")].toBool()) facts << QStringLiteral("edited");
        if (trials > 0) facts << trialCountText(trials);
        if (pinned > 0) facts << QStringLiteral("%1 pinned").arg(pinned);
        if (edits > 0) facts << countedText(edits, "schedule made by hand", "schedules made by hand");
        QString name = document[jsonKey("name")].toString();
        if (name.isEmpty()) name = document[jsonKey("path")].toString();
        if (name.isEmpty()) continue; // nothing to open
        parts << (facts.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, facts.join(QStringLiteral(", "))));
    }
    const qsizetype logs = root[jsonKey("logs")].toObject()[jsonKey("open")].toArray().size();
    if (logs > 0) parts << countedText(static_cast<size_t>(logs), "tuning log");
    const qsizetype networks = root[jsonKey("networks")].toObject()[jsonKey("open")].toArray().size();
    if (networks > 0) parts << countedText(static_cast<size_t>(networks), "network");
    return parts.join(QStringLiteral(", "));
}

} // namespace loopscope
