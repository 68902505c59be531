import { alone, few } from './word-gaps.ts';

/**
 * Stems of stopping, removing and not again in the eight languages of the product: where one stands, nobody takes a thanks, a question or
 * a word of pleasure for a yes. Not every one is a wish (our unsubscribe rate), so that a person reads what no other rule knows.
 * Written for folded texts (lower case, no accents).
 */
const STEMS: Readonly<Record<string, readonly string[]>> = {
  english: [
    String.raw`stop(?:ped|ping|s)?(?! by| at| in| over| off)|ceas(?:e|ing)|quit|desist|discontinue|refrain\p{L}*`,
    String.raw`un-?sub\p{L}*|opt(?:ing|ed)?[ -]?out|remov(?:e|al|ed|ing)|delet\p{L}*|eras(?:e|ed|ing|ure)|exclude|purge|spam\p{L}*`,
    String.raw`(?:take|get|leave|keep|count) (?:me|us|my|our|this|it)${few(3)} (?:off(?! speaker| hold| mute)|out|alone|gone|be)|block(?:ed|ing)? (?:me|us|you)|forget (?:me|us)|be gone`,
    String.raw`(?:not|never|\p{L}+n't|dont|no)${few(4)} (?:again|any ?more|e-?mail(?:ing|s)?|contact(?:ing)?|hear(?:ing)?(?! back)|writ(?:e|ing))`,
    'no more|no further (?:e-?mails?|mails?|messages?|contact)|enough (?:of|with|e-?mails?|mails?)|harass(?:ment|ing)|gone for good',
  ],
  german: [
    String.raw`stopp(?:en|e|t)?|aufhor\p{L}*|hor(?:en|t|e)? (?:sie )?(?:bitte )?auf|loschen|losch(?:e|t|ung)|entfern(?:en|e|t|ung)|streich(?:en|e|t|ung)|sperr(?:en|e|t)`,
    String.raw`ab(?:zu)?meld(?:en|e|et|ung)|ab(?:zu)?bestell\p{L}*|aus(?:zu)?trag(?:en|ung)|unterlass\p{L}*|widersprech\p{L}*|widerspruch|verschon\p{L}*|meld\p{L}*${few(4)} ab|trag\p{L}*${few(4)} aus`,
    String.raw`(?:nicht|nichts|nie|niemals|kein\p{L}*)${few(3)} (?:mehr|wieder|anschreiben|kontaktieren|schreiben|schicken|senden|horen)|kein\p{L}*(?: weitere\p{L}*)? (?:e-?mails?|mails?|nachrichten|werbung|spam|kontakt\p{L}*)`,
    String.raw`(?:nehm|nimm|lass|hol)\p{L}*(?: sie)? (?:mich|uns)${few(4)} (?:raus|heraus|ruhe|frieden|liste|verteiler)|in ruhe|(?:liste|verteiler) (?:nehmen|streichen)`,
  ],
  french: [
    String.raw`(?:des)?(?:inscri|abonn)\p{L}*|arret\p{L}*|cess(?:ez|er|e)|stopp(?:ez|er)|supprim\p{L}*|effac(?:ez|er)|retir(?:ez|er)|enlev(?:ez|er)|radi(?:ez|er)|m'oter|me sortir`,
    String.raw`(?:ne|n')${few(4)} (?:plus|jamais)|ne pas (?:me |m'|nous )?(?:re)?(?:contact|relanc|ecri|sollicit|envoy|insist)\p{L}*|plus (?:de|aucun) (?:mails?|e-?mails?|messages?)|la paix|tranquilles?`,
  ],
  spanish: [
    String.raw`de baja|dej(?:e|a|en|ar)(?:me|nos)? (?:de|en paz|tranquil\p{L}*)|par(?:e|en) de|borr(?:e|a|en|ar)\p{L}*|elimin(?:e|a|en|ar)\p{L}*|suprim\p{L}*|quit(?:e|a|en|ar)(?:me|nos)|sa(?:que|quen|ca|car)(?:me|nos)|desuscri\p{L}*|retir(?:e|en|ar)(?:me|nos)`,
    String.raw`no${few(4)} (?:mas|nunca|nuevamente|volver)|nunca mas|basta ya|ya basta|no volver a|en paz`,
  ],
  italian: [
    String.raw`smett\p{L}*|rimoss\p{L}*|cancell\p{L}*(?:mi|ci)|mi cancell\p{L}*|rimuov\p{L}*|toglie(?:te)?(?:mi|re)|disiscri\p{L}*|elimin\p{L}*|basta (?:con|e-?mail|mail|messaggi)`,
    String.raw`non${few(4)} (?:piu|altro|altre|mai)|non (?:scriv|contatt|inviat|mandat)\p{L}*(?:mi|ci)|(?:in pace|stare)`,
  ],
  dutch: [
    String.raw`stoppen|haal\p{L}* (?:me|mij|ons)|hou(?:d|den)? (?:hier|er|daar)?(?:mee )?op|verwijder\p{L}*|uit(?:te)?schrijv\p{L}*|af(?:te)?meld\p{L}*|meld\p{L}*${few(3)} af|schrijf${few(3)} uit|schrappen|met rust`,
    String.raw`(?:niet|niets|nooit|geen)${few(3)} (?:meer|benaderen|mailen|contacteren)|geen (?:e-?mails?|mails?|berichten|reclame|spam)|(?:lijst|bestand|systeem)${few(1)} (?:halen|verwijderen)`,
  ],
  portuguese: [
    String.raw`par(?:em|e|ar) (?:de|com)|remov\p{L}*|descadastr\p{L}*|exclu(?:a|am|ir)\p{L}*|apag(?:ue|uem|ar)\p{L}*|retir(?:e|em|ar)\p{L}*|sair d[ae]\p{L}*|cancel(?:ar|e|em) (?:a )?(?:minha )?(?:inscricao|subscricao|assinatura)`,
    String.raw`nao${few(4)} mais|nunca mais|nao volt\p{L}*|em paz|chega de`,
  ],
  polish: [
    String.raw`przesta\p{L}*|zaprzesta\p{L}*|usun\p{L}*|wypis(?:z|ac|uje)\p{L}*|wykresl\p{L}*|z?rezygn\p{L}*|sprzeciw\p{L}*|spokoj`,
    String.raw`nie${few(3)} (?:wiecej|juz|pisac|pisz\p{L}*|kontaktow\p{L}*|wysyla\p{L}*)|zadnych${few(1)} (?:maili|wiadomosci|ofert)`,
  ],
};

/** Something of stopping, removing or not again. */
export const STOP_STEM = alone(Object.values(STEMS).flat());

/** Who is meant, or whose: the object of a wish, and its mails. */
const OBJECT = String.raw`(?:me|us|mich|mir|uns|moi|-nous|mij|ons|mnie|nas|(?:my|our|mein\p{L}*|unser\p{L}*|mon|mes|ma|nos|mis?|nuestr\p{L}*|mio|mia|miei|mijn|onze|meus?|minhas?|moj\p{L}*|moich)${few(2)} (?:e-?mails?|mails?|address\p{L}*|adress\p{L}*|adres\p{L}*|direcc\p{L}*|indirizz\p{L}*|enderec\p{L}*|data|details|name|number|daten|donnees|coordonnees|datos|dati|dados|gegevens|dane|correo|\p{L}*mailadress\p{L}*|kontakt\p{L}*|contact\p{L}*))`;
const CLINGING = String.raw`(?:\p{L}{3,}(?:arme|erme|irme|enme|eme|ame|armi|irmi|atemi|etemi|itemi|-moi|-me))`;
const CLAUSE_OF_SELF = alone([OBJECT, CLINGING, String.raw`m'\p{L}{3,}`]);

/** Who wants help to stop something else. */
const HELP =
  /(?<![\p{L}])(?:help(?:ing|s)?|hilf|helfen|aide[rz]?|ayud\p{L}*|aiut\p{L}*|helpen|ajud\p{L}*|pomoc\p{L}*) (?:me|us|mir|uns|nous|ons|nam)(?![\p{L}])/gu;

/** Whether a clause speaks of stopping or removing, and of its author or of what reaches them. */
export function asksForSelf(clause: string): boolean {
  return STOP_STEM.test(clause) && CLAUSE_OF_SELF.test(clause.replace(HELP, ' '));
}
