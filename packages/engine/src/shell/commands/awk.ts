import { readArguments } from '../arguments.ts';
import { type Judge, unclear } from '../effects.ts';

/** Words and characters with which awk runs programs, opens files or reads additional files. */
const reaching = /system|getline|ARG[VCI]|[|<>@]|print\s*>/;

/** `awk` with a program that only computes and prints. */
export const awk: Judge = (args) => {
  const parsed = readArguments({ args, spec: { short: 'F:v:', stopAtOperand: true } });
  if (typeof parsed === 'string') return unclear(parsed);
  const [program, ...files] = parsed.operands;
  if (program === undefined || reaching.test(program)) return unclear('its program may run or write something');
  return { reads: files };
};
