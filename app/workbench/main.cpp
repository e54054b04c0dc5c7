// loopscope: the window.

#include "arguments.h"
#include "check_files.h"
#include "manual.h"
#include "single_instance.h"
#include "stop_signals.h"
#include "workbench_application.h"

#include "codegen/nvidia/gpu_worker.h"
#include "language/target/detected_gpu.h"
#include "views/main_window/main_window.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>

using namespace loopscope;

namespace {

/// Milliseconds since this process was started by the system, loading of libraries included; -1 where it cannot be
/// told.
double sinceStart() {
    std::ifstream stat("/proc/self/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), std::istreambuf_iterator<char>());
    const auto bracket = text.rfind(')'); // the program's name may hold spaces
    if (bracket == std::string::npos) return -1;
    std::istringstream fields(text.substr(bracket + 2));
    std::string field;
    for (int i = 3; i < 22; ++i) fields >> field;
    long long startTicks = -1;
    fields >> startTicks;
    timespec now{};
    if (startTicks < 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return -1;
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6 -
           double(startTicks) * 1e3 / double(sysconf(_SC_CLK_TCK));
}

int openWindow(int argc, char **argv, const Arguments &arguments) {
    const bool trace = qEnvironmentVariableIsSet("LOOPSCOPE_STARTUP_TRACE");
    const auto say = [trace](const char *what) {
        if (trace) fprintf(stderr, "%s after %.0f ms\n", what, sinceStart());
    };
    say("main");
    WorkbenchApplication application(argc, argv);
    say("application");
    QApplication::setApplicationName(QStringLiteral("loopscope"));
    QApplication::setApplicationDisplayName(QStringLiteral("Loopscope"));
    QApplication::setApplicationVersion(QStringLiteral(LOOPSCOPE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("org.loopscope.Loopscope"));
    QApplication::setQuitOnLastWindowClosed(false); // a search may still be on its way down

    Settings settings;
    SingleInstance instance(settings.stateFolder());
    if (!arguments.newWindow && instance.handOver(arguments.files, arguments.compare)) return 0;
    const bool first = !arguments.newWindow && instance.listen();
    setGpuDetector(gpuOfThisMachine);
    const std::jthread asking([] { (void)gpuOfThisMachine(); }); // while the window is made, which then need not wait

    Theme theme;
    theme.setCodePointSize(settings.codePointSize());
    theme.apply(application, settings.theme());
    Actions actions;
    Session session(settings);
    say("session");
    application.setWitness([&session](const QString &cause) {
        session.messages().fail(QObject::tr("Something went wrong inside Loopscope; the window goes on."), cause);
    });

    MainWindow window({session, settings, theme, actions});
    say("window");
    QObject::connect(&window, &MainWindow::firstPaint, &window, [say] { say("first paint"); });
    QObject::connect(&window, &MainWindow::closing, &instance, &SingleInstance::setClosing);
    QObject::connect(&window, &MainWindow::closed, &application, &QApplication::quit, Qt::QueuedConnection);
    QObject::connect(&instance, &SingleInstance::received, &window, [&window](const QStringList &files, bool compare) {
        window.openFiles(files, compare);
        window.setWindowState(window.windowState() & ~Qt::WindowMinimized);
        window.show();
        window.raise();
        window.activateWindow();
    });
    StopSignals stopSignals;
    QObject::connect(&stopSignals, &StopSignals::stop, &window, &QWidget::close);

    if (!arguments.files.isEmpty()) window.openFiles(arguments.files, arguments.compare);
    if (first && !arguments.files.isEmpty())
        window.keepSession();
    else if (first)
        window.restoreLastSession();
    window.show();
    const int code = QApplication::exec();
    application.setWitness({});
    return code;
}

} // namespace

int main(int argc, char **argv) {
    std::signal(SIGXFSZ,
                SIG_IGN); // a write beyond a file size limit fails with a sentence instead of ending the window
    QStringList words;
    for (int i = 1; i < argc; ++i) words << QString::fromLocal8Bit(argv[i]);
    const Arguments arguments = readArguments(words);
    if (!arguments.problem.isEmpty()) {
        fprintf(stderr, "loopscope: %s\n", qUtf8Printable(arguments.problem));
        return 2;
    }
    if (arguments.help || arguments.version || arguments.manual) {
        const std::string text = arguments.help      ? helpText().toStdString()
                                 : arguments.version ? "loopscope " LOOPSCOPE_VERSION "\n"
                                                     : windowManualPage();
        errno = 0;
        if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return 0;
        fprintf(stderr, "loopscope: standard output cannot be written: %s\n", std::strerror(errno));
        return 1;
    }
    if (arguments.check) {
        const QCoreApplication application(argc, argv);
        return checkFiles(arguments.files);
    }
    if (qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") &&
        qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        fprintf(stderr, "loopscope: there is no display to open a window on (DISPLAY and WAYLAND_DISPLAY are empty); "
                        "loopscope-cli does the same work without one\n");
        return 1;
    }
    return openWindow(argc, argv, arguments);
}
