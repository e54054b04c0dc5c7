// What is chosen, from which set, and why; and why not otherwise.

#include "networks/op/operator.h"
#include "networks/op_compute/kernel_dag.h"
#include "networks/strategy/choose.h"
#include "networks/strategy/compatible_strategies.h"
#include "networks/strategy/pins.h"
#include "networks/strategy/usual_strategies.h"
#include "test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace loopscope;

namespace {

using Times = std::map<std::string, Evidence>;

struct Chosen {
    std::string validSet; // "a:10, b:15": what may be chosen without a guard, with levels
    std::string chosen;   // with guards, or the refusal
    std::string because;
    Decision decision;
};

Chosen choose(const StrategyTable &table, const std::string &target, const StrategySubject &subject,
              const ChoiceSettings &settings = {}, const Times &times = {}) {
    const EvidenceOf evidence = [&](const Implementation &implementation) {
        const auto at = times.find(implementation.name);
        return at == times.end() ? std::nullopt : std::optional(at->second);
    };
    const auto decision = chooseImplementation(table, strategyTarget(target), subject, settings, evidence);
    if (!decision) return {{}, decision.why(), {}, {}};
    std::string validSet;
    for (const JudgedSpecialisation &one : decision->specialisations)
        for (const JudgedImplementation &candidate : one.candidates)
            if (const Implementation &of = candidate.implementation; candidate.state == OfferState::Valid)
                validSet += fmt::format("{}{}:{}", validSet.empty() ? "" : ", ", of.name, of.level);
    return {validSet, decision->dispatchText(), decision->because, *decision};
}

StrategySubject dense(const Dim &m) {
    return {"fc", "dense", {{"m", m}, {"k", 64}, {"n", 32}, {"floating", 1}, {"constant_weight", 1}}};
}

/// 3 x 3, stride 1, with what is given in the place of it.
StrategySubject conv(const Quantities &other = {}) {
    Quantities all = {{"space", 2},      {"channels_last", 0},
                      {"group", 1},      {"n", 1},
                      {"ci", 128},       {"co", 128},
                      {"h", 56},         {"w", 56},
                      {"kh", 3},         {"kw", 3},
                      {"stride_h", 1},   {"stride_w", 1},
                      {"floating", 1},   {"dilation_h", 1},
                      {"dilation_w", 1}, {"oh", 56},
                      {"ow", 56},        {"constant_weight", 1}};
    for (const auto &[name, value] : other) all[name] = value;
    return {"conv1", "conv", all};
}

Implementation named(std::string name, int level, bool tunable = true) {
    Implementation made;
    made.name = std::move(name);
    made.level = level;
    made.tunable = tunable;
    return made;
}

/// TVM's own test: c only from 16 channels on, and no tuner knows it.
StrategyTable threeConvolutions() {
    Strategy strategy;
    strategy.add(named("a", 10)).add(named("b", 15));
    strategy.when({"ci >= 16"}).add(named("c", 20, false));
    StrategyTable table;
    table.put("conv", "", std::move(strategy));
    return table;
}

ChoiceSettings asTvm(bool measured) { return {.measured = measured, .guards = false}; }
Evidence timed(double milliseconds) { return {milliseconds / 1e3, "a.json", false}; }

} // namespace

class StrategyChoiceTest : public QObject {
    Q_OBJECT
  private slots:
    void vectors_data();
    void vectors();
    void tilesOfWinograd();
    void guards();
    void clauses_data();
    void clauses();
    void scopesAreConjunctions();
    void tiesGoToTheFirst();
    void whatIsNoEvidence();
    void everyLoserHasItsReason();
    void targetKeys();
    void registrations();
    void readyMadeSchedules();
    void everyOperatorHasAStrategy();
    void accuracyIsALimit();
    void pins();
    void refusals();
    void decisionsAsTextAndJson();
    void pinsInAFile();
};

void StrategyChoiceTest::vectors_data() {
    QTest::addColumn<QString>("validSet");
    QTest::addColumn<QString>("chosen");
    QTest::addColumn<QString>("expectedSet");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *name, const Chosen &of, const char *set, const char *chosen) {
        QTest::newRow(name) << QString::fromStdString(of.validSet) << QString::fromStdString(of.chosen) << set
                            << chosen;
    };
    const StrategyTable usual = usualStrategies();
    const StrategyTable ansor = compatibleStrategies({.autoScheduler = true});
    const StrategyTable autoTvm = compatibleStrategies({.autoScheduler = false});
    const Dim m = Dim::symbol("m");
    row("1 dense, 8 rows", choose(usual, "llvm", dense(8)), "dense_common:10", "dense_common");
    row("dense, 16 rows", choose(usual, "llvm", dense(16)), "dense_common:10", "dense_common");
    row("3 dense, 17 rows", choose(usual, "llvm", dense(17)), "dense_common:10, dense_for_large_m:15",
        "dense_for_large_m");
    row("4 dense, m rows, as TVM", choose(usual, "llvm", dense(m), asTvm(false)), "dense_common:10", "dense_common");
    row("4 dense, m rows, ours", choose(usual, "llvm", dense(m)), "dense_common:10",
        "m > 16: dense_for_large_m; else: dense_common");
    row("6 conv on cuda", choose(usual, "cuda", conv()), "conv2d_nchw.cuda:10, conv2d_nchw_winograd.cuda:15",
        "conv2d_nchw_winograd.cuda");
    row("conv on cuda, stride 2", choose(usual, "cuda", conv({{"stride_h", 2}})), "conv2d_nchw.cuda:10",
        "conv2d_nchw.cuda");
    row("8 conv on cuda, measured",
        choose(usual, "cuda", conv(), {},
               {{"conv2d_nchw.cuda", timed(1.0)}, {"conv2d_nchw_winograd.cuda", timed(1.2)}}),
        "conv2d_nchw.cuda:10, conv2d_nchw_winograd.cuda:15", "conv2d_nchw.cuda");
    const StrategyTable three = threeConvolutions();
    row("10 8 channels", choose(three, "llvm", conv({{"ci", 8}})), "a:10, b:15", "b");
    row("10 16 channels", choose(three, "llvm", conv({{"ci", 16}})), "a:10, b:15, c:20", "c");
    row("11 8 channels, measured", choose(three, "llvm", conv({{"ci", 8}}), {}, {{"a", timed(0.5)}}), "a:10, b:15",
        "a");
    row("11 16 channels, measured",
        choose(three, "llvm", conv({{"ci", 16}}), {}, {{"a", timed(1.0)}, {"c", timed(0.1)}}), "a:10, b:15, c:20", "a");
    row("13 dense of TVM", choose(autoTvm, "llvm", dense(8), asTvm(true)), "dense_nopack.x86:5, dense_pack.x86:10",
        "dense_pack.x86");
    row("13 with Ansor", choose(ansor, "llvm", dense(8), asTvm(false)),
        "dense_nopack.x86:5, dense_pack.x86:10, dense.generic:11", "dense.generic");
    row("13 with cblas", choose(ansor, "llvm -libs=cblas", dense(8), asTvm(false)),
        "dense_nopack.x86:5, dense_pack.x86:10, dense.generic:11, dense_cblas.x86:13", "dense_cblas.x86");
    row("13 with mkl", choose(autoTvm, "llvm -libs=mkl", dense(8), asTvm(true)),
        "dense_nopack.x86:5, dense_pack.x86:10, dense_mkl.x86:14", "dense_mkl.x86");
    row("13 with dnnl", choose(autoTvm, "llvm -libs=cblas,dnnl", dense(8), asTvm(true)),
        "dense_nopack.x86:5, dense_pack.x86:10, dense_cblas.x86:13, dense_dnnl.x86:15", "dense_dnnl.x86");
    const StrategySubject softmax = {"prob", "softmax", {{"rows", 1}, {"columns", 1000}, {"floating", 1}}};
    row("15 softmax on a processor", choose(ansor, "llvm", softmax, asTvm(false)), "softmax.x86:10", "softmax.x86");
    row("15 softmax on cuda", choose(ansor, "cuda", softmax, asTvm(false)), "softmax.cuda:10", "softmax.cuda");
    row("15 softmax with cudnn", choose(ansor, "cuda -libs=cudnn", softmax, asTvm(false)),
        "softmax.cuda:10, softmax.cudnn:15", "softmax.cudnn");
    for (const auto &[channels, winograd] : {std::pair{64, false}, {128, true}, {256, true}, {512, false}})
        row(qPrintable(QString("19 conv of channels last, %1").arg(channels)),
            choose(ansor, "llvm", conv({{"channels_last", 1}, {"co", channels}}), asTvm(false)),
            winograd ? "conv2d_nhwc.x86:10, conv2d_nhwc.winograd:15" : "conv2d_nhwc.x86:10",
            winograd ? "conv2d_nhwc.winograd" : "conv2d_nhwc.x86");
    row("22 conv on cuda as in 0.18", choose(autoTvm, "cuda", conv(), asTvm(true)),
        "conv2d_nchw.cuda:10, conv2d_nchw_winograd.cuda:5", "conv2d_nchw.cuda");
    row("25 depthwise", choose(usual, "llvm", conv({{"group", 32}, {"ci", 32}, {"co", 32}})),
        "depthwise_conv2d_nchw.x86:10", "depthwise_conv2d_nchw.x86");
    row("25 grouped", choose(usual, "llvm", conv({{"group", 32}, {"ci", 64}, {"co", 64}})), "group_conv2d_nchw.x86:10",
        "group_conv2d_nchw.x86");
    row("25 grouped, more outputs", choose(usual, "llvm", conv({{"group", 32}, {"ci", 32}, {"co", 64}})),
        "group_conv2d_nchw.x86:10", "group_conv2d_nchw.x86");
    row("25 one group of one channel", choose(ansor, "llvm", conv({{"group", 1}, {"ci", 1}, {"co", 1}}), asTvm(false)),
        "conv2d_nchw.x86:10", "conv2d_nchw.x86");
    row("a processor's usual ones", choose(usual, "llvm", conv()),
        "conv2d_nchw.x86:10, conv2d_nchw_winograd4.x86:5, conv2d_nchw_winograd2.x86:4", "conv2d_nchw.x86");
    row("over one axis", choose(usual, "llvm", {"c", "conv", {{"space", 1}, {"group", 1}}}), "conv_ncs.x86:10",
        "conv_ncs.x86");
}

void StrategyChoiceTest::vectors() {
    QFETCH(QString, validSet);
    QFETCH(QString, chosen);
    QTEST(validSet, "expectedSet");
    QTEST(chosen, "expected");
}

/// Vector 24: 4 x 4 planes of weights where the height is no multiple of 8, else 6 x 6; on processors always 6 x 6.
void StrategyChoiceTest::tilesOfWinograd() {
    const auto tile = [](const StrategyTable &table, const std::string &target, const Quantities &quantities) {
        const Chosen chosen = choose(table, target, conv(quantities), asTvm(false));
        for (const JudgedSpecialisation &one : chosen.decision.specialisations)
            for (const JudgedImplementation &candidate : one.candidates)
                if (candidate.state == OfferState::Valid &&
                    candidate.implementation.name.find("winograd") != std::string::npos)
                    return candidate.implementation.accuracy == AccuracyClass::Winograd2 ? 2 : 4;
        return 0;
    };
    for (const StrategyTable &table : {usualStrategies(), compatibleStrategies()}) {
        QCOMPARE(tile(table, "cuda", {{"h", 28}}), 2);
        QCOMPARE(tile(table, "cuda", {{"h", 56}}), 4);
    }
    for (const int height : {28, 56})
        QCOMPARE(tile(compatibleStrategies(), "llvm", {{"h", height}, {"channels_last", 1}}), 4);
}

void StrategyChoiceTest::guards() {
    Strategy strategy;
    strategy.add(named("common", 10));
    strategy.when({"m > 16"}).add(named("large", 15));
    strategy.when({"m > 1024", "n mod 8 == 0"}).add(named("huge", 20));
    strategy.when({"m mod 2 == 0"}).add(named("even", 5)); // never before common
    StrategyTable table;
    table.put("dense", "", strategy);
    const Dim s = Dim::symbol("s");
    StrategySubject subject = {"fc", "dense", {{"m", s * 4}, {"n", s * 2 + 1}}};
    Chosen chosen = choose(table, "llvm", subject);
    QCOMPARE(chosen.chosen, std::string("4*s > 1024 and (2*s + 1) mod 8 == 0: huge; 4*s > 16: large; "
                                        "else: common"));
    QCOMPARE(chosen.decision.find("even")->state, OfferState::Valid); // 4*s is even for every s
    subject.quantities["n"] = 17;
    chosen = choose(table, "llvm", subject);
    QCOMPARE(chosen.chosen, std::string("4*s > 16: large; else: common"));
    QCOMPARE(chosen.decision.find("huge")->why, std::string("not offered: it needs n mod 8 == 0 (n = 17)"));
    subject.quantities["m"] = s;
    QCOMPARE(choose(table, "llvm", subject).decision.find("even")->why,
             std::string("its level 5 is not above the 10 of common, which needs no guard"));
    // Times say nothing about shapes that are not known.
    QCOMPARE(choose(table, "llvm", subject, {}, {{"even", timed(1)}}).chosen,
             std::string("s > 16: large; else: common"));
    StrategyTable guardedOnly;
    Strategy large;
    large.when({"m > 16"}).add(named("large", 15));
    guardedOnly.put("dense", "", large);
    QCOMPARE(
        choose(guardedOnly, "llvm", dense(s)).chosen,
        std::string("there is no implementation of dense for target 'llvm' (node 'fc'): none of one implementation "
                    "is valid: large depends on symbols"));
}

void StrategyChoiceTest::clauses_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *text, const char *expected) { QTest::newRow(text) << text << expected; };
    row("m == 8", "true (m = 8)");
    row("m != 8", "false (m = 8)");
    row("m < 8", "false (m = 8)");
    row("m <= 8", "true (m = 8)");
    row("m > 7", "true (m = 8)");
    row("m >= 9", "false (m = 8)");
    row("m mod 3 == 2", "true (m = 8)");
    row("2*m + 1 == 17", "true (m = 8)");
    row("s > 3", "unknown (s = t) t > 3");
    row("s == s", "true (s = t)");
    row("s + 1 > s", "true (s = t)");
    row("4*s mod 4 == 0", "true (s = t)");
    row("s mod 4 == 0", "unknown (s = t) t mod 4 == 0");
    row("s - s == 0", "true (whatever they are)");
    row("m == s", "unknown (m = 8, s = t) 8 == t");
    row("m > q", "false (m = 8, there is no q)");
}

void StrategyChoiceTest::clauses() {
    QFETCH(QString, text);
    const ClauseValue value = evaluateClause(Clause::of(text.toStdString()), {{"m", 8}, {"s", Dim::symbol("t")}});
    QString got = QString("%1 (%2)").arg(QString::fromStdString(std::string(truthName(value.truth))),
                                         QString::fromStdString(value.value));
    if (!value.rest.empty()) got += " " + QString::fromStdString(value.rest);
    QTEST(got, "expected");
}

void StrategyChoiceTest::scopesAreConjunctions() {
    Strategy strategy;
    const StrategyScope outer = strategy.when({"m > 4"});
    outer.when({"n > 4", "m > 4"}).add(named("inner", 10));
    outer.add(named("outer", 10));
    outer.when({"n > 4"}).add(named("another", 10));
    QCOMPARE(strategy.specialisations().size(), size_t{2}); // equal conditions are one
    QCOMPARE(conditionText(strategy.specialisations()[0].condition), std::string("m > 4 and n > 4"));
    StrategyTable table;
    table.put("dense", "", strategy);
    const auto validSet = [&](int m, int n) {
        return choose(table, "llvm", {"d", "dense", {{"m", m}, {"n", n}}}).validSet;
    };
    QCOMPARE(validSet(5, 5), std::string("inner:10, another:10, outer:10"));
    QCOMPARE(validSet(5, 4), std::string("outer:10"));
    QCOMPARE(validSet(4, 5), std::string()); // in TVM, where the innermost scope counts alone, inner would be valid
}

void StrategyChoiceTest::tiesGoToTheFirst() {
    Strategy strategy;
    strategy.when({"m > 0"}).add(named("first", 10));
    strategy.add(named("second", 10));
    strategy.when({"m > 0"}).add(named("third", 10));
    StrategyTable table;
    table.put("dense", "", strategy);
    const Chosen chosen = choose(table, "llvm", dense(1));
    QCOMPARE(chosen.chosen, std::string("first"));
    QCOMPARE(chosen.decision.find("third")->why,
             std::string("its level 10 is that of first, which was registered before it"));
    QCOMPARE(choose(table, "llvm", dense(1), {}, {{"third", timed(1)}, {"second", timed(1)}}).chosen,
             std::string("second"));
}

void StrategyChoiceTest::whatIsNoEvidence() {
    const StrategyTable table = threeConvolutions();
    const StrategySubject subject = conv({{"ci", 8}});
    Evidence fallback = timed(0.1);
    fallback.fallback = true;
    QCOMPARE(choose(table, "llvm", subject, {}, {{"a", fallback}}).chosen, std::string("b"));
    QCOMPARE(choose(table, "llvm", subject, {}, {{"a", timed(9)}, {"b", fallback}}).chosen, std::string("a"));
    QCOMPARE(choose(table, "llvm", subject, asTvm(false), {{"a", timed(0.1)}}).chosen, std::string("b"));
    QCOMPARE(choose(table, "llvm", subject, {}, {{"a", timed(9)}, {"b", fallback}}).decision.find("b")->why,
             std::string("what is known of it is a stand-in that nobody measured"));
}

void StrategyChoiceTest::everyLoserHasItsReason() {
    const Chosen measured =
        choose(threeConvolutions(), "llvm", conv({{"ci", 16}}), {}, {{"a", timed(1.0)}, {"b", timed(1.5)}});
    QCOMPARE(measured.because, std::string("1 ms by a.json is the least of 2 measured"));
    QCOMPARE(measured.decision.find("b")->why, std::string("1.5 ms is 1.5 times as long as with a"));
    QCOMPARE(measured.decision.find("c")->why, std::string("it cannot be tuned, and times go before levels"));
    const Chosen one = choose(threeConvolutions(), "llvm", conv({{"ci", 8}}), {}, {{"a", timed(1.0)}});
    QCOMPARE(one.because, std::string("a.json measured it: 1 ms; times go before levels"));
    QCOMPARE(one.decision.find("b")->why, std::string("nobody measured it, and times go before levels"));
    QCOMPARE(one.decision.find("c")->why, std::string("not offered: it needs ci >= 16 (ci = 8)"));
    const Chosen levels = choose(threeConvolutions(), "llvm", conv({{"ci", 8}}), asTvm(false));
    QCOMPARE(levels.because, std::string("its level 15 is the highest of 2 offered"));
    QCOMPARE(levels.decision.find("a")->why, std::string("its level 10 is below the 15 of b"));
    QCOMPARE(choose(usualStrategies(), "cuda", conv({{"stride_h", 2}})).decision.find("conv2d_nchw_winograd.cuda")->why,
             std::string("not offered: it needs stride_h == 1 (stride_h = 2), h mod 8 != 0 (h = 56)"));
    QCOMPARE(choose(compatibleStrategies(), "llvm", dense(8), asTvm(false)).decision.find("dense_mkl.x86")->why,
             std::string("not offered: it needs mkl, which -libs of the target does not name"));
}

void StrategyChoiceTest::targetKeys() {
    StrategyTable table;
    for (const char *key : {"", "cpu", "gpu", "opencl"}) {
        Strategy strategy;
        strategy.add(named(*key == '\0' ? "default" : key, 10));
        table.put("relu", key, strategy);
    }
    const StrategySubject subject = {"r", "relu", {}};
    for (const auto &[target, expected] : {std::pair{"llvm", "cpu"},
                                           {"cuda", "gpu"},
                                           {"rocm", "gpu"},
                                           {"arm_cpu", "cpu"},
                                           {"mali", "opencl"},
                                           {"llvm -keys=riscv", "default"}})
        QCOMPARE(choose(table, target, subject).chosen, std::string(expected));
    QCOMPARE(choose(table, "cuda", subject).decision.note, std::string("for gpu, in the place of the default"));
    QCOMPARE(strategyTarget(parseTarget("cuda -libs=cudnn")).keys, (std::vector<std::string>{"cuda", "gpu"}));
    QVERIFY(strategyTarget(parseTarget("cuda -libs=cudnn")).has("cudnn"));
    try {
        strategyTarget("vulkan");
        QFAIL("an unknown kind");
    } catch (const Error &error) {
        QCOMPARE(error.sentence(),
                 std::string("target 'vulkan': there are strategies for llvm, cuda, rocm, arm_cpu, mali"));
    }
}

void StrategyChoiceTest::registrations() {
    const auto put = [](StrategyTable &table, const char *name, int level) {
        Strategy strategy;
        strategy.add(named(name, 10));
        table.put("relu", "cpu", strategy, level);
    };
    StrategyTable table;
    put(table, "first", 10);
    put(table, "second", 10);
    const StrategySubject subject = {"r", "relu", {}};
    QCOMPARE(choose(table, "llvm", subject).chosen, std::string("second"));
    QCOMPARE(choose(table, "llvm", subject).decision.note,
             std::string("overrides an earlier registration (level 10, this one 10)"));
    put(table, "lower", 9);
    QCOMPARE(choose(table, "llvm", subject).chosen, std::string("second"));
    QCOMPARE(choose(table, "llvm", subject).decision.note,
             std::string("registered at level 10, so that another registration at level 9 does not count"));
}

void StrategyChoiceTest::readyMadeSchedules() {
    const StrategyTable table = usualStrategies();
    const auto of = [&](const char *op, const char *target) { return choose(table, target, {"x", op, {}}).validSet; };
    QCOMPARE(of("relu", "llvm"), std::string("injective.cpu:10"));
    QCOMPARE(of("relu", "cuda"), std::string("injective.cuda:10"));
    QCOMPARE(of("relu", "rocm"), std::string("injective.generic:10"));
    QCOMPARE(of("add", "llvm"), std::string("injective.cpu:10")); // broadcast is injective
    QCOMPARE(of("reduce_sum", "llvm"), std::string("reduce.cpu:10"));
    QCOMPARE(of("max_pool", "llvm"), std::string("pool.cpu:10"));
    QCOMPARE(of("max_pool", "cuda"), std::string("pool.cuda:10"));
    QCOMPARE(of("softmax", "llvm"), std::string("softmax.x86:10"));
}

/// What can be computed has one for every kind of target, and nothing else has.
void StrategyChoiceTest::everyOperatorHasAStrategy() {
    for (const StrategyTable &table : {usualStrategies(), compatibleStrategies()})
        for (const char *target : {"llvm", "cuda", "rocm", "mali"})
            for (const Operator *op : allOperators()) {
                const bool found = table.find(op->name, strategyTarget(target)).registered != nullptr;
                QVERIFY2(found == (hasTensorExpression(op->name) || op->host), (op->name + " " + target).c_str());
            }
}

void StrategyChoiceTest::accuracyIsALimit() {
    const StrategyTable table = usualStrategies();
    ChoiceSettings settings;
    settings.worst = AccuracyClass::Winograd2;
    QCOMPARE(choose(table, "llvm", conv(), settings).validSet,
             std::string("conv2d_nchw.x86:10, conv2d_nchw_winograd2.x86:4"));
    settings.worst = AccuracyClass::Exact;
    const Chosen exact = choose(table, "llvm", conv(), settings, {{"conv2d_nchw_winograd2.x86", timed(0.1)}});
    QCOMPARE(exact.validSet, std::string("conv2d_nchw.x86:10"));
    QCOMPARE(exact.decision.find("conv2d_nchw_winograd2.x86")->why,
             std::string("not offered: its accuracy class is winograd2, the worst one allowed is exact"));
    for (const AccuracyClass accuracy : allAccuracyClasses())
        QCOMPARE(accuracyFromName(accuracyName(accuracy)), std::optional(accuracy));
    QVERIFY(!accuracyFromName("winograd"));
}

void StrategyChoiceTest::pins() {
    const StrategyTable table = usualStrategies();
    ChoiceSettings settings;
    settings.pin = "conv2d_nchw_winograd2.x86";
    const Chosen pinned = choose(table, "llvm", conv(), settings, {{"conv2d_nchw.x86", timed(0.1)}});
    QCOMPARE(pinned.chosen, std::string("conv2d_nchw_winograd2.x86"));
    QCOMPARE(pinned.because, std::string("it is pinned"));
    QCOMPARE(pinned.decision.find("conv2d_nchw.x86")->why, std::string("conv2d_nchw_winograd2.x86 is pinned"));
    QCOMPARE(
        choose(table, "llvm", conv({{"stride_w", 2}}), settings).chosen,
        std::string("conv 'conv1' cannot be pinned to conv2d_nchw_winograd2.x86: not offered: it needs stride_w == 1 "
                    "(stride_w = 2)"));
    settings.pin = "conv2d_nchw_winograd.x86";
    QVERIFY(choose(table, "llvm", conv(), settings).chosen.find("did you mean conv2d_nchw_winograd") !=
            std::string::npos);
    settings.pin = "dense_for_large_m";
    QCOMPARE(choose(table, "llvm", dense(Dim::symbol("s")), settings).chosen,
             std::string("dense 'fc' cannot be pinned to dense_for_large_m: whether s > 16 is known only at run time"));
}

void StrategyChoiceTest::refusals() {
    QCOMPARE(
        choose(usualStrategies(), "llvm", {"s", "shape", {}}).chosen,
        std::string("there is no implementation of shape for target 'llvm' (node 's'): nobody registered a strategy "
                    "for it"));
    Strategy strategy;
    strategy.when({"ci >= 16"}).add(named("wide", 10));
    StrategyTable table;
    table.put("conv", "", strategy);
    QCOMPARE(
        choose(table, "cuda", conv({{"ci", 3}})).chosen,
        std::string("there is no implementation of conv for target 'cuda' (node 'conv1'): none of one implementation "
                    "is valid: wide is not offered: it needs ci >= 16 (ci = 3)"));
}

void StrategyChoiceTest::decisionsAsTextAndJson() {
    const Chosen before = choose(threeConvolutions(), "llvm", conv({{"ci", 8}}));
    QCOMPARE(before.decision.text(), std::string(R"(conv conv1: b
  because its level 15 is the highest of 2 offered, none of them measured
  always
      a (level 10, exact, searched): its level 10 is below the 15 of b
    * b (level 15, exact, searched)
  ci >= 16 (false)
      ci >= 16: false (ci = 8)
      c (level 20, exact, searched): not offered: it needs ci >= 16 (ci = 8)
)"));
    const Chosen after = choose(threeConvolutions(), "llvm", conv({{"ci", 8}}), {}, {{"a", timed(2)}});
    const nlohmann::ordered_json json = after.decision.json();
    QCOMPARE(json["node"].get<std::string>(), std::string("conv1"));
    QCOMPARE(json["chosen"].get<std::string>(), std::string("a"));
    QCOMPARE(json["specialisations"][0]["implementations"][0]["evidence"]["seconds"].get<double>(), 0.002);
    QVERIFY(json["specialisations"][0]["implementations"][1]["evidence"].is_null());
    QCOMPARE(json["specialisations"][1]["clauses"][0]["value"].get<std::string>(), std::string("false"));
}

void StrategyChoiceTest::pinsInAFile() {
    const QTemporaryDir folder;
    const std::string path = pinsPath(folder.filePath("a.onnx").toStdString());
    QVERIFY(path.ends_with("a.onnx.pins.json"));
    QVERIFY(readPins(path).empty());
    const Pins pins = {{"conv 1", "direct"}, {"\"odd\"", "b"}};
    writePins(path, pins);
    QCOMPARE(readPins(path), pins);
    writePins(path, {});
    QVERIFY(!QFile::exists(QString::fromStdString(path)));
    for (const char *text : {"", "[]", "{\"pins\": {}}", "{\"format\": \"loopscope strategy pins\", \"pins\": 3}",
                             "{\"format\": \"loopscope strategy pins\", \"pins\": {\"a\": 1}}"}) {
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        QVERIFY_THROWS_EXCEPTION(Error, readPins(path));
    }
}
LOOPSCOPE_TEST(StrategyChoiceTest)
#include "choice_test.moc"
