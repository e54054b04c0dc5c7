// Exists for its precompiled headers alone, which tests share.
