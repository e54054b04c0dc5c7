// Which passes are made, which facts hold, and what those who watch are told.

#include "bisect.h"
#include "expression_text.h"
#include "networks/passes/function_edit.h"
#include "networks/passes/pass_list.h"
#include "networks/passes/pipeline.h"
#include "test_program.h"

#include <QTest>

#include <fmt/format.h>

using namespace loopscope;
using namespace loopscope::test;

namespace {

using Log = std::vector<std::string>;

/// Changes nothing and says that it ran.
GraphPass noted(Log &log, const std::string &name, int level, Facts needs = {}, Facts establishes = {}) {
    return {{.name = name, .level = level, .needs = needs, .preserves = {}, .establishes = establishes},
            ModuleRun([&log, name](const Module &module, GraphPassContext &) -> Outcome<Module> {
                log.push_back(name);
                return module;
            })};
}

/// Puts an operator of another name for one: a mistake.
GraphPass mistaken(const std::string &name, const std::string &op, const std::string &by, Facts preserves = {}) {
    return {{.name = name, .level = 0, .preserves = preserves},
            BlockRun([op, by, name](FunctionEdit &edit, size_t block, GraphPassContext &) -> std::optional<Refusal> {
                for (NodeId at = edit.first(); at.value >= 0; at = edit.next(at))
                    if (edit.blockOf(at) == block && edit.node(at).op == op)
                        edit.replace(edit.output(at), edit.add(at, by, edit.inputs(at)), "a mistake");
                return std::nullopt;
            })};
}

GraphPass failing(const std::string &name, bool throws) {
    return {{.name = name, .level = 0}, ModuleRun([throws](const Module &, GraphPassContext &) -> Outcome<Module> {
                if (throws) throw Error("something broke");
                return Refusal{"this network is not liked"};
            })};
}

Module smallModule() { return moduleOf("x: float32[2, 3]", "a = relu(x) | b = neg(a) | exp(b)"); }

} // namespace

class PassSequenceTest : public QObject {
    Q_OBJECT

  private slots:
    void levelRequiredDisabled() {
        Log log;
        PassSequence inner("inner");
        inner.add(noted(log, "two", 2)).add(noted(log, "three", 3));
        PassSequence all("all");
        all.add(noted(log, "zero", 0)).add(std::move(inner)).add(noted(log, "four", 4));
        const auto ran = [&](GraphPassContext context) {
            log.clear();
            const PassResult result = runPasses(all, smallModule(), context);
            return result.ok() ? log : Log{result.refusal->sentence};
        };
        QCOMPARE(ran({}), (Log{"zero", "two"}));
        QCOMPARE(ran({.level = 3}), (Log{"zero", "two", "three"}));
        QCOMPARE(ran({.level = 0, .required = {"four"}}), (Log{"zero", "four"}));
        QCOMPARE(ran({.level = 4, .disabled = {"two"}}), (Log{"zero", "three", "four"}));
        QCOMPARE(ran({.level = 4, .required = {"two"}, .disabled = {"two"}}), (Log{"zero", "three", "four"}));
        QCOMPARE(ran({.level = 4, .disabled = {"inner"}}), (Log{"zero", "four"}));
        QCOMPARE(ran({.required = {"thre"}}),
                 (Log{"there is no pass 'thre' (did you mean `three`?) among those to be required"}));
        QCOMPARE(ran({.disabled = {"xyz"}}), (Log{"there is no pass 'xyz' among those to be disabled"}));
    }

    void skippedOnesSayWhy() {
        Log log;
        PassSequence all("all");
        all.add(noted(log, "one", 1)).add(noted(log, "three", 3));
        GraphPassContext context{.disabled = {"one"}};
        QVERIFY(runPasses(all, smallModule(), context).ok());
        QCOMPARE(context.report.text(),
                 std::string("one                     skipped: it is disabled\n"
                             "three                   skipped: it is of level 3, and the level is 2\n"));
    }

    void factsAreMadeTrueOnce() {
        Log log;
        PassSequence all("all");
        all.add(noted(log, "user", 1, {Fact::Types})).add(noted(log, "other", 1, {Fact::Types}));
        all.add(noted(log, "types", 0, {}, {Fact::Types}));
        GraphPassContext context;
        QVERIFY(runPasses(all, smallModule(), context).ok());
        QCOMPARE(log, (Log{"types", "user", "other", "types"}));

        // What breaks a fact has it made true again; what keeps it has not.
        for (const bool keeps : {false, true}) {
            log.clear();
            PassSequence changing("changing");
            changing.add(noted(log, "types", 0, {}, {Fact::Types}));
            changing.add(mistaken("swap", "relu", "abs", keeps ? Facts{Fact::Types} : Facts{}));
            changing.add(noted(log, "user", 1, {Fact::Types}));
            GraphPassContext again;
            QVERIFY(runPasses(changing, smallModule(), again).ok());
            QCOMPARE(log, keeps ? (Log{"types", "user"}) : (Log{"types", "types", "user"}));
        }
    }

    void whatNobodyMakesTrueIsSkipped() {
        Log log;
        PassSequence all("all");
        all.add(noted(log, "types", 0, {}, {Fact::Types})).add(noted(log, "user", 1, {Fact::Types}));
        all.add(noted(log, "formed", 1, {Fact::Canonical}));
        GraphPassContext context{.disabled = {"types"}};
        QVERIFY(runPasses(all, smallModule(), context).ok());
        QCOMPARE(log, Log{});
        QCOMPARE(context.report.rows.back().why,
                 std::string("it needs the fact 'canonical', which no pass of this sequence establishes"));
        QCOMPARE(context.report.rows[context.report.rows.size() - 2].why,
                 std::string("it needs the fact 'types', and 'types' was not made"));
    }

    void whoWatchesIsTold() {
        Log log;
        PassSequence inner("inner");
        inner.add(noted(log, "one", 0)).add(mistaken("swap", "relu", "abs")).add(noted(log, "later", 0));
        PassSequence all("all");
        all.add(std::move(inner));
        GraphPassContext context;
        context.watch = [&](const PassInfo &info, const Module &before, const Module &after) -> PassVerdict {
            log.push_back(
                fmt::format("{}: {} {}", info.name, expressionText(before.main()), expressionText(after.main())));
            return {info.name == "swap"};
        };
        const PassResult result = runPasses(all, smallModule(), context);
        QVERIFY(result.ok() && result.stopped);
        QCOMPARE(log,
                 (Log{"one", "one: exp(neg(relu(x))) exp(neg(relu(x)))", "swap: exp(neg(relu(x))) exp(neg(abs(x)))"}));
        QCOMPARE(expressionText(result.module.main()), std::string("exp(neg(abs(x)))"));
    }

    void passesThatFailLeaveTheModule() {
        for (const bool throws : {false, true}) {
            Log log;
            PassSequence all("all");
            all.add(mistaken("swap", "relu", "abs")).add(failing("bad", throws)).add(noted(log, "later", 0));
            GraphPassContext context;
            const PassResult result = runPasses(all, smallModule(), context);
            QCOMPARE(result.refusal->sentence,
                     std::string(throws ? "bad: something broke" : "bad: this network is not liked"));
            QCOMPARE(expressionText(result.module.main()), std::string("exp(neg(abs(x)))"));
            QVERIFY(std::find(log.begin(), log.end(), "later") == log.end());
        }
    }

    void bisectNamesThePass() {
        const Module module = smallModule();
        Bisect bisect(module, seededInputs(module.main()));
        Log log;
        PassSequence all("all");
        all.add(noted(log, "harmless", 0)).add(mistaken("right", "exp", "exp")).add(mistaken("wrong", "neg", "abs"));
        all.add(noted(log, "later", 0));
        GraphPassContext context{.watch = bisect.watch()};
        const PassResult result = runPasses(all, module, context);
        QVERIFY(bisect.finding());
        QCOMPARE(bisect.finding()->pass, std::string("wrong"));
        QCOMPARE(bisect.finding()->value, std::string("b")); // and not the result behind it
        QVERIFY(result.refusal->sentence.starts_with("after wrong: 'b' differs by"));
        QCOMPARE(bisect.runs(), size_t(2));
        QCOMPARE(log, (Log{"harmless"}));
    }

    void bisectFindsWhatBreaksTheNetwork() {
        const Module module = smallModule();
        Bisect bisect(module, seededInputs(module.main()));
        PassSequence all("all");
        all.add({{.name = "cut", .level = 0},
                 FunctionRun([](const FunctionPtr &, GraphPassContext &) -> Outcome<FunctionPtr> {
                     return parseExpression("x: float32[2, 3]", "c = abs(x) | c");
                 })});
        GraphPassContext context{.watch = bisect.watch()};
        QVERIFY(!runPasses(all, module, context).ok());
        QCOMPARE(bisect.finding()->sentence, std::string("the result 'exp1' is not there any more"));
    }

    void whatIsNotWellFormedEndsTheRun() {
        const Module module = smallModule();
        PassSequence all("all");
        all.add({{.name = "breaks", .level = 0},
                 FunctionRun([](const FunctionPtr &, GraphPassContext &) -> Outcome<FunctionPtr> {
                     FunctionParts parts;
                     parts.name = "main";
                     return GraphFunction::fromParts(std::move(parts));
                 })});
        Bisect bisect(module, seededInputs(module.main()));
        GraphPassContext context{.watch = bisect.watch()};
        const PassResult result = runPasses(all, module, context);
        QVERIFY(result.refusal && result.stopped);
        QCOMPARE(result.refusal->sentence, std::string("after breaks: function `main`: it has no result"));
    }

    void thePipelineKnowsItsNames() {
        GraphPassContext wrong{.disabled = {"simplifyAlgebra.geluOfEr"}};
        QVERIFY(!optimise(smallModule(), wrong).ok());
        const Module gelu = moduleOf("x: float32[2]", "mul(mul(x, add(erf(div(x, 1.4142135)), 1.0)), 0.5)");
        GraphPassContext all;
        QCOMPARE(expressionText(optimise(gelu, all).module.main()), std::string("gelu(x)"));
        GraphPassContext without{.disabled = {"simplifyAlgebra.geluOfErf"}};
        QVERIFY(expressionText(optimise(gelu, without).module.main()).find("erf") != std::string::npos);
    }
};

LOOPSCOPE_TEST(PassSequenceTest)
#include "pass_sequence_test.moc"
