import { type Said, whoOf } from './said-funding.ts';

const STAFF =
  '(?:team|headcount|workforce|staff|employees|people|mitarbeiter(?:innen|:innen|\\*innen|zahl)?|belegschaft|personen|köpfe|effectifs|salariés|collaborateurs|équipe)';
const COUNT = '\\d[\\d.,]*\\+?';
/** Ways to say that a team grew; what stands before them names the company. */
const GROWS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:grow[sn]?|grew|expand(?:s|ed)?|scale[sd]?|increase[sd]?)\\b[^.]{0,40}\\b${STAFF}\\b[^.]{0,40}(?:\\bto\\b|\\bby\\b|\\bfrom\\b)\\s(?:more than |over |nearly )?${COUNT}`,
    'iu',
  ),
  new RegExp(
    `\\b(?:grow[sn]?|grew|expand(?:s|ed)?|scale[sd]?)\\b[^.]{0,20}\\bto\\b (?:more than |over |nearly )?${COUNT}\\s(?:\\p{L}+\\s)?${STAFF}\\b`,
    'iu',
  ),
  new RegExp(`\\b(?:double[sd]?|triple[sd]?)\\b (?:its|our|their|the)? ?(?:\\p{L}+ )?${STAFF}\\b`, 'iu'),
  new RegExp(
    `\\b(?:hire[sd]?|add(?:s|ed)?|onboard(?:s|ed)?|welcome[sd]?)\\b (?:more than |over |nearly )?${COUNT}\\s(?:new |additional |more )?(?:\\p{L}+\\s)?(?:employees|people|staff|colleagues|team members|hires)\\b`,
    'iu',
  ),
  new RegExp(
    `\\b(?:wächst|wuchs|gewachsen)\\b[^.]{0,30}\\bauf\\b (?:über |mehr als )?${COUNT}\\s(?:\\p{L}+\\s)?${STAFF}`,
    'iu',
  ),
  new RegExp(`\\bverdoppelt[e]?\\b[^.]{0,20}\\b${STAFF}`, 'iu'),
  new RegExp(`\\b(?:stellt[e]?)\\b (?:über |mehr als )?${COUNT}\\s(?:neue )?${STAFF}[^.]{0,20}\\bein\\b`, 'iu'),
  new RegExp(`\\b(?:double|triple)\\b (?:ses|nos|leurs) ${STAFF}`, 'iu'),
  new RegExp(
    `\\b(?:recrute|embauche)\\b (?:plus de )?${COUNT}\\s(?:\\p{L}+\\s)?(?:personnes|salariés|collaborateurs)`,
    'iu',
  ),
];
/** `Acme's headcount grew by 40 %`, `The team of Acme grew from 40 to 60`. */
const OF_TEAM = new RegExp(
  `^(.{1,120}?)(?:['’]s|s['’])\\s${STAFF}\\s(?:has |have )?(?:grew|grown|rose|risen|increased|doubled|tripled)\\b`,
  'iu',
);
/** What a team loses, and other things that grow. */
const SHRINKS =
  /\b(lay(?:s|ing)? ?offs?|laid off|cuts?|cutting|shrinks?|shrank|fires|fired|entlässt|baut .{0,30}ab|licencie)\b/iu;

/** Whether a sentence states that the team of a company grew; undefined: it does not. */
export function saidGrowth(sentence: string): Said | undefined {
  if (SHRINKS.test(sentence)) return undefined;
  const [, owner] = OF_TEAM.exec(sentence) ?? [];
  const companies = owner === undefined ? undefined : whoOf(owner);
  if (companies !== undefined) return { type: 'headcount_growth', companies, round: '' };
  for (const grows of GROWS) {
    const found = grows.exec(sentence);
    const who = found && whoOf(sentence.slice(0, found.index));
    if (who) return { type: 'headcount_growth', companies: who, round: '' };
  }
  return undefined;
}
