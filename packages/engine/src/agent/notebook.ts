import { resolve } from 'node:path';
import type { EngineSession } from '../engine/index.ts';
import { isArray, isObject, type Json, type JsonObject, parseJson } from '../json.ts';
import { diskFiles, type HeadFiles } from './files.ts';
import type { Tool } from './tool.ts';

/** Tools that read or change a file named by their arguments. */
const fileTools: ReadonlySet<string> = new Set(['read', 'write', 'edit', 'notebook_edit']);

/** Limits per notebook. */
const limits = { cells: 60, title: 80 };

/**
 * The structure of a Jupyter notebook: its language and, for each cell, kind, length and first line. Summaries carry it, so
 * that the work can continue without reading the notebook again (D22).
 *
 * @example
 * notebookStructure({ path: 'a.ipynb', text }); // { path: 'a.ipynb', language: 'python', cells: ['markdown, 3 lines: # Load', …] }
 */
export function notebookStructure({ path, text }: { readonly path: string; readonly text: string }): Json | undefined {
  const value = parseJson(text);
  if (!isObject(value) || !isArray(value.cells)) return undefined;
  const { metadata } = value;
  const kernel = isObject(metadata) ? (metadata.language_info ?? metadata.kernelspec) : undefined;
  const language = isObject(kernel) ? (kernel.name ?? kernel.language) : undefined;
  const cells = value.cells.filter(isObject);
  const rest = cells.length - limits.cells;
  return {
    path,
    ...(typeof language === 'string' && { language }),
    cells: [...cells.slice(0, limits.cells).map(cellText), ...(rest > 0 ? [`… and ${rest} more cells`] : [])],
  };
}

function cellText({ cell_type: kind, source, outputs, execution_count: count }: JsonObject): string {
  const text = isArray(source) ? source.filter((line) => typeof line === 'string').join('') : String(source ?? '');
  const lines = text === '' ? 0 : text.split('\n').length;
  const title = (text.split('\n').find((line) => line.trim() !== '') ?? '')
    .trim()
    .slice(0, limits.title)
    .toWellFormed();
  const run = typeof count === 'number' ? `, run ${count}` : '';
  const out = isArray(outputs) && outputs.length > 0 ? `, ${outputs.length} outputs` : '';
  return `${typeof kind === 'string' ? kind : 'cell'}, ${lines} lines${run}${out}: ${title}`;
}

/**
 * Wraps a tool so that the structure of a notebook is recorded in the working state of the session after it was read or
 * changed.
 *
 * @example
 * const tools = createTools(input).map((tool) => withNotebook({ tool, session, cwd }));
 */
export function withNotebook({
  tool,
  session,
  cwd,
  files = diskFiles,
}: {
  readonly tool: Tool;
  readonly session: Pick<EngineSession, 'state'>;
  readonly cwd: string;
  readonly files?: HeadFiles;
}): Tool {
  let last = '';
  if (!fileTools.has(tool.definition.name)) return tool;
  return {
    definition: tool.definition,
    access: (input) => tool.access(input),
    ...(tool.preview && { preview: async (input) => await tool.preview?.(input) }),
    ...(tool.isOnce && { isOnce: true }),
    ...(tool.isBound && { isBound: true }),
    ...(tool.beginTurn && { beginTurn: () => tool.beginTurn?.() }),
    ...(tool.close && { close: async () => await tool.close?.() }),
    async run(call) {
      const outcome = await tool.run(call);
      const given = call.input.file_path ?? call.input.path ?? call.input.notebook_path;
      if (outcome.isError || typeof given !== 'string' || !given.endsWith('.ipynb')) return outcome;
      const text = await files.text(resolve(cwd, given)).catch(() => undefined);
      const notebook = text === undefined ? undefined : notebookStructure({ path: given, text });
      const written = JSON.stringify(notebook ?? null);
      if (notebook === undefined || written === last) return outcome;
      last = written;
      await session.state({ notebook });
      return outcome;
    },
  };
}
