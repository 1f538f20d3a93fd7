// Map of the module, all of it pure and serializable:
// - `source-item.ts`: what is on a path, with stable handles: the input of everything here; cut results are whole again
// - `frontier`, `calls`: a reducer over tool calls and results; what calls mean, shell commands included
// - `extract`: which lines are worth keeping: terms, segments, greedy choice, the document
// - `pins`, `human`: rules by wording and by document; human messages, decisions, problems
// - `claims`: whether a sentence reports what a person said or allowed
// - `secrets`, `shrink`, `search`: masking, messages in less space, finding places by words
// - `item-worker`: a thread that holds the items of a session and receives only what changed

// Items: messages of a session with their handles, and where a list of them may be cut.

export { type Cut, cutsOf } from './cuts.ts';
export { charsOf } from './item-length.ts';
export { createItemHost, type ItemHost } from './item-worker/host.ts';
export { serveItems } from './item-worker/serve.ts';
export { laterSystemItems, type SourceItem, sourceItems } from './source-item.ts';

// Tool calls and their results, as known agents write them.

export { readCall } from './calls/call.ts';
export { filesTouched, type Touch } from './calls/files-touched.ts';
export { finishesTask } from './calls/finishes-task.ts';
export type { FileChange } from './calls/patch.ts';
export { pathKey } from './calls/paths.ts';
export { isCut, resultText, withoutColors } from './calls/result-text.ts';
export type { FileRead } from './calls/shell/reads.ts';
export { toolKind } from './calls/tools.ts';
export { outputsOf, type ToolOutput } from './tool-outputs.ts';

// The frontier: tasks, commands, tests and files, derived from events.

export { advanceFrontier } from './frontier/advance.ts';
export { fileMap, noteChange, noteRead } from './frontier/files.ts';
export { createFrontier, type FileFact, type Frontier, type FrontierTask } from './frontier/frontier.ts';
export { type FrontierSection, type FrontierSectionName, frontierLines, frontierTitles } from './frontier/lines.ts';
export { type RecordedFile, recordedFiles } from './frontier/recorded-files.ts';

// Human messages, decisions, errors, and claims about people.

export { claimIn, withSource } from './claims/claims.ts';
export { spoken, visible } from './claims/perceived.ts';
export { decisionsIn } from './human/decisions.ts';
export { type Quotes, quoteHumans } from './human/quotes.ts';
export { type Trouble, troublesIn } from './human/troubles.ts';

// Rules that are kept verbatim.

export { checkPin } from './pins/check-pin.ts';
export { type ChosenPins, choosePins, pinLine, pinLines } from './pins/choose.ts';
export { gatherPins, type Pin, rulesOn } from './pins/pins.ts';
export { type Survival, survivalOf } from './pins/survival.ts';
export { unitsOf } from './pins/units.ts';

// Extractive selection and the document it is rendered into.

export { compose } from './extract/compose.ts';
export { guardedItem } from './extract/document/guarded.ts';
export { type SectionName, type Sections, sectionNames } from './extract/document/sections.ts';
export { partTitles } from './extract/document/titles.ts';
export { readItems, type SessionReading } from './extract/reading.ts';
export { share } from './extract/share.ts';

// Search within a session.

export { createSearch, findingsText, type Search, type SearchFinding, searchItems } from './search/search.ts';

// Masking of secrets.

export { createMask, type Mask } from './secrets/mask.ts';
export { maskedItems, maskJsonText } from './secrets/masked-items.ts';

// Reducing messages to a token limit.

export { fitAll } from './shrink/fit.ts';
export type { TokenCounter } from './shrink/reduce.ts';
export { shorten } from './shrink/shorten.ts';
export { withoutOldThinking } from './shrink/thinking.ts';
export { waterFill } from './shrink/water-fill.ts';
