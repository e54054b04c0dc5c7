// No view knows another: what one asks of another it names as a capability (views/actions/capabilities.h), never by the
// id of the other's action, which nobody would find when it changes.

#include "source_tree.h"
#include "test_program.h"

#include <QTest>

#include <map>
#include <regex>
#include <set>

using namespace loopscope;

namespace {

/// The folder of views/ whose actions begin so.
const std::map<std::string, std::string> &owners() {
    static const std::map<std::string, std::string> list{{"file", "main_window"},        {"view", "main_window"},
                                                         {"go", "main_window"},          {"layout", "main_window"},
                                                         {"help", "main_window"},        {"settings", "main_window"},
                                                         {"computation", "computation"}, {"dag", "dag_graph"},
                                                         {"sketch_tree", "sketch_tree"}, {"search", "search_progress"},
                                                         {"trials", "trials"},           {"loops", "loops"},
                                                         {"program", "program"},         {"compare", "compare"},
                                                         {"messages", "message_list"},   {"edits", "edits"}};
    return list;
}

/// Ids of other folders' actions that stand in the text as literals.
std::vector<std::string> foreignIds(const std::string &folder, const std::string &text) {
    static const std::regex id("\"([a-z_]+)\\.[a-z][A-Za-z_.]*\"");
    std::vector<std::string> found;
    for (const std::string &line : splitLines(text)) {
        const std::string code = line.substr(0, line.find("//"));
        if (code.find("#include") != std::string::npos) continue;
        for (std::sregex_iterator at(code.begin(), code.end(), id), end; at != end; ++at) {
            const auto owner = owners().find((*at)[1]);
            if (owner != owners().end() && owner->second != folder) found.push_back(at->str());
        }
    }
    return found;
}

} // namespace

class ActionIdsTest : public QObject {
    Q_OBJECT

  private slots:
    void findsIdsOfOthers() {
        QCOMPARE(foreignIds("trials", "#include \"search.h\"\nfind(\"trials.pin\"); // as \"file.open\"\n"
                                      "value(\"search/model\"); read(\"machine.json\");\n"),
                 std::vector<std::string>{});
        QCOMPARE(foreignIds("trials", "find(QStringLiteral(\"compare.trials\"));\nfor (id : {\"search.start\"})\n"),
                 (std::vector<std::string>{"\"compare.trials\"", "\"search.start\""}));
    }

    void viewsNameCapabilities() {
        std::vector<std::string> sentences;
        std::set<std::string> folders;
        for (const auto &file : sourceFiles("views")) {
            const auto inside = file.lexically_relative(sourceRoot() / "views").generic_string();
            const auto slash = inside.find('/');
            if (slash == std::string::npos) continue;
            const std::string folder = inside.substr(0, slash);
            folders.insert(folder);
            if (folder == "actions") continue; // where they are named
            for (const std::string &id : foreignIds(folder, readText(file)))
                sentences.push_back(shown(file) + " names " + id + " of another view");
        }
        for (const auto &[prefix, folder] : owners()) QVERIFY2(folders.contains(folder), folder.c_str());
        QVERIFY2(sentences.empty(), joined(sentences).c_str());
    }
};

LOOPSCOPE_TEST(ActionIdsTest)
#include "action_ids_test.moc"
