#pragma once
// The command line of the window: `loopscope [FILES...] [-d A B]`. Read before there is an application, since --help,
// --version and --check need none.

#include <QString>
#include <QStringList>

namespace loopscope {

struct Arguments {
    QStringList files; // absolute
    bool compare = false;
    bool newWindow = false;
    bool check = false;
    bool help = false;
    bool version = false;
    QString problem; // what cannot be understood; then nothing else counts
};

/// Without the program's name. Relative files are made absolute.
Arguments readArguments(const QStringList &words);
QString helpText();

} // namespace loopscope
