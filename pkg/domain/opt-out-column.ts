import { foldings } from './fold-text.ts';

/**
 * What a column of a file says of who must not be contacted: it marks them (`Do Not Contact`), those who unsubscribed, those whose
 * address came back, or it has a state of which some say so (`Stage`, `Email Status`). In a column of consent the no says it.
 */
export const OPT_OUT_COLUMNS = ['doNotContact', 'unsubscribed', 'bounced', 'contactStatus', 'consent'] as const;
export type OptOutColumn = (typeof OPT_OUT_COLUMNS)[number];

/** Words before `status` or its like in a header; no two of them make a third, so that there is one way to read a header. */
const BEFORE_STATE =
  'lead|contact|person|prospect|people|email|mail|marketing|subscription|subscriber|subscribe|newsletter|campaign|lemlist|ltinterest|interest|outreach|sequence|deal|global|member|optin|optout|opt|call|confirmation|reply|last';

/** Words beside that of consent in a header, which say for what it was asked. */
const ASIDE =
  '(?:email|mail|marketing|newsletter|contacto?|kontakt|werbung|werbe|rgpd|gdpr|dsgvo|rodo|lgpd|privacy|sms|status|given|erteilt|liegtvor|to|zur|zum|fur|per|na|para|pour|aux?|has|is|the|double|of)';
const AGREED =
  '(?:opt(?:ed)?in|consent|einwilligung|zustimmung|consentement|consentimiento|consenso|consentimento|toestemming|zgod[ayen]|permission|subscribed|abonniert|subscriber|permiso|permissao|acconsente|acceptemails|acceptmarketing|accepts?|accepted|acepta(?:correos|publicidad)?|aceita|accetta)';

/** Words of headers, folded and without signs, that say of which kind a column is; the first that fits. */
const HEADERS: readonly (readonly [OptOutColumn | null, RegExp])[] = [
  // Ways to leave, rates and counts, and when or where somebody came in: no wish to leave.
  [
    null,
    /fax|unsubscribe(?:link|url)|^listunsubscribe|(?:link|url|domain|rate|research)$|bounced?count$|(?:^|[^n])subscribed(?:at|on|date|time)|(?:^|[^n])subscri(?:be|ption)(?:date|plan|id|type)|optin(?:time|date|ip|source|at|on|url)|^donotcall$|^(?:phone|mobile)(?:donotcall|dnc)$/,
  ],
  // Consent that is taken back or denied by the header itself.
  [
    'unsubscribed',
    /revo[ck]|widerruf|withdrawn|withdrawal|brakzgod|(?:keine|no|sans|sin|senza|geen|sem)(?:einwilligung|zustimmung|consent|consentement|consentimiento|consenso|toestemming|consentimento)|nonconsent/,
  ],
  [
    'doNotContact',
    /do(?:es)?not(?:allow|prospect)|nichtzulassen|^keine.*zulassen|nepasautoriser|nopermitir|nonconsentire|niettoestaan|naopermitir|niezezwalaj|notallowed|notpermitted|nichterlaubt/,
  ],
  ['contactStatus', /^optin(?:or)?optout(?:status)?$/],
  [
    'consent',
    new RegExp(
      `^(?:${ASIDE}){0,4}${AGREED}(?:${ASIDE}){0,4}$|contactable$|canbe(?:contacted|mailed|emailed)|^(?:can|may|okto|we|i|ok){1,3}(?:contact|e?mail|write)$|contactallowed|mailingallowed|emailallowed|marketingallowed|(?:kontakt|mailing|werbung|mails?|emails?)erlaubt$|darfkontaktiert|(?:emails?|mails?)zulassen$|^allow(?:e?mails?|contact|marketing|bulkemails?)|legalbasis$|rechtsgrundlage$|marketing(?:zgoda|zgody)|zgodamarketingowa|^(?:gdpr|dsgvo|rgpd|avg|rodo|lgpd)(?:status|ok|konform|compliant)?$|^(?:receives?)?newsletter$|^autoriser|^permitircorreos`,
    ),
  ],
  [
    'unsubscribed',
    /unsub|optedout|optout|hasoptedout|abgemeldet|abmeldung|abbestellt|austragung|desabonn|desinscri|desuscri|^(?:fecha(?:de)?)?baja$|dadodebaja|disiscri|cancellato$|^cancelado$|cancelouinscricao|descadastr|^descrit|uitgeschreven|afgemeld|wypisan|rezygnacj|blacklist|blocklist|listerouge|listanegra|listanera|bloctel|sprzeciw/,
  ],
  [
    'bounced',
    /bounce|invalidemail|quarantin|cleantime|cleancampaign|unzustellbar|rebond|rebot|rimbalz|devolvid|niet(?:af)?leverbaar|odbit/,
  ],
  [
    'doNotContact',
    /do(?:es)?not(?:contact|call|mail|email|message|disturb|market|solicit)|dont(?:contact|call|mail|email)|donot$|^dnc(?:$|status|flag|list|reason|date|since|am)|dnc$|nocontact|nocall|noemail|nomail|nomarketing|nicht(?:kontaktieren|anrufen|anschreiben|mailen)|keinkontakt|keine(?:werbung|mails?|emails?)|kontaktverbot|(?:kontakt|werbe|mail|email|anschreibe|versand)sperre|^sperr(?:e|kennzeichen|vermerk|ung)$|werbewiderspruch|widerspruch|gesperrt|sperrvermerk|sperrkennzeichen|^robinson(?:list[ea]?|eintrag)$|listarobinson|nepas(?:contacter|appeler|demarcher)|neplus(?:contacter|appeler)|^opposition(?!research)|refusdemarchage|nocontact(?:ar|e)|nomolestar|nollamar|noenviar|noncontatt|nonchiamare|naocontat|naocontact|naoligar|naoenviar|niet(?:contacteren|bellen|mailen|benaderen)|geencontact|belmeniet|nie(?:kontaktowac|dzwonic|wysylac)|zakazkontakt|suppressed|suppression|exclu(?:de|ded|sion|s|se|ido|so)$|^aus(?:schluss|geschlossen)$|objection|objected|^(?:is|contact|lead|person)?(?:blocked|banned|blockiert|bloque|bloqueado|bloccato|geblokkeerd|zablokowan[ya]|deceased|verstorben|decede|fallecido|deceduto|overleden|falecido|zmarly)$|^(?:stop|block|remove|removed|entfernen)$|left(?:the)?company|hatfirmaverlassen/,
  ],
  [
    'contactStatus',
    new RegExp(
      `^(?:${BEFORE_STATE}){0,5}(?:status|stage|state|statut|stato|estado|stadium|etape|fase|etap|phase|disposition)$|^(?:emailstatus|emaildeliverability|emailvalidation|emailverification|emailverificationstatus|marketingemailconfirmationstatus|contactstage|leadstage|lifecyclestage|pipelinestage|(?:lead|contact|person)?(?:labels?|tags?)|groups?|groupmembership|subscription|personlabels?|etiquetas?|etiquettes?|etykiety|categor(?:y|ies)|kategorien?|segments?|laststate|(?:last)?reply(?:status|type)?|sentiment|outcome)$`,
    ),
  ],
];

/** Headers that nobody knows and that may say who said no: they are told before all others. */
const SUSPECT =
  /opt(?:ed)?out|opt(?:ed)?in|unsub|subscri|donot|dont|dnc|bounc|black|block|suppress|exclu|consent|gdpr|dsgvo|rgpd|avg$|rodo|lgpd|lopd|einwillig|zustimm|widerspr|widerruf|sperr|abmeld|consentement|opposition|consentimiento|consenso|consentimento|toestemming|zgod|robinson|stop|remove|never|complain|spam|legalbasis|noinvit|unreachable|deceased|left(?:the)?company|newsletter|erlaubt|zulassen|permission|contactable|refus|cancelad|molestar/;

/** Headers of one word that are many other things: only a plain yes or a day counts below them. */
const WEAK =
  /^(?:stop|block|remove|removed|exclude|exclu|cancelado|baja|opposition|sperre|banned|left(?:the)?company|leftcompany)$/;

/** Whether a header says so little that a cell must be a plain yes. */
export function isWeakHeader(header: string): boolean {
  return header.length <= LONGEST_HEADER && WEAK.test(plainWord(header));
}

/** A header that is longer names no column: nobody's patterns read it. */
const LONGEST_HEADER = 200;

/** What a text says in letters and digits without accents. */
export function plainWord(text: string): string {
  return (foldings(text)[0] ?? '').replace(/[^a-z0-9]/g, '');
}

/** Of which kind a column is by its header; null: it says nothing of who must not be contacted. */
export function optOutColumn(header: string): OptOutColumn | null {
  if (header.length > LONGEST_HEADER) return null;
  const name = plainWord(header);
  return HEADERS.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

/** Whether a column that nobody knows may say who must not be contacted. */
export function looksLikeOptOut(header: string): boolean {
  return header.length <= LONGEST_HEADER && SUSPECT.test(plainWord(header));
}
