/**
 * Word lists of the rule-based reply classifier, by class. Entries are folded: lower case, no accents. They match as
 * whole words. Languages: English, German, French, Spanish, Italian, Dutch, Portuguese, Polish.
 */
const words = (list: string): readonly string[] =>
  list
    .split('\n')
    .flatMap((line) => line.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '');

export const UNSUBSCRIBE_WORDS = words(`
  unsubscribe, unsubscribed, unsubscribing, opt out, opt-out, opt me out, remove me, stop messaging
  stop contacting, stop writing, stop emailing
  stop sending, do not contact, don't contact, dont contact, do not message, don't message, do not write, don't write
  never contact, no more messages, no more emails, leave me alone, leave us alone, opting out, unsub me
  off your list, off this list, off your mailing list, go away, fuck off, piss off
  abmelden, abbestellen, abbestelle, austragen, keine weiteren nachrichten, nicht mehr kontaktieren, nicht mehr anschreiben, nicht mehr schreiben
  keine nachrichten mehr, loschen sie meine daten, horen sie auf, lassen sie mich in ruhe
  desabonner, desinscrire, desabonnez, desinscrivez, ne me contactez plus, ne plus me contacter, arretez de me
  darme de baja, dar de baja, deme de baja, dame de baja, denme de baja, darnos de baja, desuscribir, desuscribirme, no me contacte, no me contactes, no me escriba, no me escribas, no molestar, no molesten, dejen de
  disiscrivi, disiscrivermi, cancellami, cancellatemi, non contattarmi, non mi contatti, non contattatemi
  uitschrijven, afmelden, schrijf me uit, neem geen contact, geen berichten meer
  descadastrar, remova-me, me remova, nao me contacte, nao me contate, pare de me
  wypisz, wypisac, prosze nie pisac, prosze nie kontaktowac
`);

/** Only as the whole message, or as one of its first lines; inside a sentence they mean something else. */
export const BARE_STOP_WORDS = words(
  'stop, stop please, please stop, stopp, bitte stopp, arret, basta, alto, stop it, no more, no mas, basta ya',
);
/** Only as the whole message: a line of its own may be a signature or a button. */
export const BARE_END_WORDS = words('end, quit, cancel');
/** A no when it is the first line. */
export const BARE_NO_WORDS = words(
  'no, nope, nah, nein, ne, non, nee, nao, nie, no way, no sorry, sorry no, no please, please no',
);

export const OUT_OF_OFFICE_WORDS = words(`
  out of office, out of the office, ooo, on vacation, on annual leave, on parental leave, on maternity leave, on leave
  auto-reply, automatic reply, auto reply, autoreply, on holiday, away from my desk, limited access to email, limited access to my email
  limited access to emails, limited access to my emails, limited access to mail, limited access to e-mail
  limited access to e-mails, limited access to my inbox, limited access to internet, limited access to the internet
  on pto, no access to email, no access to my email, no access to mail, nicht im haus, in elternzeit, im mutterschutz
  abwesend, abwesenheit, abwesenheitsnotiz, nicht im buro, im urlaub, automatische antwort
  actuellement absent, actuellement absente, je suis absent, je suis absente, absent jusqu'au, absente jusqu'au
  absent du bureau, en conges, en conge, absence du bureau, reponse automatique, de vacaciones, fuera de la oficina
  fuera de oficina, baja maternal, baja paternal, estoy ausente, estare ausente
  respuesta automatica, fuori ufficio, in ferie, risposta automatica, afwezig, met vakantie, automatisch antwoord
  de ferias, fora do escritorio, resposta automatica, poza biurem, na urlopie, automatyczna odpowiedz
`);

export const REFERRAL_WORDS = words(`
  you should talk to, you should speak to, you should speak with, please contact my, please reach out to, reach out to my
  better person, right person is, right person would, best person, wrong person, not the right person, contact my colleague
  is your man, is the one to talk to, in charge of this, forwarded your, forwarded this, passed this on, passed it on, talk to my colleague, speak to my colleague
  wenden sie sich an, ansprechpartner, zustandig ist, meine kollegin, mein kollege, weitergeleitet
  contactez plutot, ma collegue, mon collegue, adressez-vous, contacte con, mi colega, mi companero, la persona indicada
  das macht bei uns, hable con, habla con, ne parli con, parli con, si rivolga, il mio collega, la mia collega, mijn collega, contact opnemen met, fale com, meu colega, minha colega
`);

/** Nobody reads there any more, no matter who says it. */
export const GONE_WORDS = words(`
  no longer works at, no longer works here, no longer work at, no longer work here, no longer working at, no longer working here
  no longer employed, no longer with the company, no longer with us, no longer part of the company, no longer part of the team
  left the company, left the organization, left the organisation, has left us
  nicht mehr im unternehmen, nicht mehr bei uns, nicht mehr in unserem unternehmen, unternehmen verlassen
  aus dem unternehmen ausgeschieden, ausgeschieden ist, nicht mehr beschaftigt, nicht mehr fur uns tatig, nicht mehr tatig
  ne travaille plus, ne fait plus partie, quitte l'entreprise, quitte la societe, n'est plus utilisee
  ya no trabaja, ya no forma parte, ha dejado la empresa, ya no esta en uso
  non lavora piu, non fa piu parte, ha lasciato l'azienda
  werkt niet meer, niet meer werkzaam, niet meer in dienst, ja nao trabalha, nao trabalha mais, deixou a empresa
  nie pracuje juz, juz nie pracuje
`);

/** Refusals that no machine writes. */
export const REFUSAL_WORDS = words(`
  not interested, no interest, no thanks, no thank you, kein interesse, nein danke, nicht interessiert, kein bedarf, keinen bedarf
  pas interesse, pas interessee, non merci, no me interesa, no nos interesa, no gracias, no estoy interesado
  no estoy interesada, no estamos interesados, non mi interessa, no grazie, geen interesse, nee bedankt
  nao tenho interesse, nao obrigado, nao obrigada, nie dziekuje
`);

export const NEGATIVE_WORDS = words(`
  not interested, no interest, no thanks, no thank you, not for us, not for me, not a fit, not relevant, not a priority
  we already have, already have a solution, no budget, i'll pass, i will pass, pass on this
  kein interesse, nein danke, nicht interessiert, kein bedarf, nicht relevant, keinen bedarf, passt nicht
  pas interesse, pas interessee, non merci, aucun besoin, no me interesa, no gracias, no estoy interesado
  no estamos interesados, non mi interessa, no grazie, non siamo interessati, geen interesse, nee bedankt, niet geinteresseerd
  nao tenho interesse, nao obrigado, nao estou interessado, nie jestem zainteresowany, nie jestem zainteresowana, nie dziekuje
`);

/** Not a no, not a yes: comes before the positive words, which it often contains. */
export const NEUTRAL_WORDS = words(`
  not now, maybe later, not right now, next quarter, next year, get back to you, who are you, how did you get
  spater vielleicht, im moment nicht, derzeit nicht, plus tard, mas tarde, ahora no, piu avanti, niet nu, agora nao
`);

export const POSITIVE_WORDS = words(`
  interested, sounds good, sounds great, sounds interesting, happy to, let's talk, lets talk, let's chat, let us talk
  tell me more, send me more, would love, love to, yes please, yes sure, sure thing, i'm in, book a, set up a call
  call me, give me a call, works for me, looking forward, more information, when are you free, good timing, count me in
  gerne, gern, interessiert, klingt gut, klingt interessant, mehr erfahren, freue mich
  interesse, interessee, avec plaisir, volontiers, ca m'interesse, me interesa, interesado, interesada, interesados, interesadas, nos interesa, con gusto, suena bien
  interessato, interessata, volentieri, mi interessa, graag, geinteresseerd, klinkt goed, tenho interesse, com prazer
  zainteresowany, zainteresowana, chetnie
`);
/** Positive when they begin the message. */
export const POSITIVE_STARTS = words(
  'yes, sure, absolutely, ja, oui, si, claro, certo, sim, tak, of course, definitely',
);

/** Months by folded name or its first letters, all languages together. */
export const MONTHS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'january jan januar janvier janv enero ene gennaio januari janeiro stycznia styczen января січня tammikuuta ledna ocak',
    'february feb februar fevrier fevr febrero febbraio februari fevereiro lutego luty февраля лютого helmikuuta unora subat',
    'march mar marz maerz mrz mars marzo maart marco marca marzec marts марта березня maaliskuuta brezna mart',
    'april apr avril avr abril abr aprile kwietnia kwiecien апреля квітня huhtikuuta dubna nisan',
    'may mai mayo maggio mei maio maja maj мая травня toukokuuta kvetna mayis',
    'june jun juni juin junio giugno giu junho czerwca czerwiec июня червня kesakuuta cervna haziran',
    'july jul juli juillet juil julio luglio lug julho lipca lipiec июля липня heinakuuta cervence temmuz',
    'august aug aout agosto augustus sierpnia sierpien augusti августа серпня elokuuta srpna agustos',
    'september sep sept septembre septiembre settembre setembro wrzesnia wrzesien сентября вересня syyskuuta zari eylul',
    'october oct oktober octobre octubre ottobre ott outubro okt pazdziernika pazdziernik октября жовтня lokakuuta rijna ekim',
    'november nov novembre noviembre novembro listopada listopad ноября листопада marraskuuta listopadu kasim',
    'december dec dezember decembre diciembre dicembre dic dezembro dez grudnia grudzien декабря грудня joulukuuta prosince aralik',
  ].flatMap((names, index) => names.split(' ').map((name): [string, number] => [name, index + 1])),
);

/** Days of the week by folded name, all languages together; 0: Sunday. */
export const WEEKDAYS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'sunday sonntag dimanche domingo domenica zondag niedziela niedziele sondag воскресенье',
    'monday montag lundi lunes lunedi maandag segunda poniedzialek mandag понедельник',
    'tuesday dienstag mardi martes martedi dinsdag terca wtorek tirsdag вторник',
    'wednesday mittwoch mercredi miercoles mercoledi woensdag quarta sroda srode onsdag среда',
    'thursday donnerstag jeudi jueves giovedi donderdag quinta czwartek torsdag четверг',
    'friday freitag vendredi viernes venerdi vrijdag sexta piatek fredag пятница пятницу',
    'saturday samstag sonnabend samedi sabado sabato zaterdag sobota sobote lordag суббота субботу',
  ].flatMap((names, index) => names.split(' ').map((name): [string, number] => [name, index])),
);
