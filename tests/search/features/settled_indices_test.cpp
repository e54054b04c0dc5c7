// Nests of drawn schedules over operators whose indices divide (grouped, transposed and strided convolutions, norms of
// split reductions): no remainder stays of a value below the divisor, no quotient that is always the same, no
// comparison that a product would decide without dividing. Such leftovers count as operations in the features.

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/lower.h"
#include "language/expr/interval.h"
#include "language/te/workload.h"
#include "search/annotate/annotate_rule.h"
#include "search/sketch/sketch.h"
#include "test_program.h"

#include <QTest>
#include <map>

using namespace loopscope;

namespace {

using Values = std::map<const ExprNode *, int64_t>;

std::optional<int64_t> valueOf(Expr e, const Values &values) {
    if (e->kind == ExprKind::IntImm) return e->intValue;
    if (e->kind == ExprKind::Var) {
        const auto found = values.find(e.node());
        return found == values.end() ? std::nullopt : std::optional<int64_t>(found->second);
    }
    if (!isBinary(e->kind) || !isInteger(e->arg(0)->dtype)) return std::nullopt;
    const auto a = valueOf(e->arg(0), values), b = valueOf(e->arg(1), values);
    if (!a || !b) return std::nullopt;
    switch (e->kind) {
    case ExprKind::Add:
        return *a + *b;
    case ExprKind::Sub:
        return *a - *b;
    case ExprKind::Mul:
        return *a * *b;
    case ExprKind::FloorDiv:
        return *b == 0 ? std::nullopt : std::optional<int64_t>(floorDivInt(*a, *b));
    case ExprKind::FloorMod:
        return *b == 0 ? std::nullopt : std::optional<int64_t>(floorModInt(*a, *b));
    case ExprKind::Lt:
        return *a < *b;
    case ExprKind::Le:
        return *a <= *b;
    case ExprKind::Gt:
        return *a > *b;
    case ExprKind::Ge:
        return *a >= *b;
    default:
        return std::nullopt;
    }
}

/// Walks a nest and looks at every index expression at many places of the loops around it.
class LeftoverFinder {
  public:
    explicit LeftoverFinder(Random &random) : m_random(random) {}
    std::vector<std::string> find(Stmt root) {
        visit(root);
        return std::move(m_found);
    }

  private:
    void visit(Stmt stmt) {
        if (stmt->kind == StmtKind::For) {
            m_loops.emplace_back(stmt->var.node(), constantExtent(stmt));
            visit(stmt->children[0]);
            m_loops.pop_back();
            return;
        }
        if (stmt->value) look(stmt->value);
        for (const Expr index : stmt->index()) look(index);
        for (const Stmt child : stmt->body()) visit(child);
    }
    void look(Expr e) {
        for (const Expr operand : e->operands()) look(operand);
        if (isComparison(e->kind) && isInteger(e->arg(0)->dtype)) {
            if (e->arg(0)->kind == ExprKind::FloorDiv && e->arg(1)->kind == ExprKind::IntImm &&
                e->kind != ExprKind::Eq && e->kind != ExprKind::Ne)
                m_found.push_back("divides to compare: " + toText(e));
            if (range(e).isPoint()) m_found.push_back("is decided: " + toText(e));
        }
        if (e->kind == ExprKind::FloorMod && e->arg(1)->kind == ExprKind::IntImm) {
            const Interval values = range(e->arg(0));
            if (floorDivInt(values.min, e->arg(1)->intValue) == floorDivInt(values.max, e->arg(1)->intValue))
                m_found.push_back("remainder of a small value: " + toText(e));
        }
        if (e->kind == ExprKind::FloorDiv && e->arg(1)->kind == ExprKind::IntImm && range(e).isPoint())
            m_found.push_back("quotient is constant: " + toText(e));
    }
    /// Of the values seen; the whole range where the expression loads.
    Interval range(Expr e) {
        Interval seen{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
        for (int round = 0; round < 300; ++round) {
            Values values;
            for (const auto &[var, extent] : m_loops)
                values[var] = round == 0
                                  ? 0
                                  : (round == 1 ? extent - 1
                                                : static_cast<int64_t>(m_random.below(static_cast<uint64_t>(extent))));
            const auto value = valueOf(e, values);
            if (!value) return {};
            seen = hull(seen, Interval::point(*value));
        }
        return seen;
    }

    Random &m_random;
    std::vector<std::pair<const ExprNode *, int64_t>> m_loops;
    std::vector<std::string> m_found;
};

} // namespace

class SettledIndicesTest : public QObject {
    Q_OBJECT
  private slots:
    void drawnSchedules_data();
    void drawnSchedules();
};

void SettledIndicesTest::drawnSchedules_data() {
    QTest::addColumn<QString>("source");
    const auto add = [](const char *name, const char *source) { QTest::newRow(name) << QString(source); };
    add("grouped nhwc", "d = placeholder [1, 28, 28, 64]\nw = placeholder [3, 3, 16, 128]\n"
                        "o = conv2d_nhwc(d, w, stride = 1, pad = 1, groups = 4)\n");
    add("grouped nchw", "d = placeholder [1, 64, 28, 28]\nw = placeholder [64, 2, 3, 3]\n"
                        "o = conv2d_nchw(d, w, stride = 2, pad = 1, groups = 32)\n");
    add("norm", "A = placeholder [1, 256, 1024]\no = norm(A)\n");
    add("odd norm", "A = placeholder [2, 36, 9]\no = norm(A)\n");
    add("transposed nhwc", "d = placeholder [1, 4, 4, 512]\nw = placeholder [4, 4, 512, 256]\n"
                           "o = conv2d_transpose_nhwc(d, w, 2, 1)\n");
    add("transposed nchw", "d = placeholder [1, 128, 7, 7]\nw = placeholder [128, 64, 4, 4]\n"
                           "o = conv2d_transpose_nchw(d, w, 2, 1)\n");
    add("capsule", "d = placeholder [1, 16, 16, 4, 4, 32]\nw = placeholder [3, 3, 4, 4, 32, 32]\n"
                   "o = conv2d_capsule_nhwijc(d, w, 2, 1)\n");
    add("winograd", "d = placeholder [1, 64, 14, 14]\nw = placeholder [6, 6, 64, 64]\n"
                    "o = conv2d_winograd_nchw(d, w, 1, 4)\n");
    add("reshape", "d = placeholder [4, 9, 16]\nr = reshape(d, [36, 16])\no = softmax(r)\n");
    add("depthwise multiplier", "d = placeholder [1, 28, 28, 16]\nw = placeholder [3, 3, 16, 4]\n"
                                "o = depthwise_conv2d_nhwc(d, w, 2, 1)\n");
}

void SettledIndicesTest::drawnSchedules() {
    QFETCH(QString, source);
    const DagPtr dag = ComputeDag::fromWorkload(parseWorkload("workload w()\n" + source.toStdString(), "test"));
    Target target;
    target.hardware.numCores = 4;
    const auto sketches = generateSketches(dag, target);
    const SearchOptions options;
    Scratch scratch;
    std::map<std::string, int> leftovers;
    int nests = 0;
    for (uint64_t attempt = 0; attempt < 60; ++attempt) {
        Random random(17, attempt);
        const Outcome<LoopState> drawn =
            annotate({target, options, random, scratch}, sketches[random.index(sketches.size())].state);
        if (!drawn) continue;
        const auto arena = std::make_shared<ExprArena>();
        const ArenaScope scope(arena);
        const Outcome<BoundedState> bounded = inferBounds(*drawn, arena);
        if (!bounded) continue;
        const Outcome<LoopProgram> nest = buildLoopNest(*bounded, {.forFeatures = true});
        QVERIFY2(nest.ok(), nest.ok() ? "" : nest.why().c_str());
        ++nests;
        for (const std::string &text : LeftoverFinder(random).find(nest->root))
            ++leftovers["attempt " + std::to_string(attempt) + " " + text];
    }
    QVERIFY(nests > 20);
    std::string report;
    for (const auto &[text, count] : leftovers) report += text + "\n";
    QVERIFY2(leftovers.empty(), report.c_str());
}

LOOPSCOPE_TEST(SettledIndicesTest)
#include "settled_indices_test.moc"
