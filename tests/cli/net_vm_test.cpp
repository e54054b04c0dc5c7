// `loopscope-cli net bytecode` and `net step` as a user calls them, and `net run` of a network with control flow.

#include "cli_process.h"
#include "test_program.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace loopscope;

class NetVmTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    QString m_net = sample("networks/power_iteration.net");

  private slots:
    void bytecode() {
        const CliRun text = runCli({"net", "bytecode", m_net});
        QVERIFY2(text.exitCode == 0 && text.out.startsWith("program \"power_iteration\"\n\nfunc \"main\"(t0 \"a\": "
                                                           "float32[n, n]) symbols (\"n\" = i0) "),
                 text.story());
        const CliRun known = runCli({"net", "bytecode", m_net, "--dim", "n=3"});
        QVERIFY2(known.out.contains("func \"main\"(t0 \"a\": float32[3, 3]) symbols () "), known.story());
        const QJsonObject json = runCli({"net", "bytecode", m_net, "--json"}).json().object();
        QCOMPARE(json["program"].toString(), QString("power_iteration"));
        const QJsonArray functions = json["functions"].toArray();
        QCOMPARE(functions.size(), 4);
        const QJsonObject main = functions[0].toObject();
        QCOMPARE(main["name"].toString(), QString("main"));
        QCOMPARE(main["symbols"].toObject()["n"].toString(), QString("i0"));
        const QJsonArray instructions = main["instructions"].toArray();
        QCOMPARE(text.out.count('\n') > instructions.size(), true);
        const QJsonObject first = instructions[0].toObject();
        QCOMPARE(first["instruction"].toString(), QString("kernel"));
        QCOMPARE(first["node"].toString(), QString("turned"));
        QCOMPARE(first["reads"].toArray(), QJsonArray{"t0"});
        QCOMPARE(first["text"].toString(), QString("kernel t1 = \"transpose\"(t0) @ 0 \"turned\""));
        QVERIFY(text.out.contains("0: " + first["text"].toString() + "\n"));
        int branches = 0;
        for (const QJsonValue one : instructions)
            branches += one["instruction"] == "branch" && one["goes_to"].toArray().size() == 2 ? 1 : 0;
        QCOMPARE(branches, 2); // of the loop and of the if
    }

    void aRunGoesThroughTheMachine() {
        const CliRun run = runCli({"net", "run", m_net, "--dim", "n=3"});
        QVERIFY2(run.exitCode == 0 && run.out.contains("direction: float32[3, 1], -0.528781 to 0.841787"), run.story());
        QVERIFY2(
            run.error.contains("loop 'v' of function `main` is control flow: the virtual machine runs the network, "
                               "its operators by the reference"),
            run.story());
        const CliRun open = runCli({"net", "run", m_net});
        QVERIFY2(open.exitCode == 1 && open.error.contains("the dim n has no number"), open.story());
        const QString fails =
            written(m_folder, "fails.net",
                    "network fails\nfunc main(x: float32[4]) {\n  effect {\n    u = unique(x)\n    v: "
                    "float32[2*m + 1] = match(u)\n  } yield v\n  return v\n}\n");
        const CliRun failed = runCli({"net", "run", fails, "--json"});
        QCOMPARE(failed.exitCode, 1);
        QVERIFY2(failed.json().object()["error"].toString().endsWith(
                     "match 'v': `u` is float32[4]: dim 0 has to be 2*m + 1 for a whole m of at least 0, it is 4"),
                 failed.story());
        const CliRun stepped = runCli({"net", "step", fails}, 120, "continue\n");
        QVERIFY2(stepped.exitCode == 1 && stepped.out.contains("failed: match 'v': `u` is float32[4]"),
                 stepped.story());
    }

    /// A plan calls the host; by the reference, and where sizes are not known, the machine does. The answers are the
    /// same.
    void operatorsOfTheHost() {
        const QString net = written(m_folder, "host.net",
                                    "network host\nfunc main(x: float32[4, 32], w: float32[10, 32]) {\n"
                                    "  y = dense(x, w)\n  p = softmax(y, axis = 1)\n  v, i = topk(p, k = 3)\n"
                                    "  c = cumsum(v, axis = 1)\n  z = relu(c)\n  return z, i\n}\n");
        const CliRun reference = runCli({"net", "run", net, "--kernels", "reference"});
        QVERIFY2(
            reference.exitCode == 0 &&
                reference.error.contains("topk 'v' of function `main` is computed on the host: the virtual machine "
                                         "runs the network, its operators by the reference"),
            reference.story());
        const CliRun compiled = runCli({"net", "run", net});
        QVERIFY2(compiled.exitCode == 0 && !compiled.error.contains("virtual machine"), compiled.story());
        QVERIFY2(compiled.out.contains("i: int64[4, 3], 0 to "), compiled.story());
        QCOMPARE(compiled.out, reference.out);
        const QString plan = m_folder.filePath("host.plan");
        const CliRun built = runCli({"net", "build", net, "--out", plan});
        QVERIFY2(built.exitCode == 0, built.story());
        const CliRun planned = runCli({"net", "run", plan});
        QVERIFY2(planned.exitCode == 0, planned.story());
        QCOMPARE(planned.out, reference.out);
        const CliRun profile = runCli({"net", "profile", plan, "--runs", "3"});
        QVERIFY2(profile.exitCode == 0 && profile.out.contains("topk: v"), profile.story());
        const CliRun verified = runCli({"net", "verify", net});
        QVERIFY2(verified.exitCode == 0, verified.story());
        const CliRun exported = runCli({"net", "export", net, "--out", m_folder.filePath("host_c")});
        QVERIFY2(exported.exitCode == 1 &&
                     exported.error.contains("topk is computed on the host by operators of this program, of which no C "
                                             "source is exported; export the network as onnx or net"),
                 exported.story());
        const CliRun suppressed =
            runCli({"net", "run",
                    written(m_folder, "boxes.net",
                            "network boxes\nfunc main(b: float32[1, 20, 4], s: float32[1, 2, 20]) {\n"
                            "  half = constant float32[] 0.5\n  most = constant int64[] 4\n"
                            "  effect {\n    y = non_max_suppression(b, s, most, half)\n  } yield y\n"
                            "  return y\n}\n")});
        QVERIFY2(
            suppressed.exitCode == 0 && suppressed.out.contains("y: int64[8, 3], 0 to ") &&
                suppressed.error.contains("non_max_suppression 'y' of function `main` is of a size that only a run "
                                          "knows: the virtual machine"),
            suppressed.story());
    }

    void stepping() {
        const QStringList step = {"net", "step", m_net, "--dim", "n=3"};
        const CliRun run = runCli(step, 120, "break shrinks\ncontinue\nprint t0\nnext\nnext\nquit\n");
        QVERIFY2(run.exitCode == 0, run.story());
        const QStringList lines = run.out.split('\n');
        QCOMPARE(lines[0], QString("main:0: kernel t1 = \"transpose\"(t0) @ 0 \"turned\""));
        QCOMPARE(lines[1], QString("stops before main:37: const t1 = \"zero\" @ 7 \"shrinks\""));
        QCOMPARE(lines[2], QString("main:37: const t1 = \"zero\" @ 7 \"shrinks\""));
        QCOMPARE(lines[3], QString("t0 = float32[1, 1] -2.15122"));
        QCOMPARE(lines[5], QString("main:39: free t1 @ 7 \"shrinks\""));
        const CliRun whole = runCli(step, 120, "c\n");
        QVERIFY2(whole.exitCode == 0 && whole.out.contains("finished after "), whole.story());
        const CliRun wrong = runCli(step, 120, "stpe\nquit\n");
        QVERIFY2(wrong.exitCode == 1 && wrong.error.contains("stpe: is no command (did you mean `step`?)"),
                 wrong.story());
        const CliRun open = runCli({"net", "step", m_net}, 120, "c\n");
        QVERIFY2(open.exitCode == 1 && open.error.contains("the dim n has no number"), open.story());
        const CliRun help = runCli(step, 120, "help\n");
        QVERIFY2(help.exitCode == 0 && help.out.contains("break FUNCTION:N"), help.story());
    }
};

LOOPSCOPE_TEST(NetVmTest)
#include "net_vm_test.moc"
