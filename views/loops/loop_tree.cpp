#include "views/loops/loop_tree.h"

#include "views/loops/stage_loops.h"
#include "views/session/text.h"

#include <QLocale>

#include <cmath>
#include <limits>

namespace loopscope {

namespace {

/// What the schedule says about an iterator of a stage.
struct IteratorFacts {
    QStringList axes;
    int tileLevel = -1;
};
using FactsOf = std::map<std::pair<StageId, IterId>, IteratorFacts>;

FactsOf factsByIterator(const std::optional<LoopState> &state) {
    FactsOf facts;
    if (!state) return facts;
    for (size_t s = 0; s < state->stageCount(); ++s) {
        const Stage &stage = state->stage(StageId(s));
        const std::vector<QStringList> axes = leafAxes(stage);
        const std::vector<int> levels = leafTileLevels(stage);
        for (size_t i = 0; i < axes.size(); ++i)
            facts.emplace(std::pair(StageId(s), IterId(i)), IteratorFacts{axes[i], levels[i]});
    }
    return facts;
}

/// What encloses a statement.
struct Place {
    int parent = -1;
    int depth = 0;
    double total = 1;
    bool atMost = false;
    QString loop; // nearest loop outside
};

class ProgramRows {
  public:
    ProgramRows(const Representations &representations, const Target &target, LoopTree &tree)
        : m_representations(representations), m_target(target), m_tree(tree),
          m_facts(factsByIterator(representations.state)) {}

    void add(Stmt stmt, Place place) {
        switch (stmt->kind) {
        case StmtKind::Block:
            for (const Stmt child : stmt->body()) add(child, place);
            return;
        case StmtKind::For:
            return addLoop(stmt, place);
        case StmtKind::Store: {
            LoopRow row = rowOf(stmt, RowKind::Statement);
            row.identity = stmt->reductionInit;
            setStorage(row, *stmt->buffer);
            append(std::move(row), place);
            return;
        }
        case StmtKind::If: {
            LoopRow row = rowOf(stmt, RowKind::Guard);
            row.likely = stmt->likely;
            if (row.text.endsWith(u':')) row.text.chop(1);
            Place inside = place;
            inside.atMost = true;
            inside.parent = append(std::move(row), place);
            ++inside.depth;
            add(stmt->children[0], inside);
            if (stmt->childCount < 2) return;
            LoopRow otherwise;
            otherwise.kind = RowKind::Else;
            otherwise.text = QStringLiteral("else");
            otherwise.node = -1;
            inside.parent = append(std::move(otherwise), place);
            add(stmt->children[1], inside);
            return;
        }
        case StmtKind::Let:
            append(rowOf(stmt, RowKind::Let), place);
            add(stmt->children[0], place);
            return;
        case StmtKind::Allocate: {
            LoopRow row = rowOf(stmt, RowKind::Allocation);
            setStorage(row, *stmt->buffer);
            append(std::move(row), place);
            m_allocation[stmt->buffer] = {stmt->id, place.loop};
            add(stmt->children[0], place);
            return;
        }
        case StmtKind::Barrier:
            append(rowOf(stmt, RowKind::Barrier), place);
            return;
        }
    }

    void addStorage(const LoopProgram &program) {
        std::map<const Buffer *, const ProgramArg *> args;
        for (const ProgramArg &arg : program.args) args[arg.buffer] = &arg;
        for (const auto &buffer : program.buffers) {
            StorageFact fact;
            fact.buffer = qt(buffer->name);
            if (buffer->stage.value >= 0 && m_representations.state &&
                buffer->stage.index() < m_representations.state->stageCount())
                fact.stage = qt(m_representations.state->stage(buffer->stage).op->name);
            fact.scope = buffer->scope;
            fact.shape = shapeText(buffer->shape);
            fact.type = qt(dtypeName(buffer->dtype));
            fact.bytes = bytesOf(*buffer);
            fact.fits = placeText(buffer->scope, fact.bytes, m_target);
            fact.tip = m_target.isGpu() ? gpuMemoryText(buffer->scope, fact.bytes, m_target) : QString();
            if (const auto arg = args.find(buffer.get()); arg != args.end()) {
                if (fact.stage.isEmpty()) fact.stage = fact.buffer;
                fact.note = arg->second->output ? QStringLiteral("output") : QStringLiteral("input");
                if (!arg->second->packing.empty())
                    fact.note = QStringLiteral("input, packed by the caller from %1")
                                    .arg(shapeText(arg->second->originalShape));
            } else if (const auto made = m_allocation.find(buffer.get()); made != m_allocation.end()) {
                fact.node = made->second.first;
                fact.within = made->second.second;
            } else {
                continue; // a pass has done away with it
            }
            m_tree.storage.push_back(std::move(fact));
        }
    }

  private:
    static int64_t bytesOf(const Buffer &buffer) { return buffer.elements() * dtypeBytes(buffer.dtype); }

    LoopRow rowOf(Stmt stmt, RowKind kind) const {
        LoopRow row;
        row.kind = kind;
        row.node = stmt->id;
        if (stmt->id < 0 || static_cast<size_t>(stmt->id) >= m_representations.nodes().size()) return row;
        const ProgramNode &node = m_representations.nodes()[static_cast<size_t>(stmt->id)];
        row.stageId = node.stageId;
        row.stage = node.stage;
        row.text = node.text;
        row.line = node.line;
        return row;
    }

    void setStorage(LoopRow &row, const Buffer &buffer) const {
        const int64_t bytes = bytesOf(buffer);
        row.storage = storageText(buffer.scope, bytes, m_target);
        row.memory = buffer.scope;
        row.storageTip =
            QStringLiteral("%1: %2 of %3 in %4")
                .arg(qt(buffer.name), bytesText(bytes), qt(dtypeName(buffer.dtype)),
                     scopeText(buffer.scope) +
                         (buffer.scope == MemoryScope::Argument ? QStringLiteral(" memory of the caller") : QString()));
        if (m_target.isGpu())
            row.storageTip += u'\n' + gpuMemoryText(buffer.scope, bytes, m_target);
        else if (buffer.scope != MemoryScope::Register)
            row.storageTip += QStringLiteral("\nThe smallest that holds it: ") + smallestCache(bytes, m_target);
        if (row.stage.isEmpty() && buffer.stage.value >= 0 && m_representations.state &&
            buffer.stage.index() < m_representations.state->stageCount())
            row.stage = qt(m_representations.state->stage(row.stageId = buffer.stage).op->name);
    }

    void addLoop(Stmt stmt, Place place) {
        LoopRow row = rowOf(stmt, RowKind::Loop);
        const QString printed = row.text;
        row.loop = stmt->loop;
        if (static_cast<size_t>(stmt->id) < m_representations.nodes().size()) {
            const ProgramNode &node = m_representations.nodes()[static_cast<size_t>(stmt->id)];
            row.iterId = node.iterId;
            row.iterator = node.iterator;
            row.reduction = node.reduction;
            row.extent = node.extent;
        }
        if (const auto facts = m_facts.find({stmt->stage, stmt->iter}); facts != m_facts.end()) {
            row.axes = facts->second.axes;
            row.tileLevel = facts->second.tileLevel;
        }
        row.text = row.iterator.isEmpty() ? qt(stmt->var->name()) : row.iterator;
        row.unrollUpTo = stmt->unrollMaxStep;
        for (const SerialisedLoop &serialised : m_representations.program->serialised)
            if (stmt->iter.value >= 0 && serialised.stage == stmt->stage && serialised.iter == stmt->iter &&
                stmt->loop != LoopKind::Parallel)
                row.serialised = QStringLiteral("Annotated as %1, but runs serially: %2")
                                     .arg(loopKindText(serialised.asked), qt(serialisedReason(serialised.why)));
        if (row.extent >= 0) {
            row.extentText = QString::number(row.extent);
            place.total *= static_cast<double>(row.extent);
        } else {
            // As printed: `for x in 0 .. min(8, 20 - y):`.
            row.extentText = printed.section(QStringLiteral(" .. "), 1).section(QStringLiteral("  unroll"), 0, 0);
            if (row.extentText.endsWith(u':')) row.extentText.chop(1);
            place.total = std::numeric_limits<double>::quiet_NaN();
        }
        row.total = place.total;
        row.atMost = place.atMost;
        place.loop = row.text;
        place.parent = append(std::move(row), place);
        ++place.depth;
        add(stmt->children[0], place);
    }

    int append(LoopRow row, const Place &place) {
        const int number = static_cast<int>(m_tree.rows.size());
        std::vector<int> &siblings =
            place.parent < 0 ? m_tree.roots : m_tree.rows[static_cast<size_t>(place.parent)].children;
        row.parent = place.parent;
        row.depth = place.depth;
        row.ordinal = static_cast<int>(siblings.size());
        if (row.kind != RowKind::Loop) {
            row.total = place.total;
            row.atMost = place.atMost;
        }
        siblings.push_back(number);
        if (row.node >= 0 && static_cast<size_t>(row.node) < m_tree.rowOfNode.size())
            m_tree.rowOfNode[static_cast<size_t>(row.node)] = number;
        m_tree.rows.push_back(std::move(row));
        return number;
    }

    const Representations &m_representations;
    const Target &m_target;
    LoopTree &m_tree;
    FactsOf m_facts;
    std::map<const Buffer *, std::pair<int, QString>> m_allocation;
};

void addAbsent(const LoopState &state, LoopTree &tree) {
    for (size_t i = 0; i < state.stageCount(); ++i) {
        const Stage &stage = state.stage(StageId(i));
        if (stage.op->isPlaceholder())
            tree.absent[qt(stage.op->name)] = QStringLiteral("is an input: it is read, not computed");
    }
}

QString totalText(const LoopRow &row) {
    if (row.kind == RowKind::Inlined || row.kind == RowKind::Else || row.kind == RowKind::Allocation) return {};
    if (std::isnan(row.total)) return QStringLiteral("?");
    const QString number = QLocale(QLocale::English).toString(static_cast<qlonglong>(row.total));
    return row.atMost ? QStringLiteral("\u2264 ") + number : number;
}

} // namespace

int LoopTree::rowAt(int node) const {
    if (node < 0) return -1;
    for (size_t n = static_cast<size_t>(node); n < rowOfNode.size(); ++n)
        if (rowOfNode[n] >= 0) return rowOfNode[n];
    return -1;
}

LoopTreePtr makeLoopTree(const Representations &representations, const Target &target) {
    auto tree = std::make_shared<LoopTree>();
    tree->ref = representations.ref;
    tree->refusal = representations.refusal;
    if (representations.program && representations.program->root) {
        tree->fromProgram = true;
        tree->rowOfNode.assign(representations.nodes().size(), -1);
        tree->rows.reserve(representations.nodes().size());
        ProgramRows rows(representations, target, *tree);
        rows.add(representations.program->root, {});
        rows.addStorage(*representations.program);
    } else if (representations.state) {
        appendStateRows(*representations.state, target, *tree);
    }
    if (representations.state) {
        appendInlinedRows(*representations.state, *tree);
        addAbsent(*representations.state, *tree);
    }
    return tree;
}

LoopTreePtr onlyStage(const LoopTree &tree, const QString &stage) {
    auto part = std::make_shared<LoopTree>();
    part->ref = tree.ref;
    part->fromProgram = tree.fromProgram;
    part->refusal = tree.refusal;
    part->storage = tree.storage;
    part->absent = tree.absent;
    part->rowOfNode.assign(tree.rowOfNode.size(), -1);
    std::vector<bool> keep(tree.rows.size(), false);
    for (size_t r = 0; r < tree.rows.size(); ++r) {
        if (tree.rows[r].stage != stage) continue;
        for (int up = static_cast<int>(r); up >= 0 && !keep[static_cast<size_t>(up)]; up = tree.row(up).parent)
            keep[static_cast<size_t>(up)] = true;
    }
    std::vector<int> moved(tree.rows.size(), -1);
    for (size_t r = 0; r < tree.rows.size(); ++r) {
        if (!keep[r]) continue;
        LoopRow row = tree.rows[r];
        const int number = static_cast<int>(part->rows.size());
        moved[r] = number;
        row.children.clear();
        if (row.parent >= 0) row.parent = moved[static_cast<size_t>(row.parent)];
        std::vector<int> &siblings =
            row.parent < 0 ? part->roots : part->rows[static_cast<size_t>(row.parent)].children;
        row.ordinal = static_cast<int>(siblings.size());
        siblings.push_back(number);
        if (row.node >= 0) part->rowOfNode[static_cast<size_t>(row.node)] = number;
        part->rows.push_back(std::move(row));
    }
    return part;
}

QString loopKindText(LoopKind kind) { return qt(loopKindName(kind)); }

QString rowText(const LoopRow &row) {
    if (row.kind != RowKind::Loop) return row.likely ? row.text + QStringLiteral(" (tail)") : row.text;
    QString text = loopKindText(row.loop) + u' ' + row.text;
    if (row.unrollUpTo >= 0) text += QStringLiteral("  unroll up to %1").arg(row.unrollUpTo);
    return text;
}

QString loopTreeText(const LoopTree &tree, const std::vector<int> &rows) {
    QString text;
    const auto add = [&](const LoopRow &row, int indent) {
        text += QString(indent * 2, u' ') + rowText(row);
        if (row.kind == RowKind::Loop) {
            text += QStringLiteral(" (") + row.extentText + u')';
            if (row.reduction) text += QStringLiteral(" reduction");
            if (row.tileLevel >= 0) text += QStringLiteral(" tile level %1").arg(row.tileLevel);
        } else if (row.kind == RowKind::Allocation) {
            text += QStringLiteral("  # ") + row.storage;
        }
        text += u'\n';
    };
    if (rows.empty()) {
        for (const LoopRow &row : tree.rows) add(row, row.depth);
        return text;
    }
    int least = std::numeric_limits<int>::max();
    for (const int r : rows) least = std::min(least, tree.row(r).depth);
    for (const int r : rows) add(tree.row(r), tree.row(r).depth - least);
    return text;
}

QStringList loopColumnNames() {
    return {QStringLiteral("Loop or statement"),
            QStringLiteral("Extent"),
            QStringLiteral("Iterations"),
            QStringLiteral("Bound by"),
            QStringLiteral("Score"),
            QStringLiteral("Stage"),
            QStringLiteral("Storage")};
}

QStringList loopColumns(const LoopRow &row) {
    return {rowText(row), row.kind == RowKind::Loop ? row.extentText : QString(), totalText(row), {}, {}, row.stage,
            row.storage};
}

} // namespace loopscope
