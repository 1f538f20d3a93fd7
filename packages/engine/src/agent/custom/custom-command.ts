import { readFrontmatter, readList } from '../skills/frontmatter.ts';
import { type CustomFolders, findCustomFiles } from './custom-files.ts';

/** What a custom command sends to the model. */
export interface ExpandedCommand {
  readonly text: string;
  /** Rules for calls that are allowed while it is worked on, e.g. `bash(git status:*)`. */
  readonly allow?: readonly string[];
  /** The model for it. */
  readonly model?: string;
}

/** A command that people type as `/name arguments`: from a file, an extension or an MCP server. */
export interface CustomCommand {
  /** Without the slash; `:` separates namespaces. */
  readonly name: string;
  readonly description: string;
  /** What to type after the name, e.g. `[issue] [priority]`. */
  readonly argumentHint?: string;
  /** Where it comes from, for lists: a path, `extension todos`. */
  readonly source: string;
  /** Whether it belongs to the project, whose files are not trusted. */
  readonly isProject: boolean;
  /** The whole file, for trust that is bound to the content. */
  readonly content: string;
  /** `undefined` if there is nothing to send: the command has done its work. */
  expand(input: { readonly arguments: string }): Promise<ExpandedCommand | undefined>;
}

/**
 * The custom commands of a project (`.longhaul/commands`, `.claude/commands`) and of folders of the user. A subfolder is a
 * namespace: `frontend/test.md` is `/frontend:test`. Those of a project are to be used only if the user trusts them.
 *
 * @example
 * const [review] = await findCommands({ cwd: '/repo' });
 * const prompt = await review?.expand({ arguments: '123 high' });
 */
export async function findCommands(of: CustomFolders): Promise<readonly CustomCommand[]> {
  const files = await findCustomFiles({ ...of, kind: 'commands' });
  return files.flatMap(({ name, file, isProject, text }) => {
    if (!/^[\w.:-]{1,100}$/.test(name)) {
      of.onSkipped?.(`The command ${file} is not used: its name may have letters, digits, dots and dashes only.`);
      return [];
    }
    const { fields, body } = readFrontmatter(text);
    const hint = fields['argument-hint'];
    const allow = readList(fields['allowed-tools']).map(ruleOf);
    const model = fields.model?.trim();
    const description = fields.description ?? firstLine(body);
    return [
      {
        name,
        description: description.replace(/[\s\p{Cc}]+/gu, ' ').trim(),
        ...(hint !== undefined && { argumentHint: hint }),
        source: file,
        isProject,
        content: text,
        expand: async (input: { readonly arguments: string }) => ({
          text: fillIn({ body: body.trim(), written: input.arguments }),
          ...(allow.length > 0 && { allow }),
          ...(model && model !== 'inherit' && { model }),
        }),
      },
    ];
  });
}

/** `Bash(git add:*)` is `bash(git add:*)` here. */
function ruleOf(written: string): string {
  return written.replace(/^[A-Za-z]+(?![\w_])/, (name) => {
    const known = name.toLowerCase();
    return { multiedit: 'edit', glob: 'find', todowrite: 'todo', webfetch: 'fetch' }[known] ?? known;
  });
}

function firstLine(body: string): string {
  const line = body.trim().split('\n', 1)[0] ?? '';
  return line.replace(/^#+\s*/, '').slice(0, 100);
}

/**
 * A command with its arguments: `$ARGUMENTS` is all of them, `$1` to `$9` one each (quotes keep words together). Text
 * without a placeholder gets them at its end. Arguments are never searched for placeholders themselves.
 *
 * @example
 * fillIn({ body: 'Fix issue $1 ($ARGUMENTS).', written: '12 "very high"' }); // 'Fix issue 12 (12 "very high").'
 */
function fillIn({ body, written }: { readonly body: string; readonly written: string }): string {
  const all = written.trim();
  const words = [...all.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
  let isFilled = false;
  const text = body.replace(/\$(?:ARGUMENTS\b|([1-9])(?!\d))/g, (_, place: string | undefined) => {
    isFilled = true;
    return place === undefined ? all : (words[Number(place) - 1] ?? '');
  });
  return isFilled || all === '' ? text : `${text}\n\n${all}`;
}

/**
 * Splits a prompt that names a command.
 *
 * @example
 * parseCommandLine('/review 12 high'); // { name: 'review', arguments: '12 high' }
 */
export function parseCommandLine(text: string): { readonly name: string; readonly arguments: string } | undefined {
  const whole = text.trim();
  const [, name] = /^\/([A-Za-z0-9][\w.:-]{0,99})(?=\s|$)/.exec(whole) ?? [];
  return name === undefined ? undefined : { name, arguments: whole.slice(name.length + 1).trim() };
}
