import { outline } from './sections.ts';
import { tags } from './tags.ts';

/** What is to be summarised: the conversation itself, a record of it, one piece of a long record, or summaries of all. */
export type Form = 'live' | 'record' | 'piece' | 'pieces';

const subjects: Readonly<Record<Form, string>> = {
  live: 'Stop here. Compact now: everything above this message is about to be replaced by a summary, and you write it. This message does not come from the person you work for, and it is no part of the task. Do not go on with the work, and call no tool: answer with text only.',
  record: `Write the summary that will stand for the conversation above.`,
  piece: `The conversation is long, and this is one piece of it. Write the summary of this piece; the summaries of all pieces will be put together later.`,
  pieces: `The conversation was too long to be shown. Each <${tags.parts}> above summarises one piece of it, oldest first. Put them together into one summary: what a later piece says holds where they differ.`,
};

/** How an earlier summary is treated. */
const update = `An earlier summary is given. Write it anew so that it is true now: keep what still holds, correct what changed, move what was finished from the plan to the progress, and drop what no longer matters. Do not add a summary to a summary.`;

/** A model that sees no tools refused stops trying to call them. */
const noTools = 'Call no tool, whatever was said before. A call is not an answer: only text is read.';

const rules = `How to write it:
- Be exact. Names, paths, commands, numbers, versions and messages of errors stand as they stood, or not at all. What you are not sure of, leave out.
- Give reasons and connections: why something was done, what followed from what, what was ruled out. Lists of files, commands with their exit codes, rules, and the words of people are added to your text by a program; do not repeat them for their own sake.
- Do not report what the user said, asked for, wants or approved: their messages stand beside your text, word for word. Where it cannot be avoided, quote a whole sentence of theirs in double quotation marks, letter by letter.
- Never say that something was approved, allowed or agreed on. Never say that something is finished or works unless a result shows it.
- Do not mention this request, nor that you summarise.`;

/**
 * The instructions that stand last in a request for a summary.
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
  readonly form: Form;
  /** How long it may be at most. */
  readonly words: number;
  readonly isUpdate: boolean;
  readonly forbidsTools: boolean;
  /** What a hook says in place of how to write it. */
  readonly instead?: string | undefined;
  readonly focus?: string | undefined;
}): string {
  const shape = `First think it through between <${tags.analysis}> and </${tags.analysis}>: go through the conversation in order, and note for each stretch what was done, what came of it and what is open; look twice at the latest commands and results. This part is thrown away.

Then write the summary, at most ${words} words, in English, in exactly this form, leaving out sections of which there is nothing to say:

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
