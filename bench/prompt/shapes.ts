import type { History, Round } from './history.ts';

/** The used part of an implementation; prompt-tsx and its compatible entry have the same names. */
export interface Implementation {
  readonly [name: string]: unknown;
}

type Constructor = new (...args: never[]) => unknown;
export type Shape = 'flat' | 'keep-with' | 'limits' | 'pass';
export const shapes: readonly Shape[] = ['flat', 'keep-with', 'limits', 'pass'];

/**
 * The prompt of an agent: instructions, the history under one list of priorities, the question. `keep-with` ties each call
 * to its result, `limits` puts a limit around each result, `pass` a wrapper that passes priorities around each message.
 */
export function promptOf(of: {
  readonly lib: Implementation;
  readonly shape: Shape;
  readonly history: History;
}): Constructor {
  const { lib, shape, history } = of;
  const cls = (name: string) => lib[name] as Constructor;
  const [System, User, Assistant, Tool] = ['System', 'User', 'Assistant', 'Tool'].map((role) => cls(`${role}Message`));
  const useKeepWith = lib.useKeepWith as () => Constructor;

  const wrap = (message: unknown) =>
    shape === 'pass' ? piece(cls('LogicalWrapper'), { passPriority: true }, [message]) : message;

  const answerOf = ({ answer, call }: Round, keepWith: Constructor | undefined) => {
    const { id, ...called } = call;
    return piece(
      Assistant,
      { toolCalls: [{ id, type: 'function', function: called, ...(keepWith && { keepWith }) }] },
      [answer],
    );
  };

  const contentOf = (result: string) => {
    if (shape !== 'limits') return [result];
    const third = Math.ceil(result.length / 3);
    const chunks = [0, 1, 2].map((index) =>
      piece(cls('TextChunk'), { priority: 3 - index }, [result.slice(index * third, (index + 1) * third)]),
    );
    return [piece(cls('TokenLimit'), { max: 400 }, chunks)];
  };

  const messagesOf = (round: Round): unknown[] => {
    const keepWith = shape === 'keep-with' ? useKeepWith() : undefined;
    const result = piece(Tool, { toolCallId: round.call.id }, contentOf(round.result));
    const kept = keepWith ? piece(keepWith, {}, [result]) : result;
    return [piece(User, {}, [round.request]), answerOf(round, keepWith), kept].map(wrap);
  };

  const Base = cls('PromptElement') as new (props: unknown) => object;
  return class Agent extends Base {
    render() {
      return piece(fragment, null, [
        piece(System, { priority: 1000 }, [history.system]),
        piece(cls('PrioritizedList'), { priority: 900, descending: false }, history.rounds.flatMap(messagesOf)),
        piece(User, { priority: 1001 }, [history.question]),
      ]);
    }
  };
}

function fragment(): void {}
fragment.isFragment = true;

function piece(ctor: unknown, props: object | null, children: unknown[]): object {
  return { ctor, props, children };
}
