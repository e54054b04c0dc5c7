#include "manual.h"

#include "app/roff.h"
#include "arguments.h"

namespace loopscope {

namespace {

std::string describedOption(const WindowOption &option) {
    std::string text = ".TP\n";
    bool first = true;
    for (const std::string &spelling : option.spellings()) {
        if (!first) text += ", ";
        first = false;
        text += roff::bold(spelling);
    }
    if (*option.values != '\0') {
        text += ' ';
        text += roff::italic(option.values);
    }
    text += '\n';
    return text + roff::sentence(option.text);
}

constexpr const char *kWindowHead = R"(.SH NAME
loopscope \- explore loop schedules of tensor programs in a window
.SH SYNOPSIS
\fBloopscope\fR [\fIOPTIONS\fR] [\fIFILES...\fR]
.SH DESCRIPTION
Opens workloads (.te), networks (.onnx, .net), tuning logs (.json, .log, also .gz and .zst) and sessions (.loopscope) in
the window; in the one that is open already when there is one.
Without files it opens what was open last, or the start page.
The window searches loop schedules, and shows every stage, sketch, trial and line of code of what was found.
The key
.B ?
lists its shortcuts.
.SH OPTIONS
)";

constexpr const char *kWindowTail = R"(.SH EXIT STATUS
.TP
.B 0
The window was closed, or the files can be read.
.TP
.B 1
There is no display, or a file cannot be read; one sentence on standard error says which and why.
.TP
.B 2
The command line makes no sense.
.SH ENVIRONMENT
.TP
.B LOOPSCOPE_CONFIG
A folder for settings and state instead of the user's own.
.TP
.B LOOPSCOPE_SAMPLES
The folder of samples when they do not lie beside the program.
.TP
.B LOOPSCOPE_WORKER
The program
.B loopscope-worker
when it does not lie beside
.BR loopscope .
.TP
.B LOOPSCOPE_LOCK_FOLDER
The folder where programs of Loopscope take turns on the machine.
.TP
.B LOOPSCOPE_STARTUP_TRACE
Set to 1, it prints when the first picture stood.
.SH SEE ALSO
.BR loopscope\-cli (1)
)";

} // namespace

std::string windowManualPage() {
    std::string page = ".TH LOOPSCOPE 1 \"\" \"Loopscope " LOOPSCOPE_VERSION "\" \"User Commands\"\n";
    page += kWindowHead;
    for (const WindowOption &option : windowOptions()) page += describedOption(option);
    return page + kWindowTail;
}

} // namespace loopscope
