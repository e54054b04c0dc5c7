// What is wrong with a `.net` text is refused with its place and a sentence, one row each; no mutation of a good text
// does worse than that.

#include "base/input_file.h"
#include "base/outcome.h"
#include "base/random.h"
#include "harness/same_structure.h"
#include "networks/graph/net_text.h"
#include "networks/graph/verify.h"
#include "test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

using namespace loopscope;

namespace {

/// "line:column: sentence" of the refusal.
QString refusalOf(const std::string &text, const std::string &path = "a.net", const NetParameters &parameters = {}) {
    try {
        parseNet(text, path, parameters);
    } catch (const Error &error) {
        return QString("%1:%2: %3").arg(error.line()).arg(error.column()).arg(QString::fromStdString(error.sentence()));
    }
    return "accepted";
}

/// Statements of a function, from line 3 on.
std::string inFunction(const std::string &body) {
    return "network a(count = 3)\nfunc main(x: float32[2, n], y: int64[]) {\n" + body + "\nreturn x\n}";
}

std::string withMacro(const std::string &macro, const std::string &body) {
    return "network a\nmacro " + macro + "\nfunc main(x: float32[2, n]) {\n" + body + "\nreturn x\n}";
}

const char *const kAll = R"(network all(count = 2)
let twice = 2*count
macro step(x, channels, gain = 0.5) {
  w = constant float32[channels] random he(fan_in = 9, scale = gain)
  y = mul(x, w, alpha = [1.0, -inf], mode = "up", axes = [1, -2], e = ints []) @ "step{channels}" from ["a", "b"]
  return y
}
func main(x: float32[n, 4, floordiv(n, 2)], "y/0": int8[]) {
  dataflow {
    c = constant int64[3] [1, -2, 3]
    d = constant float16[2, 2] bytes "AAAAAAAAPAA="
    a: float32[n, 4, 2*n + 1], b = split(x, c, _, value = tensor float64[] bits(0x7ff0000000000001))
  } yield a, b
  var h = a
  repeat i < twice {
    h = step(h, i + 1) @ "layer{i}"
  }
  e = constant bool[2] [true, false]
  z = op(h, [1, 2], 0.5, "y/0")
  return z, e, b
}
)";

const char *const kControl = R"(network control
func main(x: float32[n], c: bool[], t: int64[]) {
  a = relu(x)
  effect {
    u: float32[k] = unique(a)
    v: float32[2*m + 1] = match(u)
    w = if(c, v, then = "one", else = "two") @ "choice" from ["If_0"]
    y, p = loop(t, _, w, x, body = "body", carried = 1)
  } yield y, p
  dataflow {
    z = relu(y)
  } yield z
  effect {
    s = call(z, function = "one")
  } yield s
  return s, p
}
func one(x: float32[k]) {
  return x
}
func two(x: float32[j]) {
  y = concat(x, x, axis = 0)
  return y
}
func body(i: int64[], go: bool[], h: float32[a], x: float32[b]) {
  yes = constant bool[] true
  y = relu(h)
  return yes, y, x
}
)";

/// The text with a few changes, each of which a hand or a disk could make.
std::string mutated(std::string text, Random &random) {
    static const std::vector<std::string> pieces = {"(",
                                                    ")",
                                                    "[",
                                                    "]",
                                                    "{",
                                                    "}",
                                                    ",",
                                                    "=",
                                                    "@",
                                                    "\"",
                                                    "_",
                                                    "-",
                                                    "*",
                                                    "//",
                                                    ":",
                                                    "\n",
                                                    "repeat i < 9 {",
                                                    "return ",
                                                    "x",
                                                    "constant float32[2] ",
                                                    "random normal()",
                                                    "bits(0x1)",
                                                    "1e999",
                                                    "9223372036854775807",
                                                    "macro ",
                                                    "step(",
                                                    "dataflow {",
                                                    "yield ",
                                                    "\xC3",
                                                    "\\",
                                                    "var h = ",
                                                    "floordiv(",
                                                    "n",
                                                    "file(\"a\", 8)",
                                                    "bytes \"AA==\"",
                                                    "nan",
                                                    "0x",
                                                    "let ",
                                                    "4000000000"};
    for (size_t change = 1 + random.index(4); change > 0; --change) {
        const size_t at = random.index(text.size() + 1);
        const size_t end = std::min(text.size(), at + 1 + random.index(12));
        switch (random.index(6)) {
        case 0:
            text.erase(at, end - at);
            break;
        case 1:
            text.insert(at, pieces[random.index(pieces.size())]);
            break;
        case 2:
            text.insert(random.index(text.size() + 1), text.substr(at, end - at));
            break;
        case 3:
            if (at < text.size()) text[at] = static_cast<char>(random.next());
            break;
        case 4:
            if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random.index(8)));
            break;
        default:
            text.replace(at, end - at, pieces[random.index(pieces.size())]);
            break;
        }
        if (random.index(50) == 0) text.resize(random.index(text.size() + 1));
    }
    return text;
}

} // namespace

class NetFailuresTest : public QObject {
    Q_OBJECT

  private slots:
    void refusedWithSentence_data();
    void refusedWithSentence() {
        QFETCH(QString, text);
        QFETCH(QString, refusal);
        QCOMPARE(refusalOf(text.toStdString()), refusal);
    }

    void caretStandsUnderThePlace() {
        try {
            parseNet(inFunction("  a = relu(xx)"), "a.net");
            QFAIL("accepted");
        } catch (const Error &error) {
            QCOMPARE(QString(error.what()), QString("a.net:3:12: no value is called `xx` (did you mean `x`?)"));
            QCOMPARE(QString::fromStdString(error.excerpt()), QString("  a = relu(xx)\n           ^^"));
        }
    }

    void numbersForSymbols() {
        const ParsedNet parsed = parseNet(
            "network a func main(x: float32[n, floordiv(n + 3, 2), m]) { y = relu(x) return y }", "a.net", {{"n", 5}});
        const GraphFunction &function = parsed.module.main();
        QCOMPARE(typeText(function.type(function.parameters()[0])), std::string("float32[5, 4, m]"));
    }

    void unknownParameters() {
        QCOMPARE(
            refusalOf(kAll, "a.net", {{"counts", 3}}),
            QString(
                "0:0: the network has no parameter `counts`, and no dim has such a symbol (did you mean `count`?)"));
        QCOMPARE(refusalOf(kAll, "a.net", {{"count", 0}}), QString("accepted"));
    }

    void filesOfConstants() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("inside/a.net").toStdString();
        QVERIFY(QDir(folder.path()).mkdir("inside"));
        std::ofstream(folder.filePath("inside/w").toStdString()) << "12345678";
        std::ofstream(folder.filePath("outside").toStdString()) << "12345678";
        QVERIFY(QFile::link(folder.filePath("outside"), folder.filePath("inside/link")));
        const auto of = [&](const std::string &file) {
            return refusalOf(inFunction("c = constant float32[2] file(" + file + ")"), path);
        };
        QCOMPARE(of("\"w\", 0"), QString("accepted"));
        QCOMPARE(of("\"w\""), QString("accepted"));
        const QString below = "3:30: files of constants stand in the folder of the network, or below it";
        QCOMPARE(of("\"../outside\", 0"), below);
        QCOMPARE(of("\"/etc/passwd\", 0"), below);
        QCOMPARE(of("\"link\", 0"), below);
        QCOMPARE(of("\"\", 0"), below);
        QCOMPARE(of("\"w\\x00\", 0"), below);
        QVERIFY(of("\"none\", 0").endsWith("inside/none: cannot be opened: No such file or directory"));
        QVERIFY(of("\".\", 0").endsWith("is not a file"));
        QCOMPARE(of("\"w\", 4"), QString("3:30: the file has 8 bytes; 8 from byte 4 on are not among them"));
        QCOMPARE(of("\"w\", -4"), QString("3:30: the file has 8 bytes; 8 from byte -4 on are not among them"));
        QCOMPARE(refusalOf(inFunction("c = constant float32[1] file(\"w\", 1)"), path),
                 QString("3:33: elements of 4 bytes begin at a multiple of them, not at byte 1"));
    }

    void mutationsAreParsedOrRefused() {
        QCOMPARE(refusalOf(kAll), QString("accepted"));
        const std::string layer =
            readInputFile(std::string(LOOPSCOPE_SOURCE_DIR) + "/samples/networks/decoder_layer.net", "it", 1 << 20);
        const std::string flat = netText(parseNet(kAll, "a.net").module);
        int accepted = 0;
        for (uint64_t i = 0; i < 10000; ++i) {
            Random random(5, i);
            const std::string text = mutated(i % 8 == 0 ? layer : i % 2 == 0 ? flat : kAll, random);
            try {
                const Module module = parseNet(text, "a.net").module;
                ++accepted;
                const auto problems = graphProblems(module);
                QVERIFY2(problems.empty(), (problems.empty() ? "" : problems[0] + "\n" + text).c_str());
                const std::string printed = netText(module);
                QVERIFY2(sameStructure(parseNet(printed, "a.net").module, module), text.c_str());
            } catch (const Error &error) {
                QVERIFY2(error.line() > 0 && !error.sentence().empty(), text.c_str());
            } catch (const std::exception &error) {
                QFAIL((std::string(error.what()) + "\n" + text).c_str());
            }
        }
        QVERIFY(accepted > 100);
    }

    void mutatedControlFlowIsParsedOrRefused() {
        const Module good = parseNet(kControl, "a.net").module;
        QVERIFY(graphProblems(good).empty());
        QCOMPARE(netText(parseNet(netText(good), "a.net").module), netText(good));
        int wellFormed = 0;
        int broken = 0;
        for (uint64_t i = 0; i < 10000; ++i) {
            Random random(11, i);
            const std::string text = mutated(kControl, random);
            try {
                const Module module = parseNet(text, "a.net").module;
                graphProblems(module).empty() ? ++wellFormed : ++broken;
                const std::string printed = netText(module);
                QVERIFY2(sameStructure(parseNet(printed, "a.net").module, module), text.c_str());
            } catch (const Error &error) {
                QVERIFY2(error.line() > 0 && !error.sentence().empty(), text.c_str());
            } catch (const std::exception &error) {
                QFAIL((std::string(error.what()) + "\n" + text).c_str());
            }
        }
        QVERIFY2(wellFormed > 50 && broken > 50, qPrintable(QString("%1 %2").arg(wellFormed).arg(broken)));
    }

    void expansionsEnd() {
        QCOMPARE(refusalOf(inFunction("repeat i < 9223372036854775807 { }")),
                 QString("3:1: macros and repetitions come to more than 8 MiB of text"));
        QCOMPARE(refusalOf(inFunction("repeat i < 100000 { repeat j < 100000 { a = f(x) } }")),
                 QString("3:1: macros and repetitions come to more than 8 MiB of text"));
        std::string doubling = "network a\nmacro m0(x) { y = f(x) return y }\n";
        for (int i = 1; i < 40; ++i)
            doubling += "macro m" + std::to_string(i) + "(x) { a = m" + std::to_string(i - 1) + "(x) b = m" +
                        std::to_string(i - 1) + "(a) return b }\n";
        QCOMPARE(refusalOf(doubling + "func main(x: float32[]) { y = m39(x) return y }"),
                 QString("42:31: macros and repetitions come to more than 8 MiB of text"));
        std::string deep;
        for (int i = 0; i < 100; ++i) deep += "repeat i < 1 { ";
        QVERIFY(refusalOf(inFunction(deep + std::string(100, '}')))
                    .contains("macros and repetitions stand in one another more than 48 deep"));
        QVERIFY(refusalOf(inFunction("a = f(x, n = " + std::string(100000, '(') + "1"))
                    .contains("parentheses are nested more than 64 deep"));
        std::string product = "n";
        for (char c = 'a'; c < 'm'; ++c) product += std::string("*(1 + ") + c + ")";
        QVERIFY(refusalOf("network a func main(x: float32[" + product + "]) { return x }")
                    .contains("this product has too many terms"));
        QVERIFY(refusalOf(inFunction(std::string(2000, 'a') + " = f(x)"))
                    .contains("this name has more than 1000 characters; longer ones stand in quotes"));
    }
};

void NetFailuresTest::refusedWithSentence_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("refusal");
    const auto file = [](const std::string &text, const char *refusal) {
        QTest::newRow(refusal) << QString::fromStdString(text) << QString(refusal);
    };
    const auto body = [&](const std::string &text, const char *refusal) { file(inFunction(text), refusal); };

    file("", "1:1: expected `network` and its name, found the end of the file");
    file("func main() {}", "1:1: expected `network` and its name, found `func`");
    file("network", "1:8: expected the name of the network, found the end of the file");
    file("network func", "1:9: `func` is a word of the language; as the name of the network it stands in quotes");
    file("network a(count)", "1:16: expected `=` and its value behind a parameter, found `)`");
    file("network a(count = 1, count = 2)", "1:22: `count` is a parameter already");
    file("network a", "1:10: the network has no function `main`");
    file("network a relu", "1:11: expected `func`, `macro` or `let`, found `relu`");
    file("network a let k = 1 let k = 2", "1:25: `k` is defined already");
    file("network a func main(x: float32[]) { return x } func main(x: float32[]) { return x }",
         "1:53: function `main` is defined already");
    file("network a func main(x: float32[], x: float32[]) { return x }", "1:35: `x` is a parameter already");
    file("network a func main(x) { return x }", "1:22: expected `:` and its type behind a parameter, found `)`");
    file("network a func main(x: float33[]) { return x }",
         "1:24: no type is called `float33` (did you mean `float32`?)");
    file("network a func main(x: float32) { return x }",
         "1:31: expected `[` behind the element type, with the dims, found `)`");
    file("network a func main(x: float32[1 2]) { return x }", "1:34: expected `,` or `]` behind a dim, found `2`");
    file("network a func main(x: float32[-1]) { return x }", "1:32: a dim is at least 0, not -1");
    file("network a func main(x: float32[2.5]) { return x }", "1:32: expected a dim, found `2.5`");
    file("network a func main(x: float32[n // 0]) { return x }", "1:34: the divisor is 0; it has to be at least 1");
    file("network a func main(x: float32[4611686018427387904*4]) { return x }",
         "1:51: 4611686018427387904 * 4 does not fit 64 bits");
    file("network a func main(x: float32[9223372036854775808]) { return x }",
         "1:32: this integer does not fit 64 bits: 9223372036854775807 is the largest");
    file("network a func main(x: float32[]) { a = f(x) }", "1:16: function `main` returns nothing");
    file("network a func main(x: float32[]) { a = f(x)",
         "1:45: expected a statement or `}`, found the end of the file");
    file("network a func main(x: float32[]) { return x a = f(x) }",
         "1:46: expected `}` behind what a function returns, found `a`");
    file("network a func main(x: float32[]) { return z }", "1:44: no value is called `z`");
    file("network a func other(x: float32[]) { return x }", "1:48: the network has no function `main`");
    body("a = f(x) a = f(x)", "3:10: `a` has a value already, from line 3; `var` there would let it get another");
    body("dataflow { a = f(x) } yield a b = f(a) dataflow { b = f(x) }",
         "3:51: another value of the function is called `b` already");
    body("dataflow { a = f(x) } dataflow { a = f(x) }", "3:34: another value of the function is called `a` already");
    body("dataflow { a = f(x) } b = f(a)",
         "3:29: `a` is known in its block only; `yield a` behind that lets others read it");
    body("dataflow { a = f(x) } yield x", "3:29: `x` is not made in the block of line 3");
    body("repeat i < 1 { dataflow { } }", "3:16: blocks stand directly in functions (expanded from line 3)");
    body("repeat i < 1 { return x }", "3:16: `return` ends functions and macros, nothing else (expanded from line 3)");
    body("repeat i { }", "3:10: expected `<` behind the name, found `{`");
    body("repeat i < 2 { a = f(x)", "4:1: `return` ends functions and macros, nothing else (expanded from line 3)");
    body("repeat i < 0 { a = f(x)", "5:2: expected a statement or `}`, found the end of the file");
    body("a, a = f(x)", "3:4: `a` stands twice on the left");
    body("a, b = x", "3:1: names on the left: 2, values on the right: 1");
    body("a, b = constant float32[] 1.0", "3:8: a constant has one name");
    body("a: float32[] = constant float32[] 1.0", "3:1: a constant's type stands behind `constant`");
    body("a: float32[] = x", "3:1: another name for a value has no type of its own");
    body("a = f(count)",
         "3:7: an input is a value, a number with a point, or a list; others are constants with a type");
    body("a = f(3)", "3:7: an input is a value, a number with a point, or a list; others are constants with a type");
    body("a = f(\"hello\")", "3:7: no value is called `hello`");
    body("a = f(x, n = 1, n = 2)", "3:17: attribute `n` is given twice");
    body("a = f(n = 1, x)", "3:14: inputs stand before attributes");
    body("a = f(x", "4:1: expected `,` or `)` behind an argument, found `return`");
    body("a = f x", "3:5: no value is called `f`");
    body("a f(x)", "3:3: expected `=` behind the name of a value, found `f`");
    body("return = f(x)", "3:8: expected a value, found `=`");
    body("a = return(x)", "3:5: `return` is a word of the language; as an operator it stands in quotes");
    body("a = f(x, n = [])", "3:14: an empty list says what it is a list of: ints [], numbers [] or texts []");
    body("a = f(x, n = [1, \"a\"])", "3:18: a list holds texts or numbers, not both");
    body("a = f(x, n = [1 2])", "3:17: expected `,` or `]` behind an element, found `2`");
    body("a = f(x, n = ints [1])", "3:20: expected `]` of an empty list, found `1`");
    body("a = f(x, n = z)", "3:14: no integer is called `z`");
    body("a = f(x, n = x)", "3:14: `x` is not an integer");
    body("a = f(x, n = 1e999)", "3:14: this number does not fit a float64");
    body("a = f(x, n = 1abc)", "3:14: this is neither a number nor a name; a name begins with a letter");
    body("a = f(x, n = bits(1))", "3:19: expected hexadecimal digits behind 0x, found `1`");
    body("a = f(x, n = 0xfffffffffffffffff)", "3:14: behind 0x stand one to sixteen hexadecimal digits");
    body("a = f(x, n = \"no end)", "3:14: this text has no closing quote on its line");
    body("a = f(x, n = \"\\q\")", "3:15: inside quotes a backslash goes before \", \\, {, n, t, or x and two digits");
    body("a = f(x, n = \"a\tb\")", "3:16: a text holds no control characters; write \\n, \\t or \\x01");
    body("a = f(x) $", "3:10: the character `$` means nothing outside a comment or a text");
    body("a = f(x) @ name", "3:12: expected a name in quotes, found `name`");
    body("a = f(x) @ \"b{i}\"",
         "3:12: between braces stands the name of an integer, not `i`; a brace itself is written \\{");
    body("a = f(x) @ \"b{i\"",
         "3:12: between braces stands the name of an integer, not ``; a brace itself is written \\{");
    body("a = f(x) from [b]", "3:16: expected the name of an imported node in quotes, found `b`");
    body("a = f(x) from \"b\"", "3:15: expected `[` behind from, found `\"b\"`");
    body("\"\" = f(x)", "3:1: the name of a value has no characters");
    body("a = constant float32[n] 1.0", "3:14: a constant's dims are numbers, not symbols");
    body("a = constant float32[1152921504606846976] 1.0", "3:14: a constant of so many elements fits no memory");
    body("a = constant float32[2] [1.0]", "3:29: the list has fewer than the 2 elements of [2]");
    body("a = constant float32[2] []", "3:26: the list has fewer than the 2 elements of [2]");
    body("a = constant float32[2] [1.0, 2.0, 3.0]", "3:36: the list has more than the 2 elements of [2]");
    body("a = constant float32[1000000000] [1.0, 2.0]",
         "3:35: the list has fewer than the 1000000000 elements of [1000000000]");
    body("a = constant float32[2] [1.0 2.0]", "3:30: expected `,` or `]` behind an element, found `2.0`");
    body("a = constant float32[] 1e39", "3:24: this number does not fit float32");
    body("a = constant float16[] bits(0x12345)", "3:29: these are more than 16 bits");
    body("a = constant int8[] 200", "3:21: 200 does not fit int8");
    body("a = constant uint8[] -1", "3:22: -1 does not fit uint8");
    body("a = constant int8[] 1.5", "3:21: expected an integer, found `1.5`");
    body("a = constant bool[] 2", "3:21: 2 does not fit bool");
    body("a = constant float32[] true", "3:24: no integer is called `true`");
    body("a = constant float32[2] bytes \"AAAA\"", "3:31: these are 3 bytes where float32[2] needs 8");
    body("a = constant float32[2] bytes \"A*==\"", "3:31: this is not base64");
    body("a = constant float32[2] bytes 3", "3:31: expected a text in base64, found `3`");
    body("a = constant float32[2] file(3)", "3:30: expected the name of a file in quotes, found `3`");
    body("a = constant float32[2] random gauss()",
         "3:32: random numbers are uniform, normal, he or integers, not `gauss`");
    body("a = constant float32[2] random unifrm()",
         "3:32: random numbers are uniform, normal, he or integers, not `unifrm` (did you mean `uniform`?)");
    body("a = constant float32[2] random normal(devation = 1.0)",
         "3:39: `normal` numbers have no `devation` (did you mean `deviation`?)");
    body("a = constant float32[2] random normal(deviation = inf)", "3:39: random numbers are finite");
    body("a = constant float32[2] random integers(least = 3, most = 2)", "3:32: from 3 to 2 there is no integer");
    body("a = constant float32[2] random he()", "3:32: he needs a fan_in of at least 1");
    body("a = constant float32[2] random normal", "4:1: expected `(` behind the kind, found `return`");
    body("let k = y", "3:9: `y` is not an integer");
    body("let k = zz", "3:9: no integer is called `zz`");
    body("let k = 2.5", "3:9: expected an integer, found `2.5`");
    body("let k = (1 + 2", "4:1: expected `)` for the one that was opened, found `return`");
    body("let count = 1 let count = 2", "3:19: `count` is defined already");
    body("let k = 9223372036854775807 + 1", "3:29: 9223372036854775807 + 1 does not fit 64 bits");
    file(withMacro("m(a, a) { return a }", ""), "2:12: `a` is a parameter already");
    file(withMacro("m(a", ""), "3:1: expected `,` or `)` behind a parameter, found `func`");
    file(withMacro("m(a) {", ""), "2:12: this `{` is never closed");
    file(withMacro("m(a = (1", ""), "6:2: expected `)` behind the parameters, found the end of the file");
    file(withMacro("m(a) { b = f(a) }", "c = m(x)"), "4:5: macro `m` returns nothing");
    file(withMacro("m(a) { return a }", "c = m()"), "4:5: macro `m` needs a `a`");
    file(withMacro("m(a) { return a }", "c = m(x, x)"), "4:10: macro `m` has fewer parameters (1)");
    file(withMacro("m(a) { return a }", "c = m(x, a = x)"), "4:10: parameter `a` is given twice");
    file(withMacro("m(a, bb = 1) { return a }", "c = m(x, b = x)"),
         "4:10: macro `m` has no parameter `b` (did you mean `bb`?)");
    file(withMacro("m(a, b = 1) { return a }", "c = m(b = 1, x)"),
         "4:14: arguments without a name stand before those with one");
    file(withMacro("m(a) { return a }", "c, d = m(x)"), "4:1: names on the left: 2, values on the right: 1");
    file(withMacro("m(a) { return a }", "c: float32[] = m(x)"), "4:1: what a macro returns has its type already");
    file(withMacro("m(a) { return a }", "c = m(_)"),
         "2:21: `a` was left out, and a value is needed here (expanded from line 4)");
    file(withMacro("m(a) { b = f(x) return b }", "c = m(x)"), "2:20: no value is called `x` (expanded from line 4)");
    file(withMacro("m(a) { return a } macro m(a) { return a }", ""), "2:31: macro `m` is defined already");
    file(withMacro("m(a) { b = m2(a) return b } macro m2(a) { c = m(a) return c }", "d = m(x)"),
         "2:53: macros and repetitions stand in one another more than 48 deep");
}

LOOPSCOPE_TEST(NetFailuresTest)
#include "net_failures_test.moc"
