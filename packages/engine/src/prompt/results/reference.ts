import { enumeration } from '../output/enumeration.ts';
import { Uri, type UriComponents } from './uri.ts';

/**
 * Whether the target of a reference is in the prompt: completely, partially or not at all.
 *
 * @example
 * const status = { description: 'its first lines', kind: ChatResponseReferencePartStatusKind.Partial };
 * new PromptReference({ scheme: 'file', path: '/src/main.ts' }, undefined, { status });
 */
export const ChatResponseReferencePartStatusKind = enumeration({ Complete: 1, Partial: 2, Omitted: 3 });
export type ChatResponseReferencePartStatusKind =
  | ChatResponseReferencePartStatusKind.Complete
  | ChatResponseReferencePartStatusKind.Partial
  | ChatResponseReferencePartStatusKind.Omitted;
export declare namespace ChatResponseReferencePartStatusKind {
  type Complete = 1;
  type Partial = 2;
  type Omitted = 3;
}

/** A URI with a range. */
interface PromptLocation {
  readonly uri: UriComponents;
  readonly range: unknown;
}

/** A named variable. */
interface VariableAnchor {
  variableName: string;
  value?: UriComponents | PromptLocation | undefined;
}

/** Target of a reference. */
export type ReferenceAnchor = UriComponents | PromptLocation | VariableAnchor;
/** Icon of a reference: a file, an icon name, or one per theme. */
export type ReferenceIcon = UriComponents | { id: string } | { light: UriComponents; dark: UriComponents };

/** How much of a reference is in the prompt, and whether a tool gave it. */
export interface ReferenceOptions {
  status?: { description: string; kind: ChatResponseReferencePartStatusKind };
  isFromTool?: boolean;
}

/** A reference as JSON. */
export interface PromptReferenceJSON {
  anchor: ReferenceAnchor;
  iconPath?: ReferenceIcon | undefined;
  options?: ReferenceOptions | undefined;
}

/**
 * A source of a prompt, to be shown to the user: a URI, a location in a file, a variable.
 *
 * @example
 * h('references', { value: [new PromptReference({ scheme: 'file', path: '/src/main.ts' })] });
 */
export class PromptReference {
  readonly anchor: ReferenceAnchor;
  readonly iconPath: ReferenceIcon | undefined;
  readonly options: ReferenceOptions | undefined;

  constructor(anchor: ReferenceAnchor, iconPath?: ReferenceIcon, options?: ReferenceOptions) {
    this.anchor = anchor;
    this.iconPath = iconPath;
    this.options = options;
  }

  static fromJSON({ anchor, iconPath, options }: PromptReferenceJSON): PromptReference {
    return new PromptReference(anchorOf(anchor), iconPath && iconOf(iconPath), options);
  }

  toJSON(): PromptReferenceJSON {
    return { anchor: this.anchor, iconPath: this.iconPath, options: this.options };
  }
}

function anchorOf(json: ReferenceAnchor): ReferenceAnchor {
  if (!('variableName' in json)) return placeOf(json);
  return { variableName: json.variableName, value: json.value && placeOf(json.value) };
}

function placeOf(json: UriComponents | PromptLocation): UriComponents | PromptLocation {
  return 'scheme' in json ? Uri.from(json) : { uri: Uri.from(json.uri), range: json.range };
}

function iconOf(json: ReferenceIcon): ReferenceIcon {
  if ('scheme' in json) return Uri.from(json);
  return 'light' in json ? { light: Uri.from(json.light), dark: Uri.from(json.dark) } : json;
}

/** A part of a document that is in a prompt. */
export interface ChatDocumentContext {
  uri: UriComponents;
  version: number;
  ranges: readonly unknown[];
}
