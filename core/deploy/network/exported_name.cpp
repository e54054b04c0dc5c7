#include "deploy/network/exported_name.h"

#include "codegen/c/c_expr.h"
#include "codegen/c/reserved_names.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <initializer_list>
#include <string_view>

namespace loopscope {

namespace {

constexpr size_t kMaxCharacters = 80; // names of files have at most 255, and ours stand in front of others

/// A module of such a name would be found instead of the one that NumPy, ctypes or what they import asks for; keywords
/// cannot be imported at all.
constexpr std::string_view kMeansMoreToPython =
    "abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb "
    "binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections "
    "colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes "
    "curses dataclasses datetime dbm decimal difflib dis distutils doctest dummy_threading email encodings "
    "ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc "
    "genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr "
    "imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma macpath "
    "mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt "
    "ntpath nturl2path numbers numpy opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools "
    "pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc "
    "pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select "
    "selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile "
    "sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symbol symtable sys "
    "sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter token "
    "tokenize tomllib torch trace traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest "
    "urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile "
    "zipimport zlib zoneinfo "
    "False None True and as assert async await break class continue def del elif else except finally for from "
    "global if import in is lambda nonlocal not or pass raise return try while with yield ";

/// Targets that CMake keeps for itself, and libraries that ours would be taken for.
constexpr std::string_view kMeansMoreToBuilds =
    "all clean depend edit_cache help install list_install_components package package_source preinstall "
    "rebuild_cache test c dl gcc gcc_s gomp iomp5 m omp pthread rt stdc++ util ";

/// Beside the keywords of C.
constexpr std::string_view kKeywordsOfCpp =
    "alignas alignof and and_eq bitand bitor catch char16_t char32_t char8_t class co_await co_return co_yield compl "
    "concept const_cast consteval constinit decltype delete dynamic_cast explicit export friend mutable namespace new "
    "noexcept not not_eq operator or or_eq private protected public reinterpret_cast requires static_cast template "
    "this "
    "throw try typeid typename using virtual xor xor_eq ";

/// What the fixed texts (export_texts.h, export_packed_texts.h) name where parameters are seen.
constexpr std::string_view kNamesOfTheSources =
    "weights workspace arena w path folder check runs right WEIGHTS_BYTES WEIGHTS_HASH WORKSPACE_BYTES kMagic hash_of "
    "last_error seconds by_size memory read_all compare argc argv times i begin elements got wanted data file ";

bool isWordOf(std::string_view words, std::string_view name) {
    for (size_t begin = 0, end = 0; (end = words.find(' ', begin)) != std::string_view::npos; begin = end + 1)
        if (words.substr(begin, end - begin) == name) return true;
    return false;
}

void take(CNames &names, std::string_view words) {
    for (size_t begin = 0, end = 0; (end = words.find(' ', begin)) != std::string_view::npos; begin = end + 1)
        names.unique(words.substr(begin, end - begin));
}

std::string lettersOf(std::string_view text, size_t most) {
    std::string name;
    for (const char c : text.substr(0, most)) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
}

} // namespace

std::string exportedNetworkName(const std::string &network) {
    std::string name = lettersOf(network, kMaxCharacters);
    if (name.empty() || name.front() == '_' || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ||
        isReservedInC(name) || isWordOf(kKeywordsOfCpp, name) || isWordOf(kMeansMoreToPython, name) ||
        isWordOf(kMeansMoreToBuilds, name))
        name = "net_" + name;
    return name;
}

std::string exportedKernelName(const std::string &network, size_t kernel, const std::string &name) {
    std::string result = fmt::format("{}_{:03}_{}", network, kernel, lettersOf(name, 60));
    while (result.back() == '_') result.pop_back();
    return result;
}

ExportedArguments exportedArguments(const ExecutionPlan &plan) {
    const std::string network = exportedNetworkName(plan.network);
    CNames names;
    take(names, kNamesOfTheSources);
    take(names, kKeywordsOfCpp);
    for (const char *of :
         {"weights", "load", "unload", "workspace_bytes", "run", "fail", "last_error", "packed", "new_output", "H"})
        names.unique(network + "_" + of);
    std::string guard = network + "_H";
    std::transform(guard.begin(), guard.end(), guard.begin(),
                   [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
    names.unique(guard);
    ExportedArguments arguments;
    for (const PlanTensor &input : plan.inputs) arguments.inputs.push_back(names.unique(input.name));
    for (const PlanTensor &output : plan.outputs) arguments.outputs.push_back(names.unique(output.name));
    return arguments;
}

} // namespace loopscope
