import { foldings } from './fold-text.ts';
import { isWeakHeader, type OptOutColumn, plainWord } from './opt-out-column.ts';
import type { SuppressionSource } from './suppression.ts';
import { wordSet } from './word-set.ts';

export type OptOutSource = Extract<SuppressionSource, 'import' | 'bounce' | 'unsubscribe'>;

const SOURCES: Readonly<Record<'doNotContact' | 'unsubscribed' | 'bounced', OptOutSource>> = {
  doNotContact: 'import',
  unsubscribed: 'unsubscribe',
  bounced: 'bounce',
};

/** A no, in letters and digits alone. */
const NO = wordSet(`
  0 00 000 false no not n off never f nein falsch non faux falso falsa nao nee onwaar nie falsz nunca jamais mai nooit nigdy nej ei ne nem hayir
  keine kein aucun ninguno nessuno nenhum geen brak unchecked ні нет いいえ 否
`);
/** Nothing is known. */
const UNKNOWN = wordSet(`
  none null nil na nan nv ka undefined unknown unbekannt inconnu inconnue desconocido sconosciuto onbekend desconhecido nieznany keineangabe
  keineangaben nichtangegeben nichtgesetzt notset notapplicable notspecified notprovided nonrenseigne sinespecificar nonspecificato nietingevuld
  pending open ausstehend enattente pendiente tbd blank empty leer vide unset default
`);
/** The contrary of what the column marks. */
const FINE = wordSet(`
  subscribed optedin optin notoptedout notunsubscribed notbounced active aktiv actif ok okay allowed allow contactable oktocontact zulassen erlaubt
  autoriser autorise permitir permitido consentire consentito toestaan toegestaan zezwalaj valid gultig valide verified delivered deliverable
  zugestellt good clean notblocked notgesperrt nichtgesperrt nichtabgemeldet
`);
/** Dates that programs write for none. */
const NO_DATE =
  /^(?:0{4}-0{2}-0{2}|0001-01-01|1899-12-3[01]|1900-01-0[01]|1970-01-01|0?[01][./]0?[01][./]1900|0?1[./]0?1[./](?:1970|0001))(?![\d-])/;
const A_DAY = /\d{4}|\d[./-]\d/;
const A_LINK = /^<?(?:https?:|mailto:|www\.)/i;
const SIGNS_OF_NO = /^[\s❌✗✘×☐⬜□○◯⭕🚫👎-]+$/u;
const SIGNS_OF_YES = /[✓✔☑✅☒●■✖👍]/u;

/** What a cell says of its column: it marks its person, it doesn't, or it says nothing. */
type Mark = 'yes' | 'no' | 'nothing';

function markOf(cell: string): Mark {
  const text = cell.trim();
  if (A_LINK.test(text) || NO_DATE.test(text)) return 'nothing';
  if (/^[+-]?0+(?:[.,]0+)?$/.test(text)) return 'no';
  if (text !== '' && SIGNS_OF_NO.test(text)) return text === '-' ? 'nothing' : 'no';
  // What stands in brackets or behind a sign explains it: "No (never)", "No ❌".
  const [before = ''] = text.split(/[([❌✗✘]/u);
  const head = /[\p{L}\p{N}]/u.test(before) ? before : text;
  if (DENIED.test(foldedWords(text))) return 'no';
  const lower = head.trim().toLowerCase();
  const word = plainWord(head);
  if (NO.has(lower) || NO.has(word)) return 'no';
  if (UNKNOWN.has(word)) return 'nothing';
  if (FINE.has(word)) return 'no';
  if (word !== '') return 'yes';
  if (SIGNS_OF_YES.test(text) || /[^\s\d\p{P}\p{L}]/u.test(text)) return 'yes';
  return /\p{L}/u.test(text) ? 'yes' : 'nothing';
}

/** Words of a no to contact, folded, with one blank between words. */
const REFUSED =
  /\b(?:no|not|never|non|nein|nicht|keine?|nao|nee|niet|nie|false|denied|declined|refus\p{L}*|withdrawn|revoked|revoque|widerrufen|abgelehnt|verweigert|entzogen|rejected|objected|unsubscribed?|opt(?:ed)? ?out|disallow(?:ed)?|do not allow|removed|geweigerd|ingetrokken|ritirato|revocato|rifiutato|negado|revogado|recusado|rechazado|odmowa|cofnieta|brak|abgemeldet|off)\b/u;
const GIVEN =
  /^(?:yes|y|ja|j|oui|o|si|s|sim|tak|t|true|wahr|vrai|vero|verdadero|verdadeiro|waar|prawda|1|on|x|ok|given|granted|confirmed|double|single|active|subscribed|opted ?in|optin|explicit|implied|implicit|allow(?:ed)?|erteilt|liegt vor|zulassen|erlaubt|accepted|accepte|aceptado|accettato|akkoord|legitimate interest|berechtigtes interesse|contract|vertrag|interet legitime|interes legitimo|legittimo interesse|gerechtvaardigd belang)\b/;

/** What a cell of a column of consent says; null: nobody knows. */
function consentOf(cell: string): 'given' | 'refused' | null {
  const text = cell.trim();
  const mark = markOf(text);
  if (mark === 'nothing') return 'given';
  const folded = foldedWords(text);
  if (/^(?:not applicable|not set|not specified)$/.test(folded)) return 'given';
  if (FINE.has(plainWord(text))) return 'given';
  if (mark === 'no' || REFUSED.test(folded)) return 'refused';
  return GIVEN.test(folded) || folded === '' || /^\d/.test(folded) ? 'given' : null;
}

/** Whether a cell of a column of consent says neither that it was given nor that it was not. */
export function isUnclearConsent(cell: string): boolean {
  return cell.trim() !== '' && consentOf(cell) === null;
}

/** States that say so, folded, with one blank between words. */
const STATES: readonly (readonly [OptOutSource, RegExp])[] = [
  [
    'unsubscribe',
    /\b(?:un ?subscribed?|unsub|opt(?:ed)? ?out|abgemeldet|ausgetragen|abbestellt|desabonnee?|desinscrite?|desuscrit[oa]|baja|disiscritt[oa]|descadastrad[oa]|uitgeschreven|afgemeld|wypisan[yae]|emails?unsubscribed|blacklisted|blocklisted|complain(?:ed|t)|spam complaint|marked as spam|abuse|(?:never|not) subscribed|(?:please )?remove me|take me off|consent (?:withdrawn|revoked)|widerrufen|leave me alone)\b|^stop(?:p|ped)?$/,
  ],
  [
    'bounce',
    /\b(?:(?:hard |soft |email |emails)?bounced?|undeliverable|invalid|cleaned|unzustellbar|zuruckgewiesen|ungultig|invalide|invalido|nao entregue|ongeldig|nieprawidlowy|does not exist|mailbox not found)\b/,
  ],
  [
    'import',
    /\b(?:(?:do|does) ?not ?(?:contact|call|mail|email|disturb|prospect|market|solicit)|don ?t (?:contact|call|email)|dnc|no (?:more )?(?:contact|consent)|non marketing contact|not interested|(?:not|never) (?:to be )?contact(?:ed)?|black ?list|block(?:ed|list)|suppressed|excluded|banned|disqualified|removed|deceased|verstorben|nicht (?:mehr )?(?:kontaktieren|anrufen|anschreiben)|kein(?:e)? (?:interesse|kontakt)|kontaktverbot|werbesperre|gesperrt|ne (?:pas|plus) (?:contacter|appeler)|pas interessee?|refusee?|no (?:contactar|llamar|interesad[oa])|no esta interesad[oa]|rechazad[oa]|non (?:contattare|interessat[oa])|rifiutat[oa]|nao (?:contat?ar|contactar|interessad[oa])|recusad[oa]|niet (?:meer )?(?:contacteren|benaderen|bellen|mailen|geinteresseerd)|geen interesse|geen contact|nie (?:kontaktowac|zainteresowan[yae])|niezainteresowan[yae]|brak zainteresowania|objected|refused|declined|lista (?:negra|nera)|liste rouge)\b/,
  ],
];
/** `Not unsubscribed`, `no bounce`, `opt-out review done: allowed`. */
const DENIED =
  /\b(?:not|never|no|non|nicht|kein|keine|pas|niet|nie|nao) (?:un ?subscribed|opted out|bounced?|blocked|blacklisted|suppressed|abgemeldet|gesperrt|invalid|removed|excluded|disqualified|opt ?out|bounces?|restrictions?|sperre|complaints?)\b|\b(?:allowed|erlaubt|ok to contact|contact ok|may be contacted|reactivated|resubscribed)$|^(?:ok|allowed) /;
/** Codes of Instantly (status, lt_interest_status); by the header's own numbers nobody else says so. */
const CODES: Readonly<Record<string, OptOutSource>> = { '-1': 'bounce', '-2': 'unsubscribe' };

function foldedWords(cell: string): string {
  return (foldings(cell.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '))[0] ?? '').replace(/[^a-z0-9]+/g, ' ').trim();
}

/** Parts of those words: a cell without one is no state, which is told much faster. */
const HINT =
  /contact|kontakt|contat|interes|stop|remov|block|black|negra|nera|rouge|sub|opt|dnc|aus|abge|abbe|baja|inscri|abonn|cadastr|schrev|gemeld|wypis|compl|spam|abuse|widerruf|alone|list|suppress|exclu|banned|disqual|deceas|verstorb|sperr|anruf|anschreib|verbot|appeler|refus|llamar|rechaz|rifiut|recusad|bellen|mail|benader|call|disturb|prospect|consent|object|declin/i;

/** Whether a cell may be such a state at all. */
export function mayBeState(cell: string): boolean {
  return HINT.test(cell);
}

/** What a text says as a state of a person; null: nothing of who must not be contacted. */
export function stateOf(cell: string): OptOutSource | null {
  const folded = foldedWords(cell);
  if (DENIED.test(folded)) return null;
  return STATES.find(([, pattern]) => pattern.test(folded))?.[0] ?? null;
}

/**
 * Whom a cell excludes, and by which source; null: nobody.
 * @param header where numbers are codes, says of what
 */
export function optOutOf(kind: OptOutColumn, cell: string, header = ''): OptOutSource | null {
  if (kind === 'consent') return cell.trim() !== '' && consentOf(cell) === 'refused' ? 'import' : null;
  if (kind !== 'contactStatus') {
    const plainYes =
      !isWeakHeader(header) || GIVEN.test(foldedWords(cell)) || SIGNS_OF_YES.test(cell) || A_DAY.test(cell);
    return plainYes && markOf(cell) === 'yes' ? SOURCES[kind] : null;
  }
  if (/^-\d$/.test(cell.trim())) {
    if (/interest/i.test(header)) return 'import';
    return plainWord(header) === 'status' ? (CODES[cell.trim()] ?? null) : null;
  }
  const state = stateOf(cell);
  // An address that is invalid is told of a mail's state; of another column's it says nothing of the address.
  const alone = /^(?:invalid|invalide|invalido|ungultig|ongeldig)$/.test(foldedWords(cell));
  return state === 'bounce' && alone && !/mail|deliver|verif/i.test(header) ? null : state;
}
