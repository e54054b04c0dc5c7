// Small networks whose right values NumPy or ONNX Runtime computed, where our own reference once shared the error of
// our kernels: each folder of right_values/, in every way in which networks are run.

#include "right_case.h"
#include "test_program.h"

#include <QtTest>

using namespace loopscope;

namespace {
constexpr const char *kFolder = LOOPSCOPE_SOURCE_DIR "/tests/deploy/network/right_values";
}

class RightValuesTest : public QObject {
    Q_OBJECT
  private slots:
    void everyWayGivesThem_data() {
        QTest::addColumn<size_t>("number");
        QTest::addColumn<RunWay>("way");
        m_cases = rightCases(qEnvironmentVariable("LOOPSCOPE_RIGHT_VALUES", kFolder).toStdString());
        QVERIFY(!m_cases.empty());
        for (size_t i = 0; i < m_cases.size(); ++i)
            for (const RunWay way : {RunWay::Reference, RunWay::CompatiblePlan, RunWay::BetterPlan, RunWay::Machine})
                QTest::addRow("%s, %s", m_cases[i].name.c_str(), runWayName(way).data()) << i << way;
    }
    void everyWayGivesThem() {
        QFETCH(const size_t, number);
        QFETCH(const RunWay, way);
        const std::string wrong = wrongIn(m_cases[number], way);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    /// The comparison itself would notice.
    void wrongValuesAreNoticed() {
        RightCase of = rightCases(kFolder).front();
        HostTensor &wanted = of.wanted.front().second;
        HostTensor other = HostTensor::zeros(wanted.dtype(), wanted.dims());
        for (int64_t i = 0; i < wanted.elements(); ++i) other.setNumber(i, wanted.number(i) + (i == 0 ? 1 : 0));
        wanted = other;
        const QString wrong = QString::fromStdString(wrongIn(of, RunWay::Reference));
        QVERIFY2(wrong.contains(QStringLiteral(" is ")), qPrintable(wrong));
    }

  private:
    std::vector<RightCase> m_cases;
};

LOOPSCOPE_TEST(RightValuesTest)
#include "right_values_test.moc"
