export { createLonghaul, type Longhaul, type LonghaulOptions } from './longhaul.ts';
export type {
  CommitInput,
  Committed,
  LonghaulSession,
  PreparedRequest,
  RequestInput,
} from './longhaul-session.ts';
