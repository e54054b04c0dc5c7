// Kernels for sizes that only the run knows: what numbers become of the size, schedules generalised and compared at
// every size, and the table that says which runs when.

#include "base/random.h"
#include "deploy/dispatch/check_table.h"
#include "deploy/dispatch/choose_variants.h"
#include "deploy/dispatch/dispatch_table_json.h"
#include "deploy/dispatch/size_form.h"
#include "deploy/dispatch/size_guard.h"
#include "dispatch_case.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QtTest>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace loopscope;

namespace {

bool holdsEverywhere(const GeneralKernel &kernel) {
    return std::all_of(kernel.holds.begin(), kernel.holds.end(), [](bool one) { return one; });
}

QString joined(const std::vector<std::string> &lines) {
    QString text;
    for (const std::string &line : lines) text += QString::fromStdString(line) + "\n";
    return text;
}

void compareEverywhere(const char *text, const std::vector<int64_t> &points, const std::vector<int64_t> &sizes) {
    const Case made = caseOf(text, 600);
    ThreadPool pool(1);
    auto compiler = makeCodeGenerator(made.families.front().family.target);
    const std::unique_ptr<CodeGenerator> generator = std::move(compiler).value();
    for (const NetworkFamily &one : made.families) {
        const KernelFamily &family = one.family;
        const auto variants = kernelVariants(family, defaultsAt(family, points), {.population = 64}, pool);
        QVERIFY2(variants.ok(), variants ? "" : variants.why().c_str());
        QVERIFY(variants->variants.size() >= 2);
        for (const int64_t size : sizes) {
            bool some = false;
            for (const KernelVariant &variant : variants->variants) {
                if (!variant.kernel.holdsAt(size)) continue;
                some = true;
                const bool general = variant.kernel.takesSize();
                const auto got = answerAt(family, variant.code, general, size);
                QVERIFY(got.ok());
                const std::string where = family.name + ", " + variant.origin + ", at " + std::to_string(size);
                const auto wrong = wrongAt(family, *got, size);
                QVERIFY2(wrong.ok() && wrong->empty(), (where + ": " + *wrong).c_str());
                // The same schedule as a kernel of that size alone: the same sums, and so the same bits.
                if (size % 7 != 0 && size > 4) continue; // building takes longest
                const auto alone = generator->compile(*loweredAt(family, variant.kernel.steps, size), {});
                QVERIFY(alone.ok());
                const auto fixed = answerAt(family, alone->kernel, false, size);
                // Vectors of another width round exponentials otherwise, and the last vector of a row is another one.
                if (family.name.find("softmax") == std::string::npos) QVERIFY2(*fixed == *got, where.c_str());
            }
            QVERIFY2(some, (family.name + " at " + std::to_string(size)).c_str());
        }
    }
}

std::vector<int64_t> denseSizes() {
    std::vector<int64_t> sizes;
    for (int64_t size = 1; size <= 130; ++size) sizes.push_back(size);
    Random random(5, 0);
    for (int i = 0; i < 12; ++i) sizes.push_back(131 + static_cast<int64_t>(random.below(470)));
    return sizes;
}

} // namespace

class DispatchTest : public QObject {
    Q_OBJECT
  private slots:
    void numbersBecomeFormsOfTheSize() {
        const std::vector<int64_t> sizes = {384, 397, 411, 447, 461, 490, 512};
        const auto formOf = [&](auto function) {
            std::vector<int64_t> values;
            for (const int64_t n : sizes) values.push_back(function(n));
            const auto form = formThrough(sizes, values);
            if (!form) return QString("none");
            for (int64_t n = 1; n < 600; ++n)
                if (form->at(n) != function(n))
                    return QString::fromStdString("wrong at " + std::to_string(n) + ": " + form->text("n"));
            return QString::fromStdString(form->text("n"));
        };
        QCOMPARE(formOf([](int64_t) { return int64_t{7}; }), "7");
        QCOMPARE(formOf([](int64_t n) { return 768 * n; }), "768*n");
        QCOMPARE(formOf([](int64_t n) { return n * n + 3; }), "n*n + 3");
        QCOMPARE(formOf([](int64_t n) { return (n + 7) / 8; }), "ceil(n / 8)");
        QCOMPARE(formOf([](int64_t n) { return 12 * (n / 16); }), "12*floor(n / 16)");
        QCOMPARE(formOf([](int64_t n) { return n % 32 - 1; }), "(n mod 32) - 1");
        QCOMPARE(formOf([](int64_t n) { return n * ((n + 3) / 4); }), "ceil(n / 4)*n");
        QCOMPARE(formOf([](int64_t n) { return (n * n * 12 + 63) / 64; }), "ceil(3*n*n / 16)");
        QCOMPARE(formOf([](int64_t n) { return 12 * ((n + 22) / 23) * ((n + 11) / 12); }),
                 "12*ceil(n / 12)*ceil(n / 23)");
        QCOMPARE(formOf([](int64_t n) { return ((n + 4) / 5) * (n / 5); }), "ceil(n / 5)*floor(n / 5)");
        QCOMPARE(formOf([](int64_t n) { return n ^ 85; }), "none");
    }

    void guards() {
        std::vector<bool> allowed;
        for (int64_t n = 1; n <= 64; ++n) allowed.push_back(n >= 17 && n % 8 != 3);
        const std::vector<bool> all(64, true);
        const SizeGuard guard = guardFor(17, 64, allowed, all);
        QCOMPARE(guard.text("n"), "17 <= n <= 64 and n mod 8 is 0..2, 4..7");
        QVERIFY(guard.holds(24) && !guard.holds(19) && !guard.holds(16) && !guard.holds(65));
        QVERIFY(guardFor(1, 16, allowed, all).rests.empty());
        QCOMPARE(guardFor(12, 17, allowed, all).text("n"), "n = 17");
        QCOMPARE((SizeGuard{64, 64, 1, {0}}).text("n"), "n = 64");
        QVERIFY((SizeGuard{1, 9, 2, {0}}).disjointWith({1, 9, 2, {1}}));
        QVERIFY(!(SizeGuard{1, 9, 2, {0}}).disjointWith({4, 9, 1, {0}}));
    }

    void aScheduleOfOneSizeIsAProgramForAll() {
        const Case made = caseOf(kMlp, 256);
        const KernelFamily &family = made.families.front().family;
        QCOMPARE(family.symbol, "n");
        const Steps steps = stepsFromJson(nlohmann::json::parse(R"([["SP", 2, 0, 32, [4], 1]])"));
        const auto general = generalise(family, steps);
        QVERIFY2(general.ok(), general ? "" : general.why().c_str());
        QCOMPARE(general->front().multiple, 1);
        const std::string text = general->front().program->text();
        QVERIFY2(text.find("floor(n / 4)") != std::string::npos || text.find("ceil(n / 4)") != std::string::npos,
                 text.c_str());
    }

    void everyVariantIsRightAtEverySize() { compareEverywhere(kMlp, {1, 6, 16, 64}, denseSizes()); }
    void whereTheSizeIsInStridesAndSums() { compareEverywhere(kAttention, {4, 32}, denseSizes()); }

    void sizesThatNoScheduleHoldsForAreNotLeftOut() {
        const Case made = caseOf(kMlp, 40);
        const KernelFamily &family = made.families.front().family;
        ThreadPool pool(1);
        // Of a tile of 16 rows and nothing else, some sizes are left.
        const Steps steps = stepsFromJson(nlohmann::json::parse(R"([["SP", 2, 0, 32, [16], 1]])"));
        const auto general = generalise(family, steps);
        QVERIFY(general.ok() && !holdsEverywhere(general->front()));
        const auto variants = kernelVariants(family, {{32, steps, "by hand"}}, {.population = 64}, pool);
        QVERIFY(variants.ok());
        for (int64_t size = 1; size <= 40; ++size)
            QVERIFY(std::any_of(variants->variants.begin(), variants->variants.end(),
                                [&](const KernelVariant &one) { return one.kernel.holdsAt(size); }));
        QCOMPARE(variants->variants.front().origin, "by hand at n = 32");
        QVERIFY(variants->variants.back().origin.starts_with("default"));
    }

    void aTableIsKeptComparedAndChecked() {
        const Case made = caseOf(kMlp, 64);
        const DispatchTable table = smallTable(made, {1, 5, 16, 64});
        QCOMPARE(table.kernels.size(), made.families.size());
        QVERIFY(joined(problemsOf(table, made.families, *made.function, made.partition)).isEmpty());
        for (const KernelTable &kernel : table.kernels) {
            QVERIFY(kernel.answers > 0);
            for (size_t p = 0; p < table.points.size(); ++p) QVERIFY(kernel.penalty(p, table.points));
        }
        const QTemporaryDir folder;
        const std::string path = folder.filePath("table.json").toStdString();
        writeDispatchTable(table, path);
        const DispatchTable again = readDispatchTable(path);
        QCOMPARE(tableJson(again).dump(), tableJson(table).dump());
        QCOMPARE(again.text(), table.text());
        QVERIFY(tableDifferences(table, again).empty());

        DispatchTable other = table;
        other.kernels[0].rows.insert(other.kernels[0].rows.begin(),
                                     DispatchRow{{7, 9, 1, {0}}, other.kernels[0].variantAt(64)});
        if (other.kernels[0].variantAt(8) != table.kernels[0].variantAt(8))
            QVERIFY(joined(tableDifferences(table, other)).contains("runs"));
        other.kernels.pop_back();
        QVERIFY(joined(tableDifferences(table, other)).contains("is no more"));
    }

    void aWrongGuardIsCaught() {
        const Case made = caseOf(kMlp, 64);
        DispatchTable table = smallTable(made, {1, 16, 64});
        // A variant for multiples of four, led to what is none.
        const KernelFamily &family = made.families.front().family;
        const Steps tiled = defaultsAt(family, {16}).front().steps;
        auto general = generalise(family, tiled);
        QVERIFY(general.ok());
        const auto partial = std::find_if(general->begin(), general->end(),
                                          [](const GeneralKernel &one) { return !holdsEverywhere(one); });
        QVERIFY(partial != general->end());
        int64_t outside = 1;
        while (partial->holdsAt(outside)) ++outside;
        KernelTable &kernel = table.kernels.front();
        kernel.variants.push_back({partial->hash, "planted", partial->multiple, 1, 0, partial->steps,
                                   std::vector<std::optional<double>>(table.points.size())});
        QVERIFY(problemsOf(table, made.families, *made.function, made.partition).empty());
        kernel.rows.insert(kernel.rows.begin(), DispatchRow{{outside, outside, 1, {0}}, kernel.variants.size() - 1});
        const auto problems = problemsOf(table, made.families, *made.function, made.partition);
        QCOMPARE(problems.size(), size_t{1});
        QCOMPARE(QString::fromStdString(problems.front()),
                 QString("%1 (%2): the guard `n = %3` leads n = %3 to v%4, which does not hold there")
                     .arg(QString::fromStdString(kernel.name), QString::fromStdString(kernel.node))
                     .arg(outside)
                     .arg(kernel.variants.size() - 1));
        kernel.rows.clear();
        kernel.otherwise = kernel.variants.size() - 1;
        QVERIFY(
            joined(problemsOf(table, made.families, *made.function, made.partition)).contains("the last row leads"));
    }

    void aStaleTableIsCaught() {
        const Case made = caseOf(kMlp, 64);
        const DispatchTable table = smallTable(made, {1, 64});
        const auto problems = [&](const DispatchTable &changed, const Case &of) {
            return joined(problemsOf(changed, of.families, *of.function, of.partition));
        };
        std::string wider = kMlp;
        for (size_t at = wider.find("24"); at != std::string::npos; at = wider.find("24", at + 2))
            wider.replace(at, 2, "20");
        QVERIFY(problems(table, caseOf(wider.c_str(), 64)).contains("is of another network: its task has another key"));
        QVERIFY(problems(table, caseOf(kAttention, 64)).contains("the table has no kernel at"));
        QVERIFY(problems(table, caseOf(kMlp, 64, "llvm -num-cores=2")).contains("the table is for the target"));
        DispatchTable changed = table;
        changed.kernels[0].variants[0].hash = "0123456789abcdef";
        QVERIFY(problems(changed, made).contains("v0 is stale, it had the hash 0123456789abcdef"));
        changed = table;
        changed.symbol = "m";
        QVERIFY(problems(changed, made).contains("the table is over m, the network's symbol is n"));
    }

    void damagedFilesAreRefused_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("format") << "dispatch table" << "recipe" << "is no dispatch table";
        QTest::newRow("version") << "\"version\": 1" << "\"version\": 2" << "of a version other than 1";
        QTest::newRow("missing") << "\"symbol\"" << "\"sybmol\"" << "is a damaged dispatch table";
        QTest::newRow("variant") << "\"otherwise\": 0" << "\"otherwise\": 99"
                                 << "leads to a variant that is not there";
        QTest::newRow("times") << "\"static_seconds\": [" << "\"static_seconds\": [1.0,"
                               << "another number of times than the table has points";
        QTest::newRow("unseen") << "\"unseen_seconds\": [" << "\"unseen_seconds\": [1.0,"
                                << "another number of times than the table has unseen sizes";
    }
    void damagedFilesAreRefused() {
        static const DispatchTable table = smallTable(caseOf(kMlp, 8), {8}, 1);
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, sentence);
        QString text = QString::fromStdString(tableJson(table).dump(1));
        QVERIFY(text.contains(from));
        text.replace(text.indexOf(from), from.size(), to);
        const QTemporaryDir folder;
        const std::string path = folder.filePath("table.json").toStdString();
        std::ofstream(path) << text.toStdString();
        try {
            readDispatchTable(path);
            QFAIL("a damaged table was read");
        } catch (const Error &error) {
            QVERIFY2(QString(error.what()).contains(sentence), error.what());
        }
    }

    void networksWithoutOneSymbolAreRefused() {
        const auto why = [](const char *type) {
            const std::string text =
                std::string("network one\nfunc main(x: ") + type + ") {\n  y = relu(x)\n  return y\n}";
            const auto symbol = onlySymbol(*parseNet(text, "one.net").module.find("main"));
            return symbol ? *symbol : symbol.why();
        };
        QCOMPARE(why("float32[n, 4]"), "n");
        QCOMPARE(why("float32[3, 4]"), "all dims of the network's inputs are numbers; tables are for one whose inputs "
                                       "have a symbol among their dims");
        QCOMPARE(why("float32[m, n]"),
                 "the network has the symbols m, n; tables are for one, so give numbers to the others (--dim m=N)");
    }

    void sizesThatAreNoPoints() {
        QCOMPARE(unseenSizes(usualPoints(32)), (std::vector<int64_t>{9, 12, 18, 26})); // 8, 11, 16, 23, 32
        QCOMPARE(unseenSizes({{4, 5, 7}, {1, 1, 1}}), (std::vector<int64_t>{1, 6}));
        QVERIFY(unseenSizes({{1, 2, 3}, {1, 1, 1}}).empty());
    }

    void pointsOfWhatCame() {
        const DispatchPoints few = pointsOfTraffic({{3, 1}, {8, 30}, {64, 2}});
        QCOMPARE(few.sizes, (std::vector<int64_t>{3, 8, 64}));
        QCOMPARE(few.weights, (std::vector<double>{1, 30, 2}));
        QCOMPARE(few.named, (std::vector<int64_t>{8, 64}));
        std::map<int64_t, double> all;
        for (int64_t size = 1; size <= 100; ++size) all[size] = 1;
        const DispatchPoints many = pointsOfTraffic(all, 4);
        QCOMPARE(many.sizes, (std::vector<int64_t>{25, 50, 75, 100}));
        QCOMPARE(many.weights, (std::vector<double>{25, 25, 25, 25}));
        QVERIFY(many.named.empty());
    }

    void theUsualPoints() {
        const std::vector<int64_t> expected = {1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 23, 32, 40};
        QCOMPARE(usualPoints(40).sizes, expected);
        QCOMPARE(usualPoints(1).sizes, std::vector<int64_t>{1});
        const DispatchPoints between = withSizesBetween({{1, 2, 4, 8, 64}, {1, 1, 1, 2, 4}});
        QCOMPARE(between.sizes, (std::vector<int64_t>{1, 2, 4, 7, 8, 37, 64}));
        QCOMPARE(between.weights, (std::vector<double>{1, 1, 1, 0.25, 2, 0.5, 4}));
    }

    void fewVariantsCoverMost() {
        // Two variants that are each fast at one end, one that is never the best, and one for even sizes alone.
        KernelVariants variants;
        CrossMatrix matrix;
        matrix.sizes = {1, 8};
        matrix.fixed = {1, 1};
        const auto add = [&](double first, double last, bool evenOnly) {
            KernelVariant one;
            for (int n = 1; n <= 8; ++n) one.kernel.holds.push_back(!evenOnly || n % 2 == 0);
            variants.variants.push_back(std::move(one));
            matrix.seconds.push_back({evenOnly ? std::nullopt : std::optional(first), last});
        };
        add(1.0, 4.0, false);
        add(3.0, 1.5, false);
        add(3.5, 3.9, false);
        add(0.0, 1.0, true);
        variants.fixed.resize(2);
        QCOMPARE(*coverOf(matrix, variants.variants, {1, 1}, 8), (std::vector<size_t>{1, 0, 3}));
        QCOMPARE(*coverOf(matrix, variants.variants, {1, 1}, 1), (std::vector<size_t>{1}));
        QCOMPARE(*coverOf(matrix, variants.variants, {100, 1}, 1), (std::vector<size_t>{0}));
        const KernelTable table = tableOf(matrix, variants, {1, 0, 3}, 8);
        QCOMPARE(table.variantAt(1), size_t{1});
        QCOMPARE(table.variantAt(8), size_t{2});
        QCOMPARE(table.variantAt(7), size_t{0});
        variants.variants.erase(variants.variants.begin(), variants.variants.begin() + 3);
        matrix.seconds.erase(matrix.seconds.begin(), matrix.seconds.begin() + 3);
        KernelVariant odd;
        for (int n = 1; n <= 8; ++n) odd.kernel.holds.push_back(n % 2 != 0);
        variants.variants.push_back(std::move(odd));
        matrix.seconds.push_back({1.0, std::nullopt});
        QCOMPARE(coverOf(matrix, variants.variants, {1, 1}, 1).why(),
                 "2 variants are needed for all sizes, and 1 may be chosen");
    }

    /// A variant for even sizes is a little faster at two points that follow one another: each has a row of its own,
    /// and what lies between them is nobody's but the other variant's.
    void rowsOfPointsDoNotMeet() {
        KernelVariants variants;
        CrossMatrix matrix;
        matrix.sizes = {1, 4, 12, 32};
        matrix.fixed = {1, 1, 1, 1};
        variants.fixed.resize(4);
        variants.variants.resize(2);
        for (int n = 1; n <= 32; ++n) {
            variants.variants[0].kernel.holds.push_back(true);
            variants.variants[1].kernel.holds.push_back(n % 2 == 0);
        }
        matrix.seconds = {{1.04, 1.04, 1.04, 1.04}, {std::nullopt, 1.0, 1.0, 1.0}};
        const KernelTable table = tableOf(matrix, variants, {0, 1}, 32);
        QCOMPARE(table.variantAt(12), size_t{1});
        QCOMPARE(table.variantAt(32), size_t{1});
        for (int64_t size = 1; size <= 32; ++size)
            QVERIFY2(variants.variants[table.variantAt(size)].kernel.holdsAt(size), std::to_string(size).c_str());
    }
};

LOOPSCOPE_TEST(DispatchTest)
#include "dispatch_test.moc"
