// Expressions as people write them: no parenthesis too many, none missing.

#include "language/expr/arena.h"
#include "language/expr/readable_text.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

class ReadableTextTest : public QObject {
    Q_OBJECT

  private slots:
    void parenthesesThatAreNeeded() {
        ExprArena arena;
        const ArenaScope scope(arena);
        const Expr a = makeVar("a");
        const Expr b = makeVar("b");
        const Expr c = makeVar("c");
        const auto two = [](ExprKind kind, Expr x, Expr y) { return makeBinary(kind, x, y); };
        const auto text = [](Expr e) { return QString::fromStdString(readableText(e)); };
        QCOMPARE(text(two(ExprKind::Add, two(ExprKind::Mul, a, b), c)), "a * b + c");
        QCOMPARE(text(two(ExprKind::Mul, two(ExprKind::Add, a, b), c)), "(a + b) * c");
        QCOMPARE(text(two(ExprKind::Sub, two(ExprKind::Sub, a, b), c)), "a - b - c");
        QCOMPARE(text(two(ExprKind::Sub, a, two(ExprKind::Sub, b, c))), "a - (b - c)");
        QCOMPARE(text(two(ExprKind::Add, a, two(ExprKind::Add, b, c))), "a + (b + c)");
        QCOMPARE(text(two(ExprKind::FloorMod, two(ExprKind::FloorDiv, a, b), c)), "a // b % c");
        const Expr below = two(ExprKind::Lt, a, b);
        const Expr least = two(ExprKind::Ge, a, makeInt(1));
        QCOMPARE(text(two(ExprKind::And, two(ExprKind::And, least, below), below)), "a >= 1 && a < b && a < b");
        QCOMPARE(text(two(ExprKind::And, two(ExprKind::Or, least, below), below)), "(a >= 1 || a < b) && a < b");
        QCOMPARE(text(two(ExprKind::Eq, below, below)), "(a < b) == (a < b)");
        QCOMPARE(text(makeUnary(ExprKind::Not, below)), "!(a < b)");
    }

    void functionsAndConstants() {
        ExprArena arena;
        const ArenaScope scope(arena);
        const Expr a = makeVar("a");
        const auto text = [](Expr e) { return QString::fromStdString(readableText(e)); };
        QCOMPARE(text(makeBinary(ExprKind::Max, makeBinary(ExprKind::Add, a, makeInt(-2)), makeInt(0))),
                 "max(a + -2, 0)");
        QCOMPARE(text(makeBinary(ExprKind::Mod, a, makeInt(3))), "truncmod(a, 3)");
        QCOMPARE(text(makeCastNode(DType::Float32, a)), "float32(a)");
        QCOMPARE(text(makeFloat(0.5)), "0.5");
        QCOMPARE(text(makeBool(true)), "true");
        QCOMPARE(text(makeSelectNode(makeBinary(ExprKind::Lt, a, makeInt(2)), a, makeInt(7))), "select(a < 2, a, 7)");
    }

    /// Task keys are made of these: the operators are those of `.te` but for the divisions, and so are the blanks.
    void theSpellingOfTaskKeys() {
        ExprArena arena;
        const ArenaScope scope(arena);
        const Expr a = makeVar("a"), b = makeVar("b");
        const std::vector<std::pair<ExprKind, const char *>> all = {{ExprKind::Add, "(a + b)"},
                                                                    {ExprKind::Sub, "(a - b)"},
                                                                    {ExprKind::Mul, "(a*b)"},
                                                                    {ExprKind::Div, "(a/b)"},
                                                                    {ExprKind::Mod, "(a % b)"},
                                                                    {ExprKind::FloorDiv, "floordiv(a, b)"},
                                                                    {ExprKind::FloorMod, "floormod(a, b)"},
                                                                    {ExprKind::Min, "min(a, b)"},
                                                                    {ExprKind::Max, "max(a, b)"},
                                                                    {ExprKind::Eq, "(a == b)"},
                                                                    {ExprKind::Ne, "(a != b)"},
                                                                    {ExprKind::Lt, "(a < b)"},
                                                                    {ExprKind::Le, "(a <= b)"},
                                                                    {ExprKind::Gt, "(a > b)"},
                                                                    {ExprKind::Ge, "(a >= b)"}};
        for (const auto &[kind, spelling] : all)
            QCOMPARE(QString::fromStdString(toText(makeBinary(kind, a, b))), QString::fromLatin1(spelling));
        const Expr c = makeBinary(ExprKind::Lt, a, b), d = makeBinary(ExprKind::Ge, a, b);
        QCOMPARE(QString::fromStdString(toText(makeBinary(ExprKind::And, c, d))),
                 QStringLiteral("((a < b) && (a >= b))"));
        QCOMPARE(QString::fromStdString(toText(makeBinary(ExprKind::Or, c, d))),
                 QStringLiteral("((a < b) || (a >= b))"));
    }
};

LOOPSCOPE_TEST(ReadableTextTest)
#include "readable_text_test.moc"
