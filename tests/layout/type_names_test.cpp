// Two types of one name in one namespace are one type to the linker: it keeps the destructor of either, and the other
// corrupts memory. No compiler sees it while the two stand in files of their own.

#include "source_tree.h"
#include "test_program.h"

#include <QTest>
#include <map>
#include <regex>

using namespace loopscope;

namespace {

/// Types defined at the outermost level of a namespace that has a name (namespace::Type), in order.
std::vector<std::string> typesOf(const std::string &text) {
    static const std::regex opens(R"(^(?:inline )?namespace(?: ([\w:]+))? \{)");
    static const std::regex closes(R"(^\} // namespace.*)");
    static const std::regex type(R"(^(?:struct|class|enum class|enum|union) (\w+)(?: final)?(?: : .*| \{.*)?$)");
    std::vector<std::string> spaces;
    std::vector<std::string> found;
    for (const auto &line : splitLines(text)) {
        std::smatch match;
        if (std::regex_search(line, match, opens)) {
            if (line.find('}') == std::string::npos) spaces.push_back(match[1]);
        } else if (std::regex_match(line, closes)) {
            if (!spaces.empty()) spaces.pop_back();
        } else if (line.find(';') == std::string::npos || line.find('{') != std::string::npos) {
            if (!std::regex_match(line, match, type)) continue;
            std::string name;
            bool local = false;
            for (const auto &space : spaces) {
                local = local || space.empty();
                name += space + "::";
            }
            if (!local) found.push_back(name + match[1].str());
        }
    }
    return found;
}

} // namespace

class TypeNamesTest : public QObject {
    Q_OBJECT

  private slots:
    void seesTypesOthersCanMeet() {
        const auto types = typesOf("struct Outside {\n};\n"
                                   "namespace a {\n"
                                   "struct Declared;\n"
                                   "class Seen final : public Base {\n    struct Inner {\n    };\n};\n"
                                   "namespace {\nstruct Hidden {\n};\n} // namespace\n"
                                   "enum class Kind : uint8_t { One, Two };\n"
                                   "enum class Later : uint8_t;\n"
                                   "} // namespace a\n"
                                   "struct After {};\n");
        QCOMPARE(types, (std::vector<std::string>{"Outside", "a::Seen", "a::Kind", "After"}));
    }

    void everyTypeHasItsOwnName() {
        std::map<std::string, std::string> places;
        std::vector<std::string> sentences;
        for (const auto *folder : {"core", "app", "views"}) {
            for (const auto &file : sourceFiles(folder)) {
                for (const auto &type : typesOf(readText(file))) {
                    const auto [place, isNew] = places.emplace(type, shown(file));
                    if (!isNew)
                        sentences.push_back(type + " is defined in " + place->second + " and in " + shown(file));
                }
            }
        }
        QVERIFY(places.size() > 200);
        QVERIFY2(sentences.empty(), joined(sentences).c_str());
    }
};

LOOPSCOPE_TEST(TypeNamesTest)
#include "type_names_test.moc"
