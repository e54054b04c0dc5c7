#include "views/session/session_file.h"

#include "schedule/steps_json.h"
#include "views/session/text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace loopscope {

namespace {

constexpr qsizetype kMostAncestors = 20000; // some 20 MB; beyond, lineages are not kept
constexpr size_t kQuantiles = 101;          // of a generation's scores

QString key(const char *name) { return QString::fromLatin1(name); }

/// Names of mutations are compared as views of literals; those of a file must live as long.
std::string_view keepName(const QString &name) {
    static std::set<std::string> names;
    return *names.insert(name.toStdString()).first;
}

QJsonArray scoresToJson(std::vector<float> scores) {
    std::sort(scores.begin(), scores.end());
    QJsonArray array;
    const size_t count = std::min(scores.size(), kQuantiles);
    for (size_t i = 0; i < count; ++i) {
        const float score = scores[count < 2 ? 0 : i * (scores.size() - 1) / (count - 1)];
        array.append(std::isfinite(score) ? static_cast<double>(score) : -1e30);
    }
    return array;
}

double finiteOr(double value, double otherwise) { return std::isfinite(value) ? value : otherwise; }

} // namespace

int AncestorTable::add(const std::shared_ptr<const Ancestor> &ancestor) {
    if (!ancestor) return -1;
    if (const auto found = m_places.find(ancestor.get()); found != m_places.end()) return found->second;
    const int parent = add(ancestor->parent);
    const int parent2 = add(ancestor->parent2);
    if (json.size() >= kMostAncestors) return -1;
    if (ancestor->parent && parent < 0) return -1;
    QJsonObject object{{key("round"), ancestor->round},           {key("generation"), ancestor->generation},
                       {key("mutation"), qt(ancestor->mutation)}, {key("sketch"), ancestor->sketch},
                       {key("trial"), ancestor->trial},           {key("steps"), qt(stepsText(ancestor->steps()))}};
    if (std::isfinite(ancestor->score)) object[key("score")] = static_cast<double>(ancestor->score);
    if (parent >= 0) object[key("parent")] = parent;
    if (parent2 >= 0) object[key("parent2")] = parent2;
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
            own = stepsFromJson(nlohmann::json::parse(std8(object[key("steps")].toString())));
        } catch (const std::exception &) {
            m_read.push_back(nullptr); // a damaged entry: the lineage is unknown from here on
            steps.emplace_back();
            continue;
        }
        const auto parent = at(object[key("parent")].toInt(-1));
        const auto made = parent
                              ? makeDescendant(parent, steps[static_cast<size_t>(object[key("parent")].toInt())], own)
                              : makeOrigin(own);
        made->round = object[key("round")].toInt();
        made->generation = object[key("generation")].toInt();
        made->mutation = keepName(object[key("mutation")].toString());
        made->sketch = object[key("sketch")].toInt(-1);
        made->trial = object[key("trial")].toInt();
        if (object.contains(key("score"))) made->score = static_cast<float>(object[key("score")].toDouble());
        made->parent2 = at(object[key("parent2")].toInt(-1));
        m_read.push_back(made);
        steps.push_back(std::move(own));
    }
}

std::shared_ptr<const Ancestor> AncestorTable::at(int place) const {
    return place >= 0 && static_cast<size_t>(place) < m_read.size() ? m_read[static_cast<size_t>(place)] : nullptr;
}

QJsonObject entryToJson(const TrialEntry &entry, AncestorTable &ancestors) {
    QJsonObject json{{key("log"), entry.logPath}, {key("record"), entry.logRecord}};
    if (entry.sketch >= 0) json[key("sketch")] = entry.sketch;
    if (entry.round > 0) json[key("round")] = entry.round;
    if (entry.generation >= 0) json[key("generation")] = entry.generation;
    if (!entry.mutation.isEmpty()) json[key("mutation")] = entry.mutation;
    if (std::isfinite(entry.predicted)) json[key("predicted")] = static_cast<double>(entry.predicted);
    if (entry.elapsed > 0) json[key("elapsed")] = entry.elapsed;
    if (entry.pinned) json[key("pinned")] = true;
    if (!entry.note.isEmpty()) json[key("note")] = entry.note;
    if (entry.fromLog) json[key("from_log")] = true;
    if (const int place = ancestors.add(entry.ancestry); place >= 0) json[key("ancestor")] = place;
    QJsonArray again;
    for (const auto &samples : entry.again) {
        QJsonArray list;
        for (const double sample : samples) list.append(sample);
        again.append(list);
    }
    if (!again.isEmpty()) json[key("again")] = again;
    return json;
}

void entryFromJson(const QJsonObject &json, const AncestorTable &ancestors, TrialEntry &entry) {
    if (json.contains(key("sketch"))) entry.sketch = json[key("sketch")].toInt();
    entry.round = json[key("round")].toInt();
    entry.generation = json[key("generation")].toInt(-1);
    entry.mutation = json[key("mutation")].toString();
    if (json.contains(key("predicted"))) entry.predicted = static_cast<float>(json[key("predicted")].toDouble());
    entry.elapsed = json[key("elapsed")].toDouble();
    entry.pinned = json[key("pinned")].toBool();
    entry.note = json[key("note")].toString();
    entry.fromLog = json[key("from_log")].toBool();
    entry.ancestry = ancestors.at(json[key("ancestor")].toInt(-1));
    entry.again.clear();
    for (const auto &list : json[key("again")].toArray()) {
        auto &samples = entry.again.emplace_back();
        for (const auto &sample : list.toArray()) samples.push_back(sample.toDouble());
    }
}

QJsonArray roundsToJson(const std::vector<RoundInfo> &rounds) {
    QJsonArray array;
    for (const auto &round : rounds) {
        QJsonObject json{{key("round"), round.round},
                         {key("trials"), round.trialsSoFar},
                         {key("best"), finiteOr(round.bestSeconds, -1)},
                         {key("elapsed"), round.elapsed}};
        if (round.training) {
            json[key("pairs_ranked_right")] = round.training->pairsRankedRight;
            json[key("samples")] = static_cast<qint64>(round.training->samples);
            json[key("trees")] = round.training->trees;
        }
        if (round.sampled) {
            json[key("attempts")] = round.sampled->attempts;
            json[key("valid")] = round.sampled->valid;
            QJsonArray ofSketch;
            for (const int count : round.sampled->validOfSketch) ofSketch.append(count);
            json[key("valid_of_sketch")] = ofSketch;
            QJsonArray refusals;
            for (const auto &[reason, count] : round.sampled->refusals) refusals.append(QJsonArray{qt(reason), count});
            json[key("refusals")] = refusals;
        }
        QJsonArray generations;
        for (const auto &made : round.generations)
            generations.append(QJsonObject{{key("generation"), made.generation},
                                           {key("population"), made.population},
                                           {key("invalid"), made.invalid},
                                           {key("best"), finiteOr(static_cast<double>(made.best), -1e30)},
                                           {key("median"), finiteOr(static_cast<double>(made.median), -1e30)},
                                           {key("scores"), scoresToJson(made.scores)}});
        json[key("generations")] = generations;
        array.append(json);
    }
    return array;
}

std::vector<RoundInfo> roundsFromJson(const QJsonArray &array) {
    std::vector<RoundInfo> rounds;
    for (const auto &value : array) {
        const QJsonObject json = value.toObject();
        RoundInfo round;
        round.round = json[key("round")].toInt();
        round.trialsSoFar = json[key("trials")].toInt();
        round.bestSeconds = json[key("best")].toDouble();
        if (round.bestSeconds < 0) round.bestSeconds = std::numeric_limits<double>::infinity();
        round.elapsed = json[key("elapsed")].toDouble();
        if (json.contains(key("pairs_ranked_right"))) {
            TrainingReport report;
            report.pairsRankedRight = json[key("pairs_ranked_right")].toDouble(-1);
            report.samples = static_cast<size_t>(json[key("samples")].toInteger());
            report.trees = json[key("trees")].toInt();
            round.training = report;
        }
        if (json.contains(key("attempts"))) {
            PopulationSampled sampled;
            sampled.round = round.round;
            sampled.attempts = json[key("attempts")].toInt();
            sampled.valid = json[key("valid")].toInt();
            for (const auto &count : json[key("valid_of_sketch")].toArray())
                sampled.validOfSketch.push_back(count.toInt());
            for (const auto &refusal : json[key("refusals")].toArray())
                sampled.refusals.emplace_back(std8(refusal.toArray()[0].toString()), refusal.toArray()[1].toInt());
            round.sampled = std::move(sampled);
        }
        for (const auto &made : json[key("generations")].toArray()) {
            const QJsonObject object = made.toObject();
            GenerationInfo info{object[key("generation")].toInt(),
                                object[key("population")].toInt(),
                                object[key("invalid")].toInt(),
                                static_cast<float>(object[key("best")].toDouble()),
                                static_cast<float>(object[key("median")].toDouble()),
                                {}};
            for (const auto &score : object[key("scores")].toArray())
                info.scores.push_back(static_cast<float>(score.toDouble()));
            round.generations.push_back(std::move(info));
        }
        rounds.push_back(std::move(round));
    }
    return rounds;
}

QJsonObject setupToJson(const SearchSetup &setup) {
    const SearchOptions &options = setup.options;
    return {{key("trials"), options.trials},
            {key("seed"), QString::number(options.seed)},
            {key("threads"), options.threads},
            {key("time_limit"), options.timeLimitSeconds},
            {key("trials_per_round"), options.trialsPerRound},
            {key("population"), options.population},
            {key("generations"), options.generations},
            {key("random_model"), options.randomModel},
            {key("inline_more"), options.sketch.inlineMore},
            {key("pack_inputs"), options.sketch.packInputs},
            {key("log"), setup.logPath},
            {key("layout_rewrite"), setup.layoutRewrite},
            {key("build_timeout"), setup.buildTimeout},
            {key("run_timeout"), setup.runTimeout}};
}

SearchSetup setupFromJson(const QJsonObject &json) {
    SearchSetup setup;
    SearchOptions &options = setup.options;
    options.trials = json[key("trials")].toInt(options.trials);
    options.seed = json[key("seed")].toString().toULongLong();
    options.threads = json[key("threads")].toInt(options.threads);
    options.timeLimitSeconds = json[key("time_limit")].toDouble(options.timeLimitSeconds);
    options.trialsPerRound = json[key("trials_per_round")].toInt(options.trialsPerRound);
    options.population = json[key("population")].toInt(options.population);
    options.generations = json[key("generations")].toInt(options.generations);
    options.randomModel = json[key("random_model")].toBool(options.randomModel);
    options.sketch.inlineMore = json[key("inline_more")].toBool(options.sketch.inlineMore);
    options.sketch.packInputs = json[key("pack_inputs")].toBool(options.sketch.packInputs);
    setup.logPath = json[key("log")].toString();
    setup.layoutRewrite = json[key("layout_rewrite")].toInt(setup.layoutRewrite);
    setup.buildTimeout = json[key("build_timeout")].toDouble(setup.buildTimeout);
    setup.runTimeout = json[key("run_timeout")].toDouble(setup.runTimeout);
    return setup;
}

} // namespace loopscope
