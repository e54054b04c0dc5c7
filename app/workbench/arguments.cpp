#include "arguments.h"

#include <QFileInfo>

namespace loopscope {

namespace {
QString absolute(const QString &path) { return QFileInfo(path).absoluteFilePath(); }
} // namespace

Arguments readArguments(const QStringList &words) {
    Arguments arguments;
    bool onlyFiles = false;
    for (qsizetype i = 0; i < words.size(); ++i) {
        const QString &word = words[i];
        if (onlyFiles || !word.startsWith(u'-') || word == QLatin1String("-")) {
            arguments.files << absolute(word);
        } else if (word == QLatin1String("--")) {
            onlyFiles = true;
        } else if (word == QLatin1String("-d") || word == QLatin1String("--diff")) {
            if (i + 2 >= words.size()) {
                arguments.problem = QStringLiteral("%1 needs two files: loopscope -d BASE NEW").arg(word);
                return arguments;
            }
            arguments.compare = true;
            arguments.files << absolute(words[i + 1]) << absolute(words[i + 2]);
            i += 2;
        } else if (word == QLatin1String("--new-window")) {
            arguments.newWindow = true;
        } else if (word == QLatin1String("--check")) {
            arguments.check = true;
        } else if (word == QLatin1String("-h") || word == QLatin1String("--help")) {
            arguments.help = true;
        } else if (word == QLatin1String("-v") || word == QLatin1String("--version")) {
            arguments.version = true;
        } else {
            arguments.problem = QStringLiteral("unknown option %1; loopscope --help lists them").arg(word);
            return arguments;
        }
    }
    if (arguments.check && arguments.files.isEmpty()) arguments.problem = QStringLiteral("--check needs files");
    return arguments;
}

QString helpText() {
    return QStringLiteral(
        "Usage: loopscope [FILES...] [-d BASE NEW]\n"
        "Opens workloads (.te), tuning logs (.json) and sessions (.loopscope) in the window; in the one that is open\n"
        "already when there is one. Without files: what was open last, or the start page.\n"
        "\n"
        "  -d, --diff BASE NEW  open both and compare them\n"
        "      --new-window     a window of its own\n"
        "      --check FILES... say whether the files can be read, without a window; fails when one cannot\n"
        "  -h, --help           this text\n"
        "  -v, --version        the version\n"
        "\n"
        "Searching without a window: loopscope-cli --help\n");
}

} // namespace loopscope
