/**
 * Sessions of other agents, in and out.
 *
 * @module
 */
export { type Exported, type ExportFormat, exportFormats, exportSession } from './export/export.ts';
export { type Imported, importSession } from './import/import.ts';
export type { ImportLimits } from './open.ts';
export { type Glimpse, glimpseSession } from './peek.ts';
export { type ImportFormat, importFormats } from './reading.ts';
export type { FormatWarning } from './report.ts';
export type { LiveTranscript } from './transcript/live.ts';
