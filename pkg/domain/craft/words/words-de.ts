import type { LanguageWords } from './language-words.ts';

/** German words that claim nothing; nouns are listed apart, since they are written with a capital. */
export const GERMAN: LanguageWords = {
  plain: `verstehe verstehen daher deshalb darum ein eine einen einem einer eines der die das den dem des dies diese dieser dieses diesen diesem es er sie ihn ihm ihr ihnen
 ich mich mir mein meine meinen meinem meiner du dich dir dein deine deinen deinem deiner wir uns unser unsere unseren unserem unserer
 sie ihre ihren ihrem ihrer ihres man wer was wie wo wann warum welche welcher welches wessen
 und oder aber denn weil da wenn falls ob dass damit als auch noch nur schon sehr eher etwa gern gerne einfach vielleicht
 bin ist sind seid sein war waren wird werden wurde wurden hat habe haben hatte hatten kann konnte koennen koennte koennten darf
 duerfte mag moechte moechten soll sollte sollten will wollen wollte wuerde wuerden waere waeren muss muessen lassen
 konnen konnte konnten durfte mochte mochten wurde wurden ware waren mussen fur uber moglich
 zu zum zur von vom in im ins an am auf aus bei beim mit nach seit um ueber unter vor fuer ohne durch gegen zwischen neben
 nicht kein keine keinen keinem keiner nein ja doch so hier dort da dann jetzt mal ganz
 hallo guten liebe lieber sehr geehrte geehrter freundliche freundlichen beste besten viele herzliche bitte danke
 gruess gruss gruesse
 jemand niemand etwas nichts alles alle allen jede jeder jedes andere anderen anderer anderes viele vielen viel mehr wenig weniger einige
 eigene eigenen gleich gleichen solche solchen
 aufgefallen gesehen sehe sehen gelesen lese lesen verfolge verfolgen folge gestossen gefallen gefaellt gefallt interessiert interessieren
 interessant spannend neugierig offen kurz kurzen kurze kurzer kurzes gut gute guten schoen schon passt passen passend recht
 weiss wissen wuesste wusste denke denken frage fragen sprechen reden austauschen austausche vernetzen schreiben schreibe melden melde hoeren horen
 macht machen mache tun tut gehen geht kommen kommt nehmen nimmt geben gibt halten haelt lernen teilen kennen kennenlernen
 freue freuen freuen wuerde helfen hilft arbeite arbeiten arbeitet moeglich einfach schlicht ehrlich klar direkt persoenlich personlich aktuell
 umgehen umgeht angehen leicht schwer wichtig hilfreich nuetzlich sinnvoll relevant kurz ueberhaupt gerade
 oft sicher fasse fassen heisst heissen klingt klingen sagen sage sagt stellen stelle finden findet gemacht richtig richtige richtigen richtiger
 ordnung darueber daruber davon dazu dabei damit daran worueber woruber ebenfalls ausserdem gemeinsam bekommen bekommt`,
  nouns: `tag titel motto ueberschrift uberschrift rolle arbeit aufgabe aufgaben stelle name nachricht nachrichten austausch gespraech gesprach anruf frage fragen antwort
    begriff anfrage anfragen ansprechpartner ansprechpartnerin interesse thema themen idee ideen aufmerksamkeit auge blick mensch menschen leute person personen kontakt kontakte netzwerk
    profil nein ja ordnung weg sache dinge bereich alltag druck eile moment zeit punkt grund gruende einblick erfahrung erfahrungen
    gruss gruesse grusse dank ort bezug rueckmeldung sinn lust mal sie ihr ihre ihren ihrem ihrer ihnen ihres du dich dir dein deine sicht art weise`,
  time: 'verantwortlich zustandig zustaendig naechste naechsten nachste nachsten kommende kommenden woche wochen monat monate jahr jahre tag tage tagen morgen heute abend bald spaeter spater minute minuten stunde stunden',
  numbers:
    'zwei drei vier fuenf funf sechs sieben acht neun zehn elf zwoelf zwolf dutzend hundert tausend million millionen mio milliarde milliarden mrd doppelt verdoppelt dreimal zweimal halb haelfte halfte prozent',
  months: 'januar februar maerz april mai juni juli august september oktober november dezember',
  recent: [
    ['gestern', 'yesterday'],
    ['letzte woche', 'last week'],
    ['letzter woche', 'last week'],
    ['vergangene woche', 'last week'],
    ['vergangenen woche', 'last week'],
    ['diese woche', 'this week'],
    ['letzten monat', 'last month'],
    ['diesen monat', 'this month'],
    ['letztes jahr', 'last year'],
    ['dieses jahr', 'this year'],
    ['kurzlich', 'lately'],
    ['neulich', 'lately'],
    ['vor kurzem', 'lately'],
  ],
  congratulates: 'gluckwunsch gluckwunsche gratulation gratuliere gratulieren',
  newRole: 'neue neuen neuer rolle stelle position aufgabe start anfang',
  posted: 'beitrag beitrage beitrags geteilt post artikel geschrieben veroffentlicht',
  conversed: 'antwort geantwortet gefragt fragten erwahnt erwahnten gesagt sagten schrieben nachricht frage',
  earlierContact:
    /\b(?:dank(?:e|e schon|e sehr)?(?: \w+)? fur (?:ihr|ihre|ihren|dein|deine|deinen|das|die|den|unser|unsere|unseren)\b(?: \w+)?|wie (?:besprochen|vereinbart|versprochen|erwahnt|gesagt|gewunscht)|unser(?:e|em|en)? (?:letzte|letztes|letzten|voriges|vorigen|fruheres) \w+|wir (?:haben|hatten) uns|schon(?:,)? (?:sie|dich) (?:kennengelernt|getroffen)|von (?:ihnen|dir) erzahlt|(?:sie|du) (?:haben|hast|hatten|hattest) (?:mir|uns|gefragt|gesagt|erwahnt|gebeten))\b/g,
  hearsay:
    /\b(?:jemand|leute|menschen|personen|andere|alle|ihr netzwerk|ihre kontakte) (?:\w+ ){0,4}(?:sagt|sagte|sagen|erzahlt|erzahlen|empfiehlt|empfehlen|arbeite(?:t|n) (?:schon )?mit (?:uns|mir)|kenn(?:t|en) (?:uns|mich)|(?:nutzt|nutzen) uns)\b/g,
  ourselves: 'wir uns unser unsere unseren unserem unserer ich mein meine meinen',
  perceives: 'gesehen sehe gelesen lese aufgefallen gefallen verfolge gehort verstehe weiss',
  greetings: 'hallo guten liebe lieber hi moin servus',
  by: 'von',
  prepositions: 'in im bei aus nach von zu an am auf mit fur',
  qualifiers:
    'stellvertretender stellvertretende stellv vize ehemaliger ehemalige ex assistent assistentin junior interim kommissarischer trainee',
};
