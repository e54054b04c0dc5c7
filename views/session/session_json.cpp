#include "views/session/session_json.h"

#include "base/json_text.h"
#include "schedule/steps_json.h"
#include "views/session/log_trials.h"
#include "views/session/measuring.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace loopscope {

namespace {

constexpr qsizetype kMaxAncestors = 20000; // some 20 MB; beyond, lineages are not kept

/// Names of mutations are compared as views of literals; those of a file must live as long.
std::string_view keepName(const QString &name) {
    static std::set<std::string> names;
    return *names.insert(name.toStdString()).first;
}

QJsonArray scoresToJson(const ScoreDistribution &scores) {
    QJsonArray array;
    for (const float score : scores.quantiles())
        array.append(std::isfinite(score) ? static_cast<double>(score) : -1e30);
    return array;
}

double finiteOr(double value, double otherwise) { return std::isfinite(value) ? value : otherwise; }

} // namespace

int AncestorTable::add(const std::shared_ptr<const Ancestor> &ancestor) {
    if (!ancestor) return -1;
    if (const auto found = m_places.find(ancestor.get()); found != m_places.end()) return found->second;
    const int parent = add(ancestor->parent);
    const int parent2 = add(ancestor->parent2);
    if (json.size() >= kMaxAncestors) return -1;
    if (ancestor->parent && parent < 0) return -1;
    QJsonObject object{
        {jsonKey("round"), ancestor->round},           {jsonKey("generation"), ancestor->generation},
        {jsonKey("mutation"), qt(ancestor->mutation)}, {jsonKey("sketch"), ancestor->sketch},
        {jsonKey("trial"), ancestor->trial},           {jsonKey("steps"), qt(stepsText(ancestor->steps()))}};
    if (std::isfinite(ancestor->score)) object[jsonKey("score")] = static_cast<double>(ancestor->score);
    if (parent >= 0) object[jsonKey("parent")] = parent;
    if (parent2 >= 0) object[jsonKey("parent2")] = parent2;
    const int place = static_cast<int>(json.size());
    json.append(object);
    m_places[ancestor.get()] = place;
    return place;
}

void AncestorTable::read(const QJsonArray &array) {
    std::vector<Steps> steps;
    for (const auto &value : array) {
        const QJsonObject object = value.toObject();
        Steps own;
        try {
            own = stepsFromJson(parseJson(std8(object[jsonKey("steps")].toString()), "", "the steps"));
        } catch (const std::exception &) {
            m_read.push_back(nullptr); // a damaged entry: the lineage is unknown from here on
            steps.emplace_back();
            continue;
        }
        const auto parent = at(object[jsonKey("parent")].toInt(-1));
        const auto made =
            parent ? makeDescendant(parent, steps[static_cast<size_t>(object[jsonKey("parent")].toInt())], own)
                   : makeOrigin(own);
        made->round = object[jsonKey("round")].toInt();
        made->generation = object[jsonKey("generation")].toInt();
        made->mutation = keepName(object[jsonKey("mutation")].toString());
        made->sketch = object[jsonKey("sketch")].toInt(-1);
        made->trial = object[jsonKey("trial")].toInt();
        if (object.contains(jsonKey("score"))) made->score = static_cast<float>(object[jsonKey("score")].toDouble());
        made->parent2 = at(object[jsonKey("parent2")].toInt(-1));
        m_read.push_back(made);
        steps.push_back(std::move(own));
    }
}

std::shared_ptr<const Ancestor> AncestorTable::at(int place) const {
    return place >= 0 && static_cast<size_t>(place) < m_read.size() ? m_read[static_cast<size_t>(place)] : nullptr;
}

QJsonArray intervalToJson(const TimeInterval &time) {
    return time.known() ? QJsonArray{time.seconds, time.low, time.high} : QJsonArray();
}

TimeInterval intervalFromJson(const QJsonArray &array) {
    if (array.size() != 3) return {};
    const TimeInterval time{array.at(0).toDouble(), array.at(1).toDouble(), array.at(2).toDouble()};
    return time.seconds > 0 && time.low > 0 && time.high >= time.low ? time : TimeInterval();
}

QJsonObject entryToJson(const TrialEntry &entry, AncestorTable &ancestors) {
    QJsonObject json{{jsonKey("log"), entry.logPath}, {jsonKey("record"), entry.logRecord}};
    if (entry.recordHash != 0) json[jsonKey("name")] = entry.recordName();
    if (entry.sketch >= 0) json[jsonKey("sketch")] = entry.sketch;
    if (entry.round > 0) json[jsonKey("round")] = entry.round;
    if (entry.generation >= 0) json[jsonKey("generation")] = entry.generation;
    if (!entry.mutation.isEmpty()) json[jsonKey("mutation")] = entry.mutation;
    if (std::isfinite(entry.predicted)) json[jsonKey("predicted")] = static_cast<double>(entry.predicted);
    if (entry.elapsed > 0) json[jsonKey("elapsed")] = entry.elapsed;
    if (entry.pinned) json[jsonKey("pinned")] = true;
    const LaterFacts &later = *entry.later;
    if (!later.note.isEmpty()) json[jsonKey("note")] = later.note;
    if (!later.machine.isEmpty()) json[jsonKey("machine")] = later.machine;
    if (entry.fromLog) json[jsonKey("from_log")] = true;
    if (const int place = ancestors.add(entry.ancestry); place >= 0) json[jsonKey("ancestor")] = place;
    QJsonArray again;
    for (const auto &samples : later.again) {
        QJsonArray list;
        for (const double sample : samples) list.append(sample);
        again.append(list);
    }
    if (!again.isEmpty()) json[jsonKey("again")] = again;
    if (later.compared.known()) {
        json[jsonKey("compared")] = intervalToJson(later.compared);
        json[jsonKey("comparison")] = later.comparison;
        json[jsonKey("relative")] = later.relative;
        if (!entry.trial.unstable) json[jsonKey("stable")] = true; // whatever the log says of its first time
    }
    return json;
}

void entryFromJson(const QJsonObject &json, const AncestorTable &ancestors, TrialEntry &entry) {
    if (json.contains(jsonKey("sketch"))) entry.sketch = json[jsonKey("sketch")].toInt();
    entry.round = json[jsonKey("round")].toInt();
    entry.generation = json[jsonKey("generation")].toInt(-1);
    entry.mutation = json[jsonKey("mutation")].toString();
    if (json.contains(jsonKey("predicted")))
        entry.predicted = static_cast<float>(json[jsonKey("predicted")].toDouble());
    entry.elapsed = json[jsonKey("elapsed")].toDouble();
    entry.pinned = json[jsonKey("pinned")].toBool();
    entry.fromLog = json[jsonKey("from_log")].toBool();
    entry.ancestry = ancestors.at(json[jsonKey("ancestor")].toInt(-1));
    entry.later = {};
    const std::array keys = {jsonKey("note"),     jsonKey("machine"),    jsonKey("again"),
                             jsonKey("compared"), jsonKey("comparison"), jsonKey("relative")};
    if (std::any_of(keys.begin(), keys.end(), [&](const QString &key) { return json.contains(key); })) {
        LaterFacts &later = entry.later.change();
        later.note = json[jsonKey("note")].toString();
        later.machine = json[jsonKey("machine")].toString();
        for (const auto &list : json[jsonKey("again")].toArray()) {
            auto &samples = later.again.emplace_back();
            for (const auto &sample : list.toArray()) samples.push_back(sample.toDouble());
        }
        later.compared = intervalFromJson(json[jsonKey("compared")].toArray());
        later.comparison = json[jsonKey("comparison")].toInt(-1);
        later.relative = json[jsonKey("relative")].toDouble();
    }
    if (json[jsonKey("stable")].toBool()) entry.trial.unstable = false;
}

std::vector<size_t> restoreTrials(const QJsonArray &trials, const AncestorTable &ancestors, const QString &logPath,
                                  std::vector<TrialEntry> &entries) {
    std::vector<QJsonObject> saved;
    std::vector<RecordPlace> wanted;
    for (const auto &trial : trials) {
        QJsonObject json = trial.toObject();
        if (json[jsonKey("log")].toString() != logPath) continue;
        wanted.push_back({json[jsonKey("record")].toInt(-1), json[jsonKey("name")].toString()});
        saved.push_back(std::move(json));
    }
    std::vector<size_t> ofLog;
    std::vector<RecordPlace> there;
    for (size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].logPath != logPath) continue;
        ofLog.push_back(i);
        there.push_back({entries[i].logRecord, entries[i].recordName()});
    }
    const std::vector<int> found = findRecords(wanted, there);
    std::vector<size_t> known;
    for (size_t i = 0; i < found.size(); ++i) {
        if (found[i] < 0) continue;
        known.push_back(ofLog[static_cast<size_t>(found[i])]);
        entryFromJson(saved[i], ancestors, entries[known.back()]);
    }
    return known;
}

QJsonArray trialsToJson(const TaskState &state, AncestorTable &ancestors) {
    QJsonArray array;
    for (size_t i = 0; i < state.trials.size(); ++i) {
        QJsonObject json = entryToJson(state.trials[i], ancestors);
        if (static_cast<int>(i) == state.baseline) json[jsonKey("baseline")] = true;
        array.append(json);
    }
    return array;
}

QJsonArray trialsToJson(const Document &document) {
    QJsonArray array;
    for (const TaskState *state : tasksOf(document)) {
        AncestorTable ancestors; // not kept
        for (const auto &trial : trialsToJson(*state, ancestors)) {
            QJsonObject json = trial.toObject();
            json.remove(jsonKey("ancestor"));
            array.append(json);
        }
    }
    return array;
}

std::optional<int> markedBaseline(const QJsonArray &trials, const std::vector<TrialEntry> &entries) {
    const auto marked = std::find_if(trials.begin(), trials.end(),
                                     [](const auto &trial) { return trial.toObject()[jsonKey("baseline")].toBool(); });
    if (marked == trials.end()) return std::nullopt;
    const QString name = marked->toObject()[jsonKey("name")].toString();
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const TrialEntry &entry) {
        return !name.isEmpty() && entry.recordName() == name;
    });
    return found == entries.end() ? -1 : static_cast<int>(found - entries.begin());
}

namespace {

using CountedReasons = std::vector<std::pair<std::string, int>>;

QJsonArray refusalsToJson(const CountedReasons &refusals) {
    QJsonArray array;
    for (const auto &[reason, count] : refusals) array.append(QJsonArray{qt(reason), count});
    return array;
}

CountedReasons refusalsFromJson(const QJsonArray &array) {
    CountedReasons refusals;
    for (const auto &refusal : array)
        refusals.emplace_back(std8(refusal.toArray().at(0).toString()), refusal.toArray().at(1).toInt());
    return refusals;
}

} // namespace

QJsonArray roundsToJson(const std::vector<RoundInfo> &rounds) {
    QJsonArray array;
    for (const auto &round : rounds) {
        QJsonObject json{{jsonKey("round"), round.round},
                         {jsonKey("trials"), round.trialsSoFar},
                         {jsonKey("best"), finiteOr(round.bestSeconds, -1)},
                         {jsonKey("elapsed"), round.elapsed}};
        if (round.training) {
            json[jsonKey("pairs_ranked_right")] = round.training->pairsRankedRight;
            json[jsonKey("samples")] = static_cast<qint64>(round.training->samples);
            json[jsonKey("trees")] = round.training->trees;
        }
        if (round.sampled) {
            json[jsonKey("attempts")] = round.sampled->attempts;
            json[jsonKey("valid")] = round.sampled->valid;
            QJsonArray ofSketch;
            for (const int count : round.sampled->validOfSketch) ofSketch.append(count);
            json[jsonKey("valid_of_sketch")] = ofSketch;
            json[jsonKey("refusals")] = refusalsToJson(round.sampled->refusals);
        }
        QJsonArray generations;
        for (const auto &made : round.generations)
            generations.append(QJsonObject{{jsonKey("generation"), made.generation},
                                           {jsonKey("population"), made.population},
                                           {jsonKey("invalid"), made.invalid},
                                           {jsonKey("refusals"), refusalsToJson(made.refusals)},
                                           {jsonKey("best"), finiteOr(static_cast<double>(made.best), -1e30)},
                                           {jsonKey("median"), finiteOr(static_cast<double>(made.median), -1e30)},
                                           {jsonKey("scores"), scoresToJson(made.scores)}});
        json[jsonKey("generations")] = generations;
        array.append(json);
    }
    return array;
}

std::vector<RoundInfo> roundsFromJson(const QJsonArray &array) {
    std::vector<RoundInfo> rounds;
    for (const auto &value : array) {
        const QJsonObject json = value.toObject();
        RoundInfo round;
        round.round = json[jsonKey("round")].toInt();
        round.trialsSoFar = json[jsonKey("trials")].toInt();
        round.bestSeconds = json[jsonKey("best")].toDouble();
        if (round.bestSeconds < 0) round.bestSeconds = std::numeric_limits<double>::infinity();
        round.elapsed = json[jsonKey("elapsed")].toDouble();
        if (json.contains(jsonKey("pairs_ranked_right"))) {
            TrainingReport report;
            report.pairsRankedRight = json[jsonKey("pairs_ranked_right")].toDouble(-1);
            report.samples = static_cast<size_t>(json[jsonKey("samples")].toInteger());
            report.trees = json[jsonKey("trees")].toInt();
            round.training = report;
        }
        if (json.contains(jsonKey("attempts"))) {
            PopulationSampled sampled;
            sampled.round = round.round;
            sampled.attempts = json[jsonKey("attempts")].toInt();
            sampled.valid = json[jsonKey("valid")].toInt();
            for (const auto &count : json[jsonKey("valid_of_sketch")].toArray())
                sampled.validOfSketch.push_back(count.toInt());
            sampled.refusals = refusalsFromJson(json[jsonKey("refusals")].toArray());
            round.sampled = std::move(sampled);
        }
        for (const auto &made : json[jsonKey("generations")].toArray()) {
            const QJsonObject object = made.toObject();
            GenerationInfo info{object[jsonKey("generation")].toInt(),
                                object[jsonKey("population")].toInt(),
                                object[jsonKey("invalid")].toInt(),
                                static_cast<float>(object[jsonKey("best")].toDouble()),
                                static_cast<float>(object[jsonKey("median")].toDouble()),
                                {},
                                refusalsFromJson(object[jsonKey("refusals")].toArray())};
            std::vector<float> scores;
            for (const auto &score : object[jsonKey("scores")].toArray())
                scores.push_back(static_cast<float>(score.toDouble()));
            info.scores = ScoreDistribution(std::move(scores));
            round.generations.push_back(std::move(info));
        }
        rounds.push_back(std::move(round));
    }
    return rounds;
}

QJsonObject setupToJson(const SearchSetup &setup) {
    const SearchOptions &options = setup.options;
    return {{jsonKey("trials"), options.trials},
            {jsonKey("seed"), QString::number(options.seed)},
            {jsonKey("threads"), options.threads},
            {jsonKey("time_limit"), options.timeLimitSeconds},
            {jsonKey("trials_per_round"), options.trialsPerRound},
            {jsonKey("population"), options.population},
            {jsonKey("generations"), options.generations},
            {jsonKey("random_model"), options.randomModel},
            {jsonKey("inline_more"), options.sketch.inlineMore},
            {jsonKey("pack_inputs"), options.sketch.packInputs},
            {jsonKey("vectorize_weights"), options.sketch.vectorizeWeights},
            {jsonKey("keep_prologues"), options.sketch.keepPrologues},
            {jsonKey("log"), setup.logPath},
            {jsonKey("measure_on"), measureOnName(setup.on)},
            {jsonKey("bundles"), setup.bundleFolder},
            {jsonKey("nodes"), setup.nodes},
            {jsonKey("layout_rewrite"), setup.layoutRewrite},
            {jsonKey("build_timeout"), setup.buildTimeout},
            {jsonKey("run_timeout"), setup.runTimeout}};
}

SearchSetup setupFromJson(const QJsonObject &json) {
    SearchSetup setup;
    SearchOptions &options = setup.options;
    options.trials = json[jsonKey("trials")].toInt(options.trials);
    options.seed = json[jsonKey("seed")].toString().toULongLong();
    options.threads = json[jsonKey("threads")].toInt(options.threads);
    options.timeLimitSeconds = json[jsonKey("time_limit")].toDouble(options.timeLimitSeconds);
    options.trialsPerRound = json[jsonKey("trials_per_round")].toInt(options.trialsPerRound);
    options.population = json[jsonKey("population")].toInt(options.population);
    options.generations = json[jsonKey("generations")].toInt(options.generations);
    options.randomModel = json[jsonKey("random_model")].toBool(options.randomModel);
    options.sketch.inlineMore = json[jsonKey("inline_more")].toBool(options.sketch.inlineMore);
    options.sketch.packInputs = json[jsonKey("pack_inputs")].toBool(options.sketch.packInputs);
    options.sketch.keepPrologues = json[jsonKey("keep_prologues")].toBool(options.sketch.keepPrologues);
    options.sketch.vectorizeWeights = json[jsonKey("vectorize_weights")].toBool(options.sketch.vectorizeWeights);
    setup.logPath = json[jsonKey("log")].toString();
    setup.on = measureOnOf(json[jsonKey("measure_on")].toString());
    setup.bundleFolder = json[jsonKey("bundles")].toString();
    setup.nodes = json[jsonKey("nodes")].toString();
    setup.layoutRewrite = json[jsonKey("layout_rewrite")].toInt(setup.layoutRewrite);
    setup.buildTimeout = json[jsonKey("build_timeout")].toDouble(setup.buildTimeout);
    setup.runTimeout = json[jsonKey("run_timeout")].toDouble(setup.runTimeout);
    return setup;
}

} // namespace loopscope
