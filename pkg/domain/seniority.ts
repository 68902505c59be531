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

/** In order of strength: "Senior Vice President" is a vp, "Head of Sales Management" a head. */
const RULES: readonly (readonly [Seniority, RegExp])[] = [
  ['intern', /\b(intern|internship|trainee|working student|werkstudent|praktikant|stagiaire|apprentice)\b/],
  ['owner', /\b(owner|founder|co-?founder|grunder|inhaber|fondateur|fondatrice|fundador|proprietor)\b/],
  [
    'c_suite',
    /\b(chief|c[efotmirpds]o|cro|ciso|cmo|geschaftsfuhrer|managing director|president|vorstand|pdg|directeur general|director general)\b/,
  ],
  ['partner', /\b(partner|principal)\b/],
  ['vp', /\b(vp|svp|evp|avp|vice president)\b/],
  ['director', /\b(director|direktor|directeur|directrice|bereichsleiter)\b/],
  ['head', /\b(head|leiter|leiterin|responsable)\b/],
  ['manager', /\b(manager|lead|supervisor|teamleiter|chef)\b/],
  ['senior', /\b(senior|sr|staff|expert)\b/],
  ['entry', /\b(junior|jr|assistant|associate|entry|graduate)\b/],
];

/** Seniority from a title, '' when the title is empty or says nothing. */
export function seniorityOf(title: string): Seniority | '' {
  const text = title
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
  if (/\b(vice president|vice[- ]president)\b/.test(text)) return 'vp';
  if (/\b(product owner|account executive|partner manager|process owner)\b/.test(text)) {
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
