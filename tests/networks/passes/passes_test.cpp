// Each pass: before and after as text, and that the reference evaluation says the same of both.

#include "bisect.h"
#include "expression_text.h"
#include "networks/graph/function_builder.h"
#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "networks/passes/pass_context.h"
#include "networks/passes/pass_list.h"
#include "networks/passes/pass_sequence.h"
#include "story.h"
#include "test_program.h"

#include <QTest>

#include <fmt/format.h>

using namespace loopscope;
using namespace loopscope::test;

namespace {

GraphPass passOf(const std::string &name) {
    for (GraphPass pass :
         {verifyPass(), inferShapesPass(), foldConstantsPass(), dropIdentitiesPass(), deadCodePass(), commonNodesPass(),
          composeScalesPass(), foldBatchNormPass(), canonicalisePass(), simplifyAlgebraPass(), mergeParallelPass(),
          sinkElementwisePass(), raiseElementwisePass(), decomposeNormsPass()})
        if (pass.info.name == name) return pass;
    throw Error("there is no pass " + name);
}

struct Made {
    Module before;
    Module after;
    PassReport report;
    std::string wrong; // what bisect says
};

/// One pass alone, whatever it needs said to hold.
Made make(const std::string &pass, const Module &before) {
    Bisect bisect(before, seededInputs(before.main()));
    GraphPassContext context;
    context.level = 9;
    context.required = {pass};
    context.facts = Facts::all();
    context.watch = bisect.watch();
    PassSequence sequence("one");
    sequence.add(passOf(pass));
    PassResult result = runPasses(sequence, before, context);
    return {before, result.module, context.report, result.refusal ? result.refusal->sentence : std::string()};
}

} // namespace

class PassesTest : public QObject {
    Q_OBJECT

  private slots:
    void rewrites_data() {
        QTest::addColumn<QString>("pass");
        QTest::addColumn<QString>("given");
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        const auto row = [](const char *name, const char *pass, const char *given, const char *before,
                            const char *after) { QTest::newRow(name) << pass << given << before << after; };
        const char *const x = "x: float32[2, 3]";
        const char *const image = "x: float32[1, 4, 5, 5], w: const float32[6, 4, 3, 3], s: const float32[6], "
                                  "b: const float32[6], m: const float32[6], v: const float32[6], "
                                  "k: const float32[6, 1, 1]";

        row("constants", "foldConstants", x, "add(x, mul({1.0, 2.0, 3.0}, 2.0))", "add(x, {2.0, 4.0, 6.0})");
        row("shape chain", "foldConstants", "x: float32[2, 3, 4]",
            "reshape(x, concat(gather(shape(x), [0]; axis = 0), [-1]; axis = 0))", "reshape(x, [2, -1])");
        row("shape chain past a symbol", "foldConstants", "x: float32[n, 3, 4]",
            "expand(x, gather(shape(x), [1, 2]; axis = 0))", "expand(x, [3, 4])");
        row("what has parameters stays", "foldConstants", x, "add(x, 1.0)", "add(x, 1.0)");
        row("extremes of nothing", "foldConstants", "x: float32[2], e: float32[2, 0]",
            "add(x, reduce_max(relu(e); axes = [1], keep_dims = 0))", "add(x, {-inf, -inf})");
        row("products over nothing", "foldConstants", "x: float32[2, 1], e: float32[2, 0], f: float32[0, 1]",
            "add(x, matmul(e, f))", "add(x, matmul1)");

        row("dropout", "dropIdentities", x, "relu(dropout(identity(x)))", "relu(x)");
        row("cast", "dropIdentities", x, "relu(cast(x; to = \"float32\"))", "relu(x)");
        row("cast to another", "dropIdentities", x, "relu(cast(x; to = \"float64\"))",
            "relu(cast(x; to = \"float64\"))");
        row("reshape", "dropIdentities", x, "relu(reshape(x, [2, 3]))", "relu(x)");
        row("transpose", "dropIdentities", x, "relu(transpose(x; permutation = [0, 1]))", "relu(x)");
        row("square transpose", "dropIdentities", "x: float32[3, 3]", "relu(transpose(x; permutation = [1, 0]))",
            "relu(transpose(x; permutation = [1, 0]))");
        row("one", "dropIdentities", x, "relu(add_n(concat(x; axis = 0)))", "relu(x)");
        row("nothing to join", "dropIdentities", "x: float32[2, 3], e: float32[2, 0]",
            "relu(concat(e, x, e; axis = 1))", "relu(x)");
        row("less to join", "dropIdentities", "x: float32[2, 3], e: float32[2, 0]", "relu(concat(x, e, x; axis = 1))",
            "relu(concat(x, x; axis = 1))");
        row("nothing split off", "dropIdentities", "x: float32[2, 3]",
            "a, b = split(x; axis = 1, sizes = [3, 0]) | relu(a)", "relu(x)");
        row("pad", "dropIdentities", x, "relu(pad(x, [0, 0, 0, 0]))", "relu(x)");
        row("slice", "dropIdentities", x, "relu(slice(x, [0], [3], [1], [1]))", "relu(x)");
        row("reversing slice", "dropIdentities", x, "relu(slice(x, [-1], [-9], [1], [-1]))",
            "relu(slice(x, [-1], [-9], [1], [-1]))");
        row("expand", "dropIdentities", x, "relu(expand(x, [2, 3]))", "relu(x)");
        row("a result keeps its name", "dropIdentities", x, "identity(x)", "identity(x)");

        row("dead", "deadCode", x, "a = relu(x) | b = neg(a) | a", "relu(x)");

        row("norm, scale, shift", "composeScales", "x: float32[2, 3]",
            "relu(add(mul(batch_norm(x, {1.0, 2.0, 3.0}, {1.0, 1.0, 1.0}, {0.0, 0.0, 0.0}, {4.0, 4.0, 4.0}; epsilon "
            "= 0.0), {2.0, 2.0, 2.0}), {-2.0, -2.0, -2.0}))",
            "relu(mul(x, add1.scale))");
        row("sub and div", "composeScales", x, "relu(div(sub(x, 1.0), 0.5))", "relu(div(sub(x, 1.0), 0.5))");
        row("three", "composeScales", x, "relu(add(mul(sub(x, 1.0), 2.0), 5.0))", "relu(add(mul(x, 2.0), 3.0))");
        const char *const vanishing = "relu(mul(mul(x, 1e-25), 1e-25))";
        row("factors of a product beyond the type", "composeScales", x, vanishing, vanishing);
        const char *const overflowing = "relu(mul(mul(add(x, 1e+20), 1e+17), 1e+17))";
        row("a shift that would overflow", "composeScales", x, overflowing, overflowing);
        row("two readers", "composeScales", x, "a = mul(x, 2.0) | b = add(mul(a, 3.0), 1.0) | add(a, b)",
            "add(mul(x, 2.0), add(mul(mul(x, 2.0), 3.0), 1.0))");

        row("conv", "foldBatchNorm", image, "relu(batch_norm(conv(x, w), s, b, m, v))",
            "relu(conv(x, w.scaled, batch_norm1.bias))");
        row("conv, scale and shift", "foldBatchNorm", image,
            "relu(add(mul(batch_norm(conv(x, w, b), s, b, m, v), k), k))", "relu(conv(x, w.scaled, add1.bias))");
        row("a shift alone", "foldBatchNorm", image, "relu(add(conv(x, w), k))", "relu(add(conv(x, w), k))");
        row("conv that others read", "foldBatchNorm", image, "c = conv(x, w) | batch_norm(c, s, b, m, v) | neg(c)",
            "add(mul(conv(x, w), batch_norm1.scale), batch_norm1.shift) | neg(conv(x, w))");
        row("no conv", "foldBatchNorm", image, "batch_norm(relu(conv(x, w)), s, b, m, v)",
            "add(mul(relu(conv(x, w)), batch_norm1.scale), batch_norm1.shift)");
        row("groups", "foldBatchNorm",
            "x: float32[1, 4, 5, 5], w: const float32[6, 2, 3, 3], s: const float32[6], v: const float32[6]",
            "relu(batch_norm(conv(x, w; group = 2), s, s, v, v))",
            "relu(conv(x, w.scaled, batch_norm1.bias; group = 2))");
        row("transposed conv", "foldBatchNorm",
            "x: float32[1, 4, 5, 5], w: const float32[4, 3, 3, 3], s: const float32[6], v: const float32[6]",
            "relu(batch_norm(conv_transpose(x, w; group = 2), s, s, v, v))",
            "relu(conv_transpose(x, w.scaled, batch_norm1.bias; group = 2))");
        row("gemm", "foldBatchNorm",
            "x: float32[3, 4], w: const float32[4, 5], c: const float32[5], v: const float32[5]",
            "relu(batch_norm(gemm(x, w, c; alpha = 0.5, beta = 2.0), c, c, v, v))",
            "relu(gemm(x, w.scaled, batch_norm1.bias; alpha = 0.5, beta = 1.0))");
        row("dense", "foldBatchNorm", "x: float32[3, 4], w: const float32[5, 4], v: const float32[5]",
            "relu(batch_norm(dense(x, w), v, v, v, v))", "relu(gemm(x, w.scaled, batch_norm1.bias; trans_b = 1))");

        row("gemm", "canonicalise", "x: float32[3, 4], w: const float32[4, 5], c: float32[5]",
            "gemm(x, w, c; alpha = 0.5, beta = 2.0)", "add(dense(x, w.transposed.scaled), mul(c, 2.0))");
        row("gemm of two parameters", "canonicalise", "x: float32[4, 3], w: float32[5, 4]",
            "gemm(x, w; trans_a = 1, trans_b = 1)", "dense(transpose(x; permutation = [1, 0]), w)");
        row("conv bias", "canonicalise", image, "conv(x, w, b)", "add(conv(x, w), b.reshaped)");
        const char *const narrow = "gemm(x, w, c; alpha = 0.5)";
        row("gemm of float16", "canonicalise", "x: float16[3, 4], w: const float16[4, 5], c: float16[5]", narrow,
            narrow);
        row("sum", "canonicalise", x, "add_n(x, neg(x), abs(x))", "add(add(x, neg(x)), abs(x))");
        row("bias_add", "canonicalise", "x: float32[2, 3, 4], b: float32[4]", "bias_add(x, b; axis = -1)",
            "add(x, reshape(b, [1, 1, 4]))");
        row("flatten", "canonicalise", "x: float32[2, 3, 4]", "flatten(x)", "reshape(x, [2, 12])");
        row("flatten with a symbol", "canonicalise", "x: float32[n, 3, 4]", "flatten(x)", "reshape(x, [0, 12])");
        row("squeeze", "canonicalise", "x: float32[2, 1, 4]", "unsqueeze(squeeze(x); axes = [0])",
            "reshape(reshape(x, [2, 4]), [1, 2, 4])");
        row("open reshape", "canonicalise", "x: float32[2, 3, 4]", "reshape(x, [0, -1])", "reshape(x, [2, 12])");
        row("axes", "canonicalise", x, "softmax(reduce_sum(transpose(x); axes = [-1]))",
            "softmax(reduce_sum(transpose(x; permutation = [1, 0]); axes = [1]); axis = 1)");

        row("layer norm", "decomposeNorms", "x: float32[2, 3, 4], s: float32[4], b: float32[4]",
            "layer_norm(x, s, b; epsilon = 0.5)",
            "add(mul(div(sub(sub(x, reduce_mean(x; axes = [2], keep_dims = 1)), reduce_mean(sub(x, reduce_mean(x; axes "
            "= [2], keep_dims = 1)); axes = [2], keep_dims = 1)), sqrt(add(reduce_mean(mul(sub(x, "
            "reduce_mean(x; axes = [2], keep_dims = 1)), sub(x, reduce_mean(x; axes = [2], keep_dims = 1))); axes = "
            "[2], keep_dims = 1), 0.5))), s), b)");
        row("layer norm of two axes", "decomposeNorms", "x: float32[2, 3, 4], s: float32[3, 4]",
            "layer_norm(x, s; axis = 1)",
            "mul(div(sub(sub(x, reduce_mean(x; axes = [1, 2], keep_dims = 1)), reduce_mean(sub(x, reduce_mean(x; axes "
            "= [1, 2], keep_dims = 1)); axes = [1, 2], keep_dims = 1)), sqrt(add(reduce_mean(mul(sub(x, "
            "reduce_mean(x; axes = [1, 2], keep_dims = 1)), sub(x, reduce_mean(x; axes = [1, 2], keep_dims = 1))); "
            "axes = [1, 2], keep_dims = 1), 1e-05))), s)");

        row("several rules", "simplifyAlgebra", "x: float32[2, 4]",
            "m = reduce_mean(x; axes = [1]) | d = sub(x, m) | v = reduce_mean(pow(d, 2.0); axes = [1]) | "
            "n = div(d, sqrt(add(v, 0.5))) | add(mul(n, {1.0, 2.0, 3.0, 4.0}), {0.5, 0.5, 0.5, 0.5})",
            "layer_norm(x, {1.0, 2.0, 3.0, 4.0}, {0.5, 0.5, 0.5, 0.5}; axis = 1, epsilon = 0.5)");
        row("half first", "simplifyAlgebra", x, "mul(mul(0.5, x), add(1.0, erf(mul(x, 0.70710677))))", "gelu(x)");

        row("branches", "mergeParallel",
            "x: float32[1, 16, 5, 5], v: const float32[2, 16, 1, 1], w: const float32[3, 16, 1, 1], "
            "c: const float32[1, 2, 1, 1], d: const float32[1, 3, 1, 1]",
            "concat(relu(add(conv(x, v), c)), neg(relu(add(conv(x, w), d))); axis = 1)",
            "concat(split(relu(add(conv(x, conv1.merged), add1.merged)); axis = 1, sizes = [2, 3]).0, "
            "neg(split(relu(add(conv(x, conv1.merged), add1.merged)); axis = 1, sizes = [2, 3]).1); axis = 1)");
        row("two that compute more than half of what they read", "mergeParallel",
            "x: float32[1, 4, 5, 5], v: const float32[2, 4, 1, 1], w: const float32[3, 4, 1, 1]",
            "conv(x, v) | conv(x, w)", "conv(x, v) | conv(x, w)");
        row("other strides", "mergeParallel", "x: float32[1, 4, 5, 5], v: const float32[2, 4, 1, 1]",
            "conv(x, v) | conv(x, v; strides = [2, 2])", "conv(x, v) | conv(x, v; strides = [2, 2])");

        row("stays with its pool", "sinkElementwise", "x: float32[1, 2, 3], y: float32[1, 2, 3]",
            "concat(relu(x), relu(max_pool(y; kernel = [1])); axis = 1)",
            "concat(relu(x), relu(max_pool(y; kernel = [1])); axis = 1)");
        row("sinks past concat", "sinkElementwise", "x: float32[2, 3], y: float32[2, 3]",
            "concat(relu(x), relu(y); axis = 1)", "relu(concat(x, y; axis = 1))");
        row("stays with its conv", "sinkElementwise",
            "x: float32[1, 4, 5, 5], w: const float32[4, 4, 1, 1], b: const float32[1, 4, 1, 1]",
            "concat(relu(add(conv(x, w), b)), relu(x); axis = 1)",
            "concat(relu(add(conv(x, w), b)), relu(x); axis = 1)");
        const char *const two = "x: float32[1, 4, 5, 5], y: float32[1, 4, 5, 5], w: const float32[4, 4, 1, 1]";
        row("rises before concat", "raiseElementwise", two,
            "relu(concat(conv(x, w), max_pool(y; kernel = [1, 1]); axis = 1))",
            "concat(relu(conv(x, w)), relu(max_pool(y; kernel = [1, 1])); axis = 1)");
        row("stays behind a parameter", "raiseElementwise", two, "relu(concat(conv(x, w), y; axis = 1))",
            "relu(concat(conv(x, w), y; axis = 1))");
        row("stays behind what others read", "raiseElementwise", two,
            "c = concat(conv(x, w), conv(y, w); axis = 1) | relu(c) | neg(c)",
            "relu(concat(conv(x, w), conv(y, w); axis = 1)) | neg(concat(conv(x, w), conv(y, w); axis = 1))");
    }
    void rewrites() {
        QFETCH(QString, pass);
        QFETCH(QString, given);
        QFETCH(QString, before);
        QFETCH(QString, after);
        const Module module = moduleOf(given.toStdString(), before.toStdString());
        const Made made = make(pass.toStdString(), module);
        QVERIFY2(made.wrong.empty(), made.wrong.c_str());
        QCOMPARE(QString::fromStdString(expressionText(made.after.main())), after);
        // What changes nothing hands back what it was given; and what was done once is not done again.
        const bool changed = made.after.functions != module.functions;
        if (!changed) QCOMPARE(QString::fromStdString(expressionText(module.main())), after);
        QCOMPARE(make(pass.toStdString(), made.after).after.functions, made.after.functions);
        for (const ValueId result : made.after.main().results()) QVERIFY(made.after.main().value(result).type);
    }

    void twinsBecomeOne() {
        const Made made =
            make("commonNodes", moduleOf("x: float32[2, 3]", "a = relu(x) | b = relu(x) | add(mul(a, 2.0), "
                                                             "mul(b, 2.0)) | mul(a, 3.0) | mul(x, 2.0)"));
        QVERIFY2(made.wrong.empty(), made.wrong.c_str());
        // One relu, one product by 2 of it, their sum, one by 3, and that of x.
        QCOMPARE(made.after.main().nodeCount(), size_t(5));
        QCOMPARE(made.after.main().node(NodeId(0)).sources, (std::vector<std::string>{"a", "b"}));
        QCOMPARE(storyText(made.report, "b"),
                 std::string("commonNodes: 'b': another node computes the same; 'a' stands for it\n"));
    }

    void weightsThatAreAlikeStay() {
        const Module module = moduleOf("x: float32[1, 8, 4, 4]", "conv(x, constant_of_shape([8, 8, 1, 1])) | conv(x, "
                                                                 "constant_of_shape([8, 8, 1, 1]))");
        const Module folded = make("foldConstants", module).after;
        QCOMPARE(make("commonNodes", folded).after.main().nodeCount(), size_t(2));
    }

    void otherAttributesAreNoTwins() {
        const Module module = moduleOf("x: float32[2, 3]", "softmax(x; axis = 0) | softmax(x; axis = 1) | softmax(x)");
        const Made made = make("commonNodes", module);
        QCOMPARE(made.after.functions, module.functions);
    }

    void splatsStaySplats() {
        for (const char *text :
             {"constant_of_shape([4, 3])", "transpose(constant_of_shape([3, 4]))",
              "reshape(constant_of_shape([12]), [4, 3])", "add(constant_of_shape([4, 1]), constant_of_shape([3]))",
              "cast(constant_of_shape([4, 3]); to = \"float32\")", "exp(constant_of_shape([4, 3]))",
              "concat(constant_of_shape([1, 3]), constant_of_shape([3, 3]); axis = 0)",
              "expand(constant_of_shape([1, 3]), [4, 3])", "unsqueeze(constant_of_shape([4, 3]); axes = [0])"}) {
            const Made made = make("foldConstants", moduleOf("x: float32[4, 3]", std::string("add(x, ") + text + ")"));
            QVERIFY2(made.wrong.empty(), made.wrong.c_str());
            QCOMPARE(made.after.main().nodeCount(), size_t(1));
            const HostTensor *constant = made.after.main().constant(made.after.main().node(NodeId(0)).inputs[1]);
            QVERIFY2(constant && constant->isSplat(), text);
        }
    }

    /// Also where nothing comes of it.
    void whatRunsInOrderStays() {
        const auto typed = inferTypes(parseNet("network t\nfunc main(x: float32[0]) {\n  effect {\n    y = call(x, "
                                               "function = \"f\")\n  } yield y\n  return y\n}\n"
                                               "func f(x: float32[0]) { y = relu(x) return y }\n",
                                               "t.net")
                                          .module);
        QVERIFY2(typed.ok(), typed ? "" : typed.why().c_str());
        GraphPassContext context;
        context.facts = Facts::all();
        const auto after = applyPass(passOf("foldConstants"), *typed, context);
        QVERIFY2(after.ok(), after ? "" : after.why().c_str());
        QCOMPARE(after->main().nodeCount(), size_t(1));
        QCOMPARE(after->functions.back()->nodeCount(), size_t(0)); // of a function without effects nothing is left
    }

    void whatIsLargeIsNotFolded() {
        GraphPassContext context;
        context.facts = Facts::all();
        context.options.foldedBytes = 100;
        const Module large = moduleOf("x: float32[20, 2]", "add(x, expand({1.0, 2.0}, [20, 2]))");
        const auto after = applyPass(passOf("foldConstants"), large, context);
        QCOMPARE(after->functions, large.functions);
        context.options.foldedBytes = 1000;
        QCOMPARE(applyPass(passOf("foldConstants"), large, context)->main().nodeCount(), size_t(1));
    }

    /// A file of some lines would grow to gigabytes: what all foldings add has a bound, and a splat counts as the one
    /// number it is.
    void foldingHasABound() {
        GraphPassContext context;
        context.facts = Facts::all();
        const Module splat = moduleOf("x: float32[1]", "add(x, reduce_sum(expand({1.0}, [8000000000])))");
        QCOMPARE(applyPass(passOf("foldConstants"), splat, context)->main().nodeCount(), size_t(2)); // of the splat
        context.options.grownBytes = 1000;
        std::string body;
        for (int i = 0; i < 4; ++i)
            body += fmt::format("{} = add({}, expand({{1.0, {}.0}}, [60, 2])) | ", static_cast<char>('a' + i),
                                i == 0 ? "x" : std::string(1, static_cast<char>('a' + i - 1)), i + 2);
        const Module many = moduleOf("x: float32[60, 2]", (body + "relu(d)").c_str());
        // Each has 480 bytes of two numbers.
        QCOMPARE(applyPass(passOf("foldConstants"), many, context)->main().nodeCount(), size_t(7));
    }

    void sourcesAreJoined() {
        const Made made = make("foldBatchNorm", moduleOf("x: float32[1, 4, 5, 5], w: const float32[6, 4, 3, 3], "
                                                         "s: const float32[6]",
                                                         "c = conv(x, w) | n = batch_norm(c, s, s, s, s) | relu(n)"));
        const Node &conv = made.after.main().node(NodeId(0));
        QCOMPARE(conv.sources, (std::vector<std::string>{"c", "n"}));
        QCOMPARE(conv.name, std::string("n"));
        // What has the numbers of the batch norm has its name, too.
        QCOMPARE(made.after.main().value(conv.outputs[0]).name, std::string("n"));
        QCOMPARE(storyText(made.report, "c"),
                 std::string("foldBatchNorm: 'c': folded into the weights of conv 'c'; 'n' stands for it\n"));
        QCOMPARE(storyText(made.report, "nobody"), std::string("'nobody': no pass touched it\n"));
    }

    /// In a text nodes name no others, and a node that another is merged into keeps itself.
    void nodesOfATextStandForThemselves() {
        const auto typed =
            inferTypes(parseNet("network m\n\nfunc main(x: float32[1, 4, 5, 5]) {\n"
                                "  w = constant float32[6, 4, 3, 3] random normal(seed = 1)\n"
                                "  s = constant float32[6] random uniform(low = 0.5, high = 1.5, seed = 2)\n"
                                "  c = conv(x, w)\n  n = batch_norm(c, s, s, s, s)\n  return n\n}\n",
                                "m.net")
                           .module);
        QVERIFY2(typed, typed ? "" : typed.why().c_str());
        GraphPassContext context;
        const auto folded = applyPass(passOf("foldBatchNorm"), *typed, context);
        QVERIFY2(folded.ok(), folded.ok() ? "" : folded.why().c_str());
        QCOMPARE(folded->main().node(NodeId(0)).sources, (std::vector<std::string>{"c", "n"}));
    }

    void verifyRefuses() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, {Dim(2)}});
        builder.addResult(builder.add("rleu", "wrong", {x}));
        GraphPassContext context;
        const auto refused = applyPass(passOf("verify"), {"m", "", {std::move(builder).finish()}}, context);
        QVERIFY(!refused.ok());
        QVERIFY2(refused.why().find("rleu") != std::string::npos, refused.why().c_str());
    }
};

LOOPSCOPE_TEST(PassesTest)
#include "passes_test.moc"
