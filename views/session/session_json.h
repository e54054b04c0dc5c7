#pragma once
// The pieces of a session file: what a tuning log has no place for, as JSON, both ways. Unknown or missing fields read
// as "unknown", so that older and newer files open.

#include "search/ancestor.h"
#include "views/session/document.h"

#include <QJsonArray>
#include <QJsonObject>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace loopscope {

/// Names of fields are ASCII.
inline QString jsonKey(const char *name) { return QString::fromLatin1(name); }

/// Ancestors are shared between trials; each is written once and named by its place.
struct AncestorTable {
    QJsonArray json;
    /// Place of the ancestor, its own ancestors before it; -1 for none, or when the table is full.
    int add(const std::shared_ptr<const Ancestor> &ancestor);
    void read(const QJsonArray &array);
    [[nodiscard]] std::shared_ptr<const Ancestor> at(int place) const;

  private:
    std::map<const Ancestor *, int> m_places;
    std::vector<std::shared_ptr<const Ancestor>> m_read;
};

/// Empty for an unknown one.
QJsonArray intervalToJson(const TimeInterval &time);
TimeInterval intervalFromJson(const QJsonArray &array);
QJsonObject entryToJson(const TrialEntry &entry, AncestorTable &ancestors);
void entryFromJson(const QJsonObject &json, const AncestorTable &ancestors, TrialEntry &entry);
/// Gives the entries of the log what a session knows of them. The entries it knows, in its order.
std::vector<size_t> restoreTrials(const QJsonArray &trials, const AncestorTable &ancestors, const QString &logPath,
                                  std::vector<TrialEntry> &entries);
/// What is known of the trials of a task besides what stands in their logs; the baseline is marked.
QJsonArray trialsToJson(const TaskState &state, AncestorTable &ancestors);
/// The same of all tasks of the document.
QJsonArray trialsToJson(const Document &document);
/// The entry that is marked as the baseline, -1: it is not among them; nullopt where none is marked.
std::optional<int> markedBaseline(const QJsonArray &trials, const std::vector<TrialEntry> &entries);

QJsonArray roundsToJson(const std::vector<RoundInfo> &rounds);
std::vector<RoundInfo> roundsFromJson(const QJsonArray &array);

QJsonObject setupToJson(const SearchSetup &setup);
SearchSetup setupFromJson(const QJsonObject &json);

} // namespace loopscope
