import { wordSet } from './word-set.ts';

/** How people are addressed in French, Spanish, Italian and Dutch; `ssa` is the end of `Dott.ssa`. */
export const FOREIGN =
  'mme mlle madame mademoiselle monsieur sra srta senor senora senorita dna dott ssa sig signor signora avv lic mevr mevrouw dhr meneer';

/** Words before a name by which its bearer is not addressed alone; what may be a name itself is none of them. Folded. */
export const ADDRESSES = wordSet(`
  dr drs prof professor dipl ing mag mr mrs ms miss mx herr herrn frau sir dame rev engr atty pani ${FOREIGN}
  mmag mgr mga bc bca judr mudr mvdr rndr paeddr phdr phmr thdr thlic icdr doc dra eng engo exmo exma ilmo ilma egr arq rag geom cav maitre
  capt cpt col lt ltn gen sgt cmdr hon rabbi rabbiner imam sheikh shaikh smt shri shree datuk dato datin mtro mtra inz bgm stb rra frh freiherr freifrau
  hr hrn univprof privdoz dhr mw ds
`);

/** Titles that are words of names too: they count in front of two words and more. */
export const SOMETIMES = wordSet(
  'lord lady don dona father sister brother fr me er adv ir arch major captain colonel general pan ca the doz',
);

/** Titles in capitals, which are names in another case. */
export const IN_CAPITALS = /^(?:DI|CA|RA|RAin|PD|MD|WP|StB|WP\/StB|RA\/StB|Mag|DDr|DDI|OSt[RB]|FH|BA|VwA)$/;

/** What follows such a word and belongs to it: `Dr. med. univ.`, `Dipl.-Kfm.`, `Univ.-Prof.` */
export const ACADEMIC = wordSet(`
  med univ rer nat phil jur iur oec pol theol vet dent sc scient techn agr paed psych habil hab hc h c kfm kffr kauffrau kaufmann wirt inf
  betriebsw volksw chem phys math fh ba priv doz em mult ret inz col
`);

/** Short forms of given names, which end with a dot as titles do. */
const SHORT_NAMES = wordSet(
  'md mohd moh muh wm chr joh jos geo thos chas alex ed fred ph th st ste matth nik aug heinr friedr wilh ant fco ma jo',
);

/** `Exmo.`, `Rag.`: what has a dot behind two letters and more and stands before two other words is a title, unless it is a name cut short. */
export function isDottedTitle(word: string): boolean {
  const plain = /^(\p{L}{2,6})\.$/u.exec(word)?.[1];
  return plain !== undefined && !SHORT_NAMES.has(plain.toLowerCase());
}

/** `C.P.`, `Q.F.B.`, `Prof.in`, `Mag.ª`: titles with a dot within. */
export function isPointedTitle(word: string): boolean {
  return /^(?:c\.?p\.?a?\.|q\.f\.b\.|l\.a\.e\.|m\.c\.|(?:prof|mag|dr|ing)\.?(?:in|inn|a|ª|o|º))$/i.test(word);
}

/** Who is written to, before the name itself: `z. Hd.`, `Attn:`, `c/o`. */
export const TO_WHOM =
  /^\s*(?:z\. ?h(?:d|anden|änden)\.?(?: von| v\.)?|z\.hd\.|zu h(?:a|ä)nden(?: von)?|attn\.?:?|attention:?|att\.:|c\/o:?|f\.?a\.?o\.?:?|an(?= (?:herrn?|frau)(?!\p{L}))|(?:à|a) l'attention de|kind attn\.?:?)\s+/iu;

/** Several people, or none: nobody is called by the word behind it alone. */
export const GROUPS = wordSet(
  'familie fam firma fa eheleute ehepaar famille famiglia familia rodzina family company messrs team abteilung',
);

/** What stands behind a comma and says what somebody does, where it is no title of a job that is known otherwise. */
export const OCCUPATION =
  /^(?:certified|keynote|public|international|author|autor\p{L}*|speaker|coach\p{L}*|trainer\p{L}*|mentor\p{L}*|consultant|berater\p{L}*|rechtsanw\p{L}+|steuerberater\p{L}*|notar\p{L}*|anwalt|anwältin|lawyer|attorney|solicitor|barrister|avocate?|abogad\p{L}|avvocat\p{L}|advocaat|advogad\p{L}|architect|architekt\p{L}*|engineer|ingenieur\p{L}*|developer|designer|entrepreneur|unternehmer\p{L}*|investor|expert\p{L}*|freelance\p{L}*|recruiter|realtor|nurse|therapist|heilpraktiker\p{L}*|arzt|ärztin|dozent\p{L}*|accountant|actuary|fellow)(?!\p{L})/iu;
