import { OPT_OUT_SENTENCES } from './opt-out-sentences.ts';
import { alone, few, NEAR } from './word-gaps.ts';

/**
 * What people say in sentences that no list of words holds: wishes to be left alone, and interest that is denied. Written for folded
 * texts (lower case, no accents).
 */
const MAILS = `(?:e-?mails?|mails?|messages?|messaging|texts?|spam|outreach|communications?|contact)`;

const ENGLISH = [
  `(?:stop|cease|quit)(?: all| any| these| those| this| the| your| sending| with)*(?: further| more| unsolicited)? (?:${MAILS}|mailing|texting|calling|spamming|bothering|harassing|reaching out|contacting|writing)(?! with (?:our|my|the|them|him|her))`,
  String.raw`(?:do not|don't|dont|never)(?: ever| please)? (?:e-?mail|mail|bother|spam|approach|write to|reach out to) (?:me|us)(?= (?:again|any ?more|ever|please)| *[.!\n]| *$)`,
  "(?:do not|don't|dont|never)(?: ever| please)? call (?:me|us) (?:again|any ?more|ever)",
  `(?<!if you )(?:do not|don't|dont|no longer|never|would not|wouldn't) (?:want|wish|care|like) to (?:receive(?![^.!?\\n]{0,30} from (?:other|another|our|my|their))|get (?:any|more|further|your|these|such|e-?mails?|messages)|be (?:contacted|messaged|e-?mailed|called)(?! (?:by|via|on|before|until|at))|hear from you)`,
  `(?:do not|don't|dont) want(?: any| your)?(?: more| further)? (?:e-?mails?|mails?|messages?|spam)`,
  `(?:prefer|ask|asked|like|wish|want) not to be (?:contacted|messaged|e-?mailed)(?! (?:by|via|on|before|until|at))`,
  `no (?:further|more|additional|future) (?:${MAILS})(?! (?:received|arrived|from you|came|needed|necessary|required|is|are))`,
  `(?:remove|delete|erase|take|strike|drop) (?:me|us|my|our)${few(4)} (?:off|from|out of) (?:your|the|this|any|all)${few(2)} (?:lists?|database|records|systems?|sequence|campaign|crm|mailings?)`,
  `(?<!not )(?<!n't )(?:remove|delete|erase) (?:us|(?:my|our|all my|all our)(?: personal| contact)* (?:data|details|information|info|e-?mail|address|number|profile))`,
  `(?:do not|don't|dont) e-?mail(?= *[.!\n]| *$)`,
  `(?:i|we) want (?:off|out)(?= *[.!\n]| *$)`,
  `leave (?:me|us) be(?= *[.!\n]| *$)`,
  `lose my (?:number|e-?mail|address|contact)`,
  `refrain from (?:contacting|messaging|e-?mailing|mailing|calling|writing to|approaching) (?:me|us)`,
];

const GERMAN_MAILS = String.raw`(?:e-?mails?|mails?|nachrichten?|anfragen?|kontakt\p{L}*|werbung|newsletter|zuschriften|anschreiben|post|spam|kontaktversuche|angebote)`;
const GERMAN = [
  String.raw`(?:nicht|nie) (?:mehr|weiter|wieder|langer)${few(2)} (?:kontaktier\p{L}*|anschreib\p{L}*|angeschrieb\p{L}*|schreiben|belastig\p{L}*|anruf\p{L}*|angerufen)`,
  String.raw`(?:kontaktier|schreib|belastig|ruf|send|schick|mail)\p{L}*(?: sie)?(?: mich| mir| uns| bitte)* (?:nicht mehr|nicht weiter|nie mehr|nie wieder|nichts mehr)`,
  String.raw`sprech\p{L}*(?: sie)? (?:mich|uns)(?: bitte)? (?:nicht mehr|nie wieder|nicht wieder)`,
  String.raw`(?:kontaktier|schreib)\p{L}*(?: sie)? (?:mich|mir|uns)(?: bitte)? nicht(?= *[.!\n]| *$)`,
  `keine? (?:weiteren?|weiterer) ${GERMAN_MAILS}(?!(?: von ihnen| mehr)? (?:erhalten|bekommen|gesehen|gefunden))`,
  String.raw`kein\p{L}* ${GERMAN_MAILS} mehr`,
  String.raw`kein\p{L}*(?: weitere\p{L}*)? kontakt\p{L}* (?:mehr|gewunscht|erwunscht)`,
  String.raw`weitere\p{L}* ${GERMAN_MAILS}${few(4)} (?:ab|absehen|abzusehen|verzichten|unterlassen|zu unterlassen)`,
  String.raw`unterlass(?:en sie|t|ungs\p{L}+)`,
  String.raw`(?:streich|losch|entfern)\p{L}*(?: sie| bitte| doch| sofort| umgehend)* (?:mich|uns)${NEAR}[^\p{L}](?:verteiler|\p{L}*listen?|datenbank|kartei)`,
  String.raw`(?:streich|losch|entfern)\p{L}*(?: sie| bitte| doch| sofort| umgehend| alle| all)* meine${few(2)} (?:daten|adresse|e-?mail\p{L}*|mailadresse|kontaktdaten)`,
  String.raw`(?:nehm|nimm|trag)\p{L}*${NEAR} aus${few(2)} (?:verteiler|\p{L}*listen?|datenbank|kartei)`,
  String.raw`trag\p{L}*(?: sie)? (?:mich|uns)(?: bitte)? aus(?= *[.!\n]| *$)`,
  String.raw`(?:aus|von|meine)${few(2)} (?:verteiler|\p{L}*liste|datenbank|daten|e-?mail-?adresse)${few(2)} (?:zu )?(?:nehmen|streichen|loschen|entfernen|austragen|geloscht|herauszunehmen|rauszunehmen)`,
  `(?:mochten?|will|wollen|wunschen?)${few(2)} (?:nicht|nichts|keine)${few(3)} (?:kontaktiert|angeschrieben|angerufen|e-?mails?|mails|nachrichten|werbung|von ihnen horen)(?! (?:machen|schalten|verschicken|versenden|schreiben|senden|betreiben))`,
  `stopp(?:en sie|t|e)?(?: bitte| die| diese| ihre| den| das| damit)* (?:e-?mails?|mails?|nachrichten|spam|newsletter|das|damit)`,
  String.raw`(?:stoppen sie|horen sie)(?: das| bitte| damit)*(?: bitte| auf)(?= *[.!\n]| *$)`,
  `(?:horen sie|hort|hor)(?: bitte| doch| endlich)* auf,? (?:mir|mich|uns|damit)`,
  `lass(?:en sie|t)? (?:mich|uns)(?: bitte| endlich)* in ruhe`,
];

const FRENCH_VERBS = String.raw`(?:re)?(?:contact|ecri|envo[iy]|sollicit|relanc|derang|importun|appel|demarch)\p{L}*`;
const FRENCH = [
  `ne (?:me |nous )?(?:m')?${FRENCH_VERBS}(?: moi| rien| nous)* plus`,
  `ne m'${FRENCH_VERBS}(?: rien)? plus`,
  `ne plus (?:me |nous |m'|etre |rien )*(?:${FRENCH_VERBS}|recevoir)`,
  String.raw`ne (?:souhait|veu|voul|desir)\p{L}* (?:plus|pas) (?:etre (?:re)?(?:contact|sollicit|derang|relanc|demarch)\p{L}*|recevoir (?:de |d'|vos|ces|ce genre|aucun|plus))`,
  String.raw`(?:retir|supprim|enlev|effac|desinscri|desabonn)\p{L}*${NEAR} (?:de|des|sur) (?:votre|vos|la|cette|toutes vos)${few(2)} (?:listes?|bases?|fichiers?|mailings?|diffusion)`,
  String.raw`(?:supprim|effac|retir|enlev)\p{L}*${few(2)} (?:mes|mon|ma|nos) (?:donnees|coordonnees|informations|adresse|e-?mail|mail)`,
  `(?:arretez|arrete|arreter|cessez|cesse|cesser) (?:de (?:me |m'|nous )\\p{L}+|vos|ces (?:messages|mails|e-?mails|envois|relances)|tous? vos|tout (?:contact|envoi))`,
  String.raw`(?:plus|pas|stop)(?: aucune?)?(?: de| d'| a| au| aux| a la)? ?(?:prospection|sollicitations?|demarchages?|spam|relances?)(?= *[.!,\n]| *$| s'il| svp| merci)`,
];

const SPANISH_WISH = `(?:contacte[ns]?|contacteis|escriba[ns]?|escribais|envie[ns]?|envieis|mande[ns]?|mandeis|llame[ns]?|llameis|moleste[ns]?|molesteis)`;
const SPANISH_VERBS = String.raw`(?:escrib|contact|envi|mand|molest|llam)\p{L}*`;
const SPANISH = [
  String.raw`no (?:me |nos )(?:vuelva[ns]? a ${SPANISH_VERBS}|siga[ns]? ${SPANISH_VERBS}|${SPANISH_WISH}(?= (?:mas|nada|nunca|ningun\p{L}*|mensajes|correos|e-?mails?|estos|por favor)| *[.!\n]| *$))`,
  String.raw`no (?:vuelva[ns]?|siga[ns]?)(?: a)? (?:escrib|contact|envi|mand|molest|llam)\p{L}*(?:me|nos)`,
  `(?:deja|deje|dejad|dejen|pare|paren) de ${SPANISH_VERBS}`,
  String.raw`no (?:quiero|queremos|deseo|deseamos)${few(2)} (?:recibir (?:mas|nada|sus?|tus?|estos|ningun\p{L}*|correos|mensajes|e-?mails?|publicidad)|ser contactad\p{L}*|mas (?:correos|mensajes|e-?mails?|mails?))`,
  `no (?:quiero|queremos|deseo|deseamos) que (?:me|nos) ${SPANISH_VERBS}`,
  String.raw`(?:elimin|borr|quit[ae]|suprim|retir)\p{L}*${NEAR} (?:mis datos|mi (?:correo|e-?mail|direccion|contacto|numero)|de (?:su|tu|sus|vuestra|la|esta)${few(1)} (?:lista|listas|base))`,
  `ya no (?:quiero|queremos|deseo|deseamos) (?:recibir|que me|que nos|mas)`,
  `no mas (?:correos|mensajes|e-?mails?|mails?)`,
  `(?:solicito|pido|quiero) (?:la|mi) baja`,
];

const OTHERS = [
  // Italian
  String.raw`non (?:mi |ci )?(?:scriv|contatt|mand|invi)\p{L}*(?: niente)? piu`,
  String.raw`smett\p{L}* di (?:scriv|contatt|mand|invi)\p{L}*`,
  String.raw`non (?:desidero|voglio)(?: piu)? (?:essere contattat\p{L}*|ricevere)`,
  String.raw`(?:cancell|rimuov|elimin|togli)\p{L}*${few(3)} (?:dalla (?:vostra |tua |sua )?lista|dal (?:vostro |tuo |suo )?database|i miei dati)`,
  // Dutch
  `(?:stop met|niet meer)${few(2)} (?:mailen|berichten|contacteren|schrijven|benaderen|benaderd|bellen|gemaild|gecontacteerd|te mailen|te benaderen)`,
  String.raw`(?:schrijf|schrijft|benader|benadert|bel|belt|mail|mailt|contacteer|contacteert|stuur|stuurt|bericht)(?: u)? (?:me|mij|ons)(?: alstublieft| alsjeblieft| aub| a\.u\.b\.| graag)* (?:niet|niets|nooit) (?:meer|verder|opnieuw|weer)(?! (?:dan|vandaag|vanavond|voor|deze week|op dit))`,
  String.raw`(?:verwijder|haal) (?:mij|me|mijn)${few(3)} (?:lijst|bestand|database|gegevens|mailing\p{L}*|mailadres)`,
  String.raw`verwijder mijn (?:gegevens|e-?mail\p{L}*|mailadres)`,
  // Portuguese
  String.raw`nao (?:me |nos )?(?:contact|contat|escrev|envi|mand)\p{L}*${few(1)} mais`,
  String.raw`nao (?:quero|desejo|queremos)(?: mais)? (?:receber|ser (?:contact|contat)\p{L}*)`,
  String.raw`(?:remov|retir|tir|exclu|apag)[\p{L}-]*${few(3)} (?:da (?:sua |vossa )?lista|da (?:sua )?base|meus dados)`,
  String.raw`(?:deix|par)\p{L}* de (?:me |nos )?(?:enviar|mandar|contactar|contatar|escrever|incomodar|ligar)`,
  // Polish
  `(?:prosze|mnie)${few(3)} nie (?:pisac|kontaktowac|wysylac|dzwonic)`,
  String.raw`usun\p{L}*${few(3)} (?:listy|bazy|dane|adres)`,
  `nie (?:zycze sobie|chce)${few(2)} (?:kontaktu|kontaktow|otrzymywac|wiadomosci|maili)`,
];

/** Beyond the eight languages of the product: the commonest wish of each. */
const FURTHER = [
  'не (?:пишите|присылаите|отправляите|беспокоите|связываитесь|звоните|надо мне писать)',
  'удалите (?:меня|мои|наши|нас)|уберите меня|исключите меня|не пишіть|не надсилаите|видаліть (?:мене|моі)',
  String.raw`(?:sluta|slut) (?:mejla|maila|skriva|kontakta|skicka)|ta bort (?:mig|oss)|vill inte (?:bli kontakt\p{L}*|ha (?:fler|mer))`,
  String.raw`(?:fjern|slett|slet) (?:mig|meg|mine|os)|ikke (?:kontakt|skriv|send)\p{L}*(?: (?:mig|meg|os|oss|til|mere|mer))+`,
  'nepiste|nekontaktujte|neposilejte|nezasilejte|odhlaste me|nu (?:imi|ma|ne) mai (?:scrieti|contactati|trimiteti|sunati)',
  'yazmayin|mail atmayin|aramayin|rahatsiz etmeyin|gondermeyin|ne (?:irjon|kuldjon|keressen)|alkaa (?:lahettako|ottako)',
];

/** Sentences by which people ask to be left alone. */
export const LEFT_ALONE = alone([
  ...ENGLISH,
  ...GERMAN,
  ...FRENCH,
  ...SPANISH,
  ...OTHERS,
  ...FURTHER,
  ...OPT_OUT_SENTENCES,
]);

const INTEREST = String.raw`(?:interest(?:ed|ing)?|interess\p{L}*|geinteresseerd\p{L}*|interesa\p{L}*|interes|zainteresowan\p{L}*|m'interess\p{L}*|l'interess\p{L}*|d'interet|interet)`;
/** What turns the sentence round before the interest comes: "not only interested", "I do not know but I am interested". */
const WORD = String.raw`(?:[^\S\n]+(?!(?:if|whether|ob|si|se|but|only|just|aber|nur|sondern|mais|seulement|pero|solo|sino|ma|maar|alleen)[^\p{L}])[^\s.,;:!?]+)`;
const NOT = String.raw`(?:not|cannot|\p{L}+n't|no|never|zero|hardly|nicht|kein\p{L}*|keinerlei|pas|aucun\p{L}*|jamais|non|niet|geen|nao|nie|ni|sin|sans|ohne|ne|n')`;

/** Interest that is denied, in front of it ("not really interested") or behind it ("interessiert uns nicht"). */
export const NOT_INTERESTED = alone([
  String.raw`${NOT}${WORD}{0,3}[^\S\n]+${INTEREST}`,
  String.raw`${INTEREST}${WORD}{0,2}[^\S\n]+(?:nicht|keine?s?|pas|niet|nada|para nada)`,
  'uninterested|desinteress\\p{L}*|uninteressiert',
  `(?:nichts|nix) fur (?:uns|mich)|lieber nicht|donner(?:ons|ai|ont)? pas suite|pas donner suite|no thank you|nein,? vielen dank`,
]);

/** Interest of one's own, which no machine writes into a notice of absence. */
export const OWN_INTEREST = alone([
  `(?:i am|i'm|im|we are|we're|we would be|i would be|i'd be|very|definitely|really|quite) interested`,
  String.raw`(?:ich bin|bin|wir sind|wir waren|ich ware|sehr|grundsatzlich|durchaus) (?:\p{L}+ )?interessiert`,
  String.raw`(?:je suis|nous sommes|tres) (?:\p{L}+ )?interess(?:e|ee|es|ees)|(?:estoy|estamos|muy) (?:\p{L}+ )?interesad(?:o|a|os|as)|(?:me|nos) interesa(?: mucho)?`,
]);
