#include "networks/passes/pass_sequence.h"

#include "base/nearest_name.h"
#include "networks/passes/function_edit.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

bool GraphPassContext::isRequired(const std::string &name) const {
    return std::find(required.begin(), required.end(), name) != required.end();
}
bool GraphPassContext::isDisabled(const std::string &name) const {
    return std::find(disabled.begin(), disabled.end(), name) != disabled.end();
}

PassSequence &PassSequence::add(GraphPass pass) {
    m_items.push_back({std::make_shared<const GraphPass>(std::move(pass)), nullptr});
    return *this;
}
PassSequence &PassSequence::add(PassSequence sequence) {
    m_items.push_back({nullptr, std::make_shared<const PassSequence>(std::move(sequence))});
    return *this;
}

std::vector<std::shared_ptr<const GraphPass>> PassSequence::passes() const {
    std::vector<std::shared_ptr<const GraphPass>> all;
    for (const Item &item : m_items) {
        if (item.pass) {
            all.push_back(item.pass);
            continue;
        }
        const auto inner = item.sequence->passes();
        all.insert(all.end(), inner.begin(), inner.end());
    }
    return all;
}

std::vector<std::string> PassSequence::names() const {
    std::vector<std::string> all = {m_name};
    const auto once = [&](const std::string &name) {
        if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    };
    for (const Item &item : m_items) {
        if (item.pass) {
            once(item.pass->info.name);
            continue;
        }
        for (const std::string &name : item.sequence->names()) once(name);
    }
    return all;
}

namespace {

Outcome<Module> runFunctions(const FunctionRun &run, const Module &module, GraphPassContext &context) {
    Module changed = module;
    for (FunctionPtr &function : changed.functions) {
        Outcome<FunctionPtr> now = run(function, context);
        if (!now) return now.refusal();
        function = *std::move(now);
    }
    return changed;
}

Outcome<Module> runBlocks(const PassInfo &info, const BlockRun &run, const Module &module, GraphPassContext &context) {
    Module changed = module;
    for (FunctionPtr &function : changed.functions) {
        FunctionEdit edit(function, info.name, context.report);
        for (size_t block = 0; block < function->blocks().size(); ++block)
            if (function->blocks()[block].kind == BlockKind::Dataflow)
                if (std::optional<Refusal> refusal = run(edit, block, context)) return *std::move(refusal);
        function = edit.finish();
    }
    return changed;
}

bool sameFunctions(const Module &a, const Module &b) { return a.functions == b.functions; }

size_t nodesOf(const Module &module) {
    size_t nodes = 0;
    for (const FunctionPtr &function : module.functions) nodes += function->nodeCount();
    return nodes;
}

uint64_t constantBytesOf(const Module &module) {
    uint64_t bytes = 0;
    for (const FunctionPtr &function : module.functions)
        for (size_t i = 0; i < function->valueCount(); ++i)
            if (const HostTensor *constant = function->constant(ValueId(i)))
                bytes +=
                    constant->isSplat() ? static_cast<uint64_t>(dtypeBytes(constant->dtype())) : constant->byteSize();
    return bytes;
}

/// One run: the module as it is.
class SequenceRun {
  public:
    SequenceRun(const PassSequence &sequence, const Module &module, GraphPassContext &context)
        : m_context(context), m_passes(sequence.passes()), m_result{module} {}

    PassResult run(const PassSequence &sequence) {
        runSequence(sequence, 0);
        return std::move(m_result);
    }

  private:
    [[nodiscard]] bool ended() const { return m_result.refusal || m_result.stopped; }
    void refuse(std::string sentence) {
        if (!m_result.refusal) m_result.refusal = Refusal{std::move(sentence)};
    }

    void runSequence(const PassSequence &sequence, size_t depth) {
        if (m_context.isDisabled(sequence.name())) {
            skip(sequence.name(), depth, "it is disabled");
            return;
        }
        for (const PassSequence::Item &item : sequence.items()) {
            if (ended()) break;
            if (item.pass)
                runPass(*item.pass, depth, false);
            else
                runSequence(*item.sequence, depth + 1);
        }
    }

    void skip(const std::string &name, size_t depth, std::string why) {
        m_context.report.rows.push_back({name, depth, PassState::Skipped, std::move(why)});
    }

    /// Why it is not made; nothing when it is.
    std::optional<std::string> whyNot(const PassInfo &info, bool asNeeded) {
        if (m_context.isDisabled(info.name)) return "it is disabled";
        if (m_context.isRequired(info.name)) return std::nullopt;
        if (!asNeeded && info.level > m_context.level)
            return fmt::format("it is of level {}, and the level is {}", info.level, m_context.level);
        return std::nullopt;
    }

    /// Whether what the pass needs holds now.
    bool establish(const GraphPass &pass, size_t depth) {
        for (int i = 0; i < kFactCount; ++i) {
            const Fact fact{static_cast<uint8_t>(i)};
            if (!pass.info.needs.has(fact) || m_context.facts.has(fact)) continue;
            const auto by = std::find_if(m_passes.begin(), m_passes.end(), [&](const auto &other) {
                return other->info.establishes.has(fact) && other->info.name != pass.info.name;
            });
            if (by != m_passes.end()) runPass(**by, depth, true);
            if (ended()) return false;
            if (m_context.facts.has(fact)) continue;
            skip(pass.info.name, depth,
                 by == m_passes.end()
                     ? fmt::format("it needs the fact '{}', which no pass of this sequence establishes", factName(fact))
                     : fmt::format("it needs the fact '{}', and '{}' was not made", factName(fact), (*by)->info.name));
            return false;
        }
        return true;
    }

    void runPass(const GraphPass &pass, size_t depth, bool asNeeded) {
        const PassInfo &info = pass.info;
        if (const auto why = whyNot(info, asNeeded)) {
            skip(info.name, depth, *why);
            return;
        }
        if (!establish(pass, depth)) return;

        const Module before = m_result.module;
        PassRow row = {info.name, depth};
        row.nodesBefore = nodesOf(before);
        row.bytesBefore = constantBytesOf(before);
        const size_t events = m_context.report.events.size();
        const auto start = std::chrono::steady_clock::now();
        Outcome<Module> made = apply(pass);
        row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (!made) {
            m_context.report.events.resize(events); // they did not happen
            row.state = PassState::Refused;
            row.why = made.why();
            m_context.report.rows.push_back(std::move(row));
            refuse(fmt::format("{}: {}", info.name, made.why()));
            return;
        }
        const bool changed = !sameFunctions(before, *made);
        m_result.module = *std::move(made);
        Facts &facts = m_context.facts;
        if (changed) facts = facts.onlyThoseOf(info.preserves);
        facts = facts.with(info.establishes);
        row.state = changed ? PassState::Changed : PassState::Unchanged;
        row.nodesAfter = changed ? nodesOf(m_result.module) : row.nodesBefore;
        row.bytesAfter = changed ? constantBytesOf(m_result.module) : row.bytesBefore;
        m_context.report.rows.push_back(std::move(row));
        watchAfter(info, before);
    }

    Outcome<Module> apply(const GraphPass &pass) {
        try {
            return applyPass(pass, m_result.module, m_context);
        } catch (const std::exception &failure) {
            return Refusal{failure.what()};
        }
    }

    void watchAfter(const PassInfo &info, const Module &before) {
        if (!m_context.watch) return;
        PassVerdict verdict = m_context.watch(info, before, m_result.module);
        if (verdict.refusal) refuse(fmt::format("after {}: {}", info.name, verdict.refusal->sentence));
        if (verdict.stop) m_result.stopped = true;
    }

    GraphPassContext &m_context;
    std::vector<std::shared_ptr<const GraphPass>> m_passes;
    PassResult m_result;
};

} // namespace

Outcome<Module> applyPass(const GraphPass &pass, const Module &module, GraphPassContext &context) {
    if (const auto *whole = std::get_if<ModuleRun>(&pass.run)) return (*whole)(module, context);
    if (const auto *function = std::get_if<FunctionRun>(&pass.run)) return runFunctions(*function, module, context);
    return runBlocks(pass.info, std::get<BlockRun>(pass.run), module, context);
}

PassResult runPasses(const PassSequence &sequence, const Module &module, GraphPassContext &context,
                     const std::vector<std::string> &extraNames) {
    std::vector<std::string> known = sequence.names();
    known.insert(known.end(), extraNames.begin(), extraNames.end());
    for (const auto *names : {&context.required, &context.disabled})
        for (const std::string &name : *names)
            if (std::find(known.begin(), known.end(), name) == known.end())
                return {module, Refusal{fmt::format("there is no pass '{}'{} among those to be {}", name,
                                                    suggestion(name, known),
                                                    names == &context.required ? "required" : "disabled")}};
    return SequenceRun(sequence, module, context).run(sequence);
}

} // namespace loopscope
