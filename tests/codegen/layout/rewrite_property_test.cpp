// Properties of rewritten workloads over random shapes (primes among them) and random layouts, for every way a tensor
// can be read: by indices that depend on data, by scans, by scatters, from tuples, under conditions, with origins. A
// workload answers as before, to the bit; layouts of layouts come to one copy; the same layout again changes nothing.

#include "codegen/layout/rewrite.h"
#include "harness/ordered_dags.h"
#include "random_layouts.h"
#include "test_program.h"

#include <QTest>
#include <array>
#include <set>
#include <string>

using namespace loopscope;

namespace {

DagPtr dagOf(const Workload &workload) { return ComputeDag::fromWorkload(workload); }

constexpr const char *kGathers = R"(workload gathers(A = 5, B = 7, C = 6)
at = placeholder [A, B] int32
table = placeholder [C, B] float32
bytes = placeholder [A, B] uint8
curve = placeholder [256, 2] float32
doubled(c < C, j < B) = table[c, j] * 2
near(i < A, j < B) = doubled[clamp(at[i, j], 0, C - 1), clamp(at[A - 1 - i, j] + j, 0, B - 1)]
out(i < A, j < B) =
    near[i, clamp(at[i, j], 0, B - 1)] + curve[int32(bytes[i, j]), (i + j) % 2] + doubled[(i * 3 + j) % C, j // 2]
)";

constexpr const char *kTuples = R"(workload tuples(A = 5, B = 7, C = 6)
x = placeholder [A, B, C] float32
both(i < A, j < B) = (x[i, j, 0] + 1.0, x[i, B - 1 - j, C - 1] * 2)
best(i < A, j < B) =
    reduce(c < C; (i1, v1), (i2, v2) -> (select(v1 > v2 || v1 == v2 && i1 < i2, i1, i2), select(v1 > v2, v1, v2));
           from (-1, lowest(float32)); (c, x[i, j, c] * both.v1[i, j]))
out(j < B, i < A) = float32(best.v0[i, j]) + best.v1[i, B - 1 - j] * both.v0[i, j]
)";

constexpr const char *kConditions = R"(workload conditions(A = 5, B = 7, C = 6)
x = placeholder [A, B] float32
w = placeholder [C, B] float32
padded(-1 <= i < A + 1, -2 <= j < B + 2) = if_then_else(i >= 0 && i < A && j >= 0 && j < B, x[i, j], 0.0)
around(i < A, j < B) =
    sum(-1 <= p < 2, -2 <= q < 3 where padded[i + p, j + q] > 0.1; padded[i + p, j + q] * w[(i + p + 1) % C, j])
out(i < A, j < B) = select(around[i, j] > padded[i, j], max(around[i, B - 1 - j], 0.0), exp(padded[i - 1, j + 1]))
    @layout_free_placeholders["w"]
)";

/// All element types that numbers may have, with casts between them.
constexpr const char *kTypes = R"(workload types(A = 5, B = 7, C = 6)
a = placeholder [A, B] uint8
b = placeholder [B, C] int16
c = placeholder [A, C] float16
wide(i < A, j < B) = uint16(a[i, j]) * 257
sums(i < A, c_ < C) = sum(j < B; int64(wide[i, j]) * int64(b[j, c_]))
out(i < A, c_ < C) = float64(sums[i, c_]) + float64(c[i, c_])
)";

struct Family {
    const char *name;
    std::string text;
    bool sized; // with the parameters A, B and C
};

std::vector<Family> families() {
    std::vector<Family> all = {{"gathers", kGathers, true},
                               {"tuples", kTuples, true},
                               {"conditions", kConditions, true},
                               {"types", kTypes, true}};
    for (const std::string &text : orderedTexts()) all.push_back({"scans and scatters", text, false});
    return all;
}

/// Tensors that are read.
std::vector<std::string> tensorsOf(const ComputeDag &dag) {
    std::set<const Tensor *> read;
    for (size_t i = 0; i < dag.size(); ++i)
        for (const LoadAccess &load : dag.access(i).loads)
            if (load.tensor->op != &dag.op(i)) read.insert(load.tensor); // a scan reads itself
    std::vector<std::string> names;
    for (const OpPtr &op : dag.ops())
        for (const auto &output : op->outputs)
            if (read.contains(output.get())) names.push_back(tensorText(*output));
    return names;
}

const Tensor &tensorNamed(const ComputeDag &dag, const std::string &name) {
    for (const OpPtr &op : dag.ops())
        for (const auto &output : op->outputs)
            if (tensorText(*output) == name) return *output;
    qFatal("no tensor %s", name.c_str());
}

ParamOverrides drawnSizes(Random &random) {
    constexpr std::array<int64_t, 7> sizes = {2, 3, 5, 7, 8, 11, 13};
    ParamOverrides drawn;
    for (const char *name : {"A", "B", "C"}) drawn.emplace_back(name, sizes[random.index(sizes.size())]);
    return drawn;
}

} // namespace

class RewritePropertyTest : public QObject {
    Q_OBJECT
  private slots:
    void everyWayOfReading_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("sized");
        const std::vector<Family> all = families();
        for (size_t i = 0; i < all.size(); ++i)
            QTest::addRow("%s %zu", all[i].name, i) << QString::fromStdString(all[i].text) << all[i].sized;
    }

    void everyWayOfReading() {
        QFETCH(QString, text);
        QFETCH(bool, sized);
        int composedOnes = 0;
        for (uint64_t draw = 0; draw < 12; ++draw) {
            Random random(31, draw);
            const ParamOverrides sizes = sized ? drawnSizes(random) : ParamOverrides();
            const DagPtr dag = dagOf(parseWorkload(text.toStdString(), "", sizes));
            for (const std::string &name : tensorsOf(*dag)) {
                const Layout layout = drawnLayout(random, tensorNamed(*dag, name).shape);
                const auto once =
                    rewriteForLayout(*dag, {.tensor = name, .layout = layout, .copyOnly = random.below(2) == 0});
                QVERIFY2(once.ok(), once ? "" : once.why().c_str());
                QVERIFY2(sameAnswers(*dag, *once, draw), once->text.c_str());
                checkAgain(*dag, *once, random, draw, composedOnes);
            }
        }
        QVERIFY(composedOnes > 10);
    }

  private:
    /// One layout after the other is one copy; the layout that moves nothing of what lies so changes nothing.
    static void checkAgain(const ComputeDag &dag, const RewrittenWorkload &once, Random &random, uint64_t draw,
                           int &composedOnes) {
        if (once.by == LaidOutBy::Nobody || once.by == LaidOutBy::Prepack) return;
        const DagPtr laidOut = dagOf(once.workload);
        QCOMPARE(copiesIn(*laidOut), once.by == LaidOutBy::CopyStage ? 1 : 0);
        const std::vector<int64_t> shape = tensorNamed(*laidOut, once.stored).shape;
        const auto same = rewriteForLayout(
            *laidOut,
            {.tensor = once.stored, .layout = Layout::identity(shape), .copyOnly = once.by == LaidOutBy::CopyStage});
        QVERIFY2(same.ok(), same ? "" : same.why().c_str());
        QVERIFY2(dagOf(same->workload)->key() == laidOut->key(), (same->text + once.text).c_str());
        const auto twice = rewriteForLayout(*laidOut, {.tensor = once.stored, .layout = drawnLayout(random, shape)});
        if (!twice) {
            QVERIFY2(twice.why().find("blocks are shorter than what they cut") != std::string::npos,
                     twice.why().c_str());
            return;
        }
        ++composedOnes;
        QVERIFY2(sameAnswers(dag, *twice, draw), twice->text.c_str());
        QVERIFY(copiesIn(*dagOf(twice->workload)) <= 1);
    }
};

LOOPSCOPE_TEST(RewritePropertyTest)
#include "rewrite_property_test.moc"
