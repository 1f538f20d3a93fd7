import type { LinesFormat } from '../format.ts';
import { isCopilotEvent } from './event.ts';
import { readCopilot } from './header.ts';

/** The events of a session of the Copilot CLI, or a transcript of VS Code Chat, which writes the same. */
export const copilot: LinesFormat = {
  kind: 'lines',
  name: 'copilot',
  isRecord: isCopilotEvent,
  startsLike: /^\{\s*"type"\s*:\s*"session\.start"/,
  read: readCopilot,
};
