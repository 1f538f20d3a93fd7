/**
 * Sessions of other agents, in and out.
 *
 * @module
 */
export { type Exported, type ExportFormat, exportFormats, exportSession } from './export.ts';
export { type Imported, importSession } from './import/import.ts';
export type { ImportLimits } from './open.ts';
export { type ImportFormat, importFormats } from './parsed-session.ts';
export { peekSession, type SessionPeek } from './peek.ts';
export type { LiveTranscript } from './transcript/write.ts';
export type { FormatWarning } from './warnings.ts';
