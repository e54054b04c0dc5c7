#include "test_program.h"

#include "own_turns.h"

#include <QTest>
#ifdef LOOPSCOPE_WINDOW_TESTS
#include <QApplication>
#else
#include <QCoreApplication>
#endif

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace loopscope {

namespace {

struct RegisteredTest {
    TestApplication application = TestApplication::Core;
    QObject *(*make)() = nullptr;
};

std::map<std::string, RegisteredTest> &registeredTests() {
    static std::map<std::string, RegisteredTest> tests;
    return tests;
}

std::unique_ptr<QCoreApplication> applicationFor([[maybe_unused]] TestApplication kind, int &argc, char **argv) {
#ifdef LOOPSCOPE_WINDOW_TESTS
    if (kind == TestApplication::Widgets) {
        QCoreApplication::setAttribute(Qt::AA_Use96Dpi);
        return std::make_unique<QApplication>(argc, argv);
    }
#endif
    return std::make_unique<QCoreApplication>(argc, argv);
}

} // namespace

bool registerTest(const char *file, TestApplication application, QObject *(*make)()) {
    registeredTests()[std::filesystem::path(file).stem().string()] = {application, make};
    return true;
}

} // namespace loopscope

int main(int argc, char **argv) {
    using namespace loopscope;
    const auto found = argc > 1 ? registeredTests().find(argv[1]) : registeredTests().end();
    if (found == registeredTests().end()) {
        std::fprintf(stderr, "usage: %s TEST [what Qt Test takes]; TEST is one of\n", argv[0]);
        for (const auto &[name, test] : registeredTests()) std::fprintf(stderr, "  %s\n", name.c_str());
        return 2;
    }
    takeOwnTurns(found->first);
    argv[1] = argv[0];
    --argc;
    ++argv;
    const auto application = applicationFor(found->second.application, argc, argv);
    const std::unique_ptr<QObject> test(found->second.make());
    return QTest::qExec(test.get(), argc, argv);
}
