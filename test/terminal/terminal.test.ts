import { expect, it } from 'vitest';
import { keys, openTerminal } from './terminal.ts';

it('shows what a program writes, sends keys to it and follows a resize', async () => {
  const terminal = openTerminal({ program: ['/bin/sh', '-i'], env: { PS1: 'ready> ' }, columns: 60, rows: 5 });
  await terminal.until('ready>');
  terminal.type(`stty size${keys.enter}`);
  await terminal.until('5 60');
  terminal.resize({ columns: 100, rows: 8 });
  terminal.type(`stty size; echo 'one\ntwo'${keys.enter}`);
  await terminal.until(/8 100\none\ntwo/);
  terminal.type(`seq 20${keys.enter}`);
  await terminal.until('20\nready>');
  expect(terminal.screen()).not.toContain('5 60');
  expect(terminal.everything()).toContain('5 60');
  terminal.type(keys.ctrl('d'));
  expect(await terminal.ended).toEqual({ code: 0, signal: 0 });
});

it('reports a program that ends before the text is shown', async () => {
  const terminal = openTerminal({ program: ['/bin/sh', '-c', 'echo short; exit 3'] });
  await expect(terminal.until('never shown')).rejects.toThrow(/"code":3[\s\S]*short/);
});
