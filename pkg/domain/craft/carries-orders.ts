import { foldReply } from '../fold-reply.ts';

/** What addresses a program that reads or writes, wherever it stands. */
const ADDRESSES: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass|skip|ignorier\w*|vergiss|vergesst|vergessen sie|missachte\w*|ignorez|ignora|ignoren|oublie\w*|olvida\w*|omit\w*)\b.{0,60}\b(?:instruct\w*|previous\w*|prior|above|earlier|rules?|prompts?|everything|all|safety|guidelines|anweisung\w*|regeln?|vorherig\w*|alles|bisherig\w*|consignes?|instructions?|precedent\w*|tout\w*|reglas?|instruccion\w*|anterior\w*|todo\w*)\b/,
  /\b(?:instructions?|anweisung(?:en)?|consignes?|instruccion(?:es)?|system ?prompts?|prompts?|jailbreak|developer mode|role ?play|rollenspiel)\b/,
  /\bif (?:you are|you re|you're|an?|this is|the) ?(?:an? |being )?(?:llm|ai|a\.i\.|bot|chatbot|language model|assistant|model|machine|robot|gpt|automated|read)/,
  /\b(?:llms?|ais?|bots?|chatbots?|assistants?|gpt|claude|models?|writers?|agents?|recruiters?|sprachmodelle?|ki|ia|modeles?|modelos?|asistentes?)\b.{0,30}\b(?:must|should|shall|have to|has to|need to|needs to|will now|are required|is required|reading this|mussen|muss|sollen|soll|doit|doivent|debe|deben|que lee\w*|qui li\w*)\b/,
  /\b(?:wenn|falls|sofern|si|cuando|quand) (?:du|sie|tu|vous|usted|eres|es|etes)? ?(?:bist|sind|es|etes|eres|ein\w*|un\w*)? ?(?:ein\w*|un\w*)? ?(?:sprachmodell|ki|ia|llm|bot|assistent\w*|assistant\w*|asistente|modele|modelo|maschine|machine|maquina)\b/,
  /\b(?:include|includes|mention|add|insert|append|write|say|repeat|quote|put|schreib\w*|fuge|erwahne\w*|nenne\w*|ajoute\w*|ecri\w*|insere\w*|mentionne\w*|incluye\w*|escrib\w*|anad\w*|menciona\w*)\b.{0,24}(?:"|: )/,
  /\b(?:in|to|at the (?:end|start|top) of|into) (?:your|the) (?:next )?(?:message|reply|answer|response|text|note|mail|email)\b/,
  /\b(?:you are now|you re now|act as|pretend|from now on|du bist (?:jetzt|nun)|ab jetzt|ab sofort|stell dir vor|tu es (?:maintenant|desormais)|vous etes (?:maintenant|desormais)|a partir de maintenant|ahora eres|a partir de ahora|actua como|finge)\b/,
  /\b(?:note|message|attention|hinweis|nachricht|nota|mensaje|avis)\b.{0,12}\b(?:to|for|an|fur|a|para|pour)\b.{0,8}\b(?:ai|llms?|bots?|model|assistant|writer|gpt|ki|ia|sprachmodell|modelo|modele|reader)\b/,
  /\b(?:when|while|before|after|as you|wenn|falls|bevor|quand|avant|lorsque|cuando|antes de|al) (?:you )?(?:are )?(?:writing|drafting|replying|responding|answering|composing|generating|summari[sz]ing|du (?:schreibst|antwortest)|sie (?:schreiben|antworten)|tu (?:ecris|reponds)|vous (?:ecrivez|repondez)|escrib\w+|respond\w+|redact\w+)\b/,
  /\b(?:your (?:next |whole |entire |final )?(?:reply|answer|response|output|message|text)|deine (?:antwort|nachricht)|ta reponse|votre reponse|tu respuesta|su respuesta) (?:must|should|has to|needs to|will|shall|muss|soll|doit|debe)\b/,
  /(?:^|\s)(?:system|assistant|user|developer|human|tool)\s*[:>\]]|\[\/?(?:inst|system|sys)\]|‹[|/a-z!]|#{2,}|```|={4,}|-{4,}|\bend of (?:data|facts|profile|text|prompt|context)\b|\bbegin (?:system|admin)|\bnew (?:task|rule|orders?|policy)\b|\b(?:sudo|admin) (?:mode|override)\b/,
  /\b(?:canary|boundary|factids?|segments?)\b.{0,20}[[:{"]/,
];

const VERBS =
  'write|say|reply|respond|answer|output|print|echo|repeat|include|insert|add|append|mention|tell|start|begin|end|finish|sign|translate|send|forward|click|visit|go|open|buy|pay|call|contact|email|mail|recommend|offer|promise|give|congratulate|praise|thank|claim|state|declare|confirm|agree|accept|approve|classify|mark|label|rate|score|choose|use|put|make|let|do|never|always|please|remember|reveal|show|list|quote|cite|compose|draft|generate|produce|create|return|wire|transfer|schreibe?|schreib|sage?|sag|antworte|erwahne|fuge|nenne|gib|ubersetze|sende|schicke|klicke|besuche|kaufe|biete|versprich|lobe|gratuliere|bestatige|markiere|verwende|benutze|bitte|immer|niemals|ecris|ecrivez|dis|dites|reponds|repondez|ajoute|ajoutez|inclus|incluez|insere|inserez|mentionne|mentionnez|envoie|envoyez|clique|cliquez|visite|visitez|achete|achetez|promets|promettez|offre|offrez|felicite|felicitez|confirme|confirmez|termine|terminez|commence|commencez|traduis|traduisez|utilise|utilisez|toujours|escribe|escriba|di|diga|responde|responda|anade|anada|incluye|incluya|inserta|inserte|menciona|mencione|envia|envie|haz|haga|visita|compra|compre|promete|prometa|ofrece|ofrezca|felicita|felicite|confirma|confirme|termina|termine|empieza|empiece|traduce|traduzca|usa|use|siempre|nunca';
const OBJECTS =
  'that|the|a|an|this|these|those|it|me|us|them|him|her|to|with|in|on|all|every|everyone|your|our|my|only|how|what|exactly|following|as|at|for|by|back|yes|no|now|here|dass|den|die|das|dem|der|ein|eine|einen|mit|im|in|mir|uns|ihm|ihr|ihnen|genau|nur|am|auf|von|unter|jeden|jede|que|le|la|les|l|un|une|des|du|de|avec|dans|moi|lui|ceci|cela|votre|ta|ton|tes|en|par|seulement|exactement|el|los|las|una|con|esto|eso|su|tu|exactamente|solo|al|nos|on';
/** An order at the beginning of a clause: a verb with its object. */
const ORDER = new RegExp(
  `^(?:(?:and|then|also|so|but|please|now|und|dann|bitte|et|puis|y|luego|por favor|s il vous plait)[ ,]+)*(?:${VERBS})\\b[ :]*(?:(?:${OBJECTS})\\b|["'“„«:])`,
);
/** Verbs that no record of a person begins with. */
const BARE_ORDER =
  /^(?:(?:please|now|then|and|bitte|und) )*(?:say|print|echo|output|repeat|reveal|respond|reply|answer|mention|include|insert|append|schreibe|antworte|erwahne|sage|ecris|ecrivez|reponds|repondez|dites|escribe|escriba|responde|responda|diga)\b(?! (?:desk|team|center|centre|agent|management))/;

/** Letters that were hidden from whom reads words: spaced out, signs for letters, or coded. */
const HIDDEN: readonly RegExp[] = [
  /(?:^|\s)(?:\p{L}[\s._-]){5,}\p{L}(?:\s|$)/u,
  /\b\p{L}+\d+\p{L}+\d*\p{L}*\b.*\b\p{L}+\d+\p{L}+\d*\p{L}*\b/u,
  /[A-Za-z0-9+/]{32,}={0,2}|(?:\\x[0-9a-f]{2}){3,}|(?:\\u[0-9a-f]{4}){2,}|(?:&#x?[0-9a-f]+;){2,}|(?:%[0-9a-f]{2}){3,}|\b(?:[01]{8}\s?){3,}/iu,
  /\b(?:base64|rot13|hex|decode|entschlussle|decoder|decodifica)\b/i,
];

const WORDS = /\p{L}{3,}/gu;
const LATIN = /\p{Script=Latin}/u;
const LIKE_LATIN = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

/** A word of two alphabets looks like another one. Each word is looked at once: a long text takes no more than its length. */
function mixesAlphabets(text: string): boolean {
  return (text.match(WORDS) ?? []).some((word) => LATIN.test(word) && LIKE_LATIN.test(word));
}

/**
 * Whether words of others speak to the writer who uses them, instead of telling something. Such a fact is not offered at all: what it
 * orders can't be written from what nobody saw. Plain words are lost now and then ("Add the human touch"); a text has other facts.
 * @param talk of a conversation: people ask us for things, which is no attack
 */
export function carriesOrders(text: string, talk = false): boolean {
  if (mixesAlphabets(text) || HIDDEN.some((pattern) => pattern.test(text))) return true;
  const folded = foldReply(text).replace(/["“”„«»]/g, '"');
  if (ADDRESSES.some((pattern) => pattern.test(folded))) return true;
  const clauses = folded.split(/[.;:!?,()¦•·\n]+|\s[-–—/]+\s/).map((clause) => clause.trim());
  return !talk && clauses.some((clause) => ORDER.test(clause) || BARE_ORDER.test(clause));
}

const FIRST_PERSON = /\b(?:i|we|our|us|my|ich|wir|unser\w*|mein\w*|je|nous|notre|nos|mon|yo|nosotros|nuestr\w+|mi)\b/;
const MOST_WORDS = 14;

/** Whether a short field (title, company, industry, place) says something that such a field never says. */
export function isNoField(text: string): boolean {
  const folded = foldReply(text);
  return FIRST_PERSON.test(folded) || folded.split(' ').length > MOST_WORDS || /[!?"]/.test(text);
}
