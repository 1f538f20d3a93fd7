import {
  createPermissions,
  type PermissionAnswer,
  type PermissionRequest,
  type Permissions,
  parseRule,
} from 'longhaul/agent';
import { type ConsentFlags, marked, placeText, savedRule } from '../../agent/consent.ts';
import type { RememberedRules } from '../../agent/remembered-rules.ts';
import type { Io } from '../../io/io.ts';
import type { ConsentAnswer, ConsentQuestion, InteractiveMode } from './view.ts';

/** The modes that `Shift-Tab` cycles through. */
const cycle: readonly InteractiveMode[] = ['ask', 'auto-edit', 'plan', 'read-only'];

interface OpenQuestion {
  readonly question: ConsentQuestion;
  readonly resolve: (answer: PermissionAnswer) => void;
}

/**
 * The permissions of an interactive session: a mode that can be changed at any time, rules that grow, and questions that
 * wait for the user as values. A question is decided again when the mode or the rules change.
 *
 * @example
 * const consent = new ConsentQueue({ io, cwd, flags, onAsked, onAnswered });
 * const agent = await openAgent({ permissions: consent.permissions, ... });
 * consent.answer({ id: consent.questions[0].id, answer: { kind: 'yes' } });
 */
export class ConsentQueue {
  readonly #of: ConsentQueueInput;
  readonly #rules: string[];
  /** Rules of the command that is worked on. */
  #temporary: readonly string[] = [];
  readonly #open = new Map<string, OpenQuestion>();
  /** By mode and folder. */
  readonly #known = new Map<string, Permissions>();
  /** Calls that are decided again. */
  readonly #again = new Set<string>();
  #mode: InteractiveMode;
  #asked = 0;

  constructor(of: ConsentQueueInput) {
    this.#of = of;
    this.#mode = of.flags.mode;
    this.#rules = [...(of.remembered?.rules ?? []), ...of.flags.allow];
  }

  get mode(): InteractiveMode {
    return this.#mode;
  }

  /** The rules that allow calls, those of the settings and those added since. */
  get rules(): readonly string[] {
    return this.#rules;
  }

  get questions(): readonly ConsentQuestion[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  get permissions(): Permissions {
    return this.permissionsIn(this.#of.cwd);
  }

  /** The permissions of an agent that works in another folder. */
  permissionsIn(cwd: string): Permissions {
    return {
      decide: async (request, signal, preview) => {
        for (;;) {
          const decision = await this.#permissionsFor(cwd).decide(request, signal, preview);
          if (!this.#again.delete(request.callId)) return decision;
        }
      },
    };
  }

  setMode(mode: InteractiveMode): void {
    this.#mode = mode;
    this.#decideAgain();
  }

  /** The next mode of the cycle; any other mode is left for the first. */
  nextMode(): InteractiveMode {
    return cycle[(cycle.indexOf(this.#mode) + 1) % cycle.length] ?? 'ask';
  }

  /** Answers a question. An invalid rule is an error, and the question stays. */
  async answer({ id, answer }: { readonly id: string; readonly answer: ConsentAnswer }): Promise<void> {
    const open = this.#open.get(id);
    if (!open) return;
    const rule = answer.kind === 'always' ? answer.rule?.trim() || open.question.rule : undefined;
    if (answer.kind !== 'always' || rule === undefined) {
      this.#settle({ id, answer: plainAnswer(answer) });
      return;
    }
    await this.allow({ rule, scope: answer.scope ?? 'run' });
  }

  /** Adds a rule. Open questions that it covers are answered by it. */
  async allow({ rule, scope }: { readonly rule: string; readonly scope: 'run' | 'folder' }): Promise<void> {
    const { cwd, io, remembered } = this.#of;
    parseRule({ text: rule, cwd, home: io.home });
    if (!this.#rules.includes(rule)) this.#rules.push(rule);
    if (scope === 'folder') await remembered?.add(rule);
    this.#known.clear();
    this.#decideAgain();
  }

  /** Replaces the rules that hold until the current run ends. */
  allowDuringRun(rules: readonly string[]): void {
    if (rules.length === 0 && this.#temporary.length === 0) return;
    this.#temporary = rules;
    this.#known.clear();
  }

  #decideAgain(): void {
    for (const [id, { question }] of this.#open) {
      this.#again.add(question.callId);
      this.#settle({ id, answer: { deny: 'it is decided again' } });
    }
  }

  #settle({ id, answer }: { readonly id: string; readonly answer: PermissionAnswer }): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    open.resolve(answer);
    this.#of.onAnswered(open.question);
  }

  #permissionsFor(cwd: string): Permissions {
    const mode = this.#mode;
    const key = JSON.stringify([mode, cwd]);
    const known = this.#known.get(key);
    if (known) return known;
    const { flags, io } = this.#of;
    const permissions = createPermissions({
      mode,
      allow: [...this.#rules, ...this.#temporary],
      deny: flags.deny,
      folders: cwd === this.#of.cwd ? flags.folders : [],
      cwd,
      home: io.home,
      approver: (request, signal) => this.#ask(request, signal),
    });
    this.#known.set(key, permissions);
    return permissions;
  }

  #ask(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer> {
    this.#asked += 1;
    const question = questionOf({ id: `question:${this.#asked}`, request, of: this.#of });
    return new Promise((resolve) => {
      this.#open.set(question.id, { question, resolve });
      const abort = () => this.#settle({ id: question.id, answer: { deny: 'the run ended before it was answered' } });
      signal.addEventListener('abort', abort, { once: true });
      this.#of.onAsked(question);
      if (signal.aborted) abort();
    });
  }
}

/** An answer without a rule. */
function plainAnswer(answer: ConsentAnswer): PermissionAnswer {
  if (answer.kind === 'no') return { deny: answer.reason?.trim() || 'the user said no' };
  return answer.kind === 'yes' ? 'allow' : 'always';
}

interface ConsentQueueInput {
  readonly io: Pick<Io, 'home' | 'platform'>;
  readonly cwd: string;
  readonly flags: ConsentFlags;
  readonly remembered: RememberedRules | undefined;
  readonly onAsked: (question: ConsentQuestion) => void;
  readonly onAnswered: (question: ConsentQuestion) => void;
}

function questionOf(given: {
  readonly id: string;
  readonly request: PermissionRequest;
  readonly of: Pick<ConsentQueueInput, 'io' | 'cwd'>;
}): ConsentQuestion {
  const { id, request } = given;
  const { io, cwd } = given.of;
  const { access, callId, tool, summary, reason = '', preview } = request;
  const rule = savedRule({ request, cwd, io });
  const kinds = {
    execute: 'command',
    write: 'change',
    read: 'read',
    fetch: 'other',
    remote: 'other',
    none: 'other',
  } as const;
  return {
    id,
    callId,
    tool,
    kind: kinds[access.kind],
    summary: marked(summary),
    reason: marked(reason),
    ...(access.kind === 'execute' && {
      command: access.command.split('\n').map(marked).join('\n'),
      place: placeText(access),
    }),
    ...(preview !== undefined && { diff: preview }),
    ...(rule !== undefined && { rule }),
    request,
  };
}
