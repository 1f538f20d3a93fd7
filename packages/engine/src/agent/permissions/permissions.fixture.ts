import type { Access, PermissionRequest } from '../permission.ts';
import { decide, type PermissionMode } from './decide.ts';
import { parseRule } from './rule.ts';

export const [root, home] = ['/srv/app', '/home/me'];
const rules = (texts: readonly string[]) => texts.map((text) => parseRule({ text, cwd: root, home }));

export const requestOf = (tool: string, access: Access): PermissionRequest => ({
  callId: 'c',
  tool,
  input: {},
  access,
  summary: tool,
});

interface Setting {
  readonly mode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

export function verdict(request: PermissionRequest, { mode = 'ask', allow = [], deny = [] }: Setting = {}) {
  return decide({ request, context: { mode, allow: rules(allow), deny: rules(deny), root, home } }).verdict;
}

export const command = (line: string, cwd = root) => requestOf('bash', { kind: 'execute', command: line, cwd });
export const file = (kind: 'read' | 'write', path: string, tool: string = kind) =>
  requestOf(tool, { kind, paths: [path], isOutside: !path.startsWith(`${root}/`) });
