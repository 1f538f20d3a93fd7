import { setTimeout } from 'node:timers/promises';
import type { Model } from 'longhaul/models';
import type { ScriptedAnswer } from 'longhaul/testing';
import type { AgentScript } from './schema.ts';

type Prompt = AgentScript['prompts'][number];

/** A model that says what a script tells it. */
export interface Actor {
  readonly model: Model;
  /** From now on it gives the answers to this prompt. How many of those to the last one nobody asked for is told. */
  readonly begin: (prompt: Prompt) => void;
  readonly unused: () => number;
  readonly requests: () => number;
}

/**
 * Makes the model of a script.
 *
 * @example
 * const actor = await createActor({ script, window: script.window });
 */
export async function createActor({
  script,
  window,
}: {
  readonly script: Pick<AgentScript, 'dialect'>;
  readonly window: number;
}): Promise<Actor> {
  const { scriptedModel } = await import('longhaul/testing');
  let waiting: ScriptedAnswer[] = [];
  let [said, given, requests] = ['', 0, 0];
  const model = scriptedModel({
    ...{ window, dialect: script.dialect },
    script: () => {
      requests += 1;
      given += 1;
      return waiting.shift() ?? used({ said, given });
    },
    clock: {
      sleep: async (ms, signal) => void (await setTimeout(ms, undefined, signal ? { signal } : {})),
    },
  });
  return {
    model,
    begin({ say, answers }) {
      waiting = answers.map(answerOf);
      [said, given] = [say, 0];
    },
    unused: () => waiting.length,
    requests: () => requests,
  };
}

function used({ said, given }: { readonly said: string; readonly given: number }): ScriptedAnswer {
  const message = `The script has ${given - 1} answers to ${JSON.stringify(said.slice(0, 40))}, and the loop asks for one more.`;
  return { failure: { kind: 'invalid', message, retryable: false } };
}

/** Members that were left out stay away. */
function answerOf({ toolCalls, ...answer }: Prompt['answers'][number]): ScriptedAnswer {
  const calls = toolCalls?.map(({ name, arguments: input, id }) => ({
    ...{ name, arguments: input },
    ...(id !== undefined && { id }),
  }));
  const rest = Object.entries(answer).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(rest), ...(calls && { toolCalls: calls }) };
}
