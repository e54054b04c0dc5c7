#pragma once
// The Help menu, and the settings: shortcuts, version, preferences.

namespace loopscope {

struct WindowParts;

/// Registers the actions; they live as long as the window.
void addHelpCommands(const WindowParts &parts);

} // namespace loopscope
