import { hostileCommands } from './commands.ts';
import { hostileDegenerate } from './degenerate.ts';
import { hostileGlobs } from './globs.ts';
import type { HostileClass } from './hostile-class.ts';
import { hostileImports } from './imports.ts';
import { hostileOrigins } from './origins.ts';
import { hostileSecrets } from './secrets.ts';
import { hostileWire } from './wire.ts';

/**
 * Every class of attacks, in the order in which they run. To add one, write a file that exports a `RunHostile` and add its
 * line here: `npm run soak -- hostile` and `npm test` both read this list.
 */
export const hostileClasses: readonly HostileClass[] = [
  {
    name: 'commands',
    about: 'command lines that hide a command from rules, run in real shells',
    run: hostileCommands,
    soakCount: 1_000_000,
    testCount: 2_000,
    timeoutMs: 6 * 3_600_000,
  },
  {
    name: 'globs',
    about: 'path patterns that a backtracking matcher takes exponential time for',
    run: hostileGlobs,
    soakCount: 200_000,
    testCount: 500,
  },
  {
    name: 'secrets',
    about: 'keys and passwords in the shapes and places that agents meet',
    run: hostileSecrets,
    soakCount: 200_000,
    testCount: 300,
  },
  {
    name: 'wire',
    about: 'model endpoints that never end, stay silent, redirect or send compressed bombs',
    run: hostileWire,
    soakCount: 2_000,
    testCount: 10,
  },
  {
    name: 'degenerate',
    about: 'sessions of which nothing legal is left to send',
    run: hostileDegenerate,
    soakCount: 20_000,
    testCount: 20,
  },
  {
    name: 'origins',
    about: 'data that gives orders: piped pages, mentioned files',
    run: hostileOrigins,
    soakCount: 20_000,
    testCount: 50,
  },
  {
    name: 'imports',
    about: 'session files with absurd times, duplicate ids, cycles, deep nesting, NULs, huge lines and wrong types',
    run: hostileImports,
    soakCount: 20_000,
    testCount: 60,
  },
];
