#include "arguments.h"

#include <QFileInfo>

namespace loopscope {

namespace {

QString absolute(const QString &path) { return QFileInfo(path).absoluteFilePath(); }

/// Null when there is none of that spelling.
const WindowOption *optionOf(const QString &word) {
    for (const WindowOption &option : windowOptions())
        for (const std::string &spelling : option.spellings())
            if (word == QLatin1String(spelling.c_str())) return &option;
    return nullptr;
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
    Arguments arguments;
    bool onlyFiles = false;
    for (qsizetype i = 0; i < words.size(); ++i) {
        const QString &word = words[i];
        if (onlyFiles || !word.startsWith(u'-') || word == QLatin1String("-")) {
            arguments.files << absolute(word);
            continue;
        }
        if (word == QLatin1String("--")) {
            onlyFiles = true;
            continue;
        }
        const WindowOption *option = optionOf(word);
        if (option == nullptr) {
            arguments.problem = QStringLiteral("unknown option %1; loopscope --help lists them").arg(word);
            return arguments;
        }
        const QLatin1String name(option->name);
        if (name == QLatin1String("diff")) {
            if (i + 2 >= words.size()) {
                arguments.problem = QStringLiteral("%1 needs two files: loopscope -d BASE NEW").arg(word);
                return arguments;
            }
            arguments.compare = true;
            arguments.files << absolute(words[i + 1]) << absolute(words[i + 2]);
            i += 2;
        }
        arguments.newWindow = arguments.newWindow || name == QLatin1String("new-window");
        arguments.check = arguments.check || name == QLatin1String("check");
        arguments.manual = arguments.manual || name == QLatin1String("manual");
        arguments.help = arguments.help || name == QLatin1String("help");
        arguments.version = arguments.version || name == QLatin1String("version");
    }
    if (arguments.check && arguments.files.isEmpty()) arguments.problem = QStringLiteral("--check needs files");
    return arguments;
}

QString helpText() {
    QString text = QStringLiteral(
        "Usage: loopscope [FILES...] [-d BASE NEW]\n"
        "Opens workloads (.te), tuning logs (.json) and sessions (.loopscope) in the window; in the one that is open\n"
        "already when there is one. Without files: what was open last, or the start page.\n"
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
