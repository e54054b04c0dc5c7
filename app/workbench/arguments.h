#pragma once
// The command line of the window: `loopscope [FILES...] [-d A B]`. Read before there is an application, since --help,
// --version, --manual and --check need none.

#include <QString>
#include <QStringList>

#include <string>
#include <vector>

namespace loopscope {

/// What the command line is read with; --help and the manual page are made from it.
struct WindowOption {
    const char *letter; // without its hyphen; empty: none
    const char *name;   // without its hyphens
    const char *values; // that follow it; empty: none
    const char *text;
    [[nodiscard]] std::vector<std::string> spellings() const; // -d, --diff
};
const std::vector<WindowOption> &windowOptions();

struct Arguments {
    QStringList files; // absolute
    bool compare = false;
    bool newWindow = false;
    bool check = false;
    bool manual = false;
    bool help = false;
    bool version = false;
    QString problem; // what cannot be understood; then nothing else counts
};

/// Without the program's name. Relative files are made absolute.
Arguments readArguments(const QStringList &words);
QString helpText();

} // namespace loopscope
