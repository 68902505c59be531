/**
 * Lines below a mail in which a company tells its own readers how to get no more of its mails: nobody's wish. Written for folded texts
 * (lower case, no accents).
 */
const IF_YOU =
  '(?:if you|should you|in case you|wenn sie|falls sie|sollten sie|mochten sie|si vous|si (?:ya )?no (?:desea|quiere)|si desea|si usted|se non (?:desidera|vuole|desiderate)|se desidera|als u|indien u|wilt u|se (?:voce |nao )+|caso nao|jesli (?:nie )?|jezeli (?:nie )?)';
const WISHES =
  '(?:wish|want|would like|prefer|no longer|wunsch|mocht|wollen|souhait|desir|voul|dese|quier|desider|vuol|vogli|wilt|wenst|wenst|quis|chc|zycz)';
const GETTING =
  '(?:receive|get|hear|e-?mails?|mailings?|newsletter|subscri|erhalten|bekommen|abmelden|abbestellen|recevoir|desinscri|desabonn|recibir|darse de baja|ricevere|disiscri|ontvangen|afmelden|uitschrijven|receber|cancelar|otrzymywac|wypisac|zrezygnowac)';
const IN_ORDER_TO =
  '(?:to (?:unsubscribe|opt[ -]?out|stop receiving|be removed|manage your)|um sich (?:abzumelden|auszutragen)|zum (?:abmelden|abbestellen)|pour (?:vous|se) (?:desinscrire|desabonner)|pour ne plus recevoir|para (?:darse de baja|cancelar|dejar de recibir|deixar de receber)|per (?:disiscriver|cancellar|non ricevere)|om (?:u|je) (?:af te melden|uit te schrijven)|aby (?:sie )?(?:wypisac|zrezygnowac))';
const WAY =
  '(?:here|click|link|reply|answer|respond|visit|https?:|www\\.|hier|klick|antworte|cliqu|ici|repond|aqui|clic|pinche|responda|antworten|qui|klik|reageer|kliknij|tutaj|writing to|by e-?mail|settings|preferences)';
/** Its author does not stand in it. */
const NOBODY = String.raw`(?![^\n]* (?:me|mich|mir|moi|mij|mnie)(?![\p{L}]))`;
const SENTENCE = new RegExp(
  `(?:(?<![\\p{L}])${IF_YOU}${NOBODY}(?=[^.!?\\n]{0,100}?${WISHES})(?=[^.!?\\n]{0,100}?${GETTING})[^\\n]{0,160}${WAY}|(?<![\\p{L}])${IN_ORDER_TO}[^\\n]{0,120}${WAY})[^\\n]*`,
  'gu',
);

/** What companies say to whom a mail reached that was not theirs, and of the rights of their readers. */
const DISCLAIMER =
  /(?<![\p{L}])(?:if you (?:are not|have received|received|got) (?:the|this|an?) (?:intended|named|e-?mail|message|addressee|mail)|wenn sie (?:nicht der|diese|dieses)|sollten sie (?:nicht|diese)|falls sie (?:nicht der|diese)|si vous (?:n'etes pas|avez recu)|si (?:usted )?(?:no es|ha recibido)|se (?:non siete|avete ricevuto|non e il|nao for)|als u niet|jesli nie jest)[^\n]*(?:delete|destroy|remove|notify|losch|vernicht|supprim|detrui|elimin|borr|cancell|distrugg|verwijder|vernietig|apag|usun)[^\n]*/gu;

/** The text without such lines; as it is where nothing else would be left. */
export function withoutReaderFooter(folded: string): string {
  const rest = folded.replace(SENTENCE, '').replace(DISCLAIMER, '');
  return /[\p{L}\p{N}]/u.test(rest) ? rest : folded;
}
