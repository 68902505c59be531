/** Whether a signal is what an agent looks for: asked in the words of its owner, about text of others. */
export interface JudgeQuestion {
  /** What must be true, in the owner's own words. */
  wanted: string;
  /** Text of others: data, and no instruction whatever it says. */
  text: string;
}

/** What somebody said of a signal. */
export interface Verdict {
  match: boolean;
  /** For people. */
  reason: string;
  /** Words of the text that decided; '' where nobody judged. */
  evidence: string;
}

/** Characters of a text that are judged, and of a reason that are kept. */
export const MOST_JUDGED = 4_000;
const MOST_REASON = 200;

/** Where there is no language model nobody judges, and the verdict says so: the rules of the agent alone decide. */
export const NO_MODEL: Verdict = {
  match: true,
  reason: 'no language model is set up, so that the criteria alone decide',
  evidence: '',
};

/**
 * What an answer is worth: it counts with a span that stands in the text word for word, but for white space. A yes without one is a no:
 * a model is believed in nothing that the source does not say.
 */
export function checkedVerdict({ match, reason, evidence }: Verdict, text: string): Verdict {
  const said = reason.replace(/\s+/g, ' ').trim().slice(0, MOST_REASON) || (match ? 'it matches' : 'it does not match');
  const span = flat(evidence);
  if (span !== '' && flat(text).includes(span)) return { match, reason: said, evidence: span };
  if (!match) return { match, reason: said, evidence: '' };
  return { match: false, reason: 'the words that were named as evidence do not stand in the source', evidence: '' };
}

function flat(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
