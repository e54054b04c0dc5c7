#pragma once
// One program runs the test classes of a folder, one a call: `search_tests tuner_test -functions`. What follows the
// name of a class, which is that of its file, is Qt Test's.

#include <QObject>

namespace loopscope {

enum class TestApplication : uint8_t { Core, Widgets };

/// Before main, once a class. `file` is where it stands.
bool registerTest(const char *file, TestApplication application, QObject *(*make)());
template <typename Test> bool registerTest(const char *file, TestApplication application) {
    return registerTest(file, application, []() -> QObject * { return new Test; });
}

} // namespace loopscope

#define LOOPSCOPE_REGISTER_TEST(Class, kind)                                                                           \
    [[maybe_unused]] static const bool g_registered##Class =                                                           \
        loopscope::registerTest<Class>(__FILE__, loopscope::TestApplication::kind);

/// In place of QTEST_GUILESS_MAIN and QTEST_MAIN.
#define LOOPSCOPE_TEST(Class) LOOPSCOPE_REGISTER_TEST(Class, Core)
#define LOOPSCOPE_WINDOW_TEST(Class) LOOPSCOPE_REGISTER_TEST(Class, Widgets)
