import { subjectsOf } from './statement-subject.ts';

/** What a sentence says; `companies` empty: it speaks of its own author. */
export interface Said {
  type: 'funding_round' | 'headcount_growth';
  companies: readonly string[];
  round: string;
}

const AMOUNT =
  "(?:(?:us)?[$€£]|usd|eur|gbp|chf)\\s?\\d[\\d.,]*\\s?(?:m|mn|mln|mio|b|bn|million|millions|billion|millionen|milliarden?|mrd)\\b|\\d[\\d.,]*\\s?(?:m|mn|mln|mio|million|millions|billion|millionen|milliarden?|mrd)\\b\\.?\\s?(?:d[’'])?(?:[$€£]|us dollars?|dollars?|euros?|pounds?|franken|usd|eur|gbp|chf)?";
const ROUND =
  'pre[- ]?seed|seed|series[- ][a-h]\\b|serie[- ][a-h]\\b|(?:growth|bridge|angel)[- ](?:funding|financing|investment|round)|(?:funding|financing|investment)[- ]round|finanzierungsrunde|tour de table|levée de fonds';
const RAISES =
  /\b(raise[sd]|secure[sd]|close[sd]|lands?|landed|bags?|bagged|nabs?|nabbed|receive[sd]|gets?|obtains?|obtained|announce[sd]|completes?|completed|snags?|scores?|sammelt|erhält|erhielt|sichert|schließt|schliesst|holt|lève|levé|boucle|annonce)(?![\p{L}])/giu;
/** Money that is no investment in the company. */
const OTHER_MONEY =
  /\b(?:charit\w*|donat\w*|fundraisers?|guidance|forecasts?|outlook|price target|dividends?|revenues?|sales|acquisitions?|acquires?|contracts?|grants?|lawsuits?|settlements?|fine[sd]?|(?<!to )funds?|spenden\w*|umsatz\w*|gewinn\w*)\b/iu;
const WITNESS =
  /\b(funding|financing|investment|investors?|capital|led by|finanzierung|kapital|investoren|fonds|valuation)\b/iu;
/** Words that may stand between the name and its verb. */
const BETWEEN = /(?:\s+(?:has|have|just|today|also|now|recently|successfully|hat|haben|a|ont|vient de|s'))+\s*$/iu;
/** What somebody plans, denies or imagines is no news: such words before the verb. */
const UNSURE =
  /\b(?:not|never|denie[sd]|fail(?:s|ed)? to|may|might|could|would|should|if|plans? to|planning to|planned|aims? to|seeks?|seeking|hopes? to|wants? to|looking to|in talks|expects? to|expected to|set to|about to|considers?|considering|rumou?rs?|reportedly|allegedly|how|why|will|wie|warum|comment|nicht|keine?n?|wird|plant|sucht|könnte|möchte|soll|angeblich|veut|prévoit|cherche|pourrait|serait)(?![\p{L}])/iu;
const OURSELVES = /(?:^|[\s"“])(?:we|our (?:team|company)|wir|nous)$/iu;
/** Characters between the verb and what was raised. */
const NEAR = 60;

/** Words between `raises` and an amount; anything else is what is raised: prices, doubts. */
const FILLERS =
  '(?:a|an|another|over|more|than|up|to|nearly|almost|approximately|about|around|some|total|of|additional|further|fresh|new|the|its|first|rund|über|knapp|weitere|insgesamt|mehr|als|près|de|plus|environ)';
const amount = new RegExp(AMOUNT, 'iu');
const amountNext = new RegExp(`^(?:\\s+${FILLERS})*\\s+(?:${AMOUNT})`, 'iu');
const round = new RegExp(`\\b(?:${ROUND})`, 'iu');

/** Whether a sentence states that a company raised money, and which; undefined: it does not. */
export function saidFunding(sentence: string): Said | undefined {
  if (OTHER_MONEY.test(sentence)) return undefined;
  const named = round.exec(sentence);
  for (const verb of sentence.matchAll(RAISES)) {
    const after = sentence.slice(verb.index + verb[0].length);
    const near = after.slice(0, NEAR);
    const raises = /^(rais|lève|levé|sammelt|holt)/i.test(verb[0]) && amountNext.test(near);
    const money = amount.test(near);
    // What somebody closes or announces may be anything: the round has to be named near by.
    if (!(round.test(near) || (money && (raises || named !== null || WITNESS.test(after))))) continue;
    const companies = whoOf(sentence.slice(0, verb.index));
    if (companies !== undefined) return { type: 'funding_round', companies, round: roundOf(named?.[0] ?? '') };
  }
  return undefined;
}

/** Names before a verb; empty: its author; undefined: nobody is named, or it did not happen. */
export function whoOf(before: string): string[] | undefined {
  if (UNSURE.test(before)) return undefined;
  const bare = before.replace(BETWEEN, '').trimEnd();
  if (OURSELVES.test(bare)) return [];
  const names = subjectsOf(bare);
  return names.length === 0 ? undefined : names;
}

/** One word for each kind of round. */
function roundOf(named: string): string {
  const plain = named
    .toLowerCase()
    .replace(/[-\s]+/g, ' ')
    .replace('serie ', 'series ');
  const [kind] = /pre ?seed|seed|series [a-h]|growth|bridge|angel/.exec(plain) ?? [];
  return kind === undefined ? 'round' : kind.replace('preseed', 'pre seed');
}
