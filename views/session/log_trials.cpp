#include "views/session/log_trials.h"

#include "language/target/target_identity.h"
#include "search/sketch/sketch.h"
#include "views/session/text.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace loopscope {

std::vector<int> findRecords(const std::vector<RecordPlace> &wanted, const std::vector<RecordPlace> &there) {
    std::vector<int> found(wanted.size(), -1);
    if (wanted.empty() || there.empty()) return found;
    std::map<int, int> byNumber;
    for (size_t i = 0; i < there.size(); ++i)
        if (there[i].number >= 0) byNumber.try_emplace(there[i].number, static_cast<int>(i));
    std::vector<char> taken(there.size(), 0);
    for (size_t i = 0; i < wanted.size(); ++i) {
        const auto place = byNumber.find(wanted[i].number);
        if (place == byNumber.end()) continue;
        const QString &name = there[static_cast<size_t>(place->second)].name;
        if (!wanted[i].name.isEmpty() && !name.isEmpty() && wanted[i].name != name) continue;
        found[i] = place->second;
        taken[static_cast<size_t>(place->second)] = 1;
        byNumber.erase(place);
    }
    if (std::find(found.begin(), found.end(), -1) == found.end()) return found;
    std::map<QString, std::deque<int>> byName;
    for (size_t i = 0; i < there.size(); ++i)
        if (!taken[i] && !there[i].name.isEmpty()) byName[there[i].name].push_back(static_cast<int>(i));
    for (size_t i = 0; i < wanted.size(); ++i) {
        if (found[i] >= 0) continue;
        const auto places = byName.find(wanted[i].name);
        if (places == byName.end() || places->second.empty()) continue;
        found[i] = places->second.front();
        places->second.pop_front();
    }
    return found;
}

QString loggedTarget(const Record &record) {
    QString text = qt(record.targetText);
    const TargetIdentity identity = identityOf(record.targetText, record.hardware ? &*record.hardware : nullptr);
    if (identity.kind != "llvm") return text;
    if (!text.contains(QStringLiteral(" -mcpu="))) text += QStringLiteral(" -mcpu=%1").arg(qt(identity.cpu));
    if (identity.cores <= 0) return text;
    static const QRegularExpression said(QStringLiteral("\\s*-num-cores=\\d+"));
    return QStringLiteral("%1 -num-cores=%2").arg(text.remove(said).trimmed()).arg(identity.cores);
}

LogTrials trialsOfLog(const RecordLog &log, const Task &task, const std::vector<Sketch> &sketches,
                      const std::atomic<bool> &cancelled) {
    LogTrials result;
    result.skipped = log.skipped;
    const double flops = task.dag->flops();
    std::vector<int> entryOf(log.records.size(), -1);
    for (size_t i = 0; i < log.records.size() && !cancelled; ++i) {
        const Record &record = log.records[i];
        if (const auto matches = recordMatches(record, task); !matches) {
            if (result.foreign++ == 0) result.firstForeign = qt(matches.why());
            continue;
        }
        if (!targetMatches(record, task.target)) {
            ++result.otherTargets[loggedTarget(record)];
            continue;
        }
        TrialEntry entry;
        entry.trial = record.trial;
        entry.sketch = sketchOf(record.trial.steps.unpack(), sketches);
        entry.fromLog = true;
        entry.logRecord = static_cast<int>(i);
        entry.recordHash = recordHash(record);
        entry.layoutRewrite = record.layoutRewrite;
        if (!record.machine.empty()) entry.later.change().machine = qt(record.machine);
        if (entry.valid() && flops > 0) entry.gflops = flops / entry.trial.cost() * 1e-9;
        entryOf[i] = static_cast<int>(result.entries.size());
        result.entries.push_back(std::move(entry));
    }
    for (auto verdict = log.verdicts.rbegin(); verdict != log.verdicts.rend() && !cancelled; ++verdict) {
        if (entryOf[verdict->record] < 0) continue; // of another task
        result.winner = entryOf[verdict->record];
        result.winnerTime = verdict->time;
        if (!result.winnerTime.known()) {
            const double seconds = log.records[verdict->record].trial.cost();
            result.winnerTime = {seconds, seconds, seconds};
        }
        result.decided = static_cast<int>(std::count_if(
            entryOf.begin(), entryOf.begin() + static_cast<ptrdiff_t>(verdict->after), [](int e) { return e >= 0; }));
        break;
    }
    return result;
}

namespace {

QString nameOfKey(const std::string &key) {
    const QJsonArray parts = QJsonDocument::fromJson(QByteArray::fromStdString(key)).array();
    QString name = parts.isEmpty() ? qt(key) : parts.first().toString();
    constexpr qsizetype kHash = 32; // digits; as many as tell tasks apart are shown
    constexpr qsizetype kHashShown = 8;
    if (name.size() == kHash && !name.contains(u'_')) name = name.left(kHashShown);
    QStringList numbers;
    for (qsizetype i = 1; i < parts.size(); ++i)
        if (parts[i].isDouble()) numbers << QString::number(parts[i].toInteger());
    return numbers.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, numbers.join(QStringLiteral(", ")));
}

} // namespace

std::vector<UnknownTask> unknownTasks(const RecordLog &log, const std::atomic<bool> &cancelled) {
    std::vector<UnknownTask> tasks;
    std::map<std::pair<std::string, std::string>, size_t> placeOf;
    for (size_t i = 0; i < log.records.size() && !cancelled; ++i) {
        const Record &record = log.records[i];
        const auto [place, fresh] = placeOf.try_emplace({record.key, record.targetText}, tasks.size());
        if (fresh) tasks.push_back({{qt(record.key), qt(record.targetText)}, nameOfKey(record.key), {}});
        TrialEntry entry;
        entry.trial = record.trial;
        entry.fromLog = true;
        entry.logPath = qt(log.path);
        entry.logRecord = static_cast<int>(i);
        entry.recordHash = recordHash(record);
        entry.layoutRewrite = record.layoutRewrite;
        tasks[place->second].entries.push_back(std::move(entry));
    }
    return tasks;
}

QString skippedText(const std::vector<SkippedLine> &skipped) {
    constexpr size_t kNamed = 5;
    std::vector<std::pair<std::string, std::vector<int>>> reasons;
    for (const SkippedLine &line : skipped) {
        auto found = std::find_if(reasons.begin(), reasons.end(),
                                  [&](const auto &reason) { return reason.first == line.reason; });
        if (found == reasons.end()) found = reasons.insert(reasons.end(), {line.reason, {}});
        found->second.push_back(line.line);
    }
    QStringList texts;
    for (const auto &[reason, lines] : reasons) {
        QStringList numbers;
        for (size_t i = 0; i < std::min(lines.size(), kNamed); ++i) numbers << QString::number(lines[i]);
        QString text = QStringLiteral("%1 %2").arg(lines.size() == 1 ? QStringLiteral("line") : QStringLiteral("lines"),
                                                   numbers.join(QStringLiteral(", ")));
        if (lines.size() > kNamed) text += QStringLiteral(" and %1 more").arg(lines.size() - kNamed);
        texts << QStringLiteral("%1: %2").arg(text, qt(reason));
    }
    return texts.join(u'\n');
}

QString workloadOfLog(const RecordLog &log, const QStringList &files, const std::atomic<bool> &cancelled,
                      QString *problem) {
    Target target;
    try {
        target = parseTarget(log.records.empty() ? "llvm" : log.records.front().targetText);
    } catch (const Error &error) {
        if (problem) *problem = qt(error.what());
        return {};
    }
    for (const QString &file : files) {
        if (cancelled) break;
        try {
            const Workload workload = loadWorkload(std8(file));
            const Task task = makeTask(ComputeDag::fromWorkload(workload), target);
            const bool any = std::any_of(log.records.begin(), log.records.end(), [&](const Record &record) {
                return static_cast<bool>(recordMatches(record, task));
            });
            if (any) return file;
        } catch (const std::exception &) {
            continue; // a file that is no workload is none of this log
        }
    }
    return {};
}

} // namespace loopscope
