import fc from 'fast-check';
import { LegacyPrioritization, LogicalWrapper } from './elements/wrappers.ts';
import {
  AssistantMessage,
  Chunk,
  h,
  IfEmpty,
  type KeepWithCtor,
  type PromptPiece,
  TextChunk,
  TokenLimit,
  UserMessage,
  useKeepWith,
} from './index.ts';

/** Creates a piece with the keep-withs of its prompt. */
type Build = (keeps: readonly KeepWithCtor[]) => PromptPiece;

const groups = [Chunk, LogicalWrapper, LegacyPrioritization] as const;
const priority = fc.integer({ min: 0, max: 9 });
const keep = fc.integer({ min: 0, max: 2 });
const max = fc.integer({ min: 4, max: 25 });
const text = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 12 }).map((length) => 'x'.repeat(length)) },
  { weight: 1, arbitrary: fc.constantFrom('', '  ') },
);

const build = (builds: readonly Build[], keeps: readonly KeepWithCtor[]) => builds.map((make) => make(keeps));

/** Containers of the given pieces, and of alternatives to them. */
function containers(of: {
  readonly children: fc.Arbitrary<Build[]>;
  readonly alternative: fc.Arbitrary<Build>;
}): fc.Arbitrary<Build> {
  const { children, alternative } = of;
  const kept = fc.record({ priority, keep, children }).map(
    (of): Build =>
      (keeps) =>
        h(keeps[of.keep] as KeepWithCtor, { priority: of.priority }, ...build(of.children, keeps)),
  );
  return fc.oneof(
    kept,
    kept,
    fc.record({ priority, alternative, children }).map(
      (of): Build =>
        (keeps) =>
          h(IfEmpty, { priority: of.priority, alt: of.alternative(keeps) }, ...build(of.children, keeps)),
    ),
    fc.record({ priority, max, children }).map(
      (of): Build =>
        (keeps) =>
          h(TokenLimit, { priority: of.priority, max: of.max }, ...build(of.children, keeps)),
    ),
    fc
      .record({
        priority,
        passPriority: fc.boolean(),
        kind: fc.constantFrom(...groups),
        children,
      })
      .map(
        (of): Build =>
          (keeps) =>
            h(of.kind, { priority: of.priority, passPriority: of.passPriority }, ...build(of.children, keeps)),
      ),
  );
}

const { content } = fc.letrec<{ content: Build; group: Build }>((tie) => ({
  content: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'content' },
    {
      weight: 5,
      arbitrary: fc.record({ priority, text }).map(
        (of): Build =>
          () =>
            h(TextChunk, { priority: of.priority }, of.text),
      ),
    },
    { weight: 2, arbitrary: tie('group') },
  ),
  group: containers({
    children: fc.array(tie('content'), { maxLength: 3 }),
    alternative: tie('content'),
  }),
}));

/** Whole prompts of messages in containers, with or without breakpoints. */
export function intricatePrompts({ breakpoints }: { readonly breakpoints: boolean }): fc.Arbitrary<PromptPiece[]> {
  const contents = fc.array(content, { maxLength: 3 });
  const marked = breakpoints ? fc.integer({ min: 0, max: 4 }).map((chance) => chance === 0) : fc.constant(false);
  const user = fc.record({ priority, contents, marked }).map(
    (of): Build =>
      (keeps) =>
        h(
          UserMessage,
          { priority: of.priority },
          ...build(of.contents, keeps),
          ...(of.marked ? [h('cacheBreakpoint', {})] : []),
        ),
  );
  const assistant = fc.record({ priority, contents, keep: fc.option(keep, { nil: undefined }) }).map(
    (of): Build =>
      (keeps) => {
        const call = { id: `${of.keep}`, type: 'function' as const, function: { name: 'f', arguments: '{}' } };
        const toolCalls = of.keep === undefined ? [] : [{ ...call, keepWith: keeps[of.keep] as KeepWithCtor }];
        return h(AssistantMessage, { priority: of.priority, toolCalls }, ...build(of.contents, keeps));
      },
  );
  const { piece } = fc.letrec<{ piece: Build; group: Build }>((tie) => ({
    piece: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'piece' },
      { weight: 4, arbitrary: user },
      { weight: 2, arbitrary: assistant },
      { weight: 4, arbitrary: tie('group') },
    ),
    group: containers({ children: fc.array(tie('piece'), { maxLength: 4 }), alternative: tie('piece') }),
  }));
  return fc
    .array(piece, { minLength: 1, maxLength: 9 })
    .map((builds) => build(builds, [useKeepWith(), useKeepWith(), useKeepWith()]));
}
