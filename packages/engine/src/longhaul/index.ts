export { createLonghaul, type Longhaul } from './longhaul.ts';
export type {
  CommitInput,
  Committed,
  LonghaulSession,
  PreparedRequest,
  RequestInput,
} from './longhaul-session.ts';
export type { LonghaulOptions } from './options.ts';
