// A class owns one thing. One that has more than some thirty functions, or that needs several files, owns more and is
// divided; the limit on lines alone is kept by spreading it.

#include "class_members.h"
#include "source_tree.h"
#include "test_program.h"

#include <QTest>

#include <map>

using namespace loopscope;

namespace {

constexpr int kMaxFunctions = 30;

} // namespace

class ClassSizeTest : public QObject {
    Q_OBJECT

  private slots:
    void countsFunctionsOfTheClassItself() {
        const auto classes = classesOf("#define BRACE {\n"
                                       "// class Comment { void f(); };\n"
                                       "class Later;\n"
                                       "enum class Kind { A, B };\n"
                                       "class Table final : public QObject, private Base<int> {\n"
                                       "    Q_OBJECT\n"
                                       "  public:\n"
                                       "    explicit Table(int rows) : m_rows{rows}, m_text(\"}\") {}\n"
                                       "    Table(const Table &) = delete;\n"
                                       "    ~Table() override;\n"
                                       "    [[nodiscard]] int rows() const { return m_rows; }\n"
                                       "    template <typename T> void each(const std::function<void(T)> &run);\n"
                                       "    bool operator==(const Table &) const;\n"
                                       "    bool operator()(int) const { return true; }\n"
                                       "    void paint() override;\n"
                                       "    friend void swap(Table &, Table &);\n"
                                       "    using Run = void (*)(int);\n"
                                       "  signals:\n"
                                       "    void changed(int row);\n"
                                       "    void gone();\n"
                                       "  private:\n"
                                       "    struct Cell {\n"
                                       "        QString text() const;\n"
                                       "        int number = numberOf(\"x\");\n"
                                       "    };\n"
                                       "    void refresh();\n"
                                       "    std::function<void(int)> m_run;\n"
                                       "    std::vector<Cell> m_cells{1, 2};\n"
                                       "    char m_open = '{';\n"
                                       "    int m_rows = 1'000;\n"
                                       "};\n");
        QCOMPARE(classes.size(), size_t{2});
        QCOMPARE(classes[0].name, std::string("Table"));
        QCOMPARE(classes[0].functions, 6); // Table, rows, each, ==, (), refresh
        QCOMPARE(classes[1].name, std::string("Cell"));
        QCOMPARE(classes[1].functions, 1);
    }

    void findsWhereAClassIsDefined() {
        const auto classes =
            definedIn("Table::Table(int rows)\n    : Base(rows) {}\n"
                      "std::vector<Other::Cell> Rows::cells(int a) const {\n    return Not::this(a);\n}\n"
                      "Deep::Inner Deep::Inner::make() {}\n"
                      "Plain::Type freeFunction(int x) {}\n"
                      "bool Order::operator<(const Order &) const {}\n"
                      "// Comment::f() {}\n");
        QCOMPARE(classes, (std::set<std::string>{"Table", "Rows", "Deep", "Order"}));
    }

    void classesOwnOneThing() {
        std::map<std::string, int> functions;
        std::map<std::string, std::set<std::string>> files;
        for (const auto *folder : {"core", "views"}) {
            for (const auto &file : sourceFiles(folder))
                for (const ClassMembers &one : classesOf(readText(file)))
                    functions[one.name] = std::max(functions[one.name], one.functions);
        }
        QVERIFY(functions.size() > 300);
        for (const auto *folder : {"core", "views"}) {
            for (const auto &file : sourceFiles(folder)) {
                if (file.extension() != ".cpp") continue;
                for (const std::string &name : definedIn(readText(file)))
                    if (functions.contains(name)) files[name].insert(shown(file));
            }
        }
        std::vector<std::string> sentences;
        for (const auto &[name, count] : functions)
            if (count > kMaxFunctions)
                sentences.push_back(name + " has " + std::to_string(count) + " functions of its own, more than " +
                                    std::to_string(kMaxFunctions) + ": divide it by what it owns");
        for (const auto &[name, where] : files)
            if (where.size() > 1)
                sentences.push_back(name + " is defined in more than one file:" + joined({where.begin(), where.end()}) +
                                    "; divide it by what it owns");
        QVERIFY2(sentences.empty(), joined(sentences).c_str());
    }
};

LOOPSCOPE_TEST(ClassSizeTest)
#include "class_size_test.moc"
