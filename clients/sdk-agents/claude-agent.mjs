import { query } from '@anthropic-ai/claude-agent-sdk';

/** Claude Agent SDK: Claude Code as a library. */
export const agents = {
  'claude-agent': async ({ prompt, history }) => {
    const options = {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      ...(history !== undefined && { resume: history }),
    };
    for await (const message of query({ prompt, options }))
      if (message.type === 'result') return { text: message.result, history: message.session_id };
    return { text: '', history };
  },
};
