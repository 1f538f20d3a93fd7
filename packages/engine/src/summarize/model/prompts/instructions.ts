import { type SectionName, sectionNames } from '../../../analysis/index.ts';
import { tags } from './tags.ts';

/** What is to be summarized: the conversation itself, a record of it, one piece of a long record, or summaries of all. */
export type PromptForm = 'live' | 'record' | 'piece' | 'pieces';

const subjects: Readonly<Record<PromptForm, string>> = {
  live: 'Compact now. Stop the current work: everything above this message will be replaced by a summary, and you write that summary in this answer. This message comes from the engine, not from the person you work for, and it is not part of the task. Do not continue the work and do not call tools. Answer with text only.',
  record: 'Write the summary that will replace the conversation above.',
  piece:
    'The conversation is long and is summarized in pieces. Write the summary of this piece. The summaries of all pieces will be combined later.',
  pieces: `The conversation was too long to be shown at once. Each <${tags.parts}> above summarizes one piece of it, oldest first. Combine them into one summary. Where they differ, the later piece is right.`,
};

/** How to treat an earlier summary. */
const update =
  'An earlier summary is given. Rewrite it so that it is true now: keep what still holds, correct what has changed, move finished work from the plan to the progress, and leave out what no longer matters. Return one complete summary, not an addition to the earlier one.';

/** For models that otherwise try to call tools. */
const noTools = 'Do not call any tool, whatever was said before. Only text is read.';

const rules = `The engine adds to your text, by itself: the messages of people, quoted word for word; the rules they set; the lists of files read and changed; the task list; the last commands with their exit codes; the results of tests; selected lines of the record. You write what these parts do not tell: purpose, reasons, connections, causes, and the state of the work.

How to write it:
- Copy names, paths, commands, numbers, versions and error messages exactly as they are in the record.
- State as a fact only what the record shows. Where something matters and is unknown, unproven or not understood, say so in these words. Do not guess.
- Give reasons and connections: why something was done, what caused what, which alternatives were ruled out and why.
- Name a file, a command or a test where you explain something about it. Do not list them for completeness.
- Do not report what people said, asked for, want, decided or approved, also not indirectly ("as requested", "it was agreed", "the approved plan"): their messages stand next to your text. State the result as a property of the work: "The exporter writes CSV", not "The user asked for CSV". Where their wording matters, quote one whole sentence of theirs in double quotation marks, letter by letter, without saying what they meant by it.
- Call something finished, fixed or passing only if a result in the record shows it.
- Do not give rules or orders to the reader. Steps belong in the continuation plan.
- Use only the headings below. No handles such as @12, no tables, no HTML.
- Write English, in the third person. Do not mention this request.`;

/**
 * The instructions at the end of a summary request.
 *
 * @example
 * instructionsFor({ form: 'record', words: 900, isUpdate: false, forbidsTools: false });
 */
export function instructionsFor({
  form,
  words,
  isUpdate,
  forbidsTools,
  instead,
  focus,
}: {
  readonly form: PromptForm;
  /** The maximum length. */
  readonly words: number;
  readonly isUpdate: boolean;
  readonly forbidsTools: boolean;
  /** A hook's replacement for the writing rules. */
  readonly instead?: string | undefined;
  readonly focus?: string | undefined;
}): string {
  const shape = `First work through the record between <${tags.analysis}> and </${tags.analysis}>: go through it in order and note for each stretch what was done, what the result was and what is open; check the latest commands and results twice. The analysis is thrown away.

Then write the summary, at most ${words} words, in exactly this form. Leave out sections that would be empty.

<${tags.summary}>
<${tags.title}>at most eight words</${tags.title}>
<${tags.short}>one sentence for a list</${tags.short}>
${outline()}
</${tags.summary}>`;
  return [
    subjects[form],
    ...(isUpdate ? [update] : []),
    instead ?? rules,
    shape,
    ...(focus === undefined ? [] : [`Additional focus: ${focus}`]),
    ...(forbidsTools ? [noTools] : []),
  ].join('\n\n');
}

/** The purpose of each section. */
const purposes: Readonly<Record<SectionName, string>> = {
  overview: 'The purpose of the work and how it changed. Two to five sentences.',
  'technical foundation':
    'Languages, frameworks, versions, architecture and conventions that matter for the work, with the reasons for them.',
  'codebase status':
    'For each file that you have something to explain about: its role, what was changed in it and why, and its present state.',
  'problem resolution':
    'What went wrong, the cause and the solution; what was tried without success; what is not understood yet.',
  progress: 'What is finished and which result shows it; what is partly done; what was given up and why.',
  'active work': 'What was being done at the very end: the function, the command, the value.',
  'recent operations': 'The last steps and their results, with figures.',
  'continuation plan':
    'The next steps in order, precise enough to start with. A choice that has been made is a fact, not a question: build on it.',
};

/** The sections as the model should write them. */
function outline(): string {
  return sectionNames
    .map((name) => `## ${name.charAt(0).toUpperCase()}${name.slice(1)}\n(${purposes[name]})`)
    .join('\n');
}
