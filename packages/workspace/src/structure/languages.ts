/** What a node of a document is, in the words that all languages share. */
export type NodeKind =
  | 'class'
  | 'interface'
  | 'enum'
  | 'type'
  | 'module'
  | 'function'
  | 'method'
  | 'constructor'
  | 'field'
  | 'variable'
  | 'import'
  | 'comment'
  | 'statement'
  | 'fold'
  | 'line'
  | 'root';

/** Where the structure of a language is found in its syntax tree. Node types are those of the grammar. */
export interface LanguageRules {
  readonly id: string;
  /** File of `@vscode/tree-sitter-wasm`, without `tree-sitter-` and `.wasm`. */
  readonly grammar: string;
  readonly extensions: readonly string[];
  /** Node types whose named children are statements or members. */
  readonly bodies: ReadonlySet<string>;
  readonly kinds: ReadonlyMap<string, NodeKind>;
  /** Node types that wrap a definition: `export`, decorators, templates. The definition decides kind and name. */
  readonly wrappers: ReadonlySet<string>;
  /** Where the name is, for definitions that have no field `name`. */
  readonly nameFields?: ReadonlyMap<string, string>;
}

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** From a kind and the node types of that kind to the kind of each node type. */
function kinds(rows: readonly (readonly [NodeKind, string])[]): ReadonlyMap<string, NodeKind> {
  return new Map(rows.flatMap(([kind, types]) => types.split(' ').map((type) => [type, kind] as const)));
}

const ecmascript = {
  bodies: set('program statement_block class_body interface_body object_type enum_body switch_body object array'),
  wrappers: set('export_statement ambient_declaration'),
  kinds: kinds([
    ['class', 'class_declaration abstract_class_declaration class'],
    ['interface', 'interface_declaration'],
    ['enum', 'enum_declaration'],
    ['type', 'type_alias_declaration'],
    ['module', 'module internal_module'],
    ['function', 'function_declaration generator_function_declaration function_signature'],
    ['method', 'method_definition method_signature abstract_method_signature'],
    ['field', 'public_field_definition field_definition property_signature'],
    ['variable', 'lexical_declaration variable_declaration'],
    ['import', 'import_statement'],
    ['comment', 'comment'],
  ]),
} as const;

/** Languages with a grammar. Every other one is folded by indentation. */
export const languages: readonly LanguageRules[] = [
  { id: 'javascript', grammar: 'javascript', extensions: ['js', 'jsx', 'mjs', 'cjs'], ...ecmascript },
  { id: 'typescript', grammar: 'typescript', extensions: ['ts', 'mts', 'cts'], ...ecmascript },
  { id: 'tsx', grammar: 'tsx', extensions: ['tsx'], ...ecmascript },
  {
    id: 'python',
    grammar: 'python',
    extensions: ['py', 'pyi'],
    bodies: set('module block dictionary list'),
    wrappers: set('decorated_definition'),
    kinds: kinds([
      ['class', 'class_definition'],
      ['function', 'function_definition'],
      ['import', 'import_statement import_from_statement future_import_statement'],
      ['comment', 'comment'],
    ]),
  },
  {
    id: 'ruby',
    grammar: 'ruby',
    extensions: ['rb', 'rake', 'gemspec'],
    bodies: set('program body_statement block_body then do else hash'),
    wrappers: new Set(),
    kinds: kinds([
      ['class', 'class singleton_class'],
      ['module', 'module'],
      ['method', 'method singleton_method'],
      ['comment', 'comment'],
    ]),
  },
  {
    id: 'rust',
    grammar: 'rust',
    extensions: ['rs'],
    bodies: set('source_file declaration_list block field_declaration_list enum_variant_list match_block'),
    wrappers: new Set(),
    nameFields: new Map([['impl_item', 'type']]),
    kinds: kinds([
      ['class', 'struct_item union_item impl_item'],
      ['interface', 'trait_item'],
      ['enum', 'enum_item'],
      ['type', 'type_item'],
      ['module', 'mod_item'],
      ['function', 'function_item function_signature_item macro_definition'],
      ['field', 'field_declaration'],
      ['variable', 'const_item static_item'],
      ['import', 'use_declaration extern_crate_declaration'],
      ['comment', 'line_comment block_comment attribute_item inner_attribute_item'],
    ]),
  },
  {
    id: 'go',
    grammar: 'go',
    extensions: ['go'],
    bodies: set('source_file statement_list field_declaration_list interface_type literal_value'),
    wrappers: set('type_declaration'),
    kinds: kinds([
      ['class', 'type_spec'],
      ['type', 'type_alias'],
      ['function', 'function_declaration'],
      ['method', 'method_declaration method_elem method_spec'],
      ['field', 'field_declaration'],
      ['variable', 'const_declaration var_declaration'],
      ['import', 'import_declaration package_clause'],
      ['comment', 'comment'],
    ]),
  },
  {
    id: 'java',
    grammar: 'java',
    extensions: ['java'],
    bodies: set(
      'program class_body interface_body enum_body enum_body_declarations annotation_type_body block constructor_body switch_block',
    ),
    wrappers: new Set(),
    kinds: kinds([
      ['class', 'class_declaration record_declaration'],
      ['interface', 'interface_declaration annotation_type_declaration'],
      ['enum', 'enum_declaration'],
      ['method', 'method_declaration'],
      ['constructor', 'constructor_declaration compact_constructor_declaration'],
      ['field', 'field_declaration constant_declaration'],
      ['import', 'import_declaration package_declaration'],
      ['comment', 'line_comment block_comment'],
    ]),
  },
  {
    id: 'cpp',
    grammar: 'cpp',
    extensions: ['cpp', 'cc', 'cxx', 'c', 'h', 'hh', 'hpp', 'hxx', 'ipp', 'inl'],
    bodies: set(
      'translation_unit compound_statement field_declaration_list declaration_list enumerator_list preproc_ifdef preproc_if preproc_else preproc_elif initializer_list',
    ),
    wrappers: set('template_declaration linkage_specification'),
    kinds: kinds([
      ['class', 'class_specifier struct_specifier union_specifier'],
      ['enum', 'enum_specifier'],
      ['type', 'alias_declaration type_definition'],
      ['module', 'namespace_definition'],
      ['function', 'function_definition preproc_function_def'],
      ['field', 'field_declaration'],
      ['variable', 'declaration preproc_def'],
      ['import', 'preproc_include using_declaration'],
      ['comment', 'comment'],
    ]),
  },
  {
    id: 'csharp',
    grammar: 'c-sharp',
    extensions: ['cs', 'csx'],
    bodies: set('compilation_unit declaration_list block enum_member_declaration_list accessor_list switch_body'),
    wrappers: set('global_statement'),
    kinds: kinds([
      ['class', 'class_declaration struct_declaration record_declaration'],
      ['interface', 'interface_declaration'],
      ['enum', 'enum_declaration'],
      ['type', 'delegate_declaration'],
      ['module', 'namespace_declaration file_scoped_namespace_declaration'],
      ['function', 'local_function_statement'],
      ['method', 'method_declaration operator_declaration destructor_declaration indexer_declaration'],
      ['constructor', 'constructor_declaration'],
      ['field', 'field_declaration property_declaration event_field_declaration event_declaration'],
      ['import', 'using_directive extern_alias_directive'],
      ['comment', 'comment'],
    ]),
  },
  {
    id: 'php',
    grammar: 'php',
    extensions: ['php', 'phtml'],
    bodies: set('program compound_statement declaration_list enum_declaration_list array_creation_expression'),
    wrappers: new Set(),
    kinds: kinds([
      ['class', 'class_declaration trait_declaration'],
      ['interface', 'interface_declaration'],
      ['enum', 'enum_declaration'],
      ['module', 'namespace_definition'],
      ['function', 'function_definition'],
      ['method', 'method_declaration'],
      ['field', 'property_declaration'],
      ['variable', 'const_declaration'],
      ['import', 'namespace_use_declaration'],
      ['comment', 'comment'],
    ]),
  },
];

const byExtension = new Map(languages.flatMap((rules) => rules.extensions.map((extension) => [extension, rules])));

/** The rules of a file's language by its name; `undefined` where no grammar is known. */
export function languageOf(path: string): LanguageRules | undefined {
  return byExtension.get(/\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '');
}
