/** Words that stand before a company's name in a headline and are none of it. */
const DESCRIBES = new Set(
  `the a an and startup start-up start-ups scaleup scale-up unicorn company firm fintech insurtech proptech healthtech medtech biotech
   edtech adtech martech agtech foodtech cleantech climatetech climate legaltech deeptech saas software b2b ai robotics-startup
   platform provider maker developer specialist pioneer exclusive breaking news report update german french british swiss austrian dutch
   spanish italian swedish danish norwegian finnish polish irish american canadian israeli indian european us uk nordic berliner munchner
   hamburger pariser today yesterday monday tuesday wednesday thursday friday heute gestern former ex das der die berlin munich hamburg paris london`.split(
    /\s+/,
  ),
);
/** Characters of words that a name may have, and words of it. */
const MOST_WORDS = 6;
const MOST_WORD = 40;
/** Words of a name that begin with a small letter: `de`, `von`. */
const JOINS = /^(of|and|&|de|di|du|van|von|for|the)$/;

/**
 * Names that a text before a verb may end with, the longest first: `Berlin-based fintech Acme Pay` says Acme Pay. A shorter name than the
 * whole run of capitals counts only where what goes is a word that describes companies: `Acme Robotics` is never Robotics.
 */
export function subjectsOf(before: string): string[] {
  const run = runOf(withoutAside(before.trimEnd()));
  const names: string[] = [];
  for (let from = 0; from < run.length; from++) {
    const name = run.slice(from).join(' ');
    names.push(name);
    if (!describes(run[from] ?? '')) break;
  }
  return names.filter((name) => !describes(name) && /\p{L}/u.test(name));
}

/** `Acme, a maker of switches,` is `Acme`; `Acme (YC W21)` too. */
function withoutAside(before: string): string {
  const bare = before.replace(/\s*\([^()]{1,80}\)$/, '');
  const [, named] = /^(.*?[^\s,])\s*,\s[^,]{1,160},$/s.exec(bare.slice(-400)) ?? [];
  return named ?? bare.replace(/,$/, '');
}

/** The last words of a text that belong to one name. */
function runOf(before: string): string[] {
  const words = before.slice(-300).split(/\s+/).filter(Boolean);
  const run: string[] = [];
  for (const word of words.toReversed()) {
    const bare = word.replace(/^["'“‘„»(]+|["'”’“«)]+$/g, '');
    if (/[,:;!?–—|]$/.test(bare) || bare === '' || bare.length > MOST_WORD || run.length >= MOST_WORDS) break;
    if (!/^[\p{Lu}\p{N}]/u.test(bare) && !/^\p{Ll}+\p{Lu}/u.test(bare) && !(JOINS.test(bare) && run.length > 0)) break;
    run.unshift(bare);
  }
  while (run[0] !== undefined && JOINS.test(run[0])) run.shift();
  return run;
}

function describes(word: string): boolean {
  const plain = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return DESCRIBES.has(plain) || /-(based|backed|led|funded|ansassige)$/.test(plain);
}
