#include "completion.h"

#include "base/check.h"
#include "command_line.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

/// In single quotes, as all three shells read it.
std::string inQuotes(std::string_view text, std::string_view quote) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'')
            out += quote;
        else
            out += c;
    }
    return out + "'";
}
std::string posixQuoted(std::string_view text) { return inQuotes(text, "'\\''"); }

std::string fishQuoted(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\\') escaped += '\\';
        escaped += c;
    }
    return inQuotes(escaped, "\\'");
}

std::vector<const CLI::Option *> namedOptions(const CLI::App &command) {
    return command.get_options([](const CLI::Option *option) { return option->nonpositional(); });
}
std::vector<const CLI::Option *> positionals(const CLI::App &command) {
    return command.get_options([](const CLI::Option *option) { return option->get_positional(); });
}

std::vector<std::string> namesOf(const std::vector<const CLI::App *> &commands) {
    std::vector<std::string> names;
    for (const CLI::App *command : commands) names.push_back(command->get_name());
    return names;
}
std::vector<std::string> spellings(const CLI::Option &option) {
    std::vector<std::string> names;
    for (const auto &name : option.get_snames()) names.push_back("-" + name);
    for (const auto &name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

/// How bash fills COMPREPLY with values of the option.
std::string bashValues(const OptionValues &values) {
    if (values.file) return fmt::format("_loopscope_cli_files '{}'", values.suffix);
    if (values.words.empty()) return ":"; // a number or a free text: nothing to offer
    return fmt::format("_loopscope_cli_{} '{}'", values.list ? "list" : "words", fmt::join(values.words, " "));
}

constexpr const char *kBashStart = R"(# bash completion for loopscope-cli, printed by `loopscope-cli completion bash`.

_loopscope_cli_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}

# Several words with commas between them: the last one is completed.
_loopscope_cli_list() {
    local before=
    [[ $current == *,* ]] && before=${current%,*},
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${current##*,}")
}

# Files whose names end in $1, and folders on the way to them.
_loopscope_cli_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -X "!*$1" -- "$current"; compgen -d -- "$current")
}

_loopscope_cli() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case ${COMP_WORDS[i]} in
            -*) ;;
            *)
                command=${command:+$command }${COMP_WORDS[i]}
                [[ ' GROUPS ' == *" $command "* ]] || break
                ;;
        esac
    done
)";

/// The names of groups of commands, such as `log`.
std::vector<std::string> groupsOf(const CommandLine &line) {
    std::vector<std::string> groups;
    for (const NamedCommand &command : commandsToCall(line))
        if (!command.group.empty() && (groups.empty() || groups.back() != command.group))
            groups.push_back(command.group);
    return groups;
}
std::vector<std::string> namesIn(const CommandLine &line, const std::string &group) {
    std::vector<std::string> names;
    for (const NamedCommand &command : commandsToCall(line))
        if (command.group == group) names.push_back(command.command->get_name());
    return names;
}

std::string bashScript(const CommandLine &line) {
    std::string script = kBashStart;
    const std::vector<std::string> groups = groupsOf(line);
    script.replace(script.find("GROUPS"), 6, fmt::format("{}", fmt::join(groups, " ")));
    script += "    case $command:$previous in\n";
    for (const auto &[command, called, group] : commandsToCall(line)) {
        for (const CLI::Option *option : namedOptions(*command)) {
            if (!takesValue(*option)) continue;
            std::string patterns;
            for (const std::string &name : spellings(*option))
                patterns += fmt::format("{}'{}':{}", patterns.empty() ? "" : "|", called, name);
            script += fmt::format("        {})\n            {}\n            return\n            ;;\n", patterns,
                                  bashValues(line.valuesOf(*option)));
        }
    }
    script += "    esac\n    case $command in\n";
    const auto names = [](const CLI::App &app) {
        std::string all;
        for (const CLI::Option *option : namedOptions(app))
            for (const std::string &name : spellings(*option)) all += (all.empty() ? "" : " ") + name;
        return all;
    };
    script += fmt::format("        '')\n            _loopscope_cli_words '{} {}'\n            ;;\n",
                          fmt::join(namesOf(line.commands()), " "), names(line.app()));
    for (const std::string &group : groups)
        script += fmt::format("        '{}')\n            _loopscope_cli_words '{} --help'\n            ;;\n", group,
                              fmt::join(namesIn(line, group), " "));
    for (const auto &[command, called, group] : commandsToCall(line)) {
        script += fmt::format("        '{}')\n            if [[ $current == -* ]]; then\n"
                              "                _loopscope_cli_words '{}'\n",
                              called, names(*command));
        std::set<std::string> values; // of words in their places; where these differ, of any file
        for (const CLI::Option *option : positionals(*command)) values.insert(bashValues(line.valuesOf(*option)));
        if (!values.empty())
            script += fmt::format("            else\n                {}\n",
                                  values.size() == 1 ? *values.begin() : "_loopscope_cli_files ''");
        script += "            fi\n            ;;\n";
    }
    return script + "    esac\n}\n\ncomplete -F _loopscope_cli loopscope-cli\n";
}

/// Colons and brackets separate the parts of what _arguments is told.
std::string zshText(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string zshValues(const CLI::Option &option, const OptionValues &values) {
    const std::string message = zshText(valueTexts(option).first);
    if (values.file) return fmt::format(":{}:_files -g \"*{}\"", message, values.suffix);
    if (values.list) return fmt::format(":{}:_values -s , {} {}", message, message, fmt::join(values.words, " "));
    return fmt::format(":{}:({})", message, fmt::join(values.words, " "));
}

std::string zshScript(const CommandLine &line) {
    std::string script = "#compdef loopscope-cli\n# zsh completion for loopscope-cli, printed by `loopscope-cli "
                         "completion zsh`.\n\n_loopscope-cli() {\n    local -a commands\n    commands=(\n";
    for (const CLI::App *command : line.commands())
        script += fmt::format("        {}\n",
                              posixQuoted(zshText(command->get_name()) + ":" + zshText(command->get_description())));
    script += "    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        _arguments";
    for (const CLI::Option *option : namedOptions(line.app()))
        for (const std::string &name : spellings(*option))
            script += " " + posixQuoted(name + "[" + zshText(option->get_description()) + "]");
    script += "\n        return\n    fi\n    local command=$words[2]\n    shift words\n    ((--CURRENT))\n";
    for (const std::string &group : groupsOf(line))
        script += fmt::format("    if [[ $command == {0} ]]; then\n        if ((CURRENT == 2)); then\n            "
                              "compadd -- {1}\n            return\n        fi\n        command=\"{0} "
                              "$words[2]\"\n        shift words\n        ((--CURRENT))\n    fi\n",
                              group, fmt::join(namesIn(line, group), " "));
    script += "    case $command in\n";
    for (const auto &[command, called, group] : commandsToCall(line)) {
        script += fmt::format("        '{}')\n            _arguments", called);
        for (const CLI::Option *option : namedOptions(*command)) {
            const bool repeats = option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
            for (const std::string &name : spellings(*option))
                script += " \\\n                " +
                          posixQuoted((repeats ? "*" : "") + name + "[" + zshText(option->get_description()) + "]" +
                                      (takesValue(*option) ? zshValues(*option, line.valuesOf(*option)) : ""));
        }
        for (const CLI::Option *option : positionals(*command))
            script += " \\\n                " + posixQuoted((option->get_items_expected_max() > 1 ? "*" : "1") +
                                                            zshValues(*option, line.valuesOf(*option)));
        script += "\n            ;;\n";
    }
    return script + "    esac\n}\n\n_loopscope-cli \"$@\"\n";
}

std::string fishOption(const CLI::Option &option) {
    std::string text;
    for (const auto &name : option.get_snames()) text += " -s " + name;
    for (const auto &name : option.get_lnames()) text += " -l " + name;
    return text + " -d " + fishQuoted(option.get_description());
}

std::string fishValues(const OptionValues &values) {
    if (values.file) return fmt::format(" -k -xa '(__fish_complete_suffix {})'", values.suffix);
    if (values.words.empty()) return " -x";
    if (!values.list) return " -xa " + fishQuoted(fmt::format("{}", fmt::join(values.words, " ")));
    return " -xa " + fishQuoted(fmt::format("(__fish_append , {})", fmt::join(values.words, " ")));
}

std::string fishScript(const CommandLine &line) {
    std::string script = "# fish completion for loopscope-cli, printed by `loopscope-cli completion fish`.\n"
                         "complete -c loopscope-cli -f\n";
    for (const CLI::Option *option : namedOptions(line.app()))
        script += "complete -c loopscope-cli -n __fish_use_subcommand" + fishOption(*option) + "\n";
    const std::vector<std::string> groups = groupsOf(line);
    for (const CLI::App *command : line.commands())
        script += fmt::format("\ncomplete -c loopscope-cli -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                              fishQuoted(command->get_description()));
    for (const auto &[command, called, group] : commandsToCall(line)) {
        // `show` is also the name of a command in a group.
        std::string where = fmt::format("__fish_seen_subcommand_from {}", command->get_name());
        if (!group.empty()) {
            const std::string inGroup = fmt::format("__fish_seen_subcommand_from {}", group);
            script += fmt::format(
                "\ncomplete -c loopscope-cli -n '{}; and not __fish_seen_subcommand_from {}' -a {} -d {}\n", inGroup,
                fmt::join(namesIn(line, group), " "), command->get_name(), fishQuoted(command->get_description()));
            where = inGroup + "; and " + where;
        } else if (!groups.empty()) {
            where = fmt::format("not __fish_seen_subcommand_from {}; and {}", fmt::join(groups, " "), where);
        }
        const std::string seen = fmt::format("complete -c loopscope-cli -n '{}'", where);
        for (const CLI::Option *option : namedOptions(*command))
            script += seen + fishOption(*option) +
                      (takesValue(*option) ? fishValues(line.valuesOf(*option)) : std::string()) + "\n";
        for (const CLI::Option *option : positionals(*command))
            script += seen + fishValues(line.valuesOf(*option)) + "\n";
    }
    return script;
}

} // namespace

std::string completionScript(const CommandLine &line, const std::string &shell) {
    if (shell == "bash") return bashScript(line);
    if (shell == "zsh") return zshScript(line);
    LOOPSCOPE_CHECK(shell == "fish", "the command line accepts no other shell");
    return fishScript(line);
}

} // namespace loopscope
