import { alone, END, few } from './word-gaps.ts';

/** Refusals as people put them, beyond the lists of words. Written for folded texts (lower case, no accents). */
export const REFUSAL = alone([
  String.raw`(?:we're|we are|i'm|i am|im) (?:all )?(?:good|fine|set|covered|sorted)(?: for now| here| as we are| at the moment| already)*(?= *[.!]| *$| *,? *(?:thanks|thank you|but thanks))`,
  String.raw`all set(?= *[,.!]| *$)|not at this (?:time|point|moment|stage)|not at the moment|(?:happy|satisfied|fine|good) with (?:my|our|the|what)(?: \p{L}+)? (?:current|existing|present|provider|vendor|supplier|partner|agency|tool|solution|setup|we have|i have)`,
  `(?:hard|easy|going to|gonna|have to|must|we'll|i'll|will) pass${END}|take a pass`,
  String.raw`(?:do not|don't|dont|won't|will not|would not|wouldn't|cannot|can't|not going to|never) (?:really |currently |actually )*(?:need|be needing|buy|require|purchase|be interested|be buying)(?! (?:to (?:know|see|talk)|more information))`,
  String.raw`not (?:really |currently |actively )*(?:looking (?:for|to|at)|in the market|my thing|our thing|my cup|our cup|what (?:we|i)|something (?:we|i)|for us|for me|needed|required|suitable|applicable|a match|a good fit|the right fit|a priority|buying|shopping|convinced)|(?:isn't|is not|not) (?:a|the|quite a|really a) (?:good |right )?(?:fit|match)`,
  String.raw`(?:i'd|i would|we'd|we would|i|we) (?:rather|prefer) not|lost interest|interest ?[:=] ?(?:none|no|zero|0)|no (?:use|demand|requirement|appetite|room|capacity|plans) (?:for|to)|do not see (?:a|the|any) (?:need|fit|use)|must decline|(?:have to|will|i|we) (?:respectfully |politely )?decline`,
  String.raw`(?:already|currently) (?:have|use|using|work with|working with|got|work|with) (?:an?|our|one|someone|somebody|another|such)|(?:have|use) (?:an? )?(?:\p{L}+ )?(?:vendor|provider|supplier|agency|solution)(?: \p{L}+)? (?:already|in place)`,

  String.raw`(?:sadly|afraid|regrettably|probably|definitely|absolutely|certainly|of course|surely|hardly|rather) not${END}|(?:absolutely|definitely|certainly) no${END}|not at all${END}|(?:do not|don't) think (?:so${END}|(?:this|it|that|you)(?: is|'s|'re| are)? (?:for|right|a fit|relevant|something|of (?:use|interest)))|(?:happy|good|fine) where we are|work(?:ing)? with (?:someone|somebody|an ?other|others)|no need(?! to (?:apolog|worr|prepare|rush|send|resend|explain|thank|bring))|please don't${END}`,
  String.raw`(?:auf (?:gar )?keinen fall|(?:sicher|bestimmt|definitiv|gewiss|absolut|gar) nicht)${END}|(?:pas du tout|(?:certainement|surement|absolument) pas)${END}|(?:para nada|de ninguna manera|en absoluto|(?:claro|por supuesto) que no|no es lo que)|(?:assolutamente no|per niente|certo che no)${END}|(?:zeker|absoluut|helemaal) niet${END}|de (?:jeito|modo|maneira) nenhum\p{L}*|claro que nao|(?:absolutnie|na pewno) nie${END}|w zadnym razie`,

  String.raw`(?:bin|sind|waren) (?:\p{L}+ )?(?:versorgt|eingedeckt|ausgestattet|bedient|zufrieden)|(?:haben|habe|nutzen|arbeiten) (?:wir |ich )?(?:schon|bereits)(?: mit)? (?:ein|jemand|so|unser|selbst|etwas)\p{L}*`,
  String.raw`(?:brauch|benotig)\p{L}*(?: wir| ich)?${few(3)} (?:nicht|nichts|kein\p{L}*|niemand\p{L}*)|(?:nicht|kein\p{L}*)${few(1)} (?:benotig|brauch)\p{L}*|(?:leider|also|dann|eher|lieber) (?:nein|nicht)${END}|nein (?:danke|leider)|nicht (?:fur (?:uns|mich)|notig|unser thema|das richtige)|kein (?:thema|bedarf) (?:fur|bei) (?:uns|mich)|kein(?:en)? (?:aktuellen |akuten )?bedarf|passt (?:aber |leider |gerade |uns |mir )*nicht|danke,? nein|muss(?:en)? (?:leider )?absagen|absage`,

  String.raw`(?:avons|ai|travaillons|disposons) deja|(?:n'(?:avons|ai) |pas )(?:pas )?besoin|pas pour (?:nous|moi)|sans suite|pas donner suite|ne (?:nous |m'|me )?(?:correspond|convient|concerne)\p{L}* pas|pas (?:le bon moment|une priorite|dans nos (?:priorites|projets|besoins))|sommes (?:deja )?(?:equipes|pourvus|satisfaits)|non,? desolee?|malheureusement (?:non|pas)|plutot (?:non|pas)`,

  String.raw`no (?:lo |la |los |las )?(?:necesit|requer|precis)\p{L}*|ya (?:ten|trabaj|cont|dispon|us)(?:emos|go|amos|o)|no (?:nos |me )?(?:hace|hacen) falta|no (?:lo |la )?quer(?:emos|o)|no quiero|no es para (?:nosotros|mi)|por ahora no|lamentablemente no|mejor no|no,? lo siento|no nos encaja`,

  String.raw`(?:abbiamo|ho|usiamo|lavoriamo) gia|non (?:ci |mi )?(?:serv|interess|occorr)\p{L}*|non (?:ne )?abbiamo bisogno|non ne ho bisogno|non fa per (?:noi|me)|purtroppo no|meglio di no|al momento no|siamo (?:gia )?(?:coperti|a posto)`,

  String.raw`(?:hebben|heb|werken)(?: wij| we| ik)? (?:al|reeds)|geen${few(1)} (?:behoefte|budget|vraag|zin)|niet nodig|niets voor (?:ons|mij)|niet voor (?:ons|mij)|(?:helaas|liever|graag|nu|toch) (?:niet|nee)|nee,? (?:helaas|dank)|(?:wij|we) zijn (?:al )?voorzien|bedankt,? maar nee`,

  String.raw`ja (?:temos|tenho|trabalhamos|usamos)|nao (?:precis|necessit|queremos|quero|nos serve|e para nos)\p{L}*|de momento nao|infelizmente nao|sem interesse|melhor nao|nao,? lamento`,

  String.raw`mamy juz|juz mamy|nie (?:potrzeb|interesuje|szukam|skorzyst)\p{L}*|nie dla nas|niestety nie|brak (?:zainteresowania|potrzeby)|raczej nie|nie,? niestety`,
]);

/** A refusal where it is all that a clause says. */
const REFUSING_CLAUSE =
  /^(?:(?:but|and|so|sorry|ok|then|well|aber|und|leider|mais|pero|ma|mas|maar|ale) )*(?:(?:hard |easy )?pass|decline[ds]?|negative|nope|not really|not for (?:us|me)|no need|brauchen wir nicht|kein bedarf|keinen bedarf|nicht notig|pas besoin|inutile|niet nodig|hoeft niet|niet|nicht|lieber nicht|graag niet|liever niet|rather not|nah|never|nie|niemals|jamais|nunca|nooit|nigdy|(?:or|oder|ou|of) (?:not|nicht|auch nicht|pas|niet))(?: (?:thanks|thank you|danke|merci|bedankt|sorry))*$/;
const NO =
  '(?:no|nope|nein|non|nee|nao|nie)(?: (?:thanks|thank you|danke|vielen dank|merci|gracias|grazie|bedankt|dank u|dank je|sorry|obrigad[oa]|dziekuje|leider|helaas|desole))*';
const NO_CLAUSE = new RegExp(
  `^(?:(?:but|and|so|or|then|sorry|well|therefore|unfortunately|aber|und|also|leider|ja|yes|mais|et|donc|alors|malheureusement|pero|y|ma|e|mas|maar|en|dus|helaas|ale|i|wiec) )*${NO}$| (?:and|so|but|und|aber|also|et|mais|donc|y|pero|e|ma|mas|maar|dus|ale) ${NO}$`,
  'u',
);
const TALK = String.raw`(?:happy|glad|keen|eager|willing|love to|interested|interesting|interess\p{L}*|gerne?|begeistert|graag|klinkt|plaisir|volontiers|gusto|volentieri|prazer|chetnie|zainteresowan\p{L}*|geinteresseerd)`;
const WORD = String.raw`(?:[^\S\n]+(?!(?:if|whether|but|only|just|aber|nur|sondern|mais|seulement|pero|solo|sino|ma|maar|alleen|problem|worries|doubt|wonder|sure|wait|mind|hesitate|reason)[^\p{L}])[^\s.,;:!?]+)`;
const DENIED_PLEASURE = alone([
  String.raw`(?:not|nobody|no one|none|never|neither|hardly|nicht|niemand|keiner|personne|nadie|nessuno|niemand|ninguem|nikt|niet|\p{L}+n't)${WORD}{0,2}[^\S\n]+${TALK}`,
  String.raw`(?:graag|liever|gerne?|lieber|gern)${few(3)} (?:niet|nicht)`,
  String.raw`(?:would|i'd|we'd) (?:have )?(?:love|like)d? to,? but (?:no|not|i can't|we can't|cannot)`,
]);

/** Ends of clauses, kept: a question mark behind "no" makes it no answer. */
const CLAUSE_ENDS = /([.!?;:,\n\u2013\u2014]+|\s-+\s)/;

/** The words that refuse: a "no" of its own clause, a denied pleasure; null: none. */
export function refusedIn(folded: string): string | null {
  const parts = folded.split(CLAUSE_ENDS);
  for (let index = 0; index < parts.length; index += 2) {
    const clause = (parts[index] ?? '').trim();
    if (clause === '' || (parts[index + 1] ?? '').includes('?')) continue;
    if (REFUSING_CLAUSE.test(clause) || NO_CLAUSE.test(clause)) return clause;
  }
  return DENIED_PLEASURE.exec(folded)?.[0] ?? null;
}
