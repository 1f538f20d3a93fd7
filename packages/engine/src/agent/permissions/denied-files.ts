import { real } from './create-permissions.ts';
import { parseRule } from './rule.ts';

/**
 * Which files a tool that looks through folders has to leave out, because rules deny to look at them: who decides about
 * the call sees the folder only.
 *
 * @example
 * deniedFiles({ deny: ['read(secrets/**)'], tool: 'grep', cwd: '/p', home: '/home/me' })('/p/secrets/key'); // true
 */
export function deniedFiles(of: {
  readonly deny: readonly string[];
  readonly tool: string;
  readonly cwd: string;
  readonly home: string;
}): (path: string) => boolean {
  const { deny, tool, cwd, home } = of;
  const rules = deny.map((text) => parseRule({ text, cwd: real(cwd), home, real }));
  const patterns = rules.flatMap((rule) => (rule.tool === tool || rule.tool === 'read' ? (rule.paths ?? []) : []));
  return (path) => patterns.some((pattern) => pattern.test(path));
}
