#include "views/session/representations.h"

#include "codegen/cuda/cuda_source.h"
#include "codegen/llvm/unroll_plan.h"
#include "codegen/loop_ir/compact.h"
#include "codegen/loop_ir/walk.h"
#include "codegen/lower/lower.h"
#include "schedule/iteration_graph.h"
#include "views/session/text.h"

#include <QSet>

#include <algorithm>
#include <set>

namespace loopscope {

namespace {

int64_t bytesOf(const Buffer &buffer) { return buffer.elements() * dtypeBytes(buffer.dtype); }

/// Equal texts once: most passes leave most lines as they were, and a schedule has a dozen forms.
class OneOfEach {
  public:
    QString operator()(const QString &text) { return *m_texts.insert(text); }

  private:
    QSet<QString> m_texts;
};

class NodeList {
  public:
    NodeList(const LoopState &state, const std::vector<QString> &lines, const std::map<int, int> &lineOf,
             OneOfEach &texts)
        : m_state(state), m_lines(lines), m_lineOf(lineOf), m_texts(texts) {}

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
        node.stageId = stmt->stage;
        node.iterId = stmt->iter;
        if (const auto found = m_lineOf.find(stmt->id); found != m_lineOf.end()) node.line = found->second;
        node.lastLine = node.line;
        if (node.line > 0 && static_cast<size_t>(node.line) <= m_lines.size() && stmt->kind != StmtKind::Block)
            node.text = m_texts(m_lines[static_cast<size_t>(node.line) - 1].trimmed());
        const bool ofStage = stmt->stage.value >= 0 && stmt->stage.index() < m_state.stageCount();
        if (ofStage) node.stage = m_texts(qt(m_state.stage(stmt->stage).op->name));
        if (stmt->kind == StmtKind::For) {
            node.extent = stmt->extent->kind == ExprKind::IntImm ? stmt->extent->intValue : -1;
            node.iterator = m_texts(qt(stmt->iterName ? stmt->iterName : ""));
            node.reduction = runsOver(stmt, IterKind::Reduction);
            if (ofStage && stmt->iter.value >= 0) node.tileLevel = tileLevel(stmt);
        }
        if (stmt->buffer != nullptr) {
            node.buffer = m_texts(qt(stmt->buffer->name));
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

    /// Loops around it that come from an axis it comes from too; -1 when none of its axes was split.
    int tileLevel(Stmt loop) {
        if (m_axes.empty()) m_axes.resize(m_state.stageCount());
        std::vector<std::set<int>> &axes = m_axes[loop->stage.index()];
        if (axes.empty()) axes = axesOfLeaves(m_state.stage(loop->stage));
        const std::set<int> &own = axes.at(loop->iter.index());
        const auto shares = [&](const std::set<int> &other) {
            return std::any_of(own.begin(), own.end(), [&](int axis) { return other.contains(axis); });
        };
        if (std::count_if(axes.begin(), axes.end(), shares) < 2) return -1;
        return static_cast<int>(std::count_if(m_path.begin(), m_path.end(), [&](const StmtNode *outer) {
            return outer->kind == StmtKind::For && outer->stage == loop->stage && outer->iter.value >= 0 &&
                   shares(axes.at(outer->iter.index()));
        }));
    }

    const LoopState &m_state;
    const std::vector<QString> &m_lines;
    const std::map<int, int> &m_lineOf;
    OneOfEach &m_texts;
    std::vector<ProgramNode> m_nodes;
    std::vector<const StmtNode *> m_path;
    std::vector<std::vector<std::set<int>>> m_axes; // of the leaves of each stage, as they are asked for
};

PassForm passForm(std::string_view name, const LoopProgram &program, const LoopState &state, OneOfEach &texts) {
    PassForm form;
    std::map<int, int> lineOf;
    form.name = qt(name);
    form.text = texts(qt(printProgram(program, &lineOf)));
    std::vector<QString> lines;
    for (const auto &line : QStringView(form.text).split(u'\n')) lines.push_back(line.toString());
    form.nodes = std::make_shared<const std::vector<ProgramNode>>(NodeList(state, lines, lineOf, texts).make(program));
    return form;
}

int openLengths(const Steps &steps) {
    int open = 0;
    for (const auto &step : steps)
        if (const auto *split = std::get_if<SplitStep>(&step))
            open += static_cast<int>(std::count(split->lengths.begin(), split->lengths.end(), kUnfilled));
    return open;
}

/// Lowered as if the GPU had no limits; null where it is refused for something else.
std::shared_ptr<const LoopProgram> loweredBeyondLimits(const Task &task, const LoopState &state, int layoutRewrite) {
    Target boundless = task.target;
    boundless.hardware.maxThreadsPerBlock = 0;
    boundless.hardware.maxSharedMemoryPerBlock = 0;
    boundless.hardware.maxLocalMemoryPerBlock = 0;
    LowerOptions options;
    options.layoutRewrite = layoutRewrite;
    auto program = lower(state, boundless, options);
    return program ? std::make_shared<const LoopProgram>(compacted(std::move(program).value())) : nullptr;
}

} // namespace

const std::vector<ProgramNode> &Representations::nodes() const {
    static const std::vector<ProgramNode> none;
    return passes.empty() ? none : *passes.back().nodes;
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
    OneOfEach texts;
    options.observer = [&](std::string_view pass, const LoopProgram &program) {
        PassForm form = passForm(pass, program, *representations->state, texts);
        const PassForm *before = representations->passes.empty() ? nullptr : &representations->passes.back();
        form.changed = before == nullptr || before->text != form.text;
        if (before != nullptr && *before->nodes == *form.nodes) form.nodes = before->nodes;
        representations->passes.push_back(std::move(form));
    };
    auto program = lower(*representations->state, task.target, options);
    if (!program) {
        representations->passes.clear();
        representations->refusal = qt(program.why());
        if (task.target.isGpu())
            representations->beyondLimits = loweredBeyondLimits(task, *representations->state, layoutRewrite);
        return representations;
    }
    for (SerialisedLoop &loop : loopsWithoutLanes(*program)) program->serialised.push_back(std::move(loop));
    representations->program = std::make_shared<const LoopProgram>(compacted(std::move(program).value()));
    if (task.target.isGpu()) {
        auto source = emitCuda(*representations->program, task.target);
        if (!source) {
            representations->cProblem = qt(source.why());
            return representations;
        }
        representations->c = std::move(source->code);
    } else {
        representations->c = emitC(*representations->program, task.target);
    }
    representations->cText = qt(representations->c.text);
    return representations;
}

} // namespace loopscope
