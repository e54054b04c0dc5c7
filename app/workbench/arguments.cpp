#include "arguments.h"

#include "base/nearest_name.h"

#include <CLI/CLI.hpp>
#include <QFileInfo>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace loopscope {

namespace {

constexpr std::string_view kDiff = "diff";

QString absolute(const QString &path) { return QFileInfo(path).absoluteFilePath(); }

/// The sentence for what CLI11 refused: a value where none is taken, or not the two files to compare.
QString problemOf(const CLI::ParseError &error, const QStringList &words) {
    for (const QString &word : words) {
        const QString spelling = word.section(u'=', 0, 0);
        for (const WindowOption &option : windowOptions())
            if (word != spelling && option.name != kDiff &&
                spelling == QLatin1String("--") + QLatin1String(option.name))
                return QStringLiteral("%1 takes no value").arg(spelling);
    }
    for (const char *spelling : {"--diff", "-d"})
        for (const QString &word : words)
            if (word.startsWith(QLatin1String(spelling)))
                return QStringLiteral("%1 needs two files: loopscope -d BASE NEW").arg(QLatin1String(spelling));
    return QString::fromUtf8(error.what());
}

QString unknownOption(const std::string &word) {
    std::vector<std::string> known;
    for (const WindowOption &option : windowOptions()) known.push_back(std::string("--") + option.name);
    return QStringLiteral("unknown option %1%2; loopscope --help lists them")
        .arg(QString::fromStdString(word), QString::fromStdString(suggestion(word, known)));
}

} // namespace

std::vector<std::string> WindowOption::spellings() const {
    std::vector<std::string> all;
    if (*letter != '\0') all.push_back(std::string("-") + letter);
    all.push_back(std::string("--") + name);
    return all;
}

const std::vector<WindowOption> &windowOptions() {
    static const std::vector<WindowOption> options = {
        {"d", "diff", "BASE NEW", "open both and compare them"},
        {"", "new-window", "", "a window of its own"},
        {"", "check", "FILES...", "say whether the files can be read, without a window; fails when one cannot"},
        {"", "manual", "", "print the manual page, as man -l - reads it"},
        {"h", "help", "", "print this text"},
        {"v", "version", "", "print the version"},
    };
    return options;
}

Arguments readArguments(const QStringList &words) {
    CLI::App app;
    app.set_help_flag(); // --help is one of ours
    app.allow_extras();  // the files: as values of CLI11 a name in brackets would be a list of names
    std::vector<std::string> compared;
    std::map<std::string_view, bool> given;
    for (const WindowOption &option : windowOptions()) {
        const std::string spellings = fmt::format("{}", fmt::join(option.spellings(), ","));
        if (option.name == kDiff)
            app.add_option(spellings, compared)->expected(2)->allow_extra_args(false); // others may follow the two
        else
            app.add_flag(spellings, given[option.name])->disable_flag_override(); // no --check=false
    }
    const qsizetype end = words.contains(QStringLiteral("--")) ? words.indexOf(QStringLiteral("--")) : words.size();
    std::vector<std::string> backwards; // as CLI11 takes them
    for (qsizetype i = end; i-- > 0;) backwards.push_back(words[i].toStdString());

    Arguments arguments;
    try {
        app.parse(backwards);
    } catch (const CLI::ParseError &error) {
        arguments.problem = problemOf(error, words);
        return arguments;
    }
    arguments.compare = !compared.empty();
    for (const std::string &file : compared) arguments.files << absolute(QString::fromStdString(file));
    for (const std::string &word : app.remaining()) {
        if (word.size() > 1 && word.front() == '-') {
            arguments.problem = unknownOption(word);
            return arguments;
        }
        arguments.files << absolute(QString::fromStdString(word));
    }
    for (qsizetype i = end + 1; i < words.size(); ++i) arguments.files << absolute(words[i]);
    arguments.newWindow = given["new-window"];
    arguments.check = given["check"];
    arguments.manual = given["manual"];
    arguments.help = given["help"];
    arguments.version = given["version"];
    if (arguments.check && arguments.files.isEmpty()) arguments.problem = QStringLiteral("--check needs files");
    return arguments;
}

QString helpText() {
    QString text = QStringLiteral(
        "Usage: loopscope [FILES...] [-d BASE NEW]\n"
        "Opens workloads (.te), networks (.onnx, .net), tuning logs (.json, .log, also .gz and .zst) and sessions\n"
        "(.loopscope) in the window; in the one that is open already when there is one. Without files: what was open\n"
        "last, or the start page.\n"
        "\n");
    constexpr qsizetype kColumn = 23;
    for (const WindowOption &option : windowOptions()) {
        QString names = QStringLiteral("  %1--%2")
                            .arg(*option.letter != '\0' ? QStringLiteral("-%1, ").arg(QLatin1String(option.letter))
                                                        : QStringLiteral("    "),
                                 QLatin1String(option.name));
        if (*option.values != '\0') names += QStringLiteral(" %1").arg(QLatin1String(option.values));
        text += QStringLiteral("%1%2\n").arg(names.leftJustified(kColumn), QLatin1String(option.text));
    }
    return text + QStringLiteral("\nSearching without a window: loopscope-cli --help\n");
}

} // namespace loopscope
