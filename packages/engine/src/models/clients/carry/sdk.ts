import { LonghaulError } from '../../../errors.ts';

/** Loads an official SDK, which is an optional part of the installation. */
export async function loadSdk<Sdk>({
  name,
  load,
}: {
  readonly name: string;
  readonly load: () => Promise<Sdk>;
}): Promise<Sdk> {
  try {
    return await load();
  } catch (from) {
    throw new LonghaulError({
      code: 'sdk-missing',
      cause: `The package ${name} is not installed: npm i ${name}`,
      next: `Run npm i ${name}.`,
      from,
    });
  }
}
