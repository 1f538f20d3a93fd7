import type { SlashCommand } from '../app/command.ts';
import type { Interactive } from '../app/interactive.ts';
import { type CommandResult, textResult } from '../app/result.ts';

export const agentCommands: readonly SlashCommand[] = [
  {
    name: 'agents',
    help: 'List the custom agents that can work on tasks, and how to use one',
    isLive: true,
    run: async ({ app }) => {
      const { agents, off } = app.setup.custom;
      return [
        {
          kind: 'table',
          title: 'Agents for tasks; `longhaul --agent NAME` runs as one',
          columns: ['Agent', 'For', 'File'],
          rows: agents.map(({ name, description = '', file }) => [name, description, file]),
          empty: 'No custom agents were found. They are Markdown files in .longhaul/agents or .claude/agents.',
        },
        ...offLines(off.filter(({ kind }) => kind === 'agent').map(({ name }) => name)),
      ];
    },
  },
  {
    name: 'mcp',
    help: 'Show the MCP servers and their tools; start one again, or stop it',
    isLive: true,
    run: async ({ app }) => [serverPicker(app)],
  },
];

function offLines(names: readonly string[]): readonly CommandResult[] {
  if (names.length === 0) return [];
  return [textResult(`Off until you trust this project (\`longhaul trust\`): ${names.join(', ')}.`)];
}

function serverPicker(app: Interactive): CommandResult {
  const servers = app.opened.mcp?.list() ?? [];
  const act = (verb: 'restart' | 'stop') => async (name: string) => {
    const status = await app.opened.mcp?.[verb](name);
    await app.refreshCommands();
    return [textResult(`${name}: ${status?.state ?? 'gone'}${status?.why === undefined ? '' : `, ${status.why}`}`)];
  };
  return {
    kind: 'picker',
    title: 'MCP servers',
    items: servers.map(({ name, state, why, tools, scope }) => ({
      id: name,
      label: name,
      detail: [state, ...(why === undefined ? [] : [why]), `${tools.length} tools`, scope].join(', '),
    })),
    empty: 'No MCP servers are configured; see docs/mcp.md.',
    preview: async (id) => servers.find(({ name }) => name === id)?.tools.join('\n') ?? '',
    actions: [
      { label: 'start again', run: act('restart') },
      { key: 's', label: 'stop', run: act('stop') },
    ],
  };
}
