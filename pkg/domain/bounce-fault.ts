/**
 * Whose fault it is that a mail was refused or came back: one table for what a server says at once (SMTP) and for reports that come
 * later (RFC 3464). Sources: RFC 3463, RFC 5248 and RFC 7372 (enhanced status codes), and the texts of Gmail, Exchange, Postfix,
 * Exim, qmail and the common filters, which use codes such as 5.7.1 for nearly everything.
 */

/**
 * `address`: nobody is there. `mailbox_full`: nobody can be there now. `sender`: our mailbox, its domain, its IP or its limits.
 * `message`: what the mail says, or a rule of the recipient's company. `transient`: for now only, or nobody knows.
 */
export type BounceFault = 'address' | 'mailbox_full' | 'sender' | 'message' | 'transient';

/** What of the sender's: it sent too much, it can't prove who it is, or filters hold it for a spammer. */
export type SenderFault = 'limit' | 'authentication' | 'reputation';

export interface BounceVerdict {
  fault: BounceFault;
  /** Null unless the fault is the sender's. */
  sender: SenderFault | null;
}

interface Rule extends BounceVerdict {
  /** Enhanced status codes, whatever the first digit says of how long it lasts. */
  code: RegExp | null;
  text: RegExp | null;
}

/** Of a server's words so many are read. */
const MOST = 1_000;

const rule = (fault: BounceFault, sender: SenderFault | null, code: RegExp | null, text: RegExp | null): Rule => ({
  fault,
  sender,
  code,
  text,
});

/** In order: what a text says for certain stands before what a code says of many things. Either of the two is enough. */
const RULES: readonly Rule[] = [
  // The recipient gets too much at the moment, from anybody.
  rule('transient', null, null, /receiving mail (?:at a rate|too quickly)|recipient(?:'s)? (?:rate|message) limit/),
  rule(
    'sender',
    'limit',
    /\.4\.5$|\.1\.90$|\.7\.(?:23[0-9]|70[0-9]|36)$/,
    /\b(?:sending|sender|daily|hourly|submission|outbound|outgoing|rate|message(?! size)|messages per (?:day|hour)) (?:\w+ ){0,3}(?:limit|quota)|too many (?:messages|mails|emails|recipients)|exceeded the (?:max\w* )?(?:number of )?(?:messages|emails|mails)|(?:limit|quota) (?:for|of) (?:this|the|your) (?:sender|account|user)/,
  ),
  rule(
    'sender',
    'authentication',
    /\.7\.(?:2[0-7]|50[79]|515|57|60|3|8|9|14|139)$|\.1\.7$/,
    /\b(?:spf|dkim|dmarc|arc)\b|unauthenticated|not authenticated|authentication (?:required|checks?|failed|unsuccessful|results?)|sender policy framework|reverse dns|\bptr\b|fcrdns|\bhelo\b|not (?:allowed|permitted|authori[sz]ed) to (?:relay|send)|relay(?:ing)? (?:access )?(?:denied|not permitted|not allowed)|unable to relay|send ?as ?denied/,
  ),
  rule(
    'sender',
    'reputation',
    /\.1\.8$|\.7\.(?:28|19|51[0-4]|60[0-9]|61[0-9]|62[0-9]|63[0-9]|64[0-9]|750)$/,
    /\b(?:black|block|deny|ban|gray) ?-?list|(?:blocked|listed|blocklisted|denied|refused|rejected)(?: by| in| on| at| using) (?!the recipient)[\w.-]*(?:spamhaus|barracuda|spamcop|sorbs|abusix|invaluement|uceprotect|mailspike|dnsbl|rbl|\bsbl|\bxbl|\bpbl|\bcss|psbl|list|proofpoint|cloudmark|talos|senderscore)|\b(?:spamhaus|barracudacentral|spamcop|sorbs|abusix|invaluement|uceprotect|mailspike|senderscore|cloudmark|talosintelligence)\b|\blisted (?:by|in|on|at)\b|\b(?:poor|bad|low|negative|very low) (?:\w+ )?reputation|reputation of (?:the|your)|due to (?:\w+ )?reputation|\b(?:your|sending|client|source|originating) (?:ip|ip address|host|server|network|domain|mail server)\b[^.\n]{0,60}\b(?:block|bann|reject|refus|denied|blacklist|listed)|\bip\b[^.\n]{0,40}\b(?:blocked|banned|blacklisted|listed)\b|client host (?:\S+ )?(?:rejected|blocked)|(?:banned|bad outbound|blocked) sender|sender (?:address )?(?:has been |is |was )?(?:banned|blacklisted|on our)|unsolicited mail originating from your|suspicious (?:activity|traffic) from/,
  ),
  rule(
    'mailbox_full',
    null,
    /^[45]\.2\.2$/,
    /(?:mailbox|inbox|mail ?box|account|maildir|user)(?: \S+)? (?:is |has |was )?(?:full|over ?quota|over its quota|out of (?:storage|space))|over ?quota|quota (?:exceeded|full|violation|size)|exceed\w* (?:\w+ ){0,3}(?:quota|storage)|insufficient (?:system )?storage|not enough (?:space|storage)|boite (?:aux lettres )?pleine|postfach (?:ist )?voll|buzon lleno|casella piena/,
  ),
  rule(
    'message',
    null,
    /\.6\.\d+$|\.3\.4$|\.2\.3$|\.7\.(?:7|350|508)$/,
    /\b(?:spam|virus|malware|phishing|trojan|infected|attachment)\b|message (?:was |has been )?(?:rejected|refused|blocked)[^.\n]{0,40}\b(?:content|policy|filter)|content (?:rejected|blocked|filter|policy|restrictions?|is not)|(?:message|mail) (?:size|too (?:big|large))|size (?:limit|exceeds)|(?:url|link)s? (?:in|within|contained)|(?:blacklisted|blocked|suspicious) (?:url|link|domain in)|looks like (?:spam|bulk)|header (?:is )?(?:invalid|malformed)/,
  ),
  rule(
    'address',
    null,
    /^5\.1\.(?:0|1|2|3|4|6|10|20)$|^5\.2\.[01]$|^5\.4\.(?:1|4|310|312)$|^5\.7\.(?:12[0-9]|13[0-8]|17|18)$|^5\.1\.35[0-9]$/,
    /(?:user|recipient|mailbox|address|account|addressee|alias|member)s?(?: \S+){0,4} (?:is |was |has been )?(?:unknown|not ?found|invalid|disabled|inactive|deactivated|suspended|closed|terminated|expired|unavailable|does(?: not|n't) exist|do(?: not|n't) exist|not (?:exist|valid|known|recogni[sz]ed|listed in|active|available|local))|(?:unknown|no such|invalid|bad|nonexistent|non-existent|inactive|undeliverable|no) (?:local )?(?:user|recipient|mailbox|address|account|destination|person|alias)|unrouteable|unroutable|(?:host|domain)(?: \S+){0,4} (?:not found|does(?: not|n't) exist|unknown|has no (?:mx|valid)|nonexistent)|\bnxdomain\b|null ?mx|name or service not known|recipient (?:address )?(?:rejected|refused)|(?:doesn't|does not|don't|do not) have an? (?:\S+ )?account|no longer (?:works|employed|valid|available|in use|with)|address couldn't be found|wasn't found at|unbekannt\w*|existiert nicht|inconnu|desconocid\w*|no existe|sconosciut\w*|non esiste|onbekend\w*|bestaat niet|desconhecid\w*|nao existe|nieznany/,
  ),
];

/**
 * What is certain before all others: policies, and words about the sender, in which an address stands too. Of each rule both the code and
 * the text must fit where it names them.
 */
const CERTAIN: readonly Rule[] = [
  rule('transient', null, /\.2\.12\d$/, null),
  rule(
    'transient',
    null,
    null,
    /message receive limit|receive limit (?:from|exceeded)|recipient (?:has )?exceeded (?:their|its) limit/,
  ),
  rule(
    'message',
    null,
    null,
    /resolver\.rst\.(?:sendsizelimit|recvsizelimit|sendsize|recvsize)|message too large for this organi[sz]ation/,
  ),
  // The mailbox or group takes mail of its own company, or of a list of senders, alone.
  rule(
    'address',
    null,
    null,
    /resolver\.(?:rst\.(?:auth|sendernot|notauth|restrict|senderblocked|dlrestrict|moderat)|adr\.|fwd\.notfound)|notauthenticatedforgroup/,
  ),
  rule('address', null, /^5\.7\.(?:12\d|13[0-8])$/, null),
  rule(
    'sender',
    'authentication',
    null,
    /sender (?:address )?(?:verif\w+ failed|verify failed|rejected)|verification failed for <|could not verify (?:the )?sender|sender address (?:is )?(?:undeliverable|invalid|unknown)|openspf|open-?spf|anti-?spoof\w*|spoof(?:ed|ing)? (?:mail|message|sender|policy|detect\w*)|invalid dns (?:mx|a\b|ptr)|bad dns ptr|a\/aaaa resource record|domain of sender|sender domain (?:must|does|not|is)|header from|from (?:header|domain) (?:is )?(?:not|mis)|not owned by user/,
  ),
  rule(
    'sender',
    'reputation',
    null,
    /\[ts[sp]?\d\d\]|due to (?:user|excessive) complaints|access to (?:submit messages|this mail system|this e-?mail system)[^\n]{0,60} (?:rejected|denied|blocked)|policy restrictions[^\n]{0,120}\(?ip[: ]/,
  ),
  rule(
    'address',
    null,
    null,
    /(?:mailbox|account|user|address|domain)(?: \S+){0,3} (?:blocked|disabled|suspended|closed|frozen|locked|deactivated)(?: \S+){0,2} (?:inactiv\w*|due to inactivity|for inactivity)|due to inactivity/,
  ),
  rule(
    'message',
    null,
    null,
    // A policy about who we are is told as such.
    /^(?![\s\S]*(?:\b(?:spf|dkim|dmarc)\b|sender policy|authenticat|block ?list|black ?list|\blisted\b|reputation|spamhaus|your ip\b))[\s\S]*?(?:policy restrictions|(?:not accepted|rejected|refused|blocked|denied)(?: \w+)? (?:for|due to|by|because of|under) (?:\w+ ){0,2}polic(?:y|ies)|polic(?:y|ies) reasons|security polic|administrative(?:ly)? prohibit\w*|envelope blocked|mcspam\w*|permanent failure for one or more recipients \([^)]*:blocked\)|local policy violation|mimecast[^\n]{0,60}(?:policy|signature))/,
  ),
  rule('message', null, /^5\.7\.[01]$/, /recipient address rejected: access denied/),
  rule(
    'address',
    null,
    null,
    /no mx (?:record|host|for|found)|mx (?:record )?(?:not found|lookup failed|does not exist)|is not a valid (?:mailbox|user|address|recipient|account|e-?mail)|not a (?:known|valid) (?:user|mailbox|recipient|address)|domain (?:\S+ )?(?:is |has been |was )?(?:frozen|expired|suspended|parked|disabled|deleted|not hosted)|(?:mailbox|account|user)(?: \S+)? (?:is |has been |was )?(?:frozen|deleted|removed|retired|locked)|(?:user|recipient|employee) (?:has )?(?:left|moved)|no longer (?:a valid|exists|accepts|monitored)/,
  ),
];

/** What a server says that settles nothing: it will try again, or gave up trying. */
const FOR_NOW =
  /\b(?:try|tried|retry|retries|retrying|retried) (?:again )?(?:later|again)|\bgreylist|\bgraylist|temporar|\bdelayed\b|will (?:be )?(?:retr|try|keep)|timed? ?out|connection (?:refused|reset|lost|dropped)|delivery time expired|could not connect|unreachable/;

/**
 * @param status enhanced status code (`5.7.1`), '' where there is none
 * @param code the three digits of SMTP, 0 where there are none
 * @param words what the server said, in any case
 */
export function bounceVerdict({ status, code, words }: { status: string; code: number; words: string }): BounceVerdict {
  const text = words
    .slice(0, MOST)
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '');
  const known = statusesOf(status, text);
  const found = certain(text, known) ?? likely(text, known);
  const forNow = known[0]?.startsWith('4') || (known.length === 0 && code >= 400 && code < 500);
  if (found && (found.fault === 'sender' || found.fault === 'mailbox_full')) return verdict(found);
  if (forNow || FOR_NOW.test(text)) return { fault: 'transient', sender: null };
  if (found) return verdict(found);
  // A policy that says nothing more is about us or about what we wrote, never about the address.
  if (known.some((each) => /^5\.7\./.test(each)) || known.some((each) => /^5\.5\./.test(each))) return MESSAGE;
  if (code === 550 || code === 551 || code === 553) return known.length === 0 ? ADDRESS : TRANSIENT;
  return TRANSIENT;
}

function certain(text: string, known: readonly string[]): Rule | undefined {
  return CERTAIN.find(
    (one) => (one.code === null || known.some((each) => one.code?.test(each))) && (one.text?.test(text) ?? true),
  );
}

function likely(text: string, known: readonly string[]): Rule | undefined {
  const byText = RULES.find((one) => one.text?.test(text));
  const byCode = RULES.find((one) => known.some((each) => one.code?.test(each)));
  return bestOf(byText, byCode);
}

const ADDRESS: BounceVerdict = { fault: 'address', sender: null };
const MESSAGE: BounceVerdict = { fault: 'message', sender: null };
const TRANSIENT: BounceVerdict = { fault: 'transient', sender: null };
const verdict = ({ fault, sender }: Rule): BounceVerdict => ({ fault, sender });

/** The code that the report names first; else those in its words. */
function statusesOf(status: string, text: string): readonly string[] {
  const named = /^[245]\.\d{1,3}\.\d{1,3}/.exec(status.trim())?.[0];
  const within = text.match(/(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![\d.]*\d)/g) ?? [];
  return [...(named ? [named] : []), ...within].slice(0, 4);
}

/** A precise code of the sender's is certain; else the words know more, since one code serves for many things. */
function bestOf(byText: Rule | undefined, byCode: Rule | undefined): Rule | undefined {
  if (byCode?.fault === 'sender') return byCode;
  if (byCode?.fault === 'address' && byText?.fault === 'message') return byCode;
  return byText ?? byCode;
}

/** What a report is kept as; source: outrider.mail_report. */
export type MailReportKind = 'hard_bounce' | 'soft_bounce' | 'complaint' | 'sender_fault' | 'refused';

/** As what a mail that came back is kept. `final`: the server gave up. */
export function reportKind({ fault }: BounceVerdict, final: boolean): MailReportKind {
  if (fault === 'sender') return 'sender_fault';
  if (!final || fault === 'transient' || fault === 'mailbox_full') return 'soft_bounce';
  return fault === 'address' ? 'hard_bounce' : 'refused';
}

/** What to do about a fault of the sender, for people. */
export const SENDER_ADVICE: Readonly<Record<SenderFault, string>> = {
  limit: 'its provider says that it sent too much: lower its daily limit',
  authentication: 'servers can not tell that it is who it says: publish SPF, DKIM and DMARC for its domain',
  reputation: 'servers hold its address or IP for a spammer: have it taken off the lists that they name',
};

const HOUR_MS = 3_600_000;
/** How long a mailbox rests after such a refusal, ms. A limit is over when the provider's window is, the others when somebody mends them. */
export const SENDER_REST_MS: Readonly<Record<SenderFault, number>> = {
  limit: 5 * HOUR_MS,
  authentication: 24 * HOUR_MS,
  reputation: 24 * HOUR_MS,
};

/** Why a mailbox rests, for people: what to do, then the server's words, without the addresses that they name. */
export function restReason(sender: SenderFault, words: string): string {
  const said = words.slice(0, MOST).replace(/\s+/g, ' ').trim().slice(0, 200);
  return `${SENDER_ADVICE[sender]} (${said.replace(/\S+@\S+/g, '…')})`;
}
