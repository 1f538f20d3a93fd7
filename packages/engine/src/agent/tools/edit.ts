import { LonghaulError } from '../../errors.ts';
import type { Tool } from '../tool.ts';
import type { Place, Workspace } from '../workspace/workspace.ts';
import { type Arguments, readItems } from './arguments.ts';
import { defineTool, told } from './define.ts';
import { loadFile } from './load.ts';
import { type Edit, replaceTexts } from './replace-texts.ts';
import { saveFile } from './save.ts';
import { decodeText, encodeText } from './text-file.ts';
import { diffOf } from './unified-diff.ts';

const item = {
  type: 'object',
  properties: {
    old_string: { type: 'string', description: 'The text as it stands in the file, with its indentation.' },
    new_string: { type: 'string', description: 'What is to stand there instead.' },
    all: { type: 'boolean', description: 'Replace it wherever it stands.' },
  },
  required: ['old_string', 'new_string'],
  additionalProperties: false,
};

/** Replaces texts in files, exactly. */
export function editTool({ workspace }: { readonly workspace: Workspace }): Tool {
  return defineTool<{ readonly place: Place; readonly edits: readonly Edit[] }>({
    name: 'edit',
    description:
      'Replaces texts in a file, exactly as given. Each old_string must stand in the file once, unless all is true: add lines around it until it does. Several edits are done one after the other, all or none. Line numbers of read are not part of the text.',
    properties: {
      file_path: { type: 'string', description: 'The file, from the workspace or absolute.' },
      edits: { type: 'array', items: item, minItems: 1, description: 'What to replace, in order.' },
      ...item.properties,
    },
    required: ['file_path'],
    target: async (args) => ({ place: await workspace.place(args.needText('file_path')), edits: editsIn(args) }),
    access: ({ place }) => ({ kind: 'write', paths: [place.path], isOutside: place.isOutside }),
    run: async ({ target: { place, edits } }) =>
      await workspace.exclusive({
        path: place.path,
        async work() {
          const before = await loadFile({ workspace, place });
          const { text, encoding } = decodeText({ data: before.data, path: place.shown });
          const { text: after, count } = replaceTexts({ text, edits, path: place.shown });
          await saveFile({ workspace, place, data: encodeText({ text: after, encoding }), before });
          const details = diffOf({ path: place.shown, before: text, after });
          return told(`Edited ${place.shown}: ${count} ${count === 1 ? 'place' : 'places'} changed.`, details);
        },
      }),
  });
}

/** One edit may be written without a list. */
function editsIn(args: Arguments): Edit[] {
  const list = args.list('edits');
  const known = ['old_string', 'new_string', 'all'];
  const all = list ? readItems({ items: list, tool: 'edit', known }) : [];
  const isFlat = args.text('old_string') !== undefined || args.text('new_string') !== undefined;
  const edits = [...all, ...(isFlat ? [args] : [])].map((one) => ({
    before: one.needText('old_string'),
    after: one.needText('new_string'),
    isAll: one.flag('all'),
  }));
  if (edits.length > 0) return edits;
  const next = 'Give edits, each with old_string and new_string.';
  throw new LonghaulError({ code: 'bad-arguments', cause: 'edit needs something to replace.', next });
}
