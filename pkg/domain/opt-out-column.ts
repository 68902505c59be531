import { foldings } from './fold-text.ts';
import type { SuppressionSource } from './suppression.ts';

/**
 * What a column of a file says of who must not be contacted: it marks them (`Do Not Contact`), those who unsubscribed, those whose
 * address came back, or it has a state of which some say so (`Stage`, `Email Status`).
 */
export const OPT_OUT_COLUMNS = ['doNotContact', 'unsubscribed', 'bounced', 'contactStatus'] as const;
export type OptOutColumn = (typeof OPT_OUT_COLUMNS)[number];
export type OptOutSource = Extract<SuppressionSource, 'import' | 'bounce' | 'unsubscribe'>;

const SOURCES: Readonly<Record<Exclude<OptOutColumn, 'contactStatus'>, OptOutSource>> = {
  doNotContact: 'import',
  unsubscribed: 'unsubscribe',
  bounced: 'bounce',
};

/** Words of headers, folded and without signs, that say of which kind a column is; the first that fits. */
const HEADERS: readonly (readonly [OptOutColumn | null, RegExp])[] = [
  // Who came in is no wish to leave; how often somebody was written to is none either.
  [null, /optin|subscribedat$|subscribedate|bouncerate|unsubscribe(?:link|url)|bouncecount$|dateadded/],
  [
    'unsubscribed',
    /unsub|optedout|optout|hasoptedout|abgemeldet|abmeldung|abbestellt|austragung|desabonn|desinscri|desinscrit|desuscri|baja$|dadodebaja|disiscri|cancellato|cancelouinscricao|descadastr|descrit|uitgeschreven|afgemeld|wypisan|rezygnacj|blacklist|blocklist|listerouge|listanegra|listanera/,
  ],
  [
    'bounced',
    /bounce|invalidemail|quarantin|cleantime|cleancampaign|unzustellbar|rebond|rebot|rimbalz|devolvid|niet(?:af)?leverbaar|odbit/,
  ],
  [
    'doNotContact',
    /do(?:es)?not(?:contact|call|mail|email|message|disturb|market|solicit)|dont(?:contact|call|mail|email)|donot$|^dnc|dnc$|dncstatus|nocontact|nocall|noemail|nomail|nomarketing|nicht(?:kontaktieren|anrufen|anschreiben|mailen)|keinkontakt|keine(?:werbung|mails?|emails?)|kontaktverbot|kontaktsperre|werbesperre|werbewiderspruch|widerspruch|gesperrt|sperrvermerk|robinson|nepas(?:contacter|appeler|demarcher)|neplus(?:contacter|appeler)|opposition|nocontact(?:ar|e)|nollamar|noenviar|noncontatt|nonchiamare|naocontat|naocontact|naoligar|naoenviar|niet(?:contacteren|bellen|mailen|benaderen)|belmeniet|nie(?:kontaktowac|dzwonic|wysylac)|zakazkontakt|suppressed|suppression|exclu(?:ded|sion)$|objection|objected/,
  ],
  [
    'contactStatus',
    /^(?:lead|contact|person|prospect|people|email|mail|marketing|subscription|subscriber|subscribe|newsletter|campaign|lemlist|ltinterest|interest|outreach|sequence|deal|global){0,5}(?:status|stage|state|statut|stato|estado|stadium|etape|fase|etap|phase|disposition)$|^(?:emailstatus|emaildeliverability|emailvalidation|emailverification|emailverificationstatus|contactstage|leadstage|lifecyclestage|pipelinestage|labels?|tags?|groups?|groupmembership|personlabels?|etiquetas?|etiquettes?|etykiety|categories|segments?|laststate|reply(?:status)?|outcome)$/,
  ],
];

/** Headers that nobody knows and that may say who said no: they are told before all others. */
const SUSPECT =
  /optout|optin|unsub|subscri|donot|dont|dnc|bounc|black|block|suppress|exclu|consent|gdpr|dsgvo|rgpd|avg$|rodo|lgpd|lopd|einwillig|zustimm|widerspr|sperr|abmeld|consentement|opposition|consentimiento|consenso|consentimento|toestemming|zgod|robinson|stop|remove|never|complain|spam|legalbasis|noinvit|unreachable|deceased|left(?:the)?company/;

/** A header that is longer names no column: nobody's patterns read it. */
const LONGEST_HEADER = 200;

/** What the header says in letters and digits without accents. */
function plain(text: string): string {
  return (foldings(text)[0] ?? '').replace(/[^a-z0-9]/g, '');
}

/** Of which kind a column is by its header; null: it says nothing of who must not be contacted. */
export function optOutColumn(header: string): OptOutColumn | null {
  if (header.length > LONGEST_HEADER) return null;
  const name = plain(header);
  if (/fax/.test(name)) return null;
  return HEADERS.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

/** Whether a column that nobody knows may say who must not be contacted. */
export function looksLikeOptOut(header: string): boolean {
  return header.length <= LONGEST_HEADER && SUSPECT.test(plain(header));
}

const NO =
  /^(?:|0|false|no|not?|n|off|never|none|null|nil|na|nan|nein|falsch|non|faux|falso|falsa|nao|nee|onwaar|nie|falsz|nunca|jamais|mai|nooit|nigdy|subscribed|optedin|optin|notoptedout|notunsubscribed|notbounced|active|ok|allowed|unchecked|contactable|keine?|aucun|ninguno|nessuno|nenhum|geen|brak)$/;
const SIGNS_OF_YES = /[✓✔☑✅☒✗✘❌]/u;

/** Whether a cell of a column that marks people marks this one: any word but a no, a date too, since the file wants it said. */
function isMarked(cell: string): boolean {
  const word = plain(cell);
  return word === '' ? SIGNS_OF_YES.test(cell) || /[^\s\d\p{P}\p{L}]/u.test(cell) : !NO.test(word);
}

/** States that say so, folded, with one blank between words. */
const STATES: readonly (readonly [OptOutSource, RegExp])[] = [
  [
    'unsubscribe',
    /\b(?:unsubscribed?|opt(?:ed)? ?out|abgemeldet|ausgetragen|abbestellt|desabonnee?|desinscrite?|desuscrit[oa]|baja|disiscritt[oa]|descadastrad[oa]|uitgeschreven|afgemeld|wypisan[yae]|emails?unsubscribed|blacklisted|blocklisted|complain(?:ed|t)|spam complaint|marked as spam)\b/,
  ],
  [
    'bounce',
    /\b(?:(?:hard |soft |email |emails)?bounced?|undeliverable|invalid|cleaned|unzustellbar|zuruckgewiesen|ungultig|invalide|invalido|nao entregue|ongeldig|nieprawidlowy|does not exist|mailbox not found)\b/,
  ],
  [
    'import',
    /\b(?:(?:do|does) ?not ?(?:contact|call|mail|email|disturb)|don ?t (?:contact|call|email)|dnc|no (?:more )?(?:contact|consent)|not interested|(?:not|never) (?:to be )?contact(?:ed)?|black ?list|block(?:ed|list)|suppressed|excluded|nicht (?:mehr )?(?:kontaktieren|anrufen|anschreiben)|kein(?:e)? (?:interesse|kontakt)|kontaktverbot|werbesperre|gesperrt|ne (?:pas|plus) (?:contacter|appeler)|pas interessee?|no (?:contactar|llamar|interesad[oa])|no esta interesad[oa]|non (?:contattare|interessat[oa])|nao (?:contat?ar|contactar|interessad[oa])|niet (?:contacteren|benaderen|bellen|geinteresseerd)|geen interesse|nie (?:kontaktowac|zainteresowan[yae])|brak zainteresowania|objected|refused|lista (?:negra|nera)|liste rouge)\b/,
  ],
];
/** `Not unsubscribed`, `no bounce`. */
const DENIED =
  /\b(?:not|never|no|non|nicht|kein|keine|pas|niet|nie|nao) (?:un ?subscribed|opted out|bounced?|blocked|blacklisted|suppressed|abgemeldet|gesperrt|invalid)\b/;
/** Codes of Instantly (status, lt_interest_status); by the header's own numbers nobody else says so. */
const CODES: Readonly<Record<string, OptOutSource>> = { '-1': 'bounce', '-2': 'unsubscribe' };

/**
 * Whom a cell excludes, and by which source; null: nobody.
 * @param header where numbers are codes, says of what
 */
export function optOutOf(kind: OptOutColumn, cell: string, header = ''): OptOutSource | null {
  if (kind !== 'contactStatus') return isMarked(cell) ? SOURCES[kind] : null;
  const words = (foldings(cell.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '))[0] ?? '').replace(/[^a-z0-9]+/g, ' ').trim();
  if (/^-\d$/.test(cell.trim())) {
    if (/interest/i.test(header)) return 'import';
    return plain(header) === 'status' ? (CODES[cell.trim()] ?? null) : null;
  }
  if (DENIED.test(words)) return null;
  const state = STATES.find(([, pattern]) => pattern.test(words))?.[0] ?? null;
  // An address that is invalid is told of a mail's state; of another column's it says nothing of the address.
  if (
    state === 'bounce' &&
    /^(?:invalid|invalide|invalido|ungultig|ongeldig)$/.test(words) &&
    !/mail|deliver|verif/i.test(header)
  )
    return null;
  return state;
}
