// Messages as rows: details below, filters, places that can be clicked, copies and exports that lack nothing.

#include "test_program.h"
#include "view_bench.h"
#include "views/message_list/message_list_view.h"
#include "views/message_list/message_model.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace loopscope;

namespace {

struct Bench : ViewBench {
    void addThree() {
        session.messages().note(QStringLiteral("The search of conv has finished"));
        session.messages().warn(QStringLiteral("2 lines were skipped"),
                                QStringLiteral("line 7: cut off\nline 9: no JSON"));
        session.messages().add({Message::Severity::Failure, QStringLiteral("unknown name \"dta\""),
                                QStringLiteral("  dta[i]\n  ^ did you mean data?"), QStringLiteral("/tmp/conv.te"), 12,
                                5});
    }
};

QStringList rowsOf(const QAbstractItemModel &model) {
    QStringList rows;
    for (int row = 0; row < model.rowCount(); ++row)
        rows << model.index(row, MessageModel::Text).data().toString() + u'|' +
                    model.index(row, MessageModel::Place).data().toString();
    return rows;
}

} // namespace

class MessageListTest : public QObject {
    Q_OBJECT

  private slots:
    void modelHoldsUnderTheTester() {
        Bench bench;
        bench.session.messages().note(QStringLiteral("before the model"));
        MessageModel model(bench.session.messages(), bench.theme);
        MessageFilter filter;
        filter.setSourceModel(&model);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        const QAbstractItemModelTester filterTester(&filter, QAbstractItemModelTester::FailureReportingMode::Fatal);
        bench.addThree();
        QCOMPARE(rowsOf(model),
                 (QStringList{QStringLiteral("before the model|"), QStringLiteral("The search of conv has finished|"),
                              QStringLiteral("2 lines were skipped|"),
                              QStringLiteral("unknown name \"dta\"|conv.te:12:5")}));
        QCOMPARE(model.rowCount(model.index(1, 0)), 0);
        QCOMPARE(model.rowCount(model.index(2, 0)), 1);
        QCOMPARE(model.index(0, 0, model.index(2, 0)).data().toString(),
                 QStringLiteral("line 7: cut off\nline 9: no JSON"));
        filter.setShown(Message::Severity::Note, false);
        QCOMPARE(filter.rowCount(), 2);
        filter.setText(QStringLiteral("did you mean"));
        QCOMPARE(filter.rowCount(), 1);
        bench.session.messages().clear();
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(filter.rowCount(), 0);
    }

    void placesTakeRoomOnlyWhereThereAreAny() {
        Bench bench;
        MessageListView view(bench.context);
        const auto *tree = view.findChild<QTreeView *>();
        bench.session.messages().note(QStringLiteral("The search of conv has finished"));
        QVERIFY(tree->isColumnHidden(MessageModel::Place));
        bench.addThree();
        QVERIFY(!tree->isColumnHidden(MessageModel::Place));
        bench.session.messages().clear();
        bench.session.messages().note(QStringLiteral("Another note"));
        QVERIFY(tree->isColumnHidden(MessageModel::Place));
    }

    void filtersByClicksAndTyping() {
        Bench bench;
        bench.addThree();
        MessageListView view(bench.context);
        view.resize(800, 300);
        view.show();
        auto *tree = view.findChild<QTreeView *>(QStringLiteral("messages"));
        QCOMPARE(tree->model()->rowCount(), 3);
        auto *notes = view.findChild<QToolButton *>(QStringLiteral("show_note"));
        QCOMPARE(notes->text(), QStringLiteral("1"));
        QTest::mouseClick(notes, Qt::LeftButton);
        QCOMPARE(tree->model()->rowCount(), 2);
        view.startFind();
        QTest::keyClicks(view.findChild<QLineEdit *>(QStringLiteral("find")), QStringLiteral("skipped"));
        QCOMPARE(rowsOf(*tree->model()), QStringList{QStringLiteral("2 lines were skipped|")});
        view.showMessage(2); // what was asked for is never filtered away
        QVERIFY(tree->currentIndex().isValid());
        QCOMPARE(tree->currentIndex().siblingAtColumn(MessageModel::Text).data().toString(),
                 QStringLiteral("unknown name \"dta\""));
        QVERIFY(tree->isExpanded(tree->currentIndex()));
    }

    void aClickGoesToThePlace() {
        Bench bench;
        bench.addThree();
        MessageListView view(bench.context);
        view.resize(800, 300);
        view.show();
        const QSignalSpy places(&view, &MessageListView::placeRequested);
        auto *tree = view.findChild<QTreeView *>(QStringLiteral("messages"));
        const auto click = [tree](int row, int column) {
            const QRect cell = tree->visualRect(tree->model()->index(row, column));
            QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, cell.center());
        };
        click(2, MessageModel::Text); // selecting alone goes nowhere
        QCOMPARE(places.size(), 0);
        click(2, MessageModel::Place);
        QCOMPARE(places.size(), 1);
        QCOMPARE(places.front().at(0).toString(), QStringLiteral("/tmp/conv.te"));
        QCOMPARE(places.front().at(1).toInt(), 12);
        QCOMPARE(places.front().at(2).toInt(), 5);
    }

    void copiesAndExportsEverything() {
        Bench bench;
        bench.addThree();
        MessageListView view(bench.context);
        const QString copied = view.copyText(false);
        QCOMPARE(copied.count(u'\n'), 3);
        QVERIFY(copied.contains(
            QStringLiteral("\twarning\t2 lines were skipped\tline 7: cut off | line 9: no JSON\t\t\n")));
        const QString path = bench.folder.filePath(QStringLiteral("messages.csv"));
        QCOMPARE(view.exportTo(path), QString());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString csv = QString::fromUtf8(file.readAll());
        QVERIFY(csv.startsWith(QStringLiteral("time,severity,message,detail,place,line\n")));
        QVERIFY(csv.contains(QStringLiteral("\"unknown name \"\"dta\"\"\"")));
        QVERIFY(csv.contains(QStringLiteral("/tmp/conv.te,12")));
        const QString problem = view.exportTo(QStringLiteral("/no/such/folder/m.csv"));
        QVERIFY2(problem.startsWith(QStringLiteral("/no/such/folder/m.csv: cannot be written: ")), qPrintable(problem));
    }

    void saysWhatIsMissing() {
        Bench bench;
        MessageListView view(bench.context);
        view.show();
        QVERIFY(!view.findChild<QTreeView *>(QStringLiteral("messages"))->isVisible());
        bench.addThree();
        QVERIFY(view.findChild<QTreeView *>(QStringLiteral("messages"))->isVisible());
    }
};

LOOPSCOPE_WINDOW_TEST(MessageListTest)
#include "message_list_test.moc"
