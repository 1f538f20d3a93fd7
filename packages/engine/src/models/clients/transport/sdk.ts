import { LonghaulError } from '../../../errors.ts';
import type { Carry } from './dispatch.ts';

/** The SDK's own timeout comes this much later than ours, in milliseconds: it reads as an abort, ours as a typed failure. */
export const sdkMargin = 60_000;

/** What we need of an official SDK: headers, authentication, errors. */
interface Sdk {
  post(
    path: string,
    options: {
      readonly body: string;
      readonly headers: Record<string, string>;
      readonly signal: AbortSignal;
      readonly stream: true;
    },
  ): { asResponse(): Promise<Response> };
}

/** Carries by an SDK, made when it is first needed. A body that is a text, with its type, goes out as it is. */
export function carryBy({
  path,
  headers,
  connect,
}: {
  readonly path: string;
  /** What is sent with every request: lists that both name are joined. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly connect: () => Promise<Sdk>;
}): Carry {
  const always = Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  let sdk: Promise<Sdk> | undefined;
  return async ({ text, headers: more, signal }) => {
    sdk ??= connect();
    const beta = [always['anthropic-beta'], more['anthropic-beta']].filter((value) => value !== undefined).join(',');
    const sent = {
      ...{ 'content-type': 'application/json', accept: 'text/event-stream' },
      ...always,
      ...more,
      ...(beta !== '' && { 'anthropic-beta': beta }),
    };
    return (await sdk).post(path, { body: text, headers: sent, signal, stream: true }).asResponse();
  };
}

/** Loads an official SDK, which is an optional part of the installation. */
export async function loadSdk<Loaded>({
  name,
  load,
}: {
  readonly name: string;
  readonly load: () => Promise<Loaded>;
}): Promise<Loaded> {
  try {
    return await load();
  } catch (cause) {
    throw new LonghaulError({
      code: 'sdk-missing',
      message: `The package ${name} is not installed: npm i ${name}`,
      hint: `Run npm i ${name}.`,
      cause,
    });
  }
}
