import type { CustomCommand } from 'longhaul/agent';
import { dataPart, type Message, type Part } from 'longhaul/message';
import { openSession } from 'longhaul/session';
import { chooseModel } from '../../agent/choose-model.ts';
import { expandPrompt } from '../../agent/customizations.ts';
import { secretVariables } from '../../agent/secrets-of.ts';
import type { Io } from '../../io/io.ts';
import type { McpPrompt } from '../../mcp/servers.ts';
import { findSession } from '../../store/find-session.ts';
import { clip } from '../../text/clip.ts';
import type { SlashCommand } from './command.ts';
import type { Interactive } from './interactive.ts';
import { type CommandResult, textResult } from './result.ts';
import { readTranscriptPage } from './transcript.ts';

/** A command of the user may run so long. Milliseconds. */
const shellTimeout = 600_000;

/**
 * Runs a command of the user, without keys in its environment. The message says what was run; the output is data of it,
 * like a mentioned file: nothing in it becomes a rule or an approval.
 *
 * @example
 * const { output, message } = await runUserCommand({ io, command: 'npm test', signal });
 */
export async function runUserCommand({
  io,
  command,
  signal,
}: {
  readonly io: Pick<Io, 'runCommand' | 'platform' | 'env' | 'cwd'>;
  readonly command: string;
  readonly signal: AbortSignal;
}): Promise<{ readonly output: string; readonly exit: number; readonly message: Message }> {
  const secret = new Set(secretVariables(io.env));
  const env = Object.fromEntries(
    Object.entries(io.env).flatMap(([name, value]) => (value === undefined || secret.has(name) ? [] : [[name, value]])),
  );
  const ran = await io.runCommand({
    command: io.platform === 'win32' ? command : `exec 2>&1\n${command}`,
    cwd: io.cwd,
    env,
    input: '',
    timeout: shellTimeout,
    signal,
  });
  const said = [ran.stdout, ran.stderr, ran.failure ?? '', ran.isCut ? '[… the rest was left out]' : ''];
  const output = said
    .filter((text) => text !== '')
    .join('\n')
    .trimEnd();
  const exit = ran.code ?? 1;
  const text = output === '' ? '(no output)' : output;
  const parts: Part[] = [
    { type: 'text', origin: 'human', text: `! ${command}` },
    dataPart({ from: 'command', exit, text }),
  ];
  return { output, exit, message: { role: 'user', parts } };
}

/** `@session:NAME`, by name or by the end of an id. */
const mention = /(?<![^\s([{,;])@session:([\w.-]{1,200})/g;

/** Sessions that one prompt may mention. */
const mostSessions = 5;

/** Characters of an answer that are handed over. */
const longestAnswer = 2_000;

/** Entries of a session that are looked at. */
const readEntries = 40;

/**
 * What a prompt takes from other sessions that it mentions as `@session:NAME`: their newest compaction, and the newest
 * prompts and answers. It is data: nothing in it is the word of the user now.
 *
 * @example
 * await mentionedSessions({ app, text: 'As in @session:billing, but for tax.' });
 */
export async function mentionedSessions({
  app,
  text,
}: {
  readonly app: Pick<Interactive, 'setup' | 'session'>;
  readonly text: string;
}): Promise<Part[]> {
  const names = [...new Set([...text.matchAll(mention)].map(([, name = '']) => name.replace(/(?<![.-])[.-]+$/, '')))];
  const parts: Part[] = [];
  for (const name of names.slice(0, mostSessions)) {
    const { header } = await findSession({ store: app.setup.store, wanted: name });
    const live = await openSession({ store: app.setup.store, id: header.id, allowDamage: true });
    const { items } = await readTranscriptPage({ session: live, leaf: live.head.leaf, size: readEntries });
    const [compaction] = (await live.read({ types: ['compaction'] })).slice(-1);
    const lines = items.flatMap((item) => {
      if (item.kind === 'user') return [`User: ${item.text}`];
      if (item.kind === 'assistant') return [`Assistant: ${clip({ text: item.text, length: longestAnswer })}`];
      return [];
    });
    const summary = compaction?.type === 'compaction' ? [`Summary of what came before:\n${compaction.summary}`] : [];
    const whole = app.session.mask([...summary, ...lines].join('\n\n'));
    parts.push(dataPart({ from: 'file', path: `session:${name}`, text: whole }));
  }
  return parts;
}

/**
 * A command from a Markdown file or an extension. Its rules hold while it is worked on; its text is no person's.
 *
 * @example
 * const commands = [...slashCommands, ...custom.commands.map(customCommand)];
 */
export function customCommand(command: CustomCommand): SlashCommand {
  const { name, description, argumentHint, source } = command;
  return {
    name,
    help: description === '' ? 'Custom command' : description,
    source,
    ...(argumentHint !== undefined && { hint: argumentHint }),
    run: async ({ app, text }) => {
      const { found } = await expandPrompt({ text: `/${name} ${text}`.trim(), commands: [command] });
      if (!found || found.parts.length === 0) return [];
      const { results, restore } = await useModel({ app, name: found.model });
      await app.send({ parts: found.parts, allow: found.allow });
      void app.idle().then(restore);
      return results;
    },
  };
}

/** Switches to the model that a command names, until its run ends. If it cannot be used, the current one stays. */
async function useModel({
  app,
  name,
}: {
  readonly app: Interactive;
  readonly name: string | undefined;
}): Promise<{ readonly results: readonly CommandResult[]; readonly restore: () => Promise<void> }> {
  const { agent, setup, values } = app;
  const { model: usual } = agent;
  const unchanged = { results: [], restore: async () => undefined };
  if (name === undefined || name === usual.id.name || name === `${usual.id.provider}/${usual.id.name}`)
    return unchanged;
  const stays = (why: string) => ({ ...unchanged, results: [textResult(`${why}; ${usual.id.name} is used.`)] });
  const model = await chooseModel({ values: { ...values, model: name }, io: setup.io }).catch(() => undefined);
  if (!model) return stays(`The model ${name}, which the command names, cannot be used`);
  if (!(await app.session.preflight({ model })).fits) return stays(`The conversation is too long for ${name}`);
  await agent.switchModel(model);
  return {
    results: [textResult(`${model.id.name} works on this command.`)],
    restore: async () => {
      // The user may have chosen another model or session meanwhile.
      if (app.agent !== agent || agent.model !== model) return;
      await agent.switchModel(usual);
      await app.refreshContext();
    },
  };
}

/**
 * A prompt of an MCP server as a command.
 *
 * @example
 * const commands = (await servers.prompts()).map(serverCommand);
 */
export function serverCommand({ name, description, arguments: given }: McpPrompt): SlashCommand {
  const hint = given.map((each) => (each.isRequired ? each.name : `[${each.name}]`)).join(' ');
  return {
    name,
    help: description === '' ? 'Prompt of an MCP server' : description,
    source: 'MCP',
    ...(hint !== '' && { hint }),
    run: async ({ app, text }) => {
      await app.prompt({ text: `/${name} ${text}`.trim() });
      return [];
    },
  };
}
