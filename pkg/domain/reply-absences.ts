import { alone, few } from './word-gaps.ts';

const UNTIL = String.raw`(?:until|till|til|through|bis|jusqu'au|jusqu'a|jusqu'en|hasta|fino al?|fino a|tot(?: en met)?|ate|do)`;

/**
 * Absences as people write them themselves, beyond the words of machines (folded). Each says that somebody is away and for how long, or
 * is an absence by name: a journey alone is none ("I am travelling, call me").
 */
export const PERSON_AWAY = alone([
  `(?:travel(?:l)?ing|on (?:a )?(?:business )?(?:trip|travel)|on the road|abroad|away|offline|unavailable|unreachable|not (?:available|reachable|around|in|in the office)|out|off|on (?:a )?(?:sick|medical|compassionate|study|paternity|bereavement|extended|family|unpaid)(?: leave)?|on (?:a )?(?:sabbatical|honeymoon|retreat))${few(4)} ${UNTIL}`,
  `on (?:a )?(?:sabbatical|sick leave|medical leave|paternity leave|compassionate leave|bereavement leave|jury duty|honeymoon|furlough)|(?:i'm|i am|currently) off (?:sick|work)|office is closed|we are closed`,
  `(?:back|return(?:ing)?) (?:in|to|at) (?:the |my )?(?:office|desk|work) (?:on|from|in|after|by)|(?:i'll|i will) be back (?:on|in|from|after)|(?:away|out) from \\S+${few(3)} (?:to|until|till|through)`,
  String.raw`${UNTIL} \S+${few(3)} (?:nicht|nur (?:eingeschrankt|schwer))(?: \p{L}+)? (?:erreichbar|verfugbar|im haus|da|im buro|anwesend|am platz)|nicht erreichbar ${UNTIL}|(?:bis|vom) \S+${few(4)} (?:verreist|unterwegs|auf (?:reisen|dienstreise|geschaftsreise|fortbildung|messe)|weg|krank)`,
  `(?:ab|erst|seit) (?:dem |am )?\\S+${few(3)} (?:wieder|zuruck)(?: \\p{L}+)? ?(?:da|zuruck|erreichbar|im buro|im haus|im dienst|fur sie da)?|wieder (?:da|im buro|im haus|erreichbar) (?:ab|am)`,
  'ich bin (?:leider |gerade |derzeit )*krank|krankenstand|krankgeschrieben|krank gemeldet|krankheitsbedingt|dienstreise|geschaftsreise|betriebsferien|betriebsurlaub|betriebsruhe|im sabbatical|mutterschutz|kur(?:aufenthalt)?|bildungsurlaub',
  String.raw`(?:en (?:deplacement|voyage|mission|formation|vacances)|absente?s?|indisponible|injoignable)${few(4)} (?:jusqu'au|jusqu'a|jusqu'en|du)|de retour (?:le|a partir|au bureau)|en arret (?:maladie|de travail)|conge (?:maternite|paternite|parental|maladie)|en vacances`,
  String.raw`(?:de viaje|fuera|de permiso|ausente|no (?:estare|estoy) disponible|sin acceso)${few(4)} (?:hasta|del)|(?:estoy|estare|encuentro) de viaje|de baja (?:medica|por|laboral|maternal|paternal)|(?:vuelvo|regreso|estare de vuelta|me reincorporo) (?:el|a partir)`,
  String.raw`(?:in viaggio|in trasferta|in malattia|in congedo|assente|non disponibile|irreperibile)${few(4)} (?:fino|dal)|(?:sono|saro) (?:in viaggio|in malattia|assente|in trasferta|in congedo|in maternita)|chius[aio] per ferie|(?:rientro|torno|rientrero|tornero) (?:il|in ufficio|dal)`,
  String.raw`(?:op reis|vrij|ziek|weg|niet (?:bereikbaar|aanwezig|beschikbaar)|op zakenreis)${few(4)} tot|tot${few(4)} (?:afwezig|vrij|op reis|weg|niet (?:bereikbaar|aanwezig|beschikbaar))|met (?:verlof|zwangerschapsverlof|ouderschapsverlof)|op vakantie|weer (?:terug|bereikbaar|aanwezig) (?:op|vanaf)|vanaf \S+${few(2)} weer`,
  String.raw`(?:em viagem|de licenca|ausente|indisponivel|fora)${few(4)} ate|(?:estou|estarei) (?:de licenca|em viagem|ausente|de baixa)|(?:volto|regresso|retorno) (?:no|em|a) (?:dia )?\d+`,
  String.raw`nieobecn\p{L}*|zwolnieni\p{L}* lekarsk\p{L}*|na l4|w (?:podrozy|delegacji)${few(4)} do|nie bedzie mnie|(?:wracam|wroce|bede z powrotem) (?:\p{L}+ )?\d+`,
]);
