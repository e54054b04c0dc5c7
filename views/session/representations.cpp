#include "views/session/representations.h"

#include "codegen/llvm/unroll_plan.h"
#include "lower/lower.h"
#include "schedule/stage_facts.h"
#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

namespace {

/// "i" of "i.0", "i.1": the axis a loop was split from; the whole name when it never was.
std::string_view axisOf(std::string_view iterator) { return iterator.substr(0, iterator.find('.')); }

bool runsOverReduction(const Stage &stage, std::string_view iterator) {
    if (!stage.op->reduction) return false;
    for (const std::string_view part : originalIterNames(iterator)) {
        const bool reduces = std::any_of(stage.op->reduction->axes.begin(), stage.op->reduction->axes.end(),
                                         [&](const Axis &axis) { return axis.name() == axisOf(part); });
        if (!reduces) return false;
    }
    return true;
}

int64_t bytesOf(const Buffer &buffer) { return buffer.elements() * dtypeBytes(buffer.dtype); }

class NodeList {
  public:
    NodeList(const LoopState &state, const std::vector<QString> &lines, const std::map<int, int> &lineOf)
        : m_state(state), m_lines(lines), m_lineOf(lineOf) {}

    std::vector<ProgramNode> make(const LoopProgram &program) {
        m_nodes.resize(static_cast<size_t>(program.nodeCount));
        if (program.root) visit(program.root, -1);
        return std::move(m_nodes);
    }

  private:
    int visit(Stmt stmt, int parent) {
        ProgramNode node;
        node.id = stmt->id;
        node.parent = parent;
        node.kind = stmt->kind;
        node.loop = stmt->loop;
        node.likely = stmt->likely;
        node.reductionInit = stmt->reductionInit;
        if (const auto found = m_lineOf.find(stmt->id); found != m_lineOf.end()) node.line = found->second;
        node.lastLine = node.line;
        if (node.line > 0 && static_cast<size_t>(node.line) <= m_lines.size() && stmt->kind != StmtKind::Block)
            node.text = m_lines[static_cast<size_t>(node.line) - 1].trimmed();
        const bool ofStage = stmt->stage >= 0 && static_cast<size_t>(stmt->stage) < m_state.stageCount();
        if (ofStage) node.stage = qt(m_state.stage(StageId(stmt->stage)).op->name);
        if (stmt->kind == StmtKind::For) {
            node.extent = stmt->extent->kind == ExprKind::IntImm ? stmt->extent->intValue : -1;
            const std::string_view iterator = stmt->iter ? stmt->iter : "";
            node.iterator = qt(iterator);
            if (ofStage && !iterator.empty()) {
                node.reduction = runsOverReduction(m_state.stage(StageId(stmt->stage)), iterator);
                node.tileLevel = tileLevel(stmt->stage, iterator);
            }
        }
        if (stmt->buffer != nullptr) {
            node.buffer = qt(stmt->buffer->name);
            node.scope = stmt->buffer->scope;
            node.bytes = bytesOf(*stmt->buffer);
        }
        m_path.push_back(stmt.node());
        for (const Stmt child : stmt->body()) node.lastLine = std::max(node.lastLine, visit(child, stmt->id));
        m_path.pop_back();
        const int last = node.lastLine;
        m_nodes[static_cast<size_t>(stmt->id)] = std::move(node);
        return last;
    }

    /// Loops around it that come from the same axis of the same stage; -1 when the axis was never split.
    int tileLevel(int stage, std::string_view iterator) const {
        if (iterator.find('.') == std::string_view::npos) return -1;
        int level = 0;
        for (const auto *outer : m_path)
            if (outer->kind == StmtKind::For && outer->stage == stage && outer->iter != nullptr &&
                axisOf(outer->iter) == axisOf(iterator))
                ++level;
        return level;
    }

    const LoopState &m_state;
    const std::vector<QString> &m_lines;
    const std::map<int, int> &m_lineOf;
    std::vector<ProgramNode> m_nodes;
    std::vector<const StmtNode *> m_path;
};

PassForm passForm(std::string_view name, const LoopProgram &program, const LoopState &state) {
    PassForm form;
    std::map<int, int> lineOf;
    form.name = qt(name);
    form.text = qt(printProgram(program, &lineOf));
    std::vector<QString> lines;
    for (const auto &line : QStringView(form.text).split(u'\n')) lines.push_back(line.toString());
    form.nodes = NodeList(state, lines, lineOf).make(program);
    return form;
}

int openLengths(const Steps &steps) {
    int open = 0;
    for (const auto &step : steps)
        if (const auto *split = std::get_if<SplitStep>(&step))
            open += static_cast<int>(std::count(split->lengths.begin(), split->lengths.end(), kUnfilled));
    return open;
}

} // namespace

const std::vector<ProgramNode> &Representations::nodes() const {
    static const std::vector<ProgramNode> none;
    return passes.empty() ? none : passes.back().nodes;
}

RepresentationsPtr makeRepresentations(const Task &task, const ScheduleRef &ref, const Steps &steps,
                                       int layoutRewrite) {
    auto representations = std::make_shared<Representations>();
    representations->ref = ref;
    representations->steps = steps;
    auto replayed = replay(task.dag, steps);
    if (!replayed) {
        representations->refusal = qt(replayed.why());
        return representations;
    }
    representations->state = std::move(replayed).value();
    representations->stateText = qt(representations->state->text());
    if (!representations->state->concrete()) {
        representations->refusal =
            QStringLiteral("%1 tile sizes are still open: a sketch becomes code once a candidate fills them in")
                .arg(openLengths(steps));
        return representations;
    }
    auto bounded = inferBounds(*representations->state, std::make_shared<ExprArena>());
    if (!bounded) {
        representations->refusal = qt(bounded.why());
        return representations;
    }
    representations->stateText = qt(boundedText(*bounded));
    representations->state = bounded->state;
    LowerOptions options;
    options.layoutRewrite = layoutRewrite;
    options.observer = [&](std::string_view pass, const LoopProgram &program) {
        PassForm form = passForm(pass, program, *representations->state);
        form.changed = representations->passes.empty() || representations->passes.back().text != form.text;
        representations->passes.push_back(std::move(form));
    };
    auto program = lower(*representations->state, task.target, options);
    if (!program) {
        representations->passes.clear();
        representations->refusal = qt(program.why());
        return representations;
    }
    for (SerialisedLoop &loop : loopsWithoutLanes(*program)) program->serialised.push_back(std::move(loop));
    representations->program = std::make_shared<const LoopProgram>(std::move(program).value());
    representations->c = emitC(*representations->program, task.target);
    representations->cText = qt(representations->c.text);
    return representations;
}

} // namespace loopscope
