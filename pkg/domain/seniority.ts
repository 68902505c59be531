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
    /\b(intern|internship|trainee|working student|werkstudent(in)?|praktikant(in)?|auszubildende\w*|azubi|stagiaire|alternante?|becari[oa]|apprentice)\b/,
  ],
  [
    'owner',
    /\b(owner|founder|co-?founder|(co-?|mit)?grunder(in)?|(mit)?inhaber(in)?|gesellschafter(in)?|(co-?)?fondateur|(co-?)?fondatrice|(co-?)?fundador(a)?|propietari[oa]|proprietaire|titolare|proprietor)\b/,
  ],
  [
    'c_suite',
    /\b(chief|c[efotmirpds]o|cro|ciso|cmo|geschaftsfuhrer(in)?|managing director|president[ea]?|prasident(in)?|vorstand(in)?|vorstands(vorsitzende[rn]?|mitglied)|pdg|directeur general|directrice generale|director(a)? general|direttore generale|direttrice generale|amministratore delegato|consejer[oa] delegad[oa]|gerente general)\b/,
  ],
  ['partner', /\b(partner(in)?|principal)\b/],
  ['vp', /\b(vp|svp|evp|avp|vice president)\b/],
  [
    'director',
    /\b(director(a)?|direktor(in)?|directeur|directrice|direttore|direttrice|bereichsleiter(in)?|bereichsleitung)\b/,
  ],
  [
    'head',
    /\b(head|(?!team|projekt|schicht|bau|reise|beg)\w*leiter(in)?|(?!team|projekt|bereichs)\w*leitung|responsable|jef[ea])\b/,
  ],
  [
    'manager',
    /\b(manager(in)?|lead|supervisor|(team|projekt|schicht|bau)leiter(in)?|(team|projekt)leitung|chef|gerente)\b/,
  ],
  ['senior', /\b(senior|sr|staff|expert)\b/],
  ['entry', /\b(junior|jr|assistant|associate|entry|graduate)\b/],
];

/** The one who works for somebody is not who they work for. */
const ASSISTANT =
  /\b((executive|personal|management) assistant|assistante? (to|of|de|du)|(\w*assistent(in)?|\w*assistenz) (der|des|von|zu)|ass?istente (de|del|di)|secretary to)\b/;
/** Their words name somebody above, and they are not. */
const NOT_AS_NAMED =
  /\b(product owner|account executive|partner manager|process owner|(business|channel|alliance) partner(in)?)\b/;

/** Seniority from a title, '' when the title is empty or says nothing. */
export function seniorityOf(title: string): Seniority | '' {
  const text = title
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
  if (ASSISTANT.test(text)) return 'entry';
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
