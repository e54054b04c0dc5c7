// Every expression kind and element type, scalar, in lanes (13 of them: one vector and an odd rest) and on threads,
// against the reference interpreter.
#include "codegen/lower/lower.h"
#include "harness/kernel_check.h"
#include "harness/naive_program.h"
#include "harness/sample_dags.h"
#include "language/expr/interval.h"
#include "language/expr/walk.h"
#include "test_program.h"

#include <QtTest>
#include <cmath>

using namespace loopscope;

namespace {

constexpr DType floats[] = {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16};
constexpr DType integers[] = {DType::Int32, DType::Int64,  DType::Int8,  DType::UInt8,
                              DType::Int16, DType::UInt16, DType::UInt32};

std::string named(const char *what, DType type) { return std::string(what) + " " + std::string(dtypeName(type)); }

/// out(i, j) = value(a[i, j], b[i, j], i, j); an integer b is never zero.
struct Case {
    std::string name;
    DType type;
    std::function<Expr(Expr a, Expr b, Expr i, Expr j)> value;
};

std::vector<Case> binaryCases() {
    std::vector<Case> cases;
    const auto add = [&](const char *name, ExprKind kind, bool division) {
        const auto value = [kind](Expr a, Expr b, Expr, Expr) { return makeBinary(kind, a, b); };
        for (DType type : floats) cases.push_back({named(name, type), type, value});
        for (DType type : integers) {
            if (!division) {
                cases.push_back({named(name, type), type, value});
                continue;
            }
            cases.push_back({named(name, type), type, [kind, type](Expr a, Expr b, Expr, Expr) {
                                 const Expr zero = makeInt(0, type);
                                 const Expr safe =
                                     makeSelectNode(makeBinary(ExprKind::Eq, b, zero), makeInt(3, type), b);
                                 return makeBinary(kind, a, safe);
                             }});
            // Both sides of a selection are computed, and neither faults.
            cases.push_back({named(name, type) + ", chosen", type, [kind, type](Expr a, Expr b, Expr, Expr) {
                                 const Expr zero = makeInt(0, type);
                                 const Expr least = makeInt(Interval::ofType(type).min, type);
                                 const Expr small = makeSelectNode(makeBinary(ExprKind::Lt, a, zero), least, a);
                                 return makeSelectNode(makeBinary(ExprKind::Eq, b, zero), makeInt(3, type),
                                                       makeBinary(kind, small, b));
                             }});
        }
    };
    add("add", ExprKind::Add, false);
    add("sub", ExprKind::Sub, false);
    add("mul", ExprKind::Mul, false);
    add("min", ExprKind::Min, false);
    add("max", ExprKind::Max, false);
    add("div", ExprKind::Div, true);
    add("mod", ExprKind::Mod, true);
    add("floordiv", ExprKind::FloorDiv, true);
    add("floormod", ExprKind::FloorMod, true);
    for (ExprKind kind : {ExprKind::Eq, ExprKind::Ne, ExprKind::Lt, ExprKind::Le, ExprKind::Gt, ExprKind::Ge}) {
        const auto value = [kind](Expr a, Expr b, Expr, Expr) { return makeBinary(kind, a, b); };
        for (DType type : {DType::Float32, DType::Float64, DType::Int32, DType::UInt8, DType::Int8, DType::Int16,
                           DType::UInt16, DType::UInt32})
            cases.push_back({named(("compare " + std::to_string(int(kind))).c_str(), type), type, value});
    }
    return cases;
}

std::vector<Case> unaryCases() {
    std::vector<Case> cases;
    const auto call = [&](Intrinsic intrinsic, bool positive) {
        for (DType type : floats) {
            cases.push_back({named(intrinsicName(intrinsic).data(), type), type, [=](Expr a, Expr, Expr, Expr) {
                                 if (positive)
                                     a = fold(ExprKind::Add, callMath(Intrinsic::Fabs, a), makeFloat(0.25, type));
                                 const Expr args[] = {a};
                                 return makeCall(intrinsic, intrinsic == Intrinsic::Isnan ? DType::Bool : type, args);
                             }});
        }
    };
    for (Intrinsic intrinsic :
         {Intrinsic::Exp, Intrinsic::Exp2, Intrinsic::Exp10, Intrinsic::Tanh, Intrinsic::Sigmoid, Intrinsic::Erf,
          Intrinsic::Sin, Intrinsic::Cos, Intrinsic::Tan, Intrinsic::Atan, Intrinsic::Fabs, Intrinsic::Floor,
          Intrinsic::Ceil, Intrinsic::Round, Intrinsic::Trunc, Intrinsic::Isnan})
        call(intrinsic, false);
    for (Intrinsic intrinsic : {Intrinsic::Log, Intrinsic::Log2, Intrinsic::Log10, Intrinsic::Sqrt, Intrinsic::Rsqrt})
        call(intrinsic, true);
    for (DType type : floats) {
        cases.push_back({named("pow", type), type, [=](Expr a, Expr b, Expr, Expr) {
                             const Expr args[] = {
                                 fold(ExprKind::Add, callMath(Intrinsic::Fabs, a), makeFloat(0.5, type)), b};
                             return makeCall(Intrinsic::Pow, type, args);
                         }});
        // Multiples of a quarter are made of roots; of minus zero and minus infinity they are what the library says.
        for (const double power : {0.25, 0.5, 0.75, 1.5, 2.0, 3.0, 3.75, 4.0, -0.5, -0.75, -2.0, 0.3, 5.0}) {
            const bool whole = power == std::floor(power);
            const auto raised = [=](Expr base) {
                const Expr args[] = {base, makeFloat(power, type)};
                return makeCall(Intrinsic::Pow, type, args);
            };
            cases.push_back({named("pow", type) + " " + std::to_string(power), type, [=](Expr a, Expr, Expr, Expr) {
                                 return raised(
                                     whole ? a
                                           : fold(ExprKind::Add, callMath(Intrinsic::Fabs, a), makeFloat(0.25, type)));
                             }});
            if (whole || (type != DType::Float32 && type != DType::Float64)) continue;
            cases.push_back(
                {named("pow of -0", type) + " " + std::to_string(power), type, [=](Expr a, Expr, Expr, Expr) {
                     const Expr zero = makeBinary(ExprKind::Sub, a, a);
                     return raised(makeBinary(ExprKind::Mul, zero, makeFloat(-1, type)));
                 }});
            cases.push_back(
                {named("pow of -inf", type) + " " + std::to_string(power), type, [=](Expr a, Expr, Expr, Expr) {
                     const Expr below = makeBinary(ExprKind::Sub, makeFloat(-1, type), callMath(Intrinsic::Fabs, a));
                     const Expr zero = makeBinary(ExprKind::Sub, a, a);
                     return raised(makeBinary(ExprKind::Div, below, zero));
                 }});
        }
        cases.push_back({named("fmod", type), type, [=](Expr a, Expr b, Expr, Expr) {
                             const Expr args[] = {
                                 a, fold(ExprKind::Add, callMath(Intrinsic::Fabs, b), makeFloat(0.5, type))};
                             return makeCall(Intrinsic::Fmod, type, args);
                         }});
    }
    for (DType type : integers) {
        for (Intrinsic intrinsic : {Intrinsic::BitwiseAnd, Intrinsic::BitwiseOr, Intrinsic::BitwiseXor,
                                    Intrinsic::ShiftLeft, Intrinsic::ShiftRight})
            cases.push_back({named(intrinsicName(intrinsic).data(), type), type, [=](Expr a, Expr b, Expr, Expr) {
                                 const Expr args[] = {a, b};
                                 return makeCall(intrinsic, type, args);
                             }});
        for (Intrinsic intrinsic : {Intrinsic::Popcount, Intrinsic::Fabs})
            cases.push_back({named(intrinsicName(intrinsic).data(), type), type, [=](Expr a, Expr, Expr, Expr) {
                                 const Expr args[] = {a};
                                 return makeCall(intrinsic, type, args);
                             }});
    }
    return cases;
}

std::vector<Case> castCases() {
    std::vector<Case> cases;
    constexpr DType all[] = {DType::Bool,    DType::Int8,     DType::UInt8,   DType::Int16,
                             DType::UInt16,  DType::Int32,    DType::UInt32,  DType::Int64,
                             DType::Float16, DType::BFloat16, DType::Float32, DType::Float64};
    for (DType from : all)
        for (DType to : all) {
            const bool loses =
                isFloat(from) && isUnsigned(to) && to != DType::Bool; // a negative float has no unsigned value
            cases.push_back(
                {named("cast to", to) + " from " + std::string(dtypeName(from)), from, [=](Expr a, Expr, Expr, Expr) {
                     if (loses) a = callMath(Intrinsic::Fabs, a);
                     return makeCastNode(to, a);
                 }});
        }
    return cases;
}

std::vector<Case> otherCases() {
    const auto eq = [](Expr a, int64_t v) { return makeBinary(ExprKind::Eq, a, makeInt(v, a->dtype)); };
    const auto even = [](Expr j) {
        return makeBinary(ExprKind::Eq, makeBinary(ExprKind::FloorMod, j, makeInt(2)), makeInt(0));
    };
    std::vector<Case> cases;
    cases.push_back({"select by data", DType::Float32, [](Expr a, Expr b, Expr, Expr) {
                         return makeSelectNode(makeBinary(ExprKind::Lt, a, b), a, makeBinary(ExprKind::Mul, b, b));
                     }});
    cases.push_back({"if_then_else by lane", DType::Float32,
                     [=](Expr a, Expr b, Expr, Expr j) { return ifThenElse(even(j), a, b); }});
    cases.push_back({"if_then_else guards a division", DType::Int32, [=](Expr a, Expr b, Expr, Expr) {
                         return ifThenElse(makeBinary(ExprKind::Ne, b, makeInt(0)),
                                           makeBinary(ExprKind::FloorDiv, a, b), makeInt(-1));
                     }});
    cases.push_back({"if_then_else by row, library call", DType::Float32, [=](Expr a, Expr b, Expr i, Expr) {
                         return ifThenElse(makeBinary(ExprKind::Lt, i, makeInt(2)), callMath(Intrinsic::Exp, a), b);
                     }});
    cases.push_back({"and, or, not", DType::Int32, [=](Expr a, Expr b, Expr i, Expr j) {
                         const Expr left = makeBinary(ExprKind::And, makeBinary(ExprKind::Lt, i, j), eq(a, 1));
                         const Expr right = makeUnary(ExprKind::Not, makeBinary(ExprKind::Or, eq(b, 2), even(j)));
                         return makeSelectNode(makeBinary(ExprKind::Or, left, right), a, b);
                     }});
    cases.push_back({"let", DType::Float32, [](Expr a, Expr b, Expr, Expr j) {
                         const Expr x = makeVar("x", DType::Float32);
                         const Expr n = makeVar("n");
                         const Expr inner = makeLet(n, makeBinary(ExprKind::Mul, j, makeInt(3)),
                                                    makeBinary(ExprKind::Add, makeCastNode(DType::Float32, n), x));
                         return makeLet(x, makeBinary(ExprKind::Mul, a, b), makeBinary(ExprKind::Mul, inner, x));
                     }});
    cases.push_back({"index arithmetic as data", DType::Int32, [](Expr a, Expr, Expr i, Expr j) {
                         const Expr flat = makeBinary(ExprKind::Add, makeBinary(ExprKind::Mul, i, makeInt(13)), j);
                         const Expr mixed =
                             makeBinary(ExprKind::FloorDiv, makeBinary(ExprKind::Sub, flat, makeInt(17)), makeInt(5));
                         return makeBinary(ExprKind::Add, a, makeBinary(ExprKind::Mod, mixed, makeInt(3)));
                     }});
    cases.push_back({"int32 wraps", DType::Int32, [](Expr a, Expr, Expr i, Expr j) {
                         const Expr large =
                             makeBinary(ExprKind::Mul, makeBinary(ExprKind::Add, i, j), makeInt(1000000007));
                         const Expr odd =
                             makeBinary(ExprKind::Lt, makeBinary(ExprKind::FloorMod, large, makeInt(7)), makeInt(3));
                         return makeSelectNode(odd, a, large);
                     }});
    return cases;
}

/// Of floats alone.
std::vector<Case> edgeCases() {
    std::vector<Case> cases;
    for (const std::vector<Case> &some : {binaryCases(), unaryCases()})
        for (const Case &test : some)
            if (isFloat(test.type)) cases.push_back(test);
    // Without a limit to what sines are made of; and remainders, which are off by as much as their quotients are.
    std::erase_if(cases, [](const Case &test) {
        return test.name.starts_with("sin ") || test.name.starts_with("cos ") || test.name.starts_with("tan ");
    });
    for (const DType type : floats) {
        const auto number = [type](double x) { return makeFloat(x, type); };
        const auto add = [&](const char *name, std::function<Expr(Expr a, Expr b, Expr i, Expr j)> value) {
            cases.push_back({named(name, type), type, std::move(value)});
        };
        using Kind = ExprKind;
        add("relu", [=](Expr a, Expr, Expr, Expr) { return makeBinary(Kind::Max, a, number(0)); });
        add("relu the other way", [=](Expr a, Expr, Expr, Expr) { return makeBinary(Kind::Max, number(0), a); });
        add("at most six", [=](Expr a, Expr, Expr, Expr) {
            return makeBinary(Kind::Max, makeBinary(Kind::Min, a, number(6)), number(0));
        });
        add("limits that are no numbers",
            [=](Expr a, Expr, Expr, Expr) { return makeBinary(Kind::Min, a, number(std::nan(""))); });
        add("between two", [=](Expr a, Expr b, Expr, Expr) {
            return makeBinary(Kind::Min, makeBinary(Kind::Max, a, makeBinary(Kind::Mul, b, number(-1))), b);
        });
        for (const Kind kind : {Kind::Min, Kind::Max})
            add(kind == Kind::Min ? "least of many" : "greatest of many", [=](Expr a, Expr b, Expr, Expr j) {
                const Expr left = makeBinary(kind, makeBinary(kind, a, castTo(type, j)), makeBinary(Kind::Mul, b, b));
                const Expr right = makeBinary(kind, b, makeBinary(kind, makeBinary(Kind::Sub, a, b), number(-9)));
                return makeBinary(kind, left, right);
            });
        add("greatest of least", [=](Expr a, Expr b, Expr, Expr) {
            const Expr least = makeBinary(Kind::Min, a, b);
            return makeBinary(Kind::Sub, makeBinary(Kind::Max, least, makeBinary(Kind::Add, a, b)), least);
        });
    }
    return cases;
}

DagPtr dagOf(const Case &test) {
    DagBuilder builder;
    const auto s = axes({"i", "j"}, {5, 13});
    const Expr probe = makeVar("b", test.type);
    const bool usesB = usesVar(test.value(makeVar("a", test.type), probe, s[0].var, s[1].var), probe);
    const Tensor &a = builder.placeholder("a", {5, 13}, test.type);
    const Tensor &b = usesB ? builder.placeholder("b", {5, 13}, test.type) : a;
    const Expr value = test.value(load(a, {s[0].var, s[1].var}), load(b, {s[0].var, s[1].var}), s[0].var, s[1].var);
    return builder.build({&builder.compute("out", s, value)});
}

/// out(i) = kind over j of a[i, j].
DagPtr reducedDag(ReduceKind kind, DType type, int64_t extent) {
    DagBuilder builder;
    const auto s = axes({"i"}, {13});
    const auto k = axes({"k"}, {extent});
    const Tensor &a = builder.placeholder("a", {13, extent}, type);
    return builder.build({&builder.reduce("out", s, kind, k, load(a, {s[0].var, k[0].var}))});
}

} // namespace

class ExpressionCodeTest : public QObject {
    Q_OBJECT

    static void rows(const std::vector<Case> &cases) {
        QTest::addColumn<Case>("test");
        for (const Case &test : cases) QTest::newRow(test.name.c_str()) << test;
    }
    static void check() {
        QFETCH(Case, test);
        const ArenaPtr arena = std::make_shared<ExprArena>();
        const ArenaScope scope(arena);
        const DagPtr dag = dagOf(test);
        const NaiveOptions ways[] = {{LoopKind::Serial, LoopKind::Serial},
                                     {LoopKind::Vectorized, LoopKind::Parallel},
                                     {LoopKind::Vectorized, LoopKind::Unrolled}};
        for (const NaiveOptions &way : ways) {
            const std::string problem = checkKernel(naiveProgram(dag, way), *dag, hostCompiler(), 7);
            QVERIFY2(problem.empty(), problem.c_str());
        }
    }
    static void checkAtEdges() {
        QFETCH(Case, test);
        const ArenaPtr arena = std::make_shared<ExprArena>();
        const ArenaScope scope(arena);
        const DagPtr dag = dagOf(test);
        const NaiveOptions ways[] = {{LoopKind::Serial, LoopKind::Serial}, {LoopKind::Vectorized, LoopKind::Unrolled}};
        for (const NaiveOptions &way : ways)
            for (const uint64_t seed : {1U, 2U, 3U}) {
                const std::string problem = checkKernelAtEdges(naiveProgram(dag, way), *dag, hostCompiler(), seed);
                QVERIFY2(problem.empty(), problem.c_str());
            }
    }

  private slots:
    void binary_data() { rows(binaryCases()); }
    void binary() { check(); }
    void unary_data() { rows(unaryCases()); }
    void unary() { check(); }
    /// What has no number, is infinite or a zero: what the interpreter says, which is what NumPy says.
    void edges_data() { rows(edgeCases()); }
    void edges() { checkAtEdges(); }
    void reductionsOfEdges();
    void softmaxOfEdges();
    void casts_data() { rows(castCases()); }
    void casts() { check(); }
    void others_data() { rows(otherCases()); }
    void others() { check(); }
};

void ExpressionCodeTest::reductionsOfEdges() {
    const ArenaPtr arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    for (const ReduceKind kind : {ReduceKind::Min, ReduceKind::Max, ReduceKind::Sum, ReduceKind::Prod})
        for (const DType type : floats)
            for (const int64_t extent : {1, 2, 5})
                for (const NaiveOptions &way :
                     {NaiveOptions{LoopKind::Serial, LoopKind::Serial},
                      NaiveOptions{LoopKind::Vectorized, LoopKind::Serial, LoopKind::Unrolled}})
                    for (const uint64_t seed : {1U, 2U}) {
                        const DagPtr dag = reducedDag(kind, type, extent);
                        const std::string problem =
                            checkKernelAtEdges(naiveProgram(dag, way), *dag, hostCompiler(), seed);
                        QVERIFY2(problem.empty(), problem.c_str());
                    }
}

/// Its greatest values are chosen without asking, and nobody notices.
void ExpressionCodeTest::softmaxOfEdges() {
    for (const int64_t columns : {1, 2, 37}) {
        const DagPtr dag = softmaxDag(29, columns);
        const auto program = lower(LoopState(dag), parseTarget("llvm -num-cores=1"));
        QVERIFY2(program.ok(), program ? "" : program.why().c_str());
        if (columns > 1)
            QVERIFY2(printProgram(*program).find("select") != std::string::npos, printProgram(*program).c_str());
        for (const uint64_t seed : {1U, 2U, 3U}) {
            const std::string problem = checkKernelAtEdges(*program, *dag, hostCompiler(), seed);
            QVERIFY2(problem.empty(), problem.c_str());
        }
    }
}

LOOPSCOPE_TEST(ExpressionCodeTest)
#include "expression_code_test.moc"
