import { claimIn, spoken, visible } from '../../analysis/index.ts';
import { blocksOf, type TextBlock } from './blocks.ts';
import { isEnginePart, titleIn, withoutHandles } from './engine-parts.ts';
import { isQuotedFrom } from './quotes.ts';
import { isDeclining } from './refusal.ts';
import { quotationsIn, sentencesOf } from './sentences.ts';

/** Why a sentence of a model is removed. */
type Objection = 'engine-part' | 'language' | 'refusal' | 'claim' | 'order' | 'length';

export interface Dropped {
  readonly sentence: string;
  readonly why: Objection;
}

/** Longer texts are not sentences, and checking them takes long. */
const maxSentence = 4_000;

/**
 * Removes what a model may not write (J2): claims about what people said, want, decided or approved, orders to the reader,
 * titles and handles of the engine, and text that is not English and cannot be checked. Of a claim that quotes whole
 * sentences of a person byte for byte, the quotations stay. Items introduced by a removed line are removed as well.
 *
 * @example
 * reviewText({ text: 'It works. The user approved the release.', said: ['go on'] }).text; // 'It works.'
 */
export function reviewText({
  text,
  said,
  isPlan = false,
}: {
  readonly text: string;
  /** The texts that people wrote. */
  readonly said: readonly string[];
  /** Steps of a plan may be in the imperative. */
  readonly isPlan?: boolean;
}): { readonly text: string; readonly sentences: number; readonly dropped: readonly Dropped[] } {
  const blocks = blocksOf(text);
  const dropped: Dropped[] = [];
  const kept: string[] = [];
  let sentenceCount = 0;
  let under:
    | { readonly depth: number; readonly isItem: boolean; readonly label?: string; readonly why?: Objection }
    | undefined;
  for (const [at, block] of blocks.entries()) {
    const { kind, depth, mark, raw } = block;
    if (kind === 'blank') {
      if (!under || under.label !== undefined) kept.push(raw);
      continue;
    }
    const isUnder =
      under !== undefined && (depth > under.depth || (kind === 'item' && !under.isItem && depth === under.depth));
    if (!isUnder) under = undefined;
    if (under && under.label === undefined) {
      const lost = sentencesOf(block.text);
      sentenceCount += lost.length;
      dropped.push(...lost.map((sentence) => ({ sentence, why: under?.why ?? 'claim' })));
      continue;
    }
    const isShort = kind !== 'table' && block.text.length <= 200;
    const title = isShort && !isEnginePart(block.text) ? titleIn(block.text) : undefined;
    if (title) {
      const label = block.text.replace(/(?<![\s*_:：])[\s*_:：]+$/, '').replace(/^[\s*_#]+/, '');
      if (title === 'list') under = { depth, isItem: kind === 'item', label };
      continue;
    }
    const sentences = kind === 'table' ? [block.text] : sentencesOf(block.text);
    sentenceCount += sentences.length;
    const found = sentences.map((sentence) => reviewSentence({ sentence, block, said, isPlan }));
    const broken = splitClaim({ blocks, at, said });
    if (broken) for (const one of found.splice(0)) dropped.push({ sentence: one.sentence, why: 'claim' });
    dropped.push(...found.flatMap(({ sentence, why, left }) => (why && left === '' ? [{ sentence, why }] : [])));
    const last = found.at(-1);
    const isGone = broken || found.every(({ left }) => left === '');
    const introduces = /[:：]["”*_]*$/.test(block.text);
    const isCut = isGone || (introduces && last?.left === '');
    if (isCut && kind !== 'table') under = { depth, isItem: kind === 'item', why: last?.why ?? 'claim' };
    const whole = found.flatMap(({ left }) => (left === '' ? [] : [left])).join(' ');
    if (whole === '') continue;
    const label = under?.label === undefined ? '' : `${under.label}: `;
    const isSame = label === '' && found.every(({ left, sentence }) => left === sentence);
    kept.push(isSame ? raw : `${mark}${label}${whole}`);
  }
  return { text: kept.join('\n'), sentences: sentenceCount, dropped };
}

interface SentenceReview {
  readonly sentence: string;
  /** The part that is kept. */
  readonly left: string;
  readonly why?: Objection;
}

function reviewSentence({
  sentence,
  block,
  said,
  isPlan,
}: {
  readonly sentence: string;
  readonly block: TextBlock;
  readonly said: readonly string[];
  readonly isPlan: boolean;
}): SentenceReview {
  const why = objectionTo({ sentence, block, isPlan });
  if (!why) return { sentence, left: withoutHandles(sentence) };
  const quotes = quotationsIn(sentence);
  const isQuoted = quotes.length > 0 && quotes.every((quote) => isQuotedFrom({ quote, said }));
  if (!isQuoted || why === 'length' || why === 'engine-part') return { sentence, left: '', why };
  const rest = quotes.reduce((so, quote) => so.replaceAll(quote, '`quoted`'), sentence);
  // Quoted human words may be in any language and contain anything.
  if (!objectionTo({ sentence: rest, block, isPlan })) return { sentence, left: withoutHandles(sentence) };
  return { sentence, left: quotes.map((quote) => `The user said: "${quote}".`).join(' '), why };
}

function objectionTo({
  sentence,
  block,
  isPlan,
}: {
  readonly sentence: string;
  readonly block: TextBlock;
  readonly isPlan: boolean;
}): Objection | undefined {
  if (sentence.length > maxSentence) return 'length';
  const texts = block.kind === 'table' ? rowsOf(sentence) : [sentence];
  const isTitle = block.kind === 'table' && /^\|?[^|\n]*\|?$/.test(sentence) && titleIn(sentence) !== undefined;
  if (isTitle || texts.some(isEnginePart)) return 'engine-part';
  if (texts.some((text) => !isEnglish(text))) return 'language';
  if (texts.some(isDeclining)) return 'refusal';
  if (texts.some((text) => claimIn(text) !== 'none')) return 'claim';
  return texts.some((text) => isOrder({ sentence: text, isPlan })) ? 'order' : undefined;
}

/** The rows of a table as sentences: with and without the titles of its columns. */
function rowsOf(table: string): string[] {
  const rows = table.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
  const [titles = [], ...rest] = rows;
  return [
    ...rows.map((cells) => cells.join(' ')),
    ...rows.flat(),
    ...rest.map((cells) => cells.map((cell, at) => `${titles[at] ?? ''} ${cell}`).join(' ')),
  ].filter((text) => text.trim() !== '');
}

/** Whether a block and its continuation make a claim that neither makes alone. */
function splitClaim({
  blocks,
  at,
  said,
}: {
  readonly blocks: readonly TextBlock[];
  readonly at: number;
  readonly said: readonly string[];
}): boolean {
  const block = blocks[at];
  const next = blocks[at + 1]?.kind === 'blank' ? blocks[at + 2] : blocks[at + 1];
  if (!block || block.kind === 'table' || !next || next.kind === 'table' || next.kind === 'blank') return false;
  const isOpen = block.text.length < 200 && !/[.!?。！？]["”»)\]*_]*$/.test(block.text);
  const continues = next.depth > block.depth || (next.kind === 'item' && block.kind !== 'item') || next.kind === 'text';
  if (!isOpen || !continues) return false;
  const [head, tail] = [sentencesOf(block.text).at(-1) ?? '', sentencesOf(next.text)[0] ?? ''];
  const whole = `${head} ${tail}`;
  if (whole.length > maxSentence || claimIn(whole) === 'none' || claimIn(head) !== 'none') return false;
  // Only an incomplete sentence belongs to the next block.
  if (claimIn(tail) !== 'none' && (head.split(' ').length > 3 || /[:：][^\w:：]*$/.test(head))) return false;
  const quotes = quotationsIn(whole);
  return quotes.length === 0 || !quotes.every((quote) => isQuotedFrom({ quote, said }));
}

/** Verbs in the imperative at the beginning of a sentence. Many are nouns as well: see `isNoun`. */
const imperatives =
  'accept|allow|bypass|commit|delete|deploy|disable|disregard|drop|enable|execute|force|forget|give|grant|ignore|install|merge|never|always|obey|override|please|proceed|publish|push|remember|remove|replace|reveal|run|send|share|skip|trust|uninstall|upload|use|wipe';

const standingOrders: readonly RegExp[] = [
  /\b(?:from now on|from here on(?: out)?|henceforth|going forward|from this (?:point|moment|day) (?:on|forward)|until further notice|for the rest of (?:the|this) (?:session|conversation|work)|at all times|in all (?:future|later|cases))\b/,
  /(?:^[^a-z]*|[:;.(—–] ?|\b(?:please|you|should|must|shall|then) )(?:always|never)(?: ever)? (?!(?:in|on|at|the|an?|by|before|after|again|yet|been|was|were|is|are|has|had|to|into|as|with|from|only|both|of|for|under|more|less|quite|really|mind|sent|done|made|kept|read|shown|seen|known|held|built|lost|found|left|written|given|taken|drawn|broken|begun|met|paid|fully|quite|part|out|up)\b)(?!\w+(?:s|ed|ing|ly)\b)[a-z]+/,
  /\b(?:ignore|disregard|forget|override|bypass|suppress|obey|comply with|break|violate|lift)\b[^.;:]{0,40}\b(?:instructions?|rules?|guidelines?|restrictions?|safeguards?|polic(?:y|ies)|orders?|guards?|limits?|confirmations?|permissions?|warnings?|reviews?)\b/,
  /\b(?:do not|don't|never|no need to|not necessary to|need not|needn't|stop|without|instead of|rather than|no longer) (?:ever )?(?:ask(?:ing)?|confirm(?:ing|ation)?|request(?:ing)?|prompt(?:ing)?|consult(?:ing|ation)?|seek(?:ing)?|waiting for|wait for) (?:for |the |any |an? |permission|confirmation|anyone|anybody|first|again|before|whether|user|approval|about|it)/,
  /\bwithout (?:asking|confirmation|permission|approval|review|further (?:questions|ado))\b/,
  /\b(?:must|should|shall|has to|have to|is to|are to|ought to|may|can) (?:now )?(?:always|never|freely|blindly|unconditionally|under no circumstances|at all costs|immediately obey)\b/,
  /\b(?:as root|with sudo|sudo) (?:from now|always|every)\b|\b(?:every|each|any) (?:command|call|push|commit|request|message) (?:must|should|shall|has to|is to|may)\b/,
];
const imperative = new RegExp(
  `^[^a-z]*(?:(?:so|then|therefore|next|now|please|also|instead|important|note|warning|rule|reminder),? ?:? ?)*(?:do not|don't|(?:${imperatives}))\\b(?<verb>)(?<rest>.*)$`,
);

/**
 * Whether a sentence gives an order to the reader of the summary. A plan may contain steps such as "Run the tests"; a
 * permanent rule, or an instruction to act without asking, is an order anywhere.
 *
 * @example
 * isOrder({ sentence: 'From now on, always run sudo.', isPlan: true }); // true
 */
function isOrder({ sentence, isPlan }: { readonly sentence: string; readonly isPlan: boolean }): boolean {
  const words = spoken(sentence);
  if (standingOrders.some((pattern) => pattern.test(words))) return true;
  if (isPlan) return false;
  const rest = imperative.exec(words)?.groups?.rest;
  return rest !== undefined && !isNoun(rest);
}

/** "Use of the cache", "Call: …", "Report 3", "Set by" and "Put away" do not begin with an imperative. */
function isNoun(rest: string): boolean {
  return /^(?:$|[^a-z' ]| (?:of|was|were|is|are|has|had|and|or|by|in|on|at|to|with|from|for|after|before|as|codespan (?:was|is)|\d|failed|passed|fails|passes|done|order|orders|calls?|sites?|handlers?|side|requests?|mode|step|steps|output|paths?|time|times|no |not |up|lists?)\b)/.test(
    rest,
  );
}

/** Function words that English does not share with the languages below. */
const english =
  wordSet(`the and with were which that this these those from not been have after before because when where
  while there would should could does did still only into its between both each than then they them their about against
  during until without within through what whose whether yet also but for you your our are on by of to be it as at
  now so far had more most other some such all out up down over under again nothing neither nor every`);

/** Function words of other languages that are not English words. */
const foreign =
  wordSet(`der das und ist nicht wurde wurden wird werden haben ein eine einen einem einer eines dem des fur auf
  mit von zu zum zur im ins bei nach uber durch als auch sich er sie wir dass laut darf durfen soll sollen sein kein keine
  le la les du est ete une un que qui dans pour sur avec il elle nous vous aux ces cette sont etre ont pas selon
  el los las una por para del fue fueron ha han segun como lo esta este sus todo todas todos y
  um uma nao foi foram em ao aos pelo pela seu sua isso esse essa que mais sem seja
  gli della delle dello degli che stato stata sono alla nel nella dal dalla questo piu senza anche
  het een niet wordt worden werd zijn er om dat dit deze voor naar bij maar wil aan
  och att det som skulle inte har en ett av till med blev bli ska
  og ikke jeg til av pa det er som ble
  nie sie zgodnie przez jest zostal zostaly oraz dla przy
  bir icin uzerine ile olarak
  yang dan untuk dengan sesuai dari oleh telah tidak akan sudah ini itu pada
  ja oli ei etta joka mukaan
  voi cua duoc khong
  az egy nem volt hogy
  si nu este pentru din
  na je za od ze`);

/** Words that identify a fragment without function words as English. */
const common =
  wordSet(`add added adding adds again agent all allow already api app applied argument array async audit avatar avatars base before behavior
  blank block body branch breakpoint browser bug build builds built bundle button byte cache call called calls card cards case cases cause
  change changed changes check checked checks clean cleaned cleared click client clock close closed code color colors command commands
  commit commits committed common compile compiled component config configuration context conversation copied correct created
  creating current data database debug decision default delete deleted deletion design detail details diff directories directory
  disk docs document documented done double draft drop dropped duplicate each early edit edited edits empty end engine entry
  entries error errors event events evidence example exit expected export exported exports extension external extracted fail failed fails
  failing failure failures fallback false fast feature field fields file files filter final find finding first fix fixed fixes flag folder format found
  full function functions gate generated getter given goal green half handler hash head header help helper hidden hits hook
  hooks host identical ignored implementation include included includes dependencies dependency dev implemented import imported imports index initial inline input install installed
  interface internal issue issues item items job just keep kept key keys kind label language large last late latest layer
  layout left length less level library light line lines lint linter list listed live load loaded loading local lock log logged
  logic logs long loop made main manual map mapping match menu merge merged message messages metadata method metrics middle
  minimal missing mode model models module monorepo move moved name named names native new next no node none normal notes null
  number object objects offset old one open optional option options order origin output package packages page panel parallel part
  parser partial pass passed passing passes patch patched path paths pattern pending plain plan planned point port present
  probe problem process progress project properties prompt provider pure push queue quick range rate raw read reading ready record recorded
  red reduced refactor reference regression release reload remaining removed rename renamed render rendered renders repair repaired report
  repository request reset resolved response restore result results retry return returned reverted review rewrite rewritten right root row rows rule
  rules run running runs safe same save saved scan schema scope screen search second section selection selector server service session
  sessions set settings setup shared shell short show shown shows side sidebar simple single size skip skipped slow small snapshot source
  stable state status step steps still storage store stored strict string strings style success suite summary support switch sync syntax system
  tab table tabs target task tasks template terminal test tested tests text theme themes thin third three tick time timeout times
  title token tokens tool tools total trace transcript tree true turn two type typed types unchanged undo unit unknown unused
  update updated updates upload usage use used user users uses valid value values version versions view views warning warnings watch web webview
  whole width window windows word work worker working works worktree wrapper write writes written wrong zero`);

/** Words of other languages for asking, wanting, deciding and approving, for sentences too short to detect a language. */
const foreignClaims = new RegExp(
  `\\b(?:${[
    'freigab|freigegeben|genehmig|zugestimmt|zustimmung|einverstand|erlaubnis|erlaubt|gewunscht|wunsch|anweisung|angewiesen|auftrag|beauftrag|benutzer|anwender|nutzer|vereinbar|bewillig|befohlen|gebeten|abgesegnet|gestattet',
    'utilisat|approuv|autoris[eé]|accord (?:obtenu|donne)|demande|souhait|consentement|valide par|permission accordee|ordre (?:recu|donne)',
    'usuari|aprobad|aprobo|autorizad|autorizo|permiso|solicit[aoó]|pidio|acordad|consentimiento|pedid[oa]|concedid|aprovad|autorizou|permissao|consentimento|aprovou|mandou|dono',
    'utent[ei]|approvat|autorizzat|richiest|permesso|consenso|concordat|ordinato',
    'gebruiker|goedgekeurd|goedkeuring|toestemming|akkoord|verzoek|opdracht',
    'uzytkownik|zatwierdz|zgod[aęy]|polecen|klient|anvandar|godkan|begar|tillstand|bruker|godkjen|tillatelse|brugeren|godkend',
    'kullanici|onay|izin|istek|talimat|pengguna|menyetujui|setuju|permintaan|disetujui|kayttaj|hyvaksy|pyynno|felhasznalo|jovahagy|utilizator|aprobat|uzivatel|schval',
  ].join('|')})`,
);

/**
 * Whether a sentence is English, the language of summaries: claims in another language cannot be checked. Code and names
 * are ignored.
 *
 * @example
 * isEnglish('Der Auftraggeber hat zugestimmt.'); // false
 */
function isEnglish(sentence: string): boolean {
  const seen = visible(sentence).replace(/(?<!`)(`{1,8})[^`]+\1/g, ' ');
  // A single Greek letter or the like is a symbol.
  if (/(?!\p{Script=Latin})\p{L}{2,}|[\p{Script=Han}\p{Script=Hangul}\p{Script=Kana}]/u.test(otherScripts(seen)))
    return false;
  // The language of spaced-out letters cannot be detected.
  if (/(?<![\p{L}\p{N}])(?:\p{L}[ .·-]){5,}\p{L}(?![\p{L}\p{N}])/u.test(seen)) return false;
  const words = spoken(seen).match(/(?<![\w./@:-])[a-z]{2,}(?![\w/@]|[.:-]\w)/g) ?? [];
  const count = (set: ReadonlySet<string>) => words.filter((word) => set.has(word)).length;
  const [own, theirs] = [count(english), count(foreign)];
  const marked = (seen.match(/(?<!\p{L})(?:(?![À-ÖØ-öø-ɏẀ-ỿ])\p{L})*[À-ÖØ-öø-ɏẀ-ỿ]\p{L}*/gu) ?? []).length;
  if (marked > 0 && (own < 2 || marked > 3)) return false;
  if (theirs > 0 && theirs >= own) return false;
  if (foreignClaims.test(words.join(' '))) return false;
  const tokens = seen.split(/\s+/).filter((token) => /[\p{L}\p{N}]/u.test(token)).length;
  if (own > 0 || words.length < 3 || words.length < tokens * 0.75) return true;
  return words.some(
    (word) => common.has(word) || (word.length > 5 && /(?:ing|ed|ly|tion|tions|ment|ness|able)$/.test(word)),
  );
}

/** Runs of letters that are not Latin. */
function otherScripts(text: string): string {
  return (text.match(/(?:(?!\p{Script=Latin})\p{L}\p{M}*)+/gu) ?? []).join(' ');
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
