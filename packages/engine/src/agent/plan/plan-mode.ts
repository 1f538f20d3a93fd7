import type { EngineSession } from '../../engine/index.ts';
import { LonghaulError } from '../../errors.ts';
import { isArray, isObject, type Json } from '../../json.ts';
import type { Message } from '../../message/index.ts';
import type { Session } from '../../session/index.ts';
import type { Tool, ToolSource } from '../tool.ts';
import { defineTool, toolText } from '../tools/define.ts';

/** A step of a plan. */
export interface PlanStep {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
}

/** A plan of the agent. It is working state: every change is in the log, and every summary carries it. */
export interface Plan {
  /** Markdown, as proposed or as the user edited it. */
  readonly text: string;
  readonly status: 'proposed' | 'approved';
  /** The items of its lists at the top level. */
  readonly steps: readonly PlanStep[];
}

/**
 * Plan mode of a session: the agent reads and proposes a plan; nothing changes until the user has approved it. It is a
 * source of the tool `plan`, which proposes a plan and later ticks off its steps.
 */
export interface PlanMode extends ToolSource {
  /** The plan as it is now. */
  readonly current: () => Plan | undefined;
  /** A prompt, with the instructions of plan mode while it is on. */
  readonly prompt: (message: Message) => Message;
  /** Replaces the plan by another proposal. */
  readonly propose: (text: string) => Promise<Plan>;
  /** In plan mode, an answer with a list is a proposal if there is no plan yet. */
  readonly takeAnswer: (text: string) => Promise<void>;
  /** Approves the plan, or an edited text in its place; returns the message that starts the work. */
  readonly approve: (of?: { readonly text?: string | undefined }) => Promise<Message>;
}

const longest = 40_000;
const mostSteps = 100;
const statuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const;
const signs = { pending: '[ ]', in_progress: '[~]', completed: '[x]', failed: '[!]', cancelled: '[-]' } as const;

const instructions =
  'Plan mode is on: you can read, search and ask, but change nothing. Find out what is needed, then propose a plan with the tool `plan`: Markdown with the goal, the files concerned and one list item for each step, in order. After that stop; the user approves or edits the plan, and only then the work begins.';

/**
 * Opens plan mode for a session, with the plan that is in its log.
 *
 * @example
 * const plans = await openPlanMode({ session, isPlanning: () => true });
 * const agent = await createAgent({ session, model, tools: [], toolSources: [plans] });
 */
export async function openPlanMode({
  session,
  isPlanning,
}: {
  readonly session: Pick<EngineSession, 'state' | 'pin'> & { readonly session: Pick<Session, 'read'> };
  /** Whether the agent must propose a plan before it works. */
  readonly isPlanning: () => boolean;
}): Promise<PlanMode> {
  let plan = await readPlan(session.session);
  const save = async (next: Plan): Promise<Plan> => {
    plan = next;
    const { text, status, steps } = next;
    await session.state({ plan: { text, status, steps: steps.map((step) => ({ ...step })) } });
    return next;
  };
  const propose = async (text: string) => await save({ text: checked(text), status: 'proposed', steps: stepsOf(text) });
  const tool = planTool({ isPlanning, plan: () => plan, propose, save });
  return {
    // Once a session has a plan, its tools stay the same: the prefix of requests does too.
    tools: () => (isPlanning() || plan ? [tool] : []),
    current: () => plan,
    prompt: (message) =>
      isPlanning()
        ? { ...message, parts: [...message.parts, { type: 'text', origin: 'engine', text: instructions }] }
        : message,
    propose,
    async takeAnswer(text) {
      if (isPlanning() && !plan && stepsOf(text).length > 0) await propose(text);
    },
    async approve({ text: edited } = {}) {
      const text = edited ?? plan?.text;
      if (text === undefined) throw noPlan();
      await save({ text: checked(text), status: 'approved', steps: stepsOf(text) });
      // A plan that is too long for a pin is still in the working state, which every summary carries.
      await session.pin({ text: `Follow the approved plan:\n${text}` }).catch(() => undefined);
      return {
        role: 'user',
        parts: [
          { type: 'text', origin: 'human', text: `I approve this plan:\n\n${text}` },
          {
            type: 'text',
            origin: 'engine',
            text: 'Carry out the approved plan. When a step begins or ends, record it with the tool `plan` (step and status).',
          },
        ],
      };
    },
  };
}

function planTool(of: {
  readonly isPlanning: () => boolean;
  readonly plan: () => Plan | undefined;
  readonly propose: (text: string) => Promise<Plan>;
  readonly save: (plan: Plan) => Promise<Plan>;
}): Tool {
  type Target =
    | { readonly kind: 'propose'; readonly text: string }
    | { readonly kind: 'tick'; readonly step: number; readonly status: PlanStep['status'] };
  return defineTool<Target>({
    name: 'plan',
    isBound: true,
    description:
      'Proposes a plan for approval by the user (text), or records the progress of an approved plan (step and status).',
    properties: {
      text: { type: 'string', description: 'The whole plan in Markdown, with one list item for each step.' },
      step: { type: 'integer', description: 'The number of a step, from 1.' },
      status: { type: 'string', enum: statuses },
    },
    target: (args) => {
      const text = args.text('text');
      const step = args.whole({ name: 'step' });
      if (text !== undefined) {
        if (!of.isPlanning() && of.plan()?.status === 'approved')
          throw badPlan('The plan is approved, so only the user can change it. Record progress with step and status.');
        return { kind: 'propose', text: checked(text) };
      }
      const status = statuses.find((known) => known === args.text('status'));
      if (step === undefined || status === undefined) throw badPlan('plan needs text, or step and status.');
      return { kind: 'tick', step, status };
    },
    run: async ({ target }) => {
      if (target.kind === 'propose') {
        const plan = await of.propose(target.text);
        return toolText(
          `The plan was recorded with ${plan.steps.length} steps. Stop now: the user reads it, may edit it, and approves it.`,
          { plan: { text: plan.text, status: plan.status } },
        );
      }
      const plan = of.plan();
      if (!plan?.steps[target.step - 1]) throw badPlan(`There is no step ${target.step}.`);
      const steps = plan.steps.map((step, at) => (at === target.step - 1 ? { ...step, status: target.status } : step));
      await of.save({ ...plan, steps });
      return toolText(
        ['Plan:', ...steps.map((step, at) => `${at + 1}. ${signs[step.status]} ${step.content}`)].join('\n'),
      );
    },
  });
}

/** The newest plan in the log. */
async function readPlan(session: Pick<Session, 'read'>): Promise<Plan | undefined> {
  const notes = await session.read({ types: ['working_state'] });
  const states = notes.flatMap((note) =>
    note.type === 'working_state' && 'plan' in note.state ? [note.state.plan] : [],
  );
  return planIn(states.at(-1));
}

/** Sessions of other agents may have a plan of another form. */
function planIn(value: Json | undefined): Plan | undefined {
  if (!isObject(value) || typeof value.text !== 'string') return undefined;
  const { text, status, steps } = value;
  const known = isArray(steps) ? steps.flatMap((step) => stepIn(step) ?? []) : stepsOf(text);
  return { text, status: status === 'approved' ? 'approved' : 'proposed', steps: known };
}

function stepIn(value: Json): PlanStep | undefined {
  if (!isObject(value) || typeof value.content !== 'string') return undefined;
  return { content: value.content, status: statuses.find((known) => known === value.status) ?? 'pending' };
}

/** The items of lists at the top level. Ticks in the text count: an edited plan may have some. */
function stepsOf(text: string): PlanStep[] {
  const items = text.split('\n').flatMap((line) => {
    const [, box, content] = /^ ?(?:[-*+]|\d{1,3}[.)])\s+(?:\[([ xX~!-])\]\s+)?(\S.*)$/.exec(line) ?? [];
    if (content === undefined) return [];
    const status = statuses.find((known) => signs[known] === `[${box?.toLowerCase()}]`) ?? 'pending';
    return [{ content: content.trim().slice(0, 500).toWellFormed(), status }];
  });
  return items.slice(0, mostSteps);
}

function checked(text: string): string {
  if (text.trim() === '') throw badPlan('The plan is empty.');
  if (text.length > longest) throw badPlan(`The plan has ${text.length} characters; the limit is ${longest}.`);
  return text.trim();
}

function badPlan(message: string): LonghaulError {
  return new LonghaulError({ code: 'bad-arguments', message, hint: 'Give the plan as Markdown with list items.' });
}

function noPlan(): LonghaulError {
  return new LonghaulError({
    code: 'no-plan',
    message: 'This session has no plan to approve.',
    hint: 'Let the agent propose one: longhaul -p "…" --mode plan',
  });
}
