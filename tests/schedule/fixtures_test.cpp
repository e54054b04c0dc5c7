// What steps do and what they refuse: steps/*.txt hold the state text before and after, a file each; refusals/*.txt the
// exact sentences, a file for each kind of step. LOOPSCOPE_UPDATE_GOLDEN=1 rewrites the expected part instead of
// comparing.

#include "fixture.h"
#include "schedule/bound_inference.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QTest>
#include <nlohmann/json.hpp>

using namespace loopscope;

namespace {

/// Text of the state, by its bounds where the fixture asks for them.
std::string shown(const LoopState &state, bool bounds) {
    return bounds ? boundedText(*inferBounds(state, std::make_shared<ExprArena>()), false) : state.text(false);
}

Steps stepsOf(const Fixture &fixture, const std::string &key) {
    return fixture.fields.contains(key) ? stepsFromJson(nlohmann::json::parse(fixture.at(key))) : Steps{};
}

} // namespace

class ScheduleFixturesTest : public QObject {
    Q_OBJECT
  private slots:
    void steps_data() { addRows("steps", 40); }
    void steps();
    void refusals_data() { addRows("refusals", 70); }
    void refusals();

  private:
    void addRows(const std::string &folder, size_t least);
    std::vector<Fixture> m_fixtures;
};

void ScheduleFixturesTest::addRows(const std::string &folder, size_t least) {
    QTest::addColumn<int>("index");
    m_fixtures = loadFixtures(folder);
    QVERIFY(m_fixtures.size() >= least);
    for (size_t i = 0; i < m_fixtures.size(); ++i) {
        QTest::newRow(m_fixtures[i].name.c_str()) << static_cast<int>(i);
    }
}

void ScheduleFixturesTest::steps() {
    QFETCH(int, index);
    const Fixture &fixture = m_fixtures[static_cast<size_t>(index)];
    const bool bounds = fixture.fields.contains("bounds");
    const Steps setup = stepsOf(fixture, "given");
    Steps all = setup;
    for (const Step &step : stepsOf(fixture, "steps")) all.push_back(step);
    const Outcome<LoopState> before = replay(fixtureDag(fixture.at("dag")), setup);
    QVERIFY2(before.ok(), before.ok() ? "" : before.why().c_str());
    const Outcome<LoopState> after = replay(fixtureDag(fixture.at("dag")), all);
    QVERIFY2(after.ok(), after.ok() ? "" : after.why().c_str());
    if (updatingGolden()) {
        updateFixture(fixture, "before", shown(*before, bounds));
        updateFixture(fixture, "after", shown(*after, bounds));
        return;
    }
    QCOMPARE(QString::fromStdString(shown(*before, bounds)), QString::fromStdString(fixture.at("before")));
    QCOMPARE(QString::fromStdString(shown(*after, bounds)), QString::fromStdString(fixture.at("after")));
}

void ScheduleFixturesTest::refusals() {
    QFETCH(int, index);
    const Fixture &fixture = m_fixtures[static_cast<size_t>(index)];
    std::string sentence;
    try {
        const Outcome<LoopState> state = replay(fixtureDag(fixture.at("dag")), stepsOf(fixture, "steps"));
        if (!state) {
            sentence = state.why();
        } else {
            const Outcome<BoundedState> bounded = inferBounds(*state, std::make_shared<ExprArena>());
            QVERIFY2(!bounded.ok(), "neither the steps nor their bounds are refused");
            sentence = bounded.why();
        }
    } catch (const Error &error) {
        sentence = error.what();
    }
    if (updatingGolden()) {
        updateFixture(fixture, "refused", sentence);
        return;
    }
    QCOMPARE(QString::fromStdString(sentence), QString::fromStdString(fixture.at("refused")));
}

LOOPSCOPE_TEST(ScheduleFixturesTest)
#include "fixtures_test.moc"
