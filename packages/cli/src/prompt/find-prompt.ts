import { LonghaulError } from 'longhaul';
import type { PromptPiece } from 'longhaul/prompt';
import { isRecord } from '../input/is-record.ts';

/**
 * The prompt among what a file exports: its default, or what it calls `prompt`. That is an element, or a class or a
 * function that makes one of its props.
 *
 * @example
 * const piece = await findPrompt({ name: 'agent.tsx', exports, props: undefined });
 */
export async function findPrompt({
  name,
  exports,
  props,
}: {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  /** In place of those that the file exports as `props`. */
  readonly props: Readonly<Record<string, unknown>> | undefined;
}): Promise<PromptPiece> {
  const found = await (exports.default ?? exports.prompt);
  if (isPiece(found)) return found;
  if (typeof found === 'function') {
    const exported = await exports.props;
    const given = props ?? (isRecord(exported) ? exported : {});
    return { ctor: found as PromptPiece['ctor'], props: { ...given }, children: [] };
  }
  const others = Object.keys(exports).filter((each) => each !== 'props');
  throw new LonghaulError({
    code: 'prompt-not-found',
    message:
      found === undefined
        ? `${name} exports no prompt${others.length > 0 ? `, only ${others.slice(0, 5).join(', ')}` : ''}.`
        : `What ${name} exports as its prompt is no element, no class and no function.`,
    hint: 'Export it as default or as `prompt`: an element, or a class or a function that makes one.',
  });
}

function isPiece(value: unknown): value is PromptPiece {
  return isRecord(value) && 'ctor' in value && 'props' in value && Array.isArray(value.children);
}
