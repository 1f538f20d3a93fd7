import { isArray, isObject, type Json, type JsonObject } from '../json.ts';

/** Maximum characters of one member: a skill or the instructions of an agent may be long. */
const maxChars = 4_000;

const signs: Readonly<Record<string, string>> = {
  pending: '[ ]',
  in_progress: '[~]',
  completed: '[x]',
  failed: '[!]',
  cancelled: '[-]',
};

/**
 * The working state of an agent (D13, D22) in lines: the active agent with its instructions, plan, todos, invoked skills,
 * the structure of an open notebook, and any other members passed to `session.state()`, as JSON.
 *
 * @example
 * stateLines({ agent: { name: 'reviewer' }, plan: 'the lexer first' }); // ['Active agent: reviewer', 'Plan: the lexer first']
 */
export function stateLines(state: Json): string[] {
  if (typeof state === 'string') return [cut(state)];
  if (!isObject(state)) return [cut(JSON.stringify(state))];
  const { agent, plan, todos, skills, notebook, ...rest } = state;
  return [
    ...(agent === undefined || agent === null ? [] : [agentLine(agent)]),
    ...(plan === undefined || plan === null ? [] : [planLine(plan)]),
    ...(isArray(todos) && todos.length > 0 ? [`Todos:\n${todos.map(todoLine).join('\n')}`] : []),
    ...(isArray(skills) && skills.length > 0 ? [`Invoked skills: ${cut(skills.map(textOf).join(', '))}`] : []),
    ...(isObject(skills)
      ? Object.entries(skills).map(([name, text]) => `Invoked skill ${name}: ${cut(textOf(text))}`)
      : []),
    ...(isObject(notebook) ? [notebookLine(notebook)] : []),
    // Members of an unexpected shape are shown as JSON.
    ...Object.entries({
      ...(!isArray(todos) && { todos }),
      ...(!isArray(skills) && !isObject(skills) && { skills }),
      ...(!isObject(notebook) && { notebook }),
      ...rest,
    }).flatMap(([name, value]) => (value === undefined || value === null ? [] : [`${name}: ${cut(textOf(value))}`])),
  ];
}

function agentLine(agent: Json): string {
  if (!isObject(agent)) return `Active agent: ${cut(textOf(agent))}`;
  const { name, description, instructions } = agent;
  const about = typeof description === 'string' ? ` (${description})` : '';
  const more = typeof instructions === 'string' ? `. Its instructions: ${instructions}` : '';
  return cut(`Active agent: ${textOf(name)}${about}${more}`);
}

/** A plan of the agent has a text and steps; the steps say how far it got. */
function planLine(plan: Json): string {
  if (!isObject(plan) || typeof plan.text !== 'string') return `Plan: ${cut(textOf(plan))}`;
  const { text, status, steps } = plan;
  const progress = isArray(steps) && steps.length > 0 ? `\nSteps of the plan:\n${steps.map(todoLine).join('\n')}` : '';
  return `Plan (${status === 'approved' ? 'approved by the user' : 'not approved yet'}): ${cut(text)}${progress}`;
}

function todoLine(todo: Json): string {
  if (!isObject(todo)) return `  ${textOf(todo)}`;
  const { status, content, text, title } = todo;
  const sign = typeof status === 'string' ? (signs[status] ?? `[${status}]`) : '[ ]';
  return `  ${sign} ${textOf(content ?? text ?? title)}`;
}

function notebookLine({ path, language, cells }: JsonObject): string {
  const list = isArray(cells) ? cells : [];
  const about = [...(typeof language === 'string' ? [language] : []), `${list.length} cells`].join(', ');
  const lines = list.map((cell, at) => `  ${at + 1}. ${textOf(cell)}`);
  return cut([`Open notebook ${textOf(path)} (${about}):`, ...lines].join('\n'));
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function cut(text: string): string {
  return text.length <= maxChars
    ? text
    : `${text.slice(0, maxChars).toWellFormed()}[… ${text.length - maxChars} characters left out …]`;
}
