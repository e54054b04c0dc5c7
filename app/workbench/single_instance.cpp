#include "single_instance.h"

#include <QCryptographicHash>
#include <QDataStream>
#include <QIODevice>
#include <QLocalSocket>

#include <unistd.h>

namespace loopscope {

namespace {
constexpr int kFarewell = 12000; // ms for a window that waits for its search to end
constexpr int kPatience = 1500;  // ms for an answer of a window that may be busy starting
} // namespace

SingleInstance::SingleInstance(const QString &settingsFolder, QObject *parent) : QObject(parent) {
    const QString meeting =
        QStringLiteral("%1|%2|%3|%4")
            .arg(getuid())
            .arg(qEnvironmentVariable("DISPLAY"), qEnvironmentVariable("WAYLAND_DISPLAY"), settingsFolder);
    m_name = QStringLiteral("loopscope-") +
             QString::fromLatin1(QCryptographicHash::hash(meeting.toUtf8(), QCryptographicHash::Sha1).toHex().left(16));
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    connect(&m_server, &QLocalServer::newConnection, this, &SingleInstance::take);
}

bool SingleInstance::handOver(const QStringList &files, bool compare) {
    QLocalSocket socket;
    socket.connectToServer(m_name);
    if (!socket.waitForConnected(300)) return false;
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream << files << compare;
    QDataStream frame(&socket); // length first, so that the other end knows when it has all
    frame << bytes;
    socket.flush();
    // Without an answer nobody took them, and this process opens its own window.
    if (!socket.waitForReadyRead(kPatience)) return false;
    const QByteArray answer = socket.readAll();
    // It is on its way out: what it still writes is what this process begins with.
    if (answer == "closing" && socket.state() == QLocalSocket::ConnectedState) socket.waitForDisconnected(kFarewell);
    return answer == "ok";
}

bool SingleInstance::listen() {
    // A server that listens would be pushed aside without a word.
    QLocalSocket probe;
    probe.connectToServer(m_name);
    if (probe.waitForConnected(300)) return false;
    QLocalServer::removeServer(m_name); // left behind by a crash
    return m_server.listen(m_name);
}

void SingleInstance::take() {
    while (QLocalSocket *socket = m_server.nextPendingConnection()) {
        if (m_closing) {
            socket->write("closing");
            socket->flush();
            continue; // ends with this process
        }
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        const auto read = [this, socket] {
            QDataStream stream(socket);
            stream.startTransaction();
            QByteArray bytes;
            stream >> bytes;
            if (!stream.commitTransaction()) return; // more is to come
            QStringList files;
            bool compare = false;
            QDataStream order(bytes);
            order >> files >> compare;
            socket->write("ok");
            socket->flush();
            Q_EMIT received(files, compare);
        };
        connect(socket, &QLocalSocket::readyRead, this, read);
        if (socket->bytesAvailable() > 0) read();
    }
}

} // namespace loopscope
