// One word for one thing wherever a user reads: in the window, on the command line, in the README and the guides. A
// candidate is a schedule that the search considers, a trial is a candidate that was measured; a search is started,
// paused, continued and stopped; a number agrees with its noun.

#include "source_tree.h"
#include "test_program.h"

#include <QTest>
#include <regex>

using namespace loopscope;

namespace {

struct Rule {
    std::regex pattern;
    const char *instead;
};

/// What nobody should read, and what stands there instead.
const std::vector<Rule> &rules() {
    static const std::vector<Rule> list{
        {std::regex(R"(\bResume\b|\bresume (?:the |a )?search|\bGo on searching|\bSearch on\b|, search on:)"),
         "Continue"},
        {std::regex(
             R"(\b(?:selected|pinned|measured|best|table of|of the) candidates?\b(?! of the round)|\bthe best candidate)"),
         "trial: what was measured"},
        {std::regex(R"(\bCandidates?$|^Candidates\b(?! are built| built))"), "Trials: what the table shows"},
        {std::regex(R"((?:%L?\d|%n|\{\}) (?:trials|stages|records|sketches|candidates)\b)"),
         "countedText, so that there is no \"1 trials\""},
        {std::regex(R"([a-z] ?\.\.\.$)"), "\\u2026 after a blank"},
        {std::regex(R"((?:^|[^%\d])1 (?:trials|stages|records|sketches|rounds|lines)\b)"), "the singular"},
    };
    return list;
}

/// String literals of a source that can be sentences or labels, those next to each other as one; comments left out.
std::vector<std::pair<int, std::string>> literalsOf(const std::string &text) {
    std::vector<std::pair<int, std::string>> found;
    int line = 1;
    size_t lastEnd = std::string::npos; // of the literal before, while only blanks follow
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\n') {
            ++line;
        } else if (text.compare(at, 2, "//") == 0) {
            while (at + 1 < text.size() && text[at + 1] != '\n') ++at;
        } else if (c == '\'' && at + 2 < text.size() && (text[at + 1] == '\\' || text[at + 2] == '\'')) {
            at = text.find('\'', at + (text[at + 1] == '\\' ? 3 : 2));
            lastEnd = std::string::npos;
        } else if (text.compare(at, 3, "R\"(") == 0) {
            const size_t end = text.find(")\"", at);
            line += static_cast<int>(std::count(text.begin() + static_cast<ptrdiff_t>(at),
                                                text.begin() + static_cast<ptrdiff_t>(end), '\n'));
            at = end + 1;
            lastEnd = std::string::npos;
        } else if (c == '"') {
            std::string literal;
            for (++at; at < text.size() && text[at] != '"'; ++at) {
                if (text[at] == '\\') literal += text[at++];
                literal += text[at];
            }
            if (lastEnd != std::string::npos && !found.empty())
                found.back().second += literal;
            else
                found.emplace_back(line, literal);
            lastEnd = at;
        } else if (c != ' ') {
            lastEnd = std::string::npos;
        }
    }
    return found;
}

std::vector<std::string> problemsOf(const std::string &place, const std::string &text) {
    std::vector<std::string> problems;
    for (const Rule &rule : rules()) {
        std::smatch match;
        if (std::regex_search(text, match, rule.pattern))
            problems.push_back(place + ": \"" + match.str() + "\" in \"" + text + "\": write " + rule.instead);
    }
    return problems;
}

} // namespace

class WordsTest : public QObject {
    Q_OBJECT

  private slots:
    void seesWhatAUserReads() {
        const auto literals = literalsOf("f(\"one \"\n  \"two\", '\"', \"a \\\" b\"); // \"comment\"\ng(\"three\");\n");
        QCOMPARE(literals.size(), size_t(3));
        QCOMPARE(literals[0], (std::pair<int, std::string>{1, "one two"}));
        QCOMPARE(literals[1], (std::pair<int, std::string>{2, "a \\\" b"}));
        QCOMPARE(literals[2], (std::pair<int, std::string>{3, "three"}));
    }

    void knowsTheSynonyms() {
        for (const char *bad :
             {"Resume", "Resume search", "Search on", "Pin the selected candidates", "Candidates", "Open ...",
              "Choose a file...", "%1 trials", "tune: {} trials measured", "1 trials", "Select the best candidate"})
            QVERIFY2(!problemsOf("here", bad).empty(), bad);
        for (const char *good : {"search.resume", "resume", "Continue search", "every candidate is checked",
                                 "The candidates of the round are compiled", "Trials", "1 trial",
                                 "Candidates are built", "FILES...", "Open \\u2026"})
            QVERIFY2(problemsOf("here", good).empty(), good);
    }

    void everyTextUsesOneWord() {
        std::vector<std::string> problems;
        for (const char *folder : {"views", "app", "core/search"})
            for (const auto &file : sourceFiles(folder))
                for (const auto &[line, literal] : literalsOf(readText(file)))
                    for (auto &problem : problemsOf(shown(file) + ":" + std::to_string(line), literal))
                        problems.push_back(std::move(problem));
        for (const std::string guide : {"README.md", "resources/guide/window.md", "resources/guide/command-line.md",
                                        "resources/guide/differences.md"}) {
            int number = 0;
            for (const auto &line : splitLines(readText(sourceRoot() / guide)))
                for (auto &problem : problemsOf(guide + ":" + std::to_string(++number), line))
                    problems.push_back(std::move(problem));
        }
        QVERIFY2(problems.empty(), joined(problems).c_str());
    }
};

LOOPSCOPE_TEST(WordsTest)
#include "words_test.moc"
