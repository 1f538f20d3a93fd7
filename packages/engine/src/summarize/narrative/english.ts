import { spoken, visible } from '../../analysis/index.ts';

/** Function words that English does not share with the languages below. */
const english =
  wordSet(`the and with were which that this these those from not been have after before because when where
  while there would should could does did still only into its between both each than then they them their about against
  during until without within through what whose whether yet also but for you your our are on by of to be it as at
  now so far had more most other some such all out up down over under again nothing neither nor every`);

/** Function words of other languages that are no words of English. */
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

/** Words by which a fragment without function words is still English. */
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

/** Words of other languages for asking, wanting, deciding and approving, for sentences too short to tell their language. */
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
 * Whether a sentence is English, as summaries are asked for: what it says in another language cannot be checked. Code and
 * names are no language.
 *
 * @example
 * isEnglish('Der Auftraggeber hat zugestimmt.'); // false
 */
export function isEnglish(sentence: string): boolean {
  const seen = visible(sentence).replace(/(?<!`)(`{1,8})[^`]+\1/g, ' ');
  // Greek letters and the like stand alone as symbols.
  if (/(?!\p{Script=Latin})\p{L}{2,}|[\p{Script=Han}\p{Script=Hangul}\p{Script=Kana}]/u.test(otherScripts(seen)))
    return false;
  // Letter by letter nothing can be told.
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

/** Letters that are not Latin, together with their neighbors. */
function otherScripts(text: string): string {
  return (text.match(/(?:(?!\p{Script=Latin})\p{L}\p{M}*)+/gu) ?? []).join(' ');
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
