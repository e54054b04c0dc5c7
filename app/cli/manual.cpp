#include "manual.h"

#include "app/roff.h"
#include "command_line.h"

namespace loopscope {

using roff::bold;
using roff::italic;
using roff::plain;
using roff::sentence;

namespace {

/// Words that exclude each other, such that lines can break between them.
std::string spaced(std::string_view words) {
    std::string out;
    for (const char c : words) {
        if (c == '|')
            out += ", ";
        else
            out += c;
    }
    return out;
}

std::string usage(const NamedCommand &named) {
    const CLI::App &command = *named.command;
    std::string text = bold("loopscope-cli " + named.name);
    bool options = false;
    for (const CLI::Option *option : command.get_options()) {
        if (option->get_positional())
            text += " " + italic(option->get_name(true)) + (option->get_items_expected_max() > 1 ? " ..." : "");
        else if (option->get_required())
            text += " " + bold(optionName(*option)) + " " + italic(valueTexts(*option).first);
        else
            options = options || option->get_lnames() != std::vector<std::string>{"help"};
    }
    return text + (options ? " [" + italic("options") + "]" : "");
}

std::string described(const CLI::Option &option) {
    const auto [value, rule] = valueTexts(option);
    std::string text = ".TP\n";
    if (option.get_positional()) {
        text += italic(option.get_name(true));
    } else {
        std::string names;
        for (const auto &name : option.get_snames()) names += (names.empty() ? "" : ", ") + bold("-" + name);
        for (const auto &name : option.get_lnames()) names += (names.empty() ? "" : ", ") + bold("--" + name);
        text += names + (value.empty() ? "" : " " + italic(value));
    }
    text += "\n" + sentence(option.get_description());
    if (!rule.empty()) text += "Legal: " + plain(spaced(rule)) + ".\n";
    if (option.get_required() && !option.get_positional()) text += "Required.\n";
    if (!option.get_default_str().empty()) text += "Default: " + plain(option.get_default_str()) + ".\n";
    return text;
}

constexpr const char *kExitStatus = R"(.SH EXIT STATUS
.TP
.B 0
What was asked for was done.
.TP
.B 1
It was not; one sentence on standard error says why.
.TP
.B 2
The command line makes no sense.
.PP
With
.B \-\-json
a failure also prints one JSON value on standard output, whose
.B error
is that sentence.
.SH ENVIRONMENT
.TP
.B LOOPSCOPE_WORKER
The program
.B loopscope-worker
when it does not lie beside
.BR loopscope-cli .
.SH EXAMPLES
.TP
Search, then look at what was found:
.EX
loopscope-cli tune conv2d_bias_relu.te \-\-trials 64 \-\-log conv.json
loopscope-cli show conv2d_bias_relu.te \-\-as loops \-\-log conv.json
loopscope-cli show conv2d_bias_relu.te \-\-as c \-\-log conv.json > conv.c
.EE
.TP
See what is in a log, and compare two:
.EX
loopscope-cli log info conv.json
loopscope-cli log diff old.json new.json \-\-html diff.html
.EE
.TP
Complete this command line in the running bash:
.EX
source <(loopscope-cli completion bash)
.EE
.SH SEE ALSO
.BR loopscope (1)
)";

} // namespace

std::string manualPage(const CommandLine &line) {
    std::string page =
        ".TH LOOPSCOPE-CLI 1 \"\" \"Loopscope 0.1\" \"User Commands\"\n.SH NAME\nloopscope\\-cli \\- search, "
        "inspect and measure loop schedules of tensor programs\n.SH SYNOPSIS\n";
    const std::vector<NamedCommand> commands = commandsToCall(line);
    for (const NamedCommand &command : commands) page += usage(command) + "\n.br\n";
    page += bold("loopscope-cli") + " " + bold("--help") + " | " + bold("--version") + "\n";
    page +=
        ".SH DESCRIPTION\nA workload file describes an operator or a fused subgraph in lines that read like "
        "mathematics.\nLoopscope searches a fast loop schedule for it, checks and times every candidate in a process "
        "of its own,\nand keeps a log in Ansor's format.\nResults go to standard output, progress to standard "
        "error.\n.SH COMMANDS\n";
    for (const NamedCommand &command : commands) {
        page += ".SS " + plain(command.name) + "\n" + usage(command) + "\n.PP\n" +
                sentence(command.command->get_description());
        for (const CLI::Option *option : command.command->get_options())
            if (option->get_lnames() != std::vector<std::string>{"help"}) page += described(*option);
    }
    return page + kExitStatus;
}

} // namespace loopscope
