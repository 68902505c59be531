import { LONG, PLAIN } from './fold-text.ts';
import { companyKey, plainWords } from './person-identity.ts';

/**
 * The ways to write one name, for exclusions and erasures by name: nobody is contacted because of an accent, a title or a legal form that
 * one of two lists has. `app.company_spellings`, `app.person_spellings` and `app.keyword_words` are generated from here.
 */

/** Legal forms that stand at the end of a name only, beside those that companyKey leaves out; in the form of plainWords. */
export const LEGAL_ENDS = endings(
  `and ev e_v mbh gesellschaft_mbh ges_mbh gesmbh ohg gbr mbb kk doo d_o_o sro s_r_o spol_s_r_o sl s_l slu ltda lda
   pte private pvt eireli sti ek asa oyj nyrt eood ood ad a_s s_a s_p_a s_r_l s_a_r_l b_v n_v sp_z_oo sp_zoo spzoo
   de_cv de_c_v s_a_de_c_v`,
);
/** Words before a name that are none of it. */
export const NAME_TITLES = endings(
  `dr dr_med dr_phil dr_jur dr_ing dr_rer_nat dr_rer_pol prof prof_dr professor univ_prof dipl_ing dipl_kfm ing mag mr mrs ms miss mx herr
   frau sir dame mme mlle madame monsieur dott dottssa sig signora mevrouw dhr pani`,
);
/** Degrees behind a name; what is a family name too (Jack Ma) is none of them. */
export const NAME_DEGREES = endings(
  'phd ph_d md m_d mba m_b_a msc m_sc bsc b_sc llm ll_m esq cpa cfa pmp dba mag_iur dipl_ing dipl_kfm',
);

function endings(words: string): readonly string[] {
  const all = words.split(/\s+/).map((word) => word.replaceAll('_', ' '));
  return all.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

const LEGAL_END = new RegExp(`(?: (?:${LEGAL_ENDS.join('|')}))+$`);
const TITLE = new RegExp(`^(?:(?:${NAME_TITLES.join('|')}) )+`);
const DEGREE = new RegExp(`(?: (?:${NAME_DEGREES.join('|')}))+$`);
const DEGREES_ONLY = new RegExp(`^(?: (?:${NAME_DEGREES.join('|')}))+$`);
/** What stands in a word and is no letter of it. */
const APOSTROPHES = /['’ʼ`´]/g;

/** Every form of a company's name; the first is the one that is kept. None for an empty name. */
export function companySpellings(name: string): string[] {
  const plain = (text: string): string => companyKey(text.replace(/’/g, '')).replace(LEGAL_END, '');
  return forms(name, plain, companyKey(name));
}

/** Every form of a person's full name; the first, with the given name first, is the one that is kept. None for an empty name. */
export function personSpellings(fullName: string): string[] {
  const [, before = '', after = ''] = /^([^,]+),([^,]+)$/.exec(fullName) ?? [];
  const degrees = after === '' || DEGREES_ONLY.test(` ${plainWords(after)}`);
  const orders = after === '' ? [fullName] : [`${after} ${before}`, fullName];
  if (degrees) orders.reverse();
  const plain = (text: string): string =>
    plainWords(text.replace(APOSTROPHES, '')).replace(TITLE, '').replace(DEGREE, '');
  const all = orders.flatMap((order) => forms(order, plain, ''));
  const own = plainWords(fullName);
  return [...new Set(own === '' ? all : [...all, own])];
}

/** A name at a company in every form; the first is the one that is kept. None when either is unknown: half a name is nobody's identity. */
export function nameCompanySpellings(fullName: string, company: string): string[] {
  const firms = companySpellings(company);
  return personSpellings(fullName).flatMap((name) => firms.map((firm) => `${name}@${firm}`));
}

/** The words of a keyword, and of what it is looked for in: each as it is, for a legal form may be all that it says. */
export function keywordWords(text: string): string {
  const spelt = text.replace(/ß/g, 'ss').replace(/&/g, ' and ').replace(/\+/g, ' plus ').replace(/#/g, ' sharp ');
  return plainWords(spelt.replace(/[.']/g, ''));
}

/** With accents left out both ways (ü as u and as ue), and with the long way shortened; then as it was kept before. */
function forms(name: string, plain: (text: string) => string, before: string): string[] {
  const short = plain(spelt(name, PLAIN));
  const long = plain(spelt(spelt(name, LONG), PLAIN));
  const all = [short, long, contracted(short), before];
  return [...new Set(all.filter((form) => form !== ''))];
}

function contracted(key: string): string {
  return key.replaceAll('ae', 'a').replaceAll('oe', 'o').replaceAll('ue', 'u').replaceAll('aa', 'a');
}

function spelt(text: string, table: Readonly<Record<string, string>>): string {
  const lower = text.normalize('NFC').toLowerCase();
  return [...lower].map((letter) => table[letter] ?? letter).join('');
}
