import { type Frontier, type FrontierTask, type SectionName, sectionNames, spoken } from '../../analysis/index.ts';
import type { Narrative } from '../summarizer.ts';
import { blocksOf } from './blocks.ts';
import { sentencesOf } from './sentences.ts';

/** A narrative that agrees with the frontier. */
export interface ReconciledNarrative {
  /** Without sentences that the frontier refutes. */
  readonly narrative: Narrative;
  /** The same, with notes after sentences that the frontier contradicts, for the document. */
  readonly noted: Narrative;
}

/**
 * Checks a narrative against the frontier: removes finished or abandoned work from the plan and the active work, and adds
 * notes to statements about tests, commands, tasks and files that the frontier contradicts.
 *
 * @example
 * const { noted } = agreeWith({ narrative, frontier });
 */
export function reconcileNarrative({
  narrative,
  frontier,
}: {
  readonly narrative: Narrative;
  readonly frontier: Frontier;
}): ReconciledNarrative {
  const facts = factsOf(frontier);
  const kept: Partial<Record<SectionName, string>> = {};
  const noted: Partial<Record<SectionName, string>> = {};
  for (const section of sectionNames) {
    const text = narrative.sections[section];
    if (text === undefined) continue;
    const checked = check({ text, section, facts });
    if (checked.kept !== '') kept[section] = checked.kept;
    if (checked.noted !== '') noted[section] = checked.noted;
  }
  return { narrative: { ...narrative, sections: kept }, noted: { ...narrative, sections: noted } };
}

interface FrontierFacts {
  readonly tasks: readonly (FrontierTask & { readonly words: ReadonlySet<string> })[];
  readonly frontier: Frontier;
}

function factsOf(frontier: Frontier): FrontierFacts {
  return { frontier, tasks: frontier.tasks.map((task) => ({ ...task, words: new Set(contentWords(task.text)) })) };
}

function check({
  text,
  section,
  facts,
}: {
  readonly text: string;
  readonly section: SectionName;
  readonly facts: FrontierFacts;
}): { readonly kept: string; readonly noted: string } {
  const kept: string[] = [];
  const noted: string[] = [];
  for (const { kind, raw, mark, text: block } of blocksOf(text)) {
    if (kind === 'blank' || kind === 'table') {
      kept.push(raw);
      noted.push(raw);
      continue;
    }
    const sentences = sentencesOf(block);
    const left = sentences.filter((sentence) => !isRefuted({ sentence, section, facts }));
    const withNotes = left.map((sentence) => {
      const note = noteOn({ sentence, section, facts });
      return note === undefined ? sentence : `${sentence} [By the record: ${note}.]`;
    });
    const whole = left.length === sentences.length ? raw : left.length === 0 ? undefined : `${mark}${left.join(' ')}`;
    if (whole === undefined) continue;
    kept.push(whole);
    noted.push(withNotes.join() === left.join() ? whole : `${mark}${withNotes.join(' ')}`);
  }
  return { kept: kept.join('\n').trim(), noted: noted.join('\n').trim() };
}

const ahead: ReadonlySet<SectionName> = new Set(['active work', 'continuation plan']);
/** Sections about the past; the others describe the present. */
const past: ReadonlySet<SectionName> = new Set(['problem resolution', 'recent operations']);

const isDone =
  /\b(?:done|finished|complete[d]?|implemented|ticked off|closed|resolved|landed|merged|shipped|given up|dropped|cancell?ed|abandoned|skipped|already|no longer)\b/;
const isOpen =
  /\b(?:not (?:yet )?(?:done|finished|complete\w*|started|begun|implemented|written|fixed)|un(?:finished|done)|still (?:open|to do|missing|left|to be)|remains?|remaining|to be (?:done|written|implemented|fixed)|pending|in progress|in the works|half done|is being|are being|under way|next up|comes next|to do)\b/;

/** Whether a sentence presents finished work as open. */
function isRefuted({
  sentence,
  section,
  facts: { tasks },
}: {
  readonly sentence: string;
  readonly section: SectionName;
  readonly facts: FrontierFacts;
}): boolean {
  const words = spoken(sentence.replaceAll('`', ' '));
  const task = taskIn({ words, tasks });
  if (task?.status !== 'done' && task?.status !== 'abandoned') return false;
  if (isOpen.test(words)) return !past.has(section);
  return ahead.has(section) && !isDone.test(words);
}

function noteOn({
  sentence,
  section,
  facts: { frontier, tasks },
}: {
  readonly sentence: string;
  readonly section: SectionName;
  readonly facts: FrontierFacts;
}): string | undefined {
  if (past.has(section)) return undefined;
  const words = spoken(sentence.replaceAll('`', ' '));
  return (
    noteOnRuns({ words, frontier }) ??
    noteOnFiles({ words, frontier }) ??
    (section === 'progress' ? noteOnTasks({ words, tasks }) : undefined)
  );
}

const checks =
  /\b(?:tests?|suites?|specs?|checks?|lint(?:er|ing)?|builds?|type ?check(?:s|er|ing)?|compilation|ci|compiles|pipeline)\b/;
const fails =
  /\b(?:fails?|failing|(?:is|are|still|stays?|remains?) (?:red|broken)|(?:does|do) not (?:pass|compile|build)|don't pass|doesn't (?:pass|compile|build))\b/;
const passes =
  /\b(?:pass|passes|passing|succeeds?|(?:is|are|all|stays?|everything) (?:green|clean)|all tests passed)\b/;
const negated = /\b(?:not|no|never|without|unless|until|whether|if|should|must|fail\w*|expected to)\b/;

/** Compares statements about tests and commands with their last results. */
function noteOnRuns({ words, frontier }: { readonly words: string; readonly frontier: Frontier }): string | undefined {
  const isBad = fails.test(words);
  const isGood = !isBad && passes.test(words) && !negated.test(words);
  if (!isBad && !isGood) return undefined;
  const isNamed = ({ command }: { readonly command: string }) => {
    const name = spoken(command.replaceAll('`', ' '));
    return name.length >= 3 && words.includes(name);
  };
  const tests = frontier.tests.filter(({ result }) => result !== 'unknown');
  const named = tests.filter(isNamed);
  const runs = named.length > 0 ? named : checks.test(words) ? tests : [];
  if (runs.length > 0) {
    const wrong = isBad ? 'passed' : 'failed';
    const last = runs.at(-1);
    return last && runs.every(({ result }) => result === wrong)
      ? `${last.command} last ${wrong}, @${last.handle}`
      : undefined;
  }
  const last = frontier.commands.findLast((run) => isNamed(run) && (run.state === 'ok' || run.state === 'failed'));
  if (!last || (last.state === 'ok') !== isBad) return undefined;
  return `${last.command} last ended ${last.exit === undefined ? (last.state === 'ok' ? 'well' : 'badly') : `with exit code ${last.exit}`}, @${last.handle}`;
}

const isGone = /\b(?:delet\w*|remov\w*|gone|no longer|dropp\w*|moved|renam\w*|replac\w*|restor\w*|recreat\w*)\b/;

/** A deleted file that is described as present. */
function noteOnFiles({ words, frontier }: { readonly words: string; readonly frontier: Frontier }): string | undefined {
  if (isGone.test(words)) return undefined;
  const file = frontier.files.findLast(({ path, isDeleted }) => {
    const name = path.toLowerCase();
    return (
      isDeleted &&
      name.length >= 5 &&
      new RegExp(`(?:^|[^\\w./-])(?:\\./)?${escapedPath(name)}(?![\\w/-]|\\.\\w)`).test(words)
    );
  });
  return file && `${file.path} was deleted, @${file.changed}`;
}

/** An open task that is described as done: noted, not removed, because task lists are often outdated. */
function noteOnTasks({
  words,
  tasks,
}: {
  readonly words: string;
  readonly tasks: FrontierFacts['tasks'];
}): string | undefined {
  const task = taskIn({ words, tasks });
  if (!task || (task.status !== 'open' && task.status !== 'active')) return undefined;
  return isDone.test(words) && !isOpen.test(words) && !/\bnot\b/.test(words)
    ? `the task list has this ${task.status}, @${task.handle}`
    : undefined;
}

/** Share of a task's words that a sentence must contain. */
const share = 0.75;

/** The task that a sentence is about: most words in common, unfinished tasks preferred. */
function taskIn({ words, tasks }: { readonly words: string; readonly tasks: FrontierFacts['tasks'] }) {
  const found = new Set(contentWords(words));
  let best: FrontierFacts['tasks'][number] | undefined;
  let most = 0;
  for (const task of tasks) {
    const common = [...task.words].filter((word) => found.has(word)).length;
    if (task.words.size < 2 || common < Math.max(2, Math.ceil(task.words.size * share))) continue;
    const isBetter = common > most || (common === most && best !== undefined && isFinished(best) && !isFinished(task));
    if (isBetter) [best, most] = [task, common];
  }
  return best;
}

function isFinished({ status }: FrontierTask): boolean {
  return status === 'done' || status === 'abandoned' || status === 'failed';
}

const stopWords = new Set(
  'the a an and or of to in on for with by from at as is are be it its this that into all new'.split(' '),
);

/** Irregular forms of verbs that tasks often begin with. */
const irregular: Readonly<Record<string, string>> = {
  written: 'write',
  wrote: 'write',
  built: 'build',
  made: 'make',
  ran: 'run',
  sent: 'send',
  found: 'find',
  kept: 'keep',
  got: 'get',
  begun: 'begin',
  drawn: 'draw',
  chosen: 'choose',
  taken: 'take',
  broken: 'break',
};

function contentWords(text: string): string[] {
  return (spoken(text.replaceAll('`', ' ')).match(/[\p{L}\p{N}][\p{L}\p{N}.]*/gu) ?? [])
    .map((word) => word.replace(/(?<!\.)\.+$/, ''))
    .filter((word) => !stopWords.has(word))
    .map((word) => irregular[word] ?? word)
    .map((word) => (word.length > 4 ? word.replace(/(?:ing|ed|es|s|e)$/, '') : word));
}

function escapedPath(path: string): string {
  return path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
