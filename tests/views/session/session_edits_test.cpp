// Schedules made by hand in session files: they come back as they were, and whatever is done to the file, what can be
// read of it is offered and nothing falls over.

#include "session_fixture.h"

#include "schedule/script/schedule_script.h"
#include "test_program.h"
#include "views/session/edits_json.h"
#include "views/session/script_text.h"
#include "views/session/session_json.h"
#include "views/session/session_text.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QJsonDocument>
#include <QSignalSpy>

#include <random>
#include <thread>

using namespace loopscope;

namespace session_edits_test {

namespace {

using Kind = ScheduleRef::Kind;
using Reading = SessionFile::Reading;
const StageId kC{2};

QString s(const char *text) { return QString::fromLatin1(text); }
ScheduleRef edited(int number) { return {Kind::Edited, number}; }
Step split(int64_t length) { return SplitStep{kC, IterId(0), 8, {length}}; }

/// A tree with all that a node can have: 0 naive, 1 split 4, 2 below it with a refused step, 3 dropped, 4 a script.
void makeTree(const SessionFixture &f) {
    EditedSchedules &edits = f.session->edits();
    QCOMPARE(edits.apply({}, split(4)), QString());
    QCOMPARE(edits.apply(edited(1), AnnotateStep{kC, IterId(0), Annotation::Parallel}), QString());
    EditedSteps steps = *edits.stepsOf(edited(2));
    steps.erase(0);
    QCOMPARE(edits.edit(edited(1), steps, s("without its split")), 3);
    edits.drop(2);
    const std::string script = "# tiles\nsplit C j into 2\n";
    const auto applied = applyScript(f.session->document()->task->dag, script);
    QCOMPARE(edits.write({{}, -1, applied.state.steps(), s("split C j into 2"), qt(script)}), 4);
    edits.rename(1, s("wide"));
    edits.setPinned(4, true);
    edits.setNote(3, s("why \"not\"?\nsee there"));
    edits.setPredictions(f.session->document()->taskId, {{4, 0.25}});
    edits.setMeasured(f.session->document()->taskId, 1, {0.0125, {}, -1});
    edits.setMeasured(f.session->document()->taskId, 4, {0, s("it ran past 10 s"), -1});
    f.session->selection().selectSchedule(edited(3));
    edits.undo();
    edits.keepDraft(edited(4), s("split C j into"));
}

QByteArray saved(const SessionFixture &f) {
    return QJsonDocument(f.session->file().json({})).toJson(QJsonDocument::Compact);
}

QJsonArray nodesIn(const QByteArray &session) {
    const QJsonObject root = QJsonDocument::fromJson(session).object();
    return root[s("documents")].toArray().at(0).toObject()[s("edits")].toArray();
}

/// Predictions come when they are made: the rest of the nodes.
QJsonArray withoutPredictions(const QByteArray &session) {
    QJsonArray nodes;
    for (const auto &node : nodesIn(session)) {
        QJsonObject object = node.toObject();
        object.remove(s("predicted"));
        nodes.append(object);
    }
    return nodes;
}

struct EditsFixture : SessionFixture {
    void open() {
        session->files().open({write(s("m.te"), matmul(8))});
        QVERIFY(settled());
    }
    [[nodiscard]] const Document &document() const { return *session->document(); }
    /// Reads what was saved in a new session. Whatever it holds, it ends.
    bool reopen(const QByteArray &bytes, Reading reading = Reading::Whole) {
        const QString path = write(s("x.loopscope"), bytes);
        restart();
        const bool loaded = session->file().load(path, nullptr, reading);
        (void)idle();
        return loaded;
    }
};

} // namespace

class SessionEditsTest : public QObject {
    Q_OBJECT

  private slots:
    void theTreeComesBackAsItWas() {
        EditsFixture f;
        f.open();
        makeTree(f);
        const QByteArray before = saved(f);
        const QString refused = scriptText(*f.session->edits().stepsOf(edited(3)));
        QVERIFY(refused.startsWith(s("# does not apply: parallel C i.0: ")));
        QVERIFY(f.reopen(before));
        QTRY_COMPARE(f.document().edited.size(), size_t{4}); // the dropped one is out
        QCOMPARE(withoutPredictions(saved(f)), withoutPredictions(before));
        const QJsonObject root = QJsonDocument::fromJson(before).object();
        QCOMPARE(f.session->file().json({})[s("selection")].toObject(), root[s("selection")].toObject());
        const ReadEdits read = editsFromJson(f.document().task->dag, nodesIn(before));
        QCOMPARE(read.nodes.size(), size_t{4});
        QCOMPARE(read.nodes[3].predicted, 0.25);
        const EditedSchedules &edits = f.session->edits();
        QCOMPARE(edits.node(1)->name, s("wide"));
        QVERIFY(edits.node(3)->pinned && !edits.node(1)->pinned);
        QCOMPARE(edits.node(1)->measured.seconds, 0.0125);
        QCOMPARE(edits.node(2)->note, s("why \"not\"?\nsee there"));
        QCOMPARE(edits.node(2)->parent, 1);
        QCOMPARE(edits.node(3)->script, s("# tiles\nsplit C j into 2\n"));
        QCOMPARE(edits.node(3)->measured.failure, s("it ran past 10 s"));
        QCOMPARE(f.document().draft->text, s("split C j into"));
        QCOMPARE(f.document().draft->of, edited(3));
        QCOMPARE(f.session->selection().now().schedule, edited(1));
        f.session->edits().redo(); // to the child seen last
        QCOMPARE(f.session->selection().now().schedule, edited(2));
        // What a refused step means is not in its numbers: it applies again once its loop is back.
        QCOMPARE(scriptText(edits.node(2)->steps), refused);
        EditedSteps steps = edits.node(2)->steps;
        steps.insert(0, split(4));
        QVERIFY(!steps.refused(1));
    }

    /// What is kept in case of a crash is copied at once and written out by another thread.
    void aSnapshotIsOfItsMoment() {
        EditsFixture f;
        f.open();
        makeTree(f);
        const QByteArray before = saved(f);
        const SessionSnapshot snapshot = f.session->file().snapshot({});
        f.session->edits().rename(1, s("another"));
        f.session->edits().drop(4);
        f.session->documents().setText(f.document().text + s("# more\n"));
        QByteArray written;
        std::thread([&] { written = QJsonDocument(snapshot.json()).toJson(QJsonDocument::Compact); }).join();
        QVERIFY(saved(f) != before);
        QCOMPARE(withoutPredictions(written), withoutPredictions(before));
        QCOMPARE(written.size(), before.size());
    }

    void everyTaskKeepsItsOwn() {
        EditsFixture f;
        f.open();
        QCOMPARE(f.session->edits().apply({}, split(4)), QString());
        f.session->documents().setParams({{"N", 32}});
        QVERIFY(f.settled());
        QVERIFY(f.document().edited.empty());
        QCOMPARE(f.session->edits().apply({}, SplitStep{kC, IterId(0), 32, {16}}), QString());
        QVERIFY(f.reopen(saved(f)));
        QTRY_COMPARE(f.document().edited.size(), size_t{2});
        QCOMPARE(f.document().edited[1].did, s("split C i into 16"));
        QCOMPARE(f.session->selection().now().schedule, edited(1));
        QCOMPARE(f.document().others.size(), size_t{1});
        QTRY_COMPARE(f.document().others[0].edited.size(), size_t{2});
        QCOMPARE(f.document().others[0].edited[1].did, s("split C i into 4"));
    }

    /// While the text is not understood there is nothing to apply steps to; they are kept all the same.
    void aTextHalfTypedLosesNothing() {
        EditsFixture f;
        f.open();
        makeTree(f);
        const QString good = f.document().text;
        f.session->documents().setText(good + s("D(i < N"));
        QTRY_VERIFY(f.document().problem);
        QVERIFY(f.reopen(saved(f)));
        QVERIFY(f.document().task == nullptr);
        QVERIFY(f.document().edited.empty());
        QVERIFY(f.reopen(saved(f))); // and once more
        f.session->documents().setText(good);
        QTRY_COMPARE(f.document().edited.size(), size_t{4});
        QCOMPARE(f.session->edits().node(1)->name, s("wide"));
    }

    void filesOfOlderProgramsOpen() {
        EditsFixture f;
        f.open();
        QJsonObject root = f.session->file().json({});
        root[s("loopscope_session")] = 1;
        QVERIFY(f.reopen(QJsonDocument(root).toJson()));
        QVERIFY(f.document().task != nullptr);
        QCOMPARE(f.failures(), QString());
    }

    void ofANewerProgramWhatCanBeReadIsOffered() {
        EditsFixture f;
        f.open();
        makeTree(f);
        QJsonObject root = f.session->file().json({});
        root[s("loopscope_session")] = kSessionVersion + 1;
        root[s("of the future")] = QJsonArray{1, 2};
        const QByteArray bytes = QJsonDocument(root).toJson();
        const QString path = f.write(s("new.loopscope"), bytes);
        f.restart();
        QSignalSpy offered(&f.session->file(), &SessionFile::partlyReadable);
        f.session->files().open({path});
        QVERIFY2(f.failures().contains(s("it has version 3, of a newer program; this one reads up to version 2")),
                 qPrintable(f.failures()));
        QVERIFY(f.session->documents().all().empty());
        QCOMPARE(offered.count(), 1);
        QCOMPARE(offered[0][2].toString(), s("matmul (4 schedules made by hand)"));
        QVERIFY(f.reopen(bytes, Reading::WhatCanBe));
        QTRY_COMPARE(f.document().edited.size(), size_t{4});
    }

    void aFileCutOffIsOfferedAsFarAsItGoes() {
        EditsFixture f;
        f.open();
        makeTree(f);
        const QByteArray bytes = saved(f);
        QVERIFY(!f.reopen(bytes.first(bytes.size() - 5)));
        QVERIFY2(f.failures().contains(s("it is damaged: ")), qPrintable(f.failures()));
        QVERIFY(f.reopen(bytes.first(bytes.size() - 5), Reading::WhatCanBe));
        QTRY_COMPARE(f.document().edited.size(), size_t{4});
        for (qsizetype length = 0; length < bytes.size(); length += 1) {
            const SessionText text = readSessionText(bytes.first(length));
            QVERIFY(!text.problem.isEmpty());
            // Where a document begins, and nothing more is lost than behind the cut.
            if (length > bytes.indexOf("\"edits\":[") + 400)
                QVERIFY2(!text.root[s("documents")].toArray()[0].toObject()[s("edits")].toArray().isEmpty(),
                         qPrintable(QString::number(length)));
        }
    }

    void largeFilesAreSessionsToo() {
        EditsFixture f;
        f.open();
        f.session->edits().begin({});
        f.session->edits().setNote(0, QString(100'000, u'x')); // the name of the field stands behind it
        const QString path = f.write(s("large.loopscope"), saved(f));
        f.restart();
        f.session->files().open({path});
        QVERIFY(f.idle());
        QCOMPARE(f.failures(), QString());
        QTRY_COMPARE(f.document().edited.size(), size_t{1});
    }

    void locksComeBack() {
        EditsFixture f;
        f.open();
        makeTree(f);
        f.session->selection().selectSchedule(edited(1));
        QCOMPARE(f.session->locks().toggle(s("split C i[0]")), QString());
        QCOMPARE(f.session->locks().toggle(s("place:C")), QString());
        const ScheduleLocks locks = f.document().locks;
        QCOMPARE(locks.all().size(), size_t{2});
        const std::optional<Steps> from = f.document().lockedFrom;
        QVERIFY(from.has_value());
        const QByteArray bytes = saved(f);
        f.reopen(bytes, Reading::Whole);
        QVERIFY(f.document().locks == locks);
        QVERIFY(f.document().lockedFrom == from);
        QByteArray damaged = bytes;
        damaged.replace("split C i[0]=", "split C i[q]=");
        f.reopen(damaged, Reading::Whole);
        QCOMPARE(f.document().locks.all().size(), size_t{1});
        QStringList warnings;
        for (const auto &message : f.session->messages().all()) warnings << message.text;
        QVERIFY2(warnings.join(u'|').contains(s("1 lock of matmul cannot be read")), qPrintable(warnings.join(u'|')));
    }

    /// Every value of the file, replaced by one of each type.
    void wrongTypesDoNoHarm() {
        EditsFixture f;
        f.open();
        makeTree(f);
        const QJsonObject root = f.session->file().json({});
        const QJsonArray nodes = root[s("documents")].toArray()[0].toObject()[s("edits")].toArray();
        const std::vector<QJsonValue> others = {
            QJsonValue(), true, -7, 1e300, s("{[\"x"), QJsonArray{1, s("a")}, QJsonObject{{s("a"), 1}}};
        const DagPtr dag = f.document().task->dag;
        for (qsizetype n = 0; n < nodes.size(); ++n)
            for (const QString &key : nodes[n].toObject().keys())
                for (const QJsonValue &other : others) {
                    QJsonArray changed = nodes;
                    QJsonObject node = nodes[n].toObject();
                    node[key] = other;
                    changed[n] = node;
                    const ReadEdits read = editsFromJson(dag, changed);
                    QCOMPARE(read.numbers.size(), size_t{4});
                    QCOMPARE(read.nodes.size() + static_cast<size_t>(read.lost), size_t{4});
                    for (size_t i = 0; i < read.nodes.size(); ++i) QVERIFY(read.nodes[i].parent < static_cast<int>(i));
                }
        for (const QString &key : root.keys())
            for (const QJsonValue &other : others) {
                QJsonObject changed = root;
                changed[key] = other;
                f.reopen(QJsonDocument(changed).toJson(), Reading::WhatCanBe);
            }
        const QJsonObject document = root[s("documents")].toArray()[0].toObject();
        for (const QString &key : document.keys())
            for (const QJsonValue &other : others) {
                QJsonObject changed = root;
                QJsonObject one = document;
                one[key] = other;
                changed[s("documents")] = QJsonArray{one};
                f.reopen(QJsonDocument(changed).toJson(), Reading::WhatCanBe);
            }
    }

    void flippedBytesDoNoHarm() {
        EditsFixture f;
        f.open();
        makeTree(f);
        const QByteArray bytes = saved(f);
        std::mt19937 random(20260); // the same every time
        for (int round = 0; round < 150; ++round) {
            QByteArray corrupt = bytes;
            for (int flips = 1 + round % 4; flips > 0; --flips) {
                const auto at = static_cast<qsizetype>(random() % static_cast<unsigned>(corrupt.size()));
                corrupt[at] = static_cast<char>(corrupt[at] ^ static_cast<char>(1U << (random() % 8)));
            }
            f.reopen(corrupt, Reading::WhatCanBe);
            // What came of it can be kept, and read again.
            QVERIFY(readSessionText(saved(f)).problem.isEmpty());
        }
    }
};

LOOPSCOPE_TEST(SessionEditsTest)

} // namespace session_edits_test
#include "session_edits_test.moc"
