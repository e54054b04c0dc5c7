#include "log_options.h"

#include "command_line.h"
#include "log_rows_text.h"
#include "validators.h"

#include <fmt/format.h>
#include <utility>

namespace loopscope {

namespace {

constexpr int kMaxRecords = 1'000'000'000;

/// Defines one command after the other.
class LogCommands {
  public:
    LogCommands(CLI::App &log, LogOptions &options, std::map<const CLI::Option *, OptionValues> &values)
        : m_log(log), m_options(options), m_values(values) {}

    CLI::App &add(const char *name, const char *what) {
        CLI::App &command = *m_log.add_subcommand(name, what);
        command.add_flag("--json", m_options.json,
                         "one JSON value on standard output instead of text; of a failure, {\"error\": ...}");
        return command;
    }
    CLI::Option *file(CLI::Option *option, const std::string &suffix) {
        option->type_name("FILE")->check(fileName());
        m_values[option] = {{}, false, true, suffix};
        return option;
    }
    CLI::Option *words(CLI::Option *option, std::vector<std::string> words) {
        option->check(oneOf(words));
        m_values[option] = {std::move(words), false, false, {}};
        return option;
    }
    void logs(CLI::App &command, const char *what, int least) {
        file(command.add_option("files", m_options.files, what), ".json")->required()->expected(least, 1000);
    }
    /// A list of them would take the words behind it, too.
    void oneLog(CLI::App &command) {
        const auto take = [&options = m_options](const std::string &log) { options.files = {log}; };
        file(
            command.add_option_function<std::string>("file", take, "tuning log, also .gz or .zst; - is standard input"),
            ".json")
            ->required();
    }
    void resolution(CLI::App &command) {
        file(command.add_option("--te", m_options.te,
                                "a workload, or a folder of them, to look for what a task computes; may be repeated"),
             ".te")
            ->take_all()
            ->allow_extra_args(false);
        file(command.add_option("--keys", m_options.keys, "key table: JSON that says which workload a key is of"),
             ".json");
    }
    void task(CLI::App &command) {
        command.add_option("--task", m_options.task, "of this task alone, as `log info` numbers them, from 0")
            ->type_name("N")
            ->check(wholeNumber(0, kMaxRecords));
    }
    void out(CLI::App &command, const char *what) {
        file(command.add_option("--out", m_options.out, what), ".json")->required();
    }
    void keep(CLI::App &command) {
        command.add_option("-k,--keep", m_options.keep, "best records of each task")
            ->type_name("N")
            ->capture_default_str()
            ->check(wholeNumber(1, kMaxRecords));
    }
    void record(CLI::App &command) {
        command.add_option("record", m_options.record, "number of the record in the log, from 0")
            ->type_name("RECORD")
            ->required()
            ->check(wholeNumber(0, kMaxRecords));
    }
    CLI::Option *format(CLI::App &command) {
        std::vector<std::string> formats = exportFormatWords();
        std::erase(formats, "list");
        return words(command.add_option("--as", m_options.as,
                                        "write the best record as code; `export --format list` says what each is"),
                     std::move(formats))
            ->type_name("FORMAT");
    }

    void addReading();
    void addComparing();
    void addManaging();

  private:
    CLI::App &m_log;
    LogOptions &m_options;
    std::map<const CLI::Option *, OptionValues> &m_values;
};

void LogCommands::addReading() {
    auto &info = add("info", "say what is in tuning logs: records, tasks, what cannot be read and why");
    logs(info, "tuning logs, also .gz or .zst; - is standard input", 1);
    resolution(info);

    auto &list = add("list", "list the records of a log");
    oneLog(list);
    task(list);
    words(list.add_option("--sort", m_options.sort, "the column to sort by"), logColumnWords())
        ->type_name("COLUMN")
        ->capture_default_str();
    list.add_flag("--descending", m_options.descending, "the greatest first");
    list.add_option("--filter", m_options.filter,
                    "which records: 'time < 2ms', 'failed', 'task:3', words of key or target")
        ->type_name("TEXT");
    list.add_option("--limit", m_options.limit, "at most so many (0 = all)")
        ->type_name("N")
        ->capture_default_str()
        ->check(wholeNumber(0, kMaxRecords));

    auto &show = add("show", "print a record: its steps in words, all times, its key, target, line and workload");
    oneLog(show);
    record(show);
    resolution(show);

    auto &best = add("best", "print the best records of each task, or write the best of one as code");
    oneLog(best);
    task(best);
    keep(best);
    auto *code = format(best);
    file(best.add_option("--out", m_options.out, "the file, or the folder, that is written"), "")->needs(code);
    resolution(best);

    auto &apply = add("apply", "write a task's best record, or the one that is named, as code");
    oneLog(apply);
    task(apply);
    apply.add_option("--record", m_options.records, "number of a record in the log, from 0, instead of the best")
        ->type_name("N")
        ->expected(1)
        ->check(wholeNumber(0, kMaxRecords));
    format(apply)->required();
    file(apply.add_option("--out", m_options.out, "the file, or the folder, that is written"), "")->required();
    resolution(apply);

    auto &follow = add("follow", "print every record that is appended to a log, as it comes");
    oneLog(follow);
    follow.add_option("--until", m_options.until, "end after so many new records (0 = no end)")
        ->type_name("N")
        ->capture_default_str()
        ->check(wholeNumber(0, kMaxRecords));
    follow.add_option("--seconds", m_options.seconds, "end after so many seconds (0 = no end)")
        ->type_name("SECONDS")
        ->capture_default_str()
        ->check(numberOfSeconds());
}

void LogCommands::addComparing() {
    auto &diff = add("diff", "compare logs, the best records of each task: the first log against each of the others");
    logs(diff, "tuning logs; the first is what the others are compared with", 2);
    file(diff.add_option("--html", m_options.html, "also write a report as one self-contained file"), ".html");
    file(diff.add_option("--csv", m_options.csv, "also write a table, a row for each task"), ".csv");
    diff.add_option("--weights", m_options.weights,
                    "weights of the tasks: JSON {\"KEY\": NUMBER, ...} in a file, or `records` for how many there are")
        ->type_name("FILE")
        ->check(fileName());
    resolution(diff);

    auto &verify = add("verify", "measure records of a log again on this machine, and say which no longer hold");
    oneLog(verify);
    task(verify);
    auto *best = verify.add_flag("--best", m_options.best, "the best record of each task (when no record is named)");
    verify.add_option("--record", m_options.records, "number of a record, from 0; may be repeated")
        ->type_name("N")
        ->take_all()
        ->allow_extra_args(false)
        ->excludes(best)
        ->check(wholeNumber(0, kMaxRecords));
    verify
        .add_option("--tolerance", m_options.tolerance, "by how many per cent a time may lie outside what is measured")
        ->type_name("PERCENT")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1000.0));
    verify.add_option("--rounds", m_options.rounds, "times each record is timed, in turn with the others of its task")
        ->type_name("N")
        ->capture_default_str()
        ->check(wholeNumber(1, 1000));
    resolution(verify);
}

void LogCommands::addManaging() {
    auto &distil = add("distil", "write the best records of each task and target to a new log");
    oneLog(distil);
    keep(distil);
    out(distil, "the new log");

    auto &merge = add("merge", "write the records of several logs to a new one, each once");
    logs(merge, "tuning logs", 1);
    merge.add_flag("--keep-all", m_options.keepAll,
                   "keep every measurement of a schedule; only lines that are the same to the letter go");
    out(merge, "the new log");

    auto &split = add("split", "write a log for each task, or for each target");
    oneLog(split);
    words(split.add_option("--by", m_options.by, "what each of the new logs is for"), {"task", "target"})
        ->type_name("WHAT")
        ->required();
    out(split, "the folder of the new logs");

    auto &filter = add("filter", "write the records that fit to a new log");
    oneLog(filter);
    filter.add_option("--where", m_options.filter, "which records, as in `log list --filter`")
        ->type_name("TEXT")
        ->required();
    out(filter, "the new log");

    auto &convert = add("convert", "write a log of an old version as version 0.6");
    oneLog(convert);
    out(convert, "the new log");

    auto &note =
        add("note", "note, tag or pin a record in a file beside the log; without options, print what is noted");
    oneLog(note);
    record(note);
    note.add_option("--text", m_options.text, "the note; an empty one takes it away")->type_name("TEXT");
    note.add_option("--tag", m_options.tags, "a tag to add; may be repeated")
        ->type_name("TAG")
        ->take_all()
        ->allow_extra_args(false);
    note.add_option("--untag", m_options.untag, "a tag to take away; may be repeated")
        ->type_name("TAG")
        ->take_all()
        ->allow_extra_args(false);
    auto *pin = note.add_flag("--pin", m_options.pin, "pin it");
    note.add_flag("--unpin", m_options.unpin, "no longer pin it")->excludes(pin);
}

} // namespace

void addLogCommands(CLI::App &app, LogOptions &options, std::map<const CLI::Option *, OptionValues> &values) {
    CLI::App &log = *app.add_subcommand("log", "read, compare, manage and check tuning logs, without their workload");
    log.require_subcommand(0, 1); // at least one: checked after unknown words were named
    LogCommands commands(log, options, values);
    commands.addReading();
    commands.addComparing();
    commands.addManaging();
}

} // namespace loopscope
