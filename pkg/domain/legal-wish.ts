/**
 * Wishes to be left alone in the words of the law: GDPR (Art. 17 and 21), CCPA ("do not sell"), CAN-SPAM, the German UWG, and what
 * people call them in the eight languages of the product. Companies write of the same rights below their own mails, so that a
 * sentence counts in which somebody speaks of themselves. Written for folded texts (lower case, no accents).
 */

/** Sentences that are looked at, and signs of each. */
const SENTENCES = 12;
const MOST = 400;

const FIRST_PERSON =
  /(?<![\p{L}\p{N}])(?:i|i'm|me|my|we|us|our|ich|mir|mich|mein\p{L}*|wir|uns|unser\p{L}*|je|j'\p{L}+|m'\p{L}+|moi|mon|ma|mes|nous|nos|notre|yo|mi|mis|nuestr\p{L}*|io|mio|mia|miei|nostr\p{L}*|ik|mij|mijn|wij|ons|onze|eu|meus?|minhas?|noss\p{L}*|mnie|moj\p{L}*|moich|ja)(?![\p{L}\p{N}])/u;
/** Verbs that say who speaks by their ending. */
const SPEAKS =
  /(?<![\p{L}\p{N}])(?:opongo|oppongo|oponho|ejerzo|esercito|exerco|solicito|solicitamos|chiedo|chiediamo|revoco|revogo|retiro|wnosze|cofam|zadam|prosze|hiermit|hereby)(?![\p{L}\p{N}])/u;
/** How disclaimers speak to their reader. */
const TO_THE_READER =
  /(?<![\p{L}\p{N}])(?:you (?:have|may|can|are entitled)|your rights?|sie haben|sie konnen|ihre rechte|vous (?:disposez|pouvez|avez)|usted|puede ejercer|podra ejercer|lei (?:ha|puo)|u (?:heeft|kunt)|pode exercer|voce (?:tem|pode)|przysluguje|maja panstwo)(?![\p{L}\p{N}])/u;

const LAW =
  '(?:uk )?(?:gdpr|dsgvo|ds-gvo|rgpd|avg|rodo|lgpd|general data protection regulation|datenschutz-?grundverordnung)';
const ARTICLE = String.raw`(?:art(?:icle|ikel|iculo|icolo|igo|ykul\p{L}*)?s?\.?|§) ?(?:17|18|21)(?!\d)`;
const NEAR = String.raw`[^\n]{0,60}?`;

const PATTERNS = [
  `${ARTICLE}${NEAR}${LAW}|${LAW}${NEAR}${ARTICLE}`,
  '(?<!no )(?<!not )object(?:s|ing|ion)? to (?:the |your |any |all |this |such |further |continued )*(?:processing|use|storage|storing|direct marketing|marketing|contact|outreach)',
  'right (?:to|of) (?:object|objection|erasure|be forgotten|opt out|deletion)',
  String.raw`(?:withdraw|revoke)\p{L}*(?: my| our| any| all)* consent`,
  'do not (?:sell|share|process|use|store|keep)(?: or (?:sell|share|process|use|store|keep))? (?:any of )?(?:my|our) (?:personal )?(?:data|information|details|info|e-?mail)',
  `(?<!not )(?<!n't )(?:erase|erasure of|delete|deletion of|removal of|remove)${NEAR} (?:my|our) (?:personal )?(?:data|information|details)`,
  '(?:request|ask(?:ing)?(?: you)? for|demand|require|want)(?: the| an?| my| our| immediate)* (?:removal|unsubscription|deletion|erasure|opt-?out)',
  'cease and desist|can-?spam|tcpa violation|ccpa|cpra',
  String.raw`(?:report|flag|mark)\p{L}*${NEAR} (?:as spam|as junk|as phishing|to (?:the )?(?:ico|ftc|cnil|aepd|data protection|authorities|supervisory))`,
  String.raw`(?:violat|breach|infring)\p{L}*${NEAR}(?:${LAW}|privacy|data protection)`,
  String.raw`widersprech\p{L}*|widerspruch|widerrufe?n? (?:ich )?(?:hiermit )?(?:meine|die|jede) einwilligung|einwilligung${NEAR}widerruf\p{L}*|recht auf (?:loschung|widerspruch|vergessen\p{L}*)|§ ?7 (?:abs\. ?\d )?uwg|abmahn\p{L}*`,
  '(?:um|die|eine|sofortige|meine|unsere) (?:abmeldung|abbestellung|loschung|austragung|streichung|entfernung)',
  "m'oppos\\p{L}*|nous opposons|droit (?:d'opposition|a l'effacement|a l'oubli|de retrait)|retire mon consentement|demande(?: de| la| ma)* (?:desinscription|suppression|desabonnement)",
  'me opongo|nos oponemos|derecho (?:de|a la|al) (?:supresion|oposicion|cancelacion|olvido)|(?:retiro|revoco) (?:mi|el) consentimiento|(?:la|mi) (?:supresion|eliminacion) de mis datos',
  "mi oppongo|ci opponiamo|diritto (?:di opposizione|alla cancellazione|all'oblio)|revoco il (?:mio )?consenso|(?:la )?(?:cancellazione|rimozione) de(?:i miei dati|l mio)",
  'maak(?:en)?(?: ik| wij| hierbij)* bezwaar|recht op (?:vergetelheid|verwijdering|bezwaar)|trek(?: ik)?(?: hierbij)? mijn toestemming in|verwijdering van mijn',
  '(?:oponho-me|me oponho)|direito (?:de oposicao|ao esquecimento|a eliminacao|de eliminacao)|revogo (?:o )?(?:meu )?consentimento|(?:exclusao|eliminacao|remocao) dos meus dados',
  'sprzeciw\\p{L}*|cofam (?:moja )?zgode|prawo do (?:usuniecia|bycia zapomnianym|sprzeciwu)|usuniecie (?:moich|mojego)',
];
const WISH = new RegExp(`(?<![\\p{L}\\p{N}])(?:${PATTERNS.join('|')})(?![\\p{L}\\p{N}])`, 'u');

/** An answer of so few words is no disclaimer, so that it speaks of its author. */
const SHORT_ANSWER = 15;

/** The words by which somebody makes use of a right to be left alone; null: none. */
export function legalWish(folded: string): string | null {
  const sentences = folded.split(/[!?\n]+|(?<!\bart|\babs|\bnr|\bno)\.(?:\s|$)/).slice(0, SENTENCES);
  const isShort = !folded.includes('?') && folded.split(/\s+/).length <= SHORT_ANSWER;
  for (const sentence of sentences.map((one) => one.slice(0, MOST))) {
    if (TO_THE_READER.test(sentence) || !(isShort || FIRST_PERSON.test(sentence) || SPEAKS.test(sentence))) continue;
    const found = WISH.exec(sentence);
    if (found) return found[0];
  }
  return null;
}
