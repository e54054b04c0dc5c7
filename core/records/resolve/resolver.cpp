#include "records/resolve/resolver.h"

#include "base/nearest_name.h"
#include "records/resolve/fit.h"
#include "records/resolve/known_functions.h"
#include "records/resolve/oldest_text.h"
#include "records/resolve/pattern_search.h"
#include "records/resolve/step_shapes.h"
#include "records/resolve/te_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace loopscope {

/// The workloads of one key, built when somebody looks at them.
struct ResolvedKey {
    using Build = std::function<ResolutionPtr()>; // null: what was promised makes no workload

    std::mutex mutex;
    std::vector<Build> waiting; // in order, from `built` on
    std::vector<ResolutionPtr> built;
    std::string why; // there are none
};

namespace {

using Build = ResolvedKey::Build;
using Entry = ResolvedKey;
using EntryPtr = std::shared_ptr<ResolvedKey>;

EntryPtr refused(std::string why) {
    auto entry = std::make_shared<Entry>();
    entry->why = std::move(why);
    return entry;
}

EntryPtr entryOf(std::vector<Build> builds) {
    auto entry = std::make_shared<Entry>();
    entry->waiting = std::move(builds);
    return entry;
}

/// Candidate number i, or null when there are fewer.
ResolutionPtr candidate(Entry &entry, size_t i) {
    const std::lock_guard lock(entry.mutex);
    while (entry.built.size() <= i && !entry.waiting.empty()) {
        const Build build = std::move(entry.waiting.front());
        entry.waiting.erase(entry.waiting.begin());
        if (ResolutionPtr made = build()) entry.built.push_back(std::move(made));
    }
    return i < entry.built.size() ? entry.built[i] : nullptr;
}

std::vector<int64_t> dagNumbers(const ComputeDag &dag) {
    std::vector<int64_t> numbers;
    for (const Tensor *arg : dag.args()) numbers.insert(numbers.end(), arg->shape.begin(), arg->shape.end());
    return numbers;
}

std::string inputShapes(const ComputeDag &dag) {
    std::string text;
    for (const Tensor *arg : dag.args())
        if (arg->op->isPlaceholder()) text += (text.empty() ? "" : ", ") + shapeText(arg->shape);
    return text;
}

Resolution fromWorkload(const Workload &workload, Resolution::Source source, std::string origin) {
    Resolution made;
    made.source = source;
    made.dag = ComputeDag::fromWorkload(workload);
    made.operators = workload.name;
    made.name = fmt::format("{} {}", workload.name, inputShapes(*made.dag));
    made.origin = std::move(origin);
    made.te = printWorkload(workload.name, workload.ops, workload.args);
    return made;
}

std::string originOf(const TeFile &file, const ParamOverrides &overrides) {
    return overrides.empty() ? file.path : fmt::format("{} with {}", file.path, overridesText(overrides));
}

/// "outer.<locals>.inner" is `inner` to people.
std::string_view plainName(std::string_view function) {
    const size_t dot = function.rfind('.');
    return dot == std::string_view::npos ? function : function.substr(dot + 1);
}

} // namespace

struct Resolver::Parts {
    ResolverOptions options;
    std::vector<TeFile> files;
    std::vector<std::string> problems;
    std::mutex mutex;
    std::map<std::string, EntryPtr, std::less<>> entries;

    void addFile(const std::string &path) {
        try {
            TeFile file = readTeFile(path);
            ComputeDag::fromWorkload(file.workload); // a file that makes none is a problem at once
            files.push_back(std::move(file));
        } catch (const Error &problem) {
            problems.emplace_back(problem.what());
        }
    }

    void addPath(const std::string &path) {
        namespace fs = std::filesystem;
        std::error_code failed;
        if (!fs::is_directory(path, failed)) {
            if (!fs::exists(path, failed)) throw Error(path, 0, 0, "there is no such file or folder of workloads");
            addFile(path);
            return;
        }
        std::vector<std::string> found;
        for (fs::directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed))
            if (at->path().extension() == ".te") found.push_back(at->path().string());
        if (failed) throw Error(path, 0, 0, fmt::format("the folder cannot be read: {}", failed.message()));
        std::sort(found.begin(), found.end());
        for (const std::string &file : found) addFile(file);
    }

    /// Null when it was cancelled.
    EntryPtr find(const std::string &key, const std::atomic<bool> *cancelled) {
        {
            const std::lock_guard lock(mutex);
            if (const auto known = entries.find(key); known != entries.end()) return known->second;
        }
        EntryPtr entry = look(key, cancelled);
        if (!entry) return nullptr;
        const std::lock_guard lock(mutex);
        return entries.emplace(key, std::move(entry)).first->second;
    }

    EntryPtr look(const std::string &text, const std::atomic<bool> *cancelled) {
        const Outcome<TaskKey> key = parseTaskKey(text);
        if (!key) return refused(key.why());
        if (const std::string *te = tableText(text, *key)) return fromTable(*key, *te);
        if (!key->isHash) return fromFunction(*key);
        std::vector<std::string> near; // files of the same extents
        std::vector<Build> builds = fromFiles(*key, near);
        if (!builds.empty()) return entryOf(std::move(builds));
        return fromPatterns(*key, near, cancelled);
    }

    /// Under the key itself, or one of the same numbers.
    [[nodiscard]] const std::string *tableText(const std::string &text, const TaskKey &key) const {
        if (const auto found = options.keys.texts.find(text); found != options.keys.texts.end()) return &found->second;
        if (!key.isHash) return nullptr;
        for (const auto &[other, te] : options.keys.texts)
            if (const Outcome<TaskKey> parsed = parseTaskKey(other);
                parsed.ok() && parsed->name == key.name && parsed->numbers == key.numbers)
                return &te;
        return nullptr;
    }

    static EntryPtr fromTable(const TaskKey &key, const std::string &te) {
        try {
            auto made = std::make_shared<Resolution>(
                fromWorkload(parseWorkload(te, "key table"), Resolution::Source::Table, "the key table"));
            if (const std::vector<int64_t> numbers = dagNumbers(*made->dag);
                key.isHash && !key.numbers.empty() && numbers != key.numbers)
                return refused(fmt::format("the key table gives it a workload of {}, while the key has the extents {}",
                                           shapesText(*made->dag), fmt::join(key.numbers, " ")));
            return entryOf({[made] { return made; }});
        } catch (const Error &problem) {
            return refused(fmt::format("what the key table gives for it is no workload: {}", problem.what()));
        }
    }

    EntryPtr fromFunction(const TaskKey &key) const {
        const std::string name(plainName(key.name));
        std::vector<std::string> near;
        std::vector<std::string> names;
        std::vector<Build> builds;
        const auto tryFile = [&](const TeFile &file, Resolution::Source source) {
            names.push_back(file.workload.name);
            if (file.workload.name != name) return;
            const Outcome<ParamOverrides> overrides = paramsFromArgs(file, key);
            if (!overrides) {
                near.push_back(fmt::format("{} ({}): {}", name, file.path, overrides.why()));
                return;
            }
            try {
                auto made = std::make_shared<Resolution>(
                    fromWorkload(parseWorkload(file.text, file.path, *overrides), source, originOf(file, *overrides)));
                builds.emplace_back([made] { return made; });
            } catch (const Error &problem) {
                near.push_back(
                    fmt::format("{} ({}) with {}: {}", name, file.path, overridesText(*overrides), problem.sentence()));
            }
        };
        for (const TeFile &file : files) tryFile(file, Resolution::Source::Function);
        for (const TeFile &file : knownFunctions()) tryFile(file, Resolution::Source::Function);
        if (!builds.empty()) return entryOf(std::move(builds));
        if (!near.empty())
            return refused(
                fmt::format("the key names the function {}, and no workload of that name fits its arguments; {}",
                            key.name, fmt::join(near, "; ")));
        return refused(
            fmt::format("the key names the function {}, and none of the {} workloads is called that{}; add the "
                        ".te file that says what it computes, with its parameters in the order of the arguments",
                        key.name, names.size(), suggestion(name, names)));
    }

    std::vector<Build> fromFiles(const TaskKey &key, std::vector<std::string> &near) const {
        std::vector<Build> builds;
        for (const TeFile &file : files) {
            if (key.numbers.empty()) { // of the time when shapes were in the hashed text
                const DagPtr dag = ComputeDag::fromWorkload(file.workload);
                for (const HashForm form : {HashForm::Oldest, HashForm::OldestUint1})
                    if (hashOf(*dag, form) == key.name) addBuild(builds, file, {}, key.name, true);
                continue;
            }
            const size_t before = builds.size();
            const std::vector<ParamOverrides> all = paramsFromShapes(file, key.numbers, /*inputsAlone=*/false);
            for (const ParamOverrides &overrides : all) addBuild(builds, file, overrides, key.name, false);
            if (!all.empty() && builds.size() == before) near.push_back(originOf(file, all.front()));
        }
        return builds;
    }

    static void addBuild(std::vector<Build> &builds, const TeFile &file, const ParamOverrides &overrides,
                         const std::string &hash, bool known) {
        try {
            const Workload workload = parseWorkload(file.text, file.path, overrides);
            auto made = std::make_shared<Resolution>(
                fromWorkload(workload, Resolution::Source::File, originOf(file, overrides)));
            if (known || made->dag->hash() == hash) builds.emplace_back([made] { return made; });
        } catch (const Error &) {
            return; // these parameters make no workload
        }
    }

    static std::vector<Build> buildsOf(const PatternSearchResult &result, const std::string &hash, HashForm form) {
        std::vector<Build> builds;
        for (const PatternTask &task : result.found)
            builds.emplace_back([task, hash, form]() -> ResolutionPtr {
                try {
                    auto made = std::make_shared<Resolution>();
                    made->dag = ComputeDag::fromWorkload(parseWorkload(task.te, task.operators));
                    if (hashOf(*made->dag, form) != hash) return nullptr;
                    made->source = Resolution::Source::Pattern;
                    made->name = task.name;
                    made->operators = task.operators;
                    made->origin = task.origin;
                    made->te = task.te;
                    return made;
                } catch (const Error &) {
                    return nullptr; // the text can be hashed, but the loads leave their tensors
                }
            });
        return builds;
    }

    /// Of a key that is a hash alone the steps of a record tell shapes. Null when nothing is found, or it was
    /// cancelled.
    EntryPtr findBySteps(const std::string &text, const Steps &steps, const std::atomic<bool> *cancelled) {
        const Outcome<TaskKey> parsed = parseTaskKey(text);
        if (!parsed || !parsed->isHash || !parsed->numbers.empty()) return nullptr;
        const std::vector<TaskKey> keys = keysFromSteps(parsed->name, steps);
        std::string tried = text; // with which shapes
        for (const TaskKey &key : keys) tried += fmt::format(" {}", fmt::join(key.numbers, ","));
        {
            const std::lock_guard lock(mutex);
            if (const auto known = entries.find(tried); known != entries.end()) return known->second;
        }
        EntryPtr entry = refused({});
        for (const HashForm form : {HashForm::Oldest, HashForm::OldestUint1}) {
            constexpr size_t share = 160; // of what is tried for a key that tells its shapes
            const PatternSearchResult result = searchOldest(keys, form, options.maxCandidates / share, cancelled);
            if (result.cancelled) return nullptr;
            if (result.found.empty()) continue;
            entry = entryOf(buildsOf(result, parsed->name, form));
            const std::lock_guard lock(mutex);
            entries[text] = entry; // whoever asks without steps knows it from now on
            return entries[tried] = entry;
        }
        const std::lock_guard lock(mutex);
        return entries[tried] = entry;
    }

    EntryPtr fromPatterns(const TaskKey &key, std::vector<std::string> near, const std::atomic<bool> *cancelled) const {
        if (key.numbers.empty())
            return refused(
                fmt::format("the key is a hash alone, of the time when the shapes were in the hashed text, and "
                            "none of the {} .te files has it, nor what the steps of the record tell of its shapes",
                            files.size()));
        const PatternSearchResult result = searchPatterns(key, options.maxCandidates, cancelled);
        EntryPtr entry = entryOf(buildsOf(result, key.name, HashForm::Simple));
        if (candidate(*entry, 0)) return entry;
        if (result.cancelled) return nullptr;
        std::string files = fmt::format("the {} .te files", this->files.size());
        if (near.size() > 3) near.resize(3);
        if (!near.empty()) // worth a look
            files += fmt::format(" ({} {} these extents and another hash: names or operators differ)",
                                 fmt::join(near, "; "), near.size() == 1 ? "has" : "have");
        const std::string extents = fmt::format("{}", fmt::join(key.numbers, " "));
        if (result.heads == 0)
            return refused(fmt::format("the hash {} is that of none of {}, and no operator pattern has the extents {}",
                                       key.name, files, extents));
        return refused(
            fmt::format("the hash {} is that of none of {}, and of none of {} combinations of operators that have "
                        "the extents {}; add the .te file of the workload, or an entry of the key table",
                        key.name, files, result.tried, extents));
    }
};

std::string shapesText(const ComputeDag &dag) {
    std::string outputs;
    for (const Tensor *arg : dag.args())
        if (!arg->op->isPlaceholder()) outputs += (outputs.empty() ? "" : ", ") + shapeText(arg->shape);
    return inputShapes(dag) + " -> " + outputs;
}

Resolver::Resolver(ResolverOptions options) : m_parts(std::make_unique<Parts>()) {
    m_parts->options = std::move(options);
    for (const std::string &path : m_parts->options.workloads) m_parts->addPath(path);
}

Resolver::~Resolver() = default;

namespace {
const Refusal kCancelled{"the search for the workload was cancelled"};
}

Outcome<ResolutionPtr> Resolver::resolve(const std::string &key, const std::atomic<bool> *cancelled) const {
    const EntryPtr entry = m_parts->find(key, cancelled);
    if (!entry) return kCancelled;
    if (ResolutionPtr found = candidate(*entry, 0)) return found;
    return Refusal{entry->why};
}

Outcome<ResolutionPtr> Resolver::resolve(const std::string &key, const Steps &steps,
                                         const std::atomic<bool> *cancelled) const {
    EntryPtr entry = m_parts->find(key, cancelled);
    if (!entry) return kCancelled;
    if (!candidate(*entry, 0))
        if (EntryPtr told = m_parts->findBySteps(key, steps, cancelled); told && candidate(*told, 0))
            entry = std::move(told);
    std::string why;
    for (size_t i = 0;; ++i) {
        const ResolutionPtr found = candidate(*entry, i);
        if (!found) return Refusal{i == 0 ? entry->why : why};
        const Outcome<LoopState> fits = fit(steps, found->dag);
        if (fits) return found;
        if (i == 0)
            why = fmt::format("the key is that of {}, but the record does not fit: {}", found->name, fits.why());
        if (cancelled != nullptr && cancelled->load()) return kCancelled;
    }
}

Outcome<std::vector<ResolutionPtr>> Resolver::candidates(const std::string &key,
                                                         const std::atomic<bool> *cancelled) const {
    const EntryPtr entry = m_parts->find(key, cancelled);
    if (!entry) return kCancelled;
    std::vector<ResolutionPtr> all;
    for (size_t i = 0; ResolutionPtr found = candidate(*entry, i); ++i) all.push_back(std::move(found));
    if (all.empty()) return Refusal{entry->why};
    return all;
}

const std::vector<std::string> &Resolver::problems() const { return m_parts->problems; }

} // namespace loopscope
