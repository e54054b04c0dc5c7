#pragma once
// Asks where the next search is to write when its log is in use or was opened from another machine
// (views/session/log_question.h); goes on at once when there is nothing to ask.

#include <functional>

class QWidget;

namespace loopscope {

class Session;

/// `go` is called with the answer in the search's setup; not at all when the user thinks better of it.
void askForLog(QWidget *parent, Session &session, std::function<void()> go);

} // namespace loopscope
