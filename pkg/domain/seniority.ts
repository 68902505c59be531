/** Seniority of a job title; the words are those of the catalog's ICP criteria. */
export const SENIORITIES = [
  'owner',
  'c_suite',
  'partner',
  'vp',
  'director',
  'head',
  'manager',
  'senior',
  'entry',
  'intern',
] as const;
export type Seniority = (typeof SENIORITIES)[number];

/** In order of strength: "Senior Vice President" is a vp, "Head of Sales Management" a head. Of all genders, without accents. */
const RULES: readonly (readonly [Seniority, RegExp])[] = [
  [
    'intern',
    /\b(intern|internship|trainee|working student|werkstudent(in)?|praktikant(in)?|auszubildende\w*|azubi|stagiaires?|stagiair|alternante?|becari[oa]|apprentice|apprentie?|lehrling|stagista|tirocinante|estagiari[oa]|stazyst(a|ka)|praktykant(ka)?)\b|^(en )?stage$/,
  ],
  [
    'owner',
    /\b(owner|founder|co-?founder|(co-?|mit)?grunder(in)?|(mit)?inhaber(in)?|gesellschafter(in)?|(co-?)?fondateur|(co-?)?fondatrice|(co-?)?fundador(a)?|propietari[oa]|proprietaire|titolare|proprietor|duen[oa]|eigenaar|eigenares|(mede-?)?oprichter|oprichtster|don[oa] da empresa|dono|(wspol)?(wlasciciel|zalozyciel)(ka)?)\b/,
  ],
  [
    'c_suite',
    /\b(chief|c[efotmirpds]o|cro|ciso|cmo|geschaftsfuhrer(in)?|managing director|president[ea]?|prasident(in)?|vorstand(in)?|vorstands(vorsitzende[rn]?|mitglied)|pdg|directeur general|directrice generale|director(a)? general|direttore generale|direttrice generale|amministratore delegato|consejer[oa] delegad[oa]|gerente general|c[acgklv]o|chro|geschaftsleitung|geschaftsfuhrung|mitglied der gl|gerante?|amministrat(ore|rice) unic[oa]|zaakvoerder|zaakvoerster|bestuurder|algemeen directeur|diretora?[ -](geral|executiv[oa])|dyrektor(ka)? (generaln[ya]|naczeln[ya])|prezes(ka)?|czlonek zarzadu|zarzad)\b|^dg$/,
  ],
  [
    'partner',
    /\b(partner(in)?|teilhaber(in)?|soci[oa]|associee?|vennoot|wspolni(k|czka))\b|\bprincipal(?=\s*($|[,|/&@·–-]|at\b|in\b|of\b))/,
  ],
  ['vp', /\b(vp|svp|evp|avp|vice president|wiceprezes(ka)?)\b/],
  [
    'director',
    /\b(director(a)?|direktor(in)?|directeur|directrice|direttore|direttrice|bereichsleiter(in)?|bereichsleitung|diretora?|dyrektor(ka)?)\b/,
  ],
  [
    'head',
    /\b(head|(?!team|projekt|schicht|bau|reise|beg)\w*leiter(in)?|(?!team|projekt|bereichs)\w*leitung|responsable|responsabile|responsavel|hoofd|jef[ea])\b/,
  ],
  [
    'manager',
    /\b(manager(in)?|lead|supervisor|(team|projekt|schicht|bau)leiter(in)?|(team|projekt)leitung|chef|gerente|team-?lead(er)?|kierowni(k|czka)|encarregad[oa])\b/,
  ],
  ['senior', /\b(senior|sr|staff|expert|principal [a-z]+)\b/],
  ['entry', /\b(junior|jr|assistant|associate|entry|graduate)\b/],
];

const CHIEFS =
  '(?:ceo|cfo|coo|cto|cmo|cio|cpo|cro|chief|founders?|co-?founders?|owner|president|managing director|executive|board|geschaftsfuhr\\w*|geschaftsleitung|vorstand\\w*|direction|direccion|direzione|prezes[a-z]*|zarzadu)';
/** The one who works for somebody is not who they work for. */
const ASSISTANT = new RegExp(
  `\\b((executive|personal|management) assistant|assistante? (to|of|de|du)|(\\w*assistent(in)?|\\w*assistenz) (der|des|von|zu)|ass?istente (de|del|di|alla|do|da)|asystent(ka)? (prezesa|zarzadu)|(?<!company )secretary(?! general| of state)|sekretar(iat|in|ka|ki)?|secretaria|secretario de direccion|secretaris|(ea|pa)( to| for| of|$)|${CHIEFS}('s|s)? (assistant|associate|secretary))\\b`,
);
/** Their words name somebody above, and they are not. */
const NOT_AS_NAMED =
  /\b(chief of staff|product owner|account executive|partner manager|process owner|(business|channel|alliance) partner(in)?)\b/;
/** What somebody was, or wants to be, to the end of the clause. */
const NOT_NOW =
  /(?<![a-z])(?:ex|former|formerly|retired|past|previous(?:ly)?|aspiring|future|emeritus|ehemalig\w*|angehend\w*|looking for|seeking|in search of|auf der suche|ancien(?:ne)?|antigu[oa]|voormalig\w*|byl[ya]|incoming|wannabe)(?![a-z])[^,|/&;·()]*/g;
/** For whom somebody works, to the end of the clause: an adviser to the CEO, the office of the CFO. */
const FOR_SOMEBODY =
  /(?<![a-z])(?:advis[eo]r|counsel|consultant|coach|mentor|aide|office|buro|berater(?:in)?|referent(?:in)?|beauftragte[rn]?|conseill\w*|asesor(?:a)?|consulente|adviseur|doradca|assistant|reporting|reports) (?:of|to|for|de|der|des|du|von|fur|van|del|di|bij)(?![a-z])[^,|/&;·()]*/g;
const SCHOOL = /\b(school|vice|assistant|deputy) principal\b/;

/** Seniority from a title, '' when the title is empty or says nothing. */
export function seniorityOf(title: string): Seniority | '' {
  const whole = title
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/\u0142/g, 'l')
    // C.E.O., V.P.
    .replace(/(?<![a-z])(?:[a-z]\.){2,}/g, (letters) => letters.replaceAll('.', ''))
    .replace(NOT_NOW, ' ')
    .trim();
  if (ASSISTANT.test(whole)) return 'entry';
  const text = whole.replace(FOR_SOMEBODY, ' ').replace(SCHOOL, ' ').trim();
  if (/\b(vice[- ]?president[ea]?|vizeprasident(in)?)\b/.test(text)) return 'vp';
  if (NOT_AS_NAMED.test(text)) {
    return /\b(senior|sr)\b/.test(text) ? 'senior' : 'manager';
  }
  return RULES.find(([, rule]) => rule.test(text))?.[0] ?? '';
}

const SYNONYMS: Readonly<Record<string, Seniority>> = {
  founder: 'owner',
  cxo: 'c_suite',
  'c-suite': 'c_suite',
  'c-level': 'c_suite',
  'c suite': 'c_suite',
  'c level': 'c_suite',
  executive: 'c_suite',
  'vice president': 'vp',
  junior: 'entry',
  'entry level': 'entry',
};

/** One form for a seniority as people write it in criteria. */
export function normalSeniority(text: string): string {
  const plain = text.trim().toLowerCase();
  return SYNONYMS[plain] ?? plain.replace(/[\s-]+/g, '_');
}
