/**
 * The version of what turns entries into sent bytes: the codecs of `longhaul/message` and the sentences around
 * summaries. Every epoch entry records it. Raise it with any change of bytes for messages that could be sent before.
 */
export const codecVersion = 1;
